#pragma once
// What happens in a manager, as typed events. This is the only list of them: a part that has
// something to announce gets an EventListener, and Manager::on() (sm/manager/reactions.cpp) says
// for each event which parts react, and in which order.

#include <cstddef>
#include <cstdint>
#include <memory>

#include "fabric/subnet.h"
#include "mad/attributes/sm_info.h"
#include "sm/context/sweep_context.h"

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
/// A sweep has ended, or a pass that decided partitions or VL tables: the outcome is known.
struct SweepConcluded {};

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
};

}  // namespace sm
