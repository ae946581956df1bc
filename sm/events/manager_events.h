#pragma once
// The typed events of a manager. This is the only list of them: a part that has something to
// announce gets an EventListener, and Manager::on() (sm/manager/reactions.cpp) says for each event
// which parts react, and in which order.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "fabric/subnet.h"
#include "mad/attributes/sm_info.h"
#include "sm/context/sweep_context.h"
#include "sm/events/sweep_phases.h"

namespace sm {

/// Says how a published subnet serves the clients of subnet administration.
enum class Publication : std::uint8_t {
  /// Its ports get P_Keys and LIDs and become Active from now on, so that a port is served from the
  /// moment at which it can send. Until Publication::programmed, subscribers are not notified, and
  /// ports are also known by the LIDs of the subnet before.
  draft,
  /// This manager read it while another one was master, before its first sweep. Ports that came or
  /// went since are reported by Publication::programmed.
  standby,
  /// A pass has programmed it. Ports that came or went are reported to subscribers.
  programmed,
  /// Its ports and LIDs are those of the subnet before, with other multicast tables, descriptions,
  /// managers or vports.
  same,
};

/// The manager entered an SMInfo state; `before` may be the same one.
struct StateEntered {
  mad::SmState before, now;
};
/// Another manager was MASTER of this subnet, or may have been: what it wrote last may still
/// arrive, and differs from what this manager knows.
struct AnotherMasterWrote {};
/// The manager was MASTER and can lead no longer: its port has lost its link, or it ends.
struct Resigned {};
/// `subnet`, made with `context`, is the one that counts from now on. Nothing is answered from it
/// unless the manager is MASTER.
struct SubnetPublished {
  std::shared_ptr<const Subnet> subnet;
  SharedContext context;
  Publication kind;
};
/// A sweep enters a phase; plan and apply come in turns.
struct PhaseEntered {
  SweepPhase phase;
};
/// A long stage goes on, now and then: `done` of `total` (0: not known yet).
struct StageProgressed {
  std::string_view what;
  std::size_t done, total;
};
/// A sweep has ended, or a pass that decided partitions or VL tables: the outcome is known.
struct SweepConcluded {};
/// The members of multicast groups changed, and trees have to follow.
struct GroupsChanged {};
/// The journal of subnet administration has these lines now (sm/sa/registrations/persistence.h).
/// `everything`: applied to an empty state they give the present one.
struct RegistrationsStored {
  std::string_view lines;
  bool everything;
};
/// The journal has other partitions of the API now. Only PartitionChanges gets this.
struct PartitionsStored {
  std::vector<mad::Guid> guids;     // whose memberships changed, ascending
  bool partitions_changed = false;  // attributes, or which partitions there are
};
/// PerformanceManager::counters() has changed.
struct CountersPublished {};

/// Gets events, on the runtime's thread, while what announces them waits. A listener handles those
/// that it overrides, and ignores the others.
class EventListener {
 public:
  virtual ~EventListener() = default;
  virtual void on(const StateEntered& /*event*/) {}
  virtual void on(const AnotherMasterWrote& /*event*/) {}
  virtual void on(const Resigned& /*event*/) {}
  virtual void on(const SubnetPublished& /*event*/) {}
  virtual void on(const SweepConcluded& /*event*/) {}
  virtual void on(const PhaseEntered& /*event*/) {}
  virtual void on(const StageProgressed& /*event*/) {}
  virtual void on(const GroupsChanged& /*event*/) {}
  virtual void on(const RegistrationsStored& /*event*/) {}
  virtual void on(const PartitionsStored& /*event*/) {}
  virtual void on(const CountersPublished& /*event*/) {}
};

/// Does nothing if `listener` is null.
template <class Event>
void announce(EventListener* listener, const Event& event) {
  if (listener != nullptr) listener->on(event);
}

}  // namespace sm
