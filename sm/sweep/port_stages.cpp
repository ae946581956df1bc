#include "sm/sweep/port_stages.h"

#include <algorithm>

#include "fabric/plausible.h"
#include "mad/format.h"
#include "routing/qos/path_sl.h"
#include "sm/sweep/held.h"
#include "sm/sweep/link_settings.h"

namespace sm {
namespace {

template <class Attribute>
Write write_of(const Attribute& attribute, std::uint32_t modifier, PortIndex port) {
  Write write{.attribute = Attribute::kId, .modifier = modifier, .port = port, .data = {}};
  std::ranges::copy(attribute.bytes(), write.data.begin());
  return write;
}

/// Writes whose response says what the fabric is from then on.
class AttributeWrites final : public Stage {
 public:
  AttributeWrites(StageKind kind, Fabric& fabric, UnsupportedSettings& unsupported,
                  std::vector<Write> writes)
      : Stage(kind), fabric_(fabric), unsupported_(unsupported), writes_(std::move(writes)) {}

  std::size_t size() const override { return writes_.size(); }
  Write write(std::size_t number) const override { return writes_[number]; }

  /// LinearFDBTop of 0 is what shows that a switch lost its tables after it was read.
  bool reads_first() const override { return kind() == StageKind::switches; }
  bool confirm(std::size_t number, std::span<const std::uint8_t, 64> data) override {
    return shows_same_tables(
        fabric_.switches[fabric_.node_of(writes_[number].port).switch_index].info,
        mad::SwitchInfo(data));
  }

  void accept(std::size_t number, std::span<const std::uint8_t, 64> data,
              ApplyReport& report) override {
    const Write& write = writes_[number];
    ++report.writes;
    switch (write.attribute) {
      case mad::AttributeId::port_info:
        return accept_port_info(write, mad::PortInfo(data), report);
      case mad::AttributeId::switch_info:
        return accept_switch_info(write, mad::SwitchInfo(data), report);
      case mad::AttributeId::p_key_table:
        return accept_p_keys(write, data, report);
      default:
        break;
    }
  }

 private:
  /// An answer that cannot be true is not kept: the sweep counts as failed, and everything is read
  /// again soon.
  void reject_response(const Write& write, std::string_view why, ApplyReport& report) {
    report.fail(fmt::format("{} answers SubnSet({}) with nonsense: {}",
                            fabric_.port_name(write.port), mad::name(write.attribute), why));
  }

  void accept_switch_info(const Write& write, const mad::SwitchInfo& answered,
                          ApplyReport& report) {
    mad::SwitchInfo& info = fabric_.switches[fabric_.node_of(write.port).switch_index].info;
    if (!same_hardware(info, answered))
      return reject_response(write, "the capacities of another switch", report);
    info = answered;
  }

  /// The node answered that all is well, and holds something else: it cannot do what is wanted.
  /// That is no failure of the sweep.
  void accept_p_keys(const Write& write, std::span<const std::uint8_t, 64> data,
                     ApplyReport& report) {
    const Port& port = fabric_.ports[write.port];
    const unsigned block = write.modifier & 0xFFFFu;
    const mad::PKeyTable before = block < port.p_key_blocks
                                      ? fabric_.p_key_blocks[port.first_p_key_block + block]
                                      : mad::PKeyTable{};
    if (!std::ranges::equal(data, write.data) && !std::ranges::equal(data, before.bytes()))
      return reject_response(write, "neither the old nor the new keys", report);
    if (block < port.p_key_blocks)
      fabric_.p_key_blocks[port.first_p_key_block + block] = mad::PKeyTable(data);
    if (!std::ranges::equal(data, write.data))
      report.note(fmt::format("{} did not take block {} of its P_Key table",
                              fabric_.port_name(write.port), block));
  }

