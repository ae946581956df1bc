#pragma once
// One sweep: observe, decide, apply. The sweep itself is Sweeper::program(), and reads as one page.

#include <spdlog/logger.h>

#include <boost/asio/awaitable.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "fabric/subnet.h"
#include "mad/smp_client.h"
#include "routing/core/routing_state.h"
#include "routing/multicast/multicast.h"
#include "sm/conditions/condition_log.h"
#include "sm/context/sweep_context.h"
#include "sm/store/guid2lid.h"
#include "sm/sweep/apply.h"
#include "sm/sweep/changes.h"
#include "sm/sweep/discovery.h"
#include "sm/sweep/lane_program.h"
#include "sm/sweep/lids.h"
#include "sm/sweep/multicast_memory.h"
#include "sm/sweep/plan.h"
#include "sm/sweep/table_memory.h"

namespace sm {

struct SweepOrder {
  bool everything = true;          // false: only what `changed` can have touched
  std::vector<mad::Guid> changed;  // NodeGUIDs
  bool trust_tables = true;        // false: switches' tables are read back before they are compared
  std::string why;                 // for the log
};

enum class SweepEnd : std::uint8_t {
  subnet_up,  // everything that was to be written is written
  errors,     // something was not, or could not be computed: worth another sweep soon
  fatal,      // duplicate GUIDs, and exit_on_fatal
};

struct SweepResult {
  SweepEnd end = SweepEnd::errors;
  std::vector<mad::Guid> look_again;  // nodes that left something unanswered
};

/// How programming multicast between two sweeps ended.
struct MulticastEnd {
  std::size_t groups_changed = 0;
  std::size_t writes = 0;  // acknowledged
  bool again = false;  // something was not written, or a sweep was running: to be called again soon
};

/// What a Sweeper keeps from sweep to sweep: the published subnet, what tables hold, which LIDs
/// were given. Its coroutines run one after the other, but for what program_multicast() says; each
/// works with the context that it was given, whatever is configured meanwhile.
class Sweeper {
 public:
  using Progress = std::function<void(std::string_view what, std::size_t done, std::size_t total)>;

  /// None of the references is owned.
  Sweeper(mad::SmpClient& client, spdlog::logger& log, ConditionLog& conditions, Progress progress);

  /// Observe. Writes nothing, but for PortStateChange of switches when `as_master`.
  /// `order` must live until the coroutine returns.
  boost::asio::awaitable<Survey> observe(SharedContext context, const SweepOrder& order,
                                         bool as_master);
  /// Decide and apply: only for a master. `order` must live until the coroutine returns.
  boost::asio::awaitable<SweepResult> program(SharedContext context, Survey survey,
                                              const SweepOrder& order);

  /// After a sweep, when nothing but the partitions changed: decides them again on the subnet that
  /// was published, and applies what differs.
  boost::asio::awaitable<SweepResult> repartition(SharedContext context);
  /// After a sweep, when nothing but qos_*_sl2vl and qos_*_vlarb_* changed: writes the tables that
  /// are to be others now.
  boost::asio::awaitable<SweepResult> remap(SharedContext context);
  /// Told in every sweep, once LIDs and partitions are decided and before anything else is written.
  /// True: ClientReregister is to be set on all end ports.
  using Prepare = std::function<bool(const Subnet& draft, const SweepContext& context)>;
  void set_prepare(Prepare prepare) { prepare_ = std::move(prepare); }
  /// Who is in which multicast group, in terms of the subnet that it is given. Asked in every sweep
  /// and by program_multicast(); without one, multicast tables are left alone. MLIDs may repeat.
  using GroupSupplier = std::function<std::vector<routing::MulticastGroup>(const Subnet& subnet)>;
  void set_groups(GroupSupplier groups) { groups_ = std::move(groups); }
  /// Somebody joined or left: brings the tables of the published subnet up to date and publishes it
  /// anew. Only MLIDs whose members changed are routed again. Only for a master, and not while a
  /// sweep is running (then it does nothing: the sweep requests the groups itself, and the call
  /// is to be repeated after it).
  boost::asio::awaitable<MulticastEnd> program_multicast(SharedContext context);

