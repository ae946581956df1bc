// Sweeper: vports, at the end of a sweep and between sweeps.

#include <algorithm>
#include <set>

#include "mad/format.h"
#include "sm/dumps/dumps.h"
#include "sm/sweep/apply.h"
#include "sm/sweep/sweeper.h"
#include "sm/sweep/vport_stages.h"
#include "virt/vport_lids.h"

namespace sm {
namespace asio = boost::asio;

VPortDecision Sweeper::decide_vports(const SweepContext& context, const Fabric& fabric,
                                     const LidMap& physical, const Guid2Lid& persisted,
                                     std::optional<PartitionDecision> without_vports) {
  const std::shared_ptr<const Subnet> before = subnet_;
  const auto was_served = [&before](mad::Guid guid, mad::Guid port, std::uint16_t index) {
    if (!before || !before->vports) return false;
    const VPortIndex found = before->vports->find(guid);
    if (found == kNoIndex) return false;
    const VPort& vport = before->vports->vports[found];
    return vport.index == index && before->fabric.ports[vport.port].guid == port;
  };
  return sm::decide_vports(context, fabric, physical, persisted, held_.vports, was_served,
                           std::move(without_vports));
}

asio::awaitable<void> Sweeper::observe_vports(const SweepContext& context, const Fabric& fabric,
                                              std::vector<PortIndex> ports, VPortAccess access) {
  if (virtualization_wish(context.options) == VirtualizationWish::ignore) {
    held_.vports.clear();
    co_return;
  }
  if (access == VPortAccess::manage &&
      virtualization_wish(context.options) == VirtualizationWish::on) {
    const std::vector<PortIndex> all = std::move(ports);
    ports = co_await try_models(context, fabric, all);
    // Of the others, those that an earlier manager has enabled are served as they are.
    std::vector<PortIndex> others;
    std::ranges::set_difference(all, ports, std::back_inserter(others));
    if (!others.empty()) co_await observe_vports(context, fabric, others, VPortAccess::follow);
    // No port of such a model has carried data during its trial.
    for (const PortIndex port : others)
      if (held_.trials[virt::Model::of(fabric, port)].enabling == virt::Trial::State::untried)
        held_.vports[fabric.ports[port].guid].due = true;
  }
  const std::size_t at_once = context.options.virt_max_ports_in_process == 0
                                  ? ports.size()
                                  : context.options.virt_max_ports_in_process;
  for (std::size_t first = 0; first < ports.size(); first += at_once) {
    const auto begin = ports.begin() + static_cast<std::ptrdiff_t>(first);
    const auto count = static_cast<std::ptrdiff_t>(std::min(at_once, ports.size() - first));
    co_await observe_vports_of(context, fabric, {begin, begin + count}, access);
  }
}

asio::awaitable<void> Sweeper::observe_vports_of(const SweepContext& context, const Fabric& fabric,
                                                 std::vector<PortIndex> ports, VPortAccess access) {
  const ApplyOptions how = apply_options();
  ApplyReport report;  // what fails is tried again by light sweeps
  std::set<PortIndex> retried;
  for (const PortIndex port : ports) {
    virt::PortFacts& facts = held_.vports[fabric.ports[port].guid];
    if (!facts.is_retry_due(client_.now())) continue;
    facts.due = false;
    facts.forget_failures();
    retried.insert(port);
  }
  const std::unique_ptr<Stage> reads = virtualization_reads(fabric, held_, ports);
  co_await send(client_, how, fabric, mad::Method::get, *reads, report);

  std::vector<PortIndex> to_read, switched_on;
  const VirtualizationWish wish = access == VPortAccess::manage
                                      ? virtualization_wish(context.options)
                                      : VirtualizationWish::read;
  for (const PortIndex port : ports) {
    virt::PortFacts& facts = held_.vports[fabric.ports[port].guid];
    if (!facts.info || facts.silent) continue;
    const bool changed =
        facts.info->vport_state_change() || !facts.states_read || retried.contains(port);
    if (!facts.is_enabled()) facts.reregister = false;  // its vports come up with an event
    if (!facts.is_enabled() && wish == VirtualizationWish::on) switched_on.push_back(port);
    if (changed || !facts.is_enabled()) to_read.push_back(port);
  }
  std::vector<Write> changes;
  if (access != VPortAccess::look)
    changes = virtualization_writes(fabric, held_.vports, ports, wish);
  const std::unique_ptr<Stage> writes =
      vport_writes(StageKind::virtualization, fabric, held_, std::move(changes));
  co_await send(client_, how, fabric, mad::Method::set, *writes, report);
  // Hosts show the state of their physical function from index 0: it must not stay in Init.
  const std::unique_ptr<Stage> firsts =
      vport_writes(StageKind::vport_activation, fabric, held_,
                   first_activations(fabric, held_.vports, switched_on));
  co_await send(client_, how, fabric, mad::Method::set, *firsts, report);
  const std::unique_ptr<StageSource> attributes =
      vport_reads(fabric, held_, std::move(to_read), wants_descriptions(context.options));
  // One vport that does not answer is no silent node: VirtualizationInfo has been answered.
  while (const std::unique_ptr<Stage> stage = attributes->next()) {
    client_.forget_silence();
    co_await send(client_, how, fabric, mad::Method::get, *stage, report);
  }
  client_.forget_silence();
}

asio::awaitable<VPortEnd> Sweeper::program_vports(SharedContext context,
                                                  std::vector<mad::Guid> guids) {
  VPortEnd end;
  end.again = *programming_;
  if (*programming_ || !subnet_) co_return end;
  const std::shared_ptr<bool> programming = programming_;
  *programming = true;
  client_.forget_silence();
  std::vector<PortIndex> ports;
  bool retries = false;
  for (const PortIndex port : ports_with_vports(subnet_->fabric, held_.vports)) {
    const mad::Guid guid = subnet_->fabric.ports[port].guid;
    if (std::ranges::find(guids, guid) == guids.end()) continue;
    // Others need not wait for one that does not answer whenever it sends a trap.
    const virt::PortFacts& facts = held_.vports[guid];
    if (facts.silent && !facts.is_retry_due(client_.now())) continue;
    ports.push_back(port);
    retries = retries || facts.is_retry_due(client_.now());
  }
  end = co_await run_vports(std::move(context), std::move(ports), !retries);
  *programming = false;
  co_return end;
}

std::vector<PortIndex> Sweeper::vports_to_visit(const Fabric& fabric, const SweepOrder& order,
                                                std::span<const mad::Guid> read_again) const {
  return order.everything || first_master_sweep_
             ? ports_with_vports(fabric, held_.vports)
             : changed_ports_with_vports(fabric, held_.vports, read_again, client_.now());
}

asio::awaitable<VPortEnd> Sweeper::run_vports(SharedContext context, std::vector<PortIndex> ports,
                                              bool only_changes) {
  VPortEnd end;
  const std::shared_ptr<const Subnet> before = subnet_;
  if (ports.empty() && held_.vports.empty() && held_.trials.empty() && !before->vports &&
      !vport_lfts_behind_ && ports_with_vports(before->fabric, held_.vports).empty()) {
    conditions_.stand(ConditionSource::vports, {});
    co_return end;
  }
  if (!ports.empty() && std::exchange(reregister_vports_, false))
    for (auto& [guid, port] : held_.vports) port.reregister = port.reregister || port.is_enabled();
  co_await observe_vports(*context, before->fabric, ports, VPortAccess::manage);
  const auto is_settled = [&](PortIndex port) {
    return is_published(*before->vports, port, held_.vports[before->fabric.ports[port].guid]);
  };
  if (only_changes && before->vports && std::ranges::all_of(ports, is_settled)) co_return end;
  LidMap physical;
  VPortDecision decision;
  const std::function<void()> decide = [&] {
    physical = virt::physical_only(before->lids, before->fabric);
    decision = decide_vports(*context, before->fabric, physical, stored_.guid2lid());
  };
  co_await compute(decide);
  if (!decision.contested.empty()) {
    // The vport may have left its first place meanwhile.
    std::vector<PortIndex> places;
    for (const mad::Guid guid : decision.contested) {
      held_.vports[guid].states_read = false;
      const PortIndex place = before->fabric.port_of_guid.at(guid);
      if (std::ranges::find(places, place) == places.end()) places.push_back(place);
    }
    co_await observe_vports(*context, before->fabric, std::move(places), VPortAccess::manage);
    co_await compute(decide);
  }
  for (const std::string& message : decision.messages) log_.info("{}", message);
  co_await save_lids(*context, decision.persisted, false);
  p_key_conditions_ = decision.partitions.p_keys.conditions;
  conditions_.stand(ConditionSource::partitions, p_key_conditions_);

  Subnet next;
  Target target;
  const std::function<void()> place = [&] {
    next = *before;
    KeptLids kept = kept_lids(kept_, before.get(), next.fabric, decision.lids, decision.persisted);
    const KeptLids routed_too = placed(kept, next.fabric, decision.lids);
    make_room(decision.lids, routed_too);
    kept_ = std::move(kept);
    target.lids = next.lids = std::move(decision.lids);
    next.partitions = std::move(decision.partitions.map);
    target.p_keys = std::move(decision.partitions.p_keys);
    const bool new_lids = next.lids.port_of_lid != before->lids.port_of_lid;
    if ((new_lids || vport_lfts_behind_) && routing_.lfts) {
      target.lfts = virt::with_vport_lids(routing_.lfts, next.fabric, physical, next.lids,
                                          kept_copies(routed_too, next.fabric, physical));
      next.lfts = target.lfts;
    }
    target.current_lfts = next.lfts;
    target.vports = std::make_shared<const VPortTargets>(std::move(decision.targets));
  };
  co_await compute(place);
  if (prepare_) prepare_(next, *context);

  co_await try_p_keys(next.fabric, *target.vports);

  BeforeStage before_vports = [&]() -> asio::awaitable<void> {
    if (!ready_) co_return;
    std::shared_ptr<const Subnet> draft;
    const std::function<void()> copy = [&] {
      VPortTargets usable = *target.vports;
      hold_unready(usable, next.fabric, held_, next.lfts.get());
      Subnet ready = next;
      ready.vports = published_vports(usable);
      draft = snapshot(std::move(ready));
    };
    co_await compute(copy);
    ready_(std::move(draft), context);
  };
  const ApplyReport applied =
      co_await apply_and_log(*context, next.fabric, target, PlanScope::vports, {}, before_vports);
  VPortTargets outcome = *target.vports;
  hold_unready(outcome, next.fabric, held_, next.lfts.get());
  hold_inactive(outcome, next.fabric, held_);
  next.vports = published_vports(outcome);
  note_outcome(next.fabric, *target.vports, outcome);

  std::vector<Condition> standing = std::move(decision.conditions);
  std::ranges::move(vport_conditions(outcome, next.fabric, held_.vports),
                    std::back_inserter(standing));
  std::ranges::move(trial_conditions(), std::back_inserter(standing));
  if (virtualization_wish(context->options) != VirtualizationWish::on) {
    const std::size_t off = count_switched_off(next.fabric, held_.vports);
    if (off > 0 && context->options.virt_enabled == 0)
      standing.push_back(
          {.id = ConditionId::vports_off,
           .text = fmt::format("{} port{} can have SR-IOV virtual ports; virt_enabled 2 turns them "
                               "on",
                               off, off == 1 ? "" : "s")});
  }
  conditions_.stand(ConditionSource::vports, std::move(standing));

  end.activated = applied.of(StageKind::vport_activation).writes;
  end.lost.assign(applied.restarted.begin(), applied.restarted.end());
  const bool same_vports = next.vports == before->vports ||
                           (next.vports && before->vports && *next.vports == *before->vports);
  end.changed = !same_vports || applied.writes > 0;
  if (end.changed) {
    std::vector<Condition> unwritten;
    if (const auto written = write_vports_dump(context->options, next); !written)
      unwritten.push_back({.id = ConditionId::output_failed, .text = written.error()});
    conditions_.stand(ConditionSource::vports_file, std::move(unwritten));
    publish(std::move(next));
  }
  co_return end;
}

/// What did not become of vports as `wanted` is tried again.
void Sweeper::note_outcome(const Fabric& fabric, const VPortTargets& wanted,
                           const VPortTargets& outcome) {
  vport_lfts_behind_ = false;
  for (std::size_t number = 0; number < outcome.vports.size(); ++number) {
    const VPort& vport = outcome.vports[number];
    if (vport.hold == wanted.vports[number].hold) continue;
    held_.vports[fabric.ports[vport.port].guid].due = true;
    if (vport.hold == VPortHold::tables && vport.has_own_lid) vport_lfts_behind_ = true;
  }
  for (auto& [guid, port] : held_.vports) {
    if (port.due)
      port.retry.failed(client_.now());
    else
      port.retry.succeeded();
  }
}

/// Vports of the policy Up stay Active while their port is away, so that their clients see no
/// event: where it is back, they have to register again.
void Sweeper::follow_hosts_of_vports(const Fabric& fabric, const std::vector<bool>& newcomers) {
  if (newcomers.empty()) return;
  for (const PortIndex port : fabric.end_ports)
    if (newcomers[port] && virt::can_have_vports(fabric.ports[port]))
      held_.vports[fabric.ports[port].guid].reregister = true;
}

void Sweeper::note_vport_change(mad::Guid port, std::uint16_t index) {
  constexpr std::size_t kNotedMax = 1000;  // then the light sweep finds the others
  if (*computing_) {
    if (noted_.size() < kNotedMax) noted_.emplace_back(port, index);
    return;
  }
  const auto facts = held_.vports.find(port);
  if (facts == held_.vports.end()) return;
  const auto vport = facts->second.vports.find(index);
  if (vport == facts->second.vports.end()) return;
  facts->second.states_read = false;
  vport->second.stale = true;
  vport->second.described = false;
}

asio::awaitable<std::vector<mad::Guid>> Sweeper::changed_vports() {
  const std::shared_ptr<const Subnet> subnet = subnet_;
  std::vector<mad::Guid> changed;
  std::vector<PortIndex> ports;
  for (const PortIndex port : ports_with_vports(subnet->fabric, held_.vports)) {
    const auto facts = held_.vports.find(subnet->fabric.ports[port].guid);
    if (facts == held_.vports.end()) continue;
    if (facts->second.is_retry_due(client_.now()))
      changed.push_back(facts->first);
    else if (facts->second.is_enabled() && !facts->second.silent)
      ports.push_back(port);
  }
  const ApplyOptions how = apply_options();
  ApplyReport ignored;
  const std::unique_ptr<Stage> reads = virtualization_reads(subnet->fabric, held_, ports);
  co_await send(client_, how, subnet->fabric, mad::Method::get, *reads, ignored);
  for (const PortIndex port : ports) {
    const mad::Guid guid = subnet->fabric.ports[port].guid;
    const virt::PortFacts& facts = held_.vports[guid];
    if (!facts.is_enabled() || !facts.states_read || facts.info->vport_state_change())
      changed.push_back(guid);
  }
  co_return changed;
}

}  // namespace sm
