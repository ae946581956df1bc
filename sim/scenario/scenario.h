#pragma once
// Events of a fabric and their times: read from YAML or drawn from a seed, then put on the world's
// event queue.

#include <functional>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "config/diagnostic.h"
#include "config/file_reader.h"
#include "sim/world/world.h"

namespace sim {

/// An event that happens once or is repeated.
struct ScenarioEvent {
  mad::Duration at{};     // from the moment when the scenario is scheduled
  mad::Duration every{};  // 0: once
  unsigned times = 1;
  std::string text;  // for the trace
  std::function<void(World&)> happen;
};

struct Scenario {
  std::vector<ScenarioEvent> events;
  /// Puts all events on the queue of `world`. The scenario need not outlive the call.
  void schedule(World& world) const;
};

/// Finds nodes by names other than their NodeDescriptions.
using FindNode = std::function<std::optional<NodeIndex>(std::string_view name)>;

/// Reads a scenario for the fabric `model`: unknown nodes, ports, actions and keys are errors with
/// line and column. Shape:
///   events:
///     - {at: 1.5s, do: flap, port: leaf-1/3, down: 20ms, every: 1s, times: 5}
///     - {at: 2s, do: quality, port: all, loss: 0.2}
///   random: {from: 5s, until: 60s, mean_interval: 2s, kinds: [flap, reboot, hang, lose-tables]}
/// The actions and their keys are listed in sim/scenario/README.md. Times are numbers with a unit:
/// ns, us, ms, s, min, h. `seed` feeds the random part.
tl::expected<Scenario, config::Diagnostics> parse_scenario(const config::Source& source,
                                                           const Model& model, std::uint64_t seed,
                                                           const FindNode& find = {});
tl::expected<Scenario, config::Diagnostics> read_scenario(
    const std::string& path, const Model& model, std::uint64_t seed,
    const config::FileReader& read = config::read_file, const FindNode& find = {});

struct RandomScenario {
  mad::Duration from{}, until = std::chrono::seconds(60), mean_interval = std::chrono::seconds(2);
  std::vector<std::string> kinds{"flap", "bounce", "reboot", "hang", "lose-tables"};
  std::vector<NodeIndex> spare{
      0};  // nodes without faults, their cables included: those with managers
};
/// Returns the kinds that a random scenario can have.
const std::vector<std::string>& random_kinds();
/// Returns further kinds, at ports that have vports when the scenario is drawn.
const std::vector<std::string>& random_vport_kinds();
bool is_random_kind(const std::string& name);  // of either
/// Draws a scenario. Every fault ends at `until`: cables are plugged in again, nodes run.
Scenario random_scenario(const Model& model, std::uint64_t seed, const RandomScenario& params);

}  // namespace sim
