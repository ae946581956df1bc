#include "sim/world/gsi_network.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <numeric>
#include <string_view>
#include <utility>

#include "mad/attributes/notice.h"

namespace sim {

using mad::EthernetAttribute;
using mad::MacTableEntry;
using mad::MacTableHead;

namespace {

constexpr unsigned kTableEntries = 2048, kSourceMacsMax = 256;
constexpr std::uint16_t kVnicsMax = 255;
/// The driver ignores these fields in a Set.
constexpr std::array<std::string_view, 7> kReadOnly{
    "EthernetLinkStatus",     "OperState",      "MACTableEntriesMax",
    "SourceMACsMax",          "MACTableDigest", "UnicastMACsGeneration",
    "MulticastMACsGeneration"};

template <class A>
A read_as(std::span<const std::uint8_t> data) {
  return A(data.first<A::kBytes>());
}
template <class A>
void write_as(std::span<std::uint8_t> data, const A& attribute) {
  std::ranges::copy(attribute.bytes(), data.begin());
}

constexpr mad::Duration kGsiLatency = std::chrono::microseconds(5);

mad::ConstMadView header_of(const std::vector<std::uint8_t>& bytes) {
  return mad::ConstMadView(std::span(bytes).first<mad::kMadBytes>());
}

}  // namespace

unsigned EthernetAgent::all_sets() const {
  return std::accumulate(sets.begin(), sets.end(), 0u,
                         [](unsigned sum, const auto& one) { return sum + one.second; });
}

bool EthernetAgent::serve(std::span<std::uint8_t> mad) {
  if (!mad::is_ethernet_management(mad) || mad.size() != mad::kOpaMadBytes) return false;
  mad::MadView header(mad.first<mad::kMadBytes>());
  const auto attribute = static_cast<EthernetAttribute>(header.attribute_id());
  const mad::Method method = header.method();
  if (method != mad::Method::get && method != mad::Method::set) return false;
  ++(method == mad::Method::set ? sets : gets)[attribute];
  if (faults.silent) return false;
  const bool rejected = faults.rejected == attribute;
  if (rejected && faults.ignores_rejected) return false;
  const auto vnic = static_cast<std::uint8_t>(header.attribute_modifier());
  header.set_status(
      rejected ? faults.status
               : serve_attribute(method, attribute, vnic, mad.subspan(mad::kVendorHeaderBytes)));
  header.set_method(mad::Method::get_resp);
  return true;
}

std::uint16_t EthernetAgent::serve_attribute(mad::Method method, EthernetAttribute attribute,
                                             std::uint8_t vnic, std::span<std::uint8_t> data) {
  const bool is_set = method == mad::Method::set;
  if (attribute == EthernetAttribute::class_port_info) {
    if (is_set) class_port_info = read_as<mad::EthernetClassPortInfo>(data);
    class_port_info.set<"BaseVersion">(mad::kOpaBaseVersion);
    class_port_info.set<"ClassVersion">(mad::kEthernetManagementVersion);
    class_port_info.set<"VnicsMax">(kVnicsMax);
    class_port_info.set<"CapabilityMask">(std::uint8_t{1});
    write_as(data, class_port_info);
    return 0;
  }
  if (attribute == EthernetAttribute::vesw_port_info)
    return serve_port_info(method, vnic, data), std::uint16_t{0};
  const bool known = is_set ? attribute == EthernetAttribute::mac_table ||
                                  attribute == EthernetAttribute::delete_vesw
                            : attribute == EthernetAttribute::mac_table ||
                                  attribute == EthernetAttribute::unicast_macs;
  if (!known) return mad::status::kMethodAttributeUnsupported;
  const auto found = vnics.find(vnic);
  if (found == vnics.end()) return mad::status::kInvalidValue;
  if (attribute == EthernetAttribute::mac_table) return serve_table(method, found->second, data);
  if (attribute == EthernetAttribute::unicast_macs)
    return list_macs(found->second, data), std::uint16_t{0};
  found->second.info = power_on_values();
  found->second.table.clear();
  write_as(data, found->second.info);
  return 0;
}

mad::VeswPortInfo EthernetAgent::power_on_values() const {
  mad::VeswPortInfo info;
  info.set<"MACTableEntriesMax">(faults.table_entries_max);
  info.set<"SourceMACsMax">(static_cast<std::uint16_t>(kSourceMacsMax));
  info.set<"OperState">(mad::VnicState::drop_all);
  info.set<"ConfigState">(mad::VnicState::drop_all);
  info.set<"EthernetMTU">(std::uint16_t{1500});
  return info;
}

void EthernetAgent::serve_port_info(mad::Method method, std::uint8_t number,
                                    std::span<std::uint8_t> data) {
  if (method == mad::Method::get) {
    const auto found = vnics.find(number);
    return write_as(data, found == vnics.end() ? power_on_values() : found->second.info);
  }
  const auto [at, is_new] = vnics.try_emplace(number);
  mad::VeswPortInfo& info = at->second.info;
  if (is_new) info = power_on_values();
  mad::VeswPortInfo next = read_as<mad::VeswPortInfo>(data);
  for (const mad::Field& field : mad::VeswPortInfo::kFields)
    if (std::ranges::find(kReadOnly, field.name) != kReadOnly.end())
      mad::write(next.bytes(), field, mad::read(info.bytes(), field));
  const bool forwards = next.config_state() == mad::VnicState::forwarding;
  next.set<"OperState">(next.config_state());
  next.set<"EthernetLinkStatus">(forwards ? mad::EthernetLink::up : mad::EthernetLink::down);
  info = next;
  write_as(data, info);
}

std::uint16_t EthernetAgent::serve_table(mad::Method method, Vnic& vnic,
                                         std::span<std::uint8_t> data) {
  const bool is_set = method == mad::Method::set;
  MacTableHead head = read_as<MacTableHead>(data);
  const unsigned offset = head.get<std::uint16_t, "Offset">(),
                 count = head.get<std::uint16_t, "NumEntries">();
  if (count > mad::kMacTableEntriesPerMad || offset + count > kTableEntries)
    return is_set ? mad::status::kMethodAttributeUnsupported : mad::status::kInvalidValue;
  for (unsigned i = 0; i < count; ++i) {
    const auto bytes =
        data.subspan(MacTableHead::kBytes + i * MacTableEntry::kBytes, MacTableEntry::kBytes);
    if (is_set) {
      const auto entry = read_as<MacTableEntry>(bytes);
      if (entry.get<mad::Mac, "MAC">().value == 0)
        vnic.table.erase(offset + i);
      else
        vnic.table[offset + i] = entry;
    }
    const auto found = vnic.table.find(offset + i);
    write_as(bytes, found == vnic.table.end() ? MacTableEntry() : found->second);
  }
  if (is_set) vnic.info.set<"MACTableDigest">(head.get<std::uint32_t, "MACTableDigest">());
  head.set<"MACTableDigest">(vnic.info.table_digest());
  write_as(data, head);
  return 0;
}

void EthernetAgent::list_macs(Vnic& vnic, std::span<std::uint8_t> data) const {
  auto head = read_as<mad::MacListHead>(data);
  const std::size_t start = head.get<std::uint16_t, "StartIndex">();
  std::size_t wanted = head.get<std::uint16_t, "NumInMessage">();
  if (wanted == 0) wanted = mad::kMacsPerMad;
  const std::size_t total = faults.invents_macs ? 0xFFFF : vnic.unicast.size();
  const std::size_t count = std::min({wanted, mad::kMacsPerMad, total - std::min(start, total)});
  for (std::size_t i = 0; i < count; ++i) {
    const mad::Mac mac =
        faults.invents_macs ? mad::Mac{0x020000000000 | (start + i + 1)} : vnic.unicast[start + i];
    mad::write_mac(
        data.subspan(mad::MacListHead::kBytes + i * mad::kMacBytes).first<mad::kMacBytes>(), mac);
  }
  if (faults.always_new)
    vnic.info.set<"UnicastMACsGeneration">(
        static_cast<std::uint16_t>(vnic.info.unicast_generation() + 1));
  head.set<"NumInMessage">(static_cast<std::uint16_t>(faults.counts_wrongly ? wanted + 1 : count));
  head.set<"Total">(static_cast<std::uint16_t>(total));
  head.set<"Generation">(vnic.info.unicast_generation());
  write_as(data, head);
}

void EthernetAgent::restart() {
  class_port_info = {};
  vnics.clear();
}

std::optional<std::vector<std::uint8_t>> EthernetAgent::change_macs(std::uint8_t number,
                                                                    std::vector<mad::Mac> macs) {
  const auto found = vnics.find(number);
  if (found == vnics.end()) return std::nullopt;
  Vnic& vnic = found->second;
  vnic.unicast = std::move(macs);
  vnic.info.set<"UnicastMACsGeneration">(
      static_cast<std::uint16_t>(vnic.info.unicast_generation() + 1));
  return make_trap(number, mad::VnicTrap::unicast_macs);
}

std::optional<std::vector<std::uint8_t>> EthernetAgent::make_trap(std::uint8_t number,
                                                                  mad::VnicTrap trap) const {
  const auto found = vnics.find(number);
  if (found == vnics.end() || class_port_info.trap_lid() == 0) return std::nullopt;
  const mad::VeswPortInfo& info = found->second.info;
  std::vector<std::uint8_t> bytes(mad::kEthernetTrapBytes);
  mad::write_ethernet_header(bytes, mad::Method::trap, EthernetAttribute::notice, 0);
  mad::EthernetNotice notice;
  notice.set<"Type">(mad::NoticeType::informational);
  notice.set<"OUI">(std::uint32_t{0x00066A});
  notice.set<"IssuerLID">(info.get<std::uint32_t, "EncapSLID">());
  notice.set<"FabricID">(info.get<std::uint16_t, "FabricID">());
  notice.set<"VESWID">(info.vesw_id());
  notice.set<"PortNum">(info.get<std::uint32_t, "PortNum">());
  notice.set<"OpaPort">(std::uint16_t{1});
  notice.set<"VNIC">(number);
  notice.set<"Opcode">(trap);
  write_as(std::span(bytes).subspan(mad::kVendorHeaderBytes), notice);
  return bytes;
}

std::uint32_t EthernetAgent::find_dlid(std::uint8_t number, mad::Mac to) const {
  const auto found = vnics.find(number);
  if (found == vnics.end() || found->second.info.config_state() != mad::VnicState::forwarding)
    return 0;
  const mad::VeswPortInfo& info = found->second.info;
  for (const auto& [index, entry] : found->second.table)
    if (entry.get<mad::Mac, "MAC">() == to && !entry.get<bool, "IsSourceMAC">())
      return entry.get<std::uint32_t, "DLID">();
  if (to.is_multicast()) return info.get<std::uint32_t, "UnknownMulticastDLID">();
  if (to.is_local())
    return static_cast<std::uint32_t>((to.value & 0xFF) << 16 | (to.value & 0xFF00) |
                                      (to.value >> 16 & 0xFF));
  const unsigned mask = info.get<std::uint16_t, "DefaultPortMask">();
  unsigned at = 0;
  for (const mad::Field& field : mad::VeswPortInfo::kFields)
    if (field.name == "UnknownUnicastDLID" && (mask >> at++ & 1) != 0)
      return static_cast<std::uint32_t>(mad::read(info.bytes(), field));
  return 0;
}

class GsiNetwork::Program final : public mad::GsiTransport {
 public:
  Program(GsiNetwork& network, PortIndex port) : network_(&network), port_(port) {}
  ~Program() override {
    if (network_ != nullptr) std::erase(network_->programs_, this);
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  int send(std::span<const std::uint8_t> mad, const mad::MadAddress& to,
           int /*response_timeout_ms*/) override {
    if (mad.size() < mad::kMadBytes) return EINVAL;
    network_->send(port_, {mad.begin(), mad.end()}, to.lid, to.sl);
    return 0;
  }
  void set_receiver(std::function<void(const mad::GsiMad&)> receiver) override {
    receiver_ = std::move(receiver);
  }
  mad::GsiPortState state() const override {
    const PortModel& port = network_->world_.model.ports[port_];
    return {.guid = port.guid,
            .gid_prefix = port.info.gid_prefix(),
            .lid = port.info.lid(),
            .sm_lid = port.info.master_sm_lid(),
            .sm_sl = port.info.master_sm_sl()};
  }
  void receive(const mad::GsiMad& mad) {
    if (receiver_) receiver_(mad);
  }
  void detach() { network_ = nullptr; }
  PortIndex port() const { return port_; }

 private:
  GsiNetwork* network_;
  PortIndex port_;
  std::function<void(const mad::GsiMad&)> receiver_;
};

GsiNetwork::~GsiNetwork() {
  for (Program* const program : programs_) program->detach();
}

std::unique_ptr<mad::GsiTransport> GsiNetwork::attach(PortIndex port) {
  auto program = std::make_unique<Program>(*this, port);
  programs_.push_back(program.get());
  return program;
}

void GsiNetwork::send_trap(PortIndex port, std::optional<std::vector<std::uint8_t>> trap) {
  if (!trap) return;
  ++traps;
  const mad::EthernetClassPortInfo& info = agents_.at(port).class_port_info;
  send(port, std::move(*trap), mad::Lid{static_cast<std::uint16_t>(info.trap_lid())},
       info.trap_sl());
}

void GsiNetwork::send(PortIndex from, std::vector<std::uint8_t> bytes, mad::Lid to, mad::Sl sl) {
  const PacketHeader packet{.dlid = to, .sl = sl, .transport = Transport::ud};
  if (lost > 0 && world_.random().chance(lost)) return;
  const Walk walk = world_.send_data(from, packet, bytes.size());
  if (!walk.delivered()) return;
  world_.events().after(kGsiLatency, [this, at = walk.end, bytes = std::move(bytes),
                                      slid = world_.model.ports[from].info.lid(),
                                      sl]() mutable { arrive(at, std::move(bytes), slid, sl); });
}

void GsiNetwork::arrive(PortIndex at, std::vector<std::uint8_t> bytes, mad::Lid from, mad::Sl sl) {
  if (!world_.model.alive(world_.model.ports[at].node)) return;
  const mad::ConstMadView header = header_of(bytes);
  const bool is_request = !header.is_response() && header.method() != mad::Method::trap;
  if (is_request && header.mgmt_class() == mad::MgmtClass::sa) {
    auto answer = administration ? administration(bytes) : std::nullopt;
    if (answer) send(at, std::move(*answer), from, sl);
  } else if (is_request) {
    const auto agent = agents_.find(at);
    if (agent == agents_.end() || !agent->second.serve(bytes)) return;
    world_.events().after(agent->second.faults.slow,
                          [this, at, bytes = std::move(bytes), from, sl]() mutable {
                            send(at, std::move(bytes), from, sl);
                          });
  } else {
    mad::GsiMad mad;
    mad.bytes = std::move(bytes);
    mad.from.lid = from;
    mad.from.qpn = 1;
    mad.from.sl = sl;
    const std::vector<Program*> all = programs_;  // a receiver may attach or detach others
    for (Program* const program : all)
      if (std::ranges::find(programs_, program) != programs_.end() && program->port() == at)
        program->receive(mad);
  }
}

}  // namespace sim
