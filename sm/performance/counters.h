#pragma once
// This file holds the performance counters of all ports as one value, which each poll publishes at
// its end. Any thread may read the value: it does not change.

#include <bit>
#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "mad/attributes/node_info.h"
#include "mad/ids.h"
#include "mad/runtime.h"

namespace sm {

/// Names the counters of a port. Data is in units of 4 bytes (the wire's), xmit_wait in ticks.
/// Source: IBTA Vol 1, 16.1.3.5 (PortCounters), 16.1.4.11 (PortCountersExtended), 16.1.4.2
/// (PortRcvErrorDetails).
enum class Counter : std::uint8_t {
  xmit_data,
  rcv_data,
  xmit_packets,
  rcv_packets,
  unicast_xmit_packets,
  unicast_rcv_packets,
  multicast_xmit_packets,
  multicast_rcv_packets,
  symbol_errors,
  link_error_recoveries,
  link_downed,
  rcv_errors,
  rcv_remote_physical_errors,
  rcv_switch_relay_errors,
  xmit_discards,
  xmit_constraint_errors,
  rcv_constraint_errors,
  local_link_integrity_errors,
  excessive_buffer_overruns,
  vl15_dropped,
  xmit_wait,
  qp1_dropped,
  // Counters of PortRcvErrorDetails
  local_physical_errors,
  malformed_packet_errors,
  buffer_overrun_errors,
  dlid_mapping_errors,
  vl_mapping_errors,
  looping_errors,
};
inline constexpr std::size_t kCounters = static_cast<std::size_t>(Counter::looping_errors) + 1;

/// Returns the name in the specification: "PortXmitData", "SymbolErrorCounter".
std::string_view name(Counter counter);

/// A CounterSet is a set of counters: bit n stands for the n-th Counter.
using CounterSet = std::uint32_t;
static_assert(kCounters <= 32);
constexpr CounterSet to_set(Counter counter) {
  return CounterSet{1} << static_cast<unsigned>(counter);
}

/// Names the result of the latest poll of a port.
enum class PortReading : std::uint8_t {
  none,     // not read yet, or left out by perfmgr_ignore_cas
  read,     // its counters were read
  down,     // it has no link: it was not queried, and keeps the values that it had
  refused,  // its agent rejects the query; as above
  silent,   // no response; as above
};
std::string_view name(PortReading reading);

/// Holds totals of counters and their growth per second. Most counters of a port are 0 at all
/// times: only the others take memory, 12 bytes each.
class CounterValues {
 public:
  std::uint64_t total(Counter counter) const {
    const Cell* const cell = find(counter);
    return cell == nullptr ? 0 : std::uint64_t{cell->total_high} << 32 | cell->total_low;
  }
  float rate(Counter counter) const {
    const Cell* const cell = find(counter);
    return cell == nullptr ? 0 : cell->per_second;
  }
  void set_total(Counter counter, std::uint64_t value);
  void set_rate(Counter counter, float per_second);
  void clear_rates();

 private:
  struct Cell {
    std::uint32_t total_low = 0, total_high = 0;
    float per_second = 0;
  };
  const Cell* find(Counter counter) const {
    if ((held_ & to_set(counter)) == 0) return nullptr;
    return &cells_[position(counter)];
  }
  std::size_t position(Counter counter) const {
    return static_cast<std::size_t>(std::popcount(held_ & (to_set(counter) - 1)));
  }
  Cell& cell(Counter counter);

  CounterSet held_ = 0;      // counters that have a cell
  std::vector<Cell> cells_;  // of these, ascending
};

/// Holds the counters of one port.
/// Units:  totals start with the value that the port showed when this process read it first, and
///   never decrease while the process lives: they continue if others clear counters, a node
///   restarts or LIDs change. A counter that has reached its largest value does not
///   change on the device any more, nor does its total (`saturated`).
struct PortCounters {
  mad::PortNum port;
  PortReading reading = PortReading::none;
  CounterSet present = 0;    // the others were never read, since the port has none
  CounterSet saturated = 0;  // stand at their largest value: growth from then on is not known
  /// Counts the hours in a row, up to the latest complete one, in which errors grew by more than
  /// perfmgr_*_per_hour. See noise.h.
  std::uint16_t noisy_hours = 0;
  std::uint32_t resets = 0;   // how often counters were found lower than before
  mad::TimePoint since{};     // when it was read first: growth is counted from then on
  mad::TimePoint read_at{};   // when it was read latest; TimePoint{}: never
  mad::Duration interval{};   // between the two latest readings; 0: there was only one
  CounterValues values = {};  // the rate is the growth over `interval`

  constexpr bool has(Counter counter) const { return (present & to_set(counter)) != 0; }
  constexpr bool is_saturated(Counter counter) const { return (saturated & to_set(counter)) != 0; }
  /// Returns 0 for a counter that the port does not have.
  std::uint64_t total(Counter counter) const { return values.total(counter); }
  double rate(Counter counter) const { return values.rate(counter); }
};

/// Holds the ports of one node, by number without gaps: 1..NumPorts of switches; of CAs and
/// routers, from the first to the last port that discovery found. Port 0 of a switch has no
/// counters.
struct NodeCounters {
  mad::Guid node;
  mad::NodeType type{};
  std::vector<PortCounters> ports;

  /// Returns null if there is no such port.
  const PortCounters* find(mad::PortNum port) const;
};

/// Holds the cost of one poll, and how it ended.
struct PollSummary {
  mad::TimePoint begun{}, ended{};
  std::chrono::sys_seconds ended_at{};  // the wall clock's
  std::uint32_t ports_read = 0, ports_down = 0, ports_refused = 0, ports_silent = 0;
  std::uint32_t nodes_silent = 0, nodes_redirected = 0;
  std::uint64_t queries = 0, repeated = 0;  // MADs sent, and those of them that were repetitions
};

struct PortCounterTable {
  std::vector<std::shared_ptr<const NodeCounters>> nodes;  // by NodeGUID, ascending; never null
  std::uint64_t polls = 0;                                 // complete ones, this one included
  PollSummary latest;

  /// Returns null if the node or port is not known. Costs O(log nodes).
  const NodeCounters* find(mad::Guid node) const;
  const PortCounters* find(mad::Guid node, mad::PortNum port) const;
};
using SharedPortCounters = std::shared_ptr<const PortCounterTable>;

}  // namespace sm
