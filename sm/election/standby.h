#pragma once
// A manager in STANDBY polls the master (IBTA Vol 1, 14.4.1).

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "fabric/subnet.h"
#include "mad/runtime.h"

namespace sm {

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
