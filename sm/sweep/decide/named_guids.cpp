#include "sm/sweep/decide/named_guids.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "config/http_peer.h"
#include "mad/format.h"

namespace sm {
namespace {

constexpr std::size_t kConditionsShown = 100;

/// Collects entries with a NodeGUID in place of a port GUID, or the reverse.
class GuidChecker {
 public:
  explicit GuidChecker(const Fabric& fabric) : fabric_(fabric) {}

  /// `place` is what names the GUID, such as "allowed_sm_guids".
  void port(std::string_view place, std::uint64_t value) {
    const mad::Guid guid{value};
    if (fabric_.port_of_guid.contains(guid)) return;
    const auto node = fabric_.node_of_guid.find(guid);
    if (node == fabric_.node_of_guid.end()) return;
    std::vector<std::string> ports;
    for (const Port& port : fabric_.node_ports(node->second)) {
      if (port.guid == guid) return;  // its PortInfo was not read or is ignored
      if (port.guid != mad::Guid{} && fabric_.port_of_guid.contains(port.guid))
        ports.push_back(fmt::format("{}", port.guid));
    }
    if (ports.empty()) return;  // which GUIDs its ports have is not known
    add(guid, fmt::format("{} names {}, which is the NodeGUID of \"{}\" and not a port GUID: "
                          "it has no effect; {} {}",
                          place, guid, fabric_.description(node->second),
                          ports.size() == 1 ? "its port GUID is" : "its port GUIDs are",
                          fmt::join(ports, ", ")));
  }

  void node(std::string_view place, std::uint64_t value) {
    const mad::Guid guid{value};
    if (fabric_.node_of_guid.contains(guid)) return;
    const auto port = fabric_.port_of_guid.find(guid);
    if (port == fabric_.port_of_guid.end()) return;
    const NodeIndex owner = fabric_.ports[port->second].node;
    add(guid,
        fmt::format("{} names {}, which is a port GUID of \"{}\" and not its NodeGUID: it has "
                    "no effect; its NodeGUID is {}",
                    place, guid, fabric_.description(owner), fabric_.nodes[owner].guid));
  }

  std::vector<Condition> take() {
    if (count_ > kConditionsShown)
      found_.push_back(
          {.id = ConditionId::guid_misplaced,
           .text = fmt::format("and {} more of this kind", count_ - kConditionsShown)});
    return std::move(found_);
  }

 private:
  void add(mad::Guid guid, std::string text) {
    if (++count_ > kConditionsShown) return;
    found_.push_back({.id = ConditionId::guid_misplaced, .text = std::move(text), .guid = guid});
  }

  const Fabric& fabric_;
  std::size_t count_ = 0;
  std::vector<Condition> found_;
};

std::string partition_text(std::uint16_t key, std::string_view name) {
  return name.empty() ? fmt::format("partition {:#06x}", key)
                      : fmt::format("partition {:#06x} ({})", key, name);
}

void check_files(const SweepContext& context, GuidChecker& check) {
  const config::InputFiles& files = context.files;
  for (const std::uint64_t guid : files.routing_order) check.port("guid_routing_order_file", guid);
  for (const config::PrefixRoute& route : files.prefix_routes)
    if (route.router_guid) check.port("prefix_routes_file", *route.router_guid);
  if (files.qos_policy) {
    for (const config::QosPortGroup& group : files.qos_policy->port_groups)
      for (const auto& range : group.port_guids.ranges())
        if (range.first == range.last) check.port("a port group of qos_policy_file", range.first);
  }
  for (const config::NodeName& node : files.node_names)
    check.node("node_name_map_name", node.node_guid);
  for (const config::NodeId& node : files.node_ids) check.node("ids_guid_file", node.guid);
  for (const config::HopWeight& hop : files.hop_weights)
    check.node("hop_weights_file", hop.switch_guid);
  for (const config::PortOrder& order : files.port_orders)
    check.node("port_search_ordering_file", order.switch_guid);
  for (const config::IgnoredPort& port : files.ignored_ports)
    check.node("port_prof_ignore_file", port.switch_guid);
  for (const std::uint64_t guid : files.held_back) check.node("held_back_sw_file", guid);
  for (const config::TorusFile::Seed& seed : files.torus.seeds) {
    for (const config::TorusFile::Link& link : seed.links) {
      check.node("torus_config", link.from);
      check.node("torus_config", link.to);
    }
  }
}

}  // namespace

std::vector<Condition> misplaced_guids(const SweepContext& context, const Fabric& fabric,
                                       std::span<const mad::Guid> m_key_ports) {
  GuidChecker check(fabric);
  for (const partitions::Definition& definition : context.partitioning.definitions) {
    const std::string place = partition_text(definition.key, definition.name);
    for (const partitions::Member& member : definition.members)
      if (member.kind == partitions::Member::Kind::guids && member.first == member.last)
        check.port(place, member.first);
  }
  for (const std::uint64_t guid : context.options.allowed_sm_guids)
    check.port("allowed_sm_guids", guid);
  for (const std::string& text : context.options.http_peers)
    if (const auto peer = config::parse_http_peer(text)) check.port("http_peers", peer->id);
  for (const mad::Guid port : m_key_ports) check.port("guid2mkey", port.value);
  check_files(context, check);
  return check.take();
}

std::vector<Condition> misplaced_members(const partitions::SharedRuntime& runtime,
                                         const Fabric& fabric,
                                         const std::vector<mad::Guid>* guids) {
  GuidChecker check(fabric);
  if (!runtime) return {};
  const auto& all = runtime->of_guid();
  const auto check_memberships = [&](mad::Guid guid) {
    for (auto at = all.lower_bound({guid, 0}); at != all.end() && at->first.guid == guid; ++at) {
      const std::uint16_t key = at->first.key;
      const partitions::RuntimePartition* const of = runtime->partitions().find(key);
      check.port(partition_text(key, of == nullptr ? "" : of->attributes.name), guid.value);
    }
  };
  if (guids != nullptr) {
    for (const mad::Guid guid : *guids) check_memberships(guid);
  } else if (!all.empty()) {
    // The loop is over nodes, since there may be a million members.
    for (const Node& node : fabric.nodes)
      if (!fabric.port_of_guid.contains(node.guid)) check_memberships(node.guid);
  }
  return check.take();
}

}  // namespace sm
