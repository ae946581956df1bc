#pragma once
// Mastership decides which state of the SMInfo state machine the manager is in.

#include <spdlog/logger.h>

#include <boost/asio/awaitable.hpp>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "mad/backoff.h"
#include "mad/smp.h"
#include "mad/smp_client.h"
#include "sm/conditions/condition_log.h"
#include "sm/election/election.h"
#include "sm/election/known_managers.h"
#include "sm/events/manager_events.h"
#include "sm/manager/counted_sends.h"
#include "sm/manager/manager_loop.h"
#include "sm/manager/master_links.h"
#include "sm/manager/port_watch.h"
#include "sm/manager/standby_view.h"
#include "sm/manager/write_guard.h"
#include "sm/sa/administrator.h"
#include "sm/store/replica/marks.h"
#include "sm/sweep/sweeper.h"

namespace sm {

/// Carries out the SMInfo state machine of IBTA Vol 1, 14.4.1, by the table of
/// sm/election/state_machine.h, whose rows define the reaction to each event; enter() is the only
/// place where the state changes.
///
/// NOT-ACTIVE (sm_inactive, or DISABLE): wait_while_inactive() waits for a request of another
/// manager. DISCOVERING: the loop sweeps, and leads_after() decides by the survey. If it found no
/// MASTER and no manager of higher rank, the manager is MASTER, and that sweep programs the subnet.
/// STANDBY: poll_master() polls the SMInfo of the MASTER, and a StandbyView reads the subnet, until
/// the MASTER fails or hands over. MASTER: each survey and light sweep compares the other managers
/// again; one of higher rank gets HANDOVER (hand_over()), and a second MASTER of lower rank is
/// asked for one (await_handover()). Where ports answer only to keys that follow from their
/// PortGUIDs, subnet administration of the MASTER names the links (learn_links(), MasterLinks).
///
/// Guarantees: a MASTER that did not run for some time writes nothing before it knows that it still
/// leads (WriteGuard). A manager that does not do its part is passed over for some time
/// (PassedOver), so that the subnet does not stay without a MASTER. After a HANDOVER subnet
/// administration answers read-only requests until clients know the new MASTER. Whenever another
/// manager may have written, everything is surveyed again (survey_after_another(), take_over()).
class Mastership final : private WriteGuard::Owner, private PortWatch::Owner {
 public:
  /// Parts of the manager that Mastership uses. None is owned.
  struct Parts {
    mad::Runtime& runtime;
    mad::MadTransport& transport;
    spdlog::logger& log;
    ConditionLog& conditions;
    mad::SmpClient& client;
    CountedSends& sends;
    ManagerLoop& loop;
    Sweeper& sweeper;
    sa::Administrator& administrator;
    EventListener& events;
    std::function<std::chrono::sys_seconds()> wall_clock;
  };
  /// `self` is the configured rank; surveys correct the GUID. With `others_in_process`, a PortWatch
  /// reads the link of the own port, so that another manager of this process can take over at once.
  Mastership(const Parts& parts, SmRank self, bool others_in_process);

  // ---- what it knows

  mad::SmState state() const { return state_; }
  bool leads() const { return state_ == mad::SmState::master; }
  mad::Guid port_guid() const { return self_.guid; }
  /// Returns the rank of this manager; master_sm_priority raises the priority of a MASTER.
  SmRank own_rank() const;
  /// Returns the SMInfo that this manager presents.
  mad::SmInfo own_sm_info() const;
  const std::vector<KnownManager>& others() const { return known_.list(); }
  const std::optional<FabricView>& standby_view() const { return standby_view_.latest(); }
  /// Returns an error if this manager is not MASTER.
  tl::expected<void, std::string> require_master() const;

  // ---- the loop

  /// Enters the first state.
  void begin();
  /// Waits until a request of another manager arrives. A survey shows whether it came from the
  /// MASTER.
  boost::asio::awaitable<void> wait_while_inactive();
  /// Polls the SMInfo of the MASTER once, and takes over if it is silent, or not MASTER, for too
  /// long.
  boost::asio::awaitable<void> poll_master();
  /// Applies the options of a reload, which are in force. `before` are the previous options.
  void configured(const config::Options& before);
  /// Resigns and changes the state, because the link of the own port is down.
  void port_is_down();
  /// Announces that the manager can no longer lead. Other managers in this process survey, and lead
  /// only if no MASTER answers.
  void resign();
  /// Called when the loop has ended.
  void end();

