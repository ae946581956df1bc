// Adaptive routing: reads what devices support and hold.

#include <algorithm>

#include "mad/attributes/vendor.h"
#include "mad/format.h"
#include "sm/sweep/apply/adaptive_stages.h"
#include "sm/sweep/devices/read_stage.h"

namespace sm {
namespace {

using mad::AttributeId;

constexpr std::uint32_t kMellanox = 0x0002C9;
/// Switch-IB is the first model with attributes of this form.
constexpr std::uint16_t kFirstSwitch = 0xCB20;

/// True for nodes of the vendor. A device that does not know the attribute says so once.
bool may_have_general_info(const Node& node) { return node.info.vendor_id() == kMellanox; }

PortIndex asked_port(const Fabric& fabric, NodeIndex index) {
  const Node& node = fabric.nodes[index];
  if (node.is_switch()) return node.first_port;
  for (PortIndex port = node.first_port; port < node.first_port + node.num_ports; ++port)
    if (fabric.ports[port].known) return port;
  return kNoIndex;
}

class AdaptiveRead : public ReadStage {
 public:
  AdaptiveRead(const Fabric& fabric, DeviceState& devices, std::vector<Write> requests)
      : ReadStage(StageKind::adaptive_settings, fabric, std::move(requests)), devices_(devices) {}

 protected:
  AdaptiveDevice& device(std::size_t number) { return devices_.adaptive.at(node(number).guid); }

  DeviceState& devices_;
};

class GeneralInfoReads final : public AdaptiveRead {
 public:
  using AdaptiveRead::AdaptiveRead;

  void accept(std::size_t number, std::span<const std::uint8_t, 64> data, ApplyReport&) override {
    const mad::GeneralInfo info(data);
    if (!node(number).is_switch()) {
      ReorderingDevice& ca = devices_.adaptive.cas[node(number).guid];
      ca.asked = true;
      ca.reorders = info.has(mad::GeneralCapability::out_of_order);
      return;
    }
    AdaptiveDevice& its = device(number);
    its.asked = true;
    its.is_capable = info.has(mad::GeneralCapability::adaptive_routing_rev1);
    if (!its.is_capable) its.obstacle = AdaptiveState::unsupported;
  }
  bool refuse(std::size_t number, std::uint16_t) override {
    settle(number, AdaptiveState::unsupported);
    return true;
  }
  void lose(std::size_t number) override { settle(number, AdaptiveState::silent); }

 private:
  void settle(std::size_t number, AdaptiveState obstacle) {
    if (!node(number).is_switch()) {
      ReorderingDevice& ca = devices_.adaptive.cas[node(number).guid];
      ca.asked = true;
      ca.reorders = false;
      if (obstacle == AdaptiveState::silent) ca.missing = AttributeId::general_info;
      return;
    }
    AdaptiveDevice& its = device(number);
    its.asked = true;
    its.obstacle = obstacle;
  }
};

class ArInfoReads final : public AdaptiveRead {
 public:
  using AdaptiveRead::AdaptiveRead;

  void accept(std::size_t number, std::span<const std::uint8_t, 64> data, ApplyReport&) override {
    AdaptiveDevice& its = device(number);
    its.info = mad::AdaptiveRoutingInfo(data);
    its.info_stale = false;
    if (its.info->group_cap() > 1) return;
    its.obstacle = AdaptiveState::unsupported;
    its.reason = fmt::format("ARInfo has GroupCap {}", its.info->group_cap());
  }
  bool refuse(std::size_t number, std::uint16_t status) override {
    device(number).obstacle = AdaptiveState::refused;
    device(number).reason = fmt::format("it rejects SubnGet(ARInfo): status {:#06x}", status);
    return true;
  }
  void lose(std::size_t number) override {
    device(number).obstacle = AdaptiveState::silent;
    device(number).reason = "no response to SubnGet(ARInfo)";
  }
};

class FoundTableReads final : public AdaptiveRead {
 public:
  using AdaptiveRead::AdaptiveRead;

  void accept(std::size_t number, std::span<const std::uint8_t, 64> data, ApplyReport&) override {
    const Write& request = requests_[number];
    if (request.attribute == AttributeId::ar_group_table) {
      const mad::ArGroupTable table(data);
      for (unsigned half = 0; half < mad::ArGroupTable::kSubGroups; ++half)
        device(number).groups.set(
            static_cast<GroupId>(request.modifier * mad::ArGroupTable::kSubGroups + half),
            ports(table, half));
      device(number).groups.set_known(static_cast<std::uint16_t>(request.modifier), true);
      return;
    }
    if (request.attribute == AttributeId::pfrn_config) {
      device(number).notification = mad::PfrnConfig(data);
      return;
    }
    accept_entries(number, mad::ArLinearForwardingTable(data));
  }
  bool refuse(std::size_t, std::uint16_t) override { return true; }  // written again

 private:
  static PortSet ports(const mad::ArGroupTable& table, unsigned half) {
    PortSet ports;
    for (unsigned port = 1; port < ports.size(); ++port)
      if (table.has_port(half, mad::PortNum{static_cast<std::uint8_t>(port)})) ports.set(port);
    return ports;
  }

