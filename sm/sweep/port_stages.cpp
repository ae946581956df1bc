#include "sm/sweep/port_stages.h"

#include <algorithm>
#include <mutex>
#include <optional>
#include <utility>

#include "fabric/at_once.h"
#include "fabric/parallel.h"
#include "mad/format.h"
#include "routing/qos/operational_vls.h"
#include "routing/qos/path_sl.h"
#include "sm/sweep/attribute_writes.h"
#include "sm/sweep/held.h"
#include "sm/sweep/link_restarts.h"
#include "sm/sweep/link_settings.h"

namespace sm {
namespace {

template <class Attribute>
Write write_of(const Attribute& attribute, std::uint32_t modifier, PortIndex port) {
  Write write{.attribute = Attribute::kId, .modifier = modifier, .port = port, .data = {}};
  std::ranges::copy(attribute.bytes(), write.data.begin());
  return write;
}

std::vector<Write> switch_writes(const Fabric& fabric, RejectedSets& rejected, const Target& target,
                                 const config::Options& options) {
  std::vector<Write> writes;
  for (const Switch& sw : fabric.switches) {
    const mad::SwitchInfo desired = desired_switch_info(sw.info, target.lids.lid_top, options);
    const PortIndex port = fabric.nodes[sw.node].first_port;
    const auto subject = subject_of(fabric, port, mad::AttributeId::switch_info);
    if (!needs_set(sw.info, desired)) {
      rejected.forget(subject);
    } else if (!rejected.is_paused(subject, desired.bytes())) {
      writes.push_back(write_of(desired, 0, port));
    }
  }
  return writes;
}

std::vector<Write> p_key_writes(const Fabric& fabric, RejectedSets& rejected,
                                const Target& target) {
  std::vector<Write> writes;
  for (const PortIndex index : fabric.ports.indices()) {
    const Port& port = fabric.ports[index];
    if (!port.known) continue;
    const bool external = fabric.nodes[port.node].is_switch() && port.number.value != 0;
    const auto observed = fabric.p_keys(index);
    for (std::size_t block = 0; block < observed.size(); ++block) {
      const mad::PKeyTable& desired = target.p_keys.blocks[port.first_p_key_block + block];
      const auto subject = subject_of(fabric, index, mad::AttributeId::p_key_table,
                                      static_cast<std::uint32_t>(block));
      if (desired == observed[block]) {
        rejected.forget(subject);
      } else if (!rejected.is_paused(subject, desired.bytes())) {
        writes.push_back(
            write_of(desired,
                     mad::PKeyTable::modifier(static_cast<std::uint16_t>(block),
                                              external ? port.number : mad::PortNum{0}),
                     index));
      }
    }
  }
  return writes;
}

std::vector<Write> alias_guid_writes(const Fabric& fabric, const RejectedSets& rejected,
                                     const Target& target) {
  std::vector<Write> writes;
  for (const GuidInfoBlock& wanted : target.alias_guids) {
    const auto port = fabric.port_of_guid.find(wanted.port_guid);
    if (port == fabric.port_of_guid.end() || !fabric.ports[port->second].known) continue;
    if (rejected.is_paused(
            subject_of(fabric, port->second, mad::AttributeId::guid_info, wanted.block),
            wanted.content.bytes()))
      continue;
    writes.push_back(write_of(wanted.content, wanted.block, port->second));
  }
  return writes;
}

/// A Set that changes nothing: what was read, states 0, no order to register again.
mad::PortInfo as_read(mad::PortInfo info) {
  info.set_port_state(mad::PortState::no_change);
  info.set_port_physical_state(mad::PortPhysicalState::no_change);
  info.set_client_reregister(false);
  return info;
}

/// An enhanced switch port 0 is a CA behind an invisible link: it has the states of a port, and
/// needs no other end.
bool is_enhanced_port_0(const Fabric& fabric, PortIndex index) {
  const Node& node = fabric.node_of(index);
  return node.is_switch() && fabric.ports[index].number.value == 0 &&
         fabric.switches[node.switch_index].info.enhanced_port_0();
}

/// Clients of the port have registered with a manager whose registrations are not known.
bool is_registered_elsewhere(const mad::PortInfo& info, mad::Lid sm_lid, const Target& target) {
  return info.master_sm_lid() != sm_lid &&
         (target.known_manager == mad::Lid{} || info.master_sm_lid() != target.known_manager);
}

/// The next ports of a fabric, as many as writes are kept of at once: those of the largest fabrics
/// would be 20 MB.
struct NextPorts {
  static constexpr std::size_t kPortsMax = 1 << 15;

