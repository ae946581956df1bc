#pragma once
// One sweep: observe, decide, apply. It reads as one page: Sweeper::program().

#include <spdlog/logger.h>

#include <boost/asio/awaitable.hpp>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <tl/expected.hpp>
#include <utility>
#include <vector>

#include "fabric/find_port.h"
#include "fabric/subnet.h"
#include "mad/smp_client.h"
#include "routing/core/routing_state.h"
#include "sm/health/expected_topology.h"
#include "sm/health/isolation.h"
#include "sm/health/link_health.h"
#include "sm/sweep/adoption_price.h"
#include "sm/sweep/apply.h"
#include "sm/sweep/audit.h"
#include "sm/sweep/changes.h"
#include "sm/sweep/compute.h"
#include "sm/sweep/decide.h"
#include "sm/sweep/discovery.h"
#include "sm/sweep/m_keys.h"
#include "sm/sweep/phases.h"
#include "sm/sweep/single_reads.h"
#include "sm/sweep/stored_state.h"
#include "sm/sweep/vport_decision.h"

namespace sm {

struct SweepOrder {
  bool everything = true;                 // false: only what `changed` can have touched
  std::vector<mad::Guid> changed = {};    // NodeGUIDs
  std::vector<mad::Guid> answering = {};  // NodeGUIDs, in order: something behind a port of theirs
                                          // answers that the last survey did not find
  bool trust_tables = true;  // false: switches' tables are read back before they are compared
  /// With trust_tables false: forwarding tables of switches that show what was written to them are
  /// left to an audit pass, which follows at once.
  bool audits_tables = false;
  /// P_Key tables of a fabric that is not known yet are read to their ends after hosts are Active,
  /// where that is safe.
  bool p_keys_may_wait = false;
  std::string why;          // for the log
  bool route_anew = false;  // no route stays because it is there
};

enum class SweepEnd : std::uint8_t {
  subnet_up,  // everything that was to be written is written
  errors,     // something was not, or could not be computed: worth another sweep soon
  fatal,      // duplicate GUIDs in the first sweep and its repetition, and exit_on_fatal
};

struct SweepResult {
  SweepEnd end = SweepEnd::errors;
  std::vector<mad::Guid> unread;  // nodes that left requests without a response
  std::vector<mad::Guid> read;    // nodes that the survey read
  std::vector<mad::Guid> lost;    // switches that lost their tables meanwhile: to be swept at once
  // Errors: nodes that left writes without a response, if there were no other errors.
  std::vector<mad::Guid> unwritten = {};
  std::uint64_t reregistration = 0;  // as of Registered, once all end ports were written
  bool rerouted = false;             // the routing is not that of the sweep before
};

/// How programming multicast between two sweeps ended.
struct MulticastEnd {
  std::size_t groups_changed = 0;
  std::size_t writes = 0;       // acknowledged
  std::vector<mad::Guid> lost;  // as of SweepResult
  bool again = false;  // something was not written, or a sweep was running: to be called again soon
};

/// How programming vports between two sweeps ended.
struct VPortEnd {
  bool changed = false;         // another subnet was published
  std::size_t activated = 0;    // vports
  std::vector<mad::Guid> lost;  // as of SweepResult
  bool again = false;           // a sweep was running: to be called again soon
};

/// What clients of subnet administration have registered, as far as a sweep programs it.
struct Registered {
  // ClientReregister is to be set on all end ports, for the reason with this number; 0: it is not.
  std::uint64_t reregistration = 0;
  std::vector<GuidInfoBlock> alias_guids;  // of ports that may have lost theirs
  mad::Lid known_manager = {};  // of another manager, with which registrations are known here
};

/// How a part of an audit ended.
struct AuditStep {
  std::vector<mad::Guid> differing;  // nodes that hold something else than is believed: to be swept
  bool everything = false;           // one of them has another NodeInfo: all is to be read anew
  bool groups = false;  // a switch holds multicast entries that are not wanted: to be programmed
  bool pass_is_over = false;
};

/// A sweep that stopped before it would have written something.
struct Preview {
  Plan plan;
  Subnet subnet;  // as it would be published, with what devices hold now
  Target target;
  std::shared_ptr<const ForwardingTables> held_lfts;  // null: nothing is known of them
  std::vector<Condition> conditions;
  std::vector<std::string> messages;  // about LIDs that change
};

/// What a Sweeper keeps from sweep to sweep: the published subnet, what devices hold, which LIDs
/// were given. Its coroutines run one after the other, except as program_multicast() says; each
/// works with the context that it was given, whatever is configured meanwhile.
class Sweeper {
 public:
  using Progress = std::function<void(std::string_view what, std::size_t done, std::size_t total)>;

