#pragma once
// A subnet as a manager publishes it, and the API above it.

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mad/link_speed.h"
#include "routing/registry.h"
#include "sm/ops/api/api.h"
#include "support/api_client.h"
#include "support/fabrics.h"
#include "support/recorded_commands.h"
#include "support/subnets.h"

namespace published {

/// Two spines, two leaves with two hosts each ("n0 mlx5_0" ... "n3 mlx5_0"), all links 4X NDR but
/// that of n3, which is 1X.
inline fabric::Fabric small_tree() {
  fabrics::Maker maker;
  const fabric::NodeIndex spines[]{maker.sw(4, "spine-0"), maker.sw(4, "spine-1")};
  std::vector<fabric::PortIndex> hosts;
  for (const char* const name : {"leaf-0", "leaf-1"}) {
    const fabric::NodeIndex leaf = maker.sw(6, name);
    for (unsigned i = 0; i < 2; ++i) hosts.push_back(maker.host(leaf));
    for (const fabric::NodeIndex spine : spines) maker.cable(leaf, spine);
  }
  fabric::Fabric fabric = maker.build();
  for (fabric::Port& port : fabric.ports) {
    port.info.set_link_width_supported(mad::link_width::k1x | mad::link_width::k4x);
    port.info.set_link_speed_supported(7);
    port.info.set_link_speed_ext_supported(15);
    port.info.set_link_width_active(mad::link_width::k4x);
    port.info.set_link_speed_active(mad::link_speed::kExtended);
    port.info.set_link_speed_ext_active(mad::link_speed_ext::kNdr);
  }
  for (const fabric::PortIndex end : {hosts[3], fabric.ports[hosts[3]].peer})
    fabric.ports[end].info.set_link_width_active(mad::link_width::k1x);
  for (std::size_t i = 0; i < hosts.size(); ++i)
    fabric.nodes[fabric.ports[hosts[i]].node].description.set_text("n" + std::to_string(i) +
                                                                   " mlx5_0");
  return fabric;
}

/// Routed by minhop, as published.
inline std::shared_ptr<fabric::Subnet> routed(fabric::Fabric fabric) {
  auto subnet = std::make_shared<fabric::Subnet>(subnets::bring_up(std::move(fabric)));
  fabric::PublishedRouting routing;
  routing.engine = "minhop";
  subnet->routing = std::make_shared<const fabric::PublishedRouting>(std::move(routing));
  subnet->partitions = subnets::default_partition(subnet->fabric.end_ports.size());
  return subnet;
}

/// The switch with this description.
inline fabric::SwitchIndex find_switch(const fabric::Subnet& subnet, std::string_view name) {
  for (const fabric::Node& node : subnet.fabric.nodes)
    if (node.description.text() == name) return node.switch_index;
  return fabric::kNoIndex;
}

/// All switches of a tree of two levels choose: a group for each switch with hosts, whose ports are
/// those of links to it, else those of links to switches without hosts.
inline std::shared_ptr<fabric::AdaptiveRouting> adaptive_tree(const fabric::Subnet& subnet) {
  const fabric::Fabric& fabric = subnet.fabric;
  std::vector<fabric::SwitchIndex> leaves;
  for (const fabric::Node& node : fabric.nodes)
    if (node.is_switch() && node.description.text().starts_with("leaf"))
      leaves.push_back(node.switch_index);
  fabric::AdaptiveGroups groups;
  groups.group_to.resize(fabric.switches.size(), fabric::GroupId{0});
  groups.group_of_lid.resize(subnet.lids.lid_top.value + 1U);
  for (std::size_t i = 0; i < leaves.size(); ++i)
    groups.group_to[leaves[i]] = static_cast<fabric::GroupId>(i + 1);
  for (unsigned lid = 1; lid <= subnet.lids.lid_top.value; ++lid) {
    const fabric::PortIndex owner = subnet.lids.owner(mad::Lid{static_cast<std::uint16_t>(lid)});
    if (owner == fabric::kNoIndex) continue;
    const fabric::Node& node = fabric.owning_node(owner);
    const fabric::PortIndex peer = fabric.ports[owner].peer;
    const fabric::SwitchIndex leaf =
        node.is_switch() ? node.switch_index : fabric.owning_node(peer).switch_index;
    groups.group_of_lid[lid] = groups.group_to[leaf];
  }
  for (const fabric::SwitchIndex sw : fabric.switches.indices()) {
    fabric::AdaptiveGroups::Row row;
    row.set_of.resize(leaves.size() + 1);
    for (std::size_t i = 0; i < leaves.size(); ++i) {
      if (leaves[i] == sw) continue;
      fabric::PortSet to_leaf, up;
      for (const fabric::Port& port : fabric.node_ports(fabric.switches[sw].node)) {
        if (port.peer == fabric::kNoIndex || !fabric.owning_node(port.peer).is_switch()) continue;
        const fabric::SwitchIndex peer = fabric.owning_node(port.peer).switch_index;
        if (peer == leaves[i]) to_leaf.set(port.number.value);
        if (groups.group_to[peer] == 0) up.set(port.number.value);
      }
      row.set_of[i + 1] = static_cast<std::uint16_t>(row.sets.size());
      row.sets.push_back(to_leaf.any() ? to_leaf : up);
    }
    groups.rows.push_back(std::make_shared<const fabric::AdaptiveGroups::Row>(std::move(row)));
  }
  auto adaptive = std::make_shared<fabric::AdaptiveRouting>();
  for (const fabric::SwitchIndex sw : fabric.switches.indices()) {
    (void)sw;
    adaptive->switches.push_back(
        {.state = fabric::AdaptiveState::active, .fast_recovery = true, .groups = 2});
  }
  adaptive->groups = std::make_shared<const fabric::AdaptiveGroups>(std::move(groups));
  adaptive->transport_mask = 0xA;
  return adaptive;
}

using Json = nlohmann::json;

/// A manager that is what a test makes of it.
struct Manager {
  explicit Manager(std::shared_ptr<const fabric::Subnet> subnet = routed(small_tree())) {
    view.status.state = mad::SmState::master;
    view.status.port_guid = mad::Guid{0x0002c90000000031};
    view.status.priority = 5;
    view.status.subnet = std::move(subnet);
    view.status.sweeps = 3;
    view.status.last_sweep = "SUBNET UP (start)";
    view.status.now = mad::TimePoint(std::chrono::hours(1));
    config::Options options = config::default_options(nullptr, nullptr);
    options.m_key = 0x1234567890;
    view.context = sm::make_context(options, {}, partitions::default_configuration());
  }

