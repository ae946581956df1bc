#include "sm/sweep/discovery_batch.h"

#include <algorithm>

#include "fabric/plausible.h"
#include "mad/format.h"

namespace sm {
namespace {

constexpr unsigned kPKeysPerBlock = 32;
constexpr unsigned kPKeyBlocksMax = 128;  // 4,096 keys; a PartitionCap above that is not believed
constexpr unsigned kExtraRounds =
    2;  // how often a request without a response, to a node that responds to others, is repeated
constexpr unsigned kConflictRoundsMax =
    3;  // how often two claims to one port are checked before they count as a duplicate GUID

}  // namespace

bool& Discovery::was_read(NodeIndex node) {
  if (read_.size() <= node) read_.resize(node + 1, false);
  return read_[node];
}

bool Discovery::next(mad::SmpRequest& request) {
  if (is_doubtful()) return false;  // everything is read anew anyway
  if (!out_of_time_ && client_.now() >= end_) {
    out_of_time_ = true;
    suspect_branch(unread_by_node());
  }
  if (suspect_ || out_of_time_) return false;
  for (std::deque<std::uint64_t>* queue : {&probes_, &questions_}) {
    while (!queue->empty()) {
      const Question question = Question::unpack(queue->front());
      queue->pop_front();
      if (!is_moot(question) && fill(question, request)) return true;
    }
  }
  return false;
}

/// A cable that was identified from its other end in the meantime need not be looked at again.
bool Discovery::is_moot(const Question& question) const {
  if (question.ask != Ask::node_info_behind || question.node == kOwnNode) return false;
  const PortIndex port = builder_.port_index(question.node, question.port);
  if (is_suspect(port)) return true;
  return builder_.port(port).peer != kNoIndex && !contests_.contains(builder_.port(port).peer);
}

/// A node of the earlier picture that has lost all of its cables.
bool Discovery::is_cut_off(NodeIndex index) const {
  if (known_ == nullptr || index == own_node_) return false;
  const Node& node = builder_.node(index);
  for (PortIndex port = node.first_port;
       port < node.first_port + node.num_ports + (node.is_switch() ? 1u : 0u); ++port) {
    if (builder_.port(port).peer != kNoIndex) return false;
  }
  return true;
}

bool Discovery::fill(const Question& question, mad::SmpRequest& request) {
  using mad::AttributeId;
  request = {};
  request.cookie = question.pack();
  if (question.ask == Ask::node_info_behind) {
    request.attribute = AttributeId::node_info;
    if (question.node == kOwnNode) {
      if (options_.m_keys != nullptr) request.port = options_.m_keys->own_port();
      return true;
    }
    request.port = expected_behind(builder_.port_index(question.node, question.port));
    const Node& node = builder_.node(question.node);
    if ((question.round > 0 && std::exchange(cable_joined_, false)) || leads_over_cut(node.route))
      refresh_routes();
    const auto route = node.route.extended(question.port);
    if (!route) {
      report(
          ConditionId::node_too_far,
          fmt::format("{} is {} hops away: what is behind it cannot be reached by directed routes",
                      port_name(builder_.port_index(question.node, question.port)),
                      node.route.hop_count()));
      too_far_.resize(builder_.node_count());
      ++too_far_[question.node];
      if (++too_far_count_ == kTooFarMax + 1) suspect_branch(too_far_);
      return false;
    }
    request.route = *route;
    return true;
  }

  if (question.round > 0 && std::exchange(cable_joined_, false)) refresh_routes();
  const Node& node = builder_.node(question.node);
  const PortIndex port = builder_.port_index(question.node, question.port);
  auto route = builder_.draft().route_to(port);
  if (route && leads_over_cut(*route)) {
    refresh_routes();
    route = builder_.draft().route_to(port);
  }
  if (!route) return false;
  request.route = *route;
  request.node = node.guid;
  request.port = builder_.draft().m_key_port(port);
  switch (question.ask) {
    case Ask::node_description:
      request.attribute = AttributeId::node_description;
      break;
    case Ask::switch_info:
      request.attribute = AttributeId::switch_info;
      break;
    case Ask::clear_port_state_change:
      request.method = mad::Method::set;
      request.attribute = AttributeId::switch_info;
      std::ranges::copy(builder_.switch_info(question.node).bytes(),
                        request.data.begin());  // the bit is set: writing 1 clears it
      break;
    case Ask::sm_info:
      request.attribute = AttributeId::sm_info;
      request.node = {};  // a program answers it: its silence is not that of the node
      break;
    case Ask::identity:
      request.attribute = AttributeId::node_info;
      break;
    case Ask::port_info:
      request.attribute = AttributeId::port_info;
      // A CA or router answers for the port that the request came in by.
      request.modifier = mad::PortInfo::modifier(node.is_switch() ? question.port : mad::PortNum{0},
                                                 !no_extended_speeds_.contains(port));
      break;
    case Ask::p_key_table:
      request.attribute = AttributeId::p_key_table;
      request.modifier = mad::PKeyTable::modifier(
          question.block, node.is_switch() ? question.port : mad::PortNum{0});
      break;
    case Ask::m_key_probe: {
      request.method = mad::Method::set;
      request.attribute = AttributeId::port_info;
      request.modifier =
          mad::PortInfo::modifier(mad::PortNum{0}, !no_extended_speeds_.contains(port));
      mad::PortInfo info = builder_.port(port).info;
      info.set_port_state(mad::PortState::no_change);
      info.set_port_physical_state(mad::PortPhysicalState::no_change);
      std::ranges::copy(info.bytes(), request.data.begin());
      break;
    }
    case Ask::node_info_behind:
      break;
  }
  return true;
}

/// PortGUID of the port at the other end of this one's link, as far as an earlier survey saw it.
mad::Guid Discovery::expected_behind(PortIndex index) const {
  const Port& port = builder_.port(index);
  if (options_.trusted != nullptr) {
    const Fabric& before = *options_.trusted;
    const auto node = before.node_of_guid.find(builder_.node(port.node).guid);
    if (node != before.node_of_guid.end() &&
        port.number.value <= before.nodes[node->second].num_ports) {
      const PortIndex peer = before.ports[before.port(node->second, port.number)].peer;
      if (peer != kNoIndex) return before.m_key_port(peer);
    }
  }
  return options_.m_keys == nullptr
             ? mad::Guid{}
             : options_.m_keys->behind(builder_.draft().m_key_port(index), port.number);
}

void Discovery::done(const mad::SmpRequest& request, const mad::SmpReply& reply) {
  const Question question = Question::unpack(request.cookie);
  if (!reply.ok()) return on_silence(question, request, reply);
  switch (question.ask) {
    case Ask::node_info_behind:
      on_node_info(question, mad::NodeInfo(reply.data), request.route);
      break;
    case Ask::node_description:
      builder_.node(question.node).description = mad::NodeDescription(reply.data);
      break;
    case Ask::switch_info:
      on_switch_info(question, mad::SwitchInfo(reply.data));
      break;
    case Ask::clear_port_state_change:
      claimed_.push_back(builder_.node(question.node).guid);
      builder_.set_switch_info(question.node, mad::SwitchInfo(reply.data));
      read_switch_ports(question.node);
      break;
    case Ask::port_info:
      on_port_info(question, mad::PortInfo(reply.data));
      looked_at(builder_.port_index(question.node, question.port));
      break;
    case Ask::m_key_probe:
      take_port_info(question, mad::PortInfo(reply.data));
      break;
    case Ask::p_key_table:
      builder_.set_p_keys(builder_.port_index(question.node, question.port), question.block,
                          mad::PKeyTable(reply.data));
      break;
    case Ask::identity:
      if (mad::NodeInfo(reply.data).node_guid() == builder_.node(question.node).guid) {
        read_known_node(question.node);
      } else {
        mistook_a_node_ = true;
      }
      break;
    case Ask::sm_info:
      sms_.emplace_back(builder_.port_index(question.node, question.port), mad::SmInfo(reply.data));
      break;
  }
  if (options_.on_progress && builder_.node_count() >= nodes_told_ + 64) {
    nodes_told_ = builder_.node_count();
    options_.on_progress(builder_.node_count(), builder_.switch_count());
  }
}

/// A request without a response may have been sent over a link that has gone down since.
std::optional<mad::DirectedRoute> Discovery::alternative_route(const mad::SmpRequest& request) {
  const Question question = Question::unpack(request.cookie);
  if (question.node == kOwnNode) return std::nullopt;
  if (std::exchange(cable_joined_, false) || !cut_.empty()) refresh_routes();
  auto route = question.ask == Ask::node_info_behind
                   ? builder_.node(question.node).route.extended(question.port)
                   : builder_.draft().route_to(builder_.port_index(question.node, question.port));
  if (route == request.route) return std::nullopt;
  return route;
}

void Discovery::on_node_info(const Question& question, const mad::NodeInfo& info,
                             const mad::DirectedRoute& route) {
  const bool own = question.node == kOwnNode;
  const auto behind = [&] {
    return own ? std::string("the own port")
               : port_name(builder_.port_index(question.node, question.port));
  };
  if (const auto defect = FabricBuilder::defect_of(info)) {
    return on_nonsense(question,
                       fmt::format("the node behind {} answers NodeInfo with {}; it is ignored",
                                   behind(), *defect));
  }
  NodeIndex node = builder_.find(info.node_guid());
  const bool is_new = node == kNoIndex;
  if (is_new && !has_room_for(info)) {
    if (ignored_ == 0) suspect_branch(unread_by_node());
    if (ignored_++ == 0) {
      first_ignored_ =
          fmt::format("the node with NodeGUID {} behind {}", info.node_guid(), behind());
    }
    return;
  }
  if (is_new) {
    node = builder_.add(info, route);
    found_behind_.resize(node + 1, kNoIndex);
    if (!own) found_behind_[node] = builder_.port_index(question.node, question.port);
  } else if (const mad::NodeInfo& before = builder_.node(node).info;
             before.node_type() != info.node_type() || before.num_ports() != info.num_ports() ||
             before.system_image_guid() != info.system_image_guid()) {
    return report(
        ConditionId::guid_duplicate,
        fmt::format("duplicate NodeGUID {}: two different nodes carry it, one by route {}, the "
                    "other by route {} behind {}; the second is ignored",
                    info.node_guid(), builder_.node(node).route.text(), route.text(), behind()));
  }
  const PortIndex entry = builder_.port_index(node, info.local_port_num());
  if (!builder_.node(node).is_switch()) builder_.port(entry).guid = info.port_guid();
  if (own) {
    own_node_ = node;
    builder_.set_sm_port(entry);
  } else {
    join(builder_.port_index(question.node, question.port), entry);
    if (builder_.port(entry).peer != builder_.port_index(question.node, question.port))
      return;  // contested: not its cable (yet)
  }
  read_node(node, info.local_port_num());
}

bool Discovery::has_room_for(const mad::NodeInfo& info) const {
  return builder_.node_count() < options_.bounds.nodes_max &&
         builder_.draft().ports.size() + info.num_ports() < options_.bounds.ports_max;
}

/// Finds the port behind which a survey that exceeds its bounds grows.
void Discovery::suspect_branch(std::vector<std::uint64_t> weight) {
  if (std::exchange(suspect_searched_, true)) return;
  std::function<bool(NodeIndex)> known;
  if (known_ != nullptr || options_.trusted != nullptr)
    known = [this](NodeIndex node) { return is_known(node); };
  found_behind_.resize(builder_.node_count(), kNoIndex);
  const std::optional<PortIndex> branch = heaviest_branch(
      found_behind_, weight, [this](PortIndex port) { return builder_.port(port).node; }, known,
      own_node_);
  if (!branch) return;
  const Port& port = builder_.port(*branch);
  suspect_ = {.node = builder_.node(port.node).guid, .port = port.number};
}

std::vector<std::uint64_t> Discovery::unread_by_node() const {
  std::vector<std::uint64_t> count(builder_.node_count(), 1);
  for (const std::deque<std::uint64_t>* queue : {&probes_, &questions_}) {
    for (const std::uint64_t cookie : *queue) {
      if (const Question question = Question::unpack(cookie); question.node < count.size())
        ++count[question.node];
    }
  }
  return count;
}

/// In the earlier picture, or in the last subnet.
bool Discovery::is_known(NodeIndex node) const {
  if (known_ != nullptr && node < known_->nodes.size()) return true;
  if (options_.trusted == nullptr) return false;
  const Node& its = builder_.node(node);
  const auto before = options_.trusted->node_of_guid.find(its.guid);
  return before != options_.trusted->node_of_guid.end() &&
         options_.trusted->nodes[before->second].type == its.type;
}

bool Discovery::is_suspect(PortIndex index) const {
  if (options_.suspects.empty() && options_.left_out.empty()) return false;
  const Port& port = builder_.port(index);
  const SuspectPort its{.node = builder_.node(port.node).guid, .port = port.number};
  return std::ranges::binary_search(options_.left_out, its) ||
         std::ranges::find(options_.suspects, its) != options_.suspects.end();
}

/// Notes that `from`'s cable leads to `to`.
void Discovery::join(PortIndex from, PortIndex to) {
  const PortIndex before = builder_.port(to).peer;
  if (before != kNoIndex && before != from) return contest(to, from);
  if (builder_.port(from).peer != kNoIndex && builder_.port(from).peer != to)
    builder_.disconnect(from);
  builder_.connect(from, to);
  cable_joined_ = true;
  note_move(from, to);
  note_move(to, from);
}

/// The cable of `port` leads to `peer`. If it led elsewhere, routes of the earlier picture over a
/// cable between switches may lead to other nodes now. A cable of an end node is part of no route
/// to another: of it only the switch where it was plugged in has to be read.
void Discovery::note_move(PortIndex port, PortIndex peer) {
  if (known_ == nullptr || port >= known_->ports.size() || peer >= known_->ports.size()) return;
  const PortIndex before = known_->ports[port].peer;
  if (before == kNoIndex || before == peer) return;
  const NodeIndex node = builder_.port(port).node, led_to = builder_.port(before).node;
  if (builder_.node(node).is_switch()) {
    cable_moved_ = cable_moved_ || builder_.node(led_to).is_switch();
  } else if (builder_.node(led_to).is_switch()) {
    ask_identity(led_to);
  }
}

/// Two cables claim to end in one port. Either a cable was moved while we looked, or two nodes
/// carry one GUID: both routes are queried again, a few times.
void Discovery::contest(PortIndex claimed, PortIndex claimant) {
  const PortIndex holder = builder_.port(claimed).peer;
  if (++contests_[claimed] > kConflictRoundsMax) {
    const auto by = [&](PortIndex port) {
      const Node& node = builder_.node(builder_.port(port).node);
      const auto route = node.route.extended(builder_.port(port).number);
      return fmt::format("route {} (from {})", route ? route->text() : node.route.text(),
                         port_name(port));
    };
    return report(
        ConditionId::guid_duplicate,
        fmt::format("duplicate GUID {}: {} answers by {} and by {}; the second is ignored",
                    builder_.node(builder_.port(claimed).node).guid, port_name(claimed), by(holder),
                    by(claimant)));
  }
  builder_.disconnect(claimed);
  for (const PortIndex port : {holder, claimant}) {
    push({.ask = Ask::node_info_behind,
          .port = builder_.port(port).number,
          .node = builder_.port(port).node});
  }
}

/// A node was met at `entry` (0 for a switch that is read again): requests its attributes, and
/// for a CA or router to that port of it.
void Discovery::read_node(NodeIndex index, mad::PortNum entry) {
  const Node& node = builder_.node(index);
  const bool first_time = !std::exchange(was_read(index), true);
  if (first_time) push({.ask = Ask::node_description, .port = entry, .node = index});
  if (node.is_switch()) {
    if (!first_time) return;
    const bool key_first = needs_key_first(index);
    if (key_first) key_first_.insert(index);
    push({.ask = key_first ? Ask::port_info : Ask::switch_info, .node = index});
    return;
  }
  push({.ask = Ask::port_info, .port = entry, .node = index});
  ask_p_keys(index, entry, std::max<unsigned>(node.info.partition_cap(), 1));
}

/// A master may clear PortStateChange before it reads the ports, for which it needs the key.
bool Discovery::needs_key_first(NodeIndex node) const {
  return options_.clear_port_state_change && options_.m_keys != nullptr &&
         options_.m_keys->standing(builder_.port(builder_.node(node).first_port).guid) !=
             MKeys::Standing::confirmed;
}

/// A node of the earlier picture: all of its ports that a cable leads to.
void Discovery::read_known_node(NodeIndex index) {
  const Node node = builder_.node(index);
  if (node.is_switch()) return read_node(index, mad::PortNum{0});
  for (PortIndex port = node.first_port; port < node.first_port + node.num_ports; ++port) {
    if (builder_.port(port).known || builder_.port(port).peer != kNoIndex)
      read_node(index, builder_.port(port).number);
  }
}

void Discovery::read_switch_ports(NodeIndex index) {
  const Node& node = builder_.node(index);
  for (unsigned number = 0; number <= node.num_ports; ++number) {
    push({.ask = Ask::port_info,
          .port = mad::PortNum{static_cast<std::uint8_t>(number)},
          .node = index});
  }
  ask_p_keys(index, mad::PortNum{0}, std::max<unsigned>(node.info.partition_cap(), 1));
}

/// When all others are read, it is known whether there is another route to a silent node. If not,
/// no more time is spent on it: it is most likely gone, and the rest of the fabric waits.
void Discovery::ask_missing_again() {
  refresh_routes();
  for (const auto& [changed, unread] : std::exchange(around_, {})) ask_identity(changed);
  for (const Missing& missing : std::exchange(missing_, {})) {
    if (was_read(missing.node) || is_cut_off(missing.node)) continue;
    if (const mad::DirectedRoute& route = builder_.node(missing.node).route;
        route != missing.route) {
      push({.ask = Ask::identity, .node = missing.node});
      continue;
    }
    builder_.forget_switch_info(missing.node);  // what it said earlier does not hold any more
    note_silence(missing.node, mad::AttributeId::node_info, 0);
  }
}

/// A switch port that faces an end port may have a P_Key table of its own. Which ports these are is
/// known when all cables are.
void Discovery::ask_enforcing_ports() {
  for (const PortIndex index : builder_.draft().ports.indices()) {
    const Port& port = builder_.port(index);
    const Node& node = builder_.node(port.node);
    if (!node.is_switch() || port.number.value == 0 || port.peer == kNoIndex ||
        !was_read(port.node))
      continue;
    if (builder_.node(builder_.port(port.peer).node).is_switch() ||
        !builder_.has_switch_info(port.node))
      continue;
    ask_p_keys(port.node, port.number, builder_.switch_info(port.node).partition_enforcement_cap());
  }
}

void Discovery::ask_p_keys(NodeIndex index, mad::PortNum port, unsigned capacity) {
  const unsigned blocks =
      std::min((capacity + kPKeysPerBlock - 1) / kPKeysPerBlock, kPKeyBlocksMax);
  builder_.reserve_p_keys(builder_.port_index(index, port), blocks);
  for (unsigned block = 0; block < blocks; ++block) {
    push({.ask = Ask::p_key_table,
          .port = port,
          .block = static_cast<std::uint8_t>(block),
          .node = index});
  }
}

/// A link to a node that no route leads over costs nothing: after the failure of a switch all links
/// around it are found to be gone, one after the other.
void Discovery::note_cut(PortIndex from, PortIndex to) {
  for (const auto& [near, far] : {std::pair(from, to), std::pair(to, from)}) {
    const Node& before = builder_.node(builder_.port(near).node);
    const Node& behind = builder_.node(builder_.port(far).node);
    const auto route = before.route.extended(builder_.port(near).number);
    if (route && behind.is_switch() && *route == behind.route) cut_.push_back(*route);
  }
}

bool Discovery::leads_over_cut(const mad::DirectedRoute& route) const {
  return std::ranges::any_of(cut_, [&route](const mad::DirectedRoute& gone) {
    return gone.hop_count() <= route.hop_count() &&
           std::ranges::equal(gone.hops(), route.hops().first(gone.hop_count()));
  });
}

void Discovery::refresh_routes() {
  cut_.clear();
  builder_.refresh_routes();
}

void Discovery::look_behind(NodeIndex node, mad::PortNum port) {
  push({.ask = Ask::node_info_behind, .port = port, .node = node});
}

/// Both ends of a lost link are one change: the other switch is read in the same survey. It may
/// have lost all of its links, by a failure of power: that is known from the ports before them,
/// and no request to the switch waits for a time-out.
void Discovery::look_around(NodeIndex changed) {
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
      push({.ask = Ask::port_info, .port = builder_.port(before).number, .node = neighbour});
  }
  if (around.empty()) return ask_identity(changed);
  around_.emplace(changed, std::move(around));
}

