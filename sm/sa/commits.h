#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "mad/runtime.h"
#include "mad/smp.h"
#include "mad/transport.h"
#include "sm/conditions/condition_log.h"
#include "sm/sa/registrations/persistence.h"
#include "sm/sa/registrations/registrations.h"
#include "sm/sa/store_retry.h"

namespace sa {

/// Keeps registrations on disk, and responses back until the disk has what they promise. None of
/// the references is owned.
class Commits {
 public:
  struct Services {
    /// What is on disk now, in order. May be empty.
    std::function<void(const Written& written)> registered;
    std::function<void(const mad::MadBytes& response, const mad::MadAddress& to)> send;
    /// A response was held, and the disk did not take what it promises.
    std::function<void()> refused;
    /// All that was there at the latest commit() is on disk, or the disk does not take it.
    std::function<void()> committed;
  };
  Commits(mad::Runtime& runtime, sm::ConditionLog& conditions, Registrations& registrations,
          Services services);

  /// The journal, once loaded; without one registrations are in memory only.
  void keep_in(RegistrationStore store) { store_.emplace(std::move(store)); }
  /// The registrations were replaced: the journal is written anew.
  void replace_all() {
    if (store_) store_->replace_all();
  }
  /// The disk did not take the latest changes, and nothing more may be promised.
  bool is_failing() const { return retry_.is_failing(); }
  /// The local files have all registrations.
  bool is_on_disk() const { return store_ && !is_failing(); }

  /// A response that promises what the next commit() writes.
  void hold(const mad::MadBytes& response, const mad::MadAddress& to) {
    held_.push_back({response, to});
  }
  /// Writes what was registered, then sends the responses that promise it.
  void commit();

 private:
  struct Held {
    mad::MadBytes response{};
    mad::MadAddress to;
  };
  void store();

  mad::Runtime& runtime_;
  sm::ConditionLog& conditions_;
  Registrations& registrations_;
  Services services_;
  std::optional<RegistrationStore> store_;
  StoreRetry retry_;
  std::unique_ptr<mad::Timer> retry_timer_;
  std::vector<Held> held_;
};

}  // namespace sa
