#include "sm/sweep/apply/vport_stages.h"

#include <algorithm>
#include <set>

#include "virt/vport_rules.h"

namespace sm {
namespace {

using mad::AttributeId;

Write vport_read(AttributeId attribute, std::uint32_t modifier, PortIndex port) {
  return {.attribute = attribute, .modifier = modifier, .port = port, .data = {}};
}

/// Returns the vport index of a request; VPortState and VirtualizationInfo concern all vports.
std::uint16_t compute_index(const Write& write) {
  const bool is_table = write.attribute == AttributeId::vport_p_key_table;
  return static_cast<std::uint16_t>(is_table ? write.modifier >> 16 : write.modifier);
}
bool is_of_port(const Write& write) {
  return write.attribute == AttributeId::virtualization_info ||
         write.attribute == AttributeId::vport_state;
}

/// Orders requests in turns over ports: the first of each port, the second of each, ...
std::vector<Write> interleaved(const std::vector<std::vector<Write>>& of_ports) {
  std::vector<Write> all;
  std::size_t most = 0, count = 0;
  for (const auto& of_port : of_ports) {
    most = std::max(most, of_port.size());
    count += of_port.size();
  }
  all.reserve(count);
  for (std::size_t number = 0; number < most; ++number)
    for (const auto& of_port : of_ports)
      if (number < of_port.size()) all.push_back(of_port[number]);
  return all;
}

/// Sends the requests of a stage, whose responses become facts. A failure concerns one vport, and
/// light sweeps try it again, with pauses that grow.
class VPortStage final : public Stage {
 public:
  VPortStage(StageKind kind, const Fabric& fabric, DeviceState& devices, std::vector<Write> writes,
             bool sets)
      : Stage(kind), fabric_(fabric), devices_(devices), writes_(std::move(writes)), sets_(sets) {}

  std::size_t size() const override { return writes_.size(); }
  Write write(std::size_t number) const override { return writes_[number]; }
  bool reads_back() const override { return sets_; }

  void accept(std::size_t number, std::span<const std::uint8_t, 64> data,
              ApplyReport& report) override {
    ++report.writes;
    settle(writes_[number], 0, data);
  }
  void accept_rejected(std::size_t number, std::uint16_t status,
                       std::span<const std::uint8_t, 64> data, ApplyReport&) override {
    settle(writes_[number], status, data);
  }
  bool refuse(std::size_t number, std::uint16_t status) override {
    const Write& write = writes_[number];
    virt::PortFacts& port = facts(write);
    if (write.attribute == AttributeId::virtualization_info) {
      // Busy firmware may answer so; a port that has answered before has the attribute.
      port.refuses = !port.info && status == mad::status::kMethodAttributeUnsupported;
      port.due = !port.refuses;
    } else if (write.attribute == AttributeId::vport_info &&
               port.vports[compute_index(write)].state == mad::PortState::down) {
      port.vports[compute_index(write)].exists = false;
    } else if (write.attribute == AttributeId::vnode_description) {
      port.vports[compute_index(write)].described = true;  // it serves without
    } else {
      fail(write, status);
    }
    return true;
  }
  void lose(std::size_t number) override {
    const Write& write = writes_[number];
    if (write.attribute == AttributeId::vnode_description) {
      facts(write).vports[compute_index(write)].described = true;
    } else {
      facts(write).silent = write.attribute == AttributeId::virtualization_info;
      fail(write, 0);
    }
  }

 private:
  virt::PortFacts& facts(const Write& write) {
    return devices_.vports[fabric_.ports[write.port].guid];
  }

  void fail(const Write& write, std::uint16_t status) {
    virt::PortFacts& port = facts(write);
    port.due = true;
    if (is_of_port(write)) return;
    virt::VPortFacts& vport = port.vports[compute_index(write)];
    vport.failure = {.attribute = write.attribute, .status = status};
    // VNodeInfo may have shown too many blocks, so it is read again, too.
    if (write.attribute == AttributeId::vport_p_key_table) vport.stale = true;
  }

  void settle(const Write& write, std::uint16_t status, std::span<const std::uint8_t, 64> data) {
    store(write, data);
    if (is_of_port(write)) {
      virt::PortFacts& port = facts(write);
      if (sets_ && port.is_enabled() != mad::VirtualizationInfo(write.data).virtualization_enable())
        port.due = true;
      return;
    }
    virt::VPortFacts& vport = facts(write).vports[compute_index(write)];
    if (sets_ && !is_taken(write, data))
      return fail(write, status == 0 ? mad::status::kInvalidValue : status);
    if (vport.failure && vport.failure->attribute == write.attribute) vport.failure.reset();
  }

