#include "sm/sa/commits.h"

#include <mutex>
#include <optional>
#include <utility>

#include "mad/format.h"
#include "mad/rmpp.h"
#include "sm/conditions/manager_conditions.h"

namespace sa {

Commits::Commits(mad::Runtime& runtime, sm::ConditionLog& conditions, Registrations& registrations,
                 Services services)
    : runtime_(runtime),
      conditions_(conditions),
      registrations_(registrations),
      services_(std::move(services)),
      retry_timer_(runtime.make_timer([this] { commit(); })) {}

struct Commits::Writing {
  std::shared_ptr<RegistrationStore> store;
  Written batch;
  std::mutex mutex;  // guards the members below
  bool is_done = false;
  tl::expected<void, std::string> result;

  /// Called by the other thread, or by a destructor that cannot wait for that thread.
  void write() {
    const std::lock_guard lock(mutex);
    if (is_done) return;
    result = store->write(batch);
    is_done = true;
  }
};

Commits::~Commits() {
  *alive_ = false;
  if (writing_) writing_->write();
}

void Commits::commit() {
  wanted_ = true;
  if (!writing_) begin();
}

void Commits::begin() {
  wanted_ = false;
  promised_ = std::exchange(held_, {});
  if (!store_) return finish({}, {.lines = take_changes(registrations_), .everything = false});
  if (is_failing() && runtime_.now() < retry_at_) return answer(store_->keep(registrations_));
  std::optional<Written> batch = store_->take(registrations_);
  if (!batch) return finish({}, {});
  writing_ = std::make_shared<Writing>();
  writing_->store = store_;
  writing_->batch = std::move(*batch);
  runtime_.run_aside(
      mad::Runtime::Lane::journal, [writing = writing_] { writing->write(); },
      [this, alive = alive_] {
        if (*alive) done();
      });
}

void Commits::done() {
  const std::shared_ptr<Writing> written = std::exchange(writing_, nullptr);
  store_->wrote(written->batch, written->result.has_value());
  finish(written->result, written->batch);
  if (wanted_ && !writing_) begin();
}

void Commits::finish(const tl::expected<void, std::string>& taken, const Written& written) {
  std::vector<fabric::Condition> active;
  if (taken) {
    retry_.succeeded();
    retry_timer_->cancel();
  } else {
    retry_at_ = retry_.failed(runtime_.now(), taken.error());
    retry_timer_->arm(retry_at_);
    active.push_back(
        {.id = sm::kManagerConditions.store_failed,
         .text = fmt::format(
             "{}; registrations are answered from memory until this works again, and {}",
             retry_.error(),
             store_->is_marked() ? "hosts are asked to register again if the manager starts before"
                                 : "are lost if the manager ends before"),
         .severity = fabric::Severity::critical});
  }
  if (store_) conditions_.set_active(sm::ConditionSource::registration_store, std::move(active));
  answer(written);
}

/// The changes stay in memory until the disk takes them. Followers get them now, and again when
/// they are stored; lines that are applied twice give the same state.
void Commits::answer(const Written& written) {
  sm::announce(services_.events,
               sm::RegistrationsStored{.lines = written.lines, .everything = written.everything});
  for (const Held& held : std::exchange(promised_, {}))
    services_.send(held.response, held.to, held.came);
  services_.committed();
}

}  // namespace sa
