#pragma once
// Subnet administration of one manager (IBTA Vol 1, chapter 15): answers queries for records, keeps
// what clients register, and forwards notices to subscribers.
//
// A request passes five steps. on_mad() takes a MAD; segments of a request that has several MADs
// are assembled (RMPP, 13.6). RequestQueue keeps one queue for each requester, known by the LID and
// GID of the packet's headers and by nothing that the MAD claims. work() takes requesters
// in turn, for 5 ms or 256 requests, and then gives the thread to others. validate_request()
// decides what is dropped, what is refused, and what is answered. A query is answered from the
// snapshot, in slices if it is long (TableAnswers); a request that writes changes Registrations,
// and its response waits in Commits until the journal has the change.
//
// The administrator is in one of four states, by the calls of its manager:
//   silent     No subnet is published: before the first publish(), and after stand_down(). Requests
//              are dropped, since the master is elsewhere or not known yet; registrations stay.
//   draft      publish(Publication::draft): tables are written, and ports become Active one after
//              the other. Each is served as soon as it can send; subscribers are not notified yet.
//   answering  publish() of any other kind. Publication::programmed reports which ports came and
//              went; Publication::same changes neither ports nor LIDs.
//   retired    retire(), after a HANDOVER: queries are answered as before, and what writes is
//              dropped, so that its client repeats it at the new master.
// Before the multicast tables of a subnet are decided, prepare() brings the registrations up to
// date: those of the files at the first call, those of another manager after adopt(), and what
// ports that are gone have registered is forgotten. After take_over() members count as stale, and
// are dropped if they do not register again after ClientReregister (kReregistration).
//
// Guarantees. A response comes from one published subnet and the context that it was made with, and
// never waits for a sweep. A registration is on disk before its response is sent, and before trees
// follow it. What may succeed when it is repeated is dropped and counted, never refused: Linux
// clients take a status other than 0 as final (README.md, Status or silence). What one client can
// fill is bounded, for each port and for all vports of a port together. No client withdraws what
// another one registered for itself, unless it shows the SM_Key.

#include <spdlog/logger.h>

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "fabric/subnet.h"
#include "mad/smp_client.h"
#include "routing/multicast/multicast_groups.h"
#include "sm/conditions/condition_log.h"
#include "sm/context/sweep_context.h"
#include "sm/events/manager_events.h"
#include "sm/sa/alias_writer.h"
#include "sm/sa/commits.h"
#include "sm/sa/notices.h"
#include "sm/sa/paths/path_index.h"
#include "sm/sa/paths/recent_ends.h"
#include "sm/sa/query/answer.h"
#include "sm/sa/registrations/registrations.h"
#include "sm/sa/registrations/requests.h"
#include "sm/sa/registrations/subscriptions.h"
#include "sm/sa/request_queue.h"
#include "sm/sa/request_validation.h"
#include "sm/sa/statistics.h"
#include "sm/sa/table_answers.h"
#include "sm/sa/transfers.h"
#include "sm/store/guid2lid.h"

namespace sa {

/// The manager's services for subnet administration.
struct ManagerServices {
  std::function<mad::SmInfo()> own_sm;  // this manager's SMInfo
  std::function<UnixTime()> wall_clock;
  /// Returns the LIDs of ports, including absent ones. May be empty.
  std::function<const sm::Guid2Lid*()> guid2lid = {};
  /// Gets GroupsChanged and RegistrationsStored. Not owned; may be null.
  sm::EventListener* events = nullptr;
};

/// Holds registrations of another manager's clients, from the replicated state.
struct AdoptedState {
  Registrations registrations;
  mad::Lid manager_lid;   // of that manager; registrations with yet another one are not among them
  bool complete = false;  // false: clients have to register again
};

using sm::Publication;

class Administrator final : private TableAnswers::Owner {
 public:
  /// After a change of the master, members have this long after ClientReregister to register again,
  /// or they are dropped. IPoIB repeats a failed join after 16 s at the latest.
  static constexpr mad::Duration kReregistration = std::chrono::seconds(30);

  /// `context` is valid until the first subnet is published. None of the references is owned.
  Administrator(mad::Runtime& runtime, mad::MadTransport& transport, mad::SmpClient& client,
                spdlog::logger& log, sm::ConditionLog& conditions, sm::SharedContext context,
                ManagerServices services);
  ~Administrator();
  Administrator(const Administrator&) = delete;
  Administrator& operator=(const Administrator&) = delete;

  /// Reads the registrations of earlier runs from disk; prepare() uses them. Call it once, before
  /// the first prepare(), on any thread as long as prepare() has not begun.
  void read_files(const config::Options& options);
  bool has_read_files() const;