  /// None of the references is owned.
  Sweeper(mad::SmpClient& client, spdlog::logger& log, ConditionLog& conditions, Progress progress);
  ~Sweeper() { client_.set_m_keys(nullptr); }
  Sweeper(const Sweeper&) = delete;
  Sweeper& operator=(const Sweeper&) = delete;

  /// What is configured from now on; files that the operator may have edited are read again.
  void configure(const SharedContext& context);
  /// Which M_Key a port has. The own port's GUID, as the operating system knows it, is to be set
  /// before the first sweep.
  MKeys& m_keys() { return m_keys_; }
  const MKeys& m_keys() const { return m_keys_; }

  /// The switch with this LID has reported that a link of it changed (IBTA Vol 1, 14.2.5.1, trap
  /// 128).
  void note_link_change(mad::Lid lid) { changing_.note(lid); }

  /// Observe. Writes nothing, except PortStateChange of switches when `as_master`.
  /// `order` must live until the coroutine returns.
  boost::asio::awaitable<Survey> observe(SharedContext context, const SweepOrder& order,
                                         bool as_master);
  /// Decide and apply: only for a master. `order` must live until the coroutine returns.
  boost::asio::awaitable<SweepResult> program(SharedContext context, Survey survey,
                                              const SweepOrder& order);
  /// What program() would write next: the same decisions, and nothing is written, stored or
  /// published. SubnGet only. Errors: no engine routes the fabric.
  boost::asio::awaitable<tl::expected<Preview, std::string>> preview(SharedContext context,
                                                                     Survey survey,
                                                                     const SweepOrder& order);

  /// After a sweep: what it costs that tables found on the fabric stay, or routes where links or
  /// switches were added. A condition, while they differ from what the engine would choose. Other
  /// work goes on beside it; the coroutine itself counts as one (see above).
  boost::asio::awaitable<void> price_adoption(SharedContext context);
  /// Links or switches were added that carry less than they could, as far as is known.
  bool has_gained() const { return routing_.state && routing_.state->gained; }
  void note_balanced() {
    if (has_gained()) routing_.state = balanced(*routing_.state);
  }
  /// What it costs that routes stay while they fulfil the guarantees. nullopt: nothing, or nothing
  /// is programmed.
  boost::asio::awaitable<std::optional<RoutingPrice>> price_routing(SharedContext context);

  /// After a sweep, when nothing but the partitions changed: decides them again on the subnet that
  /// was published, and applies what differs.
  boost::asio::awaitable<SweepResult> program_p_keys(SharedContext context);
  /// After a sweep, when nothing but memberships in partitions of the API changed, of these GUIDs
  /// (and, with `partitions`, partitions themselves): as program_p_keys(), which it becomes for
  /// many, but decides and writes the tables of these ports and vports alone.
  struct MemberChanges {
    std::vector<mad::Guid> guids;
    bool partitions = false;
  };
  /// `changed` false: nothing of it is in the fabric, and no other subnet was published.
  struct MembersEnd {
    SweepEnd end = SweepEnd::subnet_up;
    bool changed = false;
    std::size_t ports = 0;  // whose tables were decided, vports among them
  };
  boost::asio::awaitable<MembersEnd> program_members(SharedContext context, MemberChanges changes,
                                                     std::function<void()> acknowledged);
  /// Contexts that differ in partitions of the API alone: no file is read again.
  void follow(SharedContext context) { configured_ = std::move(context); }
  /// After a sweep, when nothing but qos_*_sl2vl and qos_*_vlarb_* changed: writes the tables that
  /// are to be others now.
  boost::asio::awaitable<SweepResult> program_vl_tables(SharedContext context);
  /// Between sweeps: reads a few attributes. Descriptions and managers that changed are published;
  /// nodes whose state is not as published are returned, to be swept. Only with a subnet.
  boost::asio::awaitable<std::vector<mad::Guid>> read_single(SingleReads reads);
  /// babbling_port_policy. Only with a subnet. False: the fabric is another one than it was; the
  /// node is to be read again.
  boost::asio::awaitable<bool> disable_port(mad::Guid node, mad::PortNum number);

