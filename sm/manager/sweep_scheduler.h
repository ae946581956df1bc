#pragma once
// SweepScheduler decides which work comes next, and when.

#include <algorithm>
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

/// Holds nodes that left requests without a response. Each is read again after kPauseFirst, then
/// with pauses that double up to kPauseLast, until it answers. One of them never causes more than
/// that: neither a sweep of everything nor log lines. Time is passed in. At most one entry for each
/// node that a survey met.
class UnreadNodes {
 public:
  static constexpr mad::Duration kPauseFirst = std::chrono::seconds(1),
                                 kPauseLast = std::chrono::seconds(30);

  /// After a survey, by NodeGUID: `unread` left requests without a response; all others of `read`
  /// answered.
  void note(std::span<const mad::Guid> unread, std::span<const mad::Guid> read, mad::TimePoint now);
  /// After a survey of everything: what is not in `unread` answered, or is not in the fabric.
  void note_all(std::span<const mad::Guid> unread, mad::TimePoint now);

  /// When the first of them is to be read again; TimePoint::max() without one.
  mad::TimePoint next() const;
  /// Returns the nodes whose time has come. They are due again after a longer pause.
  std::set<mad::Guid> take_due(mad::TimePoint now);
  /// Returns the nodes whose time has not come.
  std::set<mad::Guid> waiting(mad::TimePoint now) const;

 private:
  struct Entry {
    mad::Backoff pause{kPauseFirst, kPauseLast};
    mad::TimePoint due;
  };
  std::map<mad::Guid, Entry> entries_;
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
    if (!pending_.changed.empty() || !reads_.states.empty() || next() != Action::rest)
      pending_.add({.arrived = arrival});
  }
  void request_everything(std::string why, bool trust_tables = true, bool audits_tables = false) {
    pending_.add({.everything = true,
                  .trust_tables = trust_tables,
                  .audits_tables = audits_tables,
                  .why = std::move(why)});
  }
  /// Requests that all routes are chosen again, without regard to the present ones.
  void request_rebalance() {
    pending_.add({.everything = true, .reroute = true, .why = "rebalance"});
  }
  /// Requests that routes move until fewer flows of shift permutations share a link. `node` is read
  /// again, since a sweep reads something.
  void request_conflict_removal(mad::Guid node) {
    pending_.add({.changed = {node},
                  .removes_conflicts = true,
                  .why = "routes on which fewer flows share a link"});
  }
  void request_node(mad::Guid node, std::string why) {
    pending_.add({.changed = {node}, .why = std::move(why)});
  }
  /// Withdraws the requests of nodes that the running sweep has read since they were requested.
  void were_read(std::span<const mad::Guid> nodes) {
    for (const mad::Guid node : nodes) {
      const auto [first, last] = std::ranges::equal_range(pending_.changed, node);
      pending_.changed.erase(first, last);
    }
    if (!pending_.has_survey() && !nodes.empty()) pending_.arrived.reset();
  }
  /// Requests a read of a switch because an unknown device answers behind one of its ports.
  void request_answering(mad::Guid node, std::string why) {
    pending_.add({.changed = {node}, .answering = {node}, .why = std::move(why)});
  }
  void request_p_keys() { pending_.p_keys = true; }
  void request_vl_tables() { pending_.vl_tables = true; }
  void request_m_keys() { pending_.m_keys = true; }
  void request_members() { pending_.members.emplace(); }
  void request_groups() { pending_.groups = true; }
  /// Requests a read of routers at once, or when the pause since the previous read has passed.
  void request_routers(mad::TimePoint now) {
    due_.routers = std::min(due_.routers, std::max(now, last_.routers + kRoutersPause));
    if (due_.routers <= now) begin_routers();
  }
  /// Requests the vports of a physical port (its GUID).
  void request_vports(mad::Guid port) {
    pending_.add({.vports = VPortChanges{.ports = {port}, .only_changes = true}});
  }
  /// Requests vports because of a trap of that port, when VPortPace admits it. A repeated trap
  /// (`repeats`: TrapDamper has seen many) waits until kVPortsPause after the previous time.
  /// Returns true if the work is due at once, or the deadline changed.
  bool request_vports_of_trap(mad::Guid port, mad::TimePoint now, bool repeats);
  /// Requests a light sweep because of a trap, at most one in kTrapPause. After a sweep with
  /// errors, the next sweep reads everything anyway.
  void request_light_sweep(mad::TimePoint now);
  void request_description(mad::Guid node) { reads_.descriptions.insert(node); }
  void request_manager(mad::Guid port) { reads_.managers.insert(port); }
  /// Requests the state of a node that sends more traps than are handled. It is read within
  /// kTrapPause, once for all requests until then. Returns true if the deadline changed.
  bool request_check(mad::Guid node, mad::TimePoint now);
  /// Requests that these P_Key tables are read back: at once, or kTrapPause after the previous
  /// time, together with all requests until then. Of the vports of one port the latest is read.
  /// Returns true if the read is due, or the deadline changed.
  bool request_p_key_check(const PKeyCheck& check, mad::TimePoint now);
  /// Acts as request_check(), at once.
  void request_state(mad::Guid node) {
    reads_.states.insert(node);
    reads_.are_ready = true;
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
  PassRequest take_parts() { return pending_.take_parts(); }
  /// Returns false if there was no request.
  bool take_groups() { return std::exchange(pending_.groups, false); }
  void take_routers(mad::TimePoint now) {
    pending_.routers = false;
    last_.routers = now;
  }
  std::vector<mad::Guid> take_vports(mad::TimePoint now);
  SingleReads take_reads(mad::TimePoint now);
  std::set<std::pair<mad::Guid, mad::PortNum>> take_disabled() {
    return std::exchange(disabled_, {});
  }
  bool groups_requested() const { return pending_.groups; }

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
  static constexpr mad::TimePoint kNever = mad::TimePoint::max();
  /// Holds what traps named, as SingleReads has it.
  struct Reads {
    std::set<mad::Guid> descriptions, managers, states;
    std::map<mad::Guid, PKeyCheck> p_keys;  // by port
    bool are_ready = false;                 // states and p_keys: they need not wait any more
  };
  /// Says when work begins that is not requested yet.
  struct DueTimes {
    mad::TimePoint groups = kNever, reads = kNever, light_sweep = kNever, routers = kNever;
    std::map<mad::Guid, mad::TimePoint> vports = {};  // by port
    mad::TimePoint first_vports() const;
  };
  /// Says when work was done the last time.
  struct LastTimes {
    mad::TimePoint light_sweep{}, vports{}, routers{}, p_keys{};
    mad::Guid p_key_port{};
  };

  std::vector<PKeyCheck> take_p_key_checks(mad::TimePoint now);
  void begin_routers() {
    due_.routers = kNever;
    pending_.routers = true;
  }

  PassRequest pending_{.everything = true, .why = "start"};
  Reads reads_;
  std::set<std::pair<mad::Guid, mad::PortNum>> disabled_;
  DueTimes due_;
  LastTimes last_;
  VPortPace vport_pace_;
  bool held_ = false;

  // Sweeps that run or failed
  bool reads_everything_ = false;  // the sweep that runs
  std::set<mad::Guid> unwritten_;  // what the next repetition is limited to; empty: nothing
  UnreadNodes unread_;
  std::string why_failed_;
  mad::TimePoint deadline_{};
  unsigned failures_ = 0;
  mad::Backoff retry_{kRetryFirst, kRetryLast}, groups_retry_{kRetryFirst, kRetryLast};
};

}  // namespace sm
