#pragma once
// Links and nodes that were lost, that are kept out of use, and that are expected.

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
#include "sm/sweep/devices/link_restarts.h"
#include "sm/sweep/observe/discovery.h"

namespace sm {

/// Supervises links from survey to survey: counts their faults, decides which are isolated and
/// brings a survey down to the rest, and remembers what was lost. What operators, traps and the
/// performance manager request between surveys counts from the next survey on: another thread may
/// compute with the health of links until then.
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

  /// Before a survey: ports that were quiet long enough, were released, or are no longer in the
  /// file are read again.
  void reopen_ports(const SweepContext& context, mad::TimePoint now);
  /// Before a survey is decided on: what was requested counts from now on.
  void take_orders(const SweepContext& context, mad::TimePoint now);
  /// Switches that leave_to_light_sweep() has named since the last call.
  std::set<mad::Guid> take_flapping() { return std::exchange(flapping_, {}); }
  /// Counts what `survey` no longer has of `before`. `restarts`: links that were taken down by this
  /// manager. On a compute thread.
  void update(const Fabric& before, const Survey& survey, const std::set<mad::Guid>& flapping,
              const LinkRestarts& restarts, const config::Options& options, mad::TimePoint now);
  /// Decides what is kept out of use, and brings the survey down to the rest. On a compute thread;
  /// followed by set_kept_out() on the control thread.
  KeptOut keep_out(const SweepContext& context, Survey& survey, mad::TimePoint now) const;
  void set_kept_out(KeptOut kept_out) { kept_out_ = std::move(kept_out); }
  const KeptOut& kept_out() const { return kept_out_; }
  /// No engine routes the fabric without what is isolated: it is used after all. False: nothing
  /// between switches is.
  bool use_isolated(Fabric& fabric);
  /// SM-NODE-LOST, SM-HOSTS-LOST and SM-LINK-LOST; lost() and loss_counts() are the same from now
  /// on.
  std::vector<Condition> losses();
  /// SM-TOPOLOGY-*: differences from the expected topology.
  std::vector<Condition> unexpected(const SweepContext& context, const Fabric& fabric) {
    return expected_.conditions(context.files.expected_topology, fabric);
  }

  // ---- between sweeps

  /// The switch (its NodeGUID) reports that the state of a link has changed. True: a host at it is
  /// isolated and its link comes and goes, and what happened is found by the next light sweep.
  bool leave_to_light_sweep(mad::Guid node) {
    if (!kept_out_.flapping.contains(node)) return false;
    flapping_.insert(node);
    return true;
  }
  /// Ports whose error counters have been too high for hm_num_noisy_hours, of any node. True if
  /// these are others than before. `subnet` may be null.
  bool set_noisy(const Subnet* subnet, const std::set<PortPlace>& ports);
  /// The links at NODE or NODE:PORT (as of find_node()) are isolated until release() or the end of
  /// the order, or are released. Returns the nodes that are to be swept. Errors: there are none, or
  /// they are not to be isolated, in words. `subnet` may be null.
  tl::expected<std::vector<mad::Guid>, std::string> isolate(const Subnet* subnet,
                                                            std::string_view name,
                                                            const IsolationOrder& order);
  tl::expected<std::vector<mad::Guid>, std::string> release(const Subnet* subnet,
                                                            std::string_view name);
  /// Orders in force, or from the next survey on. restore() adds those of an earlier process.
  using Orders = std::map<PortPlace, IsolationOrder>;
  const Orders& orders() const { return orders_; }
  void restore(Orders orders) { orders_.merge(std::move(orders)); }
  /// The links that were lost, as losses() was latest; null before that.
  using SharedLost = std::shared_ptr<const std::vector<LostThing>>;
  const SharedLost& lost() const { return lost_; }
  /// Names of the nodes among them, by the port in front of each.
  LostNames lost_names() const;
  const LossCounts& loss_counts() const { return loss_counts_; }
  /// The conditions of what is called so end with the next survey. Returns the nodes that are to be
  /// swept, perhaps none. Errors: nothing that was lost is called so.
  tl::expected<std::vector<mad::Guid>, std::string> forget(std::string_view name);
  /// NodeGUIDs of switches with ports that were quiet long enough to be used again.
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

/// Withdraws entries of isolated hosts that still have an Active link: they would deliver.
void withdraw_isolated(KeptLids& kept, const Fabric& fabric);

}  // namespace sm
