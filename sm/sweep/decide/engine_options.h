#pragma once

#include "config/check.h"
#include "routing/core/engine.h"

namespace sm {

/// Returns the configuration as far as routing/ needs it, in its own types.
routing::RoutingOptions routing_options(const config::Options& options,
                                        const config::InputFiles& files);

}  // namespace sm
