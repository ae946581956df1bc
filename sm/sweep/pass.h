#pragma once
// One pass observes, reads, decides, plans, applies and publishes; see Pass::run().

#include <boost/asio/awaitable.hpp>
#include <memory>
#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <utility>
#include <vector>

#include "sm/sweep/administration.h"
#include "sm/sweep/apply/environment.h"
#include "sm/sweep/decide/decide.h"
#include "sm/sweep/decide/member_decision.h"
#include "sm/sweep/decide/vport_decision.h"
#include "sm/sweep/devices/key_origins.h"
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

/// Holds what is decided about end ports, and what to report of it.
struct EndPorts {
  LidAssignment lids = {};                     // of a survey
  LidMap physical = {};                        // LIDs of physical ports
  VPortDecision decision = {};                 // with vports
  std::optional<MemberDecision> members = {};  // of requested ones in the fabric
  Findings findings = {};
  std::vector<Condition> member_guids = {}, replaced = {};
  std::optional<partitions::KeptDecision> kept = {};  // P_Keys of unknown origin
  std::vector<Condition> kept_conditions = {};
  std::vector<std::string> arrived = {};
};

/// Holds the subnet that a pass publishes, and the target that the planner compares with devices.
struct Draft {
  Subnet next = {};
  Target target = {};
  bool has_next = false;
  std::uint64_t reregistration = 0;              // as of Registered
  std::vector<Condition> pending_settings = {};  // of links

  /// Makes `next` begin as a copy of the published subnet, unless it has begun.
  void begin_with(const Subnet& published) {
    if (!std::exchange(has_next, true)) next = published;
  }
};

/// Holds the routes of a survey, and the trees of the groups that were read.
struct Routes {
  KeptLids kept = {};
  Routed routed = {};  // without a chain: no engine routes the fabric
  std::vector<routing::MulticastGroup> groups = {};
  std::optional<routing::MulticastRouter> router = {};
  std::vector<routing::MulticastFinding> limits = {};
};

/// Holds what was compared and written, with the responses of devices.
struct Written {
  PlanScope scope = PlanScope::none;
  ApplyReport report = {};
};