  bool is_done(const Fabric& fabric) const { return begin == fabric.ports.size(); }
  void advance(const Fabric& fabric) {
    begin = end;
    end = std::min(begin + kPortsMax, fabric.ports.size());
  }

  std::size_t begin = 0, end = 0;
};

/// PortInfo with the settings, and the state that follows from them.
class PortWrites {
 public:
  PortWrites(const Fabric& fabric, Held& held, const Target& target, const config::Options& options,
             const std::vector<bool>& hold_back)
      : fabric_(fabric),
        held_(held),
        target_(target),
        options_(options),
        hold_back_(hold_back),
        range_(fabric.ports.size()) {
    for (const EndPortIndex end_port : fabric.end_ports.indices())
      range_[fabric.end_ports[end_port]] = target.lids.of_end_port[end_port];
    sm_lid_ = range_[fabric.sm_port].base;
    restarts_due_ = options.restart_links_for_settings && held.restarts.is_settled();
  }

  /// The writes of some ports, to be done before the next call; empty at the end.
  std::vector<Write> next() {
    std::vector<Write> settings;
    while (settings.empty() && !ports_.is_done(fabric_)) {
      ports_.advance(fabric_);
      Found found = find_all();
      settings = std::exchange(found.settings, {});
      held_.reregistering.insert(found.reregistering.begin(), found.reregistering.end());
      rest_.append(found);
    }
    if (settings.empty()) std::swap(settings, rest_.new_keys);
    return settings;
  }
  /// After the last: groups of links to be taken down, one after the other.
  std::vector<std::vector<Write>> restarts() {
    std::vector<std::vector<Write>> groups;
    if (!rest_.unused.empty()) groups.push_back(std::exchange(rest_.unused, {}));
    if (restarts_due_) add_restarts(rest_.pending, groups);
    return groups;
  }

 private:
  /// What some of the ports need.
  struct Found {
    std::vector<Write> settings;
    std::vector<Write> new_keys;  // of switches: after their other ports, whose Sets carry the old
    std::vector<Write> unused;    // links that carry no data, and are taken down
    std::vector<PortIndex> pending;  // links that run with other settings than those asked for
    std::vector<mad::Guid> reregistering;

    void append(const Found& other) {
      const auto add = [](const auto& from, auto& to) {
        to.insert(to.end(), from.begin(), from.end());
      };
      add(other.settings, settings);
      add(other.new_keys, new_keys);
      add(other.unused, unused);
      add(other.pending, pending);
      add(other.reregistering, reregistering);
    }
  };

  Found find_all() {
    const auto find = [&](std::size_t begin, std::size_t end) {
      Found found;
      for (std::size_t port = begin; port < end; ++port) find_of(PortIndex(port), found);
      return found;
    };
    if (!held_.rejected.empty())  // without_rejected() changes it
      return find(ports_.begin, ports_.end);
    std::vector<std::pair<std::size_t, Found>> parts;  // by first port
    std::mutex mutex;
    in_parallel(ports_.end - ports_.begin, kPortsWorthAThread,
                [&](std::size_t begin, std::size_t end) {
                  Found found = find(ports_.begin + begin, ports_.begin + end);
                  const std::lock_guard lock(mutex);
                  parts.emplace_back(begin, std::move(found));
                });
    std::ranges::sort(parts, {}, [](const auto& part) { return part.first; });
    Found all = std::move(parts.front().second);
    for (const auto& [begin, found] : std::span(parts).subspan(1)) all.append(found);
    return all;
  }

  void find_of(PortIndex index, Found& found) {
    find_write(index, found);
    if (restarts_due_ && is_setting_pending(fabric_, index, options_))
      found.pending.push_back(index);
  }