  static bool is_taken(const Write& write, std::span<const std::uint8_t, 64> data) {
    if (write.attribute != AttributeId::vport_info) return std::ranges::equal(data, write.data);
    const mad::VPortInfo asked(write.data), answered(data);
    return (asked.vport_state() == mad::PortState::no_change ||
            answered.vport_state() == asked.vport_state()) &&
           (!answered.lid_required() || answered.vport_lid() == asked.vport_lid());
  }

  void store(const Write& write, std::span<const std::uint8_t, 64> data) {
    virt::PortFacts& port = facts(write);
    switch (write.attribute) {
      case AttributeId::virtualization_info:
        return store_info(port, mad::VirtualizationInfo(data));
      case AttributeId::vport_state:
        return store_states(port, write.modifier, mad::VPortState(data));
      default:
        return store_vport(port, write, data);
    }
  }

  /// Stores VirtualizationInfo. VPortStateChange is set and cleared in the device; here it says
  /// whether states must be read.
  void store_info(virt::PortFacts& port, mad::VirtualizationInfo info) {
    const bool was_enabled = port.is_enabled();
    port.silent = false;
    // An implausible response may differ next time, and a port that was enabled may still be so.
    if (!sets_ &&
        (info.virtualization_revision() != 0 || info.vport_index_top() > info.vport_cap() ||
         (was_enabled && !info.virtualization_enable())))
      port.due = true;
    if (sets_) {
      info.set_vport_state_change(false);
      port.reregister = false;
    }
    info.set_vclient_reregistration(false);  // set until clients have noticed
    if (port.info && port.info->vport_index_top() != info.vport_index_top())
      port.states_read = false;
    port.info = info;
    if (was_enabled == info.virtualization_enable()) return;
    port.vports.clear();
    port.states_read = false;
  }

  static void store_states(virt::PortFacts& port, unsigned block, const mad::VPortState& states) {
    const unsigned first = block * mad::VPortState::kEntries;
    const unsigned top = virt::index_top(*port.info);
    for (unsigned entry = 0; entry < mad::VPortState::kEntries && first + entry <= top; ++entry) {
      const auto [found, is_new] =
          port.vports.try_emplace(static_cast<std::uint16_t>(first + entry));
      virt::VPortFacts& vport = found->second;
      const mad::PortState shown = states.state(entry);
      virt::Reread what = virt::reread(vport.state, shown);
      if (!virt::is_vport_state(shown)) port.due = true;  // perhaps it says something else then
      if (is_new && shown != mad::PortState::down) what = virt::Reread::everything;
      const bool is_same = vport.state == shown;
      vport.state = shown;
      if (shown != mad::PortState::down) vport.exists = true;
      if (what == virt::Reread::nothing) continue;
      if (!is_same) vport.failure.reset();
      vport.stale = vport.stale || what == virt::Reread::info;
      if (what != virt::Reread::everything) continue;
      vport.info.reset();
      vport.described = false;
      vport.p_keys.clear();
    }
    port.vports.erase(port.vports.upper_bound(static_cast<std::uint16_t>(top)), port.vports.end());
    port.states_read = true;
  }

  static void store_vport(virt::PortFacts& port, const Write& write,
                          std::span<const std::uint8_t, 64> data) {
    virt::VPortFacts& vport = port.vports[compute_index(write)];
    if (write.attribute == AttributeId::vport_info) {
      vport.info = mad::VPortInfo(data);
      if (vport.info->vport_state() == mad::PortState::no_change)  // the prediction of a Set
        vport.info->set_vport_state(vport.state);
      vport.state = vport.info->vport_state();
      vport.stale = false;
    } else if (write.attribute == AttributeId::vnode_info) {
      vport.node_info = mad::VNodeInfo(data);
      const unsigned capacity = vport.node_info->partition_cap();
      if (capacity > virt::kPKeysMax) port.due = true;
      vport.p_keys.resize(capacity > virt::kPKeysMax ? 0 : mad::PKeyTable::blocks(capacity));
    } else if (write.attribute == AttributeId::vport_p_key_table) {
      const std::size_t block = write.modifier & 0xFFFFu;
      if (block < vport.p_keys.size()) vport.p_keys[block] = mad::PKeyTable(data);
    } else if (write.attribute == AttributeId::vnode_description) {
      vport.description = mad::VNodeDescription(data);
      vport.described = true;
    }
  }

