#include "sm/sweep/observe/audit.h"

#include <algorithm>
#include <functional>
#include <optional>

#include "mad/attribute_rows.h"
#include "mad/attributes/port_tables.h"
#include "mad/format.h"
#include "sm/sweep/apply/adaptive_content.h"
#include "sm/sweep/apply/vl_stages.h"
#include "sm/sweep/decide/adaptive_settings.h"
#include "sm/sweep/devices/link_settings.h"
#include "sm/sweep/devices/sweep_rows.h"

namespace sm {
namespace {

using mad::AttributeId;

/// Returns ": MTUCap 1, not 5", or "" if there are too many.
std::string differences(const mad::AttributeRow& row, mad::ConstAttributeBytes known,
                        mad::ConstAttributeBytes data) {
  constexpr std::size_t kNamed = 4;
  const std::vector<mad::FieldChange> fields = mad::constant_changes(row, known, data);
  return fields.empty() || fields.size() > kNamed ? "" : ": " + mad::difference_text(fields);
}

AuditItem switch_item(AttributeId attribute, std::uint32_t modifier, PortIndex port,
                      std::size_t block, std::uint8_t position = 0) {
  return {.attribute = attribute,
          .modifier = modifier,
          .port = port,
          .part = static_cast<std::uint16_t>(block),
          .position = position};
}

AuditItem port_item(AttributeId attribute, std::uint32_t modifier, PortIndex port,
                    std::size_t block = 0, std::uint16_t vport = 0) {
  AuditItem item = switch_item(attribute, modifier, port, block);
  item.about = port;
  item.vport = vport;
  return item;
}

void add_p_keys(const Fabric& fabric, PortIndex port, std::vector<AuditItem>& items) {
  const mad::PortNum number =
      fabric.owning_node(port).is_switch() ? fabric.ports[port].number : mad::PortNum{0};
  for (std::uint16_t block = 0; block < fabric.p_keys(port).size(); ++block)
    items.push_back(
        port_item(AttributeId::p_key_table, mad::PKeyTable::modifier(block, number), port, block));
}

void add_vport_p_keys(const virt::VPortFacts& vport, PortIndex port, std::uint16_t index,
                      std::vector<AuditItem>& items) {
  for (std::size_t at = 0; at < vport.p_keys.size(); ++at) {
    const auto block = static_cast<std::uint16_t>(at);
    if (vport.p_keys[at])
      items.push_back(port_item(AttributeId::vport_p_key_table,
                                mad::VPortPKeyTable::modifier(index, block), port, block, index));
  }
}

bool is_audited(const virt::VPortFacts& vport) {
  return vport.info && vport.state != mad::PortState::down && !vport.failure;
}

/// Returns null if the attribute is not one that DeviceTable holds and the audit reads.
const SweepRow* audited_row(AttributeId attribute) {
  const auto found = std::ranges::find_if(sweep_rows(), [&](const SweepRow* row) {
    return row->attribute == attribute && row->is_audited;
  });
  return found == sweep_rows().end() ? nullptr : *found;
}

/// Returns what the Fabric or DeviceTable has; nothing if it is unknown, or held elsewhere.
std::optional<mad::ConstAttributeBytes> held_bytes(const Fabric& fabric, const DeviceState& devices,
                                                   const AuditItem& item) {
  if (const auto known = fabric.attribute(item.attribute, item.about, item.part)) return known;
  const SweepRow* const row = audited_row(item.attribute);
  if (row == nullptr) return std::nullopt;
  const HeldBlock* const held = devices.table.find(block_key(
      fabric, {.attribute = item.attribute, .modifier = item.modifier, .port = item.port}));
  if (held == nullptr || !held->is_known(row->part)) return std::nullopt;
  return mad::ConstAttributeBytes(*held->bytes);
}

class AuditList {
 public:
  AuditList(const Subnet& subnet, const DeviceState& devices, NodeIndex index)
      : fabric_(subnet.fabric), devices_(devices), index_(index), node_(fabric_.nodes[index]) {}

  std::vector<AuditItem> take() {
    add_node();
    if (node_.is_switch()) add_forwarding_tables();
    const auto ports = static_cast<unsigned>(fabric_.node_ports(index_).size());
    for (PortIndex port = node_.first_port; port < node_.first_port + ports; ++port) {
      if (!fabric_.ports[port].known) continue;
      add_port(port);
      add_vl_tables(port, ports);
      add_vports(port);
    }
    add_optional();
    return std::move(items_);
  }

