#include "sm/sa/commits.h"

#include <utility>

#include "mad/format.h"
#include "mad/rmpp.h"

namespace sa {

Commits::Commits(mad::Runtime& runtime, sm::ConditionLog& conditions, Registrations& registrations,
                 Services services)
    : runtime_(runtime),
      conditions_(conditions),
      registrations_(registrations),
      services_(std::move(services)),
      retry_timer_(runtime.make_timer([this] { commit(); })) {}

void Commits::commit() {
  store();
  for (Held& held : std::exchange(held_, {})) {
    if (is_failing()) {
      // What the request changed is in memory, and is stored as soon as the disk takes it: to
      // repeat the request does no harm.
      mad::SaView{std::span<std::uint8_t, mad::kMadBytes>(held.response)}.set_status(
          mad::sa_status::kNoResources);
      services_.refused();
    }
    services_.send(held.response, held.to);
  }
  services_.committed();
}

void Commits::store() {
  if (!store_) {
    if (services_.registered)
      services_.registered({.lines = take_changes(registrations_), .everything = false});
    return;
  }
  const auto saved = store_->commit(registrations_);
  std::vector<sm::Condition> standing;
  if (saved) {
    if (services_.registered) services_.registered(*saved);
    retry_.succeeded();
    retry_timer_->cancel();
  } else {
    retry_timer_->arm(retry_.failed(runtime_.now(), saved.error()));
    standing.push_back(
        {.id = sm::ConditionId::store_failed,
         .text = fmt::format("{}; requests to register are refused until this works again",
                             retry_.error())});
  }
  conditions_.stand(sm::ConditionSource::registration_store, std::move(standing));
}

}  // namespace sa
