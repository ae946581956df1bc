#include <algorithm>

#include "sm/sa/paths/path_constraints.h"

namespace sa {
namespace {

/// `rank` orders the codes, `lower` gives the next code below one.
template <class Rank, class Lower>
std::optional<std::uint8_t> bounded(const Bound& bound, std::uint8_t available, Rank rank,
                                    Lower lower) {
  switch (bound.selector) {
    case mad::Selector::greater_than:
      return rank(available) > rank(bound.code) ? std::optional(available) : std::nullopt;
    case mad::Selector::less_than:
      return rank(available) < rank(bound.code) ? std::optional(available) : lower(bound.code);
    case mad::Selector::exactly:
      return rank(available) >= rank(bound.code) ? std::optional(bound.code) : std::nullopt;
    case mad::Selector::best:
      break;
  }
  return available;
}

template <class Rank>
bool holds(const Bound& bound, std::uint8_t value, Rank rank) {
  switch (bound.selector) {
    case mad::Selector::greater_than:
      return rank(value) > rank(bound.code);
    case mad::Selector::less_than:
      return rank(value) < rank(bound.code);
    case mad::Selector::exactly:
      return rank(value) == rank(bound.code);
    case mad::Selector::best:
      break;
  }
  return true;
}

constexpr auto kAsIs = [](std::uint8_t code) -> unsigned { return code; };
constexpr auto kGbps = [](std::uint8_t code) { return mad::rate_gbps(code); };

template <std::uint8_t least>
std::optional<std::uint8_t> one_less(std::uint8_t code) {
  return code > least ? std::optional(static_cast<std::uint8_t>(code - 1)) : std::nullopt;
}

}  // namespace

std::optional<std::uint8_t> bounded_mtu(const Bound& bound, std::uint8_t available) {
  return bounded(bound, available, kAsIs, one_less<mad::kMtuMin>);
}
std::optional<std::uint8_t> bounded_rate(const Bound& bound, std::uint8_t available) {
  // A slower rate than the path's is another path, as in OpenSM.
  if (bound.selector == mad::Selector::exactly &&
      mad::rate_gbps(bound.code) != mad::rate_gbps(available))
    return std::nullopt;
  return bounded(bound, available, kGbps, mad::next_slower_rate);
}
std::optional<std::uint8_t> bounded_life(const Bound& bound, std::uint8_t available) {
  return bounded(bound, available, kAsIs, one_less<0>);
}

bool may_satisfy_mtu(const Bound& bound, std::uint8_t most) {
  return bounded_mtu(bound, most).has_value();
}
bool may_satisfy_rate(const Bound& bound, std::uint8_t most) {
  return bounded(bound, most, kGbps, mad::next_slower_rate).has_value();
}

bool holds_mtu(const Bound& bound, std::uint8_t value) { return holds(bound, value, kAsIs); }
bool holds_rate(const Bound& bound, std::uint8_t value) { return holds(bound, value, kGbps); }
bool holds_life(const Bound& bound, std::uint8_t value) { return holds(bound, value, kAsIs); }

namespace {

bool is_text(const mad::NodeDescription& description, std::string_view text) {
  const auto bytes = description.bytes();
  if (text.size() > bytes.size() ||
      !std::equal(text.begin(), text.end(), bytes.begin(),
                  [](char c, std::uint8_t byte) { return static_cast<std::uint8_t>(c) == byte; }))
    return false;
  return text.size() == bytes.size() || bytes[text.size()] == 0;
}

bool has_type(const config::QosPortGroup& group, mad::NodeType type) {
  return (type == mad::NodeType::ca && group.cas) ||
         (type == mad::NodeType::switch_ && group.switches) ||
         (type == mad::NodeType::router && group.routers);
}

bool has_name(const config::QosPortGroup& group, const fabric::Node& node, mad::PortNum number) {
  return std::ranges::any_of(group.port_names, [&](const config::QosPortName& name) {
    return (node.is_switch() || name.port == number.value) &&
           is_text(node.description, name.description);
  });
}

bool has_partition(const config::QosPortGroup& group, const fabric::PartitionMap& partitions,
                   mad::PKey key) {
  if (group.p_keys.contains(mad::p_key_base(key))) return true;
  if (group.partitions.empty()) return false;
  const fabric::Partition* partition = partitions.find(key);
  return partition != nullptr &&
         std::ranges::any_of(group.partitions, [&](const std::string& name) {
           return config::same_qos_name(name, partition->name);
         });
}

/// An absent condition holds; a condition on a component that the query lacks does not.
template <class Value>
bool holds(const config::NumberRanges& condition, const std::optional<Value>& value) {
  return condition.empty() || (value && condition.contains(*value));
}

}  // namespace

bool is_in(const fabric::Subnet& subnet, fabric::EndPoint end, const config::QosPortGroup& group) {
  const fabric::Fabric& fabric = subnet.fabric;
  const fabric::Node& node = fabric.owning_node(end.port);
  if (group.port_guids.contains(subnet.find_guid(end).value) || has_type(group, node.type))
    return true;
  if (group.self && end == fabric::EndPoint{.port = fabric.sm_port}) return true;
  if (has_name(group, node, fabric.ports[end.port].number)) return true;
  if (group.p_keys.empty() && group.partitions.empty()) return false;
  return std::ranges::any_of(subnet.find_p_keys(end), [&](mad::PKey key) {
    return has_partition(group, subnet.partitions, key);
  });
}

const config::QosLevel& find_qos_level(const config::QosPolicy& policy,
                                       const fabric::Subnet& subnet, fabric::EndPoint from,
                                       fabric::EndPoint to, const QosTraffic& traffic) {
  const auto in_any = [&](fabric::EndPoint end, const std::vector<std::size_t>& groups) {
    return groups.empty() || std::ranges::any_of(groups, [&](std::size_t group) {
             return is_in(subnet, end, policy.port_groups[group]);
           });
  };
  std::optional<std::uint16_t> partition;
  if (traffic.p_key) partition = mad::p_key_base(*traffic.p_key);
  for (const config::QosRule& rule : policy.rules) {
    if (holds(rule.qos_classes, traffic.qos_class) && holds(rule.service_ids, traffic.service_id) &&
        holds(rule.p_keys, partition) && in_any(from, rule.sources) &&
        in_any(to, rule.destinations)) {
      return policy.levels[rule.level];
    }
  }
  return policy.levels[policy.default_level];
}

}  // namespace sa
