#pragma once
// Sweeps as a manager uses them: surveys, passes, and reads and comparisons between them.

#include <boost/asio/awaitable.hpp>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "sm/sweep/auditor.h"
#include "sm/sweep/decide/adoption_price.h"
#include "sm/sweep/devices/key_origins.h"
#include "sm/sweep/observe/single_reads.h"
#include "sm/sweep/pass.h"

namespace sm {

/// Holds what was noted about origins of P_Keys since the latest pass.
struct NotedOrigins {
  bool is_explained = false, has_lost_partitions = false;
  std::vector<partitions::MembershipKey> withdrawn = {};
  partitions::KeptKeys adopted = {};
};

/// Owns State, the one value that lasts from pass to pass. Its coroutines run one after the other:
/// a pass that is requested while another one runs does nothing, and its result says so. Each works
/// with the context that it was given, even if the configuration changes while it runs.
class Sweeper {
 public:
  /// The sweeper owns none of the references.
  Sweeper(mad::SmpClient& client, spdlog::logger& log, ConditionLog& conditions,
          Administration& administration, SweepServices services = {});
  ~Sweeper() { environment_.client.set_m_keys(nullptr); }
  Sweeper(const Sweeper&) = delete;
  Sweeper& operator=(const Sweeper&) = delete;

  // ---- configuration

  /// Sets the configuration from now on; reads files again that the operator may have edited.
  void configure(const SharedContext& context);
  /// Sets a context that differs in partitions of the API alone, and reads no file again.
  void set_context(SharedContext context) { state_.configured = std::move(context); }
  void set_survey_bounds(const SurveyBounds& bounds) { bounds_ = bounds; }

  // ---- passes

  /// Observes: reads what `request` says, or everything if there is no subnet. Writes nothing,
  /// except PortStateChange of switches if `as_master`.
  boost::asio::awaitable<Survey> observe(SharedContext context, PassRequest request,
                                         bool as_master);
  /// Decides and applies; only a master calls this. `survey` is what observe() returned for this
  /// request; nullopt if the pass decides on the published subnet.
  boost::asio::awaitable<PassResult> pass(SharedContext context, PassRequest request,
                                          std::optional<Survey> survey = {});
  /// Runs a pass up to the point where it would write, store or publish. SubnGet only. Errors: no
  /// engine routes the fabric.
  boost::asio::awaitable<tl::expected<Preview, std::string>> preview(SharedContext context,
                                                                     PassRequest request,
                                                                     Survey survey);
  /// Reports to end ports that this manager is master (master_lid_stage()), before a pass, if the
  /// manager serves clients already. `survey` must live until the coroutine returns.
  boost::asio::awaitable<void> announce_master(SharedContext context, Survey& survey,
                                               std::uint64_t reregistration,
                                               mad::Lid known_manager);

  // ---- between sweeps

  /// Reads a few attributes. Publishes descriptions and managers that changed. Returns the nodes to
  /// sweep, whose state or P_Key tables differ from the published ones. Requires a subnet.
  boost::asio::awaitable<std::vector<mad::Guid>> read_single(SingleReads reads);
  /// Publishes the SMInfo of other managers, which a light sweep of the published subnet has read.
  /// Returns false if no state, priority or GUID has changed. Requires a subnet.
  bool note_managers(std::span<const OtherSm> read);
  /// Disables a port, as babbling_port_policy says. Requires a subnet. Returns false if the port
  /// could not be disabled; then the caller reads the node again.
  boost::asio::awaitable<bool> disable_port(mad::Guid node, mad::PortNum number);
  /// Raises a condition while tables that were found on the fabric, or routes where links or
  /// switches were added, differ from what the engine would choose.
  boost::asio::awaitable<void> price_adoption(SharedContext context);
  /// Returns the cost of keeping routes that fulfil the guarantees; nullopt if it costs nothing, or
  /// no tables are programmed.
  boost::asio::awaitable<std::optional<RoutingPrice>> price_routing(SharedContext context);
  /// Returns whether a sweep with PassRequest::removes_conflicts would move routes.
  boost::asio::awaitable<bool> has_removable_conflicts(SharedContext context);
  /// Writes again what the disk did not take (StoredState::has_failed()), and reports what it still
  /// does not take. Requires a subnet.
  boost::asio::awaitable<void> store_again(SharedContext context);
  void note_balanced();
  /// Raises SM-ROUTING-UNBALANCED after losses, or ends it if routes are even or have changed.
  void report_balance(const std::optional<Condition>& uneven);
  /// Returns the physical ports (their GUIDs) with vports that changed, as
  /// VPortObserver::find_changed() does.
  boost::asio::awaitable<std::vector<mad::Guid>> find_changed_vports();
  void note_vport_change(mad::Guid port, std::uint16_t index) { vports_.note_change(port, index); }
  /// Notes that the switch with this LID has reported a changed link (IBTA Vol 1, 14.2.5.1, trap
  /// 128).
  void note_link_change(mad::Lid lid) { environment_.changing.note(lid); }
  /// Returns the NodeGUIDs of devices that rejected a setting and whose retry is due, for a sweep
  /// that reads them.
  std::vector<mad::Guid> due() const;
  /// Returns the ports behind which nothing is read now.
  std::vector<SuspectPort> suspects();

