#pragma once
// A poll reads the counters of all ports of a subnet, a few queries at a time.

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "fabric/subnet.h"
#include "mad/gmp_client.h"
#include "sm/performance/poll_options.h"
#include "sm/performance/records.h"

namespace sm {

/// Returns about how many queries a poll of this subnet needs, for the pace.
std::size_t expected_queries(const Fabric& fabric, const PollOptions& options);

/// A Poll is the source of queries of one poll. A node gets kPerNode queries at a time; a node that
/// does not answer gets no further queries in this poll. A query that an agent rejects is not
/// repeated for an hour. Responses that are about another port than was queried, or redirect in a
/// loop, count as rejections. When the last response of a node has arrived, the poll replaces all
/// counters of the node in the records at once.
class Poll final : public mad::GmpBatch {
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

  bool next(mad::GmpRequest& request) override;
  void done(const mad::GmpRequest& request, const mad::GmpReply& reply) override;

  /// Returns false if the poll ended before it had read everything.
  bool is_complete() const { return !ended_early_; }
  /// True if this manager's port does not send queries: no agent of this class could be registered
  /// there.
  bool is_unsendable() const { return unsendable_; }
  /// Returns counts of ports and nodes; the caller sets the other members.
  const PollSummary& summary() const { return summary_; }
  /// Counts the counters that the poll has cleared because they were saturated.
  std::uint64_t cleared() const { return cleared_; }

 private:
  struct Task {
    mad::PerformanceAttribute attribute{};
    mad::PortNum port;
    CounterSet clear = 0;  // 0: a Get
  };
  struct Visit {  // of one node
    mad::Guid node;
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
    unsigned in_flight = 0;
    std::uint8_t lmc = 0;
    std::uint8_t generation = 0;  // a redirection makes earlier responses void
    bool in_use = false, queued = false, silent = false;
  };

  enum class Scope : std::uint8_t { port, node };

  bool open_next_node();
  bool begin(Visit& visit, mad::Guid node);
  void query_agent(Visit& visit);
  void plan_ports(Visit& visit);
  void enqueue(std::uint32_t at);
  void handle(Visit& visit, const mad::GmpRequest& request, const mad::GmpReply& reply);
  void take_class_port_info(Visit& visit, const mad::GmpRequest& request,
                            const mad::GmpReply& reply);
  void take_counters(Visit& visit, const mad::GmpRequest& request, const mad::GmpReply& reply);
  void take_cleared(Visit& visit, const mad::GmpRequest& request);
  static void give_up(Visit& visit, std::string why);
  void redirect(Visit& visit, const mad::GmpReply& reply);
  void reject(Visit& visit, const mad::GmpRequest& request, std::string why, Scope scope);
  void no_response(Visit& visit, const mad::GmpRequest& request);
  void finish(Visit& visit, std::uint32_t at);
  static PortCounters* row_of(Visit& visit, mad::PortNum port);

  NodeRecords& records_;
  PollOptions options_;
  Current current_;
  std::function<mad::TimePoint()> now_;
  std::vector<mad::Guid> nodes_;  // of the subnet at the begin
  std::size_t next_node_ = 0;
  std::vector<std::unique_ptr<Visit>> visits_;
  std::vector<std::uint32_t> free_visits_;
  std::deque<std::uint32_t> ready_;  // visits that can have a query now
  PollSummary summary_;
  std::uint64_t cleared_ = 0;
  bool ended_early_ = false, unsendable_ = false;
};

}  // namespace sm
