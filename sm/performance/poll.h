#pragma once
// One poll: reads the counters of all ports of a subnet, a few queries at a time.

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

/// Queries that a poll of this subnet takes about, for the pace.
std::size_t expected_queries(const Fabric& fabric, const PollOptions& options);

/// The source of queries of one poll. A node gets kPerNode queries at a time; of one that does not
/// answer nothing more is queried in this poll. What an agent rejects is not queried again for an
/// hour. Responses that are about another port than was queried, or redirect in a loop, count as
/// rejections. When the last response of a node has arrived, its counters are replaced in the
/// records as a whole.
class Poll final : public mad::GmpBatch {
 public:
  static constexpr unsigned kPerNode = 2;
  static constexpr std::size_t kNodesAtATime = 256;
  static constexpr unsigned kRedirectsMax = 3;  // one after the other
  /// From so many polls in a row without a response on it is a condition.
  static constexpr unsigned kSilentPolls = 2;
  /// Subnet as it is now; null: the poll is to end.
  using Current = std::function<std::shared_ptr<const Subnet>()>;

  /// The records must outlive the poll, and none may be removed before it ends. Ones of new nodes
  /// are added.
  Poll(NodeRecords& records, const PollOptions& options, Current current,
       std::function<mad::TimePoint()> now);

  bool next(mad::GmpRequest& request) override;
  void done(const mad::GmpRequest& request, const mad::GmpReply& reply) override;

  /// False: it ended before it had read everything.
  bool is_complete() const { return !ended_early_; }
  /// The own port does not send queries: no agent of this class could be registered there.
  bool is_unsendable() const { return unsendable_; }
  /// Counts of ports and nodes; the rest is the caller's.
  const PollSummary& summary() const { return summary_; }
  /// Counters that were cleared because they were saturated.
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
