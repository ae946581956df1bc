#include "sm/sweep/observe/discovery_batch.h"

#include <algorithm>

#include "fabric/fabric_conditions.h"
#include "mad/format.h"

namespace sm {

bool& Discovery::was_read(NodeIndex node) {
  if (read_.size() <= node) read_.resize(node + 1, false);
  return read_[node];
}

bool Discovery::next(mad::SmpRequest& request) {
  if (is_unconfirmed()) return false;  // everything is read again anyway
  if (!out_of_time_ && client_.now() >= end_) {
    out_of_time_ = true;
    suspect_branch(unread_by_node());
  }
  if (ends_early()) return false;
  for (std::deque<std::uint64_t>* queue : {&probes_, &questions_}) {
    while (!queue->empty()) {
      const Query query = Query::unpack(queue->front());
      queue->pop_front();
      if (!is_moot(query) && fill(query, request)) return true;
    }
  }
  return false;
}

/// True for an unnecessary query: the cable was identified from its other end.
bool Discovery::is_moot(const Query& query) const {
  if (query.kind != QueryKind::node_info_behind || query.node == kOwnNode) return false;
  const PortIndex port = builder_.port_index(query.node, query.port);
  if (is_suspect(port)) return true;
  return builder_.port(port).peer != kNoIndex && !contests_.contains(builder_.port(port).peer);
}

/// True for a node of the earlier survey that has lost all of its cables.
bool Discovery::is_cut_off(NodeIndex index) const {
  if (known_ == nullptr || index == own_node_) return false;
  const Node& node = builder_.node(index);
  for (PortIndex port = node.first_port;
       port < node.first_port + node.num_ports + (node.is_switch() ? 1u : 0u); ++port) {
    if (builder_.port(port).peer != kNoIndex) return false;
  }
  return true;
}

bool Discovery::fill_query_behind(const Query& query, mad::SmpRequest& request) {
  using mad::AttributeId;
  request.attribute = AttributeId::node_info;
  if (query.node == kOwnNode) {
    if (options_.m_keys != nullptr) request.port = options_.m_keys->own_port();
    return true;
  }
  const PortIndex before = builder_.port_index(query.node, query.port);
  request.port = query.guess == 0 ? expected_behind(before) : guesses_.at(before)[query.guess - 1];
  request.is_probe = query.guess > 0 || was_silent(before);
  const Node& node = builder_.node(query.node);
  if (query.round > 0 && std::exchange(cable_joined_, false)) refresh_routes();
  if (traverses_cut(node.route)) reroute_around_cut_links();
  if (!admits(node.route, query)) return false;
  const auto route = node.route.extended(query.port);
  if (!route) {
    report(kFabricConditions.node_too_far,
           fmt::format("{} is {} hops away: what is behind it cannot be reached by directed routes",
                       port_name(builder_.port_index(query.node, query.port)),
                       node.route.hop_count()));
    too_far_.resize(builder_.node_count());
    ++too_far_[query.node];
    if (++too_far_count_ == kTooFarMax + 1) suspect_branch(too_far_);
    return false;
  }
  request.route = *route;
  return true;
}

bool Discovery::fill(const Query& query, mad::SmpRequest& request) {
  request = {};
  request.cookie = query.pack();
  if (query.kind == QueryKind::node_info_behind) return fill_query_behind(query, request);

  if (query.round > 0 && std::exchange(cable_joined_, false)) refresh_routes();
  const Node& node = builder_.node(query.node);
  const PortIndex port = builder_.port_index(query.node, query.port);
  auto route = route_of(query);
  if (route && traverses_cut(*route)) {
    reroute_around_cut_links();
    route = route_of(query);
  }
  if (!route || !admits(*route, query)) return false;
  request.route = *route;
  request.node = node.guid;
  request.port = builder_.draft().m_key_port(port);
  fill_attribute(query, request);
  return true;
}

void Discovery::fill_attribute(const Query& query, mad::SmpRequest& request) {
  using mad::AttributeId;
  const bool is_switch = builder_.node(query.node).is_switch();
  switch (query.kind) {
    case QueryKind::node_description:
      request.attribute = AttributeId::node_description;
      break;
    case QueryKind::switch_info:
    case QueryKind::look:
      request.attribute = AttributeId::switch_info;
      break;
    case QueryKind::clear_port_state_change:
      request.method = mad::Method::set;
      request.is_long = true;
      request.attribute = AttributeId::switch_info;
      std::ranges::copy(builder_.switch_info(query.node).bytes(),
                        request.data.begin());  // the bit is set: writing 1 clears it
      break;
    case QueryKind::sm_info:
      request.attribute = AttributeId::sm_info;
      request.node = {};  // a program answers it: its silence is not that of the node
      break;
    case QueryKind::identity:
      request.attribute = AttributeId::node_info;
      // By its other links it is queried at once: they share neither its cap nor its silence.
      if (query.port.value != 0) request.node = {};
      request.is_probe = query.port.value != 0;
      break;
    case QueryKind::port_info:
      request.attribute = AttributeId::port_info;
      // A CA or router answers for the port by which the request came in.
      request.modifier = mad::PortInfo::modifier(is_switch ? query.port : mad::PortNum{0},
                                                 queries_extended(query));
      break;
    case QueryKind::p_key_table:
      request.attribute = AttributeId::p_key_table;
      request.modifier =
          mad::PKeyTable::modifier(query.block, is_switch ? query.port : mad::PortNum{0});
      break;
    case QueryKind::m_key_probe: {
      request.method = mad::Method::set;
      request.attribute = AttributeId::port_info;
      request.modifier = mad::PortInfo::modifier(mad::PortNum{0}, queries_extended(query));
      mad::PortInfo info = builder_.port(builder_.port_index(query.node, query.port)).info;
      info.set_port_state(mad::PortState::no_change);
      info.set_port_physical_state(mad::PortPhysicalState::no_change);
      std::ranges::copy(info.bytes(), request.data.begin());
      break;
    }
    case QueryKind::node_info_behind:
      break;
  }
}

/// Returns the port as it was in the last subnet; null if the subnet did not have it.
const Port* Discovery::earlier(PortIndex index) const {
  if (options_.trusted == nullptr) return nullptr;
  const Fabric& before = *options_.trusted;
  const Port& port = builder_.port(index);
  const auto node = before.node_of_guid.find(builder_.node(port.node).guid);
  if (node == before.node_of_guid.end() || port.number.value > before.nodes[node->second].num_ports)
    return nullptr;
  return &before.ports[before.port(node->second, port.number)];
}

mad::Guid Discovery::expected_behind(PortIndex index) const {
  if (const Port* const before = earlier(index); before != nullptr && before->peer != kNoIndex)
    return options_.trusted->m_key_port(before->peer);
  return options_.m_keys == nullptr ? mad::Guid{}
                                    : options_.m_keys->behind(builder_.draft().m_key_port(index),
                                                              builder_.port(index).number);
}

/// True if the node behind the port did not answer the last survey either: most likely it hangs.
bool Discovery::was_silent(PortIndex index) const {
  const Port* const before = earlier(index);
  return before != nullptr && before->known && before->is_up() && before->peer == kNoIndex &&
         !std::ranges::binary_search(options_.answering,
                                     builder_.node(builder_.port(index).node).guid);
}

void Discovery::done(const mad::SmpRequest& request, const mad::SmpReply& reply) {
  const Query query = Query::unpack(request.cookie);
  if (!reply.ok()) return on_silence(query, request, reply);
  switch (query.kind) {
    case QueryKind::node_info_behind:
      on_node_info(query, mad::NodeInfo(reply.data), request.route);
      break;
    case QueryKind::node_description:
      builder_.node(query.node).description = mad::NodeDescription(reply.data);
      break;
    case QueryKind::switch_info:
      on_switch_info(query, mad::SwitchInfo(reply.data));
      break;
    case QueryKind::clear_port_state_change:
      claimed_.push_back(builder_.node(query.node).guid);
      // An earlier attempt that arrives late clears what a later change has raised: the switch is
      // read again soon.
      if (reply.attempts > 1) unread_.insert(builder_.node(query.node).guid);
      builder_.set_switch_info(query.node, checked(query.node, mad::SwitchInfo(reply.data)));
      read_switch_ports(query.node);
      break;
    case QueryKind::port_info:
      if ((request.modifier & mad::PortInfo::kExtendedSpeeds) != 0)
        forms_.answered_extended(query.node);
      on_port_info(query, mad::PortInfo(reply.data));
      note_port_read(builder_.port_index(query.node, query.port));
      break;
    case QueryKind::m_key_probe:
      take_port_info(query, mad::PortInfo(reply.data));
      note_port_read(builder_.port_index(query.node, query.port));
      break;
    case QueryKind::p_key_table:
      builder_.set_p_keys(builder_.port_index(query.node, query.port), query.block,
                          mad::PKeyTable(reply.data));
      break;
    case QueryKind::identity:
      if (mad::NodeInfo(reply.data).node_guid() == builder_.node(query.node).guid) {
        if (query.port.value != 0 && !was_read(query.node))
          found_by_other_link(query.node, builder_.port_index(query.node, query.port),
                              request.route);
        read_known_node(query.node);
      } else {
        mistook_a_node_ = true;
      }
      break;
    case QueryKind::look:
      on_look(query.node, mad::SwitchInfo(reply.data));
      break;
    case QueryKind::sm_info:
      sms_.emplace_back(builder_.port_index(query.node, query.port), mad::SmInfo(reply.data));
      break;
  }
  if (options_.events != nullptr && builder_.node_count() >= nodes_reported_ + 64) {
    nodes_reported_ = builder_.node_count();
    options_.events->on(
        StageProgressed{.what = "nodes found", .done = builder_.node_count(), .total = 0});
  }
}

/// Returns another route for a silent request, which may have used a link that went down since.
std::optional<mad::DirectedRoute> Discovery::alternative_route(const mad::SmpRequest& request) {
  const Query query = Query::unpack(request.cookie);
  if (query.node == kOwnNode || (query.kind == QueryKind::identity && query.port.value != 0))
    return std::nullopt;
  if (std::exchange(cable_joined_, false) || !cut_.empty()) refresh_routes();
  auto route = query.kind == QueryKind::node_info_behind
                   ? builder_.node(query.node).route.extended(query.port)
                   : builder_.draft().route_to(builder_.port_index(query.node, query.port));
  if (route == request.route) return std::nullopt;
  return route;
}

void Discovery::on_node_info(const Query& query, const mad::NodeInfo& info,
                             const mad::DirectedRoute& route) {
  const bool own = query.node == kOwnNode;
  const auto behind = [&] {
    return own ? std::string("the own port")
               : port_name(builder_.port_index(query.node, query.port));
  };
  if (const auto defect = FabricBuilder::defect_of(info)) {
    return on_malformed_response(
        query, fmt::format("the node behind {} answers NodeInfo with {}; it is ignored", behind(),
                           *defect));
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
  if (const std::optional<Holder> holder = find_holder(query, info))
    return on_duplicate(query, info, *holder);
  if (is_new) {
    node = builder_.add(info, route);
    found_behind_.resize(node + 1, kNoIndex);
    if (!own) found_behind_[node] = builder_.port_index(query.node, query.port);
  }
  const PortIndex entry = builder_.port_index(node, info.local_port_num());
  if (own) {
    own_node_ = node;
    builder_.set_sm_port(entry);
  } else {
    join(builder_.port_index(query.node, query.port), entry, info);
    if (builder_.port(entry).peer != builder_.port_index(query.node, query.port))
      return;  // contested: not its cable (yet)
  }
  const bool is_switch = builder_.node(node).is_switch();
  if (!is_switch) builder_.port(entry).guid = info.port_guid();
  port_of_guid_[info.port_guid()] = is_switch ? builder_.node(node).first_port : entry;
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
      if (const Query query = Query::unpack(cookie); query.node < count.size()) ++count[query.node];
    }
  }
  return count;
}

