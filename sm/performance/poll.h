#pragma once
// A poll reads the counters of all ports of a subnet, a few queries at a time.

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fabric/condition.h"
#include "fabric/subnet.h"
#include "mad/transport.h"
#include "sm/agents/visits.h"
#include "sm/performance/counting.h"
#include "sm/performance/port_conditions.h"

namespace sm {

/// Holds what is known of the performance management agent of a node.
struct PerformanceAgent {
  /// After this time a poll queries rejected attributes again, and reads the agent's capabilities
  /// again.
  static constexpr mad::Duration kKnownFor = std::chrono::hours(1);

  std::optional<AgentCapabilities> capabilities;  // of its ClassPortInfo, once that was read
  mad::TimePoint known_until{};                   // of capabilities and refused
  std::uint32_t refused = 0;                      // bit n: attribute n is rejected, or not answered
  std::optional<mad::MadAddress> redirect;        // where it sends its queries

  bool refuses(mad::PerformanceAttribute attribute) const {
    return (refused >> static_cast<unsigned>(attribute) & 1u) != 0;
  }
  void refuse(mad::PerformanceAttribute attribute) {
    refused |= 1u << static_cast<unsigned>(attribute);
  }
};

struct NodeRecord {
  std::shared_ptr<const NodeCounters> counters;  // as published latest; never null
  std::vector<PortMemory> memory;                // of counters->ports
  PerformanceAgent agent;
  std::vector<Condition> conditions;
  unsigned silent_polls = 0;  // in a row
  bool present = true;        // in the fabric at the latest poll
  mad::TimePoint seen{};      // in the fabric, latest
  mad::TimePoint polled{};    // the end of its latest visit
};
/// Maps NodeGUIDs to records. Records of absent nodes wait for their return, so that their totals
/// continue.
using NodeRecords = std::map<mad::Guid, NodeRecord>;

/// Returns about how many queries a poll of this subnet needs, for the pace.
std::size_t expected_queries(const Fabric& fabric, const PollOptions& options);

/// Holds the state of a visit to one node.
struct PollVisit {
  struct Task {
    mad::PerformanceAttribute attribute{};
    mad::PortNum port;
    CounterSet clear = 0;  // 0: a Get
  };
  NodeRecord* record = nullptr;
  std::shared_ptr<NodeCounters> fresh;
  std::shared_ptr<const Subnet> subnet;
  NodeIndex index = kNoIndex;
  std::vector<Growth> growth;           // by port
  std::vector<bool> started;            // by port: an answer has arrived
  std::vector<mad::MadAddress> agents;  // by port; of a switch one
  std::deque<Task> tasks;
  std::vector<mad::MadAddress> passed;  // redirections in this poll
  std::string fault;                    // "" or why counters are missing
  std::uint32_t answered = 0;           // attributes, by bit
  std::uint8_t lmc = 0;
  std::uint8_t generation = 0;  // a redirection makes earlier responses void
  bool silent = false, unsent = false;
};

/// A Poll is the source of queries of one poll. A node gets kPerNode queries at a time; a node that
/// does not answer gets no further queries in this poll. A query that an agent rejects is not
/// repeated for an hour. Responses that are about another port than was queried, or redirect in a
/// loop, count as rejections. When the last response of a node has arrived, the poll replaces all
/// counters of the node in the records at once.
class Poll final : public Visits<mad::Guid, PollVisit> {
 public:
  static constexpr unsigned kPerNode = 2;
  static constexpr std::size_t kNodesAtATime = 256;
  static constexpr unsigned kRedirectsMax = 3;  // one after the other
  /// This number of polls in a row without a response is a condition.
  static constexpr unsigned kSilentPolls = 2;
  /// Returns the current subnet; null ends the poll.
  using Current = std::function<std::shared_ptr<const Subnet>()>;

  /// The records must outlive the poll, which adds records of new nodes; the caller must not remove
  /// any before the poll ends.
  Poll(NodeRecords& records, const PollOptions& options, Current current,
       std::function<mad::TimePoint()> now);

  /// Returns counts of ports and nodes; the caller sets the other members.
  const PollSummary& summary() const { return summary_; }
  /// Counts the counters that the poll has cleared because they were saturated.
  std::uint64_t cleared() const { return cleared_; }

 private:
  using Visit = PollVisit;
  using Task = Visit::Task;
  enum class Scope : std::uint8_t { port, node };

  bool open(const mad::Guid& node, Visit& visit) override;
  bool has_request(const Visit& visit) const override { return !visit.tasks.empty(); }
  void fill(Visit& visit, mad::GmpRequest& request) override;
  void take(Visit& visit, const mad::GmpRequest& request, const mad::GmpReply& reply) override;
  void close(Visit& visit) override;
  void list_ports(Visit& visit, const Node& node);
  void query_agent(Visit& visit);
  void plan_ports(Visit& visit);
  void handle(Visit& visit, const mad::GmpRequest& request, const mad::GmpReply& reply);
  void take_class_port_info(Visit& visit, const mad::GmpRequest& request,
                            const mad::GmpReply& reply);
  void take_counters(Visit& visit, const mad::GmpRequest& request, const mad::GmpReply& reply);
  void take_cleared(Visit& visit, const mad::GmpRequest& request);
  static void give_up(Visit& visit, std::string why);
  void redirect(Visit& visit, const mad::GmpReply& reply);
  void reject(Visit& visit, const mad::GmpRequest& request, std::string why, Scope scope);
  void no_response(Visit& visit, const mad::GmpRequest& request);
  static PortCounters* row_of(Visit& visit, mad::PortNum port);

  NodeRecords& records_;
  PollOptions options_;
  Current current_;
  std::function<mad::TimePoint()> now_;
  PollSummary summary_;
  std::uint64_t cleared_ = 0;
};

}  // namespace sm
