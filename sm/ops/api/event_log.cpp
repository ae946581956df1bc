#include "sm/ops/api/event_log.h"

#include <fmt/chrono.h>

#include <algorithm>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <nlohmann/json.hpp>

#include "config/bounded_text.h"
#include "config/value.h"
#include "mad/format.h"
#include "sm/ops/rows.h"

namespace sm::api {
namespace asio = boost::asio;

std::string time_text(std::chrono::system_clock::time_point time) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(time);
  const auto rest = std::chrono::duration_cast<std::chrono::milliseconds>(time - seconds);
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z",
                     fmt::gmtime(std::chrono::system_clock::to_time_t(seconds)), rest.count());
}

void EventLog::add(const std::vector<Event>& events, const Moment& published,
                   const Snapshot& snapshot) {
  if (events.empty()) return;
  const std::string published_text = time_text(published.wall);
  const std::lock_guard lock(mutex_);
  for (Event event : events) {
    config::bound_text(event.text, kEventTextBytesMax);
    auto stamped = std::make_shared<StampedEvent>();
    stamped->number = ++last_;
    stamped->id = fmt::format("{}-{}", start_, last_);
    stamped->kind = event.kind;
    stamped->condition = event.condition;
    nlohmann::json row = event_row(event);
    row["id"] = stamped->id;
    row["time"] =
        event.noticed
            ? time_text(published.wall - std::chrono::duration_cast<std::chrono::milliseconds>(
                                             published.steady - *event.noticed))
            : published_text;
    row["snapshot"] = snapshot.id;
    row["fabric_id"] = snapshot.fabric_id ? nlohmann::json(*snapshot.fabric_id) : nullptr;
    stamped->data = to_line(row);
    bytes_ += stamped->data.size();
    events_.push_back(std::move(stamped));
    while (events_.size() > kept_ || (bytes_ > kBytesMax && events_.size() > 1)) {
      bytes_ -= events_.front()->data.size();
      events_.pop_front();
    }
  }
  for (Waiter* const waiter : waiters_) waiter->wake();
  added_.notify_all();
}

bool EventLog::wait_here(std::uint64_t after, std::chrono::milliseconds limit) {
  std::unique_lock lock(mutex_);
  return added_.wait_for(lock, limit, [&] { return last_ > after; });
}

std::optional<std::uint64_t> EventLog::number_from(std::string_view id) const {
  if (id == "0") return 0;
  if (!id.starts_with(start_) || id.size() <= start_.size() || id[start_.size()] != '-')
    return std::nullopt;
  const auto number = config::parse_number(id.substr(start_.size() + 1), 10);
  if (!number || *number > last()) return std::nullopt;
  return *number;
}

std::string EventLog::id_of(std::uint64_t number) const {
  return fmt::format("{}-{}", start_, number);
}

std::uint64_t EventLog::last() const {
  const std::lock_guard lock(mutex_);
  return last_;
}

EventLog::Part EventLog::behind(std::uint64_t after, std::size_t limit) const {
  const std::lock_guard lock(mutex_);
  Part part;
  const std::uint64_t first = last_ - events_.size() + 1;  // that is kept
  part.gap = after + 1 < first;
  const std::uint64_t from = std::max(after + 1, first);
  for (std::uint64_t number = from; number <= last_ && part.events.size() < limit; ++number)
    part.events.push_back(events_[number - first]);
  return part;
}

EventLog::Waiter::~Waiter() {
  const std::lock_guard lock(log_.mutex_);
  std::erase(log_.waiters_, this);
}

bool EventLog::Waiter::listed(std::uint64_t after) {
  const std::lock_guard lock(log_.mutex_);
  if (log_.last_ > after) return false;
  log_.waiters_.push_back(this);
  return true;
}

void EventLog::Waiter::wake() {
  // The coroutine may end before this runs, on the same strand.
  asio::post(strand_, [this, alive = std::weak_ptr(alive_)] {
    if (!alive.expired()) timer_.cancel();
  });
}

asio::awaitable<void> EventLog::Waiter::wait(std::uint64_t after, std::chrono::milliseconds limit) {
  // An event that was added before now is seen here; a later one cancels the timer on this strand,
  // after this function.
  if (log_.last() > after) co_return;
  timer_.expires_after(limit);
  co_await timer_.async_wait(asio::as_tuple(asio::use_awaitable));
}

asio::awaitable<void> EventLog::wait(std::uint64_t after, std::chrono::milliseconds limit) {
  const auto executor = co_await asio::this_coro::executor;
  Waiter waiter(*this, executor);
  if (!waiter.listed(after)) co_return;
  co_await asio::co_spawn(waiter.strand(), waiter.wait(after, limit), asio::use_awaitable);
}

}  // namespace sm::api