/// Its PortInfo was read, or has no response.
void Discovery::looked_at(PortIndex port) {
  for (auto around = around_.begin(); around != around_.end();) {
    if (around->second.erase(port) == 0 || !around->second.empty()) {
      ++around;
      continue;
    }
    ask_identity(around->first);
    around = around_.erase(around);
  }
}

/// Then it is read. Not if it was, or if no cable leads there any more.
void Discovery::ask_identity(NodeIndex node) {
  if (leads_over_cut(builder_.node(node).route)) refresh_routes();
  if (was_read(node) || !builder_.is_reachable(node)) return;
  if (node == own_node_) return read_known_node(node);
  push({.ask = Ask::identity, .node = node});
}

/// A response that cannot be true: the request is repeated once, and the node is read again
/// soon.
void Discovery::on_nonsense(const Question& question, std::string text) {
  if (question.round == 0) {
    Question again = question;
    ++again.round;
    return push(again);
  }
  if (question.node != kOwnNode) unread_.insert(builder_.node(question.node).guid);
  report(ConditionId::response_malformed, std::move(text));
}

void Discovery::on_switch_info(const Question& question, const mad::SwitchInfo& info) {
  if (const auto defect = defect_of(info)) {
    return on_nonsense(question, fmt::format("switch {} answers SwitchInfo with {}; it is ignored",
                                             builder_.draft().name(question.node), *defect));
  }
  builder_.set_switch_info(question.node, info);
  // Cleared before the ports are read: a change that comes later raises it again and is not lost.
  if (options_.clear_port_state_change && info.port_state_change()) {
    push({.ask = Ask::clear_port_state_change, .node = question.node});
  } else {
    read_switch_ports(question.node);
  }
}

