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
#include "sm/sweep/observe/single_reads.h"
#include "sm/sweep/sweeper.h"

namespace sm {

/// Each programming decides about the vports of the whole fabric, and reads what has changed at
/// this port. A host may start hundreds of vports one after the other, so it has credit; one that
/// changes its vports, or says that it does, as fast as it can, spends it, and is served after
/// pauses that grow until it is quiet. Ports that wait for such a pause share the moment.
class VPortPace {
 public:
  static constexpr unsigned kAtOnce = 64;  // requests, before there are pauses
  /// A quiet time of at least this is worth a request.
  static constexpr mad::Duration kRequest = std::chrono::milliseconds(100);
  static constexpr mad::Duration kPauseFirst = kRequest, kPauseLast = std::chrono::seconds(2);

  /// A trap of the physical port (its GUID) arrived: when its vports may be programmed.
  mad::TimePoint request(mad::Guid port, mad::TimePoint now);
  /// Another one arrived before they were.
  void repeat(mad::Guid port, mad::TimePoint now);

 private:
  struct Port {
    mad::Duration credit = kAtOnce * kRequest;
    mad::TimePoint latest{};
    mad::Backoff pauses{kPauseFirst, kPauseLast};
  };
  Port& seen(mad::Guid port, mad::TimePoint now);
  void forget_quiet(mad::TimePoint now);

  std::map<mad::Guid, Port> ports_;  // without those that have all of their credit
  mad::TimePoint forgotten_{};
};

/// Collects what traps, timers, reloads and sweeps request, and selects the next work. Time is
/// passed in; nothing here waits, sends or logs.
class SweepScheduler {
 public:
  /// The delay after a sweep that left errors doubles with each failure, up to kRetryLast.
  static constexpr mad::Duration kRetryFirst = std::chrono::seconds(1);
  static constexpr mad::Duration kRetryLast = std::chrono::seconds(30);
  /// Traps request light sweeps, and reads of nodes, at most once in this time.
  static constexpr mad::Duration kTrapPause = std::chrono::seconds(1);

  /// Traps request programming of vports at most once in this time; requests in between are merged.
  static constexpr mad::Duration kVPortsPause = std::chrono::milliseconds(20);

  /// Traps request reads of at most so many ports' P_Key tables in kTrapPause; the other ports take
  /// their turn afterwards.
  static constexpr std::size_t kPKeyChecksMax = 128;

  /// Routers' tables are read at most once in this time: each read may publish another subnet, and
  /// paths must move within 200 ms.
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
  /// Notes the arrival of a trap, after what it requests; the earliest since the last sweep counts.
  void note_arrival(mad::TimePoint arrival) {
    const bool requests_reads = !changed_.empty() || !checks_.empty() || next() != Action::rest;
    if (requests_reads && (!arrived_ || arrival < *arrived_)) arrived_ = arrival;
  }
  void request_everything(std::string why, bool trust_tables = true, bool audits_tables = false);
  /// Requests that all routes are chosen again, without regard to the present ones.
  void request_rebalance();
  /// Requests that routes move until fewer flows of shift permutations share a link. `node` is read
  /// again, since a sweep reads something.
  void request_conflict_removal(mad::Guid node);
  void request_node(mad::Guid node, std::string why);
  /// Withdraws the requests of nodes that the running sweep has read since they were requested.
  void were_read(std::span<const mad::Guid> nodes) {
    for (const mad::Guid node : nodes) changed_.erase(node);
    if (changed_.empty() && !everything_ && !nodes.empty()) arrived_.reset();
  }
  /// Requests a read of a switch because an unknown device answers behind one of its ports.
  void request_answering(mad::Guid node, std::string why);
  void request_p_keys() { p_keys_ = true; }
  void request_vl_tables() { vl_tables_ = true; }
  void request_m_keys() { m_keys_ = true; }
  void request_members() { members_ = true; }
  void request_groups() { groups_ = true; }
  /// Requests a read of routers at once, or when the pause since the previous read has passed.
  void request_routers(mad::TimePoint now) {
    routers_due_ = std::min(routers_due_, std::max(now, last_routers_ + kRoutersPause));
    if (routers_due_ <= now) begin_routers();
  }
  /// Requests the vports of a physical port (its GUID).
  void request_vports(mad::Guid port) { vports_.insert(port); }
  /// Requests vports because of a trap of that port, when VPortPace admits it. A repeated trap
  /// (`repeats`: TrapDamper has seen many) waits until kVPortsPause after the previous time.
  /// Returns true if the work is due at once, or the deadline changed.
  bool request_vports_of_trap(mad::Guid port, mad::TimePoint now, bool repeats);
  /// Requests a light sweep because of a trap, at most one in kTrapPause. After a sweep with
  /// errors, the next sweep reads everything anyway.
  void request_light_sweep(mad::TimePoint now);
  void request_description(mad::Guid node) { descriptions_.insert(node); }
  void request_manager(mad::Guid port) { managers_.insert(port); }
  /// Requests the state of a node that sends more traps than are handled. It is read within
  /// kTrapPause, once for all requests until then. Returns true if the deadline changed.
  bool request_check(mad::Guid node, mad::TimePoint now);
  /// Requests that these P_Key tables are read back: at once, or kTrapPause after the previous
  /// time, together with all requests until then. Of the vports of one port the latest is read.
  /// Returns true if the read is due, or the deadline changed.
  bool request_p_key_check(const PKeyCheck& check, mad::TimePoint now);
  /// Acts as request_check(), at once.
  void request_state(mad::Guid node) {
    checks_.insert(node);
    checks_ready_ = true;
  }
  void request_disabling(mad::Guid node, mad::PortNum port) { disabled_.emplace(node, port); }