/// Brings the fabric up to date as far as a request says, whatever its cause. A pass works on a
/// survey that was read before, or decides a part on the published subnet. Every step checks which
/// parts the request has. A step takes what the steps before it decided, and returns what it
/// decides; these values live in run(). Observations become EndPorts, Routes and a Draft. The
/// planner compares the target with what devices hold, and `Draft::next` is published.
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
  /// Makes the pass decide by these origins of P_Keys instead of those of State.
  void set_origins(partitions::KeyOrigins origins) { origins_ = std::move(origins); }
  /// Returns the preview after run() of Mode::preview. Errors: no engine routes the fabric.
  tl::expected<Preview, std::string> take_preview();

 private:
  // The steps of a pass in their order. A step that returns nullopt ends the pass.
  boost::asio::awaitable<std::optional<std::vector<PortIndex>>> observe();
  boost::asio::awaitable<std::optional<EndPorts>> decide_end_ports(Draft& draft);
  boost::asio::awaitable<bool> store(const EndPorts& end_ports);
  boost::asio::awaitable<void> prepare(EndPorts& end_ports, Draft& draft);
  boost::asio::awaitable<std::optional<Routes>> decide_routes(const EndPorts& end_ports,
                                                              Draft& draft);
  boost::asio::awaitable<void> read_for_plan(Draft& draft);
  boost::asio::awaitable<Written> apply(const EndPorts& end_ports, Routes& routes, Draft& draft,
                                        bool m_keys_stored);
  boost::asio::awaitable<void> publish(EndPorts& end_ports, Routes& routes, Draft& draft,
                                       const Written& written, bool m_keys_stored);
  boost::asio::awaitable<void> make_preview(const std::vector<PortIndex>& visited,
                                            const EndPorts& end_ports, Draft& draft);

  // observe: the ports whose vports are read
  boost::asio::awaitable<std::vector<PortIndex>> observe_survey();
  boost::asio::awaitable<std::optional<std::vector<PortIndex>>> observe_vports();
  std::vector<PortIndex> vports_to_visit(const Fabric& fabric) const;

  // decide: end ports
  EndPorts assign_survey(const std::vector<mad::Guid>& m_key_ports) const;
  EndPorts assign_published(Draft& draft, const std::vector<mad::Guid>& m_key_ports,
                            mad::TimePoint now) const;
  partitions::KeptDecision decide_kept(const Fabric& fabric) const;
  void add_absent_guids(std::vector<Condition>& conditions, const Fabric& fabric,
                        const VPortTargets& vports) const;
  boost::asio::awaitable<bool> read_p_keys_to_their_ends(const partitions::PKeyTargets& p_keys);
  boost::asio::awaitable<bool> observe_contested(const std::vector<mad::Guid>& contested);
  boost::asio::awaitable<bool> decide_changed_members(EndPorts& end_ports, Draft& draft);
  VPortDecision decide_vports(const Fabric& fabric, const LidMap& physical,
                              const Guid2Lid& persisted, const partitions::KeptKeys& kept,
                              std::optional<PartitionDecision> without_vports = {}) const;
  void report_end_ports(EndPorts& end_ports);
  void update_misplaced_members(std::vector<Condition> now);
  boost::asio::awaitable<void> save_kept(const partitions::KeptDecision& kept);
  boost::asio::awaitable<void> save_lids(const Guid2Lid& persisted);
  boost::asio::awaitable<bool> save_m_keys(MKeys::Files files);
  boost::asio::awaitable<void> save_confirmed_m_keys(bool m_keys_stored);
  boost::asio::awaitable<void> prepare_survey(EndPorts& end_ports, Draft& draft);

  // decide: routes and trees
  boost::asio::awaitable<std::vector<routing::MulticastGroup>> read_for_routes(Draft& draft);
  boost::asio::awaitable<bool> route_survey(const EndPorts& end_ports, Routes& routes,
                                            Draft& draft);
  void route_all(const EndPorts& end_ports, Routes& routes, Draft& draft);
  RoutingStart routing_start() const;
  Routed route(const Fabric& fabric, const LidMap& physical, const KeptLids& kept);
  void decide_trees(Routes& routes, Draft& draft);
  void update_trees(Routes& routes, Draft& draft);
  boost::asio::awaitable<std::vector<routing::MulticastGroup>> all_groups(const Subnet& subnet);
  boost::asio::awaitable<std::vector<routing::MulticastGroup>> groups_to_route();
  boost::asio::awaitable<void> read_adaptive(const Fabric& fabric);
  boost::asio::awaitable<void> read_multicast(const Draft& draft);
  boost::asio::awaitable<void> read_newly_used(Draft& draft);
  boost::asio::awaitable<void> read_vls(Draft& draft);
  std::shared_ptr<const VlTables> vl_tables(const Subnet& subnet) const;

  // apply
  PlanScope plan_scope(const EndPorts& end_ports, const Draft& draft, bool m_keys_stored) const;
  boost::asio::awaitable<void> begin_writes(Routes& routes, Draft& draft);
  boost::asio::awaitable<void> save_fallback_mark(const routing::RoutingState& routing);
  boost::asio::awaitable<void> save_group_ids(std::shared_ptr<const GroupIds> ids);
  void take_groups(Draft& draft) const;
  boost::asio::awaitable<void> announce_ready(const Draft& draft);
  boost::asio::awaitable<void> check_tables(const Draft& draft, ApplyReport& report);
  void report_apply(const Draft& draft, const Written& written);
  void report_unwritten(const Written& written);

  // publish
  void publish_next(Draft& draft);
  void publish_vl_tables(Draft& draft);
  void publish_adaptive(Draft& draft, PlanScope scope);
  boost::asio::awaitable<bool> publish_routers(Draft& draft);
  boost::asio::awaitable<void> publish_survey(Routes& routes, Draft& draft, const Written& written,
                                              bool m_keys_stored);
  void publish_vports(EndPorts& end_ports, Draft& draft, const Written& written);

  bool has_multicast() const {
    return parts_.administration.has_groups() && !context_->options.disable_multicast;
  }
  bool applies() const { return mode_ == Mode::apply; }
  boost::asio::awaitable<void> compute(const std::function<void()>& work) {
    return environment_.compute(work);
  }
  /// Raises the findings; a preview keeps them.
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
  std::optional<partitions::KeyOrigins> origins_;
  const Mode mode_;
  const std::shared_ptr<const Subnet> before_;  // published when the pass began; null: none

  Findings findings_;  // that are not raised yet
  PassResult result_;
  std::optional<Preview> preview_;
};

/// Returns the LIDs of the end ports of a surveyed fabric.
LidAssignment decide_lids(const SweepContext& context, const State& state, const Fabric& fabric);
/// Reads what is stored, and adopts what another manager knew. Called before decide_lids().
void load_stored(const SweepContext& context, State& state, spdlog::logger& log);
/// Writes the file of State::p_keys, if it differs. Errors: one line with file and reason.
tl::expected<void, std::string> store_key_origins(PKeyOrigins& origins, const SweepContext& context,
                                                  std::uint64_t revision);
/// Takes what the file of State::p_keys has, and logs its messages.
void take_key_origins(LoadedKeyOrigins loaded, State& state, spdlog::logger& log);
/// Reads State::p_keys from disk unless it has been taken.
void load_key_origins(const SweepContext& context, State& state, spdlog::logger& log);

/// Returns SM-SETTING-REJECTED and related conditions: settings that ports reject or show
/// differently, and ports that are disabled.
std::vector<Condition> port_setting_conditions(const DeviceState& devices, const Fabric& fabric);

}  // namespace sm
