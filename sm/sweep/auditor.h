#pragma once
// The auditor slowly reads back what devices hold between sweeps, and compares it.

#include <boost/asio/awaitable.hpp>
#include <span>
#include <vector>

#include "sm/sweep/apply/environment.h"
#include "sm/sweep/observe/audit.h"
#include "sm/sweep/state.h"

namespace sm {

/// Holds the outcome of one step of an audit.
struct AuditStep {
  std::vector<mad::Guid> differing;  // nodes that hold something else than is known: to be swept
  bool everything = false;           // one of them has another NodeInfo: all is to be read again
  bool groups = false;  // a switch holds multicast entries that are not wanted: to be programmed
  bool pass_is_over = false;
};

class Auditor {
 public:
  /// The auditor owns neither reference.
  Auditor(SweepEnvironment& environment, State& state) : environment_(environment), state_(state) {}

  /// Reads back the next attributes, at most `count` and one after the other, and compares them
  /// with what is known. After a difference the tables of that node count as unknown. The caller
  /// runs this while no pass runs. Without a subnet it does nothing.
  boost::asio::awaitable<AuditStep> step(unsigned count);
  /// Reads these P_Key tables back now, and compares them as step() does.
  boost::asio::awaitable<AuditStep> check_p_keys(std::vector<PKeyCheck> checks);
  /// Makes the next step() begin a new audit pass.
  void restart() { cursor_ = {}; }
  /// Returns how many attributes an audit pass reads.
  std::size_t size() const {
    return state_.subnet ? audit_size(*state_.subnet, state_.devices) : 0;
  }

 private:
  void note_difference(const Subnet& subnet, const AuditItem& item,
                       std::span<const std::uint8_t, 64> data, AuditStep& step);
  bool learn_multicast(const Subnet& subnet, const AuditItem& item,
                       std::span<const std::uint8_t, 64> data);
  bool note_matching_table(const Subnet& subnet, const AuditItem& item,
                           std::span<const std::uint8_t, 64> data);

  SweepEnvironment& environment_;
  State& state_;
  AuditCursor cursor_;
};

}  // namespace sm
