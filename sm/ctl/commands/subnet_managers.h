#pragma once
// Managers of several subnets: those on this machine, and those that subnet_peers names.

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "sm/ctl/commands/managers.h"

namespace sm::commands {

/// Reads /v1 of a manager.
using GetApi = std::function<ManagerApi::Answer(const std::string& target)>;

/// By subnet prefix, one for each. `credentials`: NAME:PASSWORD for those of subnet_peers; may be
/// empty.
std::map<std::uint64_t, GetApi> subnet_managers(const std::string& credentials);

/// GET of what `url` (scheme, host and perhaps a port) serves at `target`. TLS certificates are
/// verified with the system's authorities. Errors: why there is no answer, or what the API says is
/// wrong.
ManagerApi::Answer get_from(const std::string& url, const std::string& target,
                            const std::string& credentials);

}  // namespace sm::commands
