// Sweeper: memberships in partitions of the API changed, and nothing else did.

#include <algorithm>
#include <iterator>
#include <set>
#include <unordered_map>

#include "mad/format.h"
#include "partitions/membership.h"
#include "sm/sweep/busy.h"
#include "sm/sweep/named_guids.h"
#include "sm/sweep/sweeper.h"
#include "sm/sweep/vport_stages.h"

namespace sm {
namespace asio = boost::asio;

namespace {

/// More are no fewer writes than a decision of everything, which costs the same for any number.
constexpr std::size_t kMembersMax = 512;

/// What the changed GUIDs are in the subnet, and what is decided for them.
class MemberDecision {
 public:
  MemberDecision(const SweepContext& context, const Subnet& before, const Held& held)
      : context_(context), before_(before), held_(held) {}

  Subnet next, draft;
  Target target;
  VPortTargets vports;           // those that changed, and index 0 of ports that did
  std::vector<mad::Guid> ports;  // physical ports that were decided
  std::size_t decided = 0;
  bool is_for_all = false;  // one of them needs a decision of everything
  bool nothing = false;     // nothing of it is in the fabric
  bool partitions_differ = false;

  void decide(const Sweeper::MemberChanges& changes) {
    find(changes.guids);
    if (is_for_all) return;
    PartitionMap map = partitions::updated_partition_map(before_.partitions, with_their_ports(),
                                                         context_.partitioning, before_.fabric,
                                                         context_.options, context_.runtime.get());
    partitions_differ =
        map.partitions != before_.partitions.partitions || map.groups != before_.partitions.groups;
    nothing = subjects_.empty() && !partitions_differ;
    if (nothing) return;
    decided = subjects_.size();
    decide_tables(map);
    if (is_for_all) return;
    next = before_;
    next.partitions = std::move(map);
    target.lids = next.lids;
    publish_vport_keys();
    draft = next;
  }

 private:
  /// The subjects, and the physical ports of vports: a port whose table has no room for all its
  /// keys is decided with all of them.
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
        // One that is held back may be served with other keys.
        if (is_held_vport(guid)) is_for_all = true;
        continue;
      }
      subjects_.push_back(EndPortIndex(end_ports + vport->second));
    }
    std::ranges::sort(subjects_);
    const auto same = std::ranges::unique(subjects_);
    subjects_.erase(same.begin(), same.end());
    is_for_all = is_for_all || subjects_.size() > kMembersMax;
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
      if (vport == kNoIndex) return void(is_for_all = true);
      const PortIndex port = before_.vports->vports[vport].port;
      const auto trial = held_.trials.find(virt::Model::of(fabric, port));
      if (trial == held_.trials.end() || trial->second.p_keys == virt::Trial::State::untried)
        return void(is_for_all = true);
      changed_vports.emplace(vport, subject);
      physical.push_back(before_.end_port_index[port]);
    }
    std::ranges::sort(physical);
    const auto same = std::ranges::unique(physical);
    physical.erase(same.begin(), same.end());

    partitions::VPortKeys behind;
    for (const EndPortIndex subject : physical) {
      const PortIndex port = fabric.end_ports[subject];
      ports.push_back(fabric.ports[port].guid);
      if (!before_.vports || before_.vports->at(port) == nullptr) continue;
      const std::uint32_t first = before_.vports->at(port)->first;
      const std::uint32_t count = before_.vports->at(port)->count;
      std::vector<mad::PKey>& of_port = behind[port];
      for (std::uint32_t number = first; number < first + count; ++number) {
        if (before_.vports->vports[VPortIndex(number)].index == 0) continue;
        const auto changed = changed_vports.find(number);
        const auto keys = changed == changed_vports.end()
                              ? before_.vports->keys_of(VPortIndex(number))
                              : map.keys_of(changed->second);
        of_port.insert(of_port.end(), keys.begin(), keys.end());
      }
    }
    target.p_keys =
        partitions::updated_p_key_targets(fabric, map, context_.options, behind, physical);
    map = partitions::without_left_out(std::move(map), target.p_keys);
    for (const EndPortIndex subject : physical) add_index_0(map, subject);
    for (const auto& [vport, subject] : changed_vports) {
      add_vport(map, VPortIndex(vport), subject);
      keys_of_vport_[vport] = subject;
    }
  }

  /// Its table is written beside the port's.
  void add_index_0(const PartitionMap& map, EndPortIndex subject) {
    const PortIndex port = before_.fabric.end_ports[subject];
    if (!before_.vports || before_.vports->vports_of(port).empty()) return;
    const VPort& vport = before_.vports->vports_of(port).front();
    if (vport.index != 0) return;
    keys_of_vport_[before_.vports->at(port)->first] = subject;
    const virt::VPortFacts* const facts = facts_of(held_.vports, before_.fabric, vport);
    if (facts == nullptr || !facts->node_info) return;
    const Port& of = before_.fabric.ports[port];
    std::vector<mad::PKeyTable> table = held_table(*facts);
    const std::size_t blocks = std::min<std::size_t>(table.size(), of.p_key_blocks);
    std::ranges::copy(target.p_keys.blocks.slice(of.first_p_key_block, blocks), table.begin());
    if (blocks > 0) add(map, vport, subject, std::move(table));
  }

  void add_vport(const PartitionMap& map, VPortIndex index, EndPortIndex subject) {
    const VPort& vport = before_.vports->vports[index];
    const virt::VPortFacts* const facts = facts_of(held_.vports, before_.fabric, vport);
    if (facts == nullptr || !facts->node_info) return void(is_for_all = true);
    partitions::VPortPKeys filled = partitions::vport_p_keys(
        held_table(*facts), facts->node_info->partition_cap(), map.keys_of(subject),
        map.first_keys[subject], partitions::Preference::held_keys, context_.options);
    if (!filled.left_out.empty()) return void(is_for_all = true);  // which says so
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
    const auto keys = map.keys_of(subject);
    vports.vports.push_back(vport);
    vports.keys.emplace_back(keys.begin(), keys.end());
    vports.tables.push_back(std::move(table));
  }

  void publish_vport_keys() {
    if (keys_of_vport_.empty()) return;
    auto changed = std::make_shared<VPorts>(*before_.vports);
    changed->keys.clear();
    for (const VPortIndex index : changed->vports.indices()) {
      VPort& vport = changed->vports[index];
      const auto anew = keys_of_vport_.find(index);
      const auto keys = anew == keys_of_vport_.end() ? before_.vports->keys_of(index)
                                                     : next.partitions.keys_of(anew->second);
      vport.first_key = static_cast<std::uint32_t>(changed->keys.size());
      vport.key_count = static_cast<std::uint32_t>(keys.size());
      changed->keys.insert(changed->keys.end(), keys.begin(), keys.end());
    }
    next.vports = std::move(changed);
  }

  const SweepContext& context_;
  const Subnet& before_;
  const Held& held_;
  std::vector<EndPortIndex> subjects_;
  std::unordered_map<std::uint32_t, EndPortIndex> keys_of_vport_;  // by VPortIndex
};

}  // namespace

