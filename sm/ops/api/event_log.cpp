#include "sm/ops/api/event_log.h"

#include <fmt/chrono.h>

#include <algorithm>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <nlohmann/json.hpp>

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

void EventLog::add(const std::vector<Event>& events, std::chrono::system_clock::time_point time,
                   const Snapshot& snapshot) {
  if (events.empty()) return;
  const std::string at = time_text(time);
  std::vector<std::weak_ptr<Waiter>> waiters;
  {
    const std::lock_guard lock(mutex_);
    for (const Event& event : events) {
      auto stamped = std::make_shared<StampedEvent>();
      stamped->number = ++last_;
      stamped->id = fmt::format("{}-{}", start_, last_);
      stamped->kind = event.kind;
      nlohmann::json row = event_row(event);
      row["id"] = stamped->id;
      row["time"] = at;
      row["snapshot"] = snapshot.id;
      row["fabric_id"] = snapshot.fabric_id ? nlohmann::json(*snapshot.fabric_id) : nullptr;
      stamped->data = line_of(row);
      events_.push_back(std::move(stamped));
      if (events_.size() > kept_) events_.pop_front();
    }
    waiters.swap(waiters_);
  }
  for (const std::weak_ptr<Waiter>& waiting : waiters) {
    if (const auto waiter = waiting.lock())
      asio::post(waiter->strand, [waiter] { waiter->timer.cancel(); });
  }
}

std::optional<std::uint64_t> EventLog::number_of(std::string_view id) const {
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

asio::awaitable<void> EventLog::wait(std::uint64_t after, std::chrono::milliseconds limit) {
  const auto executor = co_await asio::this_coro::executor;
  auto waiter = std::make_shared<Waiter>(executor);
  {
    const std::lock_guard lock(mutex_);
    if (last_ > after) co_return;
    std::erase_if(waiters_, [](const auto& waiting) { return waiting.expired(); });
    waiters_.push_back(waiter);
  }
  const auto strand = waiter->strand;
  co_await asio::co_spawn(strand, wait_on_strand(std::move(waiter), after, limit),
                          asio::use_awaitable);
}

asio::awaitable<void> EventLog::wait_on_strand(std::shared_ptr<Waiter> waiter, std::uint64_t after,
                                               std::chrono::milliseconds limit) {
  // An event that was added meanwhile is seen here; one that is added from now on cancels the
  // timer on this strand, behind this.
  if (last() > after) co_return;
  waiter->timer.expires_after(limit);
  co_await waiter->timer.async_wait(asio::as_tuple(asio::use_awaitable));
}

}  // namespace sm::api
