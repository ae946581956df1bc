#include "sm/ops/view.h"

#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <mutex>
#include <vector>

namespace sm {
namespace asio = boost::asio;
namespace {

constexpr std::chrono::milliseconds kReusedFor{50};
using ViewPointer = std::shared_ptr<const View>;
using SteadyClock = std::chrono::steady_clock;

}  // namespace

std::vector<GroupSummary> summaries(const sa::Groups& groups) {
  std::vector<GroupSummary> all;
  all.reserve(groups.all().size());
  for (const auto& [mgid, group] : groups.all()) {
    all.push_back({.group = {.mgid = group.mgid,
                             .mlid = group.mlid,
                             .p_key = group.p_key,
                             .q_key = group.q_key,
                             .mtu = group.mtu,
                             .rate = group.rate,
                             .packet_life = group.packet_life,
                             .sl = group.sl,
                             .t_class = group.t_class,
                             .flow_label = group.flow_label,
                             .hop_limit = group.hop_limit,
                             .created_by = group.created_by,
                             .well_known = group.well_known,
                             .full_members = group.full_members,
                             .members = {}},
                   .member_count = group.members.size()});
  }
  return all;
}

struct SharedView::State : std::enable_shared_from_this<SharedView::State> {
  State(asio::any_io_executor on, std::function<ViewPointer()> how, ViewPointer first)
      : control(std::move(on)), read(std::move(how)), last(std::move(first)) {}

  /// Returns null if the view must be read.
  ViewPointer reusable() {
    const std::lock_guard lock(mutex);
    const bool young = SteadyClock::now() - taken < kReusedFor;
    return young && valid && changing == 0 ? last : nullptr;
  }

  void wait(std::function<void(ViewPointer)> waiter) {
    const std::lock_guard lock(mutex);
    waiting.push_back(std::move(waiter));
    // One turn serves all requests that arrive before it.
    if (waiting.size() == 1) asio::post(control, [self = shared_from_this()] { self->take(); });
  }

  void take() {
    unsigned changes_before = 0;
    std::vector<std::function<void(ViewPointer)>> served;
    {
      const std::lock_guard lock(mutex);
      changes_before = changes;
      served.swap(waiting);
    }
    ViewPointer view = read();
    {
      const std::lock_guard lock(mutex);
      if (view) last = std::move(view);
      view = last;
      taken = SteadyClock::now();
      valid = changes == changes_before;
    }
    for (const auto& waiter : served) waiter(view);
  }

  const asio::any_io_executor control;
  const std::function<ViewPointer()> read;
  std::mutex mutex;  // of what follows
  ViewPointer last;
  SteadyClock::time_point taken{};
  bool valid = false;  // nothing has changed since
  unsigned changing = 0, changes = 0;
  std::vector<std::function<void(ViewPointer)>> waiting;  // bounded by the server's handlers
};

SharedView::SharedView(asio::any_io_executor control, std::function<ViewPointer()> read,
                       ViewPointer first)
    : state_(std::make_shared<State>(std::move(control), std::move(read), std::move(first))) {}

/// The coroutine holds the state itself, because it may outlive the function that began it.
asio::awaitable<ViewPointer> SharedView::latest(std::shared_ptr<State> state) {
  if (ViewPointer view = state->reusable()) co_return view;
  ViewPointer view =
      co_await asio::async_initiate<const asio::use_awaitable_t<>&, void(ViewPointer)>(
          [](auto handler, const std::shared_ptr<State>& of) {
            // std::function copies, handlers only move.
            auto kept = std::make_shared<decltype(handler)>(std::move(handler));
            of->wait([kept](ViewPointer taken) {
              const auto back = asio::get_associated_executor(*kept);
              asio::post(back, [kept, taken = std::move(taken)]() mutable {
                std::move (*kept)(std::move(taken));
              });
            });
          },
          asio::use_awaitable, state);
  co_return view;
}

Views SharedView::views() const {
  return [state = state_] { return latest(state); };
}

void SharedView::change_begins() {
  const std::lock_guard lock(state_->mutex);
  ++state_->changing;
}

void SharedView::change_ends() {
  const std::lock_guard lock(state_->mutex);
  --state_->changing;
  ++state_->changes;
  state_->valid = false;
}

}  // namespace sm
