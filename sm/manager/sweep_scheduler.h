#pragma once
// SweepScheduler decides which work comes next, and when.

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "mad/backoff.h"
#include "mad/ids.h"
#include "sm/manager/unread_nodes.h"
#include "sm/manager/vport_pace.h"
#include "sm/sweep/observe/single_reads.h"
#include "sm/sweep/sweeper.h"

namespace sm {

/// Collects what traps, timers, reloads and sweeps request, and says what comes next. Time is
/// passed in; nothing here waits, sends or logs.
class SweepScheduler {
 public:
  /// After a sweep that left errors: doubles with every failure up to the last.
  static constexpr mad::Duration kRetryFirst = std::chrono::seconds(1);
  static constexpr mad::Duration kRetryLast = std::chrono::seconds(30);
  /// Between light sweeps, and between reads of nodes, that traps request.
  static constexpr mad::Duration kTrapPause = std::chrono::seconds(1);

  /// Between programming of vports because of traps: what is requested in between is one.
  static constexpr mad::Duration kVPortsPause = std::chrono::milliseconds(20);

  /// Between reads of routers' tables: each may publish another subnet, and paths are to move
  /// within 200 ms.
  static constexpr mad::Duration kRoutersPause = std::chrono::milliseconds(100);

  enum class Action : std::uint8_t {
    rest,            // nothing is requested: wait for deadline()
    sweep,           // take_sweep() says of what
    program_parts,   // take_parts() says which parts changed, and nothing else did
    read_single,     // a few attributes, which a trap is about
    disable_port,    // a port repeats traps without end (babbling_port_policy)
    program_vports,  // hosts have started, moved or ended vports
    program_groups,  // members of multicast groups changed
    read_routers,    // what routers say that they reach
  };

  // ---- requests
  /// A trap that requests something arrived then: of those since the last sweep the first counts.
  void note_arrival(mad::TimePoint arrival) {
    if (!arrived_ || arrival < *arrived_) arrived_ = arrival;
  }
  void request_everything(std::string why, bool trust_tables = true, bool audits_tables = false);
  /// All routes are chosen from the beginning.
  void request_rebalance();
  void request_node(mad::Guid node, std::string why);
  /// Reads a switch again behind whose port something answers that the last survey did not find.
  void request_answering(mad::Guid node, std::string why);
  void request_p_keys() { p_keys_ = true; }
  void request_vl_tables() { vl_tables_ = true; }
  void request_m_keys() { m_keys_ = true; }
  void request_members() { members_ = true; }
  void request_groups() { groups_ = true; }
  /// At once, or when the pause since the previous time has passed.
  void request_routers(mad::TimePoint now) {
    routers_due_ = std::min(routers_due_, std::max(now, last_routers_ + kRoutersPause));
    if (routers_due_ <= now) begin_routers();
  }
  /// The vports of a physical port (its GUID).
  void request_vports(mad::Guid port) { vports_.insert(port); }
  /// Because of a trap of that port, when VPortPace says; a repeated one (`repeats`: TrapDamper has
  /// seen many) not before kVPortsPause after the previous time. True if it is to be done at once,
  /// or the deadline changed.
  bool request_vports_of_trap(mad::Guid port, mad::TimePoint now, bool repeats);
  /// Because of a trap: at most one in kTrapPause. After a sweep with errors, the next sweep reads
  /// everything anyway.
  void request_light_sweep(mad::TimePoint now);
  void request_description(mad::Guid node) { descriptions_.insert(node); }
  void request_manager(mad::Guid port) { managers_.insert(port); }
  /// A node sends more traps than are handled: its state is read within kTrapPause, once for all
  /// requests until then. True if the deadline changed.
  bool request_check(mad::Guid node, mad::TimePoint now);
  /// Acts as request_check(), at once.
  void request_state(mad::Guid node) {
    checks_.insert(node);
    checks_ready_ = true;
  }
  void request_disabling(mad::Guid node, mad::PortNum port) { disabled_.emplace(node, port); }