  void accept_port_info(const Write& write, const mad::PortInfo& answered, ApplyReport& report) {
    Port& port = fabric_.ports[write.port];
    if (!same_hardware(port.info, answered))
      return reject_response(write, "the capabilities of another port", report);
    const mad::PortInfo asked(write.data);
    if (asked.port_state() > answered.port_state()) {
      report.fail(fmt::format("{} should be {}, and is {}", fabric_.port_name(write.port),
                              name(asked.port_state()), name(answered.port_state())));
    }
    const UnsupportedSettings::Response response =
        unsupported_.learn(fabric_, write.port, port.info, asked, answered);
    if (!response.newly_unsupported.empty()) {
      report.refusals.push_back(
          fmt::format("{} acknowledges and does not take: {}; devices of its model are not asked "
                      "for these again",
                      fabric_.port_name(write.port), fmt::join(response.newly_unsupported, ", ")));
    }
    if (response.others_not_taken)
      report.note(fmt::format("{} did not take all of its PortInfo:{}",
                              fabric_.port_name(write.port), differences(answered, asked)));
    port.info = answered;
  }

  static std::string differences(const mad::PortInfo& is, const mad::PortInfo& wanted) {
    std::string text;
    const PortInfoMask refused = unsupported_fields(wanted, is);
    for (const mad::Field& field : mad::PortInfo::kFields) {
      if (mad::read(refused, field) != 0)
        text += fmt::format(" {}={} (wanted {})", field.name, mad::read(is.bytes(), field),
                            mad::read(wanted.bytes(), field));
    }
    return text;
  }

  Fabric& fabric_;
  UnsupportedSettings& unsupported_;
  const std::vector<Write> writes_;
};

std::vector<Write> switch_writes(const Fabric& fabric, const Target& target,
                                 const config::Options& options) {
  std::vector<Write> writes;
  for (const Switch& sw : fabric.switches) {
    const mad::SwitchInfo desired = desired_switch_info(sw.info, target.lids.lid_top, options);
    if (needs_set(sw.info, desired))
      writes.push_back(write_of(desired, 0, fabric.nodes[sw.node].first_port));
  }
  return writes;
}

std::vector<Write> p_key_writes(const Fabric& fabric, const Target& target) {
  std::vector<Write> writes;
  for (const PortIndex index : fabric.ports.indices()) {
    const Port& port = fabric.ports[index];
    if (!port.known) continue;
    const bool external = fabric.nodes[port.node].is_switch() && port.number.value != 0;
    const auto observed = fabric.p_keys(index);
    for (std::size_t block = 0; block < observed.size(); ++block) {
      const mad::PKeyTable& desired = target.p_keys.blocks[port.first_p_key_block + block];
      if (desired != observed[block])
        writes.push_back(
            write_of(desired,
                     mad::PKeyTable::modifier(static_cast<std::uint16_t>(block),
                                              external ? port.number : mad::PortNum{0}),
                     index));
    }
  }
  return writes;
}

std::vector<Write> alias_guid_writes(const Fabric& fabric, const Target& target) {
  std::vector<Write> writes;
  for (const GuidInfoBlock& wanted : target.alias_guids) {
    const auto port = fabric.port_of_guid.find(wanted.port_guid);
    if (port == fabric.port_of_guid.end() || !fabric.ports[port->second].known) continue;
    writes.push_back(write_of(wanted.content, wanted.block, port->second));
  }
  return writes;
}

/// PortInfo with the settings, and the state that follows from them.
class PortWrites {
 public:
  PortWrites(const Fabric& fabric, const UnsupportedSettings& unsupported, const Target& target,
             const config::Options& options, const std::vector<bool>& hold_back)
      : fabric_(fabric),
        unsupported_(unsupported),
        target_(target),
        options_(options),
        hold_back_(hold_back),
        range_(fabric.ports.size()) {
    for (const EndPortIndex end_port : fabric.end_ports.indices())
      range_[fabric.end_ports[end_port]] = target.lids.of_end_port[end_port];
    sm_lid_ = range_[fabric.sm_port].base;
    for (const PortIndex port : fabric.ports.indices()) add(port);
  }

  std::vector<Write> settings;
  std::vector<Write> restarts;