void Discovery::on_port_info(const Question& question, const mad::PortInfo& info) {
  if (const auto defect = defect_of(info, question.port.value != 0)) {
    return on_nonsense(
        question,
        fmt::format("{} answers PortInfo with {}; the port is ignored",
                    port_name(builder_.port_index(question.node, question.port)), *defect));
  }
  if (shows_doubtful_m_key(question, info)) {
    return on_nonsense(
        question,
        fmt::format("{} answers PortInfo with an M_Key that would not have let it answer; the port "
                    "is ignored",
                    port_name(builder_.port_index(question.node, question.port))));
  }
  if (knows_m_key(question, info)) take_port_info(question, info);
}

/// A key that is not the port's must not be written back with what else was read: it would lock
/// this manager out.
bool Discovery::shows_doubtful_m_key(const Question& question, const mad::PortInfo& info) const {
  const bool external = builder_.node(question.node).is_switch() && question.port.value != 0;
  const PortIndex port = builder_.port_index(question.node, question.port);
  return options_.m_keys != nullptr && !external &&
         options_.m_keys->is_doubtful(builder_.draft().m_key_port(port), info.m_key());
}

/// At protection level 1 a port is read, but not written, without its key. If none of those that
/// it may have is shown, a manager that may write tries a Set that changes nothing: the port has no
/// key at all, or its lease begins to run (IBTA Vol 1, 14.2.4.1), after which it shows the key.
bool Discovery::knows_m_key(const Question& question, const mad::PortInfo& info) {
  const bool external = builder_.node(question.node).is_switch() && question.port.value != 0;
  if (options_.m_keys == nullptr || external || info.m_key_protect_bits() != 1) return true;
  const PortIndex index = builder_.port_index(question.node, question.port);
  const MKeys::Standing standing = options_.m_keys->standing(builder_.draft().m_key_port(index));
  if (standing == MKeys::Standing::confirmed) return true;
  if (standing == MKeys::Standing::open && question.round < mad::MKeyCandidates::kMax) {
    Question again = question;
    ++again.round;
    push(again);
    return false;
  }
  if (!options_.clear_port_state_change) {
    has_hidden_m_keys_ = true;
    return true;
  }
  Port& port = builder_.port(index);
  port.info = info;
  port.known = false;
  push({.ask = Ask::m_key_probe, .port = question.port, .node = question.node});
  return false;
}