  void find_write(PortIndex index, Found& found) {
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
    if (fabric_.is_end_port(index)) {
      if (forgotten || port.info.port_state() == mad::PortState::init ||
          is_registered_elsewhere(port.info, sm_lid_, target_))
        found.reregistering.push_back(port.guid);
      intent.client_reregister =
          (!found.reregistering.empty() && found.reregistering.back() == port.guid) ||
          held_.reregistering.contains(port.guid);
    }
    intent.enforce_inbound = target_.p_keys.enforcement[index].inbound;
    intent.enforce_outbound = target_.p_keys.enforcement[index].outbound;

    mad::PortInfo desired = desired_port_info(fabric_, index, options_, intent);
    const mad::PortState state = port.info.port_state();
    if (state == mad::PortState::init && (activate || is_enhanced_port_0(fabric_, index)))
      desired.set_port_state(mad::PortState::armed);
    desired = without_rejected(index, desired);
    if (needs_set(port.info, desired, held_.unsupported.mask_for(fabric_, index)) ||
        desired.port_state() != mad::PortState::no_change) {
      const bool gives_key = management && desired.m_key() != port.info.m_key();
      (gives_key ? found.new_keys : found.settings)
          .push_back(write_of(desired, port_info_set_modifier(fabric_, index), index));
    }
    // Both ends have their settings before the link goes down, and the nearer one takes it down:
    // the farther could not be reached any more.
    if (activate && index < port.peer && !routing::link_runs(fabric_, index) &&
        needs_link_restart(port.info, desired)) {
      desired.set_port_state(mad::PortState::down);
      found.unused.push_back(write_of(desired, port_info_set_modifier(fabric_, index), index));
    }
  }

  /// Links that run with other settings than those asked for, as far as their devices take these.
  void add_restarts(std::vector<PortIndex>& pending, std::vector<std::vector<Write>>& groups) {
    const auto rejects = [&](PortIndex index) {
      const Port& port = fabric_.ports[index];
      return held_.rejected.contains(
          port_info_subject(fabric_.nodes[port.node], port.number, PortInfoPart::link));
    };
    std::erase_if(pending, [&](PortIndex index) {
      return rejects(index) || rejects(fabric_.ports[index].peer);
    });
    for (const std::vector<PortIndex>& group : links_to_restart(fabric_, pending)) {
      std::vector<Write>& writes = groups.emplace_back();
      for (const PortIndex index : group) {
        mad::PortInfo info = as_read(fabric_.ports[index].info);
        info.set_port_state(mad::PortState::down);
        writes.push_back(write_of(info, port_info_set_modifier(fabric_, index), index));
        held_.restarts.note(fabric_, index);
      }
    }
  }

