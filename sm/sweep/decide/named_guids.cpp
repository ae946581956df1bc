#include "sm/sweep/decide/named_guids.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "config/http_peer.h"
#include "mad/format.h"
#include "sm/sweep/devices/sweep_conditions.h"

namespace sm {
namespace {

constexpr std::size_t kConditionsShown = 100;
constexpr std::size_t kAbsentShown = 3;

/// Says which GUIDs a file is for.
enum class Meant : std::uint8_t {
  port,     // a port, by its port GUID
  node,     // a node, by its NodeGUID
  switch_,  // a switch, by its NodeGUID
  root,     // a switch, by either GUID
  host,     // a host or router, by either GUID
};

/// A file with a GUID at the beginning of each line.
struct FileOfGuids {
  std::string_view key;
  Meant meant{};
  bool is_expected = true;  // an absent GUID is reported
  std::vector<std::uint64_t> guids = {};
};

template <class List, class Member>
std::vector<std::uint64_t> guids_in(const List& list, Member member) {
  std::vector<std::uint64_t> guids;
  guids.reserve(list.size());
  for (const auto& entry : list) guids.push_back(entry.*member);
  return guids;
}

/// Returns the files of GUIDs. Routing engines report absent switches of the files that set weights
/// and orders of ports. Names are given to nodes wherever they are.
std::vector<FileOfGuids> files_of_guids(const config::InputFiles& files) {
  using enum Meant;
  return {
      {"guid_routing_order_file", port, true, files.routing_order},
      {"root_guid_file", root, true, files.roots},
      {"cn_guid_file", host, true, files.compute_nodes},
      {"io_guid_file", host, true, files.io_nodes},
      {"ids_guid_file", node, true, guids_in(files.node_ids, &config::NodeId::guid)},
      {"node_name_map_name", node, false, guids_in(files.node_names, &config::NodeName::node_guid)},
      {"hop_weights_file", switch_, false,
       guids_in(files.hop_weights, &config::HopWeight::switch_guid)},
      {"port_search_ordering_file", switch_, false,
       guids_in(files.port_orders, &config::PortOrder::switch_guid)},
      {"port_prof_ignore_file", switch_, false,
       guids_in(files.ignored_ports, &config::IgnoredPort::switch_guid)},
      {"held_back_sw_file", switch_, false, files.held_back},
  };
}

/// Returns the line of a GUID, 0 if it is not known.
int line_of(const config::InputFiles& files, std::string_view key, std::uint64_t guid) {
  const auto of_file = files.guid_lines.files.find(key);
  if (of_file == files.guid_lines.files.end()) return 0;
  const auto found = std::ranges::find(of_file->second, guid, &config::GuidLine::guid);
  return found == of_file->second.end() ? 0 : found->line;
}

std::string_view type_text(const Node& node) {
  return node.is_switch() ? "a switch" : node.type == mad::NodeType::router ? "a router" : "a host";
}

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

  /// `place` is made only for what is found.
  template <class Place>
  void entry(Meant meant, const Place& place, std::uint64_t value) {
    const NodeIndex owner = owner_of(mad::Guid{value});
    if (owner == kNoIndex) return;
    const bool is_node_guid = fabric_.node_of_guid.contains(mad::Guid{value});
    if (meant == Meant::port && is_node_guid) return port(place(), value);
    const bool is_switch = fabric_.nodes[owner].is_switch();
    if ((meant == Meant::switch_ || meant == Meant::root) && !is_switch)
      return wrong_type(place(), mad::Guid{value}, owner,
                        meant == Meant::root ? "a root is a switch" : "its lines are for switches");
    if (meant == Meant::host && is_switch)
      return wrong_type(place(), mad::Guid{value}, owner, "its lines are for hosts");
    if ((meant == Meant::node || meant == Meant::switch_) && !is_node_guid) node(place(), value);
  }

  std::vector<Condition> take() {
    if (count_ > kConditionsShown)
      found_.push_back(
          {.id = kNamedGuidConditions.guid_misplaced,
           .text = fmt::format("and {} more of this kind", count_ - kConditionsShown)});
    return std::move(found_);
  }

