#pragma once
// Rates of a port between the two latest polls of its counters. Pure.

#include <optional>

#include "fabric/fabric.h"
#include "sm/performance/counters.h"

namespace sm {

/// Returns what `from` has sent, or else `to` received, in Gbit/s; nothing if neither is known.
/// Either may be null.
std::optional<double> gbps(const PortCounters* from, const PortCounters* to);
/// Counts symbol errors, recoveries and losses of the link, PortRcvErrors and discards; 0 for null.
double errors_per_hour(const PortCounters* port);
/// Counts the same errors: what the port showed when it was read first, and the growth since.
std::uint64_t total_errors(const PortCounters& port);
/// Returns the share of the link's rate that the busier direction uses, 0 to 1.
double load_of_link(const Port& port, const PortCounters& counters);

}  // namespace sm
