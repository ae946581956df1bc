#include "mad/umad/local_ports.h"

#include <dlfcn.h>
#include <endian.h>
#include <infiniband/umad.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <fstream>
#include <string_view>
#include <system_error>

#include "mad/attributes/port_info.h"
#include "mad/format.h"
#include "mad/number.h"

namespace mad::umad {
namespace {

/// Devices for which there is room at first; a list that fills it is read again with twice as much.
constexpr std::size_t kDevicesFirst = 128, kDevicesMax = 1u << 14;

constexpr std::string_view kWithoutGuid =
    "no subnet manager can run there (its port GUID is 0: the device is not configured, as a "
    "virtual function without a GUID of its own, or its firmware is faulty)";

constexpr std::string_view kWithoutSmi =
    "no subnet manager can run there (IsSMdisabled: a virtual function, the host side of a DPU, or "
    "a device whose subnet management interface is another device)";

/// True for Omni-Path, which libibumad does not report; rdma-core's names then begin with "opa".
bool is_omni_path(std::string_view device) {
  std::array<char, 256> target{};
  const std::string link = fmt::format("/sys/class/infiniband/{}/device/driver", device);
  const ssize_t size = ::readlink(link.c_str(), target.data(), target.size());
  if (size > 0) {
    const std::string_view driver(target.data(), static_cast<std::size_t>(size));
    return driver.substr(driver.rfind('/') + 1) == "hfi1";
  }
  return device.starts_with("hfi1_") || device.starts_with("opa");
}

LocalPort describe(const umad_port_t& port, std::uint64_t node_guid) {
  const std::string_view layer = port.link_layer;
  return {.device = port.ca_name,
          .number = static_cast<unsigned>(port.portnum),
          .guid = Guid{be64toh(port.port_guid)},
          .state = port.state,
          // Old kernels have no link_layer file, and libibumad then returns "IB".
          .infiniband = layer.empty() || layer == "IB" || layer == "InfiniBand",
          .has_smi = (be32toh(port.capmask) & capability::kSmDisabled) == 0,
          .omni_path = is_omni_path(port.ca_name),
          .node_guid = Guid{be64toh(node_guid)}};
}

/// Calls `read(first element, room)`, which returns how many elements there are in that room.
template <typename Element, typename Read>
std::vector<Element> read_all(const Read& read) {
  for (std::size_t room = kDevicesFirst;; room *= 2) {
    std::vector<Element> found(room);
    const auto count = static_cast<std::size_t>(std::max(read(found.data(), room), 0));
    if (count < room || room >= kDevicesMax) {
      found.resize(std::min(count, room));
      return found;
    }
  }
}

}  // namespace

bool are_namespaces_exclusive(const std::string& file) {
  std::ifstream in(file);
  char mode = 'Y';  // shared; kernels before 5.2 have no such file, and are
  in.get(mode);
  return mode == 'N' || mode == '0';
}

std::string no_ports_text(bool exclusive) {
  if (!exclusive) return std::string(kNoPortsText);
  return fmt::format(
      "{}. Or they are in another network namespace than this process: `rdma system` is exclusive; "
      "a unit of systemd needs PrivateNetwork=no, a container the network of the host",
      kNoPortsText);
}

std::string_view LocalPort::state_text() const {
  constexpr std::array<std::string_view, 6> kNames{"NoChange", "Down",   "Init",
                                                   "Armed",    "Active", "ActiveDefer"};
  return state < kNames.size() ? kNames[state] : "unknown state";
}

std::string LocalPort::name() const {
  return fmt::format("{} port {}, GUID {}", device, number, guid);
}

std::string_view LocalPort::why_unusable() const {
  if (!infiniband) return "";
  return !has_guid() ? kWithoutGuid : !has_smi ? kWithoutSmi : "";
}

std::string LocalPort::text() const {
  return fmt::format("{}, {}{}", name(),
                     !infiniband ? "not InfiniBand"
                     : omni_path ? "Omni-Path"
                                 : state_text(),
                     why_unusable().empty() ? "" : fmt::format("; {}", why_unusable()));
}

std::vector<DevicePair> list_device_pairs() {
  // The layout in umad.h of these versions; the umad.h that Heddle is built with may be older.
  struct Pair {
    char smi_name[UMAD_CA_NAME_LEN];
    std::uint32_t smi_preferred_port;
    char gsi_name[UMAD_CA_NAME_LEN];
    std::uint32_t gsi_preferred_port;
  };
  using GetPairs = int (*)(Pair pairs[], std::size_t max);
  const auto get_pairs =
      reinterpret_cast<GetPairs>(::dlsym(RTLD_DEFAULT, "umad_get_smi_gsi_pairs"));
  if (get_pairs == nullptr) return {};
  auto found = read_all<Pair>(get_pairs);
  std::vector<DevicePair> pairs;
  pairs.reserve(found.size());
  for (Pair& each : found) {
    each.smi_name[UMAD_CA_NAME_LEN - 1] = each.gsi_name[UMAD_CA_NAME_LEN - 1] = '\0';
    pairs.push_back({.smi_device = each.smi_name,
                     .gsi_device = each.gsi_name,
                     .smi_number = each.smi_preferred_port,
                     .gsi_number = each.gsi_preferred_port});
  }
  return pairs;
}

void pair_ports(std::span<LocalPort> ports, std::span<const DevicePair> pairs) {
  for (LocalPort& port : ports) {
    const auto pair = std::ranges::find(pairs, port.device, &DevicePair::smi_device);
    if (pair == pairs.end() || pair->gsi_device.empty() || pair->gsi_device == port.device)
      continue;
    port.gsi_device = pair->gsi_device;
    port.gsi_number = pair->smi_number == port.number ? pair->gsi_number : port.number;
  }
}

std::vector<LocalPort> list_local_ports() {
  std::vector<LocalPort> ports;
  if (umad_init() < 0) return ports;
  struct Name {
    char text[UMAD_CA_NAME_LEN];
  };
  const auto names = read_all<Name>([](Name* first, std::size_t room) {
    return umad_get_cas_names(&first->text, static_cast<int>(room));
  });
  for (const Name& name : names) {
    umad_ca_t ca{};
    if (umad_get_ca(name.text, &ca) < 0) continue;
    for (int number = 0; number <= ca.numports && number < UMAD_CA_MAX_PORTS; ++number) {
      if (ca.ports[number] != nullptr) ports.push_back(describe(*ca.ports[number], ca.node_guid));
    }
    umad_release_ca(&ca);
  }
  pair_ports(ports, list_device_pairs());
  return ports;
}

namespace {

tl::expected<LocalPort, std::string> port_with_guid(std::span<const LocalPort> ports, Guid wanted,
                                                    const std::string& listing) {
  const LocalPort* found = nullptr;
  for (const LocalPort& port : ports)
    if (port.guid == wanted && (found == nullptr || (!found->has_smi && port.has_smi)))
      found = &port;
  if (found == nullptr) {
    const auto device = std::ranges::find(ports, wanted, &LocalPort::node_guid);
    return tl::unexpected(fmt::format(
        "no local port has GUID {}{}; {}{}", wanted,
        device != ports.end() ? fmt::format(", which is the NodeGUID of {}", device->device) : "",
        ports.empty() ? "this machine has no ports" : "there are:", listing));
  }
  if (!found->infiniband)
    return tl::unexpected(
        fmt::format("port GUID {} is not an InfiniBand link; there are:{}", wanted, listing));
  if (const std::string_view why = found->why_unusable(); !why.empty())
    return tl::unexpected(fmt::format("port GUID {}: {}; there are:{}", wanted, why, listing));
  return *found;
}

}  // namespace

tl::expected<LocalPort, std::string> choose_port(std::span<const LocalPort> ports,
                                                 std::optional<Guid> wanted) {
  std::string listing;
  for (const LocalPort& port : ports) listing += "\n  " + port.text();
  if (wanted) return port_with_guid(ports, *wanted, listing);

  const auto first = std::ranges::find_if(ports, &LocalPort::is_manageable);
  if (first == ports.end()) {
    if (ports.empty()) return tl::unexpected(std::string(kNoPortsText));
    const bool has_infiniband = std::ranges::any_of(ports, &LocalPort::infiniband);
    return tl::unexpected(fmt::format(
        "No local ports detected! {}:{}",
        has_infiniband ? "None of these is for a subnet manager (-g GUID chooses Omni-Path)"
                       : "None of these is InfiniBand",
        listing));
  }
  const auto up = std::find_if(first, ports.end(), [](const LocalPort& port) {
    return port.is_manageable() && port.state > 1;
  });
  return up != ports.end() ? *up : *first;
}

std::string_view refusal_hint(int error) {
  switch (error) {
    case EPERM:
      return " (RDMA devices of this machine are in one network namespace, see `rdma system show`: "
             "a unit of systemd needs PrivateNetwork=no, a container the network of the host)";
    case EPROTONOSUPPORT:
      return " (the port has no QP0: a virtual function, the host side of a DPU, or a device whose "
             "subnet management interface is another device)";
    case EINVAL:
    case EBUSY:
      return " (is another subnet manager running on this port?)";
    default:
      return "";
  }
}

std::string opening_hint(int error, std::string_view device, unsigned number,
                         const std::filesystem::path& devices) {
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(devices, ignored)) {
    const std::string name = entry.path().filename();
    if (!name.starts_with("umad")) continue;
    std::string its_device;
    unsigned its_number = 0;
    std::ifstream(entry.path() / "ibdev") >> its_device;
    std::ifstream(entry.path() / "port") >> its_number;
    if (its_device != device || its_number != number) continue;
    if (parse_number<unsigned>(name.substr(4)).value_or(0) < UMAD_MAX_PORTS) break;
    return fmt::format(
        " (it is /dev/infiniband/{}, and libibumad opens umad0 to umad{}: remove devices that no "
        "program needs, such as virtual functions, or install a later rdma-core)",
        name, UMAD_MAX_PORTS - 1);
  }
  return std::string(refusal_hint(error));
}

}  // namespace mad::umad
