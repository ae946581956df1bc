#pragma once
// Supervises links and nodes that were lost, are kept out of use, or are expected.

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>
#include <vector>

#include "sm/context/sweep_context.h"
#include "sm/health/expected_topology.h"
#include "sm/health/isolation.h"
#include "sm/health/link_health.h"
#include "sm/sweep/decide/changes.h"
#include "sm/sweep/decide/kept_lids.h"
#include "sm/sweep/decide/replaced_nodes.h"
#include "sm/sweep/devices/link_restarts.h"
#include "sm/sweep/observe/discovery.h"

namespace sm {

/// Supervises links from survey to survey: counts their faults, decides which to isolate, removes
/// these from a survey, and remembers what was lost. Requests of operators, traps and the
/// performance manager between surveys apply from the next survey on: until then another thread may
/// compute with the health of links.
class LinkSupervision {
 public:
  /// Holds what is kept out of use, as one survey decided it.
  struct KeptOut {
    std::vector<Isolated> isolated;
    std::vector<Condition> conditions;
    std::vector<SuspectPort> left_out;  // ports in front of isolated hosts, in order
    std::set<mad::Guid> flapping;       // switches, by NodeGUID
    std::set<PortPlace> faulty;         // isolated or not
    SeenHosts seen;
  };

  // ---- in a sweep

  /// Requests that the next survey reads ports again that were quiet long enough, were released, or
  /// are no longer in the file. The sweep calls this before a survey.
  void reopen_ports(const SweepContext& context, mad::TimePoint now);
  /// Applies earlier requests. The pass calls this before it decides on a survey.
  void apply_orders(const SweepContext& context, mad::TimePoint now);
  /// Returns the switches that leave_to_light_sweep() has named since the last call.
  std::set<mad::Guid> take_flapping() { return std::exchange(flapping_, {}); }
  /// Counts what `before` has and `survey` has not. `restarts` holds the links that this manager
  /// took down. Runs on a compute thread.
  void update(const Fabric& before, const Survey& survey, const std::set<mad::Guid>& flapping,
              const LinkRestarts& restarts, const config::Options& options, mad::TimePoint now);
  /// Decides what to keep out of use, and removes it from the survey. Runs on a compute thread;
  /// set_kept_out() follows on the control thread.
  KeptOut keep_out(const SweepContext& context, Survey& survey, mad::TimePoint now) const;
  void set_kept_out(KeptOut kept_out) { kept_out_ = std::move(kept_out); }
  const KeptOut& kept_out() const { return kept_out_; }
  /// Uses isolated links after all, because no engine routes the fabric without them. Returns false
  /// if no link between switches is isolated.
  bool use_isolated(Fabric& fabric);
  /// Returns the conditions SM-NODE-LOST, SM-HOSTS-LOST and SM-LINK-LOST. lost() and loss_counts()
  /// agree with them from now on.
  std::vector<Condition> losses();
  /// Returns SM-NODE-MOVED for nodes that update() has found at another place since the last call.
  std::vector<Condition> take_moves() { return losses_.take_moves(); }
  /// Returns SM-NODE-REPLACED for lost nodes whose place another one has.
  std::vector<Condition> replaced(const SweepContext& context) const {
    return replaced_nodes(context, losses_.replacements());
  }
  /// Returns the conditions SM-TOPOLOGY-*: differences from the expected topology.
  std::vector<Condition> unexpected(const SweepContext& context, const Fabric& fabric) {
    return expected_.conditions(context.files.expected_topology, fabric);
  }

  // ---- between sweeps

  /// Notes that the switch with this NodeGUID reports a changed link state. Returns true if the
  /// next light sweep handles it, because the switch has an isolated host whose link is flapping.
  bool leave_to_light_sweep(mad::Guid node) {
    if (!kept_out_.flapping.contains(node)) return false;
    flapping_.insert(node);
    return true;
  }
  /// Sets the ports of all nodes whose error counters have been too high for hm_num_noisy_hours.
  /// Returns true if the set has changed. `subnet` may be null.
  bool set_noisy(const Subnet* subnet, const std::set<PortPlace>& ports);
  /// isolate() isolates the links at NODE or NODE:PORT (as find_node() reads it) until release() or
  /// the end of the order; release() uses them again. Both return the nodes to sweep. Errors, as
  /// text: there is no such link, or it must not be isolated. `subnet` may be null.
  tl::expected<std::vector<mad::Guid>, std::string> isolate(const Subnet* subnet,
                                                            std::string_view name,
                                                            const IsolationOrder& order);
  tl::expected<std::vector<mad::Guid>, std::string> release(const Subnet* subnet,
                                                            std::string_view name);
  /// Returns orders that apply now or from the next survey on. restore() adds earlier ones.
  using Orders = std::map<PortPlace, IsolationOrder>;
  const Orders& orders() const { return orders_; }
  void restore(Orders orders) { orders_.merge(std::move(orders)); }
  /// Replaces the orders by those of another manager. Returns the nodes with other orders.
  std::set<mad::Guid> adopt(Orders orders);
  /// Holds what isolate() and release() change. take_back() undoes a change that is not stored.
  struct OperatorOrders {
    Orders isolated;
    std::set<PortPlace> released;
  };
  OperatorOrders operator_orders() const { return {orders_, released_}; }
  void take_back(OperatorOrders before) {
    orders_ = std::move(before.isolated);
    released_ = std::move(before.released);
  }
  /// Returns the lost links and nodes as of the latest losses(); null before the first.
  using SharedLost = std::shared_ptr<const std::vector<LostThing>>;
  const SharedLost& lost() const { return lost_; }
  /// Returns the names of the lost nodes by the port in front of each node.
  LostNames lost_names() const;
  const LossCounts& loss_counts() const { return loss_counts_; }
  /// Ends the conditions of everything lost that has this name with the next survey. Returns the
  /// nodes to sweep, perhaps none. Errors: nothing lost has this name.
  tl::expected<std::vector<mad::Guid>, std::string> forget(std::string_view name);
  /// Returns the NodeGUIDs of switches with ports that were quiet long enough for use.
  std::vector<mad::Guid> quiet(mad::TimePoint now) const { return health_.due(now); }

 private:
  PortPlace in_front_of_host(const Subnet* subnet, const PortPlace& place) const;
  tl::expected<std::vector<PortPlace>, std::string> find_places(const Subnet* subnet,
                                                                std::string_view name) const;

  Losses losses_;
  SharedLost lost_;
  LossCounts loss_counts_;
  std::vector<std::string> forgotten_;  // of forget(), for losses_
  LinkHealth health_;                   // may be used by another thread while something is computed
  ExpectedTopology expected_;
  KeptOut kept_out_;                              // as decided latest
  Orders orders_;                                 // of isolate(), for health_
  std::set<PortPlace> released_;                  // by release(), for health_
  std::optional<std::set<PortPlace>> noisy_due_;  // of set_noisy(), for health_
  std::set<PortPlace> noisy_;                     // the latest
  std::set<mad::Guid> flapping_;                  // of leave_to_light_sweep(), for health_
};

/// Withdraws entries of isolated hosts with an Active link, since these would deliver packets.
void withdraw_isolated(KeptLids& kept, const Fabric& fabric);

}  // namespace sm