 private:
  void add(PortIndex index) {
    const Port& port = fabric_.ports[index];
    const Node& node = fabric_.nodes[port.node];
    const bool management = node.is_switch() && port.number.value == 0;
    if (!port.known || (!management && !port.is_up())) return;
    const LidMap::Range range = range_[index];
    if (fabric_.is_end_port(index) && range.base == mad::Lid{})
      return;  // no LID left for it: it stays as it is
    const bool held_back = !hold_back_.empty() && port.peer != kNoIndex &&
                           (hold_back_[index] || hold_back_[port.peer]);
    const bool activate = !held_back && may_activate(fabric_, target_.lids, index);

    PortIntent intent{.lid = range,
                      .sm_lid = fabric_.is_end_port(index) ? sm_lid_ : mad::Lid{},
                      .sm_sl = sl_to_manager(index)};
    // A port that is new, or was registered with another manager, must register with this one.
    const bool forgotten =
        target_.reregister_clients || (!target_.newcomers.empty() && target_.newcomers[index]);
    intent.client_reregister = fabric_.is_end_port(index) &&
                               (forgotten || port.info.port_state() == mad::PortState::init ||
                                port.info.master_sm_lid() != sm_lid_);
    intent.enforce_inbound = target_.p_keys.enforcement[index].inbound;
    intent.enforce_outbound = target_.p_keys.enforcement[index].outbound;

    mad::PortInfo desired = desired_port_info(fabric_, index, options_, intent);
    const bool restart = !management && needs_link_restart(port.info, desired);
    const mad::PortState state = management || !activate
                                     ? mad::PortState::no_change
                                     : next_state(port.info.port_state(), restart);
    if (state == mad::PortState::armed) desired.set_port_state(state);
    if (needs_set(port.info, desired, unsupported_.mask_for(fabric_, index)) ||
        desired.port_state() != mad::PortState::no_change) {
      settings.push_back(write_of(desired, port_info_modifier(fabric_, index), index));
    }
    // Both ends have their settings before the link goes down, and the nearer one takes it down:
    // the farther could not be reached any more.
    if (state == mad::PortState::down && index < port.peer) {
      desired.set_port_state(mad::PortState::down);
      restarts.push_back(write_of(desired, port_info_modifier(fabric_, index), index));
    }
  }

  /// As subnet administration would answer: the SL of the routing engine, or the one of the options
  /// where the routing does not determine one.
  mad::Sl sl_to_manager(PortIndex port) const {
    const mad::Sl wish{options_.sm_sl};
    if (!target_.routing) return wish;
    return routing::path_sl(
        *target_.routing, {fabric_.leaf_of(port), sm_lid_, fabric_.leaf_of(fabric_.sm_port)}, wish);
  }

  const Fabric& fabric_;
  const UnsupportedSettings& unsupported_;
  const Target& target_;
  const config::Options& options_;
  const std::vector<bool>& hold_back_;
  std::vector<LidMap::Range> range_;  // by port
  mad::Lid sm_lid_;
};

/// Ports that are Armed, and whose other end is too.
std::vector<Write> activations(const Fabric& fabric, const Target& target,
                               const std::vector<bool>& hold_back) {
  std::vector<Write> writes;
  for (const PortIndex index : fabric.ports.indices()) {
    const Port& port = fabric.ports[index];
    if (!port.known || port.info.port_state() != mad::PortState::armed ||
        !may_activate(fabric, target.lids, index) ||
        (!hold_back.empty() && (hold_back[index] || hold_back[port.peer])))
      continue;
    if (fabric.ports[port.peer].info.port_state() < mad::PortState::armed) continue;
    mad::PortInfo info = port.info;
    info.set_port_state(mad::PortState::active);
    info.set_port_physical_state(mad::PortPhysicalState::no_change);
    info.set_client_reregister(false);  // that order went out with the settings
    writes.push_back(write_of(info, port_info_modifier(fabric, index), index));
  }
  return writes;
}

/// Which switch ports check P_Keys. The bits of ports that face no end port are always clear, and
/// not all of them keep what is written there.
std::vector<Write> enforcement_writes(const Fabric& fabric, const Target& target) {
  std::vector<Write> writes;
  for (const PortIndex index : fabric.ports.indices()) {
    const Port& port = fabric.ports[index];
    const partitions::Enforcement& wanted = target.p_keys.enforcement[index];
    const bool faces_end_port = port.peer != kNoIndex && fabric.node_of(index).is_switch() &&
                                port.number.value != 0 && !fabric.node_of(port.peer).is_switch();
    if (!faces_end_port || !port.is_up()) continue;
    if (wanted == partitions::Enforcement{port.info.partition_enforcement_inbound(),
                                          port.info.partition_enforcement_outbound()})
      continue;
    mad::PortInfo info = port.info;
    info.set_partition_enforcement_inbound(wanted.inbound);
    info.set_partition_enforcement_outbound(wanted.outbound);
    info.set_port_state(mad::PortState::no_change);
    info.set_port_physical_state(mad::PortPhysicalState::no_change);
    info.set_client_reregister(false);
    writes.push_back(write_of(info, port_info_modifier(fabric, index), index));
  }
  return writes;
}

class PortStages final : public StageSource {
 public:
  PortStages(Fabric& fabric, UnsupportedSettings& unsupported, const Target& target,
             const config::Options& options, const std::vector<bool>& hold_back)
      : fabric_(fabric),
        unsupported_(unsupported),
        target_(target),
        options_(options),
        hold_back_(hold_back) {}