/// True for a node of the earlier survey, or of the last subnet.
bool Discovery::is_known(NodeIndex node) const {
  if (known_ != nullptr && node < known_->nodes.size()) return true;
  if (options_.trusted == nullptr) return false;
  const Node& its = builder_.node(node);
  const auto before = options_.trusted->node_of_guid.find(its.guid);
  return before != options_.trusted->node_of_guid.end() &&
         options_.trusted->nodes[before->second].type == its.type;
}

bool Discovery::is_suspect(PortIndex index) const {
  if (options_.suspects.empty() && options_.left_out.empty() && options_.copies.empty())
    return false;
  const Port& port = builder_.port(index);
  const SuspectPort its{.node = builder_.node(port.node).guid, .port = port.number};
  const auto is_its = [&](const Duplicate& duplicate) {
    return duplicate.copy.node == its.node && duplicate.copy.port == its.port;
  };
  const bool is_own_cable = index == builder_.draft().sm_port || index == own_front();
  return std::ranges::binary_search(options_.left_out, its) ||
         std::ranges::find(options_.suspects, its) != options_.suspects.end() ||
         (!is_own_cable && std::ranges::any_of(options_.copies, is_its));
}

/// Notes that the cable of `from` leads to `to`, at a node that has answered so.
void Discovery::join(PortIndex from, PortIndex to, const mad::NodeInfo& info) {
  const PortIndex before = builder_.port(to).peer;
  if (before != kNoIndex && before != from) return contest(to, from, info);
  if (builder_.port(from).peer != kNoIndex && builder_.port(from).peer != to)
    builder_.disconnect(from);
  builder_.connect(from, to);
  cable_joined_ = true;
  if (known_ != nullptr) joined_.insert({from, to});
  note_move(from, to);
  note_move(to, from);
}

