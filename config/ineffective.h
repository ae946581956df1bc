#pragma once

#include "config/diagnostic.h"
#include "config/options.h"

namespace config {

/// Keys that were set and have no effect unless another one is set, too: a warning for each such
/// other one, at the position of the first of them. Pure.
Diagnostics ineffective_options(const Options& options);

}  // namespace config