  /// Prepares the registrations before the multicast tables of a subnet are decided. It reads them
  /// from disk (once), updates groups from the partitions, and drops registrations of absent ports.
  /// Requests still use the latest published subnet and context.
  void prepare(const fabric::Subnet& subnet, const sm::SweepContext& context);
  /// Answers requests from this subnet from now on. `context` belongs to it, so that a request
  /// meets both old or both new; Publication::same keeps the previous context.
  void publish(std::shared_ptr<const fabric::Subnet> subnet, sm::SharedContext context,
               Publication kind);
  /// Returns the alias GUIDs of ports that may have lost them: the ports are new, or in Init.
  /// Blocks that clients change until the subnet is published are written again.
  std::vector<AliasWrite> lost_aliases(const fabric::Subnet& draft) {
    return alias_writer_.lost(draft);
  }
  bool is_answering() const { return subnet_ != nullptr && !retired_; }
  /// Handles a handover to another manager that clients do not know yet. Until stand_down(),
  /// requests that only read are answered as before, and requests that write are dropped. The
  /// clients repeat them to the port that MasterSMLID then names.
  void retire();
  bool is_retired() const { return retired_; }
  /// Stops answering requests, as another manager is master, or none.
  void stand_down();
  /// Takes over from another manager, whose clients' registrations are unknown here.
  void take_over(const sm::SweepContext& context);
  /// Makes the next prepare() start from this, not from registrations in memory and local files.
  void adopt(AdoptedState adopted) { adopted_ = std::move(adopted); }

  /// Adds what clients registered with another MASTER before this one knew it: lines of the
  /// journal, groups before their members. Members of unknown groups are left out.
  void merge(std::span<const std::string> lines);

  /// Writes opensm-sa.dump, with sa_db_dump, if registrations changed since the last time. Call it
  /// periodically, and at the end.
  void dump();

  /// Handles any MAD of class subnet administration, including its own that are returned.
  void on_mad(const mad::ReceivedMad& received);
  /// Reports a trap that this manager received to the subscribers, too.
  void on_trap(const mad::Notice& notice, mad::Lid issuer) { notices_.on_trap(notice, issuer); }

  /// Appends some groups with their members, for the trees of this subnet, from MLID `first` on (0:
  /// from the beginning). One call takes a millisecond or two. Returns the next MLID, or nullopt
  /// after the last one. A group that changes between the calls counts as changed.
  std::optional<mad::Mlid> append_groups_for_routing(const fabric::Subnet& subnet, mad::Mlid first,
                                                     std::vector<routing::MulticastGroup>& groups);
  /// Returns the groups that have changed since the last call of either function, including groups
  /// without members.
  std::vector<routing::MulticastGroup> changed_groups_for_routing(const fabric::Subnet& subnet);
  /// Returns a number that is not 0 if all clients must register again, since another manager was
  /// master. Each new reason gives another number.
  std::uint64_t reregistration() const { return reregistration_; }
  /// Returns the end ports of this subnet, the latest that was prepared, whose clients must
  /// register again (AcknowledgedPorts).
  std::vector<mad::Guid> unacknowledged(const fabric::Subnet& draft) const {
    return registrations_.acknowledged.find_others(draft.fabric);
  }
  /// Takes the outcome of a pass that has set ClientReregister. `acknowledged` are the end ports of
  /// its subnet whose clients have nothing to register again. Ends the reregistration with this
  /// number. Does nothing if a newer one has begun.
  void clients_reregister(std::uint64_t reregistration, std::span<const mad::Guid> acknowledged);
  /// Returns the LID of the manager of adopted registrations, until a subnet is published; else 0.
  mad::Lid known_manager() const { return known_manager_; }
  const Registrations& registrations() const { return registrations_; }
  Registrations& registrations() { return registrations_; }
  /// True if the local files have all registrations.
  bool is_on_disk() const { return commits_.is_on_disk(); }
  /// True if the disk did not take the latest changes.
  bool lacks_disk() const { return commits_.is_failing(); }
  const Statistics& statistics() const { return statistics_; }
  /// Counts the requests that wait.
  std::size_t queue_length() const { return queue_.size(); }
  const Transfers& transfers() const { return transfers_; }
  const TableAnswers& tables() const { return tables_; }
  const ReportSender& reports() const { return notices_.sender(); }

