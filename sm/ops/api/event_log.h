#pragma once
// Keeps the latest events, for clients that follow them. Any thread.

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sm/ops/api/event.h"

namespace sm::api {

struct StampedEvent {
  std::uint64_t number = 0;  // from 1
  std::string id;            // "5f3a1c00-17"
  EventKind kind{};
  std::optional<ConditionId> condition = {};  // that it is about
  std::string data;                           // JSON, one line
};

/// One moment on both clocks.
struct Moment {
  std::chrono::system_clock::time_point wall{};
  mad::TimePoint steady{};
};

class EventLog {
 public:
  static constexpr std::size_t kKept = 10'000;
  static constexpr std::size_t kBytesMax = std::size_t{32} << 20;  // of all that are kept

  /// `start` identifies this start of the daemon, in the identifiers of events.
  explicit EventLog(std::string start, std::size_t kept = kKept)
      : start_(std::move(start)), kept_(kept) {}

  /// Adds events. `published` is the time of events that were not noticed earlier.
  void add(const std::vector<Event>& events, const Moment& published, const Snapshot& snapshot);

  /// Returns the number in an identifier ("0" is the beginning); nullopt if the identifier is not
  /// from this start of the daemon.
  std::optional<std::uint64_t> number_from(std::string_view id) const;
  std::string id_of(std::uint64_t number) const;
  std::uint64_t last() const;

  struct Part {
    std::vector<std::shared_ptr<const StampedEvent>> events;
    bool gap = false;  // some events behind `after` are not kept any more
  };
  /// Returns the events after this number, `limit` at most, oldest first.
  Part behind(std::uint64_t after, std::size_t limit) const;

  /// Waits until there is an event after `after`, or `limit` has passed.
  boost::asio::awaitable<void> wait(std::uint64_t after, std::chrono::milliseconds limit);
  /// Acts as wait(), on a thread that has nothing else to do. Returns true if there is an event.
  bool wait_here(std::uint64_t after, std::chrono::milliseconds limit);

 private:
  /// A waiting coroutine, listed while it waits. Only the strand uses the timer; add() touches a
  /// waiter only under the mutex, while it is listed, thus never after the executor of the
  /// coroutine has ended.
  class Waiter {
   public:
    Waiter(EventLog& log, const boost::asio::any_io_executor& executor)
        : log_(log), strand_(boost::asio::make_strand(executor)), timer_(strand_) {}
    Waiter(const Waiter&) = delete;
    Waiter& operator=(const Waiter&) = delete;
    ~Waiter();

    /// Returns false if an event after `after` already exists.
    bool listed(std::uint64_t after);
    boost::asio::awaitable<void> wait(std::uint64_t after, std::chrono::milliseconds limit);
    /// Called with the mutex held.
    void wake();
    const boost::asio::strand<boost::asio::any_io_executor>& strand() const { return strand_; }

   private:
    EventLog& log_;
    boost::asio::strand<boost::asio::any_io_executor> strand_;
    boost::asio::steady_timer timer_;
    std::shared_ptr<const bool> alive_ = std::make_shared<const bool>(true);
  };

  const std::string start_;
  const std::size_t kept_;
  mutable std::mutex mutex_;
  std::deque<std::shared_ptr<const StampedEvent>> events_;
  std::size_t bytes_ = 0;  // of events_
  std::uint64_t last_ = 0;
  std::vector<Waiter*> waiters_;
  std::condition_variable added_;
};

/// Formats a time by RFC 3339, in UTC, with milliseconds.
std::string time_text(std::chrono::system_clock::time_point time);

}  // namespace sm::api
