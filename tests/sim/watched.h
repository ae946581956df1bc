#pragma once
// A manager in virtual time on a fabric where packets are followed after every single write.

#include <cstdint>
#include <set>
#include <string>

#include "sim/laboratory.h"
#include "sim/world/all_choices.h"
#include "sm/ctl/topology/generators.h"

namespace watched {

using laboratory::Solo;
using mad::AttributeId;
using mad::Method;
using mad::PortState;

/// 12 hosts at four leaves, three spines; two leaf ports are free.
inline topology::Topology tree() {
  topology::Topology plan = topology::xgft({.children = {3, 4}, .parents = {1, 3}, .cables = {}});
  for (auto& node : plan.nodes)
    if (node.type == topology::NodeType::switch_) node.port_count += 2;
  return plan;
}

/// Follows packets from every host to every LID, by all ports that switches may choose, whenever a
/// device has answered a Set.
class Watched : public Solo {
 public:
  explicit Watched(const topology::Topology& topology = tree(), std::uint64_t seed = 1)
      : Solo(topology, seed) {
    options.connect_roots = true;  // the simulator's checks expect paths between spines
  }

  bool start_and_watch() {
    if (!start_and_settle()) return false;
    lid_top = status().subnet->lids.lid_top.value;
    for (sim::NodeModel& node : model.nodes) watch(node);
    return true;
  }
  void watch(sim::NodeModel& node) {
    node.health.edit_response = [this](mad::SmpView smp) {
      if (smp.method() == Method::get_resp) update_all();
    };
  }
  /// Only what an end port with an Active link sends counts, and where it ends.
  void update_all() {
    std::uint64_t written = 0;
    for (laboratory::Instance& instance : instances) written += instance.attachment().sets();
    if (written == updated_at_) return;
    updated_at_ = written;
    const std::set<unsigned> served = served_lids();
    for (unsigned lid = 1; lid <= lid_top + 8; ++lid) {
      sim::AllChoices choices(model, {.dlid = mad::Lid{static_cast<std::uint16_t>(lid)}});
      for (const sim::PortIndex from : model.ports.indices()) {
        if (model.owning_node(from).is_switch() || info(from).port_state() != PortState::active)
          continue;
        const sim::Reach reach = choices.walk(from);
        loops += reach.drop == sim::Drop::too_long;
        lost += !reach.delivered() && served.contains(lid);
        misdelivered += reach.drop == sim::Drop::wrong_end && !has_restarted(reach.end);
        ++walks;
      }
    }
  }
  /// LIDs of CAs with an Active link.
  std::set<unsigned> served_lids() {
    std::set<unsigned> lids;
    for (const sim::PortIndex port : model.ports.indices())
      if (!model.owning_node(port).is_switch() && info(port).port_state() == PortState::active)
        lids.insert(info(port).lid().value);
    return lids;
  }
  /// A switch that has no LID yet drops what was sent to the one that it had.
  bool has_restarted(sim::PortIndex port) const {
    return model.owning_node(port).is_switch() && model.ports[port].info.lid() == mad::Lid{};
  }
  void expect_sound() {
    EXPECT_EQ(loops, 0u) << tail();
    EXPECT_EQ(misdelivered, 0u) << tail();
  }

  /// Where no link was lost: each packet between hosts arrived, whatever switches chose.
  void expect_no_loss() {
    expect_sound();
    EXPECT_EQ(lost, 0u) << tail();
  }

  std::uint64_t lft_sets() { return sent(Method::set, AttributeId::linear_forwarding_table); }
  std::set<unsigned> fdb_tops() const {
    std::set<unsigned> tops;
    for (const sim::NodeModel& node : model.nodes)
      if (node.is_switch()) tops.insert(node.sw->info.linear_fdb_top());
    return tops;
  }
  sim::NodeIndex host(unsigned number) { return model.find(fmt::format("H{}", number)); }
  sim::PortIndex host_port(unsigned number) { return port(host(number)); }
  std::uint16_t find_lid(unsigned number) { return info(host_port(number)).lid().value; }
  sim::NodeModel& leaf_switch(unsigned number) { return model.owning_node(far(host_port(number))); }
  /// A switch port without a cable, of the leaf.
  sim::PortIndex free_port(const sim::NodeModel& leaf) const {
    for (unsigned number = 1; number <= leaf.port_count(); ++number)
      if (model.ports[leaf.first_port + number].peer == sim::kNone) return leaf.first_port + number;
    return sim::kNone;
  }
  std::size_t read_entries(std::uint16_t lid) const {
    std::size_t entries = 0;
    for (const sim::NodeModel& node : model.nodes)
      entries += node.is_switch() && node.health.powered && node.sw->lft[lid] != mad::kNoPort.value;
    return entries;
  }
  std::size_t switches() const {
    std::size_t count = 0;
    for (const sim::NodeModel& node : model.nodes) count += node.is_switch();
    return count;
  }
  /// Its power goes, and the manager has seen it.
  void lose(unsigned number) {
    world.power(host(number), false);
    settle();
    settle();
  }

  std::uint64_t loops = 0, misdelivered = 0, lost = 0, walks = 0;
  unsigned lid_top = 0;

 private:
  std::uint64_t updated_at_ = 0;
};

}  // namespace watched