  const Fabric& fabric_;
  DeviceState& devices_;
  const std::vector<Write> writes_;
  const bool sets_;
};

class VPortReadStages final : public Steps {
 public:
  VPortReadStages(const Fabric& fabric, DeviceState& devices, std::vector<PortIndex> ports,
                  bool describe)
      : Steps({once([this] { return stage(states()); }),
               once([this] { return stage(attributes()); }),
               once([this] { return stage(tables()); })}),
        fabric_(fabric),
        devices_(devices),
        ports_(std::move(ports)),
        describe_(describe) {}

 private:
  std::unique_ptr<Stage> stage(const std::vector<std::vector<Write>>& reads) {
    return std::make_unique<VPortStage>(StageKind::vport_settings, fabric_, devices_,
                                        interleaved(reads), false);
  }

  std::vector<std::vector<Write>> states() {
    std::vector<std::vector<Write>> reads;
    for (const PortIndex port : ports_) {
      const virt::PortFacts& facts = devices_.vports[fabric_.ports[port].guid];
      if (!facts.is_enabled() || facts.info->virtualization_revision() != 0) continue;
      std::vector<Write>& of_port = reads.emplace_back();
      for (unsigned block = 0; block <= virt::index_top(*facts.info) / mad::VPortState::kEntries;
           ++block)
        of_port.push_back(
            vport_read(AttributeId::vport_state, mad::VPortState::modifier(block), port));
    }
    return reads;
  }

  std::vector<std::vector<Write>> attributes() {
    std::vector<std::vector<Write>> reads;
    for (const PortIndex port : ports_) {
      std::vector<Write>& of_port = reads.emplace_back();
      for (const auto& [index, vport] : devices_.vports[fabric_.ports[port].guid].vports) {
        if (!vport.exists || vport.failure) continue;
        const bool is_down = vport.state == mad::PortState::down;
        const bool fresh = !vport.info || vport.stale;
        if (describe_ && index > 0 && !is_down && !vport.described)
          of_port.push_back(vport_read(AttributeId::vnode_description,
                                       mad::VNodeDescription::modifier(index), port));
        if (fresh)
          of_port.push_back(
              vport_read(AttributeId::vport_info, mad::VPortInfo::modifier(index), port));
        if (is_down || (!fresh && vport.node_info)) continue;
        of_port.push_back(
            vport_read(AttributeId::vnode_info, mad::VNodeInfo::modifier(index), port));
        fresh_.emplace(port, index);
      }
    }
    return reads;
  }

  std::vector<std::vector<Write>> tables() {
    std::vector<std::vector<Write>> reads;
    for (const PortIndex port : ports_) {
      std::vector<Write>& of_port = reads.emplace_back();
      for (const auto& [index, vport] : devices_.vports[fabric_.ports[port].guid].vports) {
        if (vport.state == mad::PortState::down || vport.failure) continue;
        const bool fresh = fresh_.contains({port, index});
        for (std::size_t block = 0; block < vport.p_keys.size(); ++block) {
          if (vport.p_keys[block] && !fresh) continue;
          of_port.push_back(vport_read(
              AttributeId::vport_p_key_table,
              mad::VPortPKeyTable::modifier(index, static_cast<std::uint16_t>(block)), port));
        }
      }
    }
    return reads;
  }

  const Fabric& fabric_;
  DeviceState& devices_;
  const std::vector<PortIndex> ports_;
  const bool describe_;
  std::set<std::pair<PortIndex, std::uint16_t>> fresh_;  // vports that are read as a whole
};

/// Collects the writes of every vport that is not held back, by port. `add`: (vport's number, its
/// facts, writes).
template <class Add>
std::vector<std::vector<Write>> of_vports(const Fabric& fabric, const virt::Facts& all,
                                          const VPortTargets& targets, Add add) {
  std::vector<std::vector<Write>> writes;
  PortIndex last = kNoIndex;
  for (std::size_t number = 0; number < targets.vports.size(); ++number) {
    const VPort& vport = targets.vports[number];
    const virt::VPortFacts* const facts = find_facts(all, fabric, vport);
    if (vport.hold != VPortHold::none || facts == nullptr || !facts->info || facts->failure)
      continue;
    if (vport.port != last) writes.emplace_back();
    last = vport.port;
    add(number, *facts, writes.back());
  }
  return writes;
}

class VPortWriteStages final : public Steps {
 public:
  VPortWriteStages(const Fabric& fabric, DeviceState& devices, const Target& target, bool activates)
      : Steps({once([this] {
                 return vport_writes(StageKind::vport_p_keys, fabric_, devices_,
                                     p_key_writes_of_vports(fabric_, devices_, targets_));
               }),
               once([this] {
                 return activates_ ? stage(StageKind::vport_settings, lids()) : nullptr;
               }),
               once([this] {
                 return activates_ ? stage(StageKind::vport_activation, activations()) : nullptr;
               })}),
        fabric_(fabric),
        devices_(devices),
        target_(target),
        targets_(*target.vports),
        activates_(activates) {}

