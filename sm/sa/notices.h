#pragma once
// Notices to subscribers: groups and ports that appear and disappear, and the traps of the fabric
// (IBTA Vol 1, 13.4.8).

#include <spdlog/logger.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "fabric/subnet.h"
#include "mad/ids.h"
#include "sm/conditions/condition_log.h"
#include "sm/conditions/line_limit.h"
#include "sm/context/sweep_context.h"
#include "sm/sa/registrations/outcome.h"
#include "sm/sa/registrations/subscriptions.h"
#include "sm/sa/report_sender.h"

namespace sa {

/// Groups that are created and deleted, merged by MGID over a period: a host that creates and
/// deletes groups again and again causes few reports. The first change of a group in a period is
/// reported at once, unless many are; of the others only the difference, at the end of the period.
class GroupChanges {
 public:
  static constexpr std::size_t kAtOnceMax = 16;  // notices in a period
  /// Bounds the memory; more than one thread creates in a period.
  static constexpr std::size_t kMax = 8192;

  /// Returns true if it is to be reported at once. If false, take() has it, as far as it still
  /// counts then.
  bool add(const GroupNotice& notice);
  bool is_full() const { return groups_.size() >= kMax; }
  void clear();
  /// Ends the period. Returns the difference between what was reported and what there is, by MGID.
  /// A group that was deleted and created again is reported as both, since it may have another MLID
  /// and other parameters. One that was created and deleted is left out.
  std::vector<GroupNotice> take();

 private:
  struct Change {
    bool is_reported_to_exist = false, exists = false;
    bool is_pending = false;  // something has changed since it was reported
    mad::PKey p_key_before, p_key;
  };
  std::map<mad::Gid, Change> groups_;
  std::size_t at_once_ = 0;
};

/// Sends reports of notices to the subscribers, and drops the subscriptions of those that do not
/// acknowledge them. A notice waits until the thread has time for it, and the search for its
/// recipients is divided into slices. None of the references is owned.
class Notices {
 public:
  /// In this period groups that are created and deleted are merged (GroupChanges).
  static constexpr mad::Duration kGroupsEvery = std::chrono::milliseconds(100);
  /// Limits the notices whose recipients are not known yet; more are dropped.
  static constexpr std::size_t kWaitingMax = 65536;
  /// After this many searched subscriptions and queued reports, other work gets the thread.
  static constexpr std::size_t kStepsAtATime = 512;

  Notices(mad::Runtime& runtime, mad::MadTransport& transport, spdlog::logger& log,
          sm::ConditionLog& conditions, Subscriptions& subscriptions,
          std::function<UnixTime()> wall_clock);
  ~Notices() { *alive_ = false; }
  Notices(const Notices&) = delete;
  Notices& operator=(const Notices&) = delete;

  /// Reports to the subscribers of this subnet from now on.
  void publish(std::shared_ptr<const fabric::Subnet> subnet, sm::SharedContext context);
  /// Drops waiting reports, as there is no subnet any more.
  void stand_down();

  /// Reports traps 66 and 67. Without a subnet they are logged only.
  void report_groups(const std::vector<GroupNotice>& notices);
  /// Reports traps 64 and 65, GID in service and GID out of service: the differences in end ports
  /// and vports between the published subnet and the previous one.
  void report_ports(const fabric::Subnet& before);
  /// Reports a trap that the manager got.
  void on_trap(const mad::Notice& notice, mad::Lid issuer);
  /// Handles a ReportResp, or a report that could not be sent.
  void on_mad(const mad::ReceivedMad& received) { sender_.on_mad(received); }

  const ReportSender& sender() const { return sender_; }

 private:
  /// A notice, and the progress of the search for its recipients.
  struct Waiting {
    Report report;
    ReportedNotice bytes{};
    RecipientPosition position{};
  };
  void report(Report report);
  void report_merged_groups();
  void schedule();
  void work();
  void send(const Waiting& waiting, const Recipient& recipient);
  void report_ended(std::uint64_t key, ReportSender::End end);
  mad::Sl sl_to(mad::Lid lid) const;
  std::optional<mad::GlobalRoute> route_to(const Recipient& recipient) const;
  mad::Gid own_gid() const;
  mad::Lid own_lid() const;

  void log_group(const GroupNotice& notice);

  mad::Runtime& runtime_;
  spdlog::logger& log_;
  sm::LineLimit group_lines_{100}, subscription_lines_{20};
  sm::ConditionLog& conditions_;
  Subscriptions& subscriptions_;
  std::function<UnixTime()> wall_clock_;
  std::shared_ptr<const fabric::Subnet> subnet_;
  sm::SharedContext context_;  // that subnet_ was made with
  GroupChanges groups_;
  bool groups_timer_runs_ = false;
  std::unique_ptr<mad::Timer> groups_timer_;
  std::deque<Waiting> waiting_;
  std::vector<Recipient> recipients_;  // of a slice
  bool scheduled_ = false;
  std::map<std::uint64_t, ReportTarget> awaited_;
  std::uint64_t next_ = 0;
  ReportSender sender_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace sa
