#pragma once
// The way of packets through several subnets, each part as a manager of its subnet answers.

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "sm/ctl/commands/subnet_managers.h"

namespace sm::commands {

struct NamedGid {
  std::uint64_t prefix = 0;
  std::string text;
};
/// As IPv6 addresses are written. Nothing: it is none.
std::optional<NamedGid> parse_gid(const std::string& text);

/// One direction: for each subnet subnet_prefix, path (as /v1/routing/path has `forward`), and
/// where packets leave it router, its NodeGUID.
struct SubnetTrace {
  Json parts = Json::array();
  std::string trouble;  // empty: it arrives
};
/// `managers`: by subnet prefix; each is asked first whether that is its own. `trouble` names the
/// part that is missing, or the manager whose answers cannot be true. Behind a router the way goes
/// on in the subnet of `to`, if the router has a port there, else in one that was not passed yet.
SubnetTrace trace_subnets(const std::map<std::uint64_t, GetApi>& managers, const NamedGid& from,
                          const NamedGid& to);

}  // namespace sm::commands