/// Notes that the cable of `port` leads to `peer`. If it led elsewhere, routes of the earlier
/// survey over a cable between switches may lead to other nodes now. No other route uses a cable of
/// an end node: only the switch where it was plugged in has to be read.
void Discovery::note_move(PortIndex port, PortIndex peer) {
  if (known_ == nullptr || port >= known_->ports.size() || peer >= known_->ports.size()) return;
  const PortIndex before = known_->ports[port].peer;
  if (before == kNoIndex || before == peer) return;
  const NodeIndex node = builder_.port(port).node, led_to = builder_.port(before).node;
  if (builder_.node(node).is_switch()) {
    cable_moved_ = cable_moved_ || builder_.node(led_to).is_switch();
  } else if (builder_.node(led_to).is_switch()) {
    query_identity(led_to);
  }
}

/// Returns nodes that responded or whose links changed; others are as in the earlier survey.
std::set<mad::Guid> Discovery::touched() const {
  std::set<mad::Guid> nodes;
  for (NodeIndex node{0}; node < read_.size(); ++node)
    if (read_[node]) nodes.insert(builder_.node(node).guid);
  for (PortIndex port{0}; port < ports_read_.size(); ++port)
    if (ports_read_[port]) nodes.insert(builder_.node(builder_.port(port).node).guid);
  for (const NodeIndex node : builder_.relinked()) nodes.insert(builder_.node(node).guid);
  return nodes;
}

