#pragma once
// A whole manager on a fabric whose hosts have SR-IOV virtual ports.

#include <functional>
#include <string>
#include <vector>

#include "mad/format.h"
#include "partitions/load.h"
#include "sim/laboratory.h"
#include "sim/world/forwarding.h"
#include "sim/world/vport_host.h"
#include "sm/ctl/topology/generators.h"

namespace laboratory {

inline constexpr std::uint16_t kVfs = 4;  // of each host

/// Hosts with vports from 1 on; those with an even index require a LID of their own.
class Virtualized : public Solo {
 public:
  explicit Virtualized(const topology::Topology& topology =
                           topology::xgft({.children = {3, 4}, .parents = {1, 2}, .cables = {}}),
                       std::uint16_t vfs_of_each = kVfs)
      : Solo(topology), vfs(vfs_of_each) {
    options.virt_enabled = 2;
    for (const sim::PortIndex port : model.ports.indices())
      if (model.owning_node(port).info.node_type() == mad::NodeType::ca && model.link_up(port))
        hosts.push_back(port);
  }

  static mad::Guid guid(std::size_t host, std::uint16_t index) {
    return {0x5000000000000000 + host * 0x100 + index};
  }
  void add_vports() {
    for (std::size_t host = 0; host < hosts.size(); ++host) {
      sim::enable_virtualization(world, hosts[host], vfs + 1);
      for (std::uint16_t index = 1; index <= vfs; ++index)
        sim::create_vport(world, hosts[host], index,
                          {.guid = guid(host, index),
                           .lid_required = index % 2 == 0,
                           .description = fmt::format("vf {} of host {}", index, host)});
    }
  }
  /// Every vport in a partition with the same number as its index, beside the default one.
  void partition_by_index() {
    std::string text = "Default=0x7fff, ipoib: ALL=full, ALL_VCAS=limited, SELF=full;\n";
    for (std::uint16_t index = 1; index <= vfs; ++index) {
      text += fmt::format("vf{}=0x{:x} : ", index, index);
      for (std::size_t host = 0; host < hosts.size(); ++host)
        text += fmt::format("{}{}=full", host == 0 ? "" : ",\n", guid(host, index));
      text += ";\n";
    }
    config::Diagnostics found;
    partitioning = partitions::parse_partitions_conf({"partitions.conf", text}, found);
    EXPECT_TRUE(found.empty()) << found.front().text();
  }
  /// A second manager at the last host, with the same partitions, which has settled as standby.
  Instance& add_standby() {
    config::Options of_standby = options;
    of_standby.sminfo_polling_timeout = 1000;
    Instance& second = Laboratory::start(hosts.back(), of_standby);
    second.stop();
    second.partitioning = partitioning;
    second.start(of_standby);
    runtime.run_for(std::chrono::seconds(5));
    return second;
  }
  bool bring_up() {
    if (!partitioning.definitions.empty()) {
      start();
      heddle().stop();
      heddle().partitioning = partitioning;
    }
    start();
    const bool up =
        runtime.run_until([&] { return says("SUBNET UP") && all_active(); }, laboratory::kComesUp);
    settle();
    forget_counts();
    return up;
  }

  bool switch_port_has(sim::PortIndex port, mad::PKey key) const {
    for (unsigned block = 0; block < model.p_key_blocks(port); ++block)
      for (unsigned entry = 0; entry < mad::PKeyTable::kEntries; ++entry)
        if (model.p_keys(port, block).p_key(entry) == key) return true;
    return false;
  }
  /// But for keys at switch ports, which hold those of vports, too.
  bool is_in_order() const {
    const std::string what = complaint();
    return what.empty() || what.find("enforces P_Keys") != std::string::npos;
  }
  /// Waits until all vports are Active and the fabric is in order.
  bool recovers(mad::Duration limit = laboratory::kLightSweep) {
    return runtime.run_until([&] { return all_active() && is_in_order(); }, limit);
  }
  /// SubnSets that it sends while this is done, until it has nothing more to do.
  std::uint64_t sets_of(const std::function<void()>& change) {
    settle();
    forget_counts();
    change();
    settle();
    return sets();
  }
  mad::Lid find_lid(std::size_t host, std::uint16_t index) const {
    return sim::vport_lid(model.ports[hosts[host]], index);
  }
  bool is_served(mad::Guid vport) const {
    return subnet() && subnet()->find(vport).vport != fabric::kNoIndex;
  }

  mad::PortState state(std::size_t host, std::uint16_t index) const {
    return sim::vport_state(model.ports[hosts[host]], index);
  }
  bool all_active() const {
    for (std::size_t host = 0; host < hosts.size(); ++host)
      for (std::uint16_t index = 0; index <= vfs; ++index)
        if (state(host, index) != mad::PortState::active) return false;
    return true;
  }
  /// Why a packet from one vport to another is dropped.
  sim::Drop send(std::size_t from, std::uint16_t from_index, std::size_t to, std::uint16_t to_index,
                 std::uint16_t key) const {
    sim::PacketHeader packet;
    packet.dlid = sim::vport_lid(model.ports[hosts[to]], to_index);
    packet.p_key = {key};
    packet.dgid = mad::Gid{options.subnet_prefix,
                           sim::vport_info(model.ports[hosts[to]], to_index).port_guid()};
    packet.from_vport = from_index;
    return sim::walk_unicast(model, hosts[from], packet).drop;
  }
  const fabric::VPorts& published() const { return *status().subnet->vports; }
  std::shared_ptr<const fabric::Subnet> subnet() const { return status().subnet; }

  const std::uint16_t vfs;
  std::vector<sim::PortIndex> hosts;
  partitions::Configuration partitioning;
};

}  // namespace laboratory