  /// No sweep comes next until hold(false): what requests one is kept. What needs none is done.
  void hold(bool on) { held_ = on; }
  bool is_held() const { return held_; }

  // ---- what comes next
  Action next() const;
  /// The request of Action::sweep. Without a subnet that was programmed, everything. A sweep
  /// includes P_Keys and VL tables.
  PassRequest take_sweep(bool has_subnet);
  /// The request of Action::program_parts: the partitions, memberships in partitions of the API
  /// (`members` is the caller's to fill), VL tables, and M_Keys.
  PassRequest take_parts();
  /// False without a request.
  bool take_groups() { return std::exchange(groups_, false); }
  void take_routers(mad::TimePoint now) {
    routers_ = false;
    last_routers_ = now;
  }
  std::vector<mad::Guid> take_vports(mad::TimePoint now);
  SingleReads take_reads();
  std::set<std::pair<mad::Guid, mad::PortNum>> take_disabled() {
    return std::exchange(disabled_, {});
  }
  bool groups_requested() const { return groups_; }

  /// When to do something without a request; TimePoint::max(): never. `interval` 0: no light
  /// sweeps but those that traps request.
  mad::TimePoint deadline(mad::Duration interval) const;
  /// The deadline has come. True: it is time for a light sweep. False: what is due was requested.
  bool on_deadline(mad::TimePoint now, mad::Duration interval, bool has_subnet,
                   bool force_heavy_sweep);

  // ---- how it ended
  /// The next light sweep is `interval` after a sweep of everything; one of a few nodes puts it off
  /// only if sweeps before it failed.
  void sweep_succeeded(mad::TimePoint now, mad::Duration interval);
  /// It is repeated after a pause that grows. `unwritten`: it had succeeded but for the silence of
  /// these nodes; then every other repetition reads these alone.
  void sweep_failed(mad::TimePoint now, std::span<const mad::Guid> unwritten = {});
  void port_is_down(mad::TimePoint now);
  /// `complete`: every switch took its part of the multicast tables. Else they are programmed again
  /// after pauses that grow, beside what members request.
  void groups_done(bool complete, mad::TimePoint now);
  /// Nodes that left requests without a response. Light sweeps are made when their time has come.
  UnreadNodes& unread() { return unread_; }
  void light_sweep_done(mad::TimePoint now, mad::Duration interval);
  /// Failed sweeps in a row.
  unsigned failures() const { return failures_; }

 private:
  bool held_ = false;
  bool everything_ = true;
  bool reads_everything_ = false;  // the sweep that runs
  bool trust_tables_ = true;
  bool reads_tables_ = false;  // one of the requests leaves none to the audit
  bool rebalance_ = false;
  bool p_keys_ = false, vl_tables_ = false, members_ = false, m_keys_ = false;
  bool groups_ = false, routers_ = false;
  std::set<mad::Guid> changed_, answering_;
  std::set<mad::Guid> unwritten_;  // what the next repetition is limited to; empty: nothing
  UnreadNodes unread_;
  std::string why_ = "start";
  std::optional<mad::TimePoint> arrived_;  // of the first trap since the last sweep
  std::string why_failed_;
  mad::TimePoint deadline_{};
  unsigned failures_ = 0;
  mad::Backoff retry_{kRetryFirst, kRetryLast}, groups_retry_{kRetryFirst, kRetryLast};

  // Requests of traps
  std::set<mad::Guid> descriptions_, managers_, checks_, vports_;
  std::map<mad::Guid, mad::TimePoint> vports_later_;
  VPortPace vport_pace_;
  std::set<std::pair<mad::Guid, mad::PortNum>> disabled_;
  static constexpr mad::TimePoint kNever = mad::TimePoint::max();
  mad::TimePoint groups_due_ = kNever, checks_due_ = kNever, light_sweep_due_ = kNever,
                 routers_due_ = kNever, last_light_sweep_{}, last_vports_{}, last_routers_{};
  bool checks_ready_ = false;

  mad::TimePoint vports_due() const;
  void begin_routers() {
    routers_due_ = kNever;
    routers_ = true;
  }
};

}  // namespace sm
