#include "sm/ops/api/snapshot.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "mad/format.h"
#include "sm/sa/registrations/ports.h"

namespace sm::api {

std::shared_ptr<const Snapshot> Snapshots::of(const View& view) {
  const std::shared_ptr<const Subnet>& subnet = view.status.subnet;
  const std::uint64_t prefix =
      view.context ? std::uint64_t{view.context->options.subnet_prefix} : sa::kDefaultPrefix;
  const std::lock_guard lock(mutex_);
  const auto known = std::ranges::find_if(known_, [&](const Known& of) {
    return of.snapshot->subnet == subnet && of.subnet_prefix == prefix;
  });
  if (known != known_.end()) return known->snapshot;
  auto snapshot = std::make_shared<Snapshot>();
  snapshot->subnet = subnet;
  snapshot->id = fmt::format("{}-{}", start_, ++number_);
  snapshot->fabric_id = fabric::fabric_id(subnet.get(), prefix);
  if (subnet) {
    const auto all = subnet->fabric.nodes.indices();
    snapshot->nodes_by_guid.assign(all.begin(), all.end());
    std::ranges::sort(snapshot->nodes_by_guid, {},
                      [&](NodeIndex node) { return subnet->fabric.nodes[node].guid; });
  }
  if (known_.size() == kKept) known_.erase(known_.begin());
  known_.push_back({prefix, snapshot});
  return snapshot;
}

nlohmann::json envelope(const Snapshot& snapshot) {
  return {{"fabric_id", snapshot.fabric_id ? nlohmann::json(*snapshot.fabric_id) : nullptr},
          {"snapshot", snapshot.id}};
}

}  // namespace sm::api
