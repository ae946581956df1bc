#pragma once
// Disables ports that report link errors without end (babbling_port_policy).

#include <boost/asio/awaitable.hpp>
#include <optional>
#include <set>
#include <vector>

#include "fabric/condition.h"
#include "fabric/fabric.h"
#include "mad/smp_client.h"
#include "sm/health/link_health.h"

namespace sm {

/// Returns the end to disable of the link at port `number` of a node (NodeGUID): the end nearer to
/// the manager, which still answers afterwards. Returns nullopt if the port is not in the fabric,
/// or its link is the manager's own.
std::optional<PortIndex> port_to_disable(const Fabric& fabric, mad::Guid node, mad::PortNum number);

enum class Disabling : std::uint8_t {
  done,
  not_accepted,
  not_answered,  // no node is where the port was: it is left alone
  elsewhere,     // another node is, or behind it: it is left alone
};
/// Sets PortState Down and PortPhysicalState Disabled, if the node and the node behind the port are
/// still the known ones: errors often come from cables that are moved. A silent node behind the
/// port is no obstacle, since its link is the faulty one.
boost::asio::awaitable<Disabling> disable_port(mad::SmpClient& client, const Fabric& fabric,
                                               PortIndex port);

/// Holds ports that this manager has disabled, until they are enabled or disappear. Not kept over
/// restarts: nothing shows which manager has disabled a port. A value.
class DisabledPorts {
 public:
  void note(mad::Guid node, mad::PortNum port) { ports_.insert({node, port}); }
  /// Forgets ports that disappeared or show another PortPhysicalState than Disabled.
  void update_from(const Fabric& fabric);
  /// Returns SM-PORT-DISABLED for each port.
  std::vector<Condition> conditions(const Fabric& fabric) const;

 private:
  std::set<PortPlace> ports_;
};

}  // namespace sm