  std::shared_ptr<const sm::View> show() const { return std::make_shared<const sm::View>(view); }
  /// Of the manager, which is to live as long as what is returned.
  sm::api::Sources sources() {
    return {.views = [this]() -> boost::asio::awaitable<std::shared_ptr<const sm::View>> {
              co_return show();
            },
            .group = [this](mad::Gid mgid) -> boost::asio::awaitable<std::optional<sa::Group>> {
              const sa::Group* const group = groups.find(mgid);
              co_return group == nullptr ? std::nullopt : std::optional(*group);
            },
            .join_states =
                [this](mad::Guid guid) -> boost::asio::awaitable<std::map<mad::Gid, std::uint8_t>> {
              co_return groups.join_states(guid);
            },
            .services = [this]() -> boost::asio::awaitable<std::vector<sa::Service>> {
              co_return services;
            },
            .command = [this](sm::api::CommandCall call)
                -> boost::asio::awaitable<sm::OperatorCommands::Done> { co_return call(commands); },
            .attributes = [this](sm::LiveReadRequest what)
                -> boost::asio::awaitable<tl::expected<Json, std::string>> {
              reads.push_back(what);
              if (what.node == "nobody") co_return tl::unexpected(std::string("no such node"));
              co_return Json{{"node_guid", "0x0000000000000001"},
                             {"description", what.node},
                             {"node_type", "CA"},
                             {"lid", 1},
                             {"port", 0},
                             {"attributes", Json::array()}};
            },
            .start = "5f3a1c00",
            .wall_clock =
                [] {
                  return std::chrono::system_clock::time_point(
                      std::chrono::milliseconds(1'777'636'800'123));
                }};
  }
  void set_groups(sa::Groups from) {
    groups = std::move(from);
    view.groups = sm::summaries(groups);
  }
  void publish(std::shared_ptr<const fabric::Subnet> subnet) {
    view.status.subnet = std::move(subnet);
    view.status.now += std::chrono::seconds(1);
    ++view.status.sweeps;
  }

  sm::View view;
  sa::Groups groups;
  std::vector<sa::Service> services;
  RecordedCommands commands;
  std::vector<sm::LiveReadRequest> reads;
};

}  // namespace published
