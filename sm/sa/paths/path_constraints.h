#pragma once
// Selectors of a path's MTU, rate and packet lifetime, and the values of the response (IBTA Vol 1,
// 15.2.5.16; the returned value is OpenSM's).

#include <cstdint>
#include <optional>

#include "config/qos_policy.h"
#include "fabric/subnet.h"
#include "mad/path_units.h"

namespace sa {

/// Selector and code of a request; `best` if the request has none.
struct Bound {
  mad::Selector selector = mad::Selector::best;
  std::uint8_t code = 0;
  bool is_given = false;  // by the request

  /// True unless the selector is `best`, which ignores the code.
  bool has_code() const { return selector != mad::Selector::best; }
};

/// Returns the value in the response for a path that has `available`, or nullopt if the path does
/// not satisfy the bound. greater_than: the path has more, the result is `available`. less_than:
/// the result is `available`, or the next code below the bound. exactly: the path has at least the
/// code, which is the result; for a rate, exactly the code.
std::optional<std::uint8_t> bounded_mtu(const Bound& bound, std::uint8_t available);
std::optional<std::uint8_t> bounded_rate(const Bound& bound, std::uint8_t available);
std::optional<std::uint8_t> bounded_life(const Bound& bound, std::uint8_t available);

/// Returns false if no path that has `most` or less satisfies the bound.
bool may_satisfy_mtu(const Bound& bound, std::uint8_t most);
bool may_satisfy_rate(const Bound& bound, std::uint8_t most);

/// True if a fixed `value`, such as a multicast group's, satisfies the bound.
bool holds_mtu(const Bound& bound, std::uint8_t value);
bool holds_rate(const Bound& bound, std::uint8_t value);
bool holds_life(const Bound& bound, std::uint8_t value);

// Selects the QoS level of a path (the policy: config/qos_policy.h).

/// The components of a query that select a QoS level. An absent component satisfies no condition.
struct QosTraffic {
  std::optional<std::uint16_t> qos_class;
  std::optional<std::uint64_t> service_id;
  std::optional<mad::PKey> p_key;
};

/// True if the end is in the group. A switch matches by its description with any port number, since
/// port 0 represents all its ports. A vport matches by its own GUID and P_Keys, and by its host's
/// type and name. No allocation.
bool is_in(const fabric::Subnet& subnet, fabric::EndPoint end, const config::QosPortGroup& group);

/// Returns the level of a path between two ends: the level of the first rule whose conditions all
/// hold, else the default. No allocation.
const config::QosLevel& find_qos_level(const config::QosPolicy& policy,
                                       const fabric::Subnet& subnet, fabric::EndPoint from,
                                       fabric::EndPoint to, const QosTraffic& traffic);

}  // namespace sa