  /// Reads the next attributes back, `count` at most and one after the other, and compares them
  /// with what is believed. After a difference nothing is believed of that node's tables any more.
  /// Not while anything else runs; without a subnet it does nothing.
  boost::asio::awaitable<AuditStep> audit(unsigned count);
  /// The next audit() begins a pass.
  void restart_audit() { audit_ = {}; }
  /// How many attributes a pass reads.
  std::size_t audit_size() const { return subnet_ ? sm::audit_size(*subnet_, held_) : 0; }

  /// Called in every sweep once LIDs and partitions are decided, before anything else is written.
  using Prepare = std::function<Registered(const Subnet& draft, const SweepContext& context)>;
  void set_prepare(Prepare prepare) { prepare_ = std::move(prepare); }
  /// The members of multicast groups, by the indices of the subnet that it is given. Called in
  /// every sweep and by program_multicast(); without one, multicast tables stay as they are. MLIDs
  /// may repeat.
  using GroupSupplier = std::function<std::vector<routing::MulticastGroup>(const Subnet& subnet)>;
  void set_groups(GroupSupplier groups);
  /// Appends some of them, from MLID `first` on (0: from the beginning). Returns the first MLID
  /// that is left; nothing after the last one. Others run between the calls.
  using GroupSlices = std::function<std::optional<mad::Mlid>(
      const Subnet& subnet, mad::Mlid first, std::vector<routing::MulticastGroup>& groups)>;
  void set_groups(GroupSlices groups) { groups_ = std::move(groups); }
  /// Of program_multicast(): the groups that have changed since the last call of either supplier,
  /// each MLID once; those without members as well. Without one, all are compared.
  void set_changed_groups(GroupSupplier changed) { changed_groups_ = std::move(changed); }
  /// Called in a sweep that writes P_Keys, LIDs or states of ports, before it does: tables are
  /// written, and a port may use the fabric as soon as it is Active. `draft` is what will be
  /// published, but for the states of ports.
  using Ready =
      std::function<void(std::shared_ptr<const Subnet> draft, const SharedContext& context)>;
  void set_ready(Ready ready) { ready_ = std::move(ready); }
  /// Members joined or left: brings the tables of the published subnet up to date and publishes it
  /// anew. Only MLIDs whose members changed are routed again. Only for a master, and not while a
  /// sweep is running (then it does nothing: the sweep requests the groups itself, and the call
  /// is to be repeated after it).
  boost::asio::awaitable<MulticastEnd> program_multicast(SharedContext context);

  /// Called when a sweep enters a phase.
  void set_on_phase(OnPhase on_phase) { on_phase_ = std::move(on_phase); }
  /// How to wait; without it nothing that a device needs time for is waited for.
  using Pause = std::function<boost::asio::awaitable<void>(mad::Duration)>;
  void set_pause(Pause pause) { pause_ = std::move(pause); }
  /// Who computes what takes long; without it, all is computed in place.
  void set_compute(Compute compute) { compute_ = std::move(compute); }
  /// Runs on another thread, some time; what it refers to is its own.
  using Discard = std::function<void(std::function<void()> work)>;
  void set_discard(Discard discard) {
    discard_ = std::make_shared<const Discard>(std::move(discard));
  }
  /// Between sweeps: reads the vports of these physical ports (their GUIDs), and brings those that
  /// their hosts have started, moved or ended up to date. Only for a master.
  boost::asio::awaitable<VPortEnd> program_vports(SharedContext context,
                                                  std::vector<mad::Guid> ports);
  /// Physical ports (their GUIDs) that show VPortStateChange, or where something of the last time
  /// is left to be done. One SubnGet for each port with vports.
  boost::asio::awaitable<std::vector<mad::Guid>> changed_vports();
  /// Attributes of this vport of the physical port changed, as trap 1144 says: the next
  /// program_vports() of that port reads them.
  void note_vport_change(mad::Guid port, std::uint16_t index);