  // ---- sweeps

  void set_port_guid(mad::Guid guid) { self_.guid = guid; }
  /// Queries subnet administration of the MASTER that the own port names before a survey, if ports
  /// answer only to keys that follow from their PortGUIDs: the survey could find no other manager
  /// without them. Once after each start, and after each survey that found no node.
  boost::asio::awaitable<void> learn_links();
  /// Notes whether the latest survey found any node behind the own port.
  void note_silence(bool is_silent) { asks_for_links_ = asks_for_links_ || is_silent; }
  /// True if Sets are sent: this manager is MASTER, and no stall has made that uncertain.
  bool may_write() const { return leads() && !write_guard_.is_closed(); }
  WriteGuard& write_guard() { return write_guard_; }
  /// Decides after a survey; true if this manager is MASTER and programs the subnet by it.
  boost::asio::awaitable<bool> leads_after(Survey& survey);
  /// Compares the managers whose SMInfo was read between sweeps; `sms` are ports of `subnet`.
  boost::asio::awaitable<void> compare_managers(std::shared_ptr<const Subnet> subnet,
                                                std::vector<OtherSm> sms);
  /// Takes the standby's view, from which clients are answered until the first sweep has decided.
  /// Returns nullopt if many of its ports have disappeared, or if the former MASTER has changed
  /// LIDs since, so that a request would count as another port's.
  std::optional<FabricView> take_standby_view(const Fabric& surveyed);

  /// Returns when another manager has last answered as MASTER to a poll of this STANDBY.
  const std::optional<MasterAnswer>& master_answered() const { return master_answered_; }

  // ---- orders

  /// Sets the priority until a reload or the end of the process, in place of sm_priority. A STANDBY
  /// that outranks the MASTER by it asks the MASTER to hand over.
  void set_priority(std::uint8_t priority);
  void reload_priority(std::uint8_t priority) { self_.priority = priority; }
  /// Handles the resignation of the manager of this process at `port`. If this one is its standby,
  /// it surveys at once.
  void master_resigned(mad::Guid port);

  // ---- MADs

  /// Returns whether the response, or the own request that was returned, belongs to a request of
  /// Mastership.
  bool take_response(const mad::ReceivedMad& received);
  /// Returns whether this MAD of class subnet administration belongs to a query of Mastership.
  bool take_records(const mad::ReceivedMad& received) { return links_.on_mad(received); }
  /// Handles a Get or Set of SMInfo.
  void on_sm_info(const mad::ReceivedMad& received, mad::ConstSmpView smp);

 private:
  // States
  void enter(mad::SmState state);
  ElectionDecision decide_election(const Fabric& fabric, std::span<const OtherSm> sms);
  void list_managers(const Fabric& fabric, std::span<const OtherSm> sms,
                     std::span<const OtherSm> trusted);
  void detect_former_masters(std::span<const OtherSm> trusted);
  void take_over(const SmRule& rule, std::string why);
  void survey_after_another(std::string why);
  void set_active(bool active);

  // Handover
  boost::asio::awaitable<bool> hand_over(OtherSm to, std::shared_ptr<const Fabric> fabric);
  boost::asio::awaitable<bool> await_handover(OtherSm other, std::shared_ptr<const Fabric> fabric);
  void step_down(const SmRule& rule, OtherSm successor, std::shared_ptr<const Fabric> fabric);
  void follow(OtherSm master, std::shared_ptr<const Fabric> fabric);
  boost::asio::awaitable<void> end_service();
  void request_handover_of_master();
  void request_handover(const OtherSm& master, const Fabric& fabric);
  void acknowledge(const OtherSm& to);

