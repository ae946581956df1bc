#pragma once
// One pass observes, reads, decides, plans, applies and publishes; see Pass::run().

#include <boost/asio/awaitable.hpp>
#include <memory>
#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "sm/sweep/administration.h"
#include "sm/sweep/apply/environment.h"
#include "sm/sweep/decide/decide.h"
#include "sm/sweep/decide/member_decision.h"
#include "sm/sweep/decide/vport_decision.h"
#include "sm/sweep/link_supervision.h"
#include "sm/sweep/observe/discovery.h"
#include "sm/sweep/observe/vport_observer.h"
#include "sm/sweep/pass_request.h"
#include "sm/sweep/state.h"

namespace sm {

/// Refers to the parts that a pass works with, and owns none of them.
struct PassParts {
  SweepEnvironment& environment;
  State& state;
  LinkSupervision& links;
  VPortObserver& vports;
  Administration& administration;
};

/// Brings the fabric up to date as far as a request says, whatever its cause. A pass works on a
/// survey that was read before, or decides a part on the published subnet. Every step checks which
/// parts the request has, and works on the same values: observations become `next_` and `target_`,
/// the planner compares them with what devices hold, and `next_` is published.
///
/// Guarantees. Decisions are pure functions of State, survey, and context. They run on a compute
/// thread while the coroutine waits, and nothing else uses State until it continues. The pass reads
/// what decisions need of devices before them, and what only the plan compares after them. It
/// writes nothing before the LID map and M_Keys that the write depends on are on disk. A pass whose
/// request only asks for a preview writes nothing, stores nothing, and raises no condition. After a
/// failed write the state records what devices are known to hold, so that the next pass repeats the
/// rest.
class Pass {
 public:
  enum class Mode : std::uint8_t { apply, preview };

  /// `survey` is what `request` had read; if empty, the pass works on the published subnet.
  Pass(const PassParts& parts, SharedContext context, PassRequest request,
       std::optional<Survey> survey, Mode mode = Mode::apply);

  boost::asio::awaitable<PassResult> run();
  bool has_survey() const { return survey_.has_value(); }
  /// Returns the preview after run() of Mode::preview. Errors: no engine routes the fabric.
  tl::expected<Preview, std::string> take_preview();
  /// Returns what to do next after run(), if this pass could not do it itself.
  std::optional<PassRequest> follow_up();

 private:
  // The steps of a pass in their order. A step that returns false ends the pass.
  boost::asio::awaitable<bool> observe();
  boost::asio::awaitable<bool> decide_end_ports();
  boost::asio::awaitable<void> store();
  boost::asio::awaitable<void> prepare();
  boost::asio::awaitable<void> read_for_routes();
  boost::asio::awaitable<bool> decide_routes();
  boost::asio::awaitable<void> read_for_plan();
  boost::asio::awaitable<void> apply();
  boost::asio::awaitable<void> publish();

  // observe
  boost::asio::awaitable<void> observe_survey();
  boost::asio::awaitable<bool> observe_vports();
  std::vector<PortIndex> vports_to_visit(const Fabric& fabric) const;

  // decide: end ports
  void assign_survey();
  void assign_published();
  void add_absent_guids(std::vector<Condition>& conditions, const Fabric& fabric) const;
  boost::asio::awaitable<bool> read_p_keys_to_their_ends();
  boost::asio::awaitable<bool> observe_contested();
  boost::asio::awaitable<bool> decide_changed_members();
  VPortDecision decide_vports(const Fabric& fabric, const LidMap& physical,
                              const Guid2Lid& persisted,
                              std::optional<PartitionDecision> without_vports = {}) const;
  void report_end_ports();
  void report_losses();
  void update_misplaced_members(std::vector<Condition> now);
  boost::asio::awaitable<void> save_lids(bool always);
  boost::asio::awaitable<bool> save_m_keys(MKeys::Files files);
  boost::asio::awaitable<void> save_confirmed_m_keys();
  boost::asio::awaitable<void> prepare_survey();
  boost::asio::awaitable<void> update_router_aliases();
  std::vector<Condition> update_devices();
  void place_vports();
  std::vector<bool> newcomers(const std::vector<mad::Guid>& unacknowledged) const;
  void mark_hosts_of_vports();

