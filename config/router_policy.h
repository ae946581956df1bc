#pragma once
// This file reads which routers lead to other subnets, and the proportions of their traffic.

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "config/diagnostic.h"

namespace config {

struct WeightedRouter {
  std::uint64_t router_guid = 0;  // of a port of the router, or of its node
  std::uint8_t weight = 1;        // 0: only where no other of the line leads there
  bool operator==(const WeightedRouter&) const = default;
};

/// Holds the routers to one subnet.
struct RouterRule {
  std::optional<std::uint64_t> prefix;  // nothing: any
  std::vector<WeightedRouter> routers;
  bool operator==(const RouterRule&) const = default;

  /// Finds the router that the line names by its port or by its node; null if the line names
  /// neither.
  const WeightedRouter* find(std::uint64_t port_guid, std::uint64_t node_guid) const {
    for (const WeightedRouter& router : routers)
      if (router.router_guid == port_guid || router.router_guid == node_guid) return &router;
    return nullptr;
  }
};

struct RouterPolicy {
  std::vector<RouterRule> rules;
  bool operator==(const RouterPolicy&) const = default;

  /// Finds the first rule for the prefix; null means that every router to the subnet may be used.
  const RouterRule* find(std::uint64_t prefix) const {
    for (const RouterRule& rule : rules)
      if (!rule.prefix || *rule.prefix == prefix) return &rule;
    return nullptr;
  }
};

/// Reads router_policy_file: lines `PREFIX GUID[=WEIGHT] ...`, where PREFIX is hexadecimal or `*`
/// for any, and WEIGHT 0..255. The first line of a prefix counts. Errors: as in guid_files.h.
RouterPolicy parse_router_policy(const Source& source, Diagnostics& out);

/// Holds the parameters that rtr_selection_algo_parameters names.
struct RouterSelection {
  bool by_source = false, by_destination = false;
};
/// Returns nothing if the text has no word, or a word other than sgid and dgid.
std::optional<RouterSelection> parse_router_selection(std::string_view text);

}  // namespace config
