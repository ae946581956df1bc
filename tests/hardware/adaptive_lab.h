#pragma once
// A whole manager on a fabric whose switches choose among ports, where each packet can be followed
// through every choice.

#include <string>
#include <vector>

#include "mad/attributes/adaptive_routing.h"
#include "sim/laboratory.h"
#include "sim/world/all_choices.h"
#include "sim/world/vendor_features.h"
#include "sm/ctl/topology/generators.h"

namespace laboratory {

/// 16 hosts, eight leaves, eight switches above, four at the top; each leaf has two ways up.
inline topology::Topology three_levels() {
  return topology::xgft({.children = {2, 4, 2}, .parents = {1, 2, 2}, .cables = {}});
}

class Adaptive : public Solo {
 public:
  explicit Adaptive(const topology::Topology& topology = three_levels(),
                    const sim::ArFirmware& firmware = {})
      : Solo(topology), firmware_(firmware) {
    options.routing_engine = {"ar_updn"};
    options.connect_roots = true;  // the checks of the simulator expect paths between spines
    sim::make_adaptive(world.model);
    for (sim::NodeModel& node : world.model.nodes)
      if (node.is_switch()) node.sw->adaptive->firmware = firmware;
  }

  std::vector<sim::NodeIndex> switches() const {
    std::vector<sim::NodeIndex> out;
    for (const sim::NodeIndex node : model.nodes.indices())
      if (model.nodes[node].is_switch()) out.push_back(node);
    return out;
  }
  const mad::AdaptiveRoutingInfo& ar_info(sim::NodeIndex node) const {
    return model.nodes[node].sw->adaptive->info;
  }
  sim::ArSwitch& device(sim::NodeIndex node) { return *world.model.nodes[node].sw->adaptive; }
  std::size_t enabled() const {
    std::size_t count = 0;
    for (const sim::NodeIndex node : switches()) count += ar_info(node).enable();
    return count;
  }

  /// From now on, every packet is followed through every choice when a switch has answered a Set.
  void watch() {
    for (sim::NodeModel& node : world.model.nodes)
      if (node.is_switch()) {
        node.health.edit_request = [this](mad::SmpView smp) {
          changes_paths_ = smp.method() == mad::Method::set && decides_paths(smp.attribute_id());
        };
        node.health.edit_response = [this](mad::SmpView) {  // right after
          if (changes_paths_) follow_all();
        };
      }
  }
  static bool decides_paths(mad::AttributeId attribute) {
    switch (attribute) {
      case mad::AttributeId::p_key_table:
      case mad::AttributeId::sl_to_vl_mapping_table:
      case mad::AttributeId::vl_arbitration_table:
      case mad::AttributeId::multicast_forwarding_table:
      case mad::AttributeId::mlnx_ext_port_info:
      case mad::AttributeId::general_info:
      case mad::AttributeId::node_info:
      case mad::AttributeId::node_description:
        return false;
      default:
        return true;
    }
  }
  void follow_all() {
    ++followed;
    for (const sim::PortIndex to : model.ports.indices()) {
      if (!is_host(to)) continue;
      sim::AllChoices all(model, {.dlid = info(to).lid()});
      for (const sim::PortIndex from : model.ports.indices()) {
        if (!is_host(from)) continue;
        const sim::Reach reach = all.walk(from);
        // With any engine, forwarding tables lead over a link that came back before it is Active.
        if (reach.delivered() || reach.drop == sim::Drop::not_active) continue;
        (reach.drop == sim::Drop::too_long ? loops : drops) += 1;
        if (first.empty())
          first = fmt::format("{} to {}: {} after {} hops", model.name(from), model.name(to),
                              sim::name(reach.drop), reach.path.size());
      }
    }
  }
  bool is_host(sim::PortIndex port) const {
    return !model.owning_node(port).is_switch() &&
           model.ports[port].info.port_state() == mad::PortState::active;
  }
  /// Nothing was dropped, and there was no loop, since watch().
  void expect_no_harm() {
    EXPECT_EQ(loops, 0u) << first << "\n" << tail();
    EXPECT_EQ(drops, 0u) << first << "\n" << tail();
  }
  /// Whatever was under way, now every choice arrives.
  void expect_all_arrive() {
    const std::uint64_t before = loops + drops;
    first.clear();
    follow_all();
    EXPECT_EQ(loops + drops, before) << first << "\n" << tail();
  }
  std::uint64_t ar_sets() {
    return sent(mad::Method::set, mad::AttributeId::ar_group_table) +
           sent(mad::Method::set, mad::AttributeId::ar_linear_forwarding_table) +
           sent(mad::Method::set, mad::AttributeId::adaptive_routing_info);
  }
  sim::PortIndex uplink(sim::NodeIndex leaf) const {
    for (unsigned number = 1; number <= model.nodes[leaf].port_count(); ++number) {
      const sim::PortIndex port = model.nodes[leaf].first_port + number;
      if (far(port) != sim::kNone && model.owning_node(far(port)).is_switch()) return port;
    }
    return sim::kNone;
  }
  sim::NodeIndex leaf_of(unsigned host) const {
    return model.ports[far(port(model.find(fmt::format("H{}", host))))].node;
  }

  std::uint64_t loops = 0, drops = 0, followed = 0;
  std::string first;

 private:
  sim::ArFirmware firmware_;
  bool changes_paths_ = false;
};

}  // namespace laboratory