  // ---- other managers

  /// Passes the LIDs (if empty, the own ones stay) and M_Keys of another manager to the next pass.
  void adopt(Guid2Lid lids, Guid2MKey m_keys);
  /// Adopts numbers of groups of adaptive routing; switches that it does not name keep theirs.
  void adopt_group_ids(GroupIds ids) { state_.succession.group_ids = std::move(ids); }
  /// Notes that another manager was master until now: its LIDs are newer than the own ones, and
  /// tables may hold anything. The next pass begins with that; a pass that runs keeps its inputs.
  void expect_foreign_settings() {
    state_.succession.left_standby = true;
    noted_.is_explained = false;
    noted_.withdrawn.clear();
  }
  /// Notes that a store of all managers has all partitions of the API: no P_Key that the next
  /// survey finds is of unknown origin. Later ones may be: managers that do not reach each other
  /// both lead.
  void explain_p_keys() { noted_.is_explained = true; }
  /// Takes the P_Keys that the former MASTER has kept.
  void adopt_kept(std::span<const partitions::KeptKey> kept) {
    noted_.adopted.insert(noted_.adopted.end(), kept.begin(), kept.end());
  }
  /// Notes that these memberships have ended: the next pass keeps no such P_Key.
  void withdraw(std::span<const partitions::MembershipKey> ended) {
    noted_.withdrawn.insert(noted_.withdrawn.end(), ended.begin(), ended.end());
  }
  /// Takes what the file of origins of P_Keys has, once, before the first pass. Without this call
  /// the first pass reads the file.
  void take_key_origins(LoadedKeyOrigins loaded) {
    sm::take_key_origins(std::move(loaded), state_, environment_.log);
  }
  /// Notes that the journal of partitions has lost lines, or a predecessor's partitions are not
  /// all known.
  void note_lost_partitions() { noted_.has_lost_partitions = true; }
  /// True between expect_foreign_settings() and the next pass.
  bool succeeds_another_manager() const { return state_.succession.left_standby; }
  /// Returns the end ports of the published subnet (PortGUIDs) whose clients have nothing to
  /// register again: they have acknowledged a ClientReregister that was due, with their vports, or
  /// cannot get any. Requires a subnet.
  std::vector<mad::Guid> acknowledged(const config::Options& options) const;
  /// Makes the next sweep compare the fabric with this subnet, which the standby read.
  void begin_with(std::shared_ptr<const Subnet> subnet);

  /// Returns the subnet that was programmed last; null before the first.
  std::shared_ptr<const Subnet> subnet() const { return state_.subnet; }
  const State& state() const { return state_; }
  /// Returns the store of M_Keys by port. The own port's GUID, as the operating system reports it,
  /// must be set before the first sweep.
  MKeys& m_keys() { return state_.m_keys; }
  LinkSupervision& links() { return links_; }
  const LinkSupervision& links() const { return links_; }
  Auditor& auditor() { return auditor_; }

 private:
  boost::asio::awaitable<PassResult> run(SharedContext context, std::unique_ptr<Pass> pass);
  boost::asio::awaitable<tl::expected<Preview, std::string>> run_preview(
      SharedContext context, std::unique_ptr<Pass> pass);
  boost::asio::awaitable<Survey> survey(SharedContext context, std::unique_ptr<PassRequest> request,
                                        bool as_master);
  PassParts parts() { return {environment_, state_, links_, vports_, administration_}; }
  boost::asio::awaitable<bool> forget_origins_are_complete(SharedContext context);
  void take_noted(const SweepContext& context, bool is_sweep);
  void publish(Subnet subnet) { state_.subnet = environment_.snapshot(std::move(subnet)); }
  std::vector<mad::Guid> take_changing(const Fabric& fabric);
  void keep_reported(const Fabric& fabric, const std::set<mad::Guid>& reported, Survey& survey);
  void keep_unread(const ChangingSwitches& changing, const Survey& survey);
  boost::asio::awaitable<void> compare_with_expected(SharedContext context);

  SweepEnvironment environment_;
  Administration& administration_;
  State state_;
  LinkSupervision links_;
  VPortObserver vports_;
  Auditor auditor_;
  SuspectPorts suspects_;
  SurveyBounds bounds_;
  NotedOrigins noted_;  // for the next pass, while one may run
  /// True while a coroutine of this sweeper runs. Coroutines share the flag: a frame may be
  /// destroyed after the Sweeper when the process ends.
  std::shared_ptr<bool> running_ = std::make_shared<bool>(false);
};

}  // namespace sm