  /// What another manager knew, for the next program(): its LIDs (none: the own ones stay) and
  /// M_Keys.
  void adopt(Guid2Lid lids, const Guid2MKey& m_keys);
  /// What guid2lid has.
  const Guid2Lid& guid2lid() const { return stored_.guid2lid(); }
  /// The latest survey cleared PortStateChange of switches before it read their ports.
  bool has_cleared_changes() const { return cleared_changes_; }
  /// The LID map on disk is the one in use.
  bool has_saved_lids() const { return stored_.has_saved_lids(); }

  /// Another manager was master until now: its LIDs are newer than ours, and tables may hold
  /// anything. The next program() begins with that.
  void expect_foreign_settings();

  /// What that one left, as it was read meanwhile: the next sweep compares the fabric with it.
  void begin_with(std::shared_ptr<const Subnet> subnet);

  /// True between expect_foreign_settings() and the next program().
  bool follows_another_manager() const { return left_standby_; }
  /// Before that program(), when clients are served already: they learn from their ports that this
  /// manager is master (master_lid_stage()). `survey` must live until the coroutine returns.
  boost::asio::awaitable<void> lead_clients_here(SharedContext context, Survey& survey,
                                                 std::uint64_t reregistration,
                                                 mad::Lid known_manager);

  /// Ports behind which nothing is read now.
  std::vector<SuspectPort> suspects() {
    std::vector<SuspectPort> ports = suspects_.current(client_.now());
    ports.insert(ports.end(), kept_out_.left_out.begin(), kept_out_.left_out.end());
    return ports;
  }

  /// Links and switches that are kept out of use, as the latest sweep has decided.
  const std::vector<Isolated>& isolated() const { return kept_out_.isolated; }
  /// The switch (its NodeGUID) reports that the state of a link has changed. True: a host at it is
  /// isolated and its link comes and goes, and what happened is found by the next light sweep.
  bool leave_to_light_sweep(mad::Guid node) {
    if (!kept_out_.restless.contains(node)) return false;
    restless_.insert(node);
    return true;
  }
  /// Ports whose error counters have been too high for hm_num_noisy_hours, of any node. True if
  /// these are others than before.
  bool set_noisy(const std::set<PortPlace>& ports);
  /// The links at NODE or NODE:PORT (as of find_node()) are isolated until release(), or are
  /// released. Returns the nodes that are to be swept. Errors: there are none, or they are not to
  /// be isolated, in words.
  tl::expected<std::vector<mad::Guid>, std::string> isolate(std::string_view name);
  tl::expected<std::vector<mad::Guid>, std::string> release(std::string_view name);
  void set_survey_bounds(const SurveyBounds& bounds) { bounds_ = bounds; }

  /// NodeGUIDs of devices that rejected something which is to be set again now, in a sweep that
  /// reads them.
  std::vector<mad::Guid> due() const {
    std::vector<mad::Guid> nodes = held_.rejected.due(client_.now());
    std::ranges::copy(held_.vl_refusals.due(client_.now()), std::back_inserter(nodes));
    return nodes;
  }
  /// NodeGUIDs of switches with ports that were quiet long enough to be used again.
  std::vector<mad::Guid> quiet() const { return health_.due(client_.now()); }

  /// The last one that was programmed; null before the first.
  std::shared_ptr<const Subnet> subnet() const { return subnet_; }