  /// What the port rejected, and is not to be set again yet, stays as it is.
  mad::PortInfo without_rejected(PortIndex index, mad::PortInfo desired) {
    if (held_.rejected.empty()) return desired;
    const Port& port = fabric_.ports[index];
    for (const PortInfoPart part : kPortInfoParts) {
      const PortInfoMask& mask = fields_of(part);
      const auto subject = port_info_subject(fabric_.nodes[port.node], port.number, part);
      if (part == PortInfoPart::state ? port.info.port_state() >= mad::PortState::active
                                      : only(desired, mask) == only(port.info, mask)) {
        if (part == PortInfoPart::link && is_setting_pending(fabric_, index, options_)) {
          held_.rejected.defer(subject);
        } else {
          held_.rejected.forget(subject);
        }
      } else if (held_.rejected.is_paused(subject, only(desired, mask))) {
        desired = merged(desired, part == PortInfoPart::state ? mad::PortInfo{} : port.info, mask);
        if (part == PortInfoPart::end_port) desired.set_client_reregister(false);
      }
    }
    return desired;
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
  Held& held_;
  const Target& target_;
  const config::Options& options_;
  const std::vector<bool>& hold_back_;
  std::vector<LidMap::Range> range_;  // by port
  mad::Lid sm_lid_;
  bool restarts_due_ = false;
  NextPorts ports_;
  Found rest_;  // of the ports so far: what is to be written after all settings
};

/// One part of each write that was rejected as a whole.
std::vector<Write> part_writes(const Fabric& fabric, std::span<const Write> rejected,
                               PortInfoPart part) {
  std::vector<Write> writes;
  for (const Write& whole : rejected) {
    const mad::PortInfo asked(whole.data);
    mad::PortInfo info = as_read(fabric.ports[whole.port].info);
    if (part == PortInfoPart::state) {
      if (info.port_state() >= asked.port_state()) continue;
    }
    info = merged(info, asked, fields_of(part));
    if (part == PortInfoPart::end_port) info.set_client_reregister(asked.client_reregister());
    if (!parts_of(fabric.ports[whole.port].info, info).empty())
      writes.push_back(write_of(info, whole.modifier, whole.port));
  }
  return writes;
}

/// Every key of the port's table is one that its partitions give it.
bool holds_no_other_key(const Fabric& fabric, const Target& target, PortIndex index) {
  const auto observed = fabric.p_keys(index);
  const auto desired =
      target.p_keys.blocks.slice(fabric.ports[index].first_p_key_block, observed.size());
  if (std::ranges::equal(observed, desired)) return true;
  const auto gives = [&](mad::PKey key) {
    return std::ranges::any_of(desired, [&](const mad::PKeyTable& block) {
      for (unsigned i = 0; i < mad::PKeyTable::kEntries; ++i)
        if (block.p_key(i) == key) return true;
      return false;
    });
  };
  return std::ranges::all_of(observed, [&](const mad::PKeyTable& block) {
    for (unsigned i = 0; i < mad::PKeyTable::kEntries; ++i)
      if (block.p_key(i) != mad::PKey{} && !gives(block.p_key(i))) return false;
    return true;
  });
}

/// The end port has the LID that it is given, and it, or the switch port in front of it, keeps it
/// out of other partitions.
bool is_isolated(const Fabric& fabric, const Target& target, PortIndex index) {
  const auto end_port = std::ranges::lower_bound(fabric.end_ports, index);
  if (end_port == fabric.end_ports.end() || *end_port != index) return true;
  const Port& port = fabric.ports[index];
  const EndPortIndex position(end_port - fabric.end_ports.begin());
  if (port.info.lid() != target.lids.of_end_port[position].base) return false;
  if (target.p_keys.blocks.empty() || holds_no_other_key(fabric, target, index)) return true;
  const Port& leaf = fabric.ports[port.peer];
  return leaf.info.partition_enforcement_inbound() && leaf.info.partition_enforcement_outbound() &&
         leaf.p_key_blocks > 0 && holds_no_other_key(fabric, target, port.peer);
}

/// Ports that are Armed, and whose other end is too.
std::vector<Write> activations(const Fabric& fabric, const RejectedSets& rejected,
                               const Target& target, const std::vector<bool>& hold_back,
                               const NextPorts& ports) {
  std::vector<Write> writes;
  for (PortIndex index(ports.begin); index < ports.end; ++index) {
    const Port& port = fabric.ports[index];
    if (!port.known || port.info.port_state() != mad::PortState::armed) continue;
    if (!is_enhanced_port_0(fabric, index)) {
      if (!may_activate(fabric, target.lids, index) ||
          (!hold_back.empty() && (hold_back[index] || hold_back[port.peer])))
        continue;
      if (fabric.ports[port.peer].info.port_state() < mad::PortState::armed) continue;
      if (!is_isolated(fabric, target, index) || !is_isolated(fabric, target, port.peer)) continue;
    }
    mad::PortInfo info = as_read(port.info);
    info.set_port_state(mad::PortState::active);
    if (rejected.is_paused(
            port_info_subject(fabric.nodes[port.node], port.number, PortInfoPart::state),
            only(info, fields_of(PortInfoPart::state))))
      continue;
    writes.push_back(write_of(info, port_info_set_modifier(fabric, index), index));
  }
  return writes;
}

/// Which switch ports check P_Keys. The bits of ports that face no end port are always clear, and
/// not all of them keep what is written there.
std::vector<Write> enforcement_writes(const Fabric& fabric, const RejectedSets& rejected,
                                      const Target& target) {
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
    mad::PortInfo info = as_read(port.info);
    info.set_partition_enforcement_inbound(wanted.inbound);
    info.set_partition_enforcement_outbound(wanted.outbound);
    if (rejected.is_paused(
            port_info_subject(fabric.nodes[port.node], port.number, PortInfoPart::enforcement),
            only(info, fields_of(PortInfoPart::enforcement))))
      continue;
    writes.push_back(write_of(info, port_info_set_modifier(fabric, index), index));
  }
  return writes;
}

class PortStages final : public StageSource {
 public:
  PortStages(Fabric& fabric, Held& held, const Target& target, const config::Options& options,
             const std::vector<bool>& hold_back)
      : fabric_(fabric), held_(held), target_(target), options_(options), hold_back_(hold_back) {}

