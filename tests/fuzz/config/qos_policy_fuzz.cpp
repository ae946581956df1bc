// For any file: no crash, findings have a position in it, and an accepted policy is complete and
// within its limits.
#include "config/qos_policy_reader.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>

namespace {
void require(bool condition) {
  if (!condition) std::abort();
}
bool is_within(const config::NumberRanges& ranges, std::uint64_t max) {
  return std::ranges::all_of(ranges.ranges(), [&](const auto& range) {
    return range.first <= range.last && range.last <= max;
  });
}
}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const config::Source source{"fuzz", {reinterpret_cast<const char*>(data), size}};
  const auto line_count = std::ranges::count(source.text, '\n') + 1;
  config::Diagnostics found;
  const std::optional<config::QosPolicy> policy = config::parse_qos_policy(source, found);
  for (const auto& d : found) {
    const bool of_whole_file = d.line == 0 && d.column == 0;  // no default level
    require((of_whole_file || (d.line >= 1 && d.line <= line_count && d.column >= 1)) &&
            d.text().find('\n') == std::string::npos);
  }
  require(policy.has_value() != config::has_errors(found));
  if (!policy) return 0;
  require(policy->default_level < policy->levels.size());
  for (const config::QosPortGroup& group : policy->port_groups) {
    require(is_within(group.p_keys, 0x7fff));
    for (const config::QosPortName& name : group.port_names)
      require(!name.description.empty() && name.port <= 254);
  }
  for (const config::QosLevel& level : policy->levels) {
    require(level.sl <= 15 && level.packet_life.value_or(0) <= 63 &&
            is_within(level.path_bits, 127) && is_within(level.p_keys, 0x7fff));
    require(level.mtu_limit.value_or(1) >= 1 && level.mtu_limit.value_or(1) <= 5 &&
            level.rate_limit.value_or(2) >= 2 && level.rate_limit.value_or(2) <= 26);
  }
  for (const config::QosRule& rule : policy->rules) {
    require(rule.level < policy->levels.size() && is_within(rule.qos_classes, 0xfff) &&
            is_within(rule.p_keys, 0x7fff));
    for (const auto* groups : {&rule.sources, &rule.destinations})
      for (const std::size_t group : *groups) require(group < policy->port_groups.size());
  }
  return 0;
}
