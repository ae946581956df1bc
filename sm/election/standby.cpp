#include "sm/election/standby.h"

#include "mad/format.h"

namespace sm {

void Standby::follow(OtherSm master, std::shared_ptr<const Fabric> fabric) {
  master_ = std::move(master);
  fabric_ = std::move(fabric);
  restart();
}

void Standby::restart() {
  missed_ = same_count_ = 0;
  answers_ = has_resigned_ = false;
  discovers_since_.reset();
}

bool Standby::resigned(mad::Guid port) {
  const bool followed = master_ && master_->info.guid() == port;
  has_resigned_ = has_resigned_ || followed;
  return followed;
}

bool Standby::polled(const std::optional<mad::SmInfo>& answer, unsigned misses_max,
                     mad::TimePoint now) {
  answers_ = answer && master_ && answer->guid() == master_->info.guid();
  if (answers_) {
    const bool grows = answer->act_count() != master_->info.act_count();
    same_count_ = grows ? 0 : same_count_ + 1;
    master_->info = *answer;
  }
  const mad::SmState state = answers_ ? answer->sm_state() : mad::SmState::not_active;
  if (state != mad::SmState::discovering) discovers_since_.reset();
  if (state == mad::SmState::discovering && !discovers_since_) discovers_since_ = now;
  const bool counts = state == mad::SmState::master ||
                      (discovers_since_ && now - *discovers_since_ < kDiscoveryMax);
  missed_ = counts ? 0 : missed_ + 1;
  return has_resigned_ || missed_ > misses_max;
}

bool Standby::request_survey(mad::TimePoint now) {
  if (next_survey_ && now < *next_survey_) return false;
  next_survey_ = now + kSurveyPause;
  survey_requested_ = true;
  return true;
}

std::string Standby::why_gone() const {
  if (!master_) return "no master is known";
  return fmt::format("the master (GUID {}) {}", master_->info.guid(),
                     has_resigned_ ? "has lost its port"
                     : answers_    ? "is no longer MASTER"
                                   : "does not answer");
}

}  // namespace sm
