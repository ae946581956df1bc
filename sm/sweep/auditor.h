#pragma once
// Anti-entropy between sweeps: what devices hold is read back, slowly, and compared.

#include <boost/asio/awaitable.hpp>
#include <span>
#include <vector>

#include "sm/sweep/apply/environment.h"
#include "sm/sweep/observe/audit.h"
#include "sm/sweep/state.h"

namespace sm {

/// How a part of an audit ended.
struct AuditStep {
  std::vector<mad::Guid> differing;  // nodes that hold something else than is known: to be swept
  bool everything = false;           // one of them has another NodeInfo: all is to be read again
  bool groups = false;  // a switch holds multicast entries that are not wanted: to be programmed
  bool pass_is_over = false;
};

class Auditor {
 public:
  /// Neither reference is owned.
  Auditor(SweepEnvironment& environment, State& state) : environment_(environment), state_(state) {}

  /// Reads the next attributes back, `count` at most and one after the other, and compares them
  /// with what is known. After a difference the tables of that node count as unknown. Not while
  /// anything else runs; without a subnet it does nothing.
  boost::asio::awaitable<AuditStep> step(unsigned count);
  /// The next step() begins a pass.
  void restart() { cursor_ = {}; }
  /// How many attributes a pass reads.
  std::size_t size() const {
    return state_.subnet ? audit_size(*state_.subnet, state_.devices) : 0;
  }

 private:
  void note_difference(const Subnet& subnet, const AuditItem& item,
                       std::span<const std::uint8_t, 64> data, AuditStep& step);
  bool learn_multicast(const Subnet& subnet, const AuditItem& item,
                       std::span<const std::uint8_t, 64> data);
  bool note_right_table(const Subnet& subnet, const AuditItem& item,
                        std::span<const std::uint8_t, 64> data);

  SweepEnvironment& environment_;
  State& state_;
  AuditCursor cursor_;
};

}  // namespace sm