 private:
  void add_node() {
    const PortIndex port = entry_port(fabric_, node_);
    for (const AttributeId attribute : {AttributeId::node_info, AttributeId::node_description})
      items_.push_back(port_item(attribute, 0, port));
    if (node_.is_switch()) items_.push_back(port_item(AttributeId::switch_info, 0, port));
  }

  void add_forwarding_tables() {
    const SwitchIndex sw = node_.switch_index;
    const ForwardingTables* const lfts = devices_.lfts.tables();
    for (std::uint16_t block = 0; lfts != nullptr && block < lfts->blocks(); ++block) {
      if (devices_.lfts.is_known(sw, block))
        items_.push_back(
            switch_item(AttributeId::linear_forwarding_table, block, node_.first_port, block));
    }
    add_adaptive_tables();
    const routing::HeldMulticast& mfts = devices_.mfts.held();
    for (std::size_t block = 0; block < mfts.tables.blocks(); ++block) {
      for (std::size_t position = 0; position < mfts.tables.positions(); ++position) {
        const MftUnit unit{sw, static_cast<std::uint16_t>(block),
                           static_cast<std::uint8_t>(position)};
        if (mfts.of(unit) != routing::MftKnowledge::at_most && routing::has_unit(fabric_, unit))
          items_.push_back(switch_item(AttributeId::multicast_forwarding_table, unit.modifier(),
                                       node_.first_port, unit.block, unit.position));
      }
    }
  }

  void add_adaptive_tables() {
    const AdaptiveDevice* const device = devices_.adaptive.find(node_.guid);
    if (device == nullptr || !device->is_active()) return;
    const auto add = [&](AttributeId attribute, std::uint32_t modifier) {
      items_.push_back(switch_item(attribute, modifier, node_.first_port, modifier));
    };
    add(AttributeId::adaptive_routing_info, mad::AdaptiveRoutingInfo::kModifier);
    for (std::uint16_t block = 0; block < device->groups.known().size(); ++block)
      if (device->groups.known()[block])
        add(AttributeId::ar_group_table, mad::ArGroupTable::modifier(block));
    for (std::uint32_t block = 0; block < device->forms.size(); ++block)
      if (device->forms[block] != 0)
        add(AttributeId::ar_linear_forwarding_table, mad::ArLinearForwardingTable::modifier(block));
  }

  mad::PortNum number(PortIndex port) const {
    return node_.is_switch() ? fabric_.ports[port].number : mad::PortNum{0};
  }

  void add_port(PortIndex port) {
    items_.push_back(port_item(AttributeId::port_info, port_info_modifier(fabric_, port), port));
    add_p_keys(fabric_, port, items_);
  }

  /// Adds vports, but not their states, which are read again after each pass
  /// (DeviceState::reread_vport_states()).
  void add_vports(PortIndex port) {
    const auto found = devices_.vports.find(fabric_.ports[port].guid);
    if (found == devices_.vports.end() || !found->second.info) return;
    const auto add = [&](AttributeId attribute, std::uint32_t modifier, std::uint16_t index = 0) {
      items_.push_back(port_item(attribute, modifier, port, 0, index));
    };
    add(AttributeId::virtualization_info, 0);
    for (const auto& [index, vport] : found->second.vports) {
      if (!is_audited(vport)) continue;
      add(AttributeId::vport_info, mad::VPortInfo::modifier(index), index);
      if (vport.node_info) add(AttributeId::vnode_info, mad::VNodeInfo::modifier(index), index);
      add_vport_p_keys(vport, port, index, items_);
    }
  }

  /// Adds what DeviceTable holds of attributes that devices need not have.
  void add_optional() {
    for (const auto& [key, held] : node_blocks(devices_.table.blocks, node_.guid)) {
      const SweepRow* const row = audited_row(key.attribute);
      if (row == nullptr || !held.is_known(row->part)) continue;
      const bool is_of_port = key.place.port.value != 0;
      const PortIndex port =
          is_of_port ? find_place(fabric_, key.place) : entry_port(fabric_, node_);
      if (port == kNoIndex) continue;
      const std::uint32_t modifier =
          is_of_port ? row_request(fabric_, *row, port).write.modifier : key.block;
      items_.push_back(port_item(key.attribute, modifier, port, is_of_port ? 0u : key.block));
    }
  }

