// Discovery: decides which attributes of which nodes to request.

#include <algorithm>
#include <utility>

#include "sm/sweep/devices/link_settings.h"
#include "sm/sweep/observe/discovery_batch.h"

namespace sm {
namespace {

constexpr unsigned kPKeysPerBlock = 32;
constexpr unsigned kPKeyBlocksMax = 128;  // 4,096 keys; a PartitionCap above that is ignored

}  // namespace

/// Requests the attributes of a node that was found at `entry` (0 for a switch that is read again);
/// of a CA or router, those of this port.
void Discovery::read_node(NodeIndex index, mad::PortNum entry) {
  const Node& node = builder_.node(index);
  const bool first_time = !std::exchange(was_read(index), true);
  if (first_time) {
    keep_last_name(index);
    push({.kind = QueryKind::node_description, .port = entry, .node = index});
  }
  if (node.is_switch()) {
    if (!first_time) return;
    const bool key_first = needs_key_first(index);
    if (key_first) key_first_.insert(index);
    push({.kind = key_first ? QueryKind::port_info : QueryKind::switch_info, .node = index});
    return;
  }
  push({.kind = QueryKind::port_info, .port = entry, .node = index});
  query_p_keys(index, entry, std::max<unsigned>(node.info.partition_cap(), 1));
}

/// Keeps the latest name of a node until it reports its name, or if it does not answer.
void Discovery::keep_last_name(NodeIndex index) {
  Node& node = builder_.node(index);
  if (!(node.description == mad::NodeDescription())) return;
  if (const auto lost = options_.lost_names.of_node.find(node.guid);
      lost != options_.lost_names.of_node.end())
    node.description.set_text(lost->second);
  if (options_.trusted == nullptr) return;
  const auto before = options_.trusted->node_of_guid.find(node.guid);
  if (before != options_.trusted->node_of_guid.end())
    node.description = options_.trusted->nodes[before->second].description;
}

/// True if a master must know the key first, to clear PortStateChange before it reads the ports.
bool Discovery::needs_key_first(NodeIndex node) const {
  return options_.clear_port_state_change && options_.m_keys != nullptr &&
         options_.m_keys->standing(builder_.port(builder_.node(node).first_port).guid) !=
             MKeys::Standing::confirmed;
}

/// Reads all cabled ports of a node of the earlier survey.
void Discovery::read_known_node(NodeIndex index) {
  const Node node = builder_.node(index);
  if (node.is_switch()) return read_node(index, mad::PortNum{0});
  for (PortIndex port = node.first_port; port < node.first_port + node.num_ports; ++port) {
    if (builder_.port(port).known || builder_.port(port).peer != kNoIndex)
      read_node(index, builder_.port(port).number);
  }
}

/// Queries port 0 of an unknown switch first: it shows which form of PortInfo the switch answers,
/// so that other ports are not requested twice.
void Discovery::read_switch_ports(NodeIndex index) {
  push({.kind = QueryKind::port_info, .port = mad::PortNum{0}, .node = index});
  const Node& node = builder_.node(index);
  query_p_keys(index, mad::PortNum{0}, std::max<unsigned>(node.info.partition_cap(), 1));
  if (forms_.knows(index) ||
      (options_.trusted != nullptr && options_.trusted->node_of_guid.contains(node.guid)))
    return read_other_ports(index);
  first_port_only_.insert(index);
}

void Discovery::read_other_ports(NodeIndex index) {
  const Node& node = builder_.node(index);
  for (unsigned number = 1; number <= node.num_ports; ++number) {
    push({.kind = QueryKind::port_info,
          .port = mad::PortNum{static_cast<std::uint8_t>(number)},
          .node = index});
  }
}

/// Returns the form of PortInfo to request; of a node of the last subnet, by its CapabilityMask.
bool Discovery::queries_extended(const Query& query) {
  if (!forms_.knows(query.node)) {
    bool extended = true;
    if (options_.trusted != nullptr) {
      const Fabric& before = *options_.trusted;
      const auto found = before.node_of_guid.find(builder_.node(query.node).guid);
      if (found != before.node_of_guid.end()) {
        const auto ports = before.node_ports(found->second);
        const auto known = std::ranges::find_if(ports, &Port::known);
        extended = known == ports.end() ||
                   node_has_extended_speeds(before, before.port(found->second, known->number));
      }
    }
    forms_.expect(query.node, extended);
  }
  return forms_.is_extended(query.node, builder_.port_index(query.node, query.port));
}

/// Returns the PortGUIDs of the end ports that have a link in this survey.
std::unordered_set<mad::Guid> Discovery::found_guids() const {
  std::unordered_set<mad::Guid> found;
  for (PortIndex index{0}; index < builder_.draft().ports.size(); ++index) {
    const Port& port = builder_.draft().ports[index];
    if (port.peer != kNoIndex) found.insert(builder_.draft().m_key_port(index));
  }
  return found;
}

bool Discovery::query_strangers() {
  const std::vector<PortIndex> strangers = std::exchange(strangers_, {});
  if (strangers.empty() || guesses_left_ == 0 || !options_.m_keys->needs_guids()) return false;
  const std::vector<mad::Guid> missing = options_.m_keys->missing(found_guids());
  bool has_guess = false;
  for (const PortIndex port : strangers) {
    if (builder_.port(port).peer != kNoIndex) continue;  // found from its other end after all
    const mad::Guid node = builder_.draft().m_key_port(port);
    std::vector<mad::Guid> guesses = options_.m_keys->guesses(node, expected_behind(port), missing);
    guesses.resize(std::min(guesses.size(), guesses_left_));
    guesses_left_ -= guesses.size();
    for (std::size_t guess = 1; guess <= guesses.size(); ++guess)
      push({.kind = QueryKind::node_info_behind,
            .port = builder_.port(port).number,
            .node = builder_.port(port).node,
            .guess = static_cast<std::uint8_t>(guess)});
    has_guess = has_guess || !guesses.empty();
    guesses_.insert_or_assign(port, std::move(guesses));
  }
  return has_guess;
}

/// Requests P_Key tables of switch ports that face an end port. These ports are known once all
/// cables are.
void Discovery::query_enforcing_ports() {
  for (NodeIndex index{0}; index < read_.size(); ++index) {
    if (!read_[index]) continue;
    if (!builder_.node(index).is_switch()) query_other_p_keys(index);
    if (!builder_.node(index).is_switch() || !builder_.has_switch_info(index)) continue;
    for (const Port& port : builder_.draft().node_ports(index)) {
      if (port.number.value == 0 || port.peer == kNoIndex ||
          builder_.node(builder_.port(port.peer).node).is_switch())
        continue;
      query_p_keys(index, port.number, builder_.switch_info(index).partition_enforcement_cap());
    }
  }
}

/// Requests the blocks after the first one of the tables of a CA or router, if they do not wait.
void Discovery::query_other_p_keys(NodeIndex index) {
  if (!options_.p_keys_may_wait) return;
  const Node& node = builder_.node(index);
  for (PortIndex port = node.first_port; port < node.first_port + node.num_ports; ++port) {
    const Port& of = builder_.port(port);
    if (of.p_key_blocks < 2) continue;
    if (may_wait_for_p_keys(of)) {
      waiting_p_keys_.push_back(port);
    } else {
      query_p_key_blocks(index, of.number, 1, of.p_key_blocks);
    }
  }
}

/// True if no client uses the port yet, and the switch in front of it can block packets with other
/// keys than those of its partitions in both directions.
bool Discovery::may_wait_for_p_keys(const Port& port) const {
  if (!port.known || port.info.port_state() != mad::PortState::init || port.peer == kNoIndex)
    return false;
  const NodeIndex leaf = builder_.port(port.peer).node;
  if (!builder_.node(leaf).is_switch() || !builder_.has_switch_info(leaf)) return false;
  const mad::SwitchInfo& info = builder_.switch_info(leaf);
  return info.partition_enforcement_cap() > 0 && info.inbound_enforcement_cap() &&
         info.outbound_enforcement_cap();
}

void Discovery::query_p_keys(NodeIndex index, mad::PortNum port, unsigned capacity) {
  const unsigned blocks =
      std::min((capacity + kPKeysPerBlock - 1) / kPKeysPerBlock, kPKeyBlocksMax);
  builder_.reserve_p_keys(builder_.port_index(index, port), blocks);
  const bool first_only = options_.p_keys_may_wait && !builder_.node(index).is_switch();
  query_p_key_blocks(index, port, 0, first_only ? std::min(blocks, 1u) : blocks);
}

void Discovery::query_p_key_blocks(NodeIndex index, mad::PortNum port, unsigned begin,
                                   unsigned end) {
  for (unsigned block = begin; block < end; ++block) {
    push({.kind = QueryKind::p_key_table,
          .port = port,
          .block = static_cast<std::uint8_t>(block),
          .node = index});
  }
}

void Discovery::query_behind(NodeIndex node, mad::PortNum port) {
  push({.kind = QueryKind::node_info_behind, .port = port, .node = node});
}

/// Reads the switch at the other end of a lost link in the same survey, since both ends are one
/// change. If its power failed, it has lost all of its links: the ports in front of them show that,
/// and no request to the switch waits for a time-out.
void Discovery::query_neighbours(NodeIndex changed) {
  if (!looked_around_.insert(changed).second) return;
  std::set<PortIndex> around;
  const Node& node = builder_.node(changed);
  for (PortIndex port = node.first_port; port <= node.first_port + node.num_ports; ++port) {
    const PortIndex before = builder_.port(port).peer;
    if (before == kNoIndex || (before < ports_read_.size() && ports_read_[before])) continue;
    const NodeIndex neighbour = builder_.port(before).node;
    if (neighbour == changed || !builder_.node(neighbour).is_switch()) continue;
    around.insert(before);
    if (!was_read(neighbour))
      push({.kind = QueryKind::port_info, .port = builder_.port(before).number, .node = neighbour});
  }
  if (around.empty()) return query_identity(changed);
  around_.emplace(changed, std::move(around));
}

/// Notes that the PortInfo of the port was read, or has no response.
void Discovery::note_port_read(PortIndex port) {
  link_was_read(port);
  for (auto around = around_.begin(); around != around_.end();) {
    if (around->second.erase(port) == 0 || !around->second.empty()) {
      ++around;
      continue;
    }
    query_identity(around->first);
    around = around_.erase(around);
  }
}

/// Queries the identity of a node, which is read after that. Does nothing if it was read already,
/// or no cable leads there any more.
void Discovery::query_identity(NodeIndex node) {
  if (traverses_cut(builder_.node(node).route)) reroute_around_cut_links();
  if (!builder_.is_reachable(node) && std::exchange(cable_joined_, false)) refresh_routes();
  if (was_read(node) || !builder_.is_reachable(node)) return;
  if (node == own_node_) return read_known_node(node);
  push({.kind = QueryKind::identity, .node = node});
}

}  // namespace sm
