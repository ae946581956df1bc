#include "sm/election/followed_masters.h"

#include <algorithm>

#include "mad/format.h"

namespace sm {

void FollowedMasters::lead(mad::TimePoint now) {
  if (!leads_since_) leads_since_ = now;
  unexpected_.reset();
}

void FollowedMasters::follow(mad::Guid master, const std::string& name, mad::TimePoint now) {
  const bool is_known = std::ranges::find(followed_, master) != followed_.end();
  const bool has_led = leads_since_ && now - *leads_since_ >= kLed;
  leads_since_.reset();
  if (!is_known) {
    followed_.push_back(master);
    if (followed_.size() > kRemembered) followed_.pop_front();
  }
  if (unexpected_ && unexpected_->guid != master) unexpected_.reset();
  if (is_known || !has_led) return;
  unexpected_ = Condition{
      .id = ConditionId::master_unexpected,
      .text = fmt::format("unexpected master: the subnet manager at {} took the subnet over, and "
                          "this one had never been its standby",
                          name),
      .guid = master};
}

std::optional<Condition> FollowedMasters::unexpected(std::span<const std::uint64_t> allowed) const {
  if (!unexpected_ || std::ranges::find(allowed, unexpected_->guid.value) != allowed.end())
    return std::nullopt;
  return unexpected_;
}

}  // namespace sm
