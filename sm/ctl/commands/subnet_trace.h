#pragma once
// The way of packets through several subnets, each part as a manager of its subnet answers.

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "sm/ctl/commands/managers.h"

namespace sm::commands {

/// Reads /v1 of a manager.
using GetApi = std::function<ManagerApi::Answer(const std::string& target)>;

/// By subnet prefix, one for each. `credentials`: NAME:PASSWORD for those of subnet_peers; may be
/// empty.
std::map<std::uint64_t, GetApi> subnet_managers(const std::string& credentials);

/// GET of what `url` (scheme, host and perhaps a port) serves at `target`. TLS certificates are
/// verified with the system's authorities. Credentials are sent only by TLS, or within this
/// machine. Errors: why there is no answer, also none within `limit`, or what the API says is
/// wrong.
ManagerApi::Answer get_from(const std::string& url, const std::string& target,
                            const std::string& credentials,
                            std::chrono::milliseconds limit = std::chrono::seconds(10));

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
