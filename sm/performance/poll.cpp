#include "sm/performance/poll.h"

#include <algorithm>
#include <utility>

#include "mad/format.h"
#include "sm/agents/addresses.h"
#include "sm/performance/port_conditions.h"

namespace sm {
namespace {

using mad::PerformanceAttribute;

constexpr std::uint32_t bit_of(PerformanceAttribute attribute) {
  return 1u << static_cast<unsigned>(attribute);
}

std::string_view text_of(PerformanceAttribute attribute) {
  switch (attribute) {
    case PerformanceAttribute::class_port_info:
      return "ClassPortInfo";
    case PerformanceAttribute::port_counters:
      return "PortCounters";
    case PerformanceAttribute::port_counters_extended:
      return "PortCountersExtended";
    case PerformanceAttribute::port_rcv_error_details:
      return "PortRcvErrorDetails";
    default:
      return "an attribute";
  }
}

bool is_main(PerformanceAttribute attribute) {
  return attribute == PerformanceAttribute::port_counters ||
         attribute == PerformanceAttribute::port_counters_extended;
}

/// Returns the capabilities by which counters are selected: without ClassPortInfo, those of
/// PortCounters.
AgentCapabilities capabilities_of(const PerformanceAgent& agent, const PollOptions& options) {
  namespace has = mad::performance_capability;
  if (!options.query_class_port_info || !agent.capabilities) return {};
  AgentCapabilities all = *agent.capabilities;
  if (agent.refuses(PerformanceAttribute::port_counters_extended))
    all.mask &= static_cast<std::uint16_t>(~(has::kExtendedWidth | has::kExtendedWidthNoIetf));
  return all;
}

/// Returns the NodeGUIDs that a poll visits.
std::vector<mad::Guid> polled_nodes(const Subnet* subnet, const PollOptions& options) {
  std::vector<mad::Guid> nodes;
  if (subnet == nullptr) return nodes;
  nodes.reserve(subnet->fabric.nodes.size());
  for (const Node& node : subnet->fabric.nodes)
    if (node.is_switch() || !options.ignore_cas) nodes.push_back(node.guid);
  return nodes;
}

}  // namespace

PollOptions PollOptions::of(const config::Options& options) {
  return {
      .query_class_port_info = options.perfmgr_query_cpi,
      .follow_redirection = options.perfmgr_redir,
      .other_nodes = options.perfmgr_redir_other_nodes,
      .ignore_cas = options.perfmgr_ignore_cas,
      .clear_saturated = options.perfmgr_clear_saturated,
      .log_errors = options.perfmgr_log_errors,
      .log_xmit_wait = options.perfmgr_xmit_wait_log,
      .xmit_wait_threshold = options.perfmgr_xmit_wait_threshold,
      .limits = {{options.perfmgr_symbol_errors_per_hour, options.perfmgr_link_recoveries_per_hour,
                  options.perfmgr_receive_errors_per_hour, options.perfmgr_discards_per_hour}},
      .sl = mad::Sl{options.sm_sl}};
}

std::size_t expected_queries(const Fabric& fabric, const PollOptions& options) {
  std::size_t ports = 0;
  for (const Port& port : fabric.ports) {
    const bool counts = port.number.value != 0 && port.is_up() &&
                        (!options.ignore_cas || fabric.nodes[port.node].is_switch());
    ports += counts ? 1 : 0;
  }
  return fabric.nodes.size() + 2 * ports;
}

Poll::Poll(NodeRecords& records, const PollOptions& options, Current current,
           std::function<mad::TimePoint()> now)
    : Visits(polled_nodes(current().get(), options),
             {.visits = kNodesAtATime, .requests = kPerNode}),
      records_(records),
      options_(options),
      current_(std::move(current)),
      now_(std::move(now)) {
  if (!current_()) end_early();
}

// ------------------------------------------------------------------------------------------
// The next query

void Poll::fill(Visit& visit, mad::GmpRequest& request) {
  const Task task = visit.tasks.front();
  visit.tasks.pop_front();
  request.method = task.clear != 0 ? mad::Method::set : mad::Method::get;
  request.attribute = static_cast<std::uint16_t>(task.attribute);
  request.cookie = std::uint64_t{task.clear} << 8 | visit.generation;
  const PerformanceAgent& agent = visit.record->agent;
  const std::size_t port =
      visit.agents.size() == 1 ? 0 : task.port.value - visit.fresh->ports.front().port.value;
  request.to = agent.redirect ? *agent.redirect : visit.agents[port];
  request.lmc = visit.lmc;
  if (task.attribute != PerformanceAttribute::class_port_info)
    request.data =
        task.clear != 0 ? clear_of(task.attribute, task.port, task.clear) : query_of(task.port);
}

/// Returns false if the node has disappeared since, or the poll ends.
bool Poll::open(const mad::Guid& node, Visit& visit) {
  visit.subnet = current_();
  if (!visit.subnet) end_early();
  if (!visit.subnet) return false;
  const Fabric& fabric = visit.subnet->fabric;
  const auto found = fabric.node_of_guid.find(node);
  if (found == fabric.node_of_guid.end()) return false;
  visit.index = found->second;
  const auto [entry, is_new] = records_.try_emplace(node);
  NodeRecord& record = entry->second;
  visit.record = &record;
  if (is_new)
    record.counters = std::make_shared<NodeCounters>(NodeCounters{.node = node, .ports = {}});
  list_ports(visit, fabric.nodes[visit.index]);
  PerformanceAgent& agent = record.agent;
  if (now_() >= agent.known_until) {
    agent = {};
    agent.known_until = now_() + PerformanceAgent::kKnownFor;
  }
  query_agent(visit);
  return true;
}

/// Begins the counters of the node's ports with those of the record.
void Poll::list_ports(Visit& visit, const Node& node) {
  const Fabric& fabric = visit.subnet->fabric;
  const std::span<const Port> ports =
      fabric.node_ports(visit.index).subspan(node.is_switch() ? 1 : 0);
  visit.fresh = std::make_shared<NodeCounters>(*visit.record->counters);
  visit.fresh->type = node.type;
  if (visit.fresh->ports.size() != ports.size()) {  // new, or other hardware with this GUID
    visit.fresh->ports.resize(ports.size());
    visit.record->memory.resize(ports.size());
    for (std::size_t at = 0; at < ports.size(); ++at)
      visit.fresh->ports[at].port = ports[at].number;
  }
  visit.growth.resize(ports.size());
  visit.started.resize(ports.size());
  for (std::size_t at = 0; at < ports.size(); ++at) {
    PortCounters& row = visit.fresh->ports[at];
    const PortIndex port = fabric.port(visit.index, ports[at].number);
    row.values.clear_rates();
    row.reading = ports[at].is_up() ? PortReading::none : PortReading::down;
    if (node.is_switch() && at > 0) continue;
    const auto address = agent_address(*visit.subnet, port, options_.sl);
    visit.agents.push_back(address.value_or(mad::MadAddress{}));
    if (address) visit.lmc = visit.subnet->lid_range(node.is_switch() ? node.first_port : port).lmc;
    if (!address && !node.is_switch()) row.reading = PortReading::down;
  }
  if (node.is_switch() && !visit.agents.empty() &&
      !mad::is_unicast(visit.agents.front().lid)) {  // it has no LID yet
    for (PortCounters& row : visit.fresh->ports) row.reading = PortReading::down;
  }
}

/// Queries the agent's capabilities first, if they are not known.
void Poll::query_agent(Visit& visit) {
  const PerformanceAgent& agent = visit.record->agent;
  const auto& rows = visit.fresh->ports;
  const auto up = std::ranges::find(rows, PortReading::none, &PortCounters::reading);
  if (up == rows.end()) return;
  const std::size_t at = visit.agents.size() == 1 ? 0 : static_cast<std::size_t>(up - rows.begin());
  if (visit.passed.empty())
    visit.passed.push_back(agent.redirect ? *agent.redirect : visit.agents[at]);
  if (options_.query_class_port_info && !agent.capabilities &&
      !agent.refuses(PerformanceAttribute::class_port_info)) {
    visit.tasks.push_back({.attribute = PerformanceAttribute::class_port_info, .port = up->port});
    return;
  }
  plan_ports(visit);
}

void Poll::plan_ports(Visit& visit) {
  visit.tasks.clear();
  const PerformanceAgent& agent = visit.record->agent;
  const AgentCapabilities capabilities = capabilities_of(agent, options_);
  const bool narrow = !capabilities.has_extended_errors();
  for (const PortCounters& row : visit.fresh->ports) {
    if (row.reading == PortReading::down) continue;
    const auto add = [&](PerformanceAttribute attribute) {
      if (!agent.refuses(attribute))
        visit.tasks.push_back({.attribute = attribute, .port = row.port});
    };
    if (capabilities.has_extended()) add(PerformanceAttribute::port_counters_extended);
    if (narrow) add(PerformanceAttribute::port_counters);
    add(PerformanceAttribute::port_rcv_error_details);
  }
}

// ------------------------------------------------------------------------------------------
// Interpretation of responses

PortCounters* Poll::row_of(Visit& visit, mad::PortNum port) {
  auto& rows = visit.fresh->ports;
  if (rows.empty() || port < rows.front().port || port > rows.back().port) return nullptr;
  return &rows[static_cast<std::size_t>(port.value - rows.front().port.value)];
}

void Poll::take(Visit& visit, const mad::GmpRequest& request, const mad::GmpReply& reply) {
  visit.unsent = reply.fault == mad::GmpFault::not_sent;
  if (visit.unsent) return end_unsendable();
  if (visit.generation == (cookie(request) & 0xFFu)) handle(visit, request, reply);
}

void Poll::handle(Visit& visit, const mad::GmpRequest& request, const mad::GmpReply& reply) {
  const auto attribute = static_cast<PerformanceAttribute>(request.attribute);
  switch (reply.fault) {
    case mad::GmpFault::none:
      visit.answered |= bit_of(attribute);
      if (attribute == PerformanceAttribute::class_port_info)
        return take_class_port_info(visit, request, reply);
      if (request.method == mad::Method::set) return take_cleared(visit, request);
      return take_counters(visit, request, reply);
    case mad::GmpFault::redirected:
      return redirect(visit, reply);
    case mad::GmpFault::bad_status: {
      visit.answered |= bit_of(attribute);
      if ((reply.status & mad::status::kBusy) != 0)
        return reject(visit, request, "is busy", Scope::port);
      return reject(visit, request,
                    fmt::format("rejects {} with status {:#06x}", text_of(attribute), reply.status),
                    says_unsupported(reply.status) ? Scope::node : Scope::port);
    }
    case mad::GmpFault::timeout:
    case mad::GmpFault::not_sent:
      return no_response(visit, request);
  }
}

void Poll::take_class_port_info(Visit& visit, const mad::GmpRequest& request,
                                const mad::GmpReply& reply) {
  if (redirects_from(request.to, reply.data)) return redirect(visit, reply);
  visit.record->agent.capabilities = AgentCapabilities::of(reply.data);
  plan_ports(visit);
}

void Poll::take_counters(Visit& visit, const mad::GmpRequest& request, const mad::GmpReply& reply) {
  const auto attribute = static_cast<PerformanceAttribute>(request.attribute);
  const mad::PortNum port{port_select_of(request.data)};
  PortCounters* const row = row_of(visit, port);
  if (row == nullptr) return;
  if (const std::uint8_t select = port_select_of(reply.data); select != port.value)
    return reject(visit, request,
                  fmt::format("answers for port {} when port {} is queried", select, port.value),
                  Scope::port);
  const auto at = static_cast<std::size_t>(row - visit.fresh->ports.data());
  if (!visit.started[at]) {
    visit.started[at] = true;
    const mad::TimePoint now = now_();
    if (row->since == mad::TimePoint{}) row->since = now;
    row->interval = row->read_at == mad::TimePoint{} ? mad::Duration{} : now - row->read_at;
    row->read_at = now;
  }
  if (is_main(attribute)) row->reading = PortReading::read;
  const CounterReading reading =
      read_counters(attribute, reply.data, capabilities_of(visit.record->agent, options_));
  count(reading, row->interval, *row, visit.record->memory[at], visit.growth[at]);
  const CounterSet stuck = reading.saturated & ~reading.wide;
  if (options_.clear_saturated && stuck != 0)
    visit.tasks.push_back({.attribute = attribute, .port = port, .clear = stuck});
}

void Poll::take_cleared(Visit& visit, const mad::GmpRequest& request) {
  PortCounters* const row = row_of(visit, mad::PortNum{port_select_of(request.data)});
  if (row == nullptr) return;
  const auto at = static_cast<std::size_t>(row - visit.fresh->ports.data());
  note_cleared(static_cast<CounterSet>(cookie(request) >> 8), *row, visit.record->memory[at]);
  ++cleared_;
}

/// Ends the queries of this node in this poll.
void Poll::give_up(Visit& visit, std::string why) {
  visit.fault = std::move(why);
  visit.tasks.clear();
  ++visit.generation;
}

void Poll::redirect(Visit& visit, const mad::GmpReply& reply) {
  PerformanceAgent& agent = visit.record->agent;
  if (!options_.follow_redirection)
    return give_up(visit, "redirects queries, and perfmgr_redir is FALSE");
  const auto target = redirect_target(
      *visit.subnet, visit.index,
      options_.other_nodes ? RedirectScope::any_node : RedirectScope::same_node, reply.data);
  const auto same = [&](const mad::MadAddress& other) {
    return other.lid == target->lid && other.qpn == target->qpn;
  };
  if (!target || std::ranges::any_of(visit.passed, same) || visit.passed.size() > kRedirectsMax) {
    agent.redirect.reset();
    agent.capabilities.reset();
    return give_up(visit, !target ? "redirects queries " + target.error()
                                  : std::string("redirects queries in a loop"));
  }
  agent.redirect = *target;
  agent.capabilities.reset();
  agent.refused = 0;
  visit.passed.push_back(*target);
  visit.answered = 0;
  visit.tasks.clear();
  ++visit.generation;
  query_agent(visit);
}

void Poll::reject(Visit& visit, const mad::GmpRequest& request, std::string why, Scope scope) {
  const auto attribute = static_cast<PerformanceAttribute>(request.attribute);
  PerformanceAgent& agent = visit.record->agent;
  if (attribute == PerformanceAttribute::class_port_info) {  // optional for us
    agent.refuse(attribute);
    return plan_ports(visit);
  }
  if (request.method == mad::Method::set) {
    visit.fault = std::move(why);
    return;
  }
  if (is_main(attribute)) {
    const mad::PortNum port{port_select_of(request.data)};
    PortCounters* const row = row_of(visit, port);
    if (row != nullptr && row->reading == PortReading::none) row->reading = PortReading::refused;
  }
  if (scope == Scope::port) {
    if (is_main(attribute)) visit.fault = std::move(why);
    return;
  }
  agent.refuse(attribute);
  if (attribute == PerformanceAttribute::port_counters_extended)
    return plan_ports(visit);  // PortCounters has the same, in fewer bits
  std::erase_if(visit.tasks,
                [&](const Task& task) { return task.attribute == attribute && task.clear == 0; });
  if (is_main(attribute)) visit.fault = std::move(why);
}

/// An agent that answers other queries drops this one instead of rejecting it. Any other agent is
/// silent.
void Poll::no_response(Visit& visit, const mad::GmpRequest& request) {
  const auto attribute = static_cast<PerformanceAttribute>(request.attribute);
  const bool answers_others = visit.answered != 0 && (visit.answered & bit_of(attribute)) == 0;
  if (attribute == PerformanceAttribute::class_port_info || answers_others)
    return reject(visit, request, fmt::format("does not answer {}", text_of(attribute)),
                  Scope::node);
  visit.silent = true;
  visit.record->agent.redirect.reset();
  visit.record->agent.capabilities.reset();
  give_up(visit, "does not answer");
}

// ------------------------------------------------------------------------------------------
// The end of a visit

void Poll::close(Visit& visit) {
  if (visit.unsent) return;
  const mad::TimePoint now = now_();
  NodeRecord& record = *visit.record;
  for (std::size_t port = 0; port < visit.fresh->ports.size(); ++port) {
    PortCounters& row = visit.fresh->ports[port];
    const Growth& growth = visit.growth[port];
    if (row.reading == PortReading::none || (visit.silent && row.reading == PortReading::refused))
      row.reading = visit.silent ? PortReading::silent : PortReading::refused;
    switch (row.reading) {
      case PortReading::read:
        ++summary_.ports_read;
        break;
      case PortReading::down:
        ++summary_.ports_down;
        break;
      case PortReading::silent:
        ++summary_.ports_silent;
        break;
      default:
        ++summary_.ports_refused;
    }
    if (growth.decreased) {
      ++row.resets;
      record.agent.known_until = now;  // a node that restarted may have other firmware
    }
    std::unique_ptr<ErrorWindow>& errors = record.memory[port].errors;
    if (!errors && growth.errors != ErrorCounts{}) errors = std::make_unique<ErrorWindow>();
    if (!errors) continue;
    errors->add(now, growth.errors, row.interval, options_.limits);
    row.noisy_hours = errors->noisy_hours();
  }
  if (visit.silent) {
    ++record.silent_polls;
    ++summary_.nodes_silent;
  } else if (std::exchange(record.silent_polls, 0u) > 0) {
    record.agent.known_until = now;  // what was not answered may be now
  }
  if (record.agent.redirect) ++summary_.nodes_redirected;
  record.conditions = port_conditions(
      {.fabric = visit.subnet->fabric,
       .node = visit.index,
       .counters = *visit.fresh,
       .memory = record.memory,
       .growth = visit.growth,
       .fault = visit.silent && record.silent_polls < kSilentPolls ? std::string() : visit.fault},
      options_);
  record.present = true;
  record.seen = record.polled = now;
  record.counters = std::move(visit.fresh);
}

}  // namespace sm