 private:
  /// A routing, and all that it depends on: while nothing of that changes, it is not computed
  /// again.
  struct Routed {
    SharedContext context;
    std::vector<std::uint8_t> facts;                    // routing_facts()
    std::shared_ptr<const routing::ChainResult> chain;  // null: there is none
    std::shared_ptr<const routing::RoutingState> state;
    std::shared_ptr<ForwardingTables> lfts;  // without LIDs of vports
    std::vector<Condition> conditions;
  };
  /// Multicast trees from before a loss, of a remembered routing. Tables share equal blocks.
  struct RememberedTrees {
    std::shared_ptr<const routing::RememberedRouting> routing;
    std::shared_ptr<const MulticastTables> tables;  // by the switches of `routing`
    std::vector<mad::Guid> centres;
  };
  /// Where trees start from.
  struct TreeStart {
    MulticastTables tables;
    std::vector<mad::Guid> centres;
  };
  TreeStart tree_start(const Fabric& fabric, const Routed& routed) const;
  void remember_trees(const Routed& routed);
  /// All that is decided before the first write.
  struct Decision {
    Subnet next;
    Target target;
    Routed routed;  // without a chain: no engine routes it
    KeptLids kept;
    std::optional<routing::MulticastRouter> router;
    std::vector<routing::MulticastGroup> groups;
    std::vector<routing::MulticastFinding> limits;  // of groups
    Findings findings;
    std::uint64_t reregistration = 0;  // of Registered
  };
  /// `vports` are decided already; routing works with the LIDs of physical ports.
  boost::asio::awaitable<Decision> decide(const SweepContext& context, Survey survey,
                                          LidMap physical, VPortDecision vports,
                                          const SweepOrder& order);
  /// Before decide_lids(): what is stored is read, and what another manager knew is taken over.
  void load_stored(const SweepContext& context);
  LidAssignment decide_lids(const SweepContext& context, const Fabric& fabric) const;
  std::vector<mad::Guid> stored_m_key_ports() const;
  /// GUIDs in the configuration, and of members in partitions of the API, that are of the other
  /// kind.
  void report_misplaced(std::vector<Condition> configured, std::vector<Condition> members);
  void update_misplaced_members(const std::vector<mad::Guid>& guids, std::vector<Condition> now);
  /// Groups and their trees, of a decision that has routes.
  boost::asio::awaitable<void> decide_trees(const SweepContext& context, Decision& decision);
  VPortDecision decide_vports(const SweepContext& context, const Fabric& fabric,
                              const LidMap& physical, const Guid2Lid& persisted,
                              std::optional<PartitionDecision> without_vports = {});
  /// What may be written while vports are read.
  enum class VPortAccess : std::uint8_t {
    look,    // nothing
    follow,  // VPortStateChange is cleared
    manage,  // vports are switched on or off, too, as the options say
  };
  boost::asio::awaitable<void> observe_vports(const SweepContext& context, const Fabric& fabric,
                                              std::vector<PortIndex> ports, VPortAccess access);
  boost::asio::awaitable<void> observe_vports_of(const SweepContext& context, const Fabric& fabric,
                                                 std::vector<PortIndex> ports, VPortAccess access);
  boost::asio::awaitable<std::vector<PortIndex>> try_models(const SweepContext& context,
                                                            const Fabric& fabric,
                                                            const std::vector<PortIndex>& ports);
  boost::asio::awaitable<void> try_model(const SweepContext& context, const Fabric& fabric,
                                         virt::Model model, const std::vector<PortIndex>& ports);
  enum class VPortTrialEnd : std::uint8_t { works, failed, link_lost, silent };
  boost::asio::awaitable<VPortTrialEnd> try_port(const SweepContext& context, const Fabric& fabric,
                                                 PortIndex port);
  using PortInfoAnswer = std::optional<mad::PortInfo>;  // nothing: no response with status 0
  boost::asio::awaitable<PortInfoAnswer> read_port_info(const Fabric& fabric, PortIndex port);
  boost::asio::awaitable<std::optional<std::uint16_t>> changed_table(const Fabric& fabric,
                                                                     PortIndex port,
                                                                     const virt::PortFacts& before,
                                                                     std::uint16_t written);
  boost::asio::awaitable<void> try_p_keys(const Fabric& fabric, const VPortTargets& targets);
  std::vector<Condition> trial_conditions() const;
  /// Ports whose vports a sweep has to look at.
  std::vector<PortIndex> vports_to_visit(const Fabric& fabric, const SweepOrder& order,
                                         std::span<const mad::Guid> read_again) const;
  /// `only_changes`: nothing is decided if these ports show what is published.
  boost::asio::awaitable<VPortEnd> run_vports(SharedContext context, std::vector<PortIndex> ports,
                                              bool only_changes = false);
  void note_outcome(const Fabric& fabric, const VPortTargets& wanted, const VPortTargets& outcome);
  RoutingStart routing_start(const SweepContext& context, const SweepOrder& order) const;
  Routed route(const SweepContext& context, const Fabric& fabric, const LidMap& physical,
               const KeptLids& kept, const SweepOrder& order, Findings& findings);
  std::vector<bool> newcomers(const Fabric& fabric) const;
  void follow_losses(const Fabric& before, const Survey& survey,
                     const std::set<mad::Guid>& restless, const config::Options& options,
                     mad::TimePoint now);
  void take_health_orders(const SweepContext& context);
  void reopen_ports(const SweepContext& context);
  struct KeptOut;
  KeptOut keep_out(const SweepContext& context, Survey& survey, mad::TimePoint now);
  PortPlace in_front_of_host(const PortPlace& place) const;
  bool use_isolated(Fabric& fabric, Findings& findings);
  static void withdraw_isolated(KeptLids& kept, const Fabric& fabric);
  boost::asio::awaitable<void> compare_with_expected(SharedContext context);
  boost::asio::awaitable<void> assign_after_p_keys(Survey& survey,
                                                   const partitions::PKeyTargets& wanted,
                                                   const std::function<void()>& assign);
  tl::expected<std::vector<PortPlace>, std::string> places_called(std::string_view name) const;
  void follow_hosts_of_vports(const Fabric& fabric, const std::vector<bool>& newcomers);
  boost::asio::awaitable<void> read_back(std::unique_ptr<StageSource> stages, const Fabric& fabric);
  boost::asio::awaitable<void> read_multicast(const SweepContext& context, const Fabric& fabric,
                                              const MulticastTables& wanted);
  void note_difference(const Subnet& subnet, const AuditItem& item,
                       std::span<const std::uint8_t, 64> data, AuditStep& step);
  bool learn_multicast(const Subnet& subnet, const AuditItem& item,
                       std::span<const std::uint8_t, 64> data);
  using BeforeStage = std::function<boost::asio::awaitable<void>()>;
  boost::asio::awaitable<ApplyReport> apply_and_log(const SweepContext& context, Fabric& fabric,
                                                    const Target& target, PlanScope scope,
                                                    BeforeStage before_ports = {},
                                                    BeforeStage before_vports = {});
  void report_unwritten(PlanScope scope, const ApplyReport& applied);
  /// Before the first write.
  void stand_findings(Decision& decision);
  /// Raises conditions of settings that ports reject or show otherwise, and of disabled ports.
  void stand_port_settings(const Fabric& fabric);
  bool note_right_table(const Subnet& subnet, const AuditItem& item,
                        std::span<const std::uint8_t, 64> data);
  boost::asio::awaitable<std::vector<Write>> read_fdr10(const SweepContext& context,
                                                        const Fabric& fabric);
  boost::asio::awaitable<void> program_fdr10(SharedContext context);
  boost::asio::awaitable<void> check_tables(const Fabric& fabric, const LidMap& lids,
                                            ApplyReport& applied);
  void forget_misplaced(const Fabric& fabric, ApplyReport& applied);
  /// On disk when it ends: nothing depends on LIDs before. See StoredState::save_lids().
  boost::asio::awaitable<void> save_lids(const SweepContext& context, const Guid2Lid& lids,
                                         bool always);
  boost::asio::awaitable<void> save_m_keys(MKeys::Files files);
  std::shared_ptr<const VlTables> vl_tables_of(const SweepContext& context,
                                               const Subnet& next) const;
  void publish_vl_tables(const SweepContext& context, Subnet& next);
  boost::asio::awaitable<std::vector<routing::MulticastGroup>> all_groups(const Subnet& subnet);
  boost::asio::awaitable<std::vector<routing::MulticastGroup>> groups_to_route(
      std::shared_ptr<const Subnet> subnet);
  std::size_t route_changed(std::vector<routing::MulticastGroup> groups);
  /// To be published. When it is not used any more, its end does not keep this thread busy.
  std::shared_ptr<const Subnet> snapshot(Subnet subnet) const;
  void publish(Subnet subnet);
  void keep_unread(const ChangingSwitches& changing, const Survey& survey);
  static void keep_known_managers(const Subnet& known, Survey& survey);
  void report_changes(std::span<const std::string> arrived);
  bool has_multicast(const SweepContext& context) const {
    return groups_ && !context.options.disable_multicast;
  }
  ApplyOptions apply_options() {
    return {.on_progress = progress_,
            .compute = [this](const std::function<void()>& work) { return compute(work); },
            .changing = &changing_};
  }
  /// Nothing else uses what belongs to sweeps meanwhile.
  boost::asio::awaitable<void> compute(const std::function<void()>& work);
  void enter(SweepPhase phase) const {
    if (on_phase_) on_phase_(phase);
  }

