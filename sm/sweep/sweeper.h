#pragma once
// Sweeps as a manager uses them: surveys, passes, and what is read or compared between them.

#include <boost/asio/awaitable.hpp>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "sm/sweep/auditor.h"
#include "sm/sweep/decide/adoption_price.h"
#include "sm/sweep/observe/single_reads.h"
#include "sm/sweep/pass.h"

namespace sm {

/// Owns State, the one value that is kept from pass to pass. Its coroutines run one after the
/// other: a pass that is requested while another one runs does nothing, and says so. Each works
/// with the context that it was given, whatever is configured at the same time.
class Sweeper {
 public:
  /// None of the references is owned.
  Sweeper(mad::SmpClient& client, spdlog::logger& log, ConditionLog& conditions,
          Administration& administration, SweepServices services = {});
  ~Sweeper() { environment_.client.set_m_keys(nullptr); }
  Sweeper(const Sweeper&) = delete;
  Sweeper& operator=(const Sweeper&) = delete;

  // ---- configuration

  /// Sets what is configured from now on; files that the operator may have edited are read again.
  void configure(const SharedContext& context);
  /// The context differs in partitions of the API alone: no file is read again.
  void set_context(SharedContext context) { state_.configured = std::move(context); }
  void set_survey_bounds(const SurveyBounds& bounds) { bounds_ = bounds; }

  // ---- passes

  /// Observe: reads what `request` says, everything without a subnet. Writes nothing, except
  /// PortStateChange of switches when `as_master`.
  boost::asio::awaitable<Survey> observe(SharedContext context, PassRequest request,
                                         bool as_master);
  /// Decide and apply: only for a master. `survey`: what observe() returned for this request;
  /// nullopt for what is decided on the published subnet.
  boost::asio::awaitable<PassResult> pass(SharedContext context, PassRequest request,
                                          std::optional<Survey> survey = {});
  /// Runs a pass up to the point where it would write, store or publish. SubnGet only. Errors: no
  /// engine routes the fabric.
  boost::asio::awaitable<tl::expected<Preview, std::string>> preview(SharedContext context,
                                                                     PassRequest request,
                                                                     Survey survey);
  /// Before a pass, when clients are served already: they learn from their ports that this manager
  /// is master (master_lid_stage()). `survey` must live until the coroutine returns.
  boost::asio::awaitable<void> lead_clients_here(SharedContext context, Survey& survey,
                                                 std::uint64_t reregistration,
                                                 mad::Lid known_manager);

  // ---- between sweeps

  /// Reads a few attributes. Descriptions and managers that changed are published; nodes whose
  /// state is not as published are returned, to be swept. Only with a subnet.
  boost::asio::awaitable<std::vector<mad::Guid>> read_single(SingleReads reads);
  /// babbling_port_policy. Only with a subnet. False: the fabric is another one than it was; the
  /// node is to be read again.
  boost::asio::awaitable<bool> disable_port(mad::Guid node, mad::PortNum number);
  /// Raises a condition while tables that were found on the fabric, or routes where links or
  /// switches were added, differ from what the engine would choose.
  boost::asio::awaitable<void> price_adoption(SharedContext context);
  /// Returns what it costs that routes stay while they fulfil the guarantees. nullopt: nothing, or
  /// no tables are programmed.
  boost::asio::awaitable<std::optional<RoutingPrice>> price_routing(SharedContext context);
  void note_balanced();
  /// SM-ROUTING-UNBALANCED after losses; nothing: routes are even, or others than before.
  void report_balance(const std::optional<Condition>& uneven);
  /// Physical ports (their GUIDs) with vports that changed, as VPortObserver::find_changed().
  boost::asio::awaitable<std::vector<mad::Guid>> find_changed_vports();
  void note_vport_change(mad::Guid port, std::uint16_t index) { vports_.note_change(port, index); }
  /// The switch with this LID has reported that a link of it changed (IBTA Vol 1, 14.2.5.1, trap
  /// 128).
  void note_link_change(mad::Lid lid) { environment_.changing.note(lid); }
  /// NodeGUIDs of devices that rejected something which is to be set again now, in a sweep that
  /// reads them.
  std::vector<mad::Guid> due() const;
  /// Ports behind which nothing is read now.
  std::vector<SuspectPort> suspects();

  // ---- other managers

  /// Hands the LIDs (none: the own ones stay) and M_Keys of another manager to the next pass.
  void adopt(Guid2Lid lids, Guid2MKey m_keys);
  /// Another manager was master until now: its LIDs are newer than ours, and tables may hold
  /// anything. The next pass begins with that; one that runs keeps what it works with.
  void expect_foreign_settings() { state_.succession.left_standby = true; }
  /// True between expect_foreign_settings() and the next pass.
  bool succeeds_another_manager() const { return state_.succession.left_standby; }
  /// The next sweep compares the fabric with this subnet, which the standby read.
  void begin_with(std::shared_ptr<const Subnet> subnet);

  /// The last one that was programmed; null before the first.
  std::shared_ptr<const Subnet> subnet() const { return state_.subnet; }
  const State& state() const { return state_; }
  /// Which M_Key a port has. The own port's GUID, as the operating system knows it, is to be set
  /// before the first sweep.
  MKeys& m_keys() { return state_.m_keys; }
  LinkSupervision& links() { return links_; }
  const LinkSupervision& links() const { return links_; }
  Auditor& auditor() { return auditor_; }

 private:
  boost::asio::awaitable<PassResult> run(SharedContext context, std::unique_ptr<Pass> pass);
  boost::asio::awaitable<tl::expected<Preview, std::string>> run_preview(
      std::unique_ptr<Pass> pass);
  boost::asio::awaitable<Survey> survey(SharedContext context, std::unique_ptr<PassRequest> request,
                                        bool as_master);
  PassParts parts() { return {environment_, state_, links_, vports_, administration_}; }
  void publish(Subnet subnet) { state_.subnet = environment_.snapshot(std::move(subnet)); }
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
  /// A coroutine of this runs. Shared with it: its frame may be destroyed after the Sweeper when
  /// the process ends.
  std::shared_ptr<bool> running_ = std::make_shared<bool>(false);
};

}  // namespace sm