  /// Stores how the switch forwards, whatever its LinearForwardingTable says.
  void accept_entries(std::size_t number, const mad::ArLinearForwardingTable& table) {
    const Write& request = requests_[number];
    FormBlock forms;
    std::array<std::uint8_t, kArBlockLids> static_ports;
    for (unsigned entry = 0; entry < forms.size(); ++entry) {
      const mad::ArLinearForwardingTable::Entry its = table.entry(entry);
      forms[entry] = adaptive_form(its.state, its.group);
      static_ports[entry] = its.static_port.value;
    }
    AdaptiveDevice& its = device(number);
    its.set_form(request.modifier, devices_.adaptive.blocks.number(forms));
    const std::size_t first = request.modifier * static_ports.size(), block = first / kLftBlockLids,
                      offset = first % kLftBlockLids;
    const SwitchIndex sw = node(number).switch_index;
    if (!devices_.lfts.is_known(sw, block)) return;
    std::array<std::uint8_t, kLftBlockLids> held;
    std::ranges::copy(devices_.lfts.tables()->block(sw, block), held.begin());
    if (std::ranges::equal(std::span(held).subspan(offset, static_ports.size()), static_ports))
      return;
    std::ranges::copy(static_ports, held.begin() + static_cast<std::ptrdiff_t>(offset));
    devices_.lfts.read_back(sw, block, held);
    its.stale_blocks.insert(static_cast<std::uint32_t>(block));
  }
};

class AdaptiveReads final : public StageSource {
 public:
  AdaptiveReads(const Fabric& fabric, DeviceState& devices, AdaptiveQueries queries)
      : fabric_(fabric), devices_(devices), queries_(queries) {}

  std::unique_ptr<Stage> next() override {
    switch (step_++) {
      case 0:
        return std::make_unique<GeneralInfoReads>(fabric_, devices_, general_info());
      case 1:
        return std::make_unique<ArInfoReads>(fabric_, devices_, adaptive_info());
      case 2:
        return std::make_unique<FoundTableReads>(fabric_, devices_, found_tables());
      default:
        return nullptr;
    }
  }

 private:
  bool is_asked(NodeIndex index) const {
    const Node& node = fabric_.nodes[index];
    if (!may_have_general_info(node)) return false;
    if (!node.is_switch()) {
      const auto ca = devices_.adaptive.cas.find(node.guid);
      return queries_.cas && node.type == mad::NodeType::ca &&
             (ca == devices_.adaptive.cas.end() || !ca->second.asked);
    }
    const AdaptiveDevice* const known = devices_.adaptive.find(node.guid);
    if (known != nullptr && known->asked) return false;
    return queries_.switches ||
           ((queries_.known == nullptr || !queries_.known->node_of_guid.contains(node.guid)) &&
            node.info.device_id() >= kFirstSwitch && may_hold_tables(fabric_, index));
  }

  std::vector<Write> general_info() const {
    std::vector<Write> requests;
    for (const NodeIndex index : fabric_.nodes.indices()) {
      if (!is_asked(index)) continue;
      const PortIndex port = asked_port(fabric_, index);
      if (port == kNoIndex) continue;
      requests.push_back({.attribute = AttributeId::general_info,
                          .modifier = mad::GeneralInfo::kCapabilityMask,
                          .port = port,
                          .data = {}});
    }
    return requests;
  }

  std::vector<Write> adaptive_info() const {
    std::vector<Write> requests;
    for (const Switch& sw : fabric_.switches) {
      const Node& node = fabric_.nodes[sw.node];
      const AdaptiveDevice* const its = devices_.adaptive.find(node.guid);
      if (its == nullptr || !its->is_capable || its->obstacle != AdaptiveState::off ||
          (its->info && !its->info_stale))
        continue;
      requests.push_back({.attribute = AttributeId::adaptive_routing_info,
                          .modifier = mad::AdaptiveRoutingInfo::kModifier,
                          .port = node.first_port,
                          .data = {}});
    }
    return requests;
  }

  /// Returns reads in turns over all switches, so that neighbours go to different nodes.
  std::vector<Write> found_tables() const {
    std::vector<Write> requests;
    for (const SwitchIndex sw : fabric_.switches.indices()) {
      const Node& node = fabric_.nodes[fabric_.switches[sw].node];
      AdaptiveDevice* const its = devices_.adaptive.find(node.guid);
      if (its == nullptr || !its->is_active() || its->tables_read) continue;
      its->tables_read = true;
      const auto add = [&](AttributeId attribute, std::uint32_t modifier) {
        requests.push_back(
            {.attribute = attribute, .modifier = modifier, .port = node.first_port, .data = {}});
      };
      for (std::uint16_t block = 0; block <= mad::ArGroupTable::block_of(its->info->group_top());
           ++block)
        add(AttributeId::ar_group_table, mad::ArGroupTable::modifier(block));
      if (its->info->pfrn_en()) add(AttributeId::pfrn_config, mad::PfrnConfig::kModifier);
      const std::uint32_t top = std::min<std::uint32_t>(fabric_.switches[sw].info.linear_fdb_top(),
                                                        mad::kUnicastLidMax.value);
      for (std::uint32_t block = 0; block <= top / kArBlockLids; ++block)
        add(AttributeId::ar_linear_forwarding_table, mad::ArLinearForwardingTable::modifier(block));
    }
    std::ranges::sort(requests, {}, [](const Write& request) {
      return std::tuple(request.attribute, request.modifier, request.port);
    });
    return requests;
  }

  const Fabric& fabric_;
  DeviceState& devices_;
  const AdaptiveQueries queries_;
  unsigned step_ = 0;
};

}  // namespace

std::unique_ptr<StageSource> adaptive_reads(const Fabric& fabric, DeviceState& devices,
                                            AdaptiveQueries queries) {
  return std::make_unique<AdaptiveReads>(fabric, devices, queries);
}

}  // namespace sm