  /// Holds sweeps back until hold(false), and keeps their requests. Work without a sweep continues.
  void hold(bool on) { held_ = on; }
  bool is_held() const { return held_; }

  // ---- what comes next
  Action next() const;
  /// Returns the request of Action::sweep; everything, if no subnet was programmed. A sweep
  /// includes P_Keys and VL tables.
  PassRequest take_sweep(bool has_subnet);
  /// Returns the request of Action::program_parts: the partitions, memberships in partitions of the
  /// API (the caller fills `members`), VL tables, and M_Keys.
  PassRequest take_parts();
  /// Returns false if there was no request.
  bool take_groups() { return std::exchange(groups_, false); }
  void take_routers(mad::TimePoint now) {
    routers_ = false;
    last_routers_ = now;
  }
  std::vector<mad::Guid> take_vports(mad::TimePoint now);
  SingleReads take_reads(mad::TimePoint now);
  std::set<std::pair<mad::Guid, mad::PortNum>> take_disabled() {
    return std::exchange(disabled_, {});
  }
  bool groups_requested() const { return groups_; }

  /// Returns when work is due without a request; TimePoint::max() means never. With `interval` 0,
  /// only traps request light sweeps.
  mad::TimePoint deadline(mad::Duration interval) const;
  /// Handles the deadline. Returns true for a light sweep; else it has requested the due work.
  bool on_deadline(mad::TimePoint now, mad::Duration interval, bool has_subnet,
                   bool force_heavy_sweep);

  // ---- how it ended
  /// Schedules the next light sweep `interval` after a sweep of everything. A sweep of a few nodes
  /// postpones it only if sweeps before it failed.
  void sweep_succeeded(mad::TimePoint now, mad::Duration interval);
  /// Schedules another sweep after a growing pause. `unwritten` lists nodes whose silence was the
  /// only error; if there are any, every other repetition reads these nodes alone.
  void sweep_failed(mad::TimePoint now, std::span<const mad::Guid> unwritten = {});
  void port_is_down(mad::TimePoint now);
  /// `complete` means that every switch accepted its part of the multicast tables. Otherwise they
  /// are programmed again after growing pauses, in addition to requests of members.
  void groups_done(bool complete, mad::TimePoint now);
  /// Returns the nodes that left requests unanswered; light sweeps read them when due.
  UnreadNodes& unread() { return unread_; }
  void light_sweep_done(mad::TimePoint now, mad::Duration interval);
  /// Returns the number of sweeps that failed in a row.
  unsigned failures() const { return failures_; }

 private:
  bool held_ = false;
  bool everything_ = true;
  bool reads_everything_ = false;  // the sweep that runs
  bool trust_tables_ = true;
  bool reads_tables_ = false;  // one of the requests leaves none to the audit
  bool rebalance_ = false, conflicts_ = false;
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
  std::map<mad::Guid, PKeyCheck> p_key_checks_;  // by port
  mad::Guid last_p_key_check_;                   // that was taken
  std::map<mad::Guid, mad::TimePoint> vports_later_;
  VPortPace vport_pace_;
  std::set<std::pair<mad::Guid, mad::PortNum>> disabled_;
  static constexpr mad::TimePoint kNever = mad::TimePoint::max();
  mad::TimePoint groups_due_ = kNever, checks_due_ = kNever, light_sweep_due_ = kNever,
                 routers_due_ = kNever, last_light_sweep_{}, last_vports_{}, last_routers_{},
                 last_p_key_checks_{};
  bool checks_ready_ = false;

  mad::TimePoint vports_due() const;
  std::vector<PKeyCheck> take_p_key_checks(mad::TimePoint now);
  void begin_routers() {
    routers_due_ = kNever;
    routers_ = true;
  }
};

}  // namespace sm
