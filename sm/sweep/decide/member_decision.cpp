#include "sm/sweep/decide/member_decision.h"

#include <algorithm>
#include <iterator>

#include "partitions/membership.h"

namespace sm {
namespace {

/// A decision of everything costs the same for any number; above this one, it costs no more.
constexpr std::size_t kMembersMax = 512;

/// Finds what the changed GUIDs are in the subnet, and decides.
class MemberDecider {
 public:
  MemberDecider(const SweepContext& context, const Subnet& before, const DeviceState& devices,
                const partitions::KeptKeys* kept)
      : context_(context), before_(before), devices_(devices), kept_(kept) {}

  MemberDecision decide(const std::vector<mad::Guid>& guids) {
    find(guids);
    if (result_.is_for_all) return std::move(result_);
    PartitionMap map = partitions::updated_partition_map(
        before_.partitions, with_their_ports(), context_.partitioning, before_.fabric,
        context_.options, context_.runtime.get(), kept_);
    result_.partitions_differ =
        map.partitions != before_.partitions.partitions || map.groups != before_.partitions.groups;
    result_.is_empty = subjects_.empty() && !result_.partitions_differ;
    if (result_.is_empty) return std::move(result_);
    result_.decided = subjects_.size();
    decide_tables(map);
    if (result_.is_for_all) return std::move(result_);
    result_.next = before_;
    result_.next.partitions = std::move(map);
    result_.target.lids = result_.next.lids;
    result_.target.vports = std::make_shared<const VPortTargets>(std::move(vports_));
    publish_vport_keys();
    return std::move(result_);
  }

 private:
  /// Returns the subjects, and the physical ports of vports: if a port's table has no room for all
  /// its keys, all of them are decided together.
  std::vector<EndPortIndex> with_their_ports() const {
    std::vector<EndPortIndex> all = subjects_;
    const auto end_ports = before_.fabric.end_ports.size();
    for (const EndPortIndex subject : subjects_) {
      if (subject < end_ports || !before_.vports) continue;
      const VPortIndex vport = before_.vports->find(before_.partitions.vports[subject - end_ports]);
      if (vport != kNoIndex)
        all.push_back(before_.end_port_index[before_.vports->vports[vport].port]);
    }
    return all;
  }

  void find(const std::vector<mad::Guid>& guids) {
    const std::vector<mad::Guid>& known = before_.partitions.vports;
    std::unordered_map<mad::Guid, std::size_t> position;
    for (std::size_t i = 0; i < known.size(); ++i) position.emplace(known[i], i);
    const auto end_ports = before_.fabric.end_ports.size();
    for (const mad::Guid guid : guids) {
      const auto port = before_.fabric.port_of_guid.find(guid);
      if (port != before_.fabric.port_of_guid.end()) {
        const EndPortIndex subject = before_.end_port_index[port->second];
        if (subject != kNoIndex) subjects_.push_back(subject);
        continue;
      }
      const auto vport = position.find(guid);
      if (vport == position.end()) {
        // A vport that is held back may be served with other keys.
        if (is_held_vport(guid)) result_.is_for_all = true;
        continue;
      }
      subjects_.push_back(EndPortIndex(end_ports + vport->second));
    }
    std::ranges::sort(subjects_);
    const auto same = std::ranges::unique(subjects_);
    subjects_.erase(same.begin(), same.end());
    result_.is_for_all = result_.is_for_all || subjects_.size() > kMembersMax;
  }

  bool is_held_vport(mad::Guid guid) const {
    return before_.vports && std::ranges::any_of(before_.vports->vports, [&](const VPort& vport) {
             return vport.guid == guid && vport.index > 0;
           });
  }

  void decide_tables(PartitionMap& map) {
    const Fabric& fabric = before_.fabric;
    const auto end_ports = fabric.end_ports.size();
    std::vector<EndPortIndex> physical;
    std::unordered_map<std::uint32_t, EndPortIndex> changed_vports;  // VPortIndex: subject
    for (const EndPortIndex subject : subjects_) {
      if (subject < end_ports) {
        physical.push_back(subject);
        continue;
      }
      const mad::Guid guid = map.vports[subject - end_ports];
      const VPortIndex vport = before_.vports ? before_.vports->find(guid) : VPortIndex(kNoIndex);
      if (vport == kNoIndex) return void(result_.is_for_all = true);
      const PortIndex port = before_.vports->vports[vport].port;
      const auto trial = devices_.trials.find(virt::Model::of(fabric, port));
      if (trial == devices_.trials.end() || trial->second.p_keys == virt::Trial::State::untried)
        return void(result_.is_for_all = true);
      changed_vports.emplace(vport, subject);
      physical.push_back(before_.end_port_index[port]);
    }
    std::ranges::sort(physical);
    const auto same = std::ranges::unique(physical);
    physical.erase(same.begin(), same.end());

    partitions::VPortKeys behind;
    for (const EndPortIndex subject : physical) {
      const PortIndex port = fabric.end_ports[subject];
      result_.ports.push_back(fabric.ports[port].guid);
      if (!before_.vports || before_.vports->at(port) == nullptr) continue;
      const std::uint32_t first = before_.vports->at(port)->first;
      const std::uint32_t count = before_.vports->at(port)->count;
      for (std::uint32_t number = first; number < first + count; ++number) {
        if (before_.vports->vports[VPortIndex(number)].index == 0) continue;
        const auto changed = changed_vports.find(number);
        const auto keys = changed == changed_vports.end()
                              ? before_.vports->get_keys(VPortIndex(number))
                              : map.get_keys(changed->second);
        partitions::add_vport_keys(behind, port, before_.vports->vports[VPortIndex(number)].guid,
                                   keys, context_.runtime.get());
      }
    }
    result_.target.p_keys = partitions::updated_p_key_targets(fabric, map, context_.options, behind,
                                                              physical, context_.runtime.get());
    map = partitions::without_left_out(std::move(map), result_.target.p_keys);
    for (const EndPortIndex subject : physical) add_index_0(map, subject);
    for (const auto& [vport, subject] : changed_vports) {
      add_vport(map, VPortIndex(vport), subject);
      keys_of_vport_[vport] = subject;
    }
  }