  std::unique_ptr<Stage> next() override {
    switch (step_++) {
      case 0:
        return stage(StageKind::switches, switch_writes(fabric_, target_, options_));
      case 1:
        return stage(StageKind::p_keys, p_key_writes(fabric_, target_));
      case 2:
        return stage(StageKind::alias_guids, alias_guid_writes(fabric_, target_));
      case 3: {
        PortWrites ports(fabric_, unsupported_, target_, options_, hold_back_);
        restarts_ = std::move(ports.restarts);
        return stage(StageKind::ports, std::move(ports.settings));
      }
      case 4:
        return stage(StageKind::link_restarts, std::move(restarts_));
      case 5:
        return stage(StageKind::activation, activations(fabric_, target_, hold_back_));
      default:
        return nullptr;
    }
  }

 private:
  std::unique_ptr<Stage> stage(StageKind kind, std::vector<Write> writes) {
    return std::make_unique<AttributeWrites>(kind, fabric_, unsupported_, std::move(writes));
  }

  Fabric& fabric_;
  UnsupportedSettings& unsupported_;
  const Target& target_;
  const config::Options& options_;
  const std::vector<bool>& hold_back_;
  std::vector<Write> restarts_;
  unsigned step_ = 0;
};

class PartitionStages final : public StageSource {
 public:
  PartitionStages(Fabric& fabric, UnsupportedSettings& unsupported, const Target& target)
      : fabric_(fabric), unsupported_(unsupported), target_(target) {}

  std::unique_ptr<Stage> next() override {
    switch (step_++) {
      case 0:
        return std::make_unique<AttributeWrites>(StageKind::p_keys, fabric_, unsupported_,
                                                 p_key_writes(fabric_, target_));
      case 1:
        return std::make_unique<AttributeWrites>(StageKind::ports, fabric_, unsupported_,
                                                 enforcement_writes(fabric_, target_));
      default:
        return nullptr;
    }
  }

 private:
  Fabric& fabric_;
  UnsupportedSettings& unsupported_;
  const Target& target_;
  unsigned step_ = 0;
};

bool has_lid_if_it_needs_one(const Fabric& fabric, const LidMap& lids, PortIndex port) {
  if (!fabric.is_end_port(port)) return true;
  // The GUID map names the one port that holds a GUID; a second bearer of the same GUID gets no
  // LID.
  const auto found = std::ranges::lower_bound(fabric.end_ports, port);
  if (found == fabric.end_ports.end() || *found != port) return false;
  return lids.of_end_port[EndPortIndex(found - fabric.end_ports.begin())].base != mad::Lid{};
}

}  // namespace

bool may_activate(const Fabric& fabric, const LidMap& lids, PortIndex port) {
  return fabric.is_link_up(port) && has_lid_if_it_needs_one(fabric, lids, port) &&
         has_lid_if_it_needs_one(fabric, lids, fabric.ports[port].peer);
}

std::unique_ptr<StageSource> port_stages(Fabric& fabric, UnsupportedSettings& unsupported,
                                         const Target& target, const config::Options& options,
                                         const std::vector<bool>& hold_back) {
  return std::make_unique<PortStages>(fabric, unsupported, target, options, hold_back);
}

std::unique_ptr<StageSource> partition_stages(Fabric& fabric, UnsupportedSettings& unsupported,
                                              const Target& target) {
  return std::make_unique<PartitionStages>(fabric, unsupported, target);
}

}  // namespace sm
