#include "sm/ctl/recorder.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

#include "mad/attribute_rows.h"

namespace sm::ctl {
namespace {

namespace asio = boost::asio;
using mad::AttributeId;
using mad::PortNum;

/// Vendor attributes come last: a node that is silent to these counts as silent to all later
/// requests.
constexpr std::array kReadSteps{mad::ReadStep::tables, mad::ReadStep::vendor,
                                mad::ReadStep::adaptive};

/// Marks a request that was not sent yet, in place of its number of attempts.
constexpr unsigned kWanted = ~0u;

PortNum port_num(unsigned number) { return {static_cast<std::uint8_t>(number)}; }

RecordedOutcome outcome_of(const mad::SmpReply& reply) {
  const bool answered =
      reply.fault == mad::SmpFault::none || reply.fault == mad::SmpFault::bad_status;
  return {.status = answered ? std::optional(reply.status) : std::nullopt,
          .attempts = reply.attempts,
          .time = std::chrono::duration_cast<std::chrono::microseconds>(reply.elapsed)};
}

/// Refers to a port by its position, since nodes and ports are added while others are read.
struct Reached {
  std::uint32_t node = 0;
  std::uint8_t port = 0;
};
using End = std::pair<std::uint32_t, std::uint8_t>;  // of a link: node, port number

class Recorder {
 public:
  Recorder(mad::SmpClient& client, RecordOptions options)
      : client_(client), options_(std::move(options)) {}

  asio::awaitable<Recording> run();

 private:
  class Reads;
  class Probes;
  struct Probe {
    Reached from;
    mad::DirectedRoute route;
    RecordedLink link;
    RecordedAnswer answer;
  };

  RecordedNode& node(std::uint32_t index) { return recording_.nodes[index]; }
  RecordedPort& port(Reached reached) {
    return *std::ranges::find(node(reached.node).ports, reached.port, &RecordedPort::number);
  }
  void progress() {
    ++answers_;
    if (options_.on_progress) options_.on_progress(recording_.nodes.size(), answers_);
  }

  // Discovers nodes, one distance after the other.
  asio::awaitable<void> read_basics(const std::vector<Reached>& ports);
  std::vector<Probe> probes_from(const std::vector<Reached>& ports);
  void take(const Probe& probe, std::vector<Reached>& found);
  std::optional<Reached> enter(const RecordedAnswer& answer, const mad::DirectedRoute& route,
                               PortNum entry);
  std::uint32_t find_node(const mad::NodeInfo& info, PortNum entry);

  // Adds an attribute to the ones to read from a port.
  void want(Reached reached, AttributeId attribute, std::uint32_t modifier = 0) {
    port(reached).answers.push_back({.attribute = attribute,
                                     .modifier = modifier,
                                     .outcome = {.status = {}, .attempts = kWanted, .time = {}},
                                     .masked = false,
                                     .data = {}});
  }
  void want_basics(Reached reached);
  bool want_plain_port_infos(Reached reached);
  void want(Reached reached, mad::ReadStep step);
  bool is_announced(Reached reached, const mad::AttributeRow& row);
  std::optional<mad::PortInfo> port_info(Reached reached, unsigned number);
  /// Returns the numbers of a switch's external ports that are not down, or the entry of a CA or
  /// router.
  std::vector<std::uint8_t> ports_up(Reached reached);