void Discovery::take_port_info(const Question& question, const mad::PortInfo& info) {
  const NodeIndex node = question.node;
  const PortIndex index = builder_.port_index(node, question.port);
  Port& port = builder_.port(index);
  if (question.port.value == 0 && key_first_.erase(node) > 0)
    return push({.ask = Ask::switch_info, .node = node});
  if (ports_read_.size() <= index) ports_read_.resize(builder_.draft().ports.size(), false);
  const bool in_earlier_picture = port.known && !ports_read_[index];
  ports_read_[index] = true;
  port.info = info;
  port.known = true;
  const bool external = question.port.value != 0;
  const bool leads_on =
      external && (builder_.node(node).is_switch() || index == builder_.draft().sm_port);
  if (leads_on) {
    // A port that was not activated last time (its peer got no LID, ...) says Init before and after
    // its cable was moved.
    const bool restarted = in_earlier_picture && info.port_state() == mad::PortState::init;
    const PortIndex peer = port.peer;
    if (peer != kNoIndex && !contests_.contains(index) && (!port.is_up() || restarted)) {
      // Only in a partial survey: what was at this cable may be gone, or be another node now.
      note_cut(index, peer);
      builder_.disconnect(index);
      const Port& far = builder_.port(peer);
      if (known_ != nullptr) ask_identity(node);
      if (builder_.node(far.node).is_switch()) {
        if (known_ == nullptr || was_read(far.node)) {
          push({.ask = Ask::port_info, .port = far.number, .node = far.node});
        } else {
          look_around(far.node);
        }
      } else {
        builder_.port(peer).known = false;  // a CA's port behind no cable is out of reach
        was_read(far.node) = false;
      }
    }
    if (is_suspect(index) && peer != kNoIndex) {
      note_cut(index, peer);
      builder_.disconnect(index);
    }
    if (port.is_up() && port.peer == kNoIndex && !is_suspect(index))
      look_behind(node, question.port);
  }
  if (!builder_.node(node).is_switch() || !external) {
    const bool is_sm = (info.capability_mask() & mad::capability::kIsSm) != 0;
    if (is_sm && index != builder_.draft().sm_port)
      push({.ask = Ask::sm_info, .port = question.port, .node = node});
  }
}