  /// Adds the table of index 0, which is written beside the table of the port.
  void add_index_0(const PartitionMap& map, EndPortIndex subject) {
    const PortIndex port = before_.fabric.end_ports[subject];
    if (!before_.vports || before_.vports->vports_of(port).empty()) return;
    const VPort& vport = before_.vports->vports_of(port).front();
    if (vport.index != 0) return;
    keys_of_vport_[before_.vports->at(port)->first] = subject;
    const virt::VPortFacts* const facts = find_facts(devices_.vports, before_.fabric, vport);
    if (facts == nullptr || !facts->node_info) return;
    const Port& of = before_.fabric.ports[port];
    std::vector<mad::PKeyTable> table = held_table(*facts);
    const std::size_t blocks = std::min<std::size_t>(table.size(), of.p_key_blocks);
    std::ranges::copy(result_.target.p_keys.blocks.slice(of.first_p_key_block, blocks),
                      table.begin());
    if (blocks > 0) add(map, vport, subject, std::move(table));
  }

  void add_vport(const PartitionMap& map, VPortIndex index, EndPortIndex subject) {
    const VPort& vport = before_.vports->vports[index];
    const virt::VPortFacts* const facts = find_facts(devices_.vports, before_.fabric, vport);
    if (facts == nullptr || !facts->node_info) return void(result_.is_for_all = true);
    partitions::VPortPKeys filled = partitions::vport_p_keys(
        held_table(*facts), facts->node_info->partition_cap(), map.get_keys(subject),
        map.first_keys[subject], partitions::Preference::held_keys, context_.options);
    if (!filled.left_out.empty()) return void(result_.is_for_all = true);  // which says so
    add(map, vport, subject, std::move(filled.table));
  }

  static std::vector<mad::PKeyTable> held_table(const virt::VPortFacts& facts) {
    std::vector<mad::PKeyTable> held;
    held.reserve(facts.p_keys.size());
    for (const auto& block : facts.p_keys) held.push_back(block.value_or(mad::PKeyTable{}));
    return held;
  }

  void add(const PartitionMap& map, const VPort& vport, EndPortIndex subject,
           std::vector<mad::PKeyTable> table) {
    const auto keys = map.get_keys(subject);
    vports_.vports.push_back(vport);
    vports_.keys.emplace_back(keys.begin(), keys.end());
    vports_.tables.push_back(std::move(table));
  }

  void publish_vport_keys() {
    if (keys_of_vport_.empty()) return;
    auto changed = std::make_shared<VPorts>(*before_.vports);
    changed->keys.clear();
    for (const VPortIndex index : changed->vports.indices()) {
      VPort& vport = changed->vports[index];
      const auto decided = keys_of_vport_.find(index);
      const auto keys = decided == keys_of_vport_.end()
                            ? before_.vports->get_keys(index)
                            : result_.next.partitions.get_keys(decided->second);
      vport.first_key = static_cast<std::uint32_t>(changed->keys.size());
      vport.key_count = static_cast<std::uint32_t>(keys.size());
      changed->keys.insert(changed->keys.end(), keys.begin(), keys.end());
    }
    result_.next.vports = std::move(changed);
  }

  MemberDecision result_;
  VPortTargets vports_;
  const SweepContext& context_;
  const Subnet& before_;
  const DeviceState& devices_;
  const partitions::KeptKeys* const kept_;  // may be null
  std::vector<EndPortIndex> subjects_;
  std::unordered_map<std::uint32_t, EndPortIndex> keys_of_vport_;  // by VPortIndex
};

}  // namespace

MemberDecision decide_members(const SweepContext& context, const Subnet& before,
                              const DeviceState& devices, const std::vector<mad::Guid>& guids,
                              const partitions::KeptKeys* kept) {
  return MemberDecider(context, before, devices, kept).decide(guids);
}

}  // namespace sm
