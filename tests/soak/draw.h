#pragma once
// A run, drawn from one seed: the fabric, the managers, their options, the clients, and the faults
// of each phase. The same seed gives the same draw on every platform.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "config/options.h"
#include "mad/runtime.h"
#include "sim/world/vport_host.h"
#include "sm/ctl/topology/topology.h"

namespace soak {

/// The audit interval of all managers. They find faults that nothing else shows, such as settings
/// that a node answered wrongly, within this time and a few seconds.
inline constexpr std::chrono::seconds kAuditInterval{10};

/// Actions of an operator, and faults of a manager.
enum class Act : std::uint8_t {
  reload,   // SIGHUP with other options, at all managers: they share a configuration
  restart,  // a manager ends and is started again at once
  stop,     // a manager ends
  start,    // a manager that does not run is started
  remove,   // the device of a manager is removed, which ends it, and is plugged in again later
  flood,    // a host sends MADs of one kind, or of many, without pause
};
std::string_view name(Act act);

struct Step {
  mad::Duration at{};  // from the beginning of the phase
  Act act = Act::reload;
  std::size_t manager = 0;    // all but reload and flood
  config::Options options{};  // reload
  mad::Duration lasts{};      // remove: until the device is there again; flood
  std::size_t node = 0;       // flood: of the topology, a host without a manager and a client
  std::size_t kind = 0;       // flood: of flood_kinds()
};

/// Faults and steps for a limited time; then nothing changes until the subnet has converged.
struct Phase {
  std::vector<std::string> kinds;  // of sim::random_kinds() and random_vport_kinds()
  mad::Duration faults_for{}, mean_interval{};
  std::uint64_t fault_seed = 0;
  std::vector<Step> steps;  // in order of time
};

struct ManagerPlace {
  std::size_t node = 0;  // of the topology: a host, attached by its port 1
  std::uint8_t priority = 0;
  bool runs_at_first = true;
  mad::Duration starts_after{};  // from the beginning of the run
};

/// Kinds of floods, by name. Without an M_Key hosts may set what agents hold: the kinds that send
/// any SMP are left out.
std::vector<std::string_view> flood_kinds(bool with_m_key);

/// A vport that a host creates before anything happens.
struct VPortPlan {
  std::size_t node = 0;  // of the topology: a host; its port 1
  std::uint16_t index = 1;
  sim::VPortOptions options{};
};

/// A kind of world besides the plain one, and the share of draws that have it.
struct WorldKind {
  std::string_view name;
  unsigned percent = 0;
  bool operator==(const WorldKind&) const = default;
};
/// "vports": hosts with vports, virt_enabled 2, and faults of vports in the phases.
/// HEDDLE_WORLD_KIND=vports gives it to all draws.
std::vector<WorldKind> world_kinds();

struct Draw {
  std::uint64_t seed = 0;
  std::string fabric;  // for messages: "torus 3x3, 9 hosts"
  topology::Topology topology;
  config::Options options;  // of all managers at their first start, but for the priority
  std::vector<ManagerPlace> managers;
  std::vector<std::size_t> clients;  // nodes: hosts with a client of the SA
  bool faults_at_standbys = false;   // faults may hit the hosts of all managers but the first
  std::vector<Phase> phases;
  std::vector<VPortPlan> vports;  // none: virtualization is not used
};
Draw draw(std::uint64_t seed, const std::vector<WorldKind>& kinds = world_kinds());

/// The draw as text, one line per phase, for the message of a failure.
std::string describe(const Draw& draw);

}  // namespace soak