/// Returns a port of builder_ in the fabric that was made of it, or kNoIndex.
PortIndex Discovery::port_in(const Fabric& fabric, PortIndex old) const {
  const Port& port = builder_.port(old);
  const auto node = fabric.node_of_guid.find(builder_.node(port.node).guid);
  return node == fabric.node_of_guid.end() ? kNoIndex : fabric.port(node->second, port.number);
}

namespace {

/// Nothing was read behind suspect ports whose links are up: each is a condition of the fabric.
void report_suspects(std::span<const SuspectPort> suspects, Fabric& fabric) {
  for (const SuspectPort& suspect : suspects) {
    const auto node = fabric.node_of_guid.find(suspect.node);
    if (node == fabric.node_of_guid.end() ||
        suspect.port.value > fabric.nodes[node->second].num_ports)
      continue;
    const PortIndex port = fabric.port(node->second, suspect.port);
    if (!fabric.ports[port].is_up()) continue;
    fabric.conditions.push_back(
        {.id = kFabricConditions.subtree_too_large,
         .text = fmt::format("nodes without end behind {}: nothing behind that port is managed "
                             "until its link has been down",
                             fabric.port_name(port)),
         .guid = suspect.node,
         .port = suspect.port});
  }
}

}  // namespace

Survey Discovery::finish() {
  Survey survey;
  if (out_of_time_) {
    report(kFabricConditions.fabric_too_large,
           fmt::format(
               "the fabric was not read to its end within {} s: the rest is left out",
               std::chrono::duration_cast<std::chrono::seconds>(options_.bounds.time_max).count()));
  }
  if (ignored_ > 0) {
    report(kFabricConditions.fabric_too_large,
           fmt::format("{} would be more than {} nodes or {} ports, which no subnet has; it and {} "
                       "more like it are ignored",
                       first_ignored_, options_.bounds.nodes_max, options_.bounds.ports_max,
                       ignored_ - 1));
  }
  silences_.report(builder_);
  report_duplicates();
  survey.fabric = builder_.build();
  report_suspects(options_.suspects, survey.fabric);
  survey.claimed = std::move(claimed_);
  for (const mad::Guid guid : reported_)
    if (was_read(builder_.find(guid))) survey.reported.push_back(guid);
  survey.has_hidden_m_keys = has_hidden_m_keys_;
  survey.has_new_silence = has_new_silence_;
  note_disagreeing_ends(survey.fabric);
  note_unread_ports();
  survey.unread.assign(unread_.begin(), unread_.end());
  survey.unread_p_keys.assign(unread_p_keys_.begin(), unread_p_keys_.end());
  survey.sm_port_up =
      survey.fabric.sm_port != kNoIndex && survey.fabric.ports[survey.fabric.sm_port].is_up();
  if (survey.fabric.sm_port != kNoIndex &&
      survey.fabric.owning_node(survey.fabric.sm_port).is_switch())
    survey.sm_port_up = true;
  for (NodeIndex node{0}; node < read_.size(); ++node) {
    if (read_[node]) survey.read_again.push_back(builder_.node(node).guid);
  }
  if (known_ != nullptr) survey.touched = touched();
  if (!waiting_p_keys_.empty()) survey.waiting_p_keys.resize(survey.fabric.ports.size());
  for (const PortIndex port : waiting_p_keys_)
    if (const PortIndex now = port_in(survey.fabric, port); now != kNoIndex)
      survey.waiting_p_keys[now] = true;
  for (const auto& [port, info] : sms_) {
    OtherSm other{.port = port_in(survey.fabric, port), .route = {}, .info = info};
    if (other.port == kNoIndex) continue;
    if (const auto route = survey.fabric.route_to(other.port)) other.route = *route;
    survey.sms.push_back(other);
  }
  return survey;
}