  mad::SmpClient& client_;
  spdlog::logger& log_;
  ConditionLog& conditions_;
  Progress progress_;
  Prepare prepare_;
  GroupSlices groups_;
  GroupSupplier changed_groups_;
  Ready ready_;
  Pause pause_;
  Compute compute_;
  std::shared_ptr<const Discard> discard_;  // null: in place
  OnPhase on_phase_;

  ChangingSwitches changing_;  // since they were surveyed
  MKeys m_keys_;
  SharedContext configured_;  // that m_keys_ has followed
  std::shared_ptr<const Subnet> subnet_;
  Routed routing_;  // that the tables of subnet_ are of
  std::vector<RememberedTrees> remembered_trees_;
  KeptLids kept_;  // of ports that subnet_ does not have
  Held held_;
  Losses losses_;
  LinkHealth health_;  // may be used by another thread while something is computed
  std::map<PortPlace, bool> health_orders_;       // of isolate() and release(), for health_
  std::optional<std::set<PortPlace>> noisy_due_;  // of set_noisy(), for health_
  std::map<PlanScope, std::map<mad::Guid, std::string>> unwritten_;  // ApplyReport::unwritten
  std::set<mad::Guid> restless_;  // of leave_to_light_sweep(), for health_
  std::set<PortPlace> noisy_;     // the latest
  struct KeptOut {
    std::vector<Isolated> isolated;
    std::vector<Condition> conditions;
    std::vector<SuspectPort> left_out;  // ports in front of isolated hosts, in order
    std::set<mad::Guid> restless;       // switches, by NodeGUID
    std::set<PortPlace> faulty;         // isolated or not
    SeenHosts seen;
  } kept_out_;  // as decided latest
  ExpectedTopology expected_;
  std::optional<routing::MulticastRouter> router_;  // trees of routed_, on the fabric of subnet_
  std::vector<routing::MulticastGroup> routed_;     // by MLID
  std::vector<routing::MulticastFinding> limits_;   // of routed_
  bool multicast_loops_ = false;                    // SM-MCAST-CREDIT-LOOP stands
  bool all_groups_due_ = true;  // a decision asked for all groups, and has not become routed_
  AuditCursor audit_;
  std::vector<mad::Guid> claimed_;           // Survey::claimed of the sweep that runs
  std::vector<Condition> p_key_conditions_;  // as standing, of end ports
  std::vector<Condition> member_guids_;      // as standing, of partitions of the API
  bool multicast_behind_ = false;            // some switch does not hold yet what it should
  /// Attributes are being written. Shared with the coroutine that writes: its frame may be
  /// destroyed after the Sweeper when the process ends.
  std::shared_ptr<bool> programming_ = std::make_shared<bool>(false);
  /// Something is computed beside this thread. Shared as programming_ is.
  std::shared_ptr<bool> computing_ = std::make_shared<bool>(false);
  std::vector<std::pair<mad::Guid, std::uint16_t>> noted_;  // note_vport_change() meanwhile
  StoredState stored_;
  std::optional<Guid2Lid> adopted_lids_;
  SuspectPorts suspects_;
  SurveyBounds bounds_;
  bool left_standby_ = false;     // since the latest program() began
  bool leaving_standby_ = false;  // until a program() succeeds
  bool cleared_changes_ = false;  // the latest survey cleared PortStateChange before it read ports
  bool reregister_vports_ = false;  // of ports whose vports run already
  bool vport_lfts_behind_ = false;  // some switch did not take the LID of some vport
  std::uint64_t clients_led_ = 0;   // by lead_clients_here(), for this Registered::reregistration
  bool first_master_sweep_ = true;
  bool surveyed_ = false;          // the fabric was seen, as master or not
  bool found_duplicates_ = false;  // of GUIDs, in the latest survey, when that was a first one
  bool in_first_survey_ = true;    // no survey before the latest one saw the fabric
};

}  // namespace sm