 private:
  NodeIndex owner_of(mad::Guid guid) const {
    const auto node = fabric_.node_of_guid.find(guid);
    if (node != fabric_.node_of_guid.end()) return node->second;
    const auto port = fabric_.port_of_guid.find(guid);
    return port == fabric_.port_of_guid.end() ? NodeIndex(kNoIndex)
                                              : fabric_.ports[port->second].node;
  }
  void wrong_type(std::string_view place, mad::Guid guid, NodeIndex owner, std::string_view rule) {
    add(guid, fmt::format("{} names \"{}\" ({}), {}; {}: the entry is ignored", place,
                          fabric_.description(owner), guid, type_text(fabric_.nodes[owner]), rule));
  }
  void add(mad::Guid guid, std::string text) {
    if (++count_ > kConditionsShown) return;
    found_.push_back(
        {.id = kNamedGuidConditions.guid_misplaced, .text = std::move(text), .guid = guid});
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
  for (const FileOfGuids& file : files_of_guids(files)) {
    for (const std::uint64_t guid : file.guids) {
      const auto place = [&] {
        const int line = line_of(files, file.key, guid);
        return line == 0 ? std::string(file.key) : fmt::format("{}:{}", file.key, line);
      };
      check.entry(file.meant, place, guid);
    }
  }
  for (const config::PrefixRoute& route : files.prefix_routes)
    if (route.router_guid) check.port("prefix_routes_file", *route.router_guid);
  if (files.qos_policy) {
    for (const config::QosPortGroup& group : files.qos_policy->port_groups)
      for (const auto& range : group.port_guids.ranges())
        if (range.first == range.last) check.port("a port group of qos_policy_file", range.first);
  }
  for (const config::TorusFile::Seed& seed : files.torus.seeds) {
    for (const config::TorusFile::Link& link : seed.links) {
      check.node("torus_config", link.from);
      check.node("torus_config", link.to);
    }
  }
}

/// Collects the GUIDs of one place that nothing has.
class AbsentGuids {
 public:
  AbsentGuids(const Fabric& fabric, const std::set<mad::Guid>& elsewhere)
      : fabric_(fabric), elsewhere_(elsewhere) {
    // A port that does not answer is not an end port, and its node has said its GUID.
    for (const Port& port : fabric.ports)
      if (port.guid != mad::Guid{} && !port.known) silent_.insert(port.guid);
  }

  bool is_absent(std::uint64_t value) const {
    const mad::Guid guid{value};
    return !fabric_.port_of_guid.contains(guid) && !fabric_.node_of_guid.contains(guid) &&
           !elsewhere_.contains(guid) && !silent_.contains(guid);
  }
  /// `more` makes the text behind the GUID: where it is named.
  template <class More>
  void add(std::uint64_t value, const More& more) {
    if (!is_absent(value) || !seen_.insert(value).second) return;
    if (seen_.size() <= kAbsentShown)
      shown_.push_back(fmt::format("{}{}", mad::Guid{value}, more()));
  }
  /// Adds the condition of this place, if there is one, and begins the next place.
  void take(std::string_view place, std::string_view effect, std::vector<Condition>& conditions) {
    const std::size_t count = seen_.size();
    if (count > 0)
      conditions.push_back(
          {.id = kNamedGuidConditions.guid_absent,
           .text =
               fmt::format("{} names {} that nothing in the fabric has: {}{}; {}", place,
                           count == 1 ? "a GUID" : fmt::format("{} GUIDs", count),
                           fmt::join(shown_, ", "), count > kAbsentShown ? ", ..." : "", effect)});
    seen_.clear();
    shown_.clear();
  }

 private:
  const Fabric& fabric_;
  const std::set<mad::Guid>& elsewhere_;
  std::set<mad::Guid> silent_;
  std::set<std::uint64_t> seen_;
  std::vector<std::string> shown_;
};

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

std::vector<Condition> absent_guids(const SweepContext& context, const Fabric& fabric,
                                    const std::set<mad::Guid>& elsewhere) {
  AbsentGuids absent(fabric, elsewhere);
  std::vector<Condition> conditions;
  for (const partitions::Definition& definition : context.partitioning.definitions) {
    const auto more = [&] {
      return fmt::format(" ({})", partition_text(definition.key, definition.name));
    };
    for (const partitions::Member& member : definition.members)
      if (member.kind == partitions::Member::Kind::guids && member.first == member.last)
        absent.add(member.first, more);
  }
  absent.take("partitions.conf", "each becomes a member when it appears", conditions);
  for (const FileOfGuids& file : files_of_guids(context.files)) {
    if (!file.is_expected) continue;
    for (const std::uint64_t guid : file.guids) {
      const auto more = [&] {
        const int line = line_of(context.files, file.key, guid);
        return line == 0 ? std::string() : fmt::format(" (line {})", line);
      };
      absent.add(guid, more);
    }
    absent.take(file.key, "such an entry has no effect", conditions);
  }
  return conditions;
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