  // Polls
  bool polls() const;
  boost::asio::awaitable<std::optional<mad::SmInfo>> read_by_route(const OtherSm& master);
  boost::asio::awaitable<std::optional<mad::SmInfo>> read_by_lid(mad::Lid lid);
  bool takes_lid_read(const mad::ReceivedMad& received);
  boost::asio::awaitable<std::optional<mad::MadAddress>> find_master_sa();
  boost::asio::awaitable<void> keep_links();
  void read_links(const mad::MadAddress& master);
  void take_links(const std::vector<NeighborLink>& links);
  void report_master();

  // Get and Set of SMInfo
  void note_poll(const mad::ReceivedMad& received);
  void answer_sm_info(const mad::ReceivedMad& received, mad::ConstSmpView smp,
                      std::uint16_t status = mad::status::kOk);
  void on_control(const mad::ReceivedMad& received, mad::ConstSmpView smp);
  void apply_rule(const SmRule& rule, const std::optional<OtherSm>& sender);
  Condition refusal_of(const mad::ReceivedMad& received, std::uint32_t control,
                       std::string_view why) const;
  void resolve_unknown_control(bool has_led);
  std::optional<OtherSm> master_at(const mad::ReceivedMad& received) const;

  // WriteGuard::Owner and PortWatch::Owner
  bool is_master() const override { return leads(); }
  void stalled() override;
  void demoted(std::string_view why) override;
  void confirmed(mad::Duration idle) override;
  std::optional<mad::SmpRequest> own_port_read() const override { return write_guard_.own_port(); }
  void link_lost() override;
  void port_silent() override;

  mad::Runtime& runtime_;
  spdlog::logger& log_;
  ConditionLog& conditions_;
  mad::SmpClient& client_;
  CountedSends& sends_;
  ManagerLoop& loop_;
  Sweeper& sweeper_;
  sa::Administrator& administrator_;
  EventListener& events_;

  mad::SmState state_ = mad::SmState::not_active;
  SmRank self_;
  Standby standby_;
  std::optional<MasterAnswer> master_answered_;
  FollowedMasters followed_masters_;
  StandbyView standby_view_;
  MasterLinks links_;
  bool asks_for_links_ = true;    // before the next survey
  bool has_saved_links_ = false;  // in `neighbors`, as they are known
  ControlRequests controls_;
  PassedOver passed_over_;
  KnownManagers known_;
  WriteGuard write_guard_;
  std::optional<PortWatch> port_watch_;
  mad::TimePoint next_stall_survey_{};

  mad::TimePoint handover_deadline_{};  // at the latest, of subnet administration after a handover
  std::optional<Handover> handover_;    // sent, without an outcome
  /// Stores the survey that found another MASTER, while this one waits for its HANDOVER.
  struct MasterFound {
    std::shared_ptr<const Fabric> fabric;
    std::vector<OtherSm> sms;
  };
  std::optional<MasterFound> master_found_;
  mad::Backoff request_pause_{std::chrono::seconds(1), std::chrono::seconds(10)};
  mad::TimePoint next_request_{};  // of a handover, by trap 144
  /// An unknown manager that sent HANDOVER as MASTER may have programmed the subnet since.
  std::optional<mad::Guid> unknown_master_;
  /// Holds the refusal of that HANDOVER. It is raised if two surveys do not find that the manager
  /// led; a survey that was under way may have begun before the HANDOVER.
  struct UnknownControl {
    Condition refusal;
    unsigned surveys = 2;
  };
  std::optional<UnknownControl> unknown_control_;
  mad::TimePoint next_sm_info_read_{};  // of a known manager that polls this one
  mad::TimePoint next_unknown_read_{};  // of a port that polls, and has no known manager
  bool sees_other_master_ = false;  // the latest survey or light sweep as MASTER found another one

  struct LidRead {
    std::uint32_t transaction_id = 0;  // the low half: the kernel owns the other
    std::optional<mad::SmInfo> answer;
  };
  std::optional<LidRead> lid_read_;  // that waits for its response
  bool poll_by_lid_ = true;          // of the latest poll
  std::shared_ptr<const int> alive_ = std::make_shared<const int>(0);  // files are written aside
};

}  // namespace sm
