#include "sm/context/sweep_context.h"

namespace sm {

std::shared_ptr<const NodeNames> node_names_of(const config::InputFiles& files) {
  if (files.node_names.empty()) return nullptr;
  NodeNames names;
  for (const config::NodeName& node : files.node_names)
    names.emplace(mad::Guid{node.node_guid}, node.name);
  return std::make_shared<const NodeNames>(std::move(names));
}

SharedContext make_context(config::Options options, config::InputFiles files,
                           partitions::Configuration partitioning) {
  auto node_names = node_names_of(files);
  return std::make_shared<const SweepContext>(
      SweepContext{.options = std::move(options),
                   .files = std::move(files),
                   .partitioning = std::move(partitioning),
                   .node_names = std::move(node_names),
                   .runtime = nullptr,
                   .settings = std::make_shared<const char>()});
}

SharedContext with_runtime(const SweepContext& context, partitions::SharedRuntime runtime) {
  SweepContext next = context;
  next.runtime = std::move(runtime);
  return std::make_shared<const SweepContext>(std::move(next));
}

bool same_settings(const SharedContext& a, const SharedContext& b) {
  return a == b || (a && b && a->settings != nullptr && a->settings == b->settings);
}

}  // namespace sm