void Discovery::on_silence(const Question& question, const mad::SmpRequest& request,
                           const mad::SmpReply& reply) {
  if (question.ask == Ask::port_info && reply.fault == mad::SmpFault::bad_status) {
    // A node that does not know extended speeds may reject their modifier.
    if (no_extended_speeds_.insert(builder_.port_index(question.node, question.port)).second)
      return push(question);
  }
  if (question.ask == Ask::m_key_probe) {
    // A rejected Set changes nothing either, and was admitted.
    if (reply.fault == mad::SmpFault::bad_status)
      return take_port_info(question,
                            builder_.port(builder_.port_index(question.node, question.port)).info);
    return leave_out_unknown_key(question);
  }
  if (question.ask == Ask::identity) return missing_.push_back({question.node, request.route});
  if (question.ask != Ask::node_info_behind && is_cut_off(question.node))
    return;  // no cable leads there any more: neither a fault nor worth more time
  const unsigned rounds_max =
      question.ask == Ask::node_info_behind && question.node != kOwnNode ? 1 : kExtraRounds;
  // A node that is silent by one route may answer by another one that was found meanwhile.
  const bool again = reply.fault == mad::SmpFault::timeout ||
                     (reply.fault == mad::SmpFault::node_silent && alternative_route(request));
  if (again && question.round < rounds_max) {
    Question next = question;
    ++next.round;
    return push(next);
  }
  if (question.ask == Ask::sm_info)
    return;  // a port that claims IsSM and whose manager is just gone: no fault of the fabric
  if (question.ask == Ask::clear_port_state_change) return read_switch_ports(question.node);
  if (question.ask == Ask::port_info) looked_at(builder_.port_index(question.node, question.port));
  // What the node said in an earlier survey does not hold any more.
  if (question.ask == Ask::switch_info) builder_.forget_switch_info(question.node);
  if (question.ask == Ask::port_info && key_first_.erase(question.node) > 0)
    builder_.forget_switch_info(question.node);
  if (question.ask == Ask::port_info)
    builder_.port(builder_.port_index(question.node, question.port)).known = false;
  if (question.ask != Ask::node_info_behind) {
    // A switch that died while it was read is left out: the others are routed without it.
    if (reply.fault == mad::SmpFault::node_silent && builder_.node(question.node).is_switch())
      builder_.forget_switch_info(question.node);
    return note_silence(question.node, request.attribute, reply.status);
  }
  if (question.node == kOwnNode)
    return report(ConditionId::node_silent, "the own port does not answer SubnGet(NodeInfo)");
  const PortIndex port = builder_.port_index(question.node, question.port);
  const mad::Guid expected = expected_behind(port);
  if (options_.m_keys == nullptr || !options_.m_keys->in_use() ||
      (options_.m_keys->standing(expected) == MKeys::Standing::confirmed &&
       !may_have_another_m_key(expected)))
    return silences_.note_behind(port);
  if (expected != mad::Guid{})
    options_.m_keys->note_behind(builder_.draft().m_key_port(port), question.port, expected);
  std::string name;
  if (expected != mad::Guid{}) {
    const Fabric* const before = options_.trusted;
    const bool is_known = before != nullptr && before->port_of_guid.contains(expected);
    name = is_known ? before->port_name(before->port_of_guid.at(expected))
                    : fmt::format("PortGUID {}", expected);
  }
  silences_.note_unknown_m_key_behind(port, expected, std::move(name));
}