  std::unique_ptr<Stage> next() override {
    switch (step_) {
      case Step::switches:
        step_ = Step::p_keys;
        return stage(StageKind::switches,
                     switch_writes(fabric_, held_.rejected, target_, options_));
      case Step::p_keys:
        step_ = Step::alias_guids;
        return stage(StageKind::p_keys, p_key_writes(fabric_, held_.rejected, target_));
      case Step::alias_guids:
        step_ = Step::ports;
        return stage(StageKind::alias_guids, alias_guid_writes(fabric_, held_.rejected, target_));
      case Step::ports: {
        if (!settings_) settings_.emplace(fabric_, held_, target_, options_, hold_back_);
        if (std::vector<Write> writes = settings_->next(); !writes.empty())
          return std::make_unique<AttributeWrites>(StageKind::ports, fabric_, held_,
                                                   std::move(writes), &rejected_);
        restarts_ = settings_->restarts();
        settings_.reset();
        step_ = Step::parts;
        return next();
      }
      case Step::parts:
        if (part_ < kPortInfoParts.size())
          return stage(StageKind::ports, part_writes(fabric_, rejected_, kPortInfoParts[part_++]));
        step_ = Step::restarts;
        return next();
      case Step::restarts:
        if (restart_ < restarts_.size())
          return stage(StageKind::link_restarts, std::move(restarts_[restart_++]));
        step_ = Step::activation;
        return next();
      case Step::activation:
        while (!ports_.is_done(fabric_)) {
          ports_.advance(fabric_);
          std::vector<Write> writes =
              activations(fabric_, held_.rejected, target_, hold_back_, ports_);
          if (!writes.empty()) return stage(StageKind::activation, std::move(writes));
        }
        step_ = Step::end;
        break;
      case Step::end:
        break;
    }
    return nullptr;
  }

 private:
  enum class Step : std::uint8_t {
    switches,
    p_keys,
    alias_guids,
    ports,
    parts,
    restarts,
    activation,
    end
  };

  std::unique_ptr<Stage> stage(StageKind kind, std::vector<Write> writes) {
    return std::make_unique<AttributeWrites>(kind, fabric_, held_, std::move(writes));
  }

  Fabric& fabric_;
  Held& held_;
  const Target& target_;
  const config::Options& options_;
  const std::vector<bool>& hold_back_;
  std::optional<PortWrites> settings_;
  NextPorts ports_;  // of which Armed ones are activated
  std::vector<std::vector<Write>> restarts_;
  std::size_t restart_ = 0;      // of restarts_: the next one
  std::vector<Write> rejected_;  // PortInfo that is set part by part
  std::size_t part_ = 0;         // of kPortInfoParts: the next one
  Step step_ = Step::switches;
};

class PartitionStages final : public StageSource {
 public:
  PartitionStages(Fabric& fabric, Held& held, const Target& target)
      : fabric_(fabric), held_(held), target_(target) {}

  std::unique_ptr<Stage> next() override {
    switch (step_++) {
      case 0:
        return std::make_unique<AttributeWrites>(StageKind::p_keys, fabric_, held_,
                                                 p_key_writes(fabric_, held_.rejected, target_));
      case 1:
        return std::make_unique<AttributeWrites>(
            StageKind::ports, fabric_, held_, enforcement_writes(fabric_, held_.rejected, target_));
      default:
        return nullptr;
    }
  }

 private:
  Fabric& fabric_;
  Held& held_;
  const Target& target_;
  unsigned step_ = 0;
};

class SwitchStages final : public StageSource {
 public:
  SwitchStages(Fabric& fabric, Held& held, const Target& target, const config::Options& options)
      : fabric_(fabric), held_(held), target_(target), options_(options) {}

  std::unique_ptr<Stage> next() override {
    if (std::exchange(done_, true)) return nullptr;
    return std::make_unique<AttributeWrites>(
        StageKind::switches, fabric_, held_,
        switch_writes(fabric_, held_.rejected, target_, options_));
  }

