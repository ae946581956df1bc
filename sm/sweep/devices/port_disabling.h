#pragma once
// babbling_port_policy: ports that report link errors without end are disabled.

#include <boost/asio/awaitable.hpp>
#include <optional>
#include <set>
#include <vector>

#include "fabric/condition.h"
#include "fabric/fabric.h"
#include "mad/smp_client.h"
#include "sm/health/link_health.h"

namespace sm {

/// The end to disable of the link at port `number` of a node (NodeGUID): the one nearer to the
/// manager, which still answers afterwards. Nothing if the port is not in the fabric, or its link
/// is the manager's own.
std::optional<PortIndex> port_to_disable(const Fabric& fabric, mad::Guid node, mad::PortNum number);

enum class Disabling : std::uint8_t {
  done,
  not_accepted,
  not_answered,  // no node is where the port was: it is left alone
  elsewhere,     // another node is, or behind it: it is left alone
};
/// Set(PortInfo) with PortState Down and PortPhysicalState Disabled, if the node and the one behind
/// the port say that they are the ones: ports that report errors are those whose cables are moved.
/// One behind it that does not answer is no reason, as its link is the one with errors.
boost::asio::awaitable<Disabling> disable_port(mad::SmpClient& client, const Fabric& fabric,
                                               PortIndex port);

/// Ports that this manager has disabled, until they are enabled or gone. Not kept over restarts:
/// nothing shows who has disabled a port. A value.
class DisabledPorts {
 public:
  void note(mad::Guid node, mad::PortNum port) { ports_.insert({node, port}); }
  /// Forgets ports that are gone or show another PortPhysicalState than Disabled.
  void update_from(const Fabric& fabric);
  /// SM-PORT-DISABLED for each port.
  std::vector<Condition> conditions(const Fabric& fabric) const;

 private:
  std::set<PortPlace> ports_;
};

}  // namespace sm
