#pragma once
// Apply, for multicast: MulticastForwardingTables and MulticastFDBTop.

#include <boost/asio/awaitable.hpp>
#include <vector>

#include "fabric/switch_graph.h"
#include "mad/smp_client.h"
#include "sm/sweep/apply.h"
#include "sm/sweep/multicast_memory.h"

namespace sm {

/// Reads units of the tables of which nothing is known, as far as the memory's blocks go. A unit
/// that cannot be read stays unknown, and is cleared before anything is added to it. Why read, and
/// not clear: a manager that restarts or takes over keeps the present trees, and no group loses a
/// packet.
boost::asio::awaitable<void> read_multicast(mad::SmpClient& client, const ApplyOptions& options,
                                            const Fabric& fabric, MulticastMemory& memory);

struct MulticastReport {
  ApplyReport applied;
  /// By slot of the graph: cables that must not become Active now, see routing::Attainable. Empty
  /// if there are none.
  std::vector<bool> hold_back;
};

/// Makes switches hold `wanted`, in an order in which no packet circulates or comes twice
/// (routing/multicast_update.h). All blocks of `wanted` are in the memory. What switches
/// acknowledge is remembered; a switch that does not is left as safe as can be and tried again by
/// the next call. MulticastFDBTop, where a switch has it and `use_top`: the highest MLID in use;
/// raised when nothing unknown lies below it, before entries that need it are written, and lowered
/// after entries are gone. It is written into `fabric`. Source: IBTA Vol 1, 14.2.5.12, 14.2.5.4
/// (MulticastFDBTop), 14.2.5.6 (CapabilityMask.IsMulticastFDBTopSupported).
boost::asio::awaitable<MulticastReport> program_multicast(mad::SmpClient& client,
                                                          const ApplyOptions& options,
                                                          Fabric& fabric, const SwitchGraph& graph,
                                                          const MulticastTables& wanted,
                                                          bool use_top, MulticastMemory& memory);

}  // namespace sm