 private:
  Fabric& fabric_;
  Held& held_;
  const Target& target_;
  const config::Options& options_;
  bool done_ = false;
};

std::vector<Write> master_lid_writes(const Fabric& fabric, Held& held, const Target& target,
                                     const config::Options& options) {
  std::vector<Write> writes;
  const auto own = std::ranges::lower_bound(fabric.end_ports, fabric.sm_port);
  if (own == fabric.end_ports.end() || *own != fabric.sm_port) return writes;
  const LidMap& lids = target.lids;
  const mad::Lid sm_lid = lids.of_end_port[EndPortIndex(own - fabric.end_ports.begin())].base;
  if (fabric.ports[fabric.sm_port].info.lid() != sm_lid) return writes;  // it is not reached yet
  for (const EndPortIndex end_port : fabric.end_ports.indices()) {
    const PortIndex index = fabric.end_ports[end_port];
    const Port& port = fabric.ports[index];
    const LidMap::Range range = lids.of_end_port[end_port];
    const bool carries_data =
        fabric.node_of(index).is_switch() || port.info.port_state() == mad::PortState::active;
    if (!port.known || !carries_data || range.base == mad::Lid{} || port.info.lid() != range.base)
      continue;
    if (target.reregister_clients || is_registered_elsewhere(port.info, sm_lid, target))
      held.reregistering.insert(port.guid);
    const PortIntent intent{.lid = range,
                            .sm_lid = sm_lid,
                            .sm_sl = port.info.master_sm_sl(),
                            .client_reregister = held.reregistering.contains(port.guid)};
    if (!intent.client_reregister && port.info.master_sm_lid() == sm_lid) continue;
    const mad::PortInfo desired = desired_port_info(fabric, index, options, intent);
    if (desired.m_key() != port.info.m_key()) continue;
    mad::PortInfo info = merged(as_read(port.info), desired, fields_of(PortInfoPart::end_port));
    info.set_client_reregister(desired.client_reregister());
    writes.push_back(write_of(info, port_info_set_modifier(fabric, index), index));
  }
  return writes;
}

bool has_lid_if_it_needs_one(const Fabric& fabric, const LidMap& lids, PortIndex port) {
  if (!fabric.is_end_port(port)) return true;
  // The GUID map names the one port that holds a GUID; a second bearer of the same GUID gets no
  // LID.
  const auto found = std::ranges::lower_bound(fabric.end_ports, port);
  if (found == fabric.end_ports.end() || *found != port) return false;
  return lids.of_end_port[EndPortIndex(found - fabric.end_ports.begin())].base != mad::Lid{};
}

}  // namespace

namespace {
/// Of a switch that is kept out of use. Links between switches are managed nevertheless.
bool is_isolated_host(const Fabric& fabric, PortIndex port) {
  const PortIndex peer = fabric.ports[port].peer;
  const bool between_switches =
      fabric.node_of(port).is_switch() && fabric.node_of(peer).is_switch();
  return !between_switches && (fabric.ports[port].isolated || fabric.ports[peer].isolated);
}
}  // namespace

bool may_activate(const Fabric& fabric, const LidMap& lids, PortIndex port) {
  return fabric.is_link_up(port) && !is_isolated_host(fabric, port) &&
         has_lid_if_it_needs_one(fabric, lids, port) &&
         has_lid_if_it_needs_one(fabric, lids, fabric.ports[port].peer);
}

std::unique_ptr<StageSource> port_stages(Fabric& fabric, Held& held, const Target& target,
                                         const config::Options& options,
                                         const std::vector<bool>& hold_back) {
  return std::make_unique<PortStages>(fabric, held, target, options, hold_back);
}

std::unique_ptr<Stage> master_lid_stage(Fabric& fabric, Held& held, const Target& target,
                                        const config::Options& options) {
  return std::make_unique<AttributeWrites>(StageKind::ports, fabric, held,
                                           master_lid_writes(fabric, held, target, options));
}

std::unique_ptr<StageSource> switch_stages(Fabric& fabric, Held& held, const Target& target,
                                           const config::Options& options) {
  return std::make_unique<SwitchStages>(fabric, held, target, options);
}

std::unique_ptr<StageSource> partition_stages(Fabric& fabric, Held& held, const Target& target) {
  return std::make_unique<PartitionStages>(fabric, held, target);
}

}  // namespace sm
