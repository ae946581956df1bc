#include "mad/format.h"
#include "sm/ctl/topology/generators.h"

#include <functional>

#include "sm/ctl/topology/builder.h"

namespace topology {

namespace {

// Links groups. A group has `ports` global ports, assigned round after round to the other groups in
// order of their distance (modulo the number of groups). Port `n` is on switch n / global_cables.
// Both ends of a link are of the same round.
void link_groups(Builder& builder, std::size_t groups, std::size_t ports,
                 const std::function<std::size_t(std::size_t, std::size_t)>& switch_at) {
  if (groups < 2) return;
  const std::size_t rounds = ports / (groups - 1);
  for (std::size_t round = 0; round < rounds; ++round) {
    for (std::size_t group = 0; group < groups; ++group) {
      for (std::size_t peer = group + 1; peer < groups; ++peer) {
        const std::size_t there = peer - group, back = groups - there;
        builder.link(switch_at(group, round * (groups - 1) + there - 1),
                     switch_at(peer, round * (groups - 1) + back - 1));
      }
    }
  }
}

std::size_t group_count(unsigned requested, std::size_t ports) {
  const std::size_t most = ports + 1;
  if (requested > most) {
    throw TopologyError(fmt::format(
        "{} groups cannot all reach each other: a group has {} global links, enough for {} groups",
        requested, ports, most));
  }
  return requested == 0 ? most : requested;
}

}  // namespace

Topology dragonfly(const DragonflyParams& params) {
  const std::size_t a = params.switches_per_group, h = params.global_cables,
                    p = params.hosts_per_switch;
  require(a >= 1, "a group needs at least one switch");
  require(a + h + p <= 1 + std::size_t{mad::kPortNumMax},
          "a switch would need more than 254 ports");
  const std::size_t groups = group_count(params.groups, a * h);
  Builder builder;
  const std::vector<std::size_t> hosts = builder.add_hosts(groups * a * p);
  std::vector<std::size_t> switches;
  for (std::size_t i = 0; i < groups * a; ++i)
    switches.push_back(builder.add(NodeType::switch_, fmt::format("G{}-S{}", i / a, i % a)));
  for (std::size_t i = 0; i < hosts.size(); ++i) builder.link(hosts[i], switches[i / p]);
  for (std::size_t group = 0; group < groups; ++group) {
    for (std::size_t i = 0; i < a; ++i) {
      for (std::size_t j = i + 1; j < a; ++j)
        builder.link(switches[group * a + i], switches[group * a + j]);
    }
  }
  link_groups(builder, groups, a * h,
              [&](std::size_t group, std::size_t port) { return switches[group * a + port / h]; });
  return builder.finish();
}

Topology dragonfly_plus(const DragonflyPlusParams& params) {
  const std::size_t leaves = params.leaves_per_group, spines = params.spines_per_group,
                    h = params.global_cables, p = params.hosts_per_leaf;
  require(leaves >= 1 && spines >= 1, "a group needs at least one leaf and one spine");
  require(leaves + h <= mad::kPortNumMax && spines + p <= mad::kPortNumMax,
          "a switch would need more than 254 ports");
  const std::size_t groups = group_count(params.groups, spines * h);
  Builder builder;
  const std::vector<std::size_t> hosts = builder.add_hosts(groups * leaves * p);
  std::vector<std::size_t> leaf, spine;
  for (std::size_t i = 0; i < groups * leaves; ++i) {
    leaf.push_back(builder.add(NodeType::switch_, fmt::format("G{}-S{}", i / leaves, i % leaves)));
  }
  for (std::size_t i = 0; i < groups * spines; ++i) {
    spine.push_back(
        builder.add(NodeType::switch_, fmt::format("G{}-S{}", i / spines, leaves + i % spines)));
  }
  for (std::size_t i = 0; i < hosts.size(); ++i) builder.link(hosts[i], leaf[i / p]);
  for (std::size_t group = 0; group < groups; ++group) {
    for (std::size_t i = 0; i < leaves; ++i) {
      for (std::size_t j = 0; j < spines; ++j)
        builder.link(leaf[group * leaves + i], spine[group * spines + j]);
    }
  }
  link_groups(builder, groups, spines * h, [&](std::size_t group, std::size_t port) {
    return spine[group * spines + port / h];
  });
  return builder.finish();
}

}  // namespace topology