  mad::SmpClient& client_;
  RecordOptions options_;
  Recording recording_;
  std::size_t answers_ = 0;
  std::multimap<mad::Guid, std::uint32_t> nodes_of_guid_;
  std::set<End> linked_;
};

/// Returns the PortGUID whose M_Key requests to this port carry; a switch has one key.
mad::Guid key_port(const RecordedNode& node, const RecordedPort& port) {
  const RecordedAnswer* const info = port.find(AttributeId::node_info);
  return info == nullptr || node.is_switch() ? node.info.port_guid()
                                             : mad::NodeInfo{std::span(info->data)}.port_guid();
}

/// Sends requests for the pending answers of some ports; ports take turns, so that many nodes are
/// read at the same time.
class Recorder::Reads : public mad::SmpBatch {
 public:
  Reads(Recorder& recorder, const std::vector<Reached>& ports) : recorder_(recorder) {
    for (const Reached reached : ports) {
      RecordedPort& port = recorder.port(reached);
      const auto first = std::ranges::find_if(port.answers, [](const RecordedAnswer& answer) {
        return answer.outcome.attempts == kWanted;
      });
      targets_.push_back({.port = &port,
                          .guid = recorder.node(reached.node).info.node_guid(),
                          .key_port = key_port(recorder.node(reached.node), port),
                          .next = static_cast<std::size_t>(first - port.answers.begin())});
    }
  }
  bool next(mad::SmpRequest& request) override {
    for (std::size_t tried = 0; tried < targets_.size(); ++tried) {
      turn_ = (turn_ + 1) % targets_.size();
      Target& target = targets_[turn_];
      if (target.next == target.port->answers.size()) continue;
      const RecordedAnswer& wanted = target.port->answers[target.next];
      request = {};
      request.attribute = wanted.attribute;
      request.modifier = wanted.modifier;
      request.route = target.port->route;
      request.port = target.key_port;
      // A program answers SMInfo: a missing response does not mean that the node is silent.
      if (wanted.attribute != AttributeId::sm_info) request.node = target.guid;
      request.cookie = std::uint64_t{turn_} << 32 | target.next++;
      return true;
    }
    return false;
  }
  void done(const mad::SmpRequest& request, const mad::SmpReply& reply) override {
    RecordedAnswer& answer =
        targets_[request.cookie >> 32].port->answers[request.cookie & 0xFFFF'FFFF];
    answer.outcome = outcome_of(reply);
    std::ranges::copy(reply.data, answer.data.begin());
    // Sites give recordings to others, so files have no keys.
    answer.masked = mad::clear_keys(answer.attribute, answer.data);
    recorder_.progress();
  }

 private:
  struct Target {
    RecordedPort* port;
    mad::Guid guid, key_port;
    std::size_t next;
  };
  Recorder& recorder_;
  std::vector<Target> targets_;
  std::size_t turn_ = 0;
};

/// Reads NodeInfo of the nodes behind ports.
class Recorder::Probes : public mad::SmpBatch {
 public:
  Probes(Recorder& recorder, std::vector<Probe>& probes) : recorder_(recorder), probes_(probes) {}

  bool next(mad::SmpRequest& request) override {
    if (next_ == probes_.size()) return false;
    request = {};
    request.route = probes_[next_].route;
    request.cookie = next_++;
    return true;
  }
  void done(const mad::SmpRequest& request, const mad::SmpReply& reply) override {
    Probe& probe = probes_[request.cookie];
    probe.link.outcome = probe.answer.outcome = outcome_of(reply);
    std::ranges::copy(reply.data, probe.answer.data.begin());
    recorder_.progress();
  }