/// A port whose key was known does not respond. Another manager may have changed the key: the port
/// has reported a request of this manager, or its device responds at another port. Else it is hung.
bool Discovery::may_have_another_m_key(mad::Guid port) {
  if (options_.m_keys->refuses(port)) return true;
  if (options_.trusted == nullptr) return false;
  const auto before = options_.trusted->port_of_guid.find(port);
  if (before == options_.trusted->port_of_guid.end()) return false;
  const NodeIndex node = builder_.find(options_.trusted->node_of(before->second).guid);
  if (node == kNoIndex) return false;
  const Node& device = builder_.node(node);
  for (PortIndex other = device.first_port; other < device.first_port + device.num_ports; ++other)
    if (builder_.port(other).known && builder_.port(other).guid != port) {
      options_.m_keys->note_refusal(port);  // the next survey does not know this port's device
      return true;
    }
  return false;
}

/// It answers to Gets, and would not take anything. The own port is kept: everything else is
/// reached through it.
void Discovery::leave_out_unknown_key(const Question& question) {
  const PortIndex port = builder_.port_index(question.node, question.port);
  unread_.insert(builder_.node(question.node).guid);
  silences_.note_unknown_m_key(port);
  if (question.node == own_node_) return take_port_info(question, builder_.port(port).info);
  if (builder_.node(question.node).is_switch()) builder_.forget_switch_info(question.node);
}