  // decide: routes and trees
  void route_all();
  void report_unroutable();
  RoutingStart routing_start() const;
  GroupNumbers group_numbers() const;
  Routed route(const KeptLids& kept);
  TreeStart tree_start() const;
  void remember_trees();
  boost::asio::awaitable<std::vector<routing::MulticastGroup>> all_groups(const Subnet& subnet);
  boost::asio::awaitable<std::vector<routing::MulticastGroup>> groups_to_route();
  void decide_trees();
  void update_trees();
  std::size_t route_changed(std::vector<routing::MulticastGroup> groups);
  boost::asio::awaitable<void> read_adaptive();
  boost::asio::awaitable<void> read_multicast();
  boost::asio::awaitable<void> read_newly_used();
  boost::asio::awaitable<void> read_vls();
  std::shared_ptr<const VlTables> vl_tables(const Subnet& subnet) const;

  // apply
  boost::asio::awaitable<void> make_preview();
  boost::asio::awaitable<void> begin_writes();
  boost::asio::awaitable<void> save_fallback_mark();
  boost::asio::awaitable<void> save_group_ids();
  void take_groups();
  void publish_adaptive();
  boost::asio::awaitable<bool> publish_routers();
  boost::asio::awaitable<void> announce_ready();
  boost::asio::awaitable<void> check_tables();
  void forget_misplaced();
  void report_unwritten();
  void report_apply();

  // publish
  void publish_next();
  void publish_vl_tables();
  boost::asio::awaitable<void> publish_survey();
  void publish_vports();
  void note_vport_outcome(const VPortTargets& outcome);

  bool has_multicast() const {
    return parts_.administration.has_groups() && !context_->options.disable_multicast;
  }
  bool applies() const { return mode_ == Mode::apply; }
  boost::asio::awaitable<void> compute(const std::function<void()>& work) {
    return environment_.compute(work);
  }
  /// `next_` begins as a copy of the published subnet.
  void take_published() {
    if (!std::exchange(has_next_, true)) next_ = *before_;
  }
  /// Raises the findings; a preview only collects them.
  void report_findings();
  void add_finding(ConditionSource source, std::vector<Condition> active) {
    findings_.emplace_back(source, std::move(active));
  }

  const PassParts parts_;
  SweepEnvironment& environment_;
  State& state_;
  const SharedContext context_;
  const PassRequest request_;
  std::optional<Survey> survey_;
  const Mode mode_;
  const std::shared_ptr<const Subnet> before_;  // published when the pass began; null: none

  // Decisions
  mad::TimePoint now_{};            // when the computation that runs began
  std::vector<PortIndex> visited_;  // ports whose vports are read
  std::vector<mad::Guid> m_key_ports_;
  LidAssignment lids_;
  LidMap physical_;  // of physical ports
  VPortDecision end_ports_;
  std::optional<MemberDecision> members_;
  bool has_next_ = false;
  Subnet next_;
  Target target_;
  bool m_keys_stored_ = false;  // expected ones: their Sets may be sent
  PlanScope scope_ = PlanScope::none;
  KeptLids kept_;
  Routed routed_;  // without a chain: no engine routes it
  std::optional<routing::MulticastRouter> router_;
  std::vector<routing::MulticastGroup> groups_;
  std::vector<routing::MulticastFinding> limits_;
  Findings findings_, assigned_;
  std::vector<Condition> member_guids_, pending_settings_, replaced_;
  std::vector<std::string> arrived_;
  std::uint64_t reregistration_ = 0;  // as of Registered

  // Results
  ApplyReport applied_;
  PassResult result_;
  std::vector<Condition> all_findings_;  // of a preview
  std::optional<Preview> preview_;
  std::optional<PassRequest> follow_up_;
};

/// Returns the LIDs of the end ports of a surveyed fabric.
LidAssignment decide_lids(const SweepContext& context, const State& state, const Fabric& fabric);
/// Reads what is stored, and adopts what another manager knew. Called before decide_lids().
void load_stored(const SweepContext& context, State& state, spdlog::logger& log);

/// Returns SM-SETTING-REJECTED and related conditions: settings that ports reject or show
/// differently, and ports that are disabled.
std::vector<Condition> port_setting_conditions(const DeviceState& devices, const Fabric& fabric);

}  // namespace sm
