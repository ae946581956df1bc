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

/// Decides when the disk is tried again after it did not take registrations: 1, 2, 4, ... 60 s.
class StoreRetry {
 public:
  static constexpr mad::Duration kFirst = std::chrono::seconds(1), kLast = std::chrono::minutes(1);

  /// True if the latest attempt failed, and nothing has been stored since.
  bool is_failing() const { return pause_.latest() != mad::Duration{}; }
  void succeeded() { pause_.reset(); }
  /// Returns the time of the next attempt. The first attempt's `error` is kept: a later failure in
  /// another step has the same cause.
  mad::TimePoint failed(mad::TimePoint now, std::string error) {
    if (!is_failing()) error_ = std::move(error);
    return now + pause_.next();
  }
  const std::string& error() const { return error_; }

 private:
  mad::Backoff pause_{kFirst, kLast};
  std::string error_;
};

/// Keeps registrations on disk, and holds responses back until the disk has the registrations that
/// they promise. A separate thread writes to the disk, one batch at a time. Registrations during a
/// write are the next batch, with one fsync for all of them. None of the references is owned.
///
/// While the disk takes nothing, as when it is full, responses are not held back: hosts without
/// their groups would be of no use. A mark on the disk makes the next start ask all ports to
/// register again, unless everything has been stored by then.
class Commits {
 public:
  struct Services {
    sm::EventListener* events = nullptr;  // gets RegistrationsStored; not owned; null: none
    std::function<void(const mad::MadBytes& response, const mad::MadAddress& to,
                       mad::TimePoint came)>
        send;  // `came`: arrival of its request
    /// Called when everything of the latest commit() is on disk, or the disk does not take it.
    std::function<void()> committed;
  };
  Commits(mad::Runtime& runtime, sm::ConditionLog& conditions, Registrations& registrations,
          Services services);
  /// Waits until the current batch is on disk, since the files may have another reader at once.
  /// Responses that promise more are not sent.
  ~Commits();
  Commits(const Commits&) = delete;
  Commits& operator=(const Commits&) = delete;

  /// Sets the journal, once loaded. Without a journal, registrations are in memory only.
  void keep_in(RegistrationStore store) {
    store_ = std::make_shared<RegistrationStore>(std::move(store));
  }
  /// Rewrites the journal, after the registrations were replaced.
  void replace_all() {
    if (store_) store_->replace_all();
  }
  /// True if the disk did not take the latest changes.
  bool is_failing() const { return retry_.is_failing(); }
  /// True if the local files have all registrations.
  bool is_on_disk() const { return store_ && !is_failing() && !writing_; }

  /// Holds a response that promises data of the next commit(). `came` is the time of its request.
  void hold(const mad::MadBytes& response, const mad::MadAddress& to, mad::TimePoint came) {
    held_.push_back({response, to, came});
  }
  /// Writes the new registrations, then sends the responses that promise them. Both happen after
  /// this returns, unless there is nothing to write.
  void commit();

 private:
  struct Held {
    mad::MadBytes response{};
    mad::MadAddress to;
    mad::TimePoint came{};
  };
  /// A batch that is not on disk yet.
  struct Writing;

  void begin();
  void done();
  void finish(const tl::expected<void, std::string>& taken, const Written& written);
  void answer(const Written& written);

  mad::Runtime& runtime_;
  sm::ConditionLog& conditions_;
  Registrations& registrations_;
  Services services_;
  std::shared_ptr<RegistrationStore> store_;
  std::shared_ptr<Writing> writing_;  // null: no batch is being written
  StoreRetry retry_;
  mad::TimePoint retry_at_{};  // while retry_ is failing
  std::unique_ptr<mad::Timer> retry_timer_;
  std::vector<Held> held_, promised_;  // for the next batch, and for the current one
  bool wanted_ = false;                // commit() was called during the current batch
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace sa