 private:
  Recorder& recorder_;
  std::vector<Probe>& probes_;
  std::size_t next_ = 0;
};

asio::awaitable<Recording> Recorder::run() {
  const mad::TimePoint start = client_.now();
  std::vector<Probe> own(1);
  Probes first(*this, own);
  co_await client_.exchange(first);
  std::vector<Reached> frontier, all;
  if (own.front().answer.outcome.ok()) {
    const mad::NodeInfo info{std::span(own.front().answer.data)};
    if (const auto reached = enter(own.front().answer, {}, info.local_port_num()))
      frontier.push_back(*reached);
  }
  while (!frontier.empty()) {
    co_await read_basics(frontier);
    std::vector<Probe> probes = probes_from(frontier);
    Probes batch(*this, probes);
    co_await client_.exchange(batch);
    all.insert(all.end(), frontier.begin(), frontier.end());
    frontier.clear();
    for (const Probe& probe : probes) take(probe, frontier);
  }
  for (const mad::ReadStep step : kReadSteps) {
    for (const Reached reached : all) {
      want(reached, step);
      if (step == mad::ReadStep::tables) want(reached, mad::ReadStep::forwarding);
    }
    Reads reads(*this, all);
    co_await client_.exchange(reads);
  }
  for (RecordedNode& each : recording_.nodes) {
    std::ranges::sort(each.ports, {}, &RecordedPort::number);
    if (const RecordedAnswer* info = each.ports.front().find(AttributeId::node_info))
      each.info = mad::NodeInfo{std::span(info->data)};
  }
  recording_.duration =
      std::chrono::duration_cast<std::chrono::milliseconds>(client_.now() - start);
  co_return std::move(recording_);
}

asio::awaitable<void> Recorder::read_basics(const std::vector<Reached>& ports) {
  for (const Reached reached : ports) want_basics(reached);
  Reads basics(*this, ports);
  co_await client_.exchange(basics);
  std::vector<Reached> again;
  for (const Reached reached : ports) {
    if (want_plain_port_infos(reached)) again.push_back(reached);
  }
  Reads plain(*this, again);
  co_await client_.exchange(plain);
}

std::vector<Recorder::Probe> Recorder::probes_from(const std::vector<Reached>& ports) {
  std::vector<Probe> probes;
  for (const Reached reached : ports) {
    const RecordedPort& from = port(reached);
    // The ports of other CAs and routers lead to another subnet, or to nothing.
    if (!node(reached.node).is_switch() && from.route.hop_count() > 0) continue;
    for (const std::uint8_t number : ports_up(reached)) {
      const auto route = from.route.extended(PortNum{number});
      if (!route || linked_.contains({reached.node, number})) continue;
      probes.push_back({.from = reached,
                        .route = *route,
                        .link = {.port = number, .peer = {}, .outcome = {}},
                        .answer = {}});
    }
  }
  return probes;
}

void Recorder::take(const Probe& probe, std::vector<Reached>& found) {
  if (linked_.contains({probe.from.node, probe.link.port})) return;  // found from the other end
  RecordedLink link = probe.link;
  if (link.outcome.ok()) {
    const mad::NodeInfo info{std::span(probe.answer.data)};
    const PortNum entry = info.local_port_num();
    const bool loop = info.node_guid() == node(probe.from.node).info.node_guid() &&
                      entry.value == probe.link.port;
    std::uint32_t peer = probe.from.node;
    if (!loop) {
      const auto reached = enter(probe.answer, probe.route, entry);
      if (!reached) return;
      peer = reached->node;
      // A switch that is known already is not read again.
      if (port(*reached).answers.size() == 1 && port(*reached).route == probe.route)
        found.push_back(*reached);
    }
    link.peer = RecordedPeer{.node = peer, .port = entry.value};
    linked_.emplace(peer, entry.value);
  }
  linked_.emplace(probe.from.node, link.port);
  port(probe.from).links.push_back(link);
}

/// Adds the port behind which a node answered NodeInfo; returns nothing for an impossible answer,
/// or beyond the limit.
std::optional<Reached> Recorder::enter(const RecordedAnswer& answer,
                                       const mad::DirectedRoute& route, PortNum entry) {
  const mad::NodeInfo info{std::span(answer.data)};
  const bool is_switch = info.node_type() == mad::NodeType::switch_;
  const unsigned type = info.node_type_raw();
  if (type < 1 || type > 3 || info.num_ports() < 1 || info.num_ports() > 254 ||
      entry.value > info.num_ports() ||
      (entry.value == 0 && !(is_switch && route.hop_count() == 0)))
    return std::nullopt;
  const std::uint32_t index = find_node(info, entry);
  if (index == recording_.nodes.size()) {
    if (index >= options_.nodes_max) {
      recording_.complete = false;
      return std::nullopt;
    }
    recording_.nodes.push_back({.info = info, .ports = {}});
    nodes_of_guid_.emplace(info.node_guid(), index);
  }
  const Reached reached{.node = index, .port = is_switch ? std::uint8_t{0} : entry.value};
  auto& ports = node(index).ports;
  if (std::ranges::find(ports, reached.port, &RecordedPort::number) == ports.end())
    ports.push_back({.number = reached.port, .route = route, .answers = {answer}, .links = {}});
  return reached;
}

/// Returns the node's index, or one past the last node if it is new.
std::uint32_t Recorder::find_node(const mad::NodeInfo& info, PortNum entry) {
  const auto [first, last] = nodes_of_guid_.equal_range(info.node_guid());
  for (auto each = first; each != last; ++each) {
    const mad::NodeInfo& known = node(each->second).info;
    if (known.node_type() == info.node_type() && known.num_ports() == info.num_ports() &&
        !linked_.contains({each->second, entry.value}))
      return each->second;
  }
  return static_cast<std::uint32_t>(recording_.nodes.size());
}

// ------------------------------------------------------------------------------------------
// what to read

void Recorder::want_basics(Reached reached) {
  const mad::NodeInfo info = node(reached.node).info;
  const bool is_switch = node(reached.node).is_switch();
  want(reached, AttributeId::node_description);
  if (is_switch) want(reached, AttributeId::switch_info);
  // A CA or router answers 0 for the port that the request came in by.
  want(reached, AttributeId::port_info, mad::PortInfo::modifier(PortNum{0}, true));
  const bool others = is_switch || (info.num_ports() > 1 && node(reached.node).ports.size() == 1);
  for (unsigned number = 1; others && number <= info.num_ports(); ++number)
    want(reached, AttributeId::port_info, mad::PortInfo::modifier(port_num(number), true));
}

/// Devices without extended speeds may reject the modifier that asks for them.
bool Recorder::want_plain_port_infos(Reached reached) {
  std::vector<std::uint32_t> rejected;
  for (const RecordedAnswer& answer : port(reached).answers) {
    if (answer.attribute == AttributeId::port_info && answer.outcome.status && !answer.outcome.ok())
      rejected.push_back(answer.modifier & ~mad::PortInfo::kExtendedSpeeds);
  }
  for (const std::uint32_t modifier : rejected) want(reached, AttributeId::port_info, modifier);
  return !rejected.empty();
}

std::optional<mad::PortInfo> Recorder::port_info(Reached reached, unsigned number) {
  for (const bool extended : {true, false}) {
    const RecordedAnswer* const answer = port(reached).find(
        AttributeId::port_info, mad::PortInfo::modifier(port_num(number), extended));
    if (answer != nullptr && answer->outcome.ok()) return mad::PortInfo{std::span(answer->data)};
  }
  return std::nullopt;
}

std::vector<std::uint8_t> Recorder::ports_up(Reached reached) {
  if (!node(reached.node).is_switch()) {
    const auto info = port_info(reached, 0);
    return info && info->port_state() == mad::PortState::down
               ? std::vector<std::uint8_t>{}
               : std::vector<std::uint8_t>{reached.port};
  }
  std::vector<std::uint8_t> up;
  for (unsigned number = 1; number <= node(reached.node).info.num_ports(); ++number) {
    if (const auto info = port_info(reached, number);
        info && info->port_state() != mad::PortState::down)
      up.push_back(static_cast<std::uint8_t>(number));
  }
  return up;
}

/// True if the node has said that it has the attribute.
bool Recorder::is_announced(Reached reached, const mad::AttributeRow& row) {
  if (!row.announced.is_made(node(reached.node).info,
                             port_info(reached, 0).value_or(mad::PortInfo{})))
    return false;
  if (row.announced.answered_before == AttributeId{}) return true;
  const RecordedAnswer* const answer = port(reached).find(row.announced.answered_before);
  return answer != nullptr && answer->outcome.ok();
}

/// Adds the blocks of all attributes of a step: first of the node by its end port, then of each
/// external port of a switch that is not down.
void Recorder::want(Reached reached, mad::ReadStep step) {
  const bool is_switch = node(reached.node).is_switch();
  const auto add = [&](std::uint8_t where, const mad::PortFacts& facts) {
    for (const mad::AttributeRow& row : mad::attribute_rows()) {
      if (row.step != step || (row.places & where) == 0 || !is_announced(reached, row)) continue;
      for (const std::uint32_t modifier : row.modifiers(facts)) want(reached, row.id, modifier);
    }
  };
  mad::PortFacts facts{.node = node(reached.node).info, .entry = PortNum{reached.port}};
  const bool counts_blocks = step == mad::ReadStep::tables || step == mad::ReadStep::forwarding;
  const auto own = port_info(reached, 0);
  const RecordedAnswer* const info = port(reached).find(AttributeId::switch_info);
  const bool has_switch_info = info != nullptr && info->outcome.ok();
  if (has_switch_info) facts.switch_info = mad::SwitchInfo{std::span(info->data)};
  if (own) facts.info = *own;
  if (step == mad::ReadStep::forwarding ? has_switch_info : own || !counts_blocks)
    add(is_switch ? mad::place::kSwitch : mad::place::kHost, facts);
  if (!is_switch || (counts_blocks && !has_switch_info)) return;
  const std::vector<std::uint8_t> up = ports_up(reached);
  facts.inputs.emplace_back();
  for (const std::uint8_t number : up) facts.inputs.push_back(PortNum{number});
  for (const std::uint8_t number : up) {
    facts.number = PortNum{number};
    facts.info = *port_info(reached, number);
    add(mad::place::kSwitchPort, facts);
  }
}

}  // namespace

asio::awaitable<Recording> record(mad::SmpClient& client, RecordOptions options) {
  Recorder recorder(client, std::move(options));
  co_return co_await recorder.run();
}

}  // namespace sm::ctl
