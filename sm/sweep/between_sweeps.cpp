// Sweeper: what needs no sweep.

#include <algorithm>

#include "mad/format.h"
#include "routing/qos/vl_targets.h"
#include "sm/sweep/adoption_price.h"
#include "sm/sweep/audit_batch.h"
#include "sm/sweep/busy.h"
#include "sm/sweep/multicast_stages.h"
#include "sm/sweep/named_guids.h"
#include "sm/sweep/port_disabling.h"
#include "sm/sweep/sweeper.h"
#include "sm/sweep/vl_stages.h"
#include "virt/vport_lids.h"

namespace sm {
namespace asio = boost::asio;

asio::awaitable<void> Sweeper::price_adoption(SharedContext context) {
  const Busy busy(programming_);
  const std::shared_ptr<const Subnet> subnet = subnet_;
  std::vector<Condition> standing;
  if (const auto state = routing_.state; state && (state->adopted || state->gained)) {
    std::optional<RoutingPrice> price;
    const std::function<void()> compare = [&] {
      price = routing_price(*context, *subnet, kept_, *state);
    };
    co_await compute(compare);
    if (state->adopted) {
      if (price) standing.push_back(price_of_adoption(*price, *subnet));
      if (!price) routing_.state = without_adoption(*routing_.state);
      if (price && price->unused > price->unused_anew)
        routing_.state = with_unused_channels(*routing_.state);
    }
    if (has_gained()) {
      auto unbalanced = price ? imbalance(*price, context->options, state->adopted) : std::nullopt;
      if (unbalanced) standing.push_back(std::move(*unbalanced));
      if (standing.empty() || standing.back().id != ConditionId::routing_unbalanced)
        routing_.state = balanced(*routing_.state);
    }
  }
  conditions_.stand(ConditionSource::adoption, std::move(standing));
}

asio::awaitable<std::optional<RoutingPrice>> Sweeper::price_routing(SharedContext context) {
  const Busy busy(programming_);
  const std::shared_ptr<const Subnet> subnet = subnet_;
  const std::shared_ptr<const routing::RoutingState> state = routing_.state;
  std::optional<RoutingPrice> price;
  if (!subnet || !subnet->lfts || !subnet->routing || !state) co_return price;
  const std::function<void()> compare = [&] {
    price = routing_price(*context, *subnet, kept_, *state);
  };
  co_await compute(compare);
  co_return price;
}

asio::awaitable<SweepResult> Sweeper::program_p_keys(SharedContext context) {
  const Busy busy(programming_);
  client_.forget_silence();
  const std::shared_ptr<const Subnet> before = subnet_;
  const mad::TimePoint now = client_.now();
  Subnet next;
  Target target;
  VPortDecision vports;
  std::vector<Condition> misplaced, members;
  const std::vector<mad::Guid> m_key_ports = stored_m_key_ports();
  const std::function<void()> decide_again = [&] {
    next = *before;
    target.lids = next.lids;
    held_.follow_rejections(next.fabric, now);
    for (auto& [guid, port] : held_.vports) port.forget_failures();  // of other keys than these
    vports = decide_vports(*context, next.fabric, virt::physical_only(next.lids, next.fabric),
                           stored_.guid2lid());
    misplaced = misplaced_guids(*context, next.fabric, m_key_ports);
    members = misplaced_members(context->runtime, next.fabric);
  };
  co_await compute(decide_again);
  report_misplaced(std::move(misplaced), std::move(members));
  target.p_keys = std::move(vports.partitions.p_keys);
  p_key_conditions_ = target.p_keys.conditions;
  conditions_.stand(ConditionSource::partitions, p_key_conditions_);
  next.partitions = std::move(vports.partitions.map);
  if (prepare_) prepare_(next, *context);
  BeforeStage before_ports = [&]() -> asio::awaitable<void> {
    if (!ready_) co_return;
    std::shared_ptr<const Subnet> draft;
    const std::function<void()> copy = [&] { draft = snapshot(next); };
    co_await compute(copy);
    ready_(std::move(draft), context);
  };
  const ApplyReport applied = co_await apply_and_log(*context, next.fabric, target,
                                                     PlanScope::p_keys, std::move(before_ports));
  publish(std::move(next));
  co_await run_vports(context, {});
  co_return SweepResult{.end = applied.failed == 0 ? SweepEnd::subnet_up : SweepEnd::errors,
                        .unread = {},
                        .read = {},
                        .lost = {}};
}

asio::awaitable<SweepResult> Sweeper::program_vl_tables(SharedContext context) {
  const Busy busy(programming_);
  client_.forget_silence();
  Subnet next = *subnet_;
  Target target;
  target.routing = next.routing;
  Findings findings;
  check_vl_settings(*context, next.fabric, *next.routing, findings);
  for (auto& [source, standing] : findings) conditions_.stand(source, std::move(standing));
  if (routing::VlTargets::any(context->options, *next.routing))
    co_await read_back(vl_reads(next.fabric, held_, context->options, *next.routing), next.fabric);
  const ApplyReport applied =
      co_await apply_and_log(*context, next.fabric, target, PlanScope::vl_tables);
  publish_vl_tables(*context, next);
  publish(std::move(next));
  co_return SweepResult{.end = applied.failed == 0 ? SweepEnd::subnet_up : SweepEnd::errors,
                        .unread = {},
                        .read = {},
                        .lost = {}};
}

asio::awaitable<std::vector<mad::Guid>> Sweeper::read_single(SingleReads reads) {
  const Busy busy(programming_);
  const std::shared_ptr<const Subnet> before = subnet_;
  SingleAnswers answers = co_await sm::read_single(client_, before->fabric, reads);
  const bool managers_changed = std::ranges::any_of(answers.managers, [&](const OtherSm& sm) {
    const auto known = std::ranges::find(before->sms, sm.port, &OtherSm::port);
    return known == before->sms.end() || known->info.sm_state() != sm.info.sm_state() ||
           known->info.priority() != sm.info.priority() || known->info.guid() != sm.info.guid();
  });
  if (answers.descriptions.empty() && !managers_changed) co_return answers.changed;
  Subnet next = *before;
  for (const auto& [node, description] : answers.descriptions) {
    log_.info("NodeDescription changed: {} is \"{}\" now", before->fabric.name(node),
              description.text());
    next.fabric.nodes[node].description = description;
  }
  for (const OtherSm& sm : answers.managers) {
    const auto known = std::ranges::find(next.sms, sm.port, &OtherSm::port);
    if (known == next.sms.end()) {
      next.sms.push_back(sm);
    } else {
      *known = sm;
    }
  }
  publish(std::move(next));
  co_return answers.changed;
}

asio::awaitable<bool> Sweeper::disable_port(mad::Guid node, mad::PortNum number) {
  const Busy busy(programming_);
  const std::shared_ptr<const Subnet> subnet = subnet_;
  const std::optional<PortIndex> port = port_to_disable(subnet->fabric, node, number);
  if (!port) co_return true;
  const Disabling end = co_await sm::disable_port(client_, subnet->fabric, *port);
  if (end != Disabling::done) {
    log_.warn("port with too many link errors: {}: {}; it is not disabled, and read again",
              subnet->fabric.port_name(*port),
              end == Disabling::elsewhere      ? "another node is there or behind it now"
              : end == Disabling::not_accepted ? "it does not accept PortState Down"
                                               : "its node does not answer");
    co_return false;
  }
  Subnet next = *subnet;
  next.fabric.ports[*port].info.set_port_physical_state(mad::PortPhysicalState::disabled);
  held_.disabled.note(next.fabric.node_of(*port).guid, next.fabric.ports[*port].number);
  stand_port_settings(next.fabric);
  publish(std::move(next));
  co_return true;
}

asio::awaitable<MulticastEnd> Sweeper::program_multicast(SharedContext context) {
  MulticastEnd end;
  end.again = *programming_;
  if (*programming_ || !has_multicast(*context) || !subnet_ || !router_) co_return end;
  const Busy busy(programming_);
  client_.forget_silence();
  const std::shared_ptr<const Subnet> before = subnet_;
  std::vector<routing::MulticastGroup> groups = co_await groups_to_route(before);
  std::optional<std::vector<Condition>> loops;
  Subnet next;
  Target target;
  const std::function<void()> route = [&] {
    end.groups_changed = route_changed(std::move(groups));
    if (end.groups_changed == 0 && !multicast_behind_) return;
    if (multicast_loops_ && before->lfts)
      loops = multicast_loops(*before, *before->lfts, *router_, routed_);
    next = *before;
    target.mfts = std::make_shared<const MulticastTables>(router_->tables());
  };
  co_await compute(route);
  conditions_.stand(ConditionSource::multicast_groups, conditions_of(limits_, before->fabric));
  // One that arises is found by the next sweep: to follow all paths at each change costs too much.
  if (loops) {
    multicast_loops_ = !loops->empty();
    conditions_.stand(ConditionSource::multicast_vls, std::move(*loops));
  }
  if (!target.mfts) co_return end;
  held_.mfts.want(target.mfts);
  co_await read_multicast(*context, next.fabric, *target.mfts);
  if (routing::VlTargets::any(context->options, *next.routing)) {
    held_.pairs.add_multicast(next.fabric, target.mfts, &held_.mfts.held().tables);
    target.newly_used = held_.pairs.take_grown();
  }
  if (!target.newly_used.empty()) {
    target.routing = next.routing;
    co_await read_back(
        vl_reads(next.fabric, held_, context->options, *next.routing, &target.newly_used),
        next.fabric);
  }
  const ApplyReport applied =
      co_await apply_and_log(*context, next.fabric, target, PlanScope::multicast);
  if (target.routing) publish_vl_tables(*context, next);
  end.writes = applied.writes;
  end.lost.assign(applied.restarted.begin(), applied.restarted.end());
  end.again = multicast_behind_;
  next.mfts = std::move(target.mfts);
  subnet_ = snapshot(std::move(next));
  co_return end;
}

/// Without an audit, which would read them later, units that do not matter now are read, too.
asio::awaitable<void> Sweeper::read_multicast(const SweepContext& context, const Fabric& fabric,
                                              const MulticastTables& wanted) {
  held_.mfts.held().grow(wanted.blocks());
  if (context.options.audit_interval == 0)
    co_return co_await read_back(multicast_reads(fabric, held_.mfts), fabric);
  co_await read_back(multicast_reads(fabric, held_.mfts, wanted, context.options.use_mfttop),
                     fabric);
}

asio::awaitable<AuditStep> Sweeper::audit(unsigned count) {
  AuditStep step;
  const std::shared_ptr<const Subnet> subnet = subnet_;
  if (!subnet) co_return step;
  std::vector<AuditItem> items;
  while (items.size() < count && !step.pass_is_over) {
    if (const std::optional<AuditItem> item = audit_.next(subnet, held_))
      items.push_back(*item);
    else
      step.pass_is_over = true;
  }
  if (step.pass_is_over) held_.reread_vport_states();  // by the next light sweep
  if (items.empty()) co_return step;
  const NodeIndex current = subnet->fabric.ports[items.back().port].node;
  const std::vector<AuditAnswer> answers =
      co_await read_audit_items(client_, subnet, std::move(items));
  bool unmasked = false;
  for (const auto& [item, answer] : answers) {
    const NodeIndex node = subnet->fabric.ports[item.port].node;
    const mad::Guid guid = subnet->fabric.nodes[node].guid;
    // The light sweep looks after nodes that do not answer.
    const bool is_silent = !answer.ok() && answer.fault != mad::SmpFault::bad_status;
    if (is_silent && node == current) audit_.skip_node();
    if (!answer.ok() || std::ranges::find(step.differing, guid) != step.differing.end()) continue;
    if (learn_multicast(*subnet, item, answer.data)) step.groups = true;
    if (is_as_believed(*subnet, held_, item, answer.data)) {
      unmasked = note_right_table(*subnet, item, answer.data) || unmasked;
      continue;
    }
    note_difference(*subnet, item, answer.data, step);
    if (node == current) audit_.skip_node();
  }
  if (unmasked) stand_port_settings(subnet->fabric);
  co_return step;
}

/// True if the switch had shown something else in this block.
bool Sweeper::note_right_table(const Subnet& subnet, const AuditItem& item,
                               std::span<const std::uint8_t, 64> data) {
  if (item.attribute != mad::AttributeId::linear_forwarding_table) return false;
  const Node& node = subnet.fabric.node_of(item.port);
  return held_.lfts.holds(node.switch_index, item.part, data) &&
         held_.masked_lfts.note_right(node.guid, item.part);
}

void Sweeper::note_difference(const Subnet& subnet, const AuditItem& item,
                              std::span<const std::uint8_t, 64> data, AuditStep& step) {
  const Fabric& fabric = subnet.fabric;
  const NodeIndex node = fabric.ports[item.port].node;
  const mad::Guid guid = fabric.nodes[node].guid;
  conditions_.occurred(
      {.id = ConditionId::audit_difference,
       .text = fmt::format(
           "{} does not hold what was written or read before: {}; it is read again and mended",
           fabric.name(node), describe(subnet, item, data)),
       .guid = guid});
  held_.forget_all_of(fabric, node);
  step.differing.push_back(guid);
  // A link that trained again has two ends.
  if (item.attribute == mad::AttributeId::port_info && fabric.ports[item.about].peer != kNoIndex)
    step.differing.push_back(fabric.node_of(fabric.ports[item.about].peer).guid);
  step.everything = step.everything || item.attribute == mad::AttributeId::node_info;
}

/// The item is a unit of which nothing was known. Returns true if it has entries that are not
/// wanted.
bool Sweeper::learn_multicast(const Subnet& subnet, const AuditItem& item,
                              std::span<const std::uint8_t, 64> data) {
  if (item.attribute != mad::AttributeId::multicast_forwarding_table) return false;
  const SwitchIndex sw = subnet.fabric.node_of(item.port).switch_index;
  const MftUnit unit{sw, item.part, item.position};
  routing::HeldMulticast& held = held_.mfts.held();
  if (held.of(unit) != routing::MftKnowledge::unknown) return false;
  held.learn(unit, data);
  const MulticastTables& wanted = held_.mfts.start();
  const bool is_wanted =
      unit.block < wanted.blocks() && std::ranges::equal(wanted.bytes(unit), data);
  const bool is_empty = std::ranges::all_of(data, [](std::uint8_t byte) { return byte == 0; });
  if (is_wanted || (is_empty && unit.block >= wanted.blocks())) return false;
  multicast_behind_ = true;
  return true;
}

void Sweeper::set_groups(GroupSupplier groups) {
  groups_ = [all = std::move(groups)](const Subnet& subnet, mad::Mlid,
                                      std::vector<routing::MulticastGroup>& into) {
    into = all(subnet);
    return std::optional<mad::Mlid>();
  };
}

/// By MLID, each once.
asio::awaitable<std::vector<routing::MulticastGroup>> Sweeper::all_groups(const Subnet& subnet) {
  std::vector<routing::MulticastGroup> groups;
  std::optional<mad::Mlid> next = mad::Mlid{};
  while (next) {
    next = groups_(subnet, *next, groups);
    const mad::Duration no_time{};
    if (next && pause_) co_await pause_(no_time);
  }
  co_return routing::joined_by_mlid(std::move(groups));
}

/// All that may not be as in routed_, by MLID; one without members where there is none any more.
asio::awaitable<std::vector<routing::MulticastGroup>> Sweeper::groups_to_route(
    std::shared_ptr<const Subnet> subnet) {
  if (changed_groups_ && !all_groups_due_) co_return changed_groups_(*subnet);
  std::vector<routing::MulticastGroup> groups = co_await all_groups(*subnet);
  const std::size_t present = groups.size();
  for (const routing::MulticastGroup& known : routed_) {
    const auto end = groups.begin() + static_cast<std::ptrdiff_t>(present);
    const auto at = std::ranges::lower_bound(groups.begin(), end, known.mlid, {},
                                             &routing::MulticastGroup::mlid);
    if (at != end && at->mlid == known.mlid) continue;
    groups.push_back({.mlid = known.mlid, .receivers = {}, .senders = {}});
  }
  co_return groups;
}

/// Routes those of the groups that are not as they were. Returns how many. Cost: by these groups.
std::size_t Sweeper::route_changed(std::vector<routing::MulticastGroup> groups) {
  std::size_t changed = 0;
  for (routing::MulticastGroup& group : groups) {
    const auto at =
        std::ranges::lower_bound(routed_, group.mlid, {}, &routing::MulticastGroup::mlid);
    const bool known = at != routed_.end() && at->mlid == group.mlid;
    const bool is_empty = group.receivers.empty() && group.senders.empty();
    if (is_empty ? !known : known && *at == group) continue;
    ++changed;
    std::erase_if(limits_, [&](const auto& limit) { return limit.mlid == group.mlid; });
    if (is_empty) {
      router_->clear(group.mlid);
      routed_.erase(at);
      continue;
    }
    router_->route(group, limits_);
    if (known)
      *at = std::move(group);
    else
      routed_.insert(at, std::move(group));
  }
  all_groups_due_ = false;
  return changed;
}

}  // namespace sm