void Discovery::note_silence(NodeIndex node, mad::AttributeId attribute, std::uint16_t status) {
  unread_.insert(builder_.node(node).guid);
  silences_.note(node, attribute, status);
}

Survey Discovery::finish() {
  Survey survey;
  if (out_of_time_) {
    report(ConditionId::fabric_too_large,
           fmt::format(
               "the fabric was not read to its end within {} s: the rest is left out",
               std::chrono::duration_cast<std::chrono::seconds>(options_.bounds.time_max).count()));
  }
  if (ignored_ > 0) {
    report(ConditionId::fabric_too_large,
           fmt::format("{} would be more than {} nodes or {} ports, which no subnet has; it and {} "
                       "more like it are ignored",
                       first_ignored_, options_.bounds.nodes_max, options_.bounds.ports_max,
                       ignored_ - 1));
  }
  silences_.report(builder_);
  survey.fabric = builder_.build();
  for (const SuspectPort& suspect : options_.suspects) {
    const auto node = survey.fabric.node_of_guid.find(suspect.node);
    if (node == survey.fabric.node_of_guid.end() ||
        suspect.port.value > survey.fabric.nodes[node->second].num_ports)
      continue;
    const PortIndex port = survey.fabric.port(node->second, suspect.port);
    if (!survey.fabric.ports[port].is_up()) continue;
    survey.fabric.conditions.push_back(
        {.id = ConditionId::subtree_too_large,
         .text = fmt::format("nodes without end behind {}: nothing behind that port is managed "
                             "until its link has been down",
                             survey.fabric.port_name(port)),
         .guid = suspect.node,
         .port = suspect.port});
  }
  survey.claimed = std::move(claimed_);
  survey.has_hidden_m_keys = has_hidden_m_keys_;
  survey.unread.assign(unread_.begin(), unread_.end());
  survey.sm_port_up =
      survey.fabric.sm_port != kNoIndex && survey.fabric.ports[survey.fabric.sm_port].is_up();
  if (survey.fabric.sm_port != kNoIndex && survey.fabric.node_of(survey.fabric.sm_port).is_switch())
    survey.sm_port_up = true;
  for (NodeIndex node{0}; node < read_.size(); ++node) {
    if (read_[node]) survey.read_again.push_back(builder_.node(node).guid);
  }
  const auto renumbered = [&](PortIndex old) {
    const Port& port = builder_.port(old);
    const auto node = survey.fabric.node_of_guid.find(builder_.node(port.node).guid);
    return node == survey.fabric.node_of_guid.end() ? kNoIndex
                                                    : survey.fabric.port(node->second, port.number);
  };
  for (const auto& [port, info] : sms_) {
    OtherSm other{.port = renumbered(port), .route = {}, .info = info};
    if (other.port == kNoIndex) continue;
    if (const auto route = survey.fabric.route_to(other.port)) other.route = *route;
    survey.sms.push_back(other);
  }
  return survey;
}

}  // namespace sm
