#pragma once
// Reads everything that Heddle knows from the nodes of a fabric, with its outcomes.

#include <boost/asio/awaitable.hpp>
#include <cstddef>
#include <functional>

#include "fabric/namespace.h"
#include "fabric/recording/recording.h"
#include "mad/smp_client.h"

namespace sm::ctl {

struct RecordOptions {
  /// Nodes found and answers so far; called after every outcome.
  std::function<void(std::size_t nodes, std::size_t answers)> on_progress;
  std::size_t nodes_max = kRecordedNodesMax;
};

/// Sends SubnGet only, within the client's window and its bound for silent nodes, with the M_Keys
/// of the client's source. Keys are masked. Shape:  nodes in breadth-first order, ports of a node
/// in ascending order, so that the same
///         fabric gives the same recording but for times. No node if the own port did not answer.
/// Attributes: NodeInfo, NodeDescription, SwitchInfo, PortInfo of every port, GUIDInfo, P_Key
///         tables, SL to VL mapping and VL arbitration of ports that are up, forwarding tables up
///         to their tops, SMInfo of ports with IsSM, those that a CapabilityMask announces, and of
///         devices with NVIDIA's VendorID what they have beyond the specification: of tables of
///         adaptive routing the first two blocks. Not VendorDiag, whose modifier depends on the
///         vendor.
/// A NodeGUID that a second node has is a node of its own if it is reached by a port that is the
/// end of another link.
boost::asio::awaitable<Recording> record(mad::SmpClient& client, RecordOptions options);

}  // namespace sm::ctl