  /// Another manager was master until now: its LIDs are newer than ours, and tables may hold
  /// anything. The next program() begins with that.
  void leave_standby();

  /// The last one that was programmed; null before the first.
  std::shared_ptr<const Subnet> subnet() const { return subnet_; }

 private:
  void publish(Subnet subnet);
  static void keep_known_managers(const Subnet& known, Survey& survey);
  void load_stored_state(const SweepContext& context);
  void report_changes(const Fabric& fabric);
  LidAssignment decide_lids(const SweepContext& context, const Fabric& fabric);
  static void decide_partitions(const SweepContext& context, const Fabric& fabric, Target& target);
  bool decide_tables(const SweepContext& context, const Fabric& fabric, Target& target);
  boost::asio::awaitable<std::size_t> write_lanes(const SweepContext& context, Subnet& next);
  void follow_lanes(const SweepContext& context, const Subnet& next, const SweepOrder& order);
  void tell(const ApplyReport& applied);
  void remember(const SweepContext& context, const Guid2Lid& guid2lid);
  void follow_tables(const Survey& survey, const SweepOrder& order);
  void write_files(const SweepContext& context, const Fabric& fabric, const LidMap& lids);
  bool has_multicast(const SweepContext& context) const {
    return groups_ && !context.options.disable_multicast;
  }
  ApplyOptions apply_options(const SweepContext& context) const {
    return {.m_key = mad::MKey{context.options.m_key}, .on_progress = progress_};
  }
  boost::asio::awaitable<std::size_t> sweep_multicast(const SweepContext& context, Subnet& next,
                                                      Target& target);
  void keep_from_credit_loops(const Subnet& next, const SwitchGraph& graph,
                              const ForwardingTables& lfts,
                              const std::vector<routing::MulticastGroup>& groups);
  std::size_t route_changed(std::vector<routing::MulticastGroup> groups);
  boost::asio::awaitable<struct MulticastReport> write_multicast(const SweepContext& context,
                                                                 Fabric& fabric,
                                                                 const SwitchGraph& graph);
  /// `of_all_groups`: what is not among the findings no longer stands.
  void report(const std::vector<routing::MulticastFinding>& findings, const Fabric& fabric,
              bool of_all_groups);

  mad::SmpClient& client_;
  spdlog::logger& log_;
  ConditionLog& conditions_;
  Progress progress_;

  std::shared_ptr<const Subnet> subnet_;
  std::shared_ptr<const routing::RoutingState> routing_memory_;  // of the tables of subnet_
  Losses losses_;
  TableMemory memory_;
  VlTables lanes_;
  LaneRefusals lane_refusals_;
  Prepare prepare_;
  GroupSupplier groups_;
  MulticastMemory multicast_;
  std::optional<routing::MulticastRouter> router_;  // trees of routed_, on the fabric of subnet_
  std::vector<routing::MulticastGroup> routed_;     // by MLID
  bool multicast_behind_ = false;                   // some switch does not hold yet what it should
  /// Something is being written. Shared with the coroutine that writes: its frame may be destroyed
  /// after the Sweeper when the process ends.
  std::shared_ptr<bool> programming_ = std::make_shared<bool>(false);
  Guid2Lid guid2lid_;
  /// Of the last subnet before this start: what was out of reach then has lost its registrations.
  std::optional<std::set<mad::Guid>> stored_neighbors_;
  RefusedSettings refused_;
  bool loaded_ = false;
  bool left_standby_ = false;     // since the latest program() began
  bool leaving_standby_ = false;  // until a program() succeeds
  bool cleared_changes_ = false;  // the latest survey cleared PortStateChange before it read ports
  bool first_master_sweep_ = true;
  bool store_failed_ = false;  // the LID map on disk is not the one in use
};

}  // namespace sm
