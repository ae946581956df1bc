#pragma once

#include "config/check.h"
#include "routing/core/engine.h"

namespace sm {

/// What routing/ needs to know of the configuration, in its own words.
routing::RoutingOptions routing_options(const config::Options& options,
                                        const config::InputFiles& files);

}  // namespace sm
