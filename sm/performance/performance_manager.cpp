#include "sm/performance/performance_manager.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <map>
#include <set>
#include <sstream>

#include "fabric/fabric_conditions.h"
#include "mad/format.h"
#include "sm/performance/counter_conditions.h"
#include "sm/store/atomic_file.h"

namespace sm {
namespace {

/// Appends the switches that a packet to the LID passes, beginning at the end port `from`.
void append_switches(const Subnet& subnet, PortIndex from, mad::Lid to,
                     std::vector<NodeIndex>& passed) {
  const Fabric& fabric = subnet.fabric;
  PortIndex at = fabric.owning_node(from).is_switch() ? from : fabric.ports[from].peer;
  for (std::size_t hops = 0; hops <= fabric.switches.size() && at != kNoIndex; ++hops) {
    const Node& node = fabric.owning_node(at);
    if (!node.is_switch()) return;
    passed.push_back(fabric.ports[at].node);
    const mad::PortNum out = subnet.lfts->at(node.switch_index, to);
    if (out.value == 0 || out.value > node.num_ports) return;
    at = fabric.ports[fabric.port(fabric.ports[at].node, out)].peer;
  }
}

/// Returns the end port by which packets reach the node; kNoIndex if it has no link.
PortIndex find_entry(const Fabric& fabric, NodeIndex node) {
  if (fabric.nodes[node].is_switch()) return fabric.nodes[node].first_port;
  for (const Port& port : fabric.node_ports(node))
    if (port.peer != kNoIndex && port.guid != mad::Guid{}) return fabric.port(node, port.number);
  return kNoIndex;
}

/// Returns what packets of the manager to the node and its answers pass: the manager's node, then
/// switches, first on the way there.
std::vector<NodeIndex> nodes_passed(const Subnet& subnet, NodeIndex node) {
  const Fabric& fabric = subnet.fabric;
  std::vector<NodeIndex> passed{fabric.ports[fabric.sm_port].node};
  const PortIndex entry = find_entry(fabric, node);
  if (entry == kNoIndex || node == passed.front()) return passed;
  append_switches(subnet, fabric.sm_port, subnet.lid_range(entry).base, passed);
  append_switches(subnet, entry, subnet.lid_range(fabric.sm_port).base, passed);
  return passed;
}

}  // namespace

std::vector<SilentGroup> group_silent(const Subnet& subnet, std::span<const mad::Guid> silent,
                                      std::span<const mad::Guid> answering) {
  if (silent.size() < 2 || !subnet.lfts || subnet.fabric.sm_port == kNoIndex) return {};
  const Fabric& fabric = subnet.fabric;
  const auto find_node = [&](mad::Guid guid) {
    const auto node = fabric.node_of_guid.find(guid);
    return node == fabric.node_of_guid.end() ? NodeIndex(kNoIndex) : NodeIndex(node->second);
  };
  IndexVector<NodeIndex, std::uint8_t> answers(fabric.nodes.size(), std::uint8_t{0});
  for (const mad::Guid guid : answering) {
    const NodeIndex node = find_node(guid);
    if (node == kNoIndex) continue;
    for (const NodeIndex passed : nodes_passed(subnet, node)) answers[passed] = 1;
  }
  std::vector<std::pair<mad::Guid, std::vector<NodeIndex>>> suspects;  // by silent node
  IndexVector<NodeIndex, std::uint32_t> counts(fabric.nodes.size(), 0u);
  for (const mad::Guid guid : silent) {
    const NodeIndex node = find_node(guid);
    if (node == kNoIndex) continue;
    std::vector<NodeIndex> passed = nodes_passed(subnet, node);
    std::erase_if(passed, [&](NodeIndex at) { return answers[at] != 0; });
    // A switch may be passed there and back.
    const std::set<NodeIndex> once(passed.begin(), passed.end());
    for (const NodeIndex at : once) ++counts[at];
    suspects.emplace_back(guid, std::move(passed));
  }
  std::map<NodeIndex, std::vector<mad::Guid>> groups;
  for (const auto& [guid, passed] : suspects) {
    const auto most =
        std::ranges::max_element(passed, {}, [&](NodeIndex at) { return counts[at]; });
    if (most != passed.end()) groups[*most].push_back(guid);
  }
  std::vector<SilentGroup> result;
  for (auto& [behind, members] : groups)
    if (members.size() > 1) result.push_back({.behind = behind, .members = std::move(members)});
  return result;
}

namespace asio = boost::asio;

namespace {

/// A poll takes this share of perfmgr_sweep_time_s if all nodes answer, which leaves time for
/// silent ones.
constexpr double kShareOfInterval = 0.5;
/// Small fabrics are polled within a second or so.
constexpr unsigned kQueriesPerSecondMin = 500;
/// At most this number of conditions of a kind are active; one more counts the others.
constexpr std::size_t kConditionsOfKind = 500;
constexpr std::string_view kDumpFile = "opensm_port_counters.log";
/// After a poll, SMPs ask at most so many nodes.
constexpr std::size_t kSuspectsMax = 64;

/// Holds NodeGUIDs, ascending.
struct SilentNodes {
  std::vector<mad::Guid> silent, answering;
};
/// `answer_max`: how long a query waits for its answer, repetitions included. Nodes that answered
/// before the silence began, earlier in the same poll, say nothing about what is between.
SilentNodes find_silent(const NodeRecords& records, mad::Duration answer_max) {
  mad::TimePoint begin = mad::TimePoint::max();
  for (const auto& [guid, record] : records)
    if (record.present && record.silent_polls > 0)
      begin = std::min(begin, record.polled - answer_max);
  SilentNodes nodes;
  for (const auto& [guid, record] : records) {
    if (!record.present) continue;
    const auto has_answered = [](const PortCounters& port) {
      return port.reading == PortReading::read || port.reading == PortReading::refused;
    };
    if (record.silent_polls > 0)
      nodes.silent.push_back(guid);
    else if (record.polled >= begin && std::ranges::any_of(record.counters->ports, has_answered))
      nodes.answering.push_back(guid);
  }
  return nodes;
}

/// Returns what groups are behind first, then the silent nodes.
std::vector<mad::Guid> suspects(const Fabric& fabric, const std::vector<mad::Guid>& silent,
                                const std::vector<SilentGroup>& groups) {
  std::vector<mad::Guid> all;
  all.reserve(groups.size() + silent.size());
  for (const SilentGroup& group : groups) all.push_back(fabric.nodes[group.behind].guid);
  std::ranges::copy(silent, std::back_inserter(all));
  all.resize(std::min(all.size(), kSuspectsMax));
  return all;
}

/// Returns the subject of the condition that says that the node answers no SMPs.
std::optional<ConditionSubject> find_silence(const Fabric& fabric, mad::Guid node) {
  const auto silence = std::ranges::find_if(fabric.conditions, [&](const Condition& condition) {
    return condition.id == kFabricConditions.node_silent && condition.guid == node;
  });
  if (silence == fabric.conditions.end()) return std::nullopt;
  return find_subject(*silence);
}

Condition group_condition(const SilentGroup& group, const Fabric& fabric) {
  const Node& behind = fabric.nodes[group.behind];
  const bool is_own = group.behind == fabric.ports[fabric.sm_port].node;
  return {.id = kCounterConditions.counters_unavailable,
          .text = is_own ? fmt::format("{}, the port of this manager: no node answers its "
                                       "performance management queries",
                                       fabric.port_name(fabric.sm_port))
                         : fmt::format("{}: no answer to performance management queries from "
                                       "the {} nodes whose packets pass through it",
                                       fabric.name(group.behind), group.members.size()),
          .guid = behind.guid};
}

}  // namespace

asio::awaitable<void> PerformanceManager::step() {
  const mad::Duration interval =
      std::chrono::seconds(latest_context()->options.perfmgr_sweep_time_s);
  if (begun_ && runtime_.now() < *begun_ + interval) {
    co_await wake_.wait_until(*begun_ + interval);
  } else {
    begun_ = runtime_.now();
    co_await poll();
  }
}

/// Keeps the counts for the time when this manager is MASTER again.
void PerformanceManager::withdraw() {
  if (!results_) return;
  results_ = nullptr;
  announced_ = false;
  conditions_.set_active(ConditionSource::counters, {});
  announce(events_, CountersPublished{});
}

void PerformanceManager::set_pace(const Subnet& subnet, const config::Options& options) {
  const double seconds = kShareOfInterval * options.perfmgr_sweep_time_s;
  const double rate =
      std::min(1e6, static_cast<double>(expected_queries(subnet.fabric, PollOptions::of(options))) /
                        seconds);
  client_.set_limits({.timeout = std::chrono::milliseconds(options.transaction_timeout),
                      .retries = options.transaction_retries,
                      .window = options.perfmgr_max_outstanding_queries,
                      .per_second = std::max(kQueriesPerSecondMin, static_cast<unsigned>(rate))});
}

asio::awaitable<void> PerformanceManager::poll() {
  const SharedContext context = latest_context();
  const PollOptions options = PollOptions::of(context->options);
  const std::shared_ptr<const Subnet> subnet = latest_subnet();
  set_pace(*subnet, context->options);
  const mad::TimePoint begun = runtime_.now();
  const mad::GmpStatistics before = client_.statistics();
  Poll poll(
      records_, options, [this] { return subnet_if_wanted(); }, [this] { return runtime_.now(); });
  polling_ = true;
  co_await client_.exchange(poll);
  polling_ = false;
  if (!is_wanted()) co_return;
  if (poll.is_unsendable()) {
    conditions_.set_active(
        ConditionSource::counters,
        {{.id = kCounterConditions.counters_unavailable,
          .text = "the own port sends no performance management queries: counters are not read"}});
    co_return;
  }
  if (!poll.is_complete()) co_return;
  if (const std::shared_ptr<const Subnet> now = latest_subnet()) note_absent(*now, options);
  PollSummary summary = poll.summary();
  summary.begun = begun;
  summary.ended = runtime_.now();
  summary.ended_at = wall_clock_();
  summary.queries = client_.statistics().sent - before.sent;
  summary.repeated = client_.statistics().repeated - before.repeated;
  publish(poll, summary, context->options);
}

/// Notes nodes that are not in the fabric, or whose counters are not to be read.
void PerformanceManager::note_absent(const Subnet& subnet, const PollOptions& options) {
  std::size_t absent = 0;
  const mad::TimePoint now = runtime_.now();
  for (auto entry = records_.begin(); entry != records_.end();) {
    NodeRecord& record = entry->second;
    const auto found = subnet.fabric.node_of_guid.find(entry->first);
    record.present = found != subnet.fabric.node_of_guid.end() &&
                     (!options.ignore_cas || subnet.fabric.nodes[found->second].is_switch());
    if (record.present) record.seen = now;
    const bool drop = !record.present && (now - record.seen > kAbsentFor || ++absent > kAbsentMax);
    if (!record.present) record.conditions.clear();
    entry = drop ? records_.erase(entry) : std::next(entry);
  }
}

void PerformanceManager::publish(const Poll& poll, const PollSummary& summary,
                                 const config::Options& options) {
  auto table = std::make_shared<PortCounterTable>();
  table->polls = ++polls_;
  table->latest = summary;
  table->nodes.reserve(records_.size());
  for (const auto& [guid, record] : records_)
    if (record.present || !options.perfmgr_rm_nodes) table->nodes.push_back(record.counters);
  results_ = std::move(table);
  CountersPublished event;
  if (const std::shared_ptr<const Subnet> subnet = latest_subnet()) {
    const mad::Duration answer_max =
        (options.transaction_retries + 1) * std::chrono::milliseconds(options.transaction_timeout);
    const SilentNodes nodes = find_silent(records_, answer_max);
    const std::vector<SilentGroup> groups = group_silent(*subnet, nodes.silent, nodes.answering);
    event.suspects = suspects(subnet->fabric, nodes.silent, groups);
    report(options, *subnet, groups);
  }
  const auto seconds = std::chrono::duration<double>(summary.ended - summary.begun).count();
  log_.log(
      std::exchange(announced_, true) ? spdlog::level::debug : spdlog::level::info,
      "counters of {} ports were read with {} queries in {:.1f} s; {} ports refuse them, {} do "
      "not answer, {} are down",
      summary.ports_read, summary.queries, seconds, summary.ports_refused, summary.ports_silent,
      summary.ports_down);
  if (poll.cleared() > 0)
    log_.info("saturated counters of {} ports were cleared (perfmgr_clear_saturated)",
              poll.cleared());
  announce(events_, event);
}

/// Reports the conditions of all records. Those of nodes that share their silence name what they
/// share as their cause.
void PerformanceManager::report(const config::Options& options, const Subnet& subnet,
                                const std::vector<SilentGroup>& groups) {
  std::vector<Condition> active;
  std::map<mad::Guid, ConditionSubject> causes;
  for (const SilentGroup& group : groups) {
    Condition shared = group_condition(group, subnet.fabric);
    shared.caused_by = find_silence(subnet.fabric, shared.guid);
    const auto is_reported = [&](mad::Guid member) {
      return records_.at(member).silent_polls >= Poll::kSilentPolls;
    };
    if (std::ranges::none_of(group.members, is_reported)) continue;
    for (const mad::Guid member : group.members) causes[member] = find_subject(shared);
    active.push_back(std::move(shared));
  }
  std::map<ConditionId, std::size_t> counts;
  for (const auto& [guid, record] : records_) {
    if (!record.present && options.perfmgr_rm_nodes) continue;
    for (Condition condition : record.conditions) {
      if (condition.id == kCounterConditions.counters_unavailable) {
        const auto cause = causes.find(guid);
        if (cause != causes.end() && cause->second == find_subject(condition)) continue;
        if (cause != causes.end()) condition.caused_by = cause->second;
        if (cause == causes.end()) condition.caused_by = find_silence(subnet.fabric, guid);
      }
      if (++counts[condition.id] <= kConditionsOfKind) active.push_back(std::move(condition));
    }
  }
  for (const auto& [id, count] : counts)
    if (count > kConditionsOfKind)
      active.push_back({.id = id,
                        .text = fmt::format("more than {} ports or nodes beside those listed",
                                            kConditionsOfKind)});
  conditions_.set_active(ConditionSource::counters, std::move(active));
}

tl::expected<void, std::string> PerformanceManager::poll_now() {
  if (!latest_context()->options.perfmgr) return tl::unexpected(std::string("perfmgr is FALSE"));
  if (!is_wanted()) return tl::unexpected(std::string("this manager is not MASTER"));
  begun_.reset();
  wake_.signal();
  return {};
}

SharedPortCounters PerformanceManager::counters() const { return is_wanted() ? results_ : nullptr; }

PerformanceStatus PerformanceManager::status() const {
  const config::Options& options = latest_context()->options;
  return {.enabled = options.perfmgr,
          .polling = polling_,
          .sweep_time = std::chrono::seconds(options.perfmgr_sweep_time_s),
          .outstanding = client_.in_flight(),
          .outstanding_max = options.perfmgr_max_outstanding_queries,
          .polls = polls_,
          .latest = results_ ? results_->latest : PollSummary{},
          .queries = client_.statistics()};
}

tl::expected<void, std::string> PerformanceManager::dump(DumpShape shape) {
  const SharedPortCounters table = counters();
  const std::shared_ptr<const Subnet> subnet = latest_subnet();
  if (!table || !subnet) return tl::unexpected(std::string("there are no counters yet"));
  const config::Options& options = latest_context()->options;
  const std::string name =
      options.event_db_dump_file.empty() ? std::string(kDumpFile) : options.event_db_dump_file;
  const std::string path = (std::filesystem::path(options.dump_files_dir) / name).string();
  run_aside(
      [table, subnet, path, shape] {
        std::ostringstream text;
        write_port_counters(text, *table, subnet->fabric, shape);
        const auto written = write_file_atomically(path, text.str(), false);
        return written ? std::string() : written.error();
      },
      [this, path](const std::string& problem) {
        if (problem.empty()) {
          log_.info("port counters were written to {}", path);
        } else {
          log_.error("port counters were not written: {}", problem);
        }
      });
  return {};
}

}  // namespace sm
