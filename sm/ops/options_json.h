#pragma once
// The options in force, for all who may use the control socket: not for secrets, which the members
// of control_group need not know.

#include <nlohmann/json_fwd.hpp>

#include "config/options.h"

namespace sm {

/// A row an option, in the order of the schema: key, value (as in opensm.conf; of a secret that is
/// not its default "MASKED"), default (whether it is), and of what was set: from (FILE:LINE, or
/// "command line").
nlohmann::json option_rows(const config::Options& options);

}  // namespace sm
