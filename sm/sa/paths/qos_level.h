#pragma once
// Which level of the QoS policy a path gets (config/qos_policy.h has the policy).

#include <cstdint>
#include <optional>

#include "config/qos_policy.h"
#include "fabric/subnet.h"

namespace sa {

/// What a question says of the traffic that it wants a path for; nothing: it does not say. What it
/// does not say satisfies no condition.
struct QosTraffic {
  std::optional<std::uint16_t> qos_class;
  std::optional<std::uint64_t> service_id;
  std::optional<mad::PKey> p_key;
};

/// An end port is in the group. A switch is in it by its description and any port number, since all
/// its ports go by port 0. No allocation.
bool is_in(const sm::Subnet& subnet, sm::PortIndex port, const config::QosPortGroup& group);

/// The level of a path between two end ports: that of the first rule of which it satisfies all
/// conditions, else the default. No allocation.
const config::QosLevel& find_qos_level(const config::QosPolicy& policy, const sm::Subnet& subnet,
                                       sm::PortIndex from, sm::PortIndex to,
                                       const QosTraffic& traffic);

}  // namespace sa
