#pragma once

#include <memory>
#include <utility>

#include "config/input_files.h"
#include "config/options.h"
#include "fabric/fabric.h"
#include "partitions/configuration.h"
#include "partitions/kept_key.h"
#include "partitions/runtime_partitions.h"

namespace sm {

/// Holds the operator's configuration at one point in time. A sweep works with the one that it
/// began with; a reload makes another one for the next sweep. Coroutines hold the SharedContext,
/// not a reference to what another object holds; what they call gets references that are valid for
/// the call. What a manager has stored itself (LIDs, refused settings) is not part of it: no reload
/// replaces that.
struct SweepContext {
  config::Options options;
  config::InputFiles files;
  partitions::Configuration partitioning = partitions::default_configuration();
  std::shared_ptr<const NodeNames> node_names;  // of `files`; null: none
  partitions::SharedRuntime runtime;            // partitions of the API; null: none
  partitions::SharedKept kept = {};             // by the latest pass, for readers; may be null
  std::shared_ptr<const char> settings;  // the same in contexts that differ in `runtime` alone
};
using SharedContext = std::shared_ptr<const SweepContext>;

/// The names of node_name_map_name; null if there are none.
inline std::shared_ptr<const NodeNames> node_names_of(const config::InputFiles& files) {
  if (files.node_names.empty()) return nullptr;
  NodeNames names;
  for (const config::NodeName& node : files.node_names)
    names.emplace(mad::Guid{node.node_guid}, node.name);
  return std::make_shared<const NodeNames>(std::move(names));
}

inline SharedContext make_context(config::Options options, config::InputFiles files,
                                  partitions::Configuration partitioning) {
  auto node_names = node_names_of(files);
  return std::make_shared<const SweepContext>(
      SweepContext{.options = std::move(options),
                   .files = std::move(files),
                   .partitioning = std::move(partitioning),
                   .node_names = std::move(node_names),
                   .runtime = nullptr,
                   .kept = nullptr,
                   .settings = std::make_shared<const char>()});
}

/// Returns the context with other partitions of the API, and other kept P_Keys.
inline SharedContext with_runtime(const SweepContext& context, partitions::SharedRuntime runtime,
                                  partitions::SharedKept kept = nullptr) {
  SweepContext next = context;
  next.runtime = std::move(runtime);
  next.kept = std::move(kept);
  return std::make_shared<const SweepContext>(std::move(next));
}

/// Both were configured by the same reload; partitions of the API may differ.
inline bool same_settings(const SharedContext& a, const SharedContext& b) {
  return a == b || (a && b && a->settings != nullptr && a->settings == b->settings);
}

}  // namespace sm