 private:
  void publish_same(std::shared_ptr<const fabric::Subnet> subnet);
  void answer_from(std::shared_ptr<const fabric::Subnet> subnet, sm::SharedContext context);
  void enqueue(const mad::ReceivedMad& received, std::vector<std::uint8_t> rest = {});
  void take_segment(const mad::ReceivedMad& received);
  void schedule();
  void work();
  void answer(const Waiting& waiting);
  struct Files;
  void begin_with(Files files);
  void begin_with(AdoptedState adopted, const fabric::Fabric& fabric,
                  const config::Options& options);
  void mark_members_stale();
  void drop_stale_members();
  void restore_dump(const fabric::Subnet& subnet, const config::Options& options);
  void answer_reading(const Waiting& waiting, const Query& query, const RecordType& type);
  void drop_returned_aliases(mad::Guid port_guid);
  void begin_purge(const fabric::Subnet& subnet, const config::Options& options, Absent absent);
  void purge_slice(const fabric::Subnet& subnet, const config::Options& options);
  void continue_purge();
  bool has_purge_work() const { return purge_ && purge_->is_published && subnet_; }
  void answer_writing(const Waiting& waiting, const Query& query, Write write);
  void log_outcome(const mad::ReceivedMad& received, const Outcome& outcome);
  void log_refusal(const mad::ReceivedMad& received, const std::string& text);
  void finish_writing(const mad::ReceivedMad& received, mad::TimePoint came,
                      const Outcome& outcome);
  void refuse(const mad::ReceivedMad& received, std::uint16_t status) override;
  void drop(const mad::ReceivedMad& received, Drop reason) override;
  void send_record(const Waiting& waiting, const ResponseBuffer& response) override;
  void report_drop(const mad::ReceivedMad& received, Drop reason);
  void count(const mad::ReceivedMad& received, RequestEnd end);
  void count_written(const mad::MadBytes& response, RequestEnd end);
  void answered(const mad::ReceivedMad& received, mad::TimePoint came) override;
  void commit();
  void committed();
  void on_lease_timer();
  void arm_leases();
  View view();
  void note_recent_ends(const fabric::Subnet& after);

  /// Returns the subnets with which requests are validated.
  Answering answering() const {
    return {subnet_.get(), converged_.get(), &registrations_.alias_guids};
  }
  /// Returns the end that sent the MAD: the physical port if the source GID is not at the port with
  /// the source LID; port kNoIndex if no port has that LID.
  fabric::EndPoint requester_end(const mad::ReceivedMad& received) const;
  std::string requester_name(const mad::ReceivedMad& received) const;
  /// Returns the client that sent the MAD. All LIDs without an end port share Client{}.
  Client requester(const mad::ReceivedMad& received) const;
  void update_vports(const fabric::Subnet* before);
  const sm::Guid2Lid* guid2lid() const {
    return services_.guid2lid ? services_.guid2lid() : nullptr;
  }

  mad::Runtime& runtime_;
  mad::MadTransport& transport_;
  spdlog::logger& log_;
  sm::ConditionLog& conditions_;
  ManagerServices services_;

  sm::SharedContext context_;  // that subnet_ was made with
  std::shared_ptr<const fabric::Subnet> subnet_;
  std::shared_ptr<const fabric::Subnet>
      converged_;                           // published last; differs from a draft in subnet_
  std::shared_ptr<const PathIndex> paths_;  // keeps the subnet that it was made of
  RecentEnds recent_;
  struct Purge {
    Absent absent{};
    PurgePosition position{};
    bool is_published = false;  // subnet_ is that of the purge, or later
  };
  std::optional<Purge> purge_;
  mad::SmInfo own_sm_;
  std::shared_ptr<const fabric::VPorts> applied_vports_;  // registrations are those of these
  Registrations registrations_;
  std::shared_ptr<Files> files_;  // read, and not yet in registrations_
  std::optional<AdoptedState> adopted_;
  mad::Lid known_manager_;
  bool loaded_ = false;
  bool retired_ = false;
  void want_reregistration() { reregistration_ = ++reregistrations_; }

  std::uint64_t reregistration_ = 0, reregistrations_ = 0;
  AliasWriter alias_writer_;
  Commits commits_;
  RequestQueue queue_;
  Transfers transfers_;
  TableAnswers tables_;
  Notices notices_;
  Assemblies assemblies_;
  ResponseBuffer response_;
  bool scheduled_ = false;
  bool lacks_room_ = false;  // the request that is being answered is a Get that waits for room
  bool wrote_ = false;       // something may have changed since the last commit
  std::unique_ptr<mad::Timer> lease_timer_, stale_timer_;
  Statistics statistics_;
  std::uint64_t changes_ = 0,
                dumped_changes_ =
                    0;  // commits that wrote something, and how many of them the dump has
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(
      true);  // what is posted, or waits for an answer, checks it before it uses this
};

}  // namespace sa
