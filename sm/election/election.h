#pragma once
// Election of the master SM (IBTA Vol 1, 14.4.1): this file decides which SMs count, and what the
// SMs that a survey found mean for this one.

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fabric/condition.h"
#include "fabric/subnet.h"
#include "mad/attributes/sm_info.h"
#include "mad/runtime.h"
#include "mad/smp.h"
#include "mad/transport.h"
#include "sm/election/state_machine.h"

namespace sm {

/// Holds priority and port GUID, by which SMs are compared.
struct SmRank {
  std::uint8_t priority = 0;
  mad::Guid guid;
};
/// True if `a` has the higher priority, or with equal priorities the lower GUID (IBTA Vol 1,
/// 14.4.1).
constexpr bool outranks(const SmRank& a, const SmRank& b) {
  return a.priority != b.priority ? a.priority > b.priority : a.guid < b.guid;
}
SmRank find_rank(const mad::SmInfo& info);

/// Holds the SMs of a survey that count in the election, and conditions about the others. Three
/// kinds do not count: SMs with another SM_Key (as in OpenSM, an own key of 0 accepts every key),
/// programs that answer with a GUID that is not their port's, and SMs at ports that are not
/// `allowed` (allowed_sm_guids, port GUIDs; empty: all are). `fabric` is the one of the survey.
struct OtherManagers {
  std::vector<OtherSm> trusted;
  std::vector<Condition> conditions;
};
OtherManagers check_managers(const Fabric& fabric, std::span<const OtherSm> found,
                             std::uint64_t sm_key, std::span<const std::uint64_t> allowed);

struct ElectionDecision {
  SmEvent event = SmEvent::found_no_other;
  std::optional<OtherSm> other = {};  // the SM that it is about; none with found_no_other
  std::string_view why = {};          // for the log
};

/// Decides what the SMs that were found mean for this one, whose `state` is DISCOVERING or MASTER.
/// A discovering SM follows the MASTER of highest rank, whatever its own rank, else the SM of
/// highest rank if that runs. A MASTER follows only a MASTER of higher rank, else hands over to the
/// STANDBY of highest rank. `passed_over` has SMs that have not done their part; they count only as
/// MASTER of higher rank. Pure.
ElectionDecision elect(const SmRank& self, mad::SmState state, std::span<const OtherSm> others,
                       std::span<const mad::Guid> passed_over = {});

/// Returns SM-MASTERSHIP-LOST: `self`, the rank of this manager while it was MASTER, and `master`,
/// a port of `fabric`, which leads now. One that was found as STANDBY got HANDOVER. Pure.
Condition mastership_lost(const Fabric& fabric, const SmRank& self, const OtherSm& master);

/// Returns one condition for each other SM that is MASTER while this one is MASTER, too.
std::vector<Condition> other_masters(const Fabric& fabric, const SmRank& self,
                                     std::span<const OtherSm> others);

/// Returns the end port that sent a received SMP along a directed route: every switch on the way
/// wrote its entry of the return path. kNoIndex: the SMP has a LID-routed part, or the path
/// continues behind a CA or router, and so does not lead to the sender.
PortIndex find_sender(const Fabric& fabric, const mad::ReceivedMad& received);

/// Returns whether a received SMP was sent from this end port, by what the network wrote into it:
/// the SLID, or the return path (find_sender).
bool is_from(const Fabric& fabric, PortIndex end_port, const mad::ReceivedMad& received);

/// Finds the SM in `sms`, ports of `fabric`, that sent this SMP; null if none of them did.
const OtherSm* sender_of(const Fabric& fabric, std::span<const OtherSm> sms,
                         const mad::ReceivedMad& received);

/// Holds the request of a Set(SMInfo), and its sender.
struct ControlRequest {
  std::uint32_t control = 0;               // the attribute modifier
  mad::SmInfo sender;                      // as the request says
  std::optional<mad::SmInfo> master = {};  // of the SM from whose port it came, if that is one
                                           // which may lead this manager
  bool from_successor = false;             // it came from the port to which a HANDOVER was sent
};

struct ControlAnswer {
  std::uint16_t status = 0;           // of the GetResp
  const SmRule* rule = nullptr;       // null: nothing changes
  std::string_view refused_for = {};  // for the log; empty: it is not refused
  bool survey = false;                // a survey is to show who sent it
};

/// Decides which requests this manager accepts. HANDOVER, DISABLE, STANDBY and DISCOVER must come
/// from the master: from its port, with its GUID, in state MASTER. A DISCOVERING manager knows no
/// master yet: HANDOVER makes it repeat its survey, which shows the master. ACKNOWLEDGE ends MASTER
/// only if it comes from the SM to which a HANDOVER was sent. A request that leaves the state
/// unchanged (HANDOVER to a master) counts once in kPause, as it costs a sweep.
///
/// HANDOVER to a master from an unknown manager may come from the master of another part of the
/// fabric, which a new link has joined, and which has cleared PortStateChange there. This manager
/// refuses it, but makes a survey, once in kSurveyPause.
class ControlRequests {
 public:
  static constexpr mad::Duration kPause = std::chrono::seconds(10);
  static constexpr mad::Duration kSurveyPause = std::chrono::minutes(1);