 private:
  std::unique_ptr<Stage> stage(StageKind kind, const std::vector<std::vector<Write>>& writes) {
    return vport_writes(kind, fabric_, devices_, interleaved(writes));
  }

  std::vector<std::vector<Write>> lids() {
    return of_vports(
        fabric_, devices_.vports, targets_,
        [&](std::size_t number, const virt::VPortFacts& facts, std::vector<Write>& writes) {
          const VPort& vport = targets_.vports[number];
          if (!vport.has_own_lid || facts.info->vport_lid() == vport.lid) return;
          writes.push_back(info_write(vport, *facts.info, mad::PortState::no_change));
        });
  }

  std::vector<std::vector<Write>> activations() {
    VPortTargets ready = targets_;
    hold_unready(ready, fabric_, devices_, target_.current_lfts.get());
    return of_vports(
        fabric_, devices_.vports, ready,
        [&](std::size_t number, const virt::VPortFacts& facts, std::vector<Write>& writes) {
          if (facts.state != mad::PortState::init && facts.state != mad::PortState::armed) return;
          writes.push_back(info_write(ready.vports[number], *facts.info, mad::PortState::active));
        });
  }

  /// A vport has no capability bit for ClientReregister: that of the physical port counts.
  Write info_write(const VPort& vport, mad::VPortInfo info, mad::PortState state) {
    info.set_vport_state(state);
    info.set_client_reregister(state == mad::PortState::active &&
                               (fabric_.ports[vport.port].info.capability_mask() &
                                mad::capability::kClientReregistration) != 0);
    if (info.lid_required()) info.set_vport_lid(vport.lid);
    return make_write(info, mad::VPortInfo::modifier(vport.index), vport.port);
  }