  void add_vl_tables(PortIndex port, unsigned ports) {
    if (devices_.vl_tables.is_empty()) return;
    const auto add = [&](AttributeId attribute, std::uint32_t modifier, std::uint16_t part) {
      items_.push_back(port_item(attribute, modifier, port, part));
      if (node_.is_switch()) items_.back().port = node_.first_port;
    };
    for (unsigned in = 0; in < (node_.is_switch() ? ports : 1u); ++in) {
      const mad::PortNum input{static_cast<std::uint8_t>(in)};
      if (devices_.vl_tables.sl_to_vl(port, input))
        add(AttributeId::sl_to_vl_mapping_table,
            mad::SlToVlMappingTable::modifier(input, number(port)), input.value);
    }
    for (std::uint16_t block = 1; block <= kArbitrationBlocks; ++block) {
      if (devices_.vl_tables.arbitration(port, block) != nullptr)
        add(AttributeId::vl_arbitration_table,
            mad::VlArbitrationTable::modifier(static_cast<mad::VlArbitrationTable::Block>(block),
                                              number(port)),
            block);
    }
  }

  const Fabric& fabric_;
  const DeviceState& devices_;
  const NodeIndex index_;
  const Node& node_;
  std::vector<AuditItem> items_;
};

}  // namespace

namespace {

/// Compares a vport. A light sweep reads a vport that its host has changed (VPortStateChange).
bool vport_matches_known(const virt::PortFacts& port, const AuditItem& item,
                         std::span<const std::uint8_t, 64> data) {
  const auto same = [&](const auto& known) {
    return !known || mad::same_constant(mad::attribute_row(item.attribute), known->bytes(), data);
  };
  if (item.attribute == AttributeId::virtualization_info)
    return mad::VirtualizationInfo(data).vport_state_change() || same(port.info);
  const auto found = port.vports.find(item.vport);
  if (found == port.vports.end() || !found->second.info) return true;
  const virt::VPortFacts& vport = found->second;
  switch (item.attribute) {
    case AttributeId::vport_info:
      return mad::VPortInfo(data).vport_state() != vport.state || same(vport.info);
    case AttributeId::vnode_info:
      return same(vport.node_info);
    default:
      return item.part >= vport.p_keys.size() || same(vport.p_keys[item.part]);
  }
}

/// True if a table of adaptive routing is what was written.
bool adaptive_matches_known(const Fabric& fabric, const DeviceState& devices, SwitchIndex sw,
                            const AuditItem& item, std::span<const std::uint8_t, 64> data) {
  const AdaptiveDevice* const device = devices.adaptive.find(fabric, sw);
  if (device == nullptr || !device->info) return true;
  switch (item.attribute) {
    case AttributeId::adaptive_routing_info:
      return same_settings(*device->info, mad::AdaptiveRoutingInfo(data));
    case AttributeId::ar_group_table: {
      const auto even = static_cast<GroupId>(item.part * mad::ArGroupTable::kSubGroups);
      if (!device->groups.is_known(even)) return true;
      return std::ranges::equal(
          group_block(device->groups.row().ports(even),
                      device->groups.row().ports(static_cast<GroupId>(even + 1))),
          data);
    }
    default: {
      const FormBlocks::Id form = device->form(item.part);
      if (form == 0) return true;
      return std::ranges::equal(entry_block(devices.adaptive.blocks.block(form),
                                            held_static_ports(devices.lfts, sw, item.part)),
                                data);
    }
  }
}

}  // namespace

std::vector<AuditItem> audit_items(const Subnet& subnet, const DeviceState& devices,
                                   NodeIndex node) {
  return AuditList(subnet, devices, node).take();
}

std::vector<AuditItem> p_key_items(const Subnet& subnet, const DeviceState& devices,
                                   const PKeyCheck& check) {
  const Fabric& fabric = subnet.fabric;
  std::vector<AuditItem> items;
  const auto found = fabric.port_of_guid.find(check.port);
  if (found == fabric.port_of_guid.end()) return items;
  const PortIndex port = found->second;
  for (const PortIndex end : {port, fabric.ports[port].peer})
    if (end != kNoIndex && devices.knows_p_keys(fabric, end)) add_p_keys(fabric, end, items);
  const auto facts = devices.vports.find(check.port);
  if (!check.vport || facts == devices.vports.end()) return items;
  const auto vport = facts->second.vports.find(*check.vport);
  if (vport != facts->second.vports.end() && is_audited(vport->second))
    add_vport_p_keys(vport->second, port, *check.vport, items);
  return items;
}

bool matches_known(const Subnet& subnet, const DeviceState& devices, const AuditItem& item,
                   std::span<const std::uint8_t, 64> data) {
  const Fabric& fabric = subnet.fabric;
  if (const auto known = held_bytes(fabric, devices, item)) {
    if (item.attribute == AttributeId::node_info &&
        mad::NodeInfo(data).port_guid() != fabric.ports[item.port].guid)
      return false;
    return mad::same_constant(mad::attribute_row(item.attribute), *known, data);
  }
  const SwitchIndex sw = fabric.owning_node(item.port).switch_index;
  switch (item.attribute) {
    case AttributeId::linear_forwarding_table:
      return shows_held_block(fabric, devices, subnet.lids, sw, item.part, data);
    case AttributeId::adaptive_routing_info:
    case AttributeId::ar_group_table:
    case AttributeId::ar_linear_forwarding_table:
      return adaptive_matches_known(fabric, devices, sw, item, data);
    case AttributeId::multicast_forwarding_table:
      return std::ranges::equal(devices.mfts.held().tables.bytes({sw, item.part, item.position}),
                                data);
    case AttributeId::sl_to_vl_mapping_table:
      return devices.vl_tables.sl_to_vl(item.about,
                                        mad::PortNum{static_cast<std::uint8_t>(item.part)}) ==
             sl_to_vl_bits(data);
    case AttributeId::vl_arbitration_table:
      return *devices.vl_tables.arbitration(item.about, item.part) ==
             arbitration_entries(fabric.ports[item.about].info, item.part, data);
    case AttributeId::virtualization_info:
    case AttributeId::vport_info:
    case AttributeId::vnode_info:
    case AttributeId::vport_p_key_table: {
      const auto port = devices.vports.find(fabric.ports[item.about].guid);
      return port == devices.vports.end() || vport_matches_known(port->second, item, data);
    }
    default:
      return true;
  }
}

std::string describe(const Subnet& subnet, const DeviceState& devices, const AuditItem& item,
                     std::span<const std::uint8_t, 64> data) {
  const Fabric& fabric = subnet.fabric;
  const mad::AttributeRow& row = mad::attribute_row(item.attribute);
  const unsigned port = item.about == kNoIndex ? 0u : fabric.ports[item.about].number.value;
  std::string text(mad::name(item.attribute));
  text += fmt::format(fmt::runtime(row.block_name), fmt::arg("block", item.part),
                      fmt::arg("first_port", item.position * kMftPositionPorts),
                      fmt::arg("port", port), fmt::arg("vport", item.vport));
  if (const auto known = held_bytes(fabric, devices, item); known && row.names_fields)
    text += differences(row, *known, data);
  return text;
}

std::optional<AuditItem> AuditCursor::next(const std::shared_ptr<const Subnet>& subnet,
                                           const DeviceState& devices) {
  const auto load = [&] {
    items_.clear();
    subnet_ = subnet;
    const auto found = subnet->fabric.node_of_guid.find(node_);
    if (found == subnet->fabric.node_of_guid.end()) return;
    items_ = audit_items(*subnet, devices, found->second);
    std::ranges::reverse(items_);
  };
  // In a new subnet, the node is compared with what is known now, from its first attribute.
  if (subnet_ != subnet && !items_.empty()) load();
  while (items_.empty()) {
    if (nodes_.empty()) {
      for (const Node& node : subnet->fabric.nodes) nodes_.push_back(node.guid);
      std::ranges::sort(nodes_, std::greater());
      // This is the end of a pass.
      if (std::exchange(node_, mad::Guid{}) != mad::Guid{}) return std::nullopt;
      if (nodes_.empty()) return std::nullopt;
    }
    node_ = nodes_.back();
    nodes_.pop_back();
    load();
  }
  const AuditItem item = items_.back();
  items_.pop_back();
  return item;
}

std::size_t audit_size(const Subnet& subnet, const DeviceState& devices) {
  std::size_t size = 0;
  for (const NodeIndex node : subnet.fabric.nodes.indices())
    size += audit_items(subnet, devices, node).size();
  return size;
}

}  // namespace sm
