#pragma once
// Counters of a manager since its start, for metrics. They belong to the control thread; others get
// copies.

#include <array>
#include <cstdint>
#include <map>
#include <string_view>

#include "mad/attributes/notice.h"
#include "mad/duration_histogram.h"
#include "mad/smp_client.h"

namespace sm {

enum class SweepKind : std::uint8_t {
  heavy,   // everything was read
  light,   // switches and their ports' states were read
  repair,  // only of nodes that had changed
};
inline constexpr std::array<std::string_view, 3> kSweepKinds{"heavy", "light", "repair"};

enum class SweepOutcome : std::uint8_t {
  subnet_up,   // all is programmed
  errors,      // something was not written, or could not be computed
  incomplete,  // it ended before the decision: no link, another master, or the end of the process
  unchanged,   // of a light sweep: nothing is to be done
  changed,     // of a light sweep: a sweep of what has changed follows
};
inline constexpr std::array<std::string_view, 5> kSweepOutcomes{"subnet_up", "errors", "incomplete",
                                                                "unchanged", "changed"};

inline constexpr std::array kSweepBoundsS{0.001, 0.00316, 0.01, 0.0316, 0.1,  0.316,
                                          1.0,   3.16,    10.0, 31.6,   100.0};

/// Counts traps that arrived. Memory is bounded: unknown numbers count as 0.
class TrapCounts {
 public:
  void count(const mad::Notice& notice);
  const std::map<std::uint16_t, std::uint64_t>& counts() const { return counts_; }

 private:
  std::map<std::uint16_t, std::uint64_t> counts_;
};

struct ManagerStatistics {
  using Durations = mad::DurationHistogram;
  std::array<Durations, kSweepKinds.size()> sweep_durations{
      Durations(kSweepBoundsS), Durations(kSweepBoundsS), Durations(kSweepBoundsS)};
  std::array<std::array<std::uint64_t, kSweepOutcomes.size()>, kSweepKinds.size()> sweeps{};
  Durations routing_durations{kSweepBoundsS};  // unicast tables, with their verification
  TrapCounts traps;
  std::uint64_t reloads_taken = 0, reloads_rejected = 0;

  void sweep_ended(SweepKind kind, SweepOutcome outcome, mad::Duration duration) {
    sweep_durations[static_cast<std::size_t>(kind)].observe(duration);
    ++sweeps[static_cast<std::size_t>(kind)][static_cast<std::size_t>(outcome)];
  }
};

}  // namespace sm
