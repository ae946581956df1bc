#pragma once

#include <memory>

#include "config/check.h"
#include "config/options.h"
#include "fabric/fabric.h"
#include "partitions/configuration.h"

namespace sm {

/// What the operator has configured, at one point in time. A sweep works with the one that it began
/// with; a reload makes another one for the next sweep. Coroutines hold the SharedContext, not a
/// reference to what another object holds; what they call gets references that are valid for the
/// call. What a manager has stored itself (LIDs, refused settings) is not part of it: no reload
/// replaces that.
struct SweepContext {
  config::Options options;
  config::InputFiles files;
  partitions::Configuration partitioning = partitions::default_configuration();
  std::shared_ptr<const NodeNames> node_names;  // of `files`; null: none
};
using SharedContext = std::shared_ptr<const SweepContext>;

SharedContext make_context(config::Options options, config::InputFiles files,
                           partitions::Configuration partitioning);

/// The names of node_name_map_name; null if there are none.
std::shared_ptr<const NodeNames> node_names_of(const config::InputFiles& files);

}  // namespace sm
