#pragma once
// event_command: a program that is run with each event of a manager.

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <tl/expected.hpp>
#include <vector>

#include "fabric/condition.h"
#include "sm/ops/api/event_log.h"

namespace sm {

/// Runs a program, one event after the other, on a thread of its own: the event is one line of JSON
/// on its standard input, as /v1/events has it. No shell, no arguments; standard output goes to
/// /dev/null. A program that runs longer than `timeout` is killed with all that it has started in
/// its process group. Events wait in the EventLog; beyond kBehindMax the oldest are left out.
class EventCommand {
 public:
  static constexpr std::size_t kBehindMax = 1000;
  struct Settings {
    std::string path;  // empty: none is run
    std::chrono::seconds timeout{10};
    bool operator==(const Settings&) const = default;
  };
  /// Called on the thread of this: SM-EVENT-COMMAND-FAILED, or none since the program took an
  /// event.
  using Report = std::function<void(std::vector<fabric::Condition>)>;

  EventCommand(std::shared_ptr<api::EventLog> events, Report report);
  /// Kills a program that runs.
  ~EventCommand();
  EventCommand(const EventCommand&) = delete;
  EventCommand& operator=(const EventCommand&) = delete;

  /// From now on; events from before the first path are not passed on.
  void configure(Settings settings);

 private:
  void run(const std::stop_token& stop);
  Settings settings() const;
  void note(std::string problem);

  std::shared_ptr<api::EventLog> events_;
  Report report_;
  mutable std::mutex mutex_;
  Settings settings_;
  std::string problem_;  // of the latest event; the thread's
  std::jthread thread_;  // ends before all that it works with
};

/// Runs the program with `input` on its standard input, until it ends, `timeout`, or `stop`.
/// Errors: one sentence part that says why it did not take it.
tl::expected<void, std::string> run_with_input(const std::string& path, std::string_view input,
                                               std::chrono::milliseconds timeout,
                                               const std::stop_token& stop);

}  // namespace sm
