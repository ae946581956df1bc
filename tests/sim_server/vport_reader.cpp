// Reads the vports of all hosts that it reaches, by plain SMPs through libibumad, and prints them.
// It shares no code with the subnet manager's library, so that it can judge what that one has
// written.
//
//   vport_reader [-v]
//
// A line per CA port that can have vports, and per vport (index 0..VPortIndexTop), such as:
//   port 0x0002c9000000a001 "H0" lid 5 state Active cap 8 top 3 enabled 1 change 0 revision 0
//     vport 1 state Init guid 0x1234 node 0x1234 lid 40 lid_required 1 lid_by 0 p_keys 0xffff
// `lid` is the LID that the vport uses. Lines with "fault" name answers that contradict each other.
// -v: all CA ports. Layouts: NVIDIA's attributes 0xFFB0 to 0xFFB6; modifiers of tables have the
// index above the block.

#include <infiniband/umad.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace {

using Data = std::array<std::uint8_t, 64>;
using Path = std::vector<std::uint8_t>;  // output ports, from the own node

constexpr std::uint8_t kDirected = 0x81, kGet = 1;
constexpr int kTimeoutMs = 500, kRetries = 2;
constexpr std::size_t kMad = 256, kDataAt = 64, kPathAt = 128;

enum Attribute : std::uint16_t {
  kNodeDescription = 0x0010,
  kNodeInfo = 0x0011,
  kPortInfo = 0x0015,
  kVirtualizationInfo = 0xFFB0,
  kVPortInfo = 0xFFB1,
  kVNodeInfo = 0xFFB2,
  kVPortState = 0xFFB3,
  kVPortPKeyTable = 0xFFB6,
};

/// `width` bits from bit `at`, the first bit of a byte being its highest.
std::uint64_t bits(const Data& data, unsigned at, unsigned width) {
  std::uint64_t value = 0;
  for (unsigned bit = at; bit < at + width; ++bit)
    value = value << 1 | (data[bit / 8] >> (7 - bit % 8) & 1u);
  return value;
}

const char* state_name(std::uint64_t state) {
  constexpr std::array<const char*, 5> kNames{"None", "Down", "Init", "Armed", "Active"};
  return state < kNames.size() ? kNames[state] : "?";
}

class Fabric {
 public:
  bool open() {
    if (umad_init() < 0) return false;
    port_ = umad_open_port(nullptr, 0);
    if (port_ < 0) return false;
    agent_ = umad_register(port_, kDirected, 1, 0, nullptr);
    return agent_ >= 0;
  }

  std::optional<Data> get(const Path& path, Attribute attribute, std::uint32_t modifier = 0) {
    std::vector<std::uint8_t> buffer(umad_size() + kMad);
    umad_set_addr(buffer.data(), 0xFFFF, 0, 0, 0);
    auto* mad = static_cast<std::uint8_t*>(umad_get_mad(buffer.data()));
    mad[0] = 1;
    mad[1] = kDirected;
    mad[2] = 1;
    mad[3] = kGet;
    mad[7] = static_cast<std::uint8_t>(path.size());
    const std::uint32_t id = ++transaction_;
    for (unsigned i = 0; i < 4; ++i) {
      mad[12 + i] = static_cast<std::uint8_t>(id >> (24 - 8 * i));
      mad[20 + i] = static_cast<std::uint8_t>(modifier >> (24 - 8 * i));
    }
    mad[16] = static_cast<std::uint8_t>(attribute >> 8);
    mad[17] = static_cast<std::uint8_t>(attribute);
    std::memset(mad + 32, 0xFF, 4);  // permissive LIDs: directed all the way
    for (std::size_t hop = 0; hop < path.size(); ++hop) mad[kPathAt + 1 + hop] = path[hop];
    if (umad_send(port_, agent_, buffer.data(), kMad, kTimeoutMs, kRetries) < 0)
      return std::nullopt;
    for (;;) {
      int length = kMad;
      if (umad_recv(port_, buffer.data(), &length, kTimeoutMs * (kRetries + 2)) < 0)
        return std::nullopt;
      const std::uint32_t answered = std::uint32_t{mad[12]} << 24 | std::uint32_t{mad[13]} << 16 |
                                     std::uint32_t{mad[14]} << 8 | mad[15];
      if (answered != id) continue;
      if (umad_status(buffer.data()) != 0) return std::nullopt;
      if (((mad[4] & 0x7F) << 8 | mad[5]) != 0) return std::nullopt;
      const std::uint32_t echoed = std::uint32_t{mad[20]} << 24 | std::uint32_t{mad[21]} << 16 |
                                   std::uint32_t{mad[22]} << 8 | mad[23];
      if (echoed != modifier)
        printf("  fault: attribute 0x%04x, modifier 0x%x answered with 0x%x\n", attribute, modifier,
               echoed);
      Data data;
      std::memcpy(data.data(), mad + kDataAt, data.size());
      return data;
    }
  }

 private:
  int port_ = -1, agent_ = -1;
  std::uint32_t transaction_ = 0x5000;
};

struct VPort {
  Data info{};
  std::uint64_t state = 0;
  bool lid_required() const { return bits(info, 5, 1) != 0; }
  std::uint64_t lid() const { return bits(info, 64, 16); }
  std::uint64_t lid_by() const { return bits(info, 80, 16); }
};