  const Fabric& fabric_;
  DeviceState& devices_;
  const Target& target_;
  const VPortTargets& targets_;
  const bool activates_;
};

}  // namespace

VirtualizationSetting virtualization_setting(const config::Options& options) {
  if (options.virt_enabled == 2) return VirtualizationSetting::on;
  if (options.virt_enabled == 1) return VirtualizationSetting::off;
  return options.is_set("virt_enabled") ? VirtualizationSetting::ignore
                                        : VirtualizationSetting::read;
}

std::vector<PortIndex> ports_with_vports(const Fabric& fabric, const virt::Facts& facts) {
  std::vector<PortIndex> ports;
  for (const PortIndex index : fabric.end_ports) {
    const Port& port = fabric.ports[index];
    if (!virt::can_have_vports(port) || port.info.port_state() != mad::PortState::active ||
        fabric.owning_node(index).type != mad::NodeType::ca)
      continue;
    const auto owner = fabric.port_of_guid.find(port.guid);
    const auto of = facts.find(port.guid);
    if (owner != fabric.port_of_guid.end() && owner->second == index &&
        (of == facts.end() || !of->second.refuses))
      ports.push_back(index);
  }
  return ports;
}

std::vector<PortIndex> changed_ports_with_vports(const Fabric& fabric, const virt::Facts& facts,
                                                 std::span<const mad::Guid> read_again,
                                                 mad::TimePoint now) {
  const std::set<mad::Guid> nodes(read_again.begin(), read_again.end());
  std::vector<PortIndex> ports = ports_with_vports(fabric, facts);
  std::erase_if(ports, [&](PortIndex port) {
    const auto of = facts.find(fabric.ports[port].guid);
    if (of == facts.end() || nodes.contains(fabric.owning_node(port).guid)) return false;
    const virt::PortFacts& its = of->second;
    if (its.is_retry_due(now)) return false;
    if (its.due) return !its.is_enabled() || its.states_read;
    return its.info && !its.reregister && (its.states_read || !its.is_enabled());
  });
  return ports;
}

std::size_t count_switched_off(const Fabric& fabric, const virt::Facts& facts) {
  const std::vector<PortIndex> ports = ports_with_vports(fabric, facts);
  return static_cast<std::size_t>(std::ranges::count_if(ports, [&](PortIndex port) {
    const auto of = facts.find(fabric.ports[port].guid);
    return of == facts.end() || !of->second.is_enabled();
  }));
}

std::unique_ptr<Stage> virtualization_reads(const Fabric& fabric, DeviceState& devices,
                                            std::span<const PortIndex> ports) {
  std::vector<Write> reads;
  reads.reserve(ports.size());
  for (const PortIndex port : ports)
    reads.push_back(vport_read(AttributeId::virtualization_info, 0, port));
  return std::make_unique<VPortStage>(StageKind::virtualization, fabric, devices, std::move(reads),
                                      false);
}

std::vector<Write> virtualization_writes(const Fabric& fabric, const virt::Facts& facts,
                                         std::span<const PortIndex> ports,
                                         VirtualizationSetting setting) {
  std::vector<Write> writes;
  for (const PortIndex port : ports) {
    const auto of = facts.find(fabric.ports[port].guid);
    if (of == facts.end() || !of->second.info || of->second.info->virtualization_revision() != 0)
      continue;
    mad::VirtualizationInfo info = *of->second.info;
    const bool was = info.virtualization_enable();
    if (setting == VirtualizationSetting::on) info.set_virtualization_enable(true);
    if (setting == VirtualizationSetting::off) info.set_virtualization_enable(false);
    // A 1 probably clears the bit, as in SwitchInfo: the source says only "change since last
    // cleared".
    const bool reregister = of->second.reregister && was && info.virtualization_enable();
    info.set_vclient_reregistration(reregister);
    if (was == info.virtualization_enable() && !(was && info.vport_state_change()) && !reregister)
      continue;
    writes.push_back(make_write(info, 0, port));
  }
  return writes;
}

std::vector<Write> first_activations(const Fabric& fabric, const virt::Facts& facts,
                                     std::span<const PortIndex> ports) {
  std::vector<Write> writes;
  for (const PortIndex port : ports) {
    const auto of = facts.find(fabric.ports[port].guid);
    if (of == facts.end() || !of->second.is_enabled()) continue;
    mad::VPortInfo info;
    info.set_vport_state(mad::PortState::active);
    info.set_vport_lid(fabric.ports[port].info.lid());
    writes.push_back(make_write(info, mad::VPortInfo::modifier(0), port));
  }
  return writes;
}

std::unique_ptr<Stage> vport_writes(StageKind kind, const Fabric& fabric, DeviceState& devices,
                                    std::vector<Write> writes) {
  return std::make_unique<VPortStage>(kind, fabric, devices, std::move(writes), true);
}

bool reads_descriptions(const config::Options& options) {
  return options.enable_virt_rec_ext || !options.virt_dump_file.empty();
}

std::unique_ptr<StageSource> vport_reads(const Fabric& fabric, DeviceState& devices,
                                         std::vector<PortIndex> ports, bool describe) {
  return std::make_unique<VPortReadStages>(fabric, devices, std::move(ports), describe);
}

std::vector<Write> p_key_writes_of_vports(const Fabric& fabric, const DeviceState& devices,
                                          const VPortTargets& targets) {
  return interleaved(of_vports(
      fabric, devices.vports, targets,
      [&](std::size_t number, const virt::VPortFacts& facts, std::vector<Write>& writes) {
        const VPort& vport = targets.vports[number];
        const auto trial = devices.trials.find(virt::Model::of(fabric, vport.port));
        if (trial != devices.trials.end() && trial->second.p_keys == virt::Trial::State::failed)
          return;
        const std::vector<mad::PKeyTable>& table = targets.tables[number];
        for (std::size_t block = 0; block < table.size() && block < facts.p_keys.size(); ++block) {
          if (facts.p_keys[block] == table[block]) continue;
          writes.push_back(make_write(
              mad::VPortPKeyTable(table[block].bytes()),
              mad::VPortPKeyTable::modifier(vport.index, static_cast<std::uint16_t>(block)),
              vport.port));
        }
      }));
}

std::unique_ptr<Stage> p_key_reads_of_vports(const Fabric& fabric, DeviceState& devices,
                                             PortIndex port) {
  std::vector<Write> reads;
  for (const auto& [index, vport] : devices.vports[fabric.ports[port].guid].vports)
    for (std::size_t block = 0; block < vport.p_keys.size(); ++block)
      if (vport.p_keys[block])
        reads.push_back(vport_read(
            AttributeId::vport_p_key_table,
            mad::VPortPKeyTable::modifier(index, static_cast<std::uint16_t>(block)), port));
  return std::make_unique<VPortStage>(StageKind::vport_p_keys, fabric, devices, std::move(reads),
                                      false);
}

std::unique_ptr<StageSource> vport_stages(const Fabric& fabric, DeviceState& devices,
                                          const Target& target, bool activates) {
  return std::make_unique<VPortWriteStages>(fabric, devices, target, activates);
}

}  // namespace sm
