#pragma once

#include <string_view>

#include "config/input_files.h"
#include "routing/core/engine.h"
#include "sm/context/sweep_context.h"

namespace sm {

/// Returns the configuration as far as routing/ needs it, in its own types.
routing::RoutingOptions routing_options(const config::Options& options,
                                        const config::InputFiles& files);

/// True if an operator has changed what routes depend on, between two configurations: the engines,
/// or a key or the content of a file that `engine` reads, which has made the routes in use. Then no
/// route stays because it is there.
bool chooses_routes_again(const SweepContext& before, const SweepContext& now,
                          std::string_view engine);

}  // namespace sm
