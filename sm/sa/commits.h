#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "mad/backoff.h"
#include "mad/runtime.h"
#include "mad/smp.h"
#include "mad/transport.h"
#include "sm/conditions/condition_log.h"
#include "sm/events/manager_events.h"
#include "sm/sa/registrations/persistence.h"
#include "sm/sa/registrations/registrations.h"

namespace sa {

/// When registrations are written again after the disk did not take them: after 1, 2, 4, ... 60 s.
class StoreRetry {
 public:
  static constexpr mad::Duration kFirst = std::chrono::seconds(1), kLast = std::chrono::minutes(1);

  /// The latest attempt failed, and nothing has been stored since.
  bool is_failing() const { return pause_.latest() != mad::Duration{}; }
  void succeeded() { pause_.reset(); }
  /// Returns the time of the next attempt. `error` is kept of the first attempt: the reason does
  /// not change with the step at which a later one fails.
  mad::TimePoint failed(mad::TimePoint now, std::string error) {
    if (!is_failing()) error_ = std::move(error);
    return now + pause_.next();
  }
  const std::string& error() const { return error_; }

 private:
  mad::Backoff pause_{kFirst, kLast};
  std::string error_;
};

/// Keeps registrations on disk, and responses back until the disk has what they promise. A thread
/// besides the runtime's writes to the disk, one batch at a time: what is registered while it
/// writes is the next batch, with one fsync for all of it. None of the references is owned.
class Commits {
 public:
  struct Services {
    sm::EventListener* events = nullptr;  // gets RegistrationsStored; not owned; null: none
    std::function<void(const mad::MadBytes& response, const mad::MadAddress& to,
                       mad::TimePoint came)>
        send;  // `came`: its request
    /// A response was held, and the disk did not take what it promises: it is not sent, and the
    /// client repeats its request.
    std::function<void(const mad::MadBytes& response)> not_stored;
    /// All that was there at the latest commit() is on disk, or the disk does not take it.
    std::function<void()> committed;
  };
  Commits(mad::Runtime& runtime, sm::ConditionLog& conditions, Registrations& registrations,
          Services services);
  /// Returns when the batch that is being written is on disk, since the files may have another
  /// reader at once. Responses that promise more are not sent.
  ~Commits();
  Commits(const Commits&) = delete;
  Commits& operator=(const Commits&) = delete;

  /// The journal, once loaded; without one registrations are in memory only.
  void keep_in(RegistrationStore store) {
    store_ = std::make_shared<RegistrationStore>(std::move(store));
  }
  /// The registrations were replaced: rewrites the journal.
  void replace_all() {
    if (store_) store_->replace_all();
  }
  /// The disk did not take the latest changes, and nothing more may be promised.
  bool is_failing() const { return retry_.is_failing(); }
  /// The local files have all registrations.
  bool is_on_disk() const { return store_ && !is_failing() && !writing_; }

  /// A response that promises what the next commit() writes. `came`: its request.
  void hold(const mad::MadBytes& response, const mad::MadAddress& to, mad::TimePoint came) {
    held_.push_back({response, to, came});
  }
  /// Writes what was registered, then sends the responses that promise it; after this returns,
  /// unless there is nothing to write.
  void commit();

 private:
  struct Held {
    mad::MadBytes response{};
    mad::MadAddress to;
    mad::TimePoint came{};
  };
  /// A batch that the disk does not have yet.
  struct Writing;

  void begin();
  void done();
  void finish(const tl::expected<void, std::string>& taken, const Written& written);

  mad::Runtime& runtime_;
  sm::ConditionLog& conditions_;
  Registrations& registrations_;
  Services services_;
  std::shared_ptr<RegistrationStore> store_;
  std::shared_ptr<Writing> writing_;  // null: the disk has nothing to do
  StoreRetry retry_;
  std::unique_ptr<mad::Timer> retry_timer_;
  std::vector<Held> held_, promised_;  // by the next batch, and by the one that is being written
  bool wanted_ = false;                // commit() was called since that one was taken
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace sa
