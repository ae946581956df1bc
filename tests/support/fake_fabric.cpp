#include "support/fake_fabric.h"

#include <algorithm>
#include <set>

#include "mad/attributes/node_description.h"
#include "mad/attributes/notice.h"

namespace fake {
namespace {

using mad::AttributeId;
using mad::Method;
using mad::PortInfo;
using mad::PortState;

constexpr std::uint16_t kFdbCap = 0xC000;
constexpr unsigned kPKeys = 32;
constexpr mad::Duration kTrapDelay = std::chrono::microseconds(50);
constexpr mad::Duration kRetrain = std::chrono::milliseconds(5);

/// What a Set may change (IBTA Vol 1, 14.2.5.6, column RW), besides the states: of any port, and of end ports only.
constexpr std::array kLinkFields{
    PortInfo::field<"LinkWidthEnabled">(), PortInfo::field<"LinkDownDefaultState">(), PortInfo::field<"LinkSpeedEnabled">(),
    PortInfo::field<"NeighborMTU">(), PortInfo::field<"VLHighLimit">(), PortInfo::field<"VLStallCount">(), PortInfo::field<"HOQLife">(),
    PortInfo::field<"OperationalVLs">(), PortInfo::field<"PartitionEnforcementInbound">(), PortInfo::field<"PartitionEnforcementOutbound">(),
    PortInfo::field<"LocalPhyErrors">(), PortInfo::field<"OverrunErrors">()};
constexpr std::array kEndPortFields{
    PortInfo::field<"M_Key">(), PortInfo::field<"GidPrefix">(), PortInfo::field<"LID">(), PortInfo::field<"MasterSMLID">(),
    PortInfo::field<"M_KeyLeasePeriod">(), PortInfo::field<"M_KeyProtectBits">(), PortInfo::field<"LMC">(), PortInfo::field<"MasterSMSL">(),
    PortInfo::field<"SubnetTimeOut">()};

template <std::size_t n>
void take(PortInfo& into, const PortInfo& from, const std::array<mad::Field, n>& fields) {
  for (const mad::Field& field : fields) mad::write(into.bytes(), field, mad::read(from.bytes(), field));
}

bool holds(const PortInfo& info, mad::Lid lid) { return info.lid() != mad::Lid{} && lid >= info.lid() && lid.value < info.lid().value + (1u << info.lmc()); }

}  // namespace

FakeFabric::FakeFabric(VirtualRuntime& runtime, const sim::Topology& topology, std::uint64_t seed) : runtime_(runtime), random_(seed) {
  for (const sim::Node& node : topology.nodes) {
    add(node.type == sim::NodeType::switch_ ? mad::NodeType::switch_ : mad::NodeType::ca, node.name, node.guid, node.port_count);
  }
  own = {0, mad::PortNum{static_cast<std::uint8_t>(nodes.front().is_switch() ? 0 : 1)}};
  at(own).info.set_capability_mask(at(own).info.capability_mask() | mad::capability::kIsSm);
  for (const sim::Link& link : topology.links) {
    at(link.a).peer = link.b;
    at(link.b).peer = link.a;
  }
  for (std::size_t node = 0; node < nodes.size(); ++node) boot(node);
}

std::size_t FakeFabric::add(mad::NodeType type, std::string name, mad::Guid guid, unsigned port_count) {
  Node node;
  node.name = std::move(name);
  node.info.set_base_version(1);
  node.info.set_class_version(1);
  node.info.set_node_type(type);
  node.info.set_num_ports(static_cast<std::uint8_t>(port_count));
  node.info.set_node_guid(guid);
  node.info.set_system_image_guid(guid);
  node.info.set_partition_cap(kPKeys);
  node.info.set_device_id(0x1234);
  node.info.set_vendor_id(0x0002c9);
  node.ports.resize(port_count + 1);
  for (unsigned port = 0; port <= port_count; ++port) {
    node.port_guids.push_back(type == mad::NodeType::switch_ ? guid : mad::Guid{guid.value + port});
    const bool end_port = type != mad::NodeType::switch_ || port == 0;
    node.ports[port].info.set_capability_mask(end_port ? mad::capability::kTrap | mad::capability::kClientReregistration : 0);
  }
  node.switch_info.set_linear_fdb_cap(kFdbCap);
  node.switch_info.set_lids_per_port(0);
  node.switch_info.set_partition_enforcement_cap(kPKeys);
  node.switch_info.set_inbound_enforcement_cap(true);
  node.switch_info.set_outbound_enforcement_cap(true);
  nodes.push_back(std::move(node));
  boot(nodes.size() - 1);
  return nodes.size() - 1;
}

void FakeFabric::boot(std::size_t index) {
  Node& node = nodes[index];
  for (unsigned number = 0; number < node.ports.size(); ++number) {
    Port& port = node.ports[number];
    const std::uint32_t capabilities = port.info.capability_mask();
    const bool management = node.is_switch() && number == 0;
    port.info = PortInfo{};
    port.info.set_capability_mask(capabilities);
    port.info.set_local_port_num({static_cast<std::uint8_t>(number)});
    port.info.set_link_width_supported(3);
    port.info.set_link_width_enabled(3);
    port.info.set_link_width_active(2);
    port.info.set_link_speed_supported(7);
    port.info.set_link_speed_enabled(7);
    port.info.set_link_speed_active(4);
    port.info.set_link_down_default_state(mad::LinkDownDefaultState::polling);
    port.info.set_mtu_cap(mad::Mtu::mtu_4096);
    port.info.set_neighbor_mtu(mad::Mtu::mtu_2048);
    port.info.set_vl_cap(4);
    port.info.set_operational_vls(1);
    port.info.set_port_state(management ? PortState::active : port.peer ? PortState::init : PortState::down);
    port.info.set_port_physical_state(management || port.peer ? mad::PortPhysicalState::link_up : mad::PortPhysicalState::polling);
    port.p_keys.assign(mad::PKeyTable::blocks(kPKeys), {});
    if (!node.is_switch() || management) port.p_keys.front().set_p_key(0, mad::kDefaultPKeyLimited);
  }
  node.switch_info.set_linear_fdb_top(0);
  node.switch_info.set_life_time_value(0);
  node.switch_info.set_port_state_change(node.is_switch());
  if (node.is_switch()) node.lft.assign((node.switch_info.linear_fdb_cap() + 63u) / 64 * 64, mad::kNoPort.value);
}

std::size_t FakeFabric::find(const std::string& name) const {
  const auto found = std::ranges::find(nodes, name, &Node::name);
  if (found == nodes.end()) throw std::out_of_range("no node is called " + name);
  return static_cast<std::size_t>(found - nodes.begin());
}

// ------------------------------------------------------------------------------------------------------------------ the world

void FakeFabric::set_link_state(PortRef port, PortState state) {
  at(port).info.set_port_state(state);
  at(port).info.set_port_physical_state(state == PortState::down ? mad::PortPhysicalState::polling : mad::PortPhysicalState::link_up);
  Node& node = nodes[port.node];
  if (!node.is_switch()) return;
  node.switch_info.set_port_state_change(true);
  send_trap_128(port.node);
}

void FakeFabric::connect(PortRef a, PortRef b) {
  at(a).peer = b;
  at(b).peer = a;
  set_link_state(a, PortState::init);
  if (!(a == b)) set_link_state(b, PortState::init);
}

void FakeFabric::cut(PortRef end) {
  const auto other = at(end).peer;
  if (!other) return;
  at(end).peer.reset();
  at(*other).peer.reset();
  set_link_state(end, PortState::down);
  set_link_state(*other, PortState::down);
}

void FakeFabric::reboot(std::size_t index) {
  boot(index);
  for (const Port& port : nodes[index].ports) {
    if (port.peer) set_link_state(*port.peer, PortState::init);
  }
}

// ------------------------------------------------------------------------------------------------------------- MADs on their way

int FakeFabric::send(std::span<const std::uint8_t> mad, const mad::MadAddress&, int) {
  mad::MadBytes bytes{};
  std::copy_n(mad.begin(), std::min(mad.size(), bytes.size()), bytes.begin());
  const mad::ConstSmpView smp{std::span<const std::uint8_t, mad::kMadSizeBytes>(bytes)};
  if (smp.is_response()) {
    responses.push_back(bytes);
    return 0;
  }
  ++sent[{smp.method(), smp.attribute_id()}];
  if (on_request) on_request(smp);
  travel(bytes);
  if (chance(faults.duplicated)) travel(bytes);
  return 0;
}

mad::Duration FakeFabric::latency() {
  const auto span = (latency_max - latency_min).count() + 1;
  mad::Duration time = latency_min + mad::Duration(random_.below(static_cast<std::uint32_t>(span)));
  if (chance(faults.late)) time += std::chrono::milliseconds(random_.below(1000));
  return time;
}

void FakeFabric::travel(const mad::MadBytes& bytes) {
  if (chance(faults.lost)) return;
  runtime_.after(latency(), [this, bytes] { arrive(bytes); });
}

void FakeFabric::arrive(mad::MadBytes bytes) {
  mad::SmpView smp{std::span<std::uint8_t, mad::kMadSizeBytes>(bytes)};
  const auto route = smp.route();
  const auto place = route && smp.is_directed() ? walk(*route) : std::nullopt;
  if (!place) return;
  Node& node = nodes[place->node];
  if (node.silent || (node.only_node_info && smp.attribute_id() != AttributeId::node_info)) return;
  ++(smp.method() == Method::set ? node.sets : node.gets);
  const auto status = serve(node, *place, smp);
  if (!status || !mad::make_response(smp, *status)) return;
  if (node.lie) node.lie(smp);
  answer(bytes);
  if (chance(faults.duplicated)) answer(bytes);
}

void FakeFabric::answer(mad::MadBytes bytes) {
  if (chance(faults.lost)) return;
  if (chance(faults.corrupt)) corrupt(mad::SmpView{std::span<std::uint8_t, mad::kMadSizeBytes>(bytes)});
  const std::size_t size = chance(faults.cut_short) ? random_.below(mad::kMadSizeBytes) : mad::kMadSizeBytes;
  runtime_.after(latency(), [this, bytes, size] { deliver(bytes, mad::kPermissiveLid, size); });
}

void FakeFabric::corrupt(mad::SmpView smp) {
  switch (random_.below(5)) {
    case 0: return smp.set_attribute_id(smp.attribute_id() == AttributeId::port_info ? AttributeId::node_info : AttributeId::port_info);
    case 1: return smp.set_attribute_modifier(smp.attribute_modifier() ^ 1);
    case 2: return smp.set_transaction_id(random_.next());
    case 3: return smp.set_method(random_.chance(50) ? Method::get : Method::report_resp);
    default: smp.set_status(static_cast<std::uint16_t>(4 * random_.below(8)));
  }
}

void FakeFabric::deliver(const mad::MadBytes& bytes, mad::Lid from, std::size_t size) {
  mad::ReceivedMad received;
  received.bytes = bytes;
  received.size = size;
  received.from.lid = from;
  if (receiver_) receiver_({&received, 1});
}

void FakeFabric::send_trap_128(std::size_t sw) {
  const mad::Lid lid = nodes[sw].ports[0].info.lid();
  if (!traps_arrive || lid == mad::Lid{} || nodes[sw].silent) return;
  mad::LinkStateNotice notice;
  notice.set_is_generic(true);
  notice.set_type(mad::NoticeType::urgent);
  notice.set_producer_type(mad::ProducerType::switch_);
  notice.set_trap_number(mad::TrapNumber::link_state_change);
  notice.set_issuer_lid(lid);
  notice.set_lid(lid);
  mad::MadBytes bytes;
  mad::make_lid_smp(bytes, Method::trap, AttributeId::notice, 0, {}, random_.next()).set_data(notice.bytes());
  runtime_.after(kTrapDelay, [this, bytes, lid] { deliver(bytes, lid); });
}

void FakeFabric::send_sm_control(std::size_t from_node, mad::SmControl control) {
  mad::MadBytes bytes;
  mad::make_lid_smp(bytes, Method::set, AttributeId::sm_info, mad::SmInfo::modifier(control), {}, random_.next()).set_data(nodes[from_node].sm->bytes());
  deliver(bytes, nodes[from_node].ports[1].info.lid());
}

/// Where a directed route ends: the port by which the MAD enters the last node.
std::optional<PortRef> FakeFabric::walk(const mad::DirectedRoute& route) const {
  PortRef place = own;
  bool first = true;
  for (const std::uint8_t hop : route.hops()) {
    const Node& node = nodes[place.node];
    if (node.silent || hop == 0 || hop >= node.ports.size()) return std::nullopt;
    if (!node.is_switch() && (!first || hop != own.port.value)) return std::nullopt;  // CAs do not forward
    if (!node.ports[hop].peer) return std::nullopt;
    place = *node.ports[hop].peer;
    first = false;
  }
  return place;
}

// -------------------------------------------------------------------------------------------------------------------- the agent

/// Does what is asked and writes what is to be answered. The status of the answer; nothing if there is none.
std::optional<std::uint16_t> FakeFabric::serve(Node& node, PortRef entry, mad::SmpView smp) {
  const bool get = smp.method() == Method::get;
  switch (smp.attribute_id()) {
    case AttributeId::node_info: {
      mad::NodeInfo info = node.info;
      info.set_local_port_num(entry.port);
      info.set_port_guid(node.port_guids[entry.port.value]);
      smp.set_data(info.bytes());
      return get ? mad::status::kOk : mad::status::kMethodAttributeUnsupported;
    }
    case AttributeId::node_description: {
      mad::NodeDescription description;
      description.set_text(node.name);
      smp.set_data(description.bytes());
      return get ? mad::status::kOk : mad::status::kMethodAttributeUnsupported;
    }
    case AttributeId::switch_info: return node.is_switch() ? serve_switch_info(node, smp) : mad::status::kMethodAttributeUnsupported;
    case AttributeId::port_info: return serve_port_info(entry.node, entry, smp);
    case AttributeId::p_key_table: return serve_p_keys(node, entry, smp);
    case AttributeId::linear_forwarding_table: return node.is_switch() ? serve_lft(node, smp) : mad::status::kMethodAttributeUnsupported;
    case AttributeId::sm_info:
      if (!node.sm) return std::nullopt;
      smp.set_data(node.sm->bytes());
      return mad::status::kOk;
    default: return mad::status::kMethodAttributeUnsupported;
  }
}

std::uint16_t FakeFabric::serve_switch_info(Node& node, mad::SmpView smp) {
  std::uint16_t status = mad::status::kOk;
  if (smp.method() == Method::set) {
    const mad::SwitchInfo asked(smp.data());
    if (asked.linear_fdb_top() >= node.switch_info.linear_fdb_cap()) {
      status = mad::status::kInvalidValue;
    } else {
      node.switch_info.set_linear_fdb_top(asked.linear_fdb_top());
      node.switch_info.set_life_time_value(asked.life_time_value());
      if (asked.port_state_change()) node.switch_info.set_port_state_change(false);
    }
  }
  smp.set_data(node.switch_info.bytes());
  return status;
}

std::uint16_t FakeFabric::serve_port_info(std::size_t index, PortRef entry, mad::SmpView smp) {
  Node& node = nodes[index];
  const unsigned wanted = smp.attribute_modifier() & 0xFFu;
  const unsigned number = node.is_switch() || wanted != 0 ? wanted : entry.port.value;
  if (number >= node.ports.size()) return mad::status::kInvalidValue;
  Port& port = node.ports[number];
  const bool end_port = !node.is_switch() || number == 0;
  std::uint16_t status = mad::status::kOk;
  const PortInfo asked(smp.data());
  if (smp.method() == Method::set) {
    const PortState now = port.info.port_state(), next = asked.port_state();
    const PortState far = port.peer ? at(*port.peer).info.port_state() : PortState::down;
    const bool legal = next == PortState::no_change || next == PortState::down || (next == PortState::armed && now == PortState::init) ||
                       (next == PortState::active && now == PortState::armed && far >= PortState::armed);
    const bool sane = (!end_port || mad::is_unicast(asked.lid())) && asked.neighbor_mtu() <= port.info.mtu_cap() && asked.operational_vls() <= port.info.vl_cap();
    if (!legal || !sane) {
      status = mad::status::kInvalidValue;
    } else {
      take(port.info, asked, kLinkFields);
      if (end_port) take(port.info, asked, kEndPortFields);
      if (next != PortState::no_change) port.info.set_port_state(next);
      if (next == PortState::down && port.peer) {  // the link trains again
        const PortRef here{index, {static_cast<std::uint8_t>(number)}}, there = *port.peer;
        at(there).info.set_port_state(PortState::down);
        runtime_.after(kRetrain, [this, here, there] {
          if (at(here).peer != there) return;
          set_link_state(here, PortState::init);
          set_link_state(there, PortState::init);
        });
      }
    }
  }
  smp.set_data(port.info.bytes());
  return status;
}

std::uint16_t FakeFabric::serve_p_keys(Node& node, PortRef entry, mad::SmpView smp) {
  const unsigned block = smp.attribute_modifier() & 0xFFFFu;
  const unsigned number = node.is_switch() ? smp.attribute_modifier() >> 16 : entry.port.value;
  if (number >= node.ports.size() || block >= node.ports[number].p_keys.size()) return mad::status::kInvalidValue;
  mad::PKeyTable& table = node.ports[number].p_keys[block];
  if (smp.method() == Method::set) table = mad::PKeyTable(smp.data());
  smp.set_data(table.bytes());
  return mad::status::kOk;
}

std::uint16_t FakeFabric::serve_lft(Node& node, mad::SmpView smp) {
  const std::size_t first = smp.attribute_modifier() * 64u;
  if (first >= node.lft.size()) return mad::status::kInvalidValue;
  const auto block = std::span(node.lft).subspan(first).first<64>();
  if (smp.method() == Method::set) std::ranges::copy(smp.data(), block.begin());
  smp.set_data(block);
  return mad::status::kOk;
}

// ------------------------------------------------------------------------------------------------------------- what was seen

std::uint64_t FakeFabric::total(Method method) const {
  std::uint64_t sum = 0;
  for (const auto& [what, count] : sent) sum += what.first == method ? count : 0;
  return sum;
}

std::uint64_t FakeFabric::sent_of(Method method, AttributeId attribute) const {
  const auto found = sent.find({method, attribute});
  return found == sent.end() ? 0 : found->second;
}

std::uint64_t FakeFabric::represses() const {
  return static_cast<std::uint64_t>(std::ranges::count_if(responses, [](const mad::MadBytes& bytes) {
    return mad::ConstMadView{std::span<const std::uint8_t, mad::kMadSizeBytes>(bytes)}.method() == Method::trap_repress;
  }));
}

void FakeFabric::forget_counts() {
  sent.clear();
  responses.clear();
  for (Node& node : nodes) node.gets = node.sets = 0;
}

std::vector<bool> FakeFabric::reachable() const {
  std::vector<bool> seen(nodes.size());
  std::vector<std::size_t> queue{own.node};
  seen[own.node] = true;
  for (std::size_t i = 0; i < queue.size(); ++i) {
    const Node& node = nodes[queue[i]];
    for (unsigned number = 0; number < node.ports.size(); ++number) {
      if (!node.ports[number].peer || (!node.is_switch() && (i > 0 || number != own.port.value))) continue;
      const std::size_t next = node.ports[number].peer->node;
      if (seen[next] || nodes[next].silent) continue;
      seen[next] = true;
      queue.push_back(next);
    }
  }
  return seen;
}

std::size_t FakeFabric::cables() const {
  const std::vector<bool> seen = reachable();
  std::size_t ends = 0;
  for (std::size_t node = 0; node < nodes.size(); ++node) {
    for (const Port& port : nodes[node].ports) ends += seen[node] && port.peer && seen[port.peer->node];
  }
  return ends / 2;
}

std::string FakeFabric::complaint() const {
  const std::vector<bool> seen = reachable();
  std::map<mad::Lid, PortRef> owners;
  for (std::size_t index = 0; index < nodes.size(); ++index) {
    const Node& node = nodes[index];
    for (unsigned number = 0; seen[index] && number < node.ports.size(); ++number) {
      const Port& port = node.ports[number];
      const PortRef here{index, {static_cast<std::uint8_t>(number)}};
      const bool linked = port.peer && seen[port.peer->node] && port.peer->node != index;
      const auto name = [&] { return fmt::format("{} port {}", node.name, number); };
      if (linked && port.info.port_state() != PortState::active) return fmt::format("{} is {}", name(), mad::name(port.info.port_state()));
      if (node.is_switch() ? number != 0 : !linked) continue;
      if (!mad::is_unicast(port.info.lid())) return name() + " has no LID";
      for (unsigned lid = port.info.lid().value; lid < port.info.lid().value + (1u << port.info.lmc()); ++lid) {
        if (!owners.emplace(mad::Lid{static_cast<std::uint16_t>(lid)}, here).second) return fmt::format("LID {} of {} belongs to two ports", lid, name());
      }
    }
  }
  for (std::size_t index = 0; index < nodes.size(); ++index) {
    if (!seen[index] || !nodes[index].is_switch()) continue;
    for (const auto& [lid, owner] : owners) {
      if (std::string wrong = walk_tables(index, lid, owner); !wrong.empty()) return wrong;
    }
  }
  return "";
}

/// Follows the tables of switches from one of them.
std::string FakeFabric::walk_tables(std::size_t from, mad::Lid lid, PortRef owner) const {
  std::size_t here = from;
  for (std::size_t hops = 0; hops <= nodes.size(); ++hops) {
    const Node& node = nodes[here];
    const auto lost = [&](std::string_view why) { return fmt::format("from {} to LID {} ({}): {} at {}", nodes[from].name, lid, nodes[owner.node].name, why, node.name); };
    if (lid.value > node.switch_info.linear_fdb_top()) return lost("above LinearFDBTop");
    const unsigned out = node.lft[lid.value];
    if (out == 0) return here == owner.node ? "" : lost("delivered to the wrong switch");
    if (out >= node.ports.size() || !node.ports[out].peer) return lost(fmt::format("sent to port {}", out));
    const PortRef next = *node.ports[out].peer;
    if (!nodes[next.node].is_switch()) return next == owner && holds(at(next).info, lid) ? "" : lost("delivered to the wrong host");
    here = next.node;
  }
  return fmt::format("from {} LID {} goes in a circle", nodes[from].name, lid);
}

}  // namespace fake