/// `now`: conditions of these GUIDs, whose memberships have changed.
void Sweeper::update_misplaced_members(const std::vector<mad::Guid>& guids,
                                       std::vector<Condition> now) {
  if (member_guids_.empty() && now.empty()) return;
  const std::set<mad::Guid> changed(guids.begin(), guids.end());
  const std::size_t gone = std::erase_if(
      member_guids_, [&](const Condition& condition) { return changed.contains(condition.guid); });
  if (gone == 0 && now.empty()) return;
  std::ranges::move(now, std::back_inserter(member_guids_));
  conditions_.stand(ConditionSource::named_members, member_guids_);
}

asio::awaitable<Sweeper::MembersEnd> Sweeper::program_members(SharedContext context,
                                                              MemberChanges changes,
                                                              std::function<void()> acknowledged) {
  MembersEnd end;
  const std::shared_ptr<const Subnet> before = subnet_;
  MemberDecision decision(*context, *before, held_);
  std::vector<Condition> misplaced;
  const std::function<void()> decide = [&] {
    decision.decide(changes);
    misplaced = misplaced_members(context->runtime, before->fabric, &changes.guids);
  };
  {
    const Busy busy(programming_);
    client_.forget_silence();
    co_await compute(decide);
  }
  update_misplaced_members(changes.guids, std::move(misplaced));
  if (decision.is_for_all) {
    const SweepResult result = co_await program_p_keys(std::move(context));
    end = {.end = result.end, .changed = true, .ports = changes.guids.size()};
    if (end.end == SweepEnd::subnet_up && acknowledged) acknowledged();
    co_return end;
  }
  if (decision.nothing) {
    if (acknowledged) acknowledged();
    co_return end;
  }
  const Busy busy(programming_);
  std::erase_if(p_key_conditions_, [&](const Condition& condition) {
    return std::ranges::find(decision.ports, condition.guid) != decision.ports.end();
  });
  std::ranges::copy(decision.target.p_keys.conditions, std::back_inserter(p_key_conditions_));
  conditions_.stand(ConditionSource::partitions, p_key_conditions_);
  Subnet& next = decision.next;
  if (decision.partitions_differ && prepare_) prepare_(next, *context);
  // Before a port can use a key, its clients' requests are answered with it.
  if (ready_) ready_(snapshot(std::move(decision.draft)), context);
  std::size_t failed = 0;
  if (decision.decided > 0) {
    const ApplyReport applied =
        co_await apply_and_log(*context, next.fabric, decision.target, PlanScope::p_keys);
    failed = applied.failed;
    const std::unique_ptr<Stage> tables =
        vport_writes(StageKind::vport_p_keys, next.fabric, held_,
                     p_key_writes_of_vports(next.fabric, held_, decision.vports));
    ApplyReport report;
    if (tables->size() > 0)
      co_await send(client_, apply_options(), next.fabric, mad::Method::set, *tables, report);
    for (const std::string& problem : report.problems) log_.error("{}", problem);
    // What a vport did not take is tried again with all that it needs.
    for (const VPort& vport : decision.vports.vports)
      if (report.failed > 0) held_.vports[next.fabric.ports[vport.port].guid].due = true;
    failed += report.failed;
  }
  end = {.end = failed == 0 ? SweepEnd::subnet_up : SweepEnd::errors,
         .changed = true,
         .ports = decision.decided};
  if (failed == 0 && acknowledged) acknowledged();
  publish(std::move(next));
  co_return end;
}

}  // namespace sm
