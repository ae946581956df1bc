#pragma once
// The typed events of a manager. This is the only list of events: a part that has something to
// announce gets an EventListener. Manager::on() (sm/manager/manager.cpp) defines for each event
// which parts react, and in which order.

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <string_view>
#include <vector>

#include "fabric/subnet.h"
#include "mad/attributes/sm_info.h"
#include "sm/context/sweep_context.h"

namespace sm {

/// The part of a sweep that runs, for measurements.
enum class SweepPhase : std::uint8_t {
  idle,     // no sweep
  observe,  // attributes are read
  decide,   // LIDs, partitions, multicast trees, VLs
  route,    // unicast tables, and their verification
  plan,     // differences, and the order of writes
  apply,    // attributes are written
  publish,  // the snapshot, and what subnet administration derives from it
  store,    // files
};
inline constexpr std::array<std::string_view, 8> kSweepPhaseNames{
    "idle", "observe", "decide", "route", "plan", "apply", "publish", "store"};

/// Describes how a published subnet serves the clients of subnet administration.
enum class Publication : std::uint8_t {
  /// The subnet's ports get P_Keys and LIDs and become Active from now on, so that a port is served
  /// from the moment at which it can send. Until Publication::programmed, subscribers are not
  /// notified, and ports are also known by the LIDs of the previous subnet.
  draft,
  /// This manager read the subnet while another one was master, before its first sweep. Ports that
  /// have appeared or disappeared since are reported by Publication::programmed.
  standby,
  /// A pass has programmed it. Ports that appeared or disappeared are reported to subscribers.
  programmed,
  /// Ports and LIDs are the same as in the previous subnet; multicast tables, descriptions,
  /// managers or vports differ.
  same,
};

/// The manager entered an SMInfo state; `before` may be equal to `now`.
struct StateEntered {
  mad::SmState before, now;
};
/// A survey, or SMInfo that was read between sweeps, has found subnet managers at these ports.
struct ManagersSeen {
  std::set<mad::Guid> ports;
};
/// Another manager was MASTER of this subnet, or may have been: its last writes may still arrive,
/// and differ from what this manager knows.
struct AnotherMasterWrote {};
/// The manager was MASTER and can no longer lead: its port has lost its link, or the process ends.
struct Resigned {};
/// `subnet`, made with `context`, is in force from now on. Clients get responses from it only if
/// the manager is MASTER.
struct SubnetPublished {
  std::shared_ptr<const Subnet> subnet;
  SharedContext context;
  Publication kind;
};
/// A sweep enters a phase; plan and apply alternate.
struct PhaseEntered {
  SweepPhase phase;
};
/// Reports the progress of a long stage: `done` of `total` (0 if it is not known yet).
struct StageProgressed {
  std::string_view what;
  std::size_t done, total;
};
/// A sweep, or a pass that decided partitions or VL tables, has ended: the outcome is known.
struct SweepConcluded {};
/// The members of multicast groups changed, and trees must be updated.
struct GroupsChanged {};
/// These lines of subnet administration are new (sm/sa/registrations/persistence.h). The journal
/// has them, or the disk takes nothing now; once it does, they are announced again. With
/// `everything`, the lines applied to an empty state give the present state.
struct RegistrationsStored {
  std::string_view lines;
  bool everything;
};
/// PerformanceManager::counters() has changed. `suspects`: NodeGUIDs of nodes that left queries
/// unanswered, or behind which nothing answered: whether they answer SMPs is not known.
struct CountersPublished {
  std::vector<mad::Guid> suspects = {};
};

/// Receives events on the runtime's thread, while the part that announces them waits. A listener
/// handles the events that it overrides, and ignores the others.
class EventListener {
 public:
  virtual ~EventListener() = default;
  virtual void on(const StateEntered& /*event*/) {}
  virtual void on(const ManagersSeen& /*event*/) {}
  virtual void on(const AnotherMasterWrote& /*event*/) {}
  virtual void on(const Resigned& /*event*/) {}
  virtual void on(const SubnetPublished& /*event*/) {}
  virtual void on(const SweepConcluded& /*event*/) {}
  virtual void on(const PhaseEntered& /*event*/) {}
  virtual void on(const StageProgressed& /*event*/) {}
  virtual void on(const GroupsChanged& /*event*/) {}
  virtual void on(const RegistrationsStored& /*event*/) {}
  virtual void on(const CountersPublished& /*event*/) {}
};

/// Does nothing if `listener` is null.
template <class Event>
void announce(EventListener* listener, const Event& event) {
  if (listener != nullptr) listener->on(event);
}

}  // namespace sm
