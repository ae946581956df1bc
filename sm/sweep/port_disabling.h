#pragma once
// babbling_port_policy: ports that report link errors without end are disabled.

#include <boost/asio/awaitable.hpp>
#include <optional>

#include "fabric/fabric.h"
#include "mad/smp_client.h"

namespace sm {

/// The end to disable of the link at port `number` of a node (NodeGUID): the one nearer to the
/// manager, which still answers afterwards. Nothing if the port is not in the fabric, or its link
/// is the manager's own.
std::optional<PortIndex> port_to_disable(const Fabric& fabric, mad::Guid node, mad::PortNum number);

/// Set(PortInfo) with PortState Down and PortPhysicalState Disabled. False if it was not accepted.
boost::asio::awaitable<bool> disable_port(mad::SmpClient& client, const Fabric& fabric,
                                          PortIndex port);

}  // namespace sm
