#pragma once
// The name of a subnet in responses.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "fabric/subnet.h"
#include "mad/format.h"

namespace fabric {

/// Returns the identifier of a subnet, which all managers agree on: its subnet prefix. Where that
/// is the default one, which names no subnet, it adds the lowest NodeGUID of a switch (else of a
/// node).
inline std::optional<std::string> fabric_id(const Subnet* subnet, std::uint64_t subnet_prefix) {
  if (subnet == nullptr || subnet->fabric.nodes.empty()) return std::nullopt;
  constexpr std::uint64_t kDefaultPrefix = 0xFE80'0000'0000'0000;
  if (subnet_prefix != kDefaultPrefix) return fmt::format("{:#018x}", subnet_prefix);
  const auto by_kind_and_guid = [](const Node& node) {
    return std::pair(!node.is_switch(), node.guid);
  };
  const auto lowest = std::ranges::min_element(subnet->fabric.nodes, {}, by_kind_and_guid);
  return fmt::format("{:#018x}-{}", subnet_prefix, lowest->guid);
}

}  // namespace fabric