namespace {

bool contains_condition(const std::vector<Condition>& conditions, const Condition& condition) {
  return std::ranges::find(conditions, condition) != conditions.end();
}

/// True for another duplicate GUID than those of the earlier survey. It needs a full survey, since
/// the place where the GUID was known may be out of date.
bool claims_duplicates(const Fabric& known, const Survey& survey) {
  return std::ranges::any_of(survey.fabric.conditions, [&](const Condition& condition) {
    return condition.id == kFabricConditions.guid_duplicate &&
           std::ranges::find(known.conditions, find_subject(condition), &find_subject) ==
               known.conditions.end();
  });
}

/// True if a silence or a copy may still be there after a partial survey that did not read the
/// node: the node is still there, and, for a port, its link is up and no other route has found what
/// is behind it.
bool may_hold(const Condition& condition, const Survey& survey) {
  const Fabric& fabric = survey.fabric;
  const auto node = fabric.node_of_guid.find(condition.guid);
  if (node == fabric.node_of_guid.end() ||
      std::ranges::find(survey.read_again, condition.guid) != survey.read_again.end())
    return false;
  if (!condition.port) return true;
  if (condition.port->value > fabric.nodes[node->second].num_ports) return false;
  const Port& port = fabric.ports[fabric.port(node->second, *condition.port)];
  return port.peer == kNoIndex && port.is_up();
}

/// Keeps what is known of nodes that a partial survey did not read.
void keep_unread(const Fabric& known, Survey& survey) {
  std::vector<Condition>& conditions = survey.fabric.conditions;
  for (const Condition& condition : known.conditions) {
    const bool is_of_node = condition.id == kFabricConditions.node_silent ||
                            condition.id == kFabricConditions.guid_duplicate;
    if (is_of_node && condition.guid != mad::Guid{} && may_hold(condition, survey) &&
        !contains_condition(conditions, condition))
      conditions.push_back(condition);
  }
}

bool is_switch(const Fabric& fabric, mad::Guid guid) {
  const auto node = fabric.node_of_guid.find(guid);
  return node != fabric.node_of_guid.end() && fabric.nodes[node->second].is_switch();
}

template <class Value>
void append(std::vector<Value>& all, const std::vector<Value>& more) {
  all.insert(all.end(), more.begin(), more.end());
}

boost::asio::awaitable<void> read_all(mad::SmpClient& client, Discovery& discovery) {
  co_await client.exchange(discovery);
  while (discovery.goes_on()) co_await client.exchange(discovery);
}

/// Runs a survey. `known`: the earlier survey that a partial one updates, or null.
boost::asio::awaitable<Survey> read_fabric(mad::SmpClient& client, DiscoveryOptions options,
                                           const Fabric* known,
                                           std::span<const mad::Guid> changed) {
  client.forget_silence();
  std::vector<mad::Guid> claimed;  // by attempts before the last one
  for (unsigned copy_rounds = 0;;) {
    FabricBuilder builder;
    const std::function<void()> begin = [&] {
      if (known != nullptr) builder = FabricBuilder(*known);
    };
    co_await compute(options.compute, begin);
    std::optional<Discovery> reading;
    Discovery& discovery = reading.emplace(client, options, std::move(builder), known);
    if (known == nullptr) {
      discovery.start_everything();
    } else {
      discovery.start_changes(changed);
    }
    co_await read_all(client, discovery);
    while (discovery.query_strangers()) co_await read_all(client, discovery);
    const bool leaves_out_suspect = discovery.suspect() && options.suspects.size() < kSuspectsMax;
    if (leaves_out_suspect) options.suspects.push_back(*discovery.suspect());
    const bool has_copies = !discovery.copies().empty() && !discovery.is_unconfirmed() &&
                            options.copies.size() + discovery.copies().size() <= kCopiesMax;
    if (leaves_out_suspect || (has_copies && copy_rounds++ < kCopyRoundsMax)) {
      if (has_copies) append(options.copies, discovery.copies());
      if (has_copies) client.forget_silence();  // a copy may have been silent in place of a node
      append(claimed, discovery.claimed());
      continue;
    }
    discovery.query_enforcing_ports();
    co_await read_all(client, discovery);
    Survey survey;
    bool is_unconfirmed = false;
    const std::function<void()> finish = [&] {
      survey = discovery.finish();
      is_unconfirmed =
          known != nullptr && (discovery.is_unconfirmed() || claims_duplicates(*known, survey));
      if (discovery.is_unconfirmed()) options.copies.clear();  // of other places, perhaps
      reading.reset();
    };
    co_await compute(options.compute, finish);
    append(claimed, survey.claimed);
    if (is_unconfirmed) {
      client.forget_silence();  // of nodes that were taken for others
      known = nullptr;
      continue;
    }
    if (known != nullptr) keep_unread(*known, survey);
    survey.suspects = options.suspects;
    std::erase_if(claimed, [&](mad::Guid guid) { return !is_switch(survey.fabric, guid); });
    survey.claimed = std::move(claimed);
    co_return survey;
  }
}

}  // namespace

boost::asio::awaitable<Survey> discover(mad::SmpClient& client, const DiscoveryOptions& options) {
  return read_fabric(client, options, nullptr, {});
}

boost::asio::awaitable<Survey> rediscover(mad::SmpClient& client, const DiscoveryOptions& options,
                                          const Fabric& known, std::span<const mad::Guid> changed) {
  return read_fabric(client, options, &known, changed);
}

}  // namespace sm
