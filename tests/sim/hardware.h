#pragma once
// A fabric in virtual time without a manager, and the faults that tests inject.

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "sim/world/vendor_features.h"
#include "sim/world/virtual_runtime.h"
#include "sim/world/world.h"
#include "support/check/checks.h"

namespace laboratory {

using namespace std::chrono_literals;

class Hardware {
 public:
  explicit Hardware(const topology::Topology& topology, std::uint64_t seed = 1)
      : world(runtime.events(), topology, seed), model(world.model) {}
  Hardware(const Hardware&) = delete;
  Hardware& operator=(const Hardware&) = delete;

  sim::VirtualRuntime runtime;
  sim::World world;
  sim::Model& model;

  sim::NodeModel& node(const std::string& name) { return model.nodes[model.find(name)]; }
  sim::PortIndex port(sim::NodeIndex node, unsigned number = 1) const {
    return model.port(node, number);
  }
  sim::PortIndex port(const std::string& name, unsigned number = 1) const {
    return port(model.find(name), number);
  }
  mad::PortInfo& info(sim::PortIndex port) { return model.ports[port].info; }
  sim::PortIndex far(sim::PortIndex port) const { return model.ports[port].peer; }
  sim::NodeIndex owning_node(sim::PortIndex port) const { return model.ports[port].node; }
  /// The node at the other end of the link.
  sim::NodeIndex neighbour(sim::PortIndex port) const { return owning_node(far(port)); }
  /// The port of a test's only manager: port 1 of the first node, or its port 0 if that is a
  /// switch.
  sim::PortIndex own() const {
    return port(sim::NodeIndex{0}, model.nodes.front().is_switch() ? 0 : 1);
  }

  /// Plugs a cable in and waits until its link has trained.
  void plug(sim::PortIndex a, sim::PortIndex b) {
    world.connect(a, b);
    let_links_train();
  }
  /// Waits until the node has booted and its links have trained.
  void reboot(sim::NodeIndex node) {
    world.reboot(node);
    let_nodes_boot();
  }
  void let_links_train() { runtime.run_for(world.timing.training); }
  void let_nodes_boot() { runtime.run_for(world.timing.boot + world.timing.training); }
  /// Sets the quality of the link between the test's only manager and the fabric: its faults apply
  /// once to each MAD in each direction.
  void set_wire(const sim::LinkQuality& quality) { world.set_quality(own(), quality); }
  /// Trap 128, whether or not a port changed its state.
  void raise_link_state_change(sim::PortIndex management_port) {
    mad::LinkStateNotice notice;
    notice.set_is_generic(true);
    notice.set_type(mad::NoticeType::urgent);
    notice.set_producer_type(mad::ProducerType::switch_);
    notice.set_trap_number(mad::TrapNumber::link_state_change);
    notice.set_lid(info(management_port).lid());
    world.raise(management_port, mad::Notice::of(notice));
  }
  /// Whether nodes withhold traps, from now on.
  void withhold_traps(bool withheld) {
    for (sim::NodeModel& node : model.nodes) node.health.withhold_traps = withheld;
  }

  /// Adaptive routing for all switches, and CAs that put packets in order; or for those nodes for
  /// which `which` is true. To be called before a manager starts.
  std::size_t make_adaptive(
      const mad::AdaptiveRoutingInfo& capabilities = sim::pfrn_adaptive_routing(),
      const std::function<bool(const sim::NodeModel&)>& which = {}) {
    return sim::make_adaptive(model, capabilities, which);
  }
  /// Firmware may do otherwise where no public source says it: as usual, each single difference by
  /// its name, and all at once.
  static std::vector<std::pair<std::string, sim::ArFirmware>> ar_firmwares() {
    std::vector<std::pair<std::string, sim::ArFirmware>> all{{"usual", {}}};
    sim::ArFirmware other;
    for (const sim::ArFirmwareRow& row : sim::kArFirmwareRows) {
      auto& [name, firmware] = all.emplace_back(std::string(row.name), sim::ArFirmware{});
      other.*row.member = firmware.*row.member = !(firmware.*row.member);
    }
    all.emplace_back("all", other);
    return all;
  }
  void set_ar_firmware(const sim::ArFirmware& firmware) {
    for (sim::NodeModel& each : model.nodes)
      if (each.is_switch() && each.sw->adaptive) each.sw->adaptive->firmware = firmware;
  }
  /// Adaptive routing of this switch, which has it.
  sim::ArSwitch& adaptive(const std::string& name) { return *node(name).sw->adaptive; }

  std::vector<bool> reachable() const { return sim::reachable(model, own()); }
  /// The port's link is up and leads to a reachable node.
  bool leads_somewhere(sim::PortIndex port, const std::vector<bool>& reach) const {
    return model.link_up(port) && reach[neighbour(port)];
  }
  /// Links between nodes that the manager can reach.
  std::size_t cables() const {
    const std::vector<bool> reach = reachable();
    std::size_t ends = 0;
    for (const sim::PortIndex port : model.ports.indices())
      ends += reach[owning_node(port)] && leads_somewhere(port, reach);
    return ends / 2;
  }
};

}  // namespace laboratory