std::string p_keys(Fabric& fabric, const Path& path, std::uint32_t index, std::uint64_t capacity) {
  std::string text;
  for (std::uint32_t block = 0; block < (capacity + 31) / 32; ++block) {
    const auto table = fabric.get(path, kVPortPKeyTable, index << 16 | block);
    if (!table) return text + " fault: P_Key block " + std::to_string(block) + " not answered";
    for (unsigned entry = 0; entry < 32; ++entry) {
      const auto key = static_cast<unsigned>(bits(*table, 16 * entry, 16));
      char word[16];
      snprintf(word, sizeof word, " 0x%04x", key);
      if (key != 0) text += word;
    }
  }
  return text;
}

/// The LID of the vport: its own, that of the vport it names, or the port's.
std::uint64_t find_lid(const std::map<std::uint32_t, VPort>& vports, std::uint32_t index,
                       std::uint64_t base) {
  const VPort& vport = vports.at(index);
  if (index == 0) return base;
  if (vport.lid_required()) return vport.lid();
  const auto other = vports.find(static_cast<std::uint32_t>(vport.lid_by()));
  return vport.lid_by() != 0 && other != vports.end() && other->second.lid_required()
             ? other->second.lid()
             : base;
}

void print_vports(Fabric& fabric, const Path& path, const Data& virtualization,
                  std::uint64_t base_lid) {
  const auto top = static_cast<std::uint32_t>(bits(virtualization, 16, 16));
  std::map<std::uint32_t, VPort> vports;
  std::optional<Data> states;
  for (std::uint32_t index = 0; index <= top; ++index) {
    if (index % 128 == 0) states = fabric.get(path, kVPortState, index / 128);
    const std::uint64_t state = states ? bits(*states, index % 128 * 4, 4) : 0;
    const auto info = fabric.get(path, kVPortInfo, index);
    if (!info) {
      if (state > 1)
        printf("  fault: vport %u is %s, and VPortInfo is not answered\n", index,
               state_name(state));
      continue;
    }
    vports[index] = {*info, state};
  }
  for (const auto& [index, vport] : vports) {
    const auto node = fabric.get(path, kVNodeInfo, index);
    const auto guid = static_cast<unsigned long long>(bits(vport.info, 96, 64));
    printf(
        "  vport %u state %s guid 0x%llx node 0x%llx lid %u lid_required %u lid_by %u p_keys%s\n",
        index, state_name(bits(vport.info, 0, 4)), guid,
        static_cast<unsigned long long>(node ? bits(*node, 32, 64) : 0),
        static_cast<unsigned>(find_lid(vports, index, base_lid)), vport.lid_required() ? 1u : 0u,
        static_cast<unsigned>(vport.lid_by()),
        p_keys(fabric, path, index, node ? bits(*node, 0, 16) : 0).c_str());
    if (!node) printf("  fault: vport %u has no VNodeInfo\n", index);
    if (vport.state != bits(vport.info, 0, 4))
      printf("  fault: vport %u is %s in VPortState\n", index, state_name(vport.state));
  }
}

void print_port(Fabric& fabric, const Path& path, const Data& node, bool all) {
  const auto info = fabric.get(path, kPortInfo, static_cast<std::uint32_t>(bits(node, 288, 8)));
  const auto virtualization = fabric.get(path, kVirtualizationInfo);
  if (!info || (!virtualization && !all)) return;
  const auto description = fabric.get(path, kNodeDescription);
  char name[65] = {};
  if (description) std::memcpy(name, description->data(), 64);
  printf("port 0x%016llx \"%s\" lid %u state %s",
         static_cast<unsigned long long>(bits(node, 160, 64)), name,
         static_cast<unsigned>(bits(*info, 128, 16)), state_name(bits(*info, 260, 4)));
  if (!virtualization) {
    puts("");
    return;
  }
  const bool enabled = bits(*virtualization, 32, 1) != 0;
  const auto cap = bits(*virtualization, 0, 16), top = bits(*virtualization, 16, 16);
  printf(" cap %u top %u enabled %u change %u revision %u\n", static_cast<unsigned>(cap),
         static_cast<unsigned>(top), enabled ? 1u : 0u,
         static_cast<unsigned>(bits(*virtualization, 34, 1)),
         static_cast<unsigned>(bits(*virtualization, 48, 8)));
  if (top > cap) printf("  fault: the top index is above the capacity\n");
  if (enabled) print_vports(fabric, path, *virtualization, bits(*info, 128, 16));
}

}  // namespace

int main(int argc, char** argv) {
  const bool all = argc > 1 && std::strcmp(argv[1], "-v") == 0;
  Fabric fabric;
  if (!fabric.open()) {
    fprintf(stderr, "vport_reader: no umad port\n");
    return 1;
  }
  std::deque<Path> queue{{}};
  std::set<std::uint64_t> switches, ports;
  while (!queue.empty()) {
    const Path path = queue.front();
    queue.pop_front();
    const auto node = fabric.get(path, kNodeInfo);
    if (!node) continue;
    const bool is_switch = bits(*node, 16, 8) == 2;
    if (!is_switch && ports.insert(bits(*node, 160, 64)).second)
      print_port(fabric, path, *node, all);
    if (is_switch ? !switches.insert(bits(*node, 96, 64)).second : !path.empty()) continue;
    const auto first = static_cast<unsigned>(is_switch ? 1 : bits(*node, 288, 8));
    const auto last = static_cast<unsigned>(is_switch ? bits(*node, 24, 8) : first);
    for (unsigned number = first; number <= last; ++number) {
      const auto info = fabric.get(path, kPortInfo, number);
      if (!info || bits(*info, 260, 4) < 2) continue;  // no link
      Path next = path;
      next.push_back(static_cast<std::uint8_t>(number));
      queue.push_back(next);
    }
  }
  return 0;
}
