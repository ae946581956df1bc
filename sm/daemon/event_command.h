#pragma once
// event_command names a program that runs for each event of a manager.

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

/// Runs a program for one event after the other, on its own thread; the event is one line of JSON
/// on its standard input, as /v1/events has it. No shell, no arguments; standard output goes to
/// /dev/null. A program that runs longer than `timeout` is killed with its process group. One runs
/// at a time. Events wait in the EventLog; beyond `behind_max` the oldest are left out and counted
/// until the program has caught up. SM-EVENT-COMMAND-FAILED itself is never passed on.
class EventCommand {
 public:
  static constexpr std::size_t kBehindMax = 1000;
  struct Settings {
    std::string path;  // empty: none is run
    std::chrono::seconds timeout{10};
    bool operator==(const Settings&) const = default;
  };
  /// Receives SM-EVENT-COMMAND-FAILED, or an empty list once the program has accepted an event and
  /// has caught up if it was behind. Called on the thread of this object, and only if the text is
  /// another one: while a program fails in one manner, the text has the first event of these.
  using Report = std::function<void(std::vector<fabric::Condition>)>;

  EventCommand(std::shared_ptr<api::EventLog> events, Report report,
               std::size_t behind_max = kBehindMax);
  /// Kills a running program.
  ~EventCommand();
  EventCommand(const EventCommand&) = delete;
  EventCommand& operator=(const EventCommand&) = delete;

  /// Sets the program from now on; events from before the first path are not passed on.
  void configure(Settings settings);

 private:
  void run(const std::stop_token& stop);
  Settings settings() const;
  void pass_on(const Settings& settings, const api::StampedEvent& event,
               const std::stop_token& stop);
  /// Returns what is wrong with the program at `path`; empty: nothing.
  std::string problem(const std::string& path) const;
  void note(std::string problem);

  std::shared_ptr<api::EventLog> events_;
  Report report_;
  const std::size_t behind_max_;
  mutable std::mutex mutex_;
  Settings settings_;
  // The thread's:
  std::string failure_, refused_;          // of the latest run, and the first event of that failure
  std::uint64_t left_out_ = 0, said_ = 0;  // events, since the program fell behind
  std::string problem_;                    // as reported
  std::jthread thread_;                    // ends before all that it works with
};

/// Runs the program with `input` on its standard input, until it ends, `timeout`, or `stop`.
/// Errors: the reason why the program did not accept the input, as a part of a sentence.
tl::expected<void, std::string> run_with_input(const std::string& path, std::string_view input,
                                               std::chrono::milliseconds timeout,
                                               const std::stop_token& stop);

}  // namespace sm
