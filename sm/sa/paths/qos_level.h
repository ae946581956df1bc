#pragma once
// Selection of the QoS level of a path (the policy: config/qos_policy.h).

#include <cstdint>
#include <optional>

#include "config/qos_policy.h"
#include "fabric/subnet.h"

namespace sa {

/// The components of a query that select a QoS level. An absent component satisfies no condition.
struct QosTraffic {
  std::optional<std::uint16_t> qos_class;
  std::optional<std::uint64_t> service_id;
  std::optional<mad::PKey> p_key;
};

/// The end port is in the group. A switch matches by its description with any port number, since
/// port 0 represents all its ports. No allocation.
bool is_in(const sm::Subnet& subnet, sm::PortIndex port, const config::QosPortGroup& group);

/// The level of a path between two end ports: that of the first rule whose conditions all hold,
/// else the default. No allocation.
const config::QosLevel& find_qos_level(const config::QosPolicy& policy, const sm::Subnet& subnet,
                                       sm::PortIndex from, sm::PortIndex to,
                                       const QosTraffic& traffic);

}  // namespace sa