  /// Answers a request; `state` and `sm_key` belong to this manager. A request with SM_Key 0 does
  /// not show a key, as OpenSM's requests.
  ControlAnswer answer(mad::SmState state, std::uint64_t sm_key, const ControlRequest& request,
                       mad::TimePoint now);

 private:
  std::optional<mad::TimePoint> next_;  // when the next one without a change of state counts
  std::optional<mad::TimePoint> next_survey_;
};

/// Holds the SM whose standby this one is, and the number of polls in a row that did not find it as
/// MASTER.
class Standby {
 public:
  /// Follows `master`. `fabric` is the one of the survey that found `master`; it serves to
  /// recognize what is sent from its port.
  void follow(OtherSm master, std::shared_ptr<const Fabric> fabric);
  /// Returns null before the first follow().
  const OtherSm* master() const { return master_ ? &*master_ : nullptr; }
  const Fabric* fabric() const { return fabric_.get(); }
  std::shared_ptr<const Fabric> shared_fabric() const { return fabric_; }
  /// Restarts the count of polls.
  void restart();

  /// Handles a poll: `answer` is the SMInfo that it returned, or nothing without a response. A
  /// manager other than the followed one counts as no response. Returns true if the master is gone:
  /// more than `misses_max` polls in a row did not find it. The standby waits for a manager that is
  /// still DISCOVERING until kDiscoveryMax.
  bool polled(const std::optional<mad::SmInfo>& answer, unsigned misses_max, mad::TimePoint now);
  static constexpr mad::Duration kDiscoveryMax = std::chrono::minutes(1);
  /// Notes that the manager of this process at `port` can no longer be master. Returns true if this
  /// is the followed manager; the next polled() finds it gone.
  bool resigned(mad::Guid port);
  bool has_resigned() const { return has_resigned_; }
  /// Returns why the master is gone, for the log.
  std::string why_gone() const;
  /// True if the followed manager responds, but is not MASTER.
  bool responds() const { return answers_; }
  /// True if the latest kStalledPolls responses have one ActCount, which each of them should
  /// increase.
  bool is_stalled() const { return same_count_ >= kStalledPolls; }
  static constexpr unsigned kStalledPolls = 10;

  /// Requests a survey, since a manager that is not active sent a request of a manager that it does
  /// not know: the survey shows whether that one is the master. Returns false if a survey was made
  /// within kSurveyPause.
  bool request_survey(mad::TimePoint now);
  bool take_survey_request() { return std::exchange(survey_requested_, false); }
  static constexpr mad::Duration kSurveyPause = std::chrono::minutes(1);

 private:
  std::optional<OtherSm> master_;
  std::shared_ptr<const Fabric> fabric_;
  unsigned missed_ = 0;
  bool has_resigned_ = false;
  bool answers_ = false;     // the latest poll had a response
  unsigned same_count_ = 0;  // responses in a row whose ActCount did not grow
  std::optional<mad::TimePoint> discovers_since_;
  bool survey_requested_ = false;
  std::optional<mad::TimePoint> next_survey_;
};

}  // namespace sm
