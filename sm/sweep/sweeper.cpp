#include "sm/sweep/sweeper.h"

#include <algorithm>
#include <iterator>

#include "mad/format.h"
#include "routing/core/routing_conditions.h"
#include "sm/sweep/apply/optional_program.h"
#include "sm/sweep/devices/key_origins.h"
#include "sm/sweep/devices/port_disabling.h"

namespace sm {
namespace asio = boost::asio;

namespace {

/// True if the state, priority or GUID of a manager differs from the known one, or it is new.
bool have_changed(std::span<const OtherSm> read, const std::vector<OtherSm>& known) {
  return std::ranges::any_of(read, [&](const OtherSm& sm) {
    const auto same = std::ranges::find(known, sm.port, &OtherSm::port);
    return same == known.end() || same->info.sm_state() != sm.info.sm_state() ||
           same->info.priority() != sm.info.priority() || same->info.guid() != sm.info.guid();
  });
}

void take_answers(std::vector<OtherSm>& known, std::span<const OtherSm> read) {
  for (const OtherSm& sm : read) {
    const auto same = std::ranges::find(known, sm.port, &OtherSm::port);
    if (same == known.end()) {
      known.push_back(sm);
    } else {
      *same = sm;
    }
  }
}

/// Brings the origins of P_Keys up to date. `left_standby`: another manager was master until now.
void apply_noted(const NotedOrigins& noted, bool left_standby, partitions::KeyOrigins& origins) {
  if (left_standby) {
    origins.is_complete = origins.is_shared = false;
    origins.withdrawn.clear();
  }
  if (noted.has_lost_partitions) origins.is_complete = false;
  if (noted.is_explained) origins.is_shared = true;
  if (!noted.adopted.empty()) {
    origins.kept.insert(origins.kept.end(), noted.adopted.begin(), noted.adopted.end());
    std::ranges::sort(origins.kept);
    const auto same = std::ranges::unique(origins.kept);
    origins.kept.erase(same.begin(), same.end());
  }
  for (const partitions::MembershipKey& ended : noted.withdrawn)
    if (origins.withdrawn.size() < partitions::kRuntimeMembersMax) origins.withdrawn.insert(ended);
}

}  // namespace

Sweeper::Sweeper(mad::SmpClient& client, spdlog::logger& log, ConditionLog& conditions,
                 Administration& administration, SweepServices services)
    : environment_(client, log, conditions, std::move(services)),
      administration_(administration),
      vports_(environment_, state_.devices),
      auditor_(environment_, state_) {
  client.set_m_keys(&state_.m_keys);
}

void Sweeper::configure(const SharedContext& context) {
  if (state_.configured == context) return;
  state_.configured = context;
  if (note_configuration(state_.p_keys.known, context->partitioning))
    state_.p_keys.saved_revision.reset();
  for (const std::string& problem : state_.m_keys.configure(context->options))
    environment_.log.error("{}", problem);
}

// ------------------------------------------------------------------------------------------
// passes
//
// Functions that are called from outside are no coroutines themselves: g++ 12 destroys a temporary
// argument of a coroutine twice, if it is an aggregate.

asio::awaitable<PassResult> Sweeper::pass(SharedContext context, PassRequest request,
                                          std::optional<Survey> survey) {
  return run(context,
             std::make_unique<Pass>(parts(), context, std::move(request), std::move(survey)));
}

asio::awaitable<PassResult> Sweeper::run(SharedContext context, std::unique_ptr<Pass> pass) {
  PassResult result;
  if (*running_) {
    result.again = true;
    co_return result;
  }
  const Busy busy(running_);
  const bool is_sweep = pass->has_survey();
  take_noted(*context, is_sweep);
  // A survey has cleared this already, and its pass does not query nodes that it found silent.
  if (!is_sweep) environment_.client.forget_silence();
  result = co_await pass->run();
  while (std::optional<PassRequest> next = std::exchange(result.follow_up, std::nullopt)) {
    const bool decides_end = !next->vports;
    pass = std::make_unique<Pass>(parts(), context, std::move(*next), std::nullopt);
    result.add(co_await pass->run(), decides_end);
  }
  if (!is_sweep || !result.changed) co_return result;
  const std::shared_ptr<const Subnet> subnet = state_.subnet;
  co_await program_optional(environment_, state_.devices, context->options, subnet->fabric);
  co_await compare_with_expected(context);
  co_return result;
}

/// Passes on what was noted about origins of P_Keys since the latest pass.
void Sweeper::take_noted(const SweepContext& context, bool is_sweep) {
  load_key_origins(context, state_, environment_.log);
  if (!noted_.adopted.empty()) state_.p_keys.saved_revision.reset();
  apply_noted(noted_, state_.succession.left_standby, state_.p_keys.known);
  state_.succession.has_noted_origins = state_.succession.left_standby;
  const bool is_explained = noted_.is_explained && !is_sweep;
  noted_ = {};
  noted_.is_explained = is_explained;
}

asio::awaitable<tl::expected<Preview, std::string>> Sweeper::preview(SharedContext context,
                                                                     PassRequest request,
                                                                     Survey survey) {
  return run_preview(context, std::make_unique<Pass>(parts(), context, std::move(request),
                                                     std::move(survey), Pass::Mode::preview));
}

asio::awaitable<tl::expected<Preview, std::string>> Sweeper::run_preview(
    SharedContext context, std::unique_ptr<Pass> pass) {
  const Busy busy(running_);
  if (!state_.p_keys.is_loaded) {
    const std::uint64_t revision = context->runtime ? context->runtime->revision() : 0;
    LoadedKeyOrigins loaded;
    const std::function<void()> read = [&] {
      loaded = sm::load_key_origins(context->options.cache_files_dir, revision);
    };
    co_await environment_.compute(read);
    take_key_origins(std::move(loaded));
  }
  partitions::KeyOrigins origins;
  const std::function<void()> evaluate = [&, noted = noted_] {
    origins = state_.p_keys.known;
    apply_noted(noted, state_.succession.left_standby, origins);
  };
  co_await environment_.compute(evaluate);
  pass->set_origins(std::move(origins));
  co_await pass->run();
  co_return pass->take_preview();
}

asio::awaitable<void> Sweeper::compare_with_expected(SharedContext context) {
  std::vector<Condition> active;
  const std::shared_ptr<const Subnet> subnet = state_.subnet;
  const std::function<void()> compare = [&] {
    active = links_.unexpected(*context, subnet->fabric);
  };
  co_await environment_.compute(compare);
  environment_.conditions.set_active(ConditionSource::topology, std::move(active));
}

// ------------------------------------------------------------------------------------------
// surveys

namespace {

mad::Lid management_lid(const Fabric& fabric, NodeIndex sw) {
  return fabric.ports[fabric.nodes[sw].first_port].info.lid();
}

/// Keeps the other managers that a partial survey did not query, if their ports are still there.
void keep_known_managers(const Subnet& before, Survey& survey) {
  for (OtherSm known : before.sms) {
    if (std::ranges::any_of(survey.sms,
                            [&](const OtherSm& sm) { return sm.info.guid() == known.info.guid(); }))
      continue;
    const auto place = survey.fabric.port_of_guid.find(before.fabric.ports[known.port].guid);
    if (place == survey.fabric.port_of_guid.end()) continue;
    known.port = place->second;
    if (const auto route = survey.fabric.route_to(known.port)) known.route = *route;
    survey.sms.push_back(known);
  }
}

}  // namespace

asio::awaitable<Survey> Sweeper::observe(SharedContext context, PassRequest request,
                                         bool as_master) {
  return survey(std::move(context), std::make_unique<PassRequest>(std::move(request)), as_master);
}

asio::awaitable<Survey> Sweeper::survey(SharedContext context, std::unique_ptr<PassRequest> request,
                                        bool as_master) {
  environment_.enter(SweepPhase::observe);
  configure(context);
  state_.cleared_changes = as_master;
  DiscoveryOptions options{.m_keys = &state_.m_keys,
                           .clear_port_state_change = state_.cleared_changes,
                           .events = environment_.events(),
                           .node_names = context->node_names,
                           .bounds = bounds_};
  if (!request->trust_tables) suspects_.forget_all();
  options.compute = [this](const std::function<void()>& work) {
    return environment_.compute(work);
  };
  options.suspects = suspects_.current(environment_.client.now());
  links_.reopen_ports(*context, environment_.client.now());
  options.left_out = links_.kept_out().left_out;
  options.lost_names = links_.lost_names();
  const std::shared_ptr<const Subnet> known =
      state_.subnet;  // another one may be published before it ends
  options.trusted = known ? &known->fabric : nullptr;
  options.trusted_lfts = known ? known->lfts.get() : nullptr;
  options.answering = request->answering;
  options.p_keys_may_wait = request->p_keys_may_wait && !known;
  const bool everything = request->everything || !known;
  const ChangingSwitches changing = std::exchange(environment_.changing, {});
  std::set<mad::Guid> reported;
  options.reported = [this, &reported, fabric = options.trusted] {
    std::vector<mad::Guid> switches = take_changing(*fabric);
    reported.insert(switches.begin(), switches.end());
    return switches;
  };
  Survey survey;
  if (everything) {
    survey = co_await discover(environment_.client, options);
  } else {
    survey = co_await rediscover(environment_.client, options, known->fabric, request->changed);
    keep_unread(changing, survey);
    keep_reported(known->fabric, reported, survey);
  }
  suspects_.remember(survey.suspects, environment_.client.now());
  suspects_.update_from(survey.fabric);
  if (!everything) keep_known_managers(*known, survey);
  co_return survey;
}

/// Returns the switches that have reported a change, and forgets that they have.
std::vector<mad::Guid> Sweeper::take_changing(const Fabric& fabric) {
  std::vector<mad::Guid> switches;
  const ChangingSwitches changing = std::exchange(environment_.changing, {});
  if (changing.empty()) return switches;
  for (const Switch& sw : fabric.switches)
    if (changing.contains(management_lid(fabric, sw.node)))
      switches.push_back(fabric.nodes[sw.node].guid);
  return switches;
}

/// Keeps the notes of switches whose report came after the survey had read them. Survey::reported
/// keeps the others: no sweep has to read them again.
void Sweeper::keep_reported(const Fabric& fabric, const std::set<mad::Guid>& reported,
                            Survey& survey) {
  const std::set<mad::Guid> read(survey.reported.begin(), survey.reported.end());
  for (const mad::Guid guid : reported)
    if (!read.contains(guid))
      environment_.changing.note(management_lid(fabric, fabric.node_of_guid.at(guid)));
  std::erase_if(survey.reported, [&](mad::Guid guid) {
    return environment_.changing.contains(management_lid(fabric, fabric.node_of_guid.at(guid)));
  });
}

/// Keeps the notes of switches that a partial survey did not read.
void Sweeper::keep_unread(const ChangingSwitches& changing, const Survey& survey) {
  if (changing.empty()) return;
  const std::set<mad::Guid> read(survey.read_again.begin(), survey.read_again.end());
  const Fabric& fabric = survey.fabric;
  for (const Switch& sw : fabric.switches) {
    if (const mad::Lid lid = management_lid(fabric, sw.node);
        changing.contains(lid) && !read.contains(fabric.nodes[sw.node].guid))
      environment_.changing.note(lid);
  }
}

// ------------------------------------------------------------------------------------------
// between sweeps

asio::awaitable<void> Sweeper::store_again(SharedContext context) {
  const Busy busy(running_);
  StoredState& stored = state_.stored;
  // Keys that ports have confirmed first: expected() drops them.
  MKeys::Files confirmed = state_.m_keys.acknowledged();
  StoredState::SavedLids lids;
  std::vector<Condition> groups;
  tl::expected<void, std::string> written;
  const std::function<void()> write = [&] {
    lids = stored.save_lids(context->options, stored.guid2lid(), false);
    groups = stored.save_group_ids(context->options, GroupIds(stored.group_ids()));
    if (!confirmed.empty()) written = confirmed.write();
  };
  co_await environment_.compute(write);
  environment_.conditions.set_active(ConditionSource::lid_store, stored.keep(std::move(lids)));
  environment_.conditions.set_active(ConditionSource::group_store, std::move(groups));
  if (written && !confirmed.empty()) state_.m_keys.keep(std::move(confirmed));
  MKeys::Files expected;
  if (written) expected = state_.m_keys.expected(state_.subnet->fabric);
  const std::function<void()> write_expected = [&] {
    if (!expected.empty()) written = expected.write();
  };
  co_await environment_.compute(write_expected);
  stored.set_m_keys_saved(written.has_value());
  if (!written) co_return;
  if (!expected.empty()) state_.m_keys.keep(std::move(expected));
  environment_.conditions.set_active(ConditionSource::m_key_store, {});
}

asio::awaitable<void> Sweeper::price_adoption(SharedContext context) {
  const Busy busy(running_);
  const std::shared_ptr<const Subnet> subnet = state_.subnet;
  std::vector<Condition> active;
  if (const auto state = state_.routing.state; state && (state->adopted || state->gained)) {
    std::optional<RoutingPrice> price;
    const std::function<void()> compare = [&] {
      price = routing_price(*context, *subnet, state_.kept, *state);
    };
    co_await environment_.compute(compare);
    if (state->adopted) {
      if (price) active.push_back(price_of_adoption(*price, *subnet));
      if (!price) state_.routing.state = without_adoption(*state_.routing.state);
      if (price && price->unused > price->unused_rerouted)
        state_.routing.state = with_unused_channels(*state_.routing.state);
    }
    if (state_.has_gained()) {
      const UnevenSince since = state->adopted ? UnevenSince::adopted : UnevenSince::gained;
      auto unbalanced = price ? imbalance(*price, context->options, since) : std::nullopt;
      if (unbalanced) active.push_back(std::move(*unbalanced));
      if (active.empty() || active.back().id != routing::kRoutingConditions.routing_unbalanced)
        state_.routing.state = balanced(*state_.routing.state);
    }
  }
  environment_.conditions.set_active(ConditionSource::adoption, std::move(active));
}

asio::awaitable<std::optional<RoutingPrice>> Sweeper::price_routing(SharedContext context) {
  const Busy busy(running_);
  const std::shared_ptr<const Subnet> subnet = state_.subnet;
  const std::shared_ptr<const routing::RoutingState> state = state_.routing.state;
  std::optional<RoutingPrice> price;
  if (!subnet || !subnet->lfts || !subnet->routing || !state) co_return price;
  const std::function<void()> compare = [&] {
    price = routing_price(*context, *subnet, state_.kept, *state);
  };
  co_await environment_.compute(compare);
  co_return price;
}

asio::awaitable<bool> Sweeper::has_removable_conflicts(SharedContext context) {
  const Busy busy(running_);
  const std::shared_ptr<const Subnet> subnet = state_.subnet;
  const Routed routed = state_.routing;
  if (!subnet || !routed.state || !routed.lfts || !routed.chain) co_return false;
  bool found = false;
  const std::function<void()> look = [&] {
    found = sm::has_removable_conflicts(*context, *subnet, state_.kept,
                                        {*routed.state, *routed.lfts, routed.chain->routing});
  };
  co_await environment_.compute(look);
  if (!found && state_.routing.state == routed.state)
    state_.routing.state = without_conflicts(*routed.state);
  co_return found;
}

void Sweeper::note_balanced() {
  if (state_.has_gained()) state_.routing.state = balanced(*state_.routing.state);
}

void Sweeper::report_balance(const std::optional<Condition>& uneven) {
  std::vector<Condition> active;
  if (uneven) active.push_back(*uneven);
  environment_.conditions.set_active(ConditionSource::routing_balance, std::move(active));
}

asio::awaitable<std::vector<mad::Guid>> Sweeper::read_single(SingleReads reads) {
  const Busy busy(running_);
  const std::shared_ptr<const Subnet> before = state_.subnet;
  SingleAnswers answers = co_await sm::read_single(environment_.client, before->fabric, reads);
  const bool managers_changed = have_changed(answers.managers, before->sms);
  const AuditStep tables = co_await auditor_.check_p_keys(std::move(reads.p_keys));
  answers.changed.insert(answers.changed.end(), tables.differing.begin(), tables.differing.end());
  if (answers.descriptions.empty() && !managers_changed) co_return answers.changed;
  Subnet next = *before;
  for (const auto& [node, description] : answers.descriptions) {
    environment_.log.info("NodeDescription changed: {} is \"{}\" now", before->fabric.name(node),
                          description.text());
    next.fabric.nodes[node].description = description;
  }
  take_answers(next.sms, answers.managers);
  publish(std::move(next));
  co_return answers.changed;
}

bool Sweeper::note_managers(std::span<const OtherSm> read) {
  if (!have_changed(read, state_.subnet->sms)) return false;
  Subnet next = *state_.subnet;
  take_answers(next.sms, read);
  publish(std::move(next));
  return true;
}

asio::awaitable<bool> Sweeper::disable_port(mad::Guid node, mad::PortNum number) {
  const Busy busy(running_);
  const std::shared_ptr<const Subnet> subnet = state_.subnet;
  const std::optional<PortIndex> port = port_to_disable(subnet->fabric, node, number);
  if (!port) co_return true;
  const Disabling end = co_await sm::disable_port(environment_.client, subnet->fabric, *port);
  if (end != Disabling::done) {
    environment_.log.warn(
        "port with too many link errors: {}: {}; the port is not disabled, and is read again",
        subnet->fabric.port_name(*port),
        end == Disabling::elsewhere      ? "another node is there or behind it now"
        : end == Disabling::not_accepted ? "it does not accept PortState Down"
                                         : "its node does not answer");
    co_return false;
  }
  Subnet next = *subnet;
  next.fabric.ports[*port].info.set_port_physical_state(mad::PortPhysicalState::disabled);
  state_.devices.disabled.note(next.fabric.owning_node(*port).guid,
                               next.fabric.ports[*port].number);
  environment_.conditions.set_active(ConditionSource::port_settings,
                                     port_setting_conditions(state_.devices, next.fabric));
  publish(std::move(next));
  co_return true;
}

asio::awaitable<std::vector<mad::Guid>> Sweeper::find_changed_vports() {
  const std::shared_ptr<const Subnet> subnet = state_.subnet;
  co_return co_await vports_.find_changed(subnet->fabric);
}

std::vector<mad::Guid> Sweeper::due() const {
  const mad::TimePoint now = environment_.client.now();
  std::vector<mad::Guid> nodes = state_.devices.refusals.due(now);
  std::ranges::copy(state_.devices.adaptive.due(now), std::back_inserter(nodes));
  std::ranges::copy(state_.devices.table.due(now), std::back_inserter(nodes));
  return nodes;
}

std::vector<SuspectPort> Sweeper::suspects() {
  std::vector<SuspectPort> ports = suspects_.current(environment_.client.now());
  const std::vector<SuspectPort>& left_out = links_.kept_out().left_out;
  ports.insert(ports.end(), left_out.begin(), left_out.end());
  return ports;
}

}  // namespace sm
