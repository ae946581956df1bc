#pragma once
// Random trees as sites have them: CAs inside of switches, servers on spines, missing cables,
// leaves behind leaves, cells of unequal size, leaves without hosts, two trees joined by one cable.

#include <vector>

#include "fabric/topology/random_source.h"
#include "support/fabrics.h"

namespace dirty_trees {

using fabric::NodeIndex;
using topology::Random;

struct Tree {
  fabrics::Maker maker;
  std::vector<NodeIndex> leaves, spines, tops;
  std::vector<std::pair<NodeIndex, NodeIndex>> cables;  // between switches
  bool joined = false;                                  // of two trees
};

/// Adds cells, each with leaves and spines, and tops that all or some spines are cabled to.
inline void add_tree(Tree& tree, Random& random) {
  const bool three_levels = random.percent(60), columns = random.percent(50);
  const std::uint32_t cells = three_levels ? 2 + random.below(3) : 1,
                      spines_max = 2 + random.below(3), tops_per = 1 + random.below(2);
  const std::uint32_t top_count = three_levels ? (columns ? spines_max * tops_per : 3) : 0;
  const auto cable = [&](NodeIndex a, NodeIndex b) {
    if (random.percent(4)) return;  // missing
    tree.maker.cable(a, b, random.percent(10) ? 2 : 1);
    tree.cables.emplace_back(a, b);
  };
  std::vector<NodeIndex> tops;
  for (std::uint32_t i = 0; i < top_count; ++i) tops.push_back(tree.maker.sw());
  const std::uint32_t hosts_max = 2 + random.below(5);
  for (std::uint32_t cell = 0; cell < cells; ++cell) {
    const std::uint32_t spine_count =
        random.percent(25) ? 1 + random.below(spines_max) : spines_max;
    std::vector<NodeIndex> spines;
    for (std::uint32_t i = 0; i < spine_count; ++i) {
      spines.push_back(tree.maker.sw());
      for (std::uint32_t top = 0; top < top_count; ++top)
        if (!columns || top / tops_per == i) cable(spines.back(), tops[top]);
    }
    for (std::uint32_t i = 0; i < 2 + random.below(3); ++i) {
      const NodeIndex leaf = tree.maker.sw();
      for (const NodeIndex spine : spines) cable(leaf, spine);
      const std::uint32_t hosts = random.percent(8) ? 0 : 1 + random.below(hosts_max);
      for (std::uint32_t host = 0; host < hosts; ++host) tree.maker.host(leaf);
      tree.leaves.push_back(leaf);
    }
    tree.spines.insert(tree.spines.end(), spines.begin(), spines.end());
  }
  tree.tops.insert(tree.tops.end(), tops.begin(), tops.end());
}

inline Tree random_tree(Random& random) {
  Tree tree;
  add_tree(tree, random);
  const auto some = [&](const std::vector<NodeIndex>& of) {
    return of[random.below(static_cast<std::uint32_t>(of.size()))];
  };
  if (random.percent(8)) {
    const NodeIndex here = some(random.percent(50) ? tree.leaves : tree.spines);
    const std::size_t before = tree.leaves.size();
    add_tree(tree, random);
    tree.maker.cable(here, tree.leaves[before]);
    tree.joined = true;
  }
  for (std::uint32_t i = random.percent(40) ? 1 + random.below(2) : 0; i > 0; --i)
    tree.maker.host(some(tree.spines));
  if (!tree.tops.empty() && random.percent(20)) tree.maker.host(some(tree.tops));
  if (random.percent(20)) {  // a leaf behind a leaf
    const NodeIndex behind = tree.maker.sw();
    tree.maker.cable(behind, some(tree.leaves));
    tree.maker.host(behind);
  }
  if (random.percent(60)) {  // aggregation nodes
    std::vector<NodeIndex> all = tree.leaves;
    all.insert(all.end(), tree.spines.begin(), tree.spines.end());
    all.insert(all.end(), tree.tops.begin(), tree.tops.end());
    for (const NodeIndex sw : all) {
      const mad::Guid system{0x1000 + sw};
      const NodeIndex inside = tree.maker.ca();
      tree.maker.set_system(sw, system);
      tree.maker.set_system(inside, system);
      tree.maker.cable(sw, inside);
    }
  }
  return tree;
}

}  // namespace dirty_trees
