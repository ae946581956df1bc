#include "sm/election/standby.h"

#include "mad/format.h"

namespace sm {

void Standby::follow(OtherSm master, std::shared_ptr<const Fabric> fabric) {
  master_ = std::move(master);
  fabric_ = std::move(fabric);
  missed_ = 0;
  answers_ = false;
}

bool Standby::polled(const std::optional<mad::SmInfo>& answer, unsigned misses_max) {
  answers_ = answer && master_ && answer->guid() == master_->info.guid();
  if (answers_) master_->info = *answer;
  const bool leads = answers_ && answer->sm_state() == mad::SmState::master;
  missed_ = leads ? 0 : missed_ + 1;
  return missed_ > misses_max;
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
                     answers_ ? "is no longer MASTER" : "does not answer");
}

}  // namespace sm
