#pragma once
// What is to be done next, and when.

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>

#include "mad/ids.h"
#include "mad/runtime.h"
#include "sm/manager/unread_nodes.h"
#include "sm/sweep/sweeper.h"

namespace sm {

/// Collects what traps, timers, reloads and sweeps request, and says what comes next. Time is
/// passed in; nothing here waits, sends or logs.
class SweepScheduler {
 public:
  /// After a sweep that left errors: doubles with every failure up to the last.
  static constexpr mad::Duration kRetryFirst = std::chrono::seconds(1);
  static constexpr mad::Duration kRetryLast = std::chrono::seconds(30);

  enum class Action : std::uint8_t {
    rest,                 // nothing is requested: wait for deadline()
    sweep,                // take_order() says of what
    reprogram_p_keys,     // the partitions changed, and nothing else did
    reprogram_vl_tables,  // the lists of SL to VL and VL arbitration changed, and nothing else did
    program_groups,       // members of multicast groups changed
  };

  // ---- requests
  void request_everything(std::string why, bool trust_tables = true);
  void request_node(mad::Guid node, std::string why);
  void request_p_keys() { p_keys_ = true; }
  void request_vl_tables() { vl_tables_ = true; }
  void request_groups() { groups_ = true; }
  void request_light_sweep(mad::TimePoint now) { deadline_ = now; }

  // ---- what comes next
  Action next() const;
  /// Of Action::sweep. Without a subnet that was programmed, everything. A sweep includes P_Keys
  /// and VL tables.
  SweepOrder take_order(bool has_subnet);
  /// Of the other actions: false without a request.
  bool take_p_keys() { return std::exchange(p_keys_, false); }
  bool take_vl_tables() { return std::exchange(vl_tables_, false); }
  bool take_groups() { return std::exchange(groups_, false); }
  bool groups_requested() const { return groups_; }

  /// When to do something without a request; TimePoint::max(): never. `interval` 0: no light
  /// sweeps.
  mad::TimePoint deadline(mad::Duration interval) const;
  /// The deadline has come. True: it is time for a light sweep. False: what is due was requested.
  bool on_deadline(mad::TimePoint now, mad::Duration interval, bool has_subnet,
                   bool force_heavy_sweep);

  // ---- how it ended
  void sweep_succeeded(mad::TimePoint now, mad::Duration interval);
  void sweep_failed(mad::TimePoint now);
  void port_is_down(mad::TimePoint now);
  void groups_failed(mad::TimePoint now);
  /// Nodes that left requests without a response. Light sweeps are made when their time has come.
  UnreadNodes& unread() { return unread_; }
  void light_sweep_done(mad::TimePoint now, mad::Duration interval);
  /// Failed sweeps in a row.
  unsigned failures() const { return failures_; }

 private:
  bool everything_ = true;
  bool trust_tables_ = true;
  bool p_keys_ = false, vl_tables_ = false;
  bool groups_ = false;
  bool groups_failed_ = false;  // some switch did not take its part
  std::set<mad::Guid> changed_;
  UnreadNodes unread_;
  std::string why_ = "start";
  std::string why_failed_;
  mad::TimePoint deadline_{};
  unsigned failures_ = 0;
};

}  // namespace sm
