#pragma once
// This file reads qos-policy.conf: the QoS levels of the paths in PathRecord responses.

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/positioned_values.h"

namespace config {

/// Compares names of a policy: case is ignored, as in OpenSM.
inline bool same_qos_name(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return std::tolower(static_cast<unsigned char>(c)); };
  return std::ranges::equal(a, b, {}, lower, lower);
}

/// Names a port by the description of its node and its number there; written "description/P1".
struct QosPortName {
  std::string description;
  std::uint8_t port = 0;
  bool operator==(const QosPortName&) const = default;
};

/// A QosPortGroup is the union of the ports that its members name.
struct QosPortGroup {
  std::string name;  // empty: made from a qos-ulps line
  NumberRanges port_guids;
  NumberRanges p_keys;                  // members of one of these partitions; the low 15 bits
  std::vector<std::string> partitions;  // the same by the name in partitions.conf; case is ignored
  std::vector<QosPortName> port_names;
  bool cas = false, switches = false, routers = false,
       self = false;  // self: the port of the SM
  bool operator==(const QosPortGroup&) const = default;
};

/// Holds the limits of a path. An empty optional or an empty set means no limit.
struct QosLevel {
  std::string name;  // empty: made from a qos-ulps line
  std::uint8_t sl = 0;
  std::optional<std::uint8_t> mtu_limit, rate_limit;  // codes, as in PathRecord
  std::optional<std::uint8_t>
      packet_life;         // code; replaces subnet_timeout in responses, except for loopback
  NumberRanges path_bits;  // of source LIDs
  NumberRanges p_keys;     // the low 15 bits
  bool operator==(const QosLevel&) const = default;
};

/// A QosRule gives its level to the queries that satisfy all of its conditions. An empty condition
/// is always satisfied.
struct QosRule {
  std::size_t level = 0;                           // into QosPolicy::levels
  std::vector<std::size_t> sources, destinations;  // into QosPolicy::port_groups
  NumberRanges qos_classes, service_ids;
  NumberRanges p_keys;  // the low 15 bits
  bool operator==(const QosRule&) const = default;
};

struct QosPolicy {
  std::vector<QosPortGroup> port_groups;
  std::vector<QosLevel> levels;
  std::vector<QosRule>
      rules;  // the first match is used; those of qos-match-rules are before those of qos-ulps
  std::size_t default_level = 0;  // of queries that no rule matches; into levels
  bool operator==(const QosPolicy&) const = default;
};

}  // namespace config
