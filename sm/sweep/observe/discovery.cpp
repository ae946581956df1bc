#include "sm/sweep/observe/discovery.h"

#include <algorithm>
#include <optional>

#include "sm/sweep/observe/discovery_batch.h"

namespace sm {
namespace {

/// How often routes to changed switches that are silent are searched for: a route that was found
/// may be down, too. Then they count as silent.
constexpr int kAlternativeRounds = 2;

bool stands_in(const std::vector<Condition>& conditions, const Condition& condition) {
  return std::ranges::find(conditions, condition) != conditions.end();
}

/// A partial survey reports no duplicate GUID: the daemon may end by it (exit_on_fatal).
bool claims_duplicates(const Fabric& known, const Survey& survey) {
  return std::ranges::any_of(survey.fabric.conditions, [&](const Condition& condition) {
    return condition.id == ConditionId::guid_duplicate && !stands_in(known.conditions, condition);
  });
}

/// A partial survey that did not read the node has shown nothing else of this silence: the node is
/// still there, or the link of the port is up, and what is behind it has not been found by another
/// route.
bool may_hold(const Condition& silence, const Survey& survey) {
  const Fabric& fabric = survey.fabric;
  const auto node = fabric.node_of_guid.find(silence.guid);
  if (node == fabric.node_of_guid.end() ||
      std::ranges::find(survey.read_again, silence.guid) != survey.read_again.end())
    return false;
  if (!silence.port) return true;
  if (silence.port->value > fabric.nodes[node->second].num_ports) return false;
  const Port& port = fabric.ports[fabric.port(node->second, *silence.port)];
  return port.peer == kNoIndex && port.is_up();
}

/// Keeps what is known of nodes that a partial survey did not read.
void keep_silences(const Fabric& known, Survey& survey) {
  std::vector<Condition>& conditions = survey.fabric.conditions;
  for (const Condition& condition : known.conditions) {
    if (condition.id == ConditionId::node_silent && condition.guid != mad::Guid{} &&
        may_hold(condition, survey) && !stands_in(conditions, condition))
      conditions.push_back(condition);
  }
}

/// `known`: the earlier picture of a partial survey, or null.
boost::asio::awaitable<Survey> read_fabric(mad::SmpClient& client, DiscoveryOptions options,
                                           const Fabric* known,
                                           std::span<const mad::Guid> changed) {
  client.forget_silence();
  while (true) {
    FabricBuilder builder;
    const std::function<void()> begin = [&] {
      if (known != nullptr) builder = FabricBuilder(*known);
    };
    co_await compute(options.compute, begin);
    std::optional<Discovery> reading;
    Discovery& discovery = reading.emplace(client, options, std::move(builder), known);
    if (known == nullptr) {
      discovery.start_everything();
    } else {
      discovery.start_changes(changed);
    }
    co_await client.exchange(discovery);
    for (int round = 0; round < kAlternativeRounds && discovery.misses_switches(); ++round) {
      discovery.ask_missing_again();
      co_await client.exchange(discovery);
    }
    if (discovery.suspect() && options.suspects.size() < kSuspectsMax) {
      options.suspects.push_back(*discovery.suspect());
      continue;
    }
    discovery.ask_enforcing_ports();
    co_await client.exchange(discovery);
    Survey survey;
    bool is_doubtful = false;
    const std::function<void()> finish = [&] {
      survey = discovery.finish();
      is_doubtful =
          known != nullptr && (discovery.is_doubtful() || claims_duplicates(*known, survey));
      reading.reset();
    };
    co_await compute(options.compute, finish);
    if (is_doubtful) {
      client.forget_silence();  // of nodes that were taken for others
      known = nullptr;
      continue;
    }
    if (known != nullptr) keep_silences(*known, survey);
    survey.suspects = options.suspects;
    co_return survey;
  }
}

}  // namespace

boost::asio::awaitable<Survey> discover(mad::SmpClient& client, const DiscoveryOptions& options) {
  return read_fabric(client, options, nullptr, {});
}

boost::asio::awaitable<Survey> rediscover(mad::SmpClient& client, const DiscoveryOptions& options,
                                          const Fabric& known, std::span<const mad::Guid> changed) {
  return read_fabric(client, options, &known, changed);
}

}  // namespace sm
