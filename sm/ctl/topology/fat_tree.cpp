#include "mad/format.h"
#include "sm/ctl/topology/generators.h"

#include <algorithm>

#include "sm/ctl/topology/builder.h"

namespace topology {

// A node of a fat tree is identified by its level and one digit per tree level, lowest first:
// digits below its level choose among parallel parents, digits from its level upwards choose the
// subtree.
Topology xgft(const XgftParams& params) {
  const std::size_t height = params.children.size();
  require(height >= 1, "a tree needs at least one level of switches");
  require(params.parents.size() == height,
          "children and parents must have one number per level each");
  require(params.cables.empty() || params.cables.size() == height,
          "cables must have one number per level, or none");
  const auto positive = [](const std::vector<unsigned>& numbers) {
    return std::ranges::all_of(numbers, [](unsigned n) { return n > 0; });
  };
  require(positive(params.children) && positive(params.parents) && positive(params.cables),
          "numbers of a tree must be at least 1");

  Builder builder;
  std::vector<std::vector<unsigned>> bases;   // per level: what each digit counts to
  std::vector<std::vector<std::size_t>> ids;  // per level: node index by position
  for (std::size_t level = 0; level <= height; ++level) {
    std::vector<unsigned> base(params.parents.begin(),
                               params.parents.begin() + static_cast<std::ptrdiff_t>(level));
    base.insert(base.end(), params.children.begin() + static_cast<std::ptrdiff_t>(level),
                params.children.end());
    std::vector<std::size_t> row_ids;
    const std::size_t nodes = product(base);
    require(nodes <= mad::kUnicastLidMax.value,
            "the tree has more nodes than there are unicast LIDs");
    row_ids.reserve(nodes);
    for (std::size_t i = 0; i < nodes; ++i) {
      row_ids.push_back(level == 0
                            ? builder.add(NodeType::ca, fmt::format("H{}", i))
                            : builder.add(NodeType::switch_, fmt::format("S{}-{}", level, i)));
    }
    bases.push_back(std::move(base));
    ids.push_back(std::move(row_ids));
  }
  // Ports are assigned in this order, so every switch has its down ports first and then its up
  // ports, both in order of the peer.
  for (std::size_t level = 0; level < height; ++level) {
    for (std::size_t i = 0; i < ids[level].size(); ++i) {
      std::vector<unsigned> digits = mixed_radix_digits(i, bases[level]);
      for (unsigned parent = 0; parent < params.parents[level]; ++parent) {
        digits[level] = parent;
        const std::size_t above = ids[level + 1][compute_index(digits, bases[level + 1])];
        for (unsigned link = 0; link < (params.cables.empty() ? 1 : params.cables[level]); ++link)
          builder.link(ids[level][i], above);
      }
    }
  }
  return builder.finish();
}

XgftParams fat_tree_params(const FatTreeParams& params) {
  require(params.hosts >= 1, "a fat tree needs hosts");
  require(params.radix >= 2 && params.radix % 2 == 0 && params.radix <= mad::kPortNumMax,
          "radix must be even, 2 to 254");
  const std::size_t half = params.radix / 2;
  std::size_t levels = 1, pod_hosts = 1,
              full = params.radix;  // pod: the subtree below one port of a top switch
  while (params.levels == 0 ? full < params.hosts && half > 1 : levels < params.levels) {
    ++levels;
    pod_hosts *= half;
    full *= half;
  }
  if (params.hosts > full) {
    throw TopologyError(fmt::format("{} levels of {}-port switches carry {} hosts, not {}", levels,
                                    params.radix, full, params.hosts));
  }
  if (params.hosts % pod_hosts != 0) {
    throw TopologyError(
        fmt::format("hosts must be a multiple of {} in a {}-level tree of {}-port switches",
                    pod_hosts, levels, params.radix));
  }
  XgftParams tree;
  if (levels == 1) return {{params.hosts}, {1}, {1}};
  const auto pods = static_cast<unsigned>(params.hosts / pod_hosts);
  // A pod's switch and a top switch have as many links as the ports of the top switch allow.
  unsigned parallel = params.radix / pods;
  while (half % parallel != 0) --parallel;
  const auto up = static_cast<unsigned>(half);
  tree.children.assign(levels, up);
  tree.parents.assign(levels, up);
  tree.cables.assign(levels, 1);
  tree.parents.front() = 1;
  tree.children.back() = pods;
  tree.parents.back() = up / parallel;
  tree.cables.back() = parallel;
  return tree;
}

}  // namespace topology
