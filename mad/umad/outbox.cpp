#include "mad/umad/outbox.h"

#include <unistd.h>

#include <algorithm>
#include <boost/asio/post.hpp>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>
#include <exception>
#include <utility>

#include <infiniband/umad.h>

namespace mad::umad {
namespace {

/// After an interrupted call, threads that wait for the device's mutex have their turn.
constexpr std::chrono::milliseconds kPauseLeast{2}, kPauseMost{200};
constexpr Duration kWatch = std::chrono::milliseconds(100);

/// Sends the wake signal to the thread that made it, again and again, while armed. Another thread
/// would not do: it may wait for the device's mutex itself.
class WakeTimer {
 public:
  WakeTimer() {
    sigevent event{};
    event.sigev_notify = SIGEV_THREAD_ID;
    event.sigev_signo = wake_signal();
    event._sigev_un._tid = gettid();
    made_ = timer_create(CLOCK_MONOTONIC, &event, &timer_) == 0;
  }
  ~WakeTimer() {
    if (made_) timer_delete(timer_);
  }
  WakeTimer(const WakeTimer&) = delete;
  WakeTimer& operator=(const WakeTimer&) = delete;
  void arm(bool on) const {
    const timespec period{.tv_sec = 0,
                          .tv_nsec = on ? Outbox::kSendMax / std::chrono::nanoseconds(1) : 0};
    const itimerspec times{.it_interval = period, .it_value = period};
    if (made_) timer_settime(timer_, 0, &times, nullptr);
  }

 private:
  timer_t timer_{};
  bool made_ = false;
};

TimePoint::rep ticks(TimePoint time) { return time.time_since_epoch().count(); }

void set_global_route(void* umad, const std::optional<GlobalRoute>& route) {
  if (!route) return umad_set_grh(umad, nullptr), void();
  ib_mad_addr_t header{};
  header.gid_index = route->own_gid_index;
  header.hop_limit = route->hop_limit;
  header.traffic_class = route->traffic_class;
  header.flow_label = route->flow_label;
  header.ib_gid.global.subnet_prefix = htobe64(route->peer.prefix);
  header.ib_gid.global.interface_id = htobe64(route->peer.guid.value);
  umad_set_grh(umad, &header);
}

}  // namespace

int wake_signal() { return SIGURG; }  // ignored by default

/// Without SA_RESTART and with an empty handler the signal only interrupts blocking calls.
void make_wake_signal_interrupt() {
  struct sigaction action{};
  action.sa_handler = [](int) {};
  sigaction(wake_signal(), &action, nullptr);
}

Outbox::Outbox(Runtime& runtime, std::function<void(const Outcome&)> on_outcome,
               std::function<void(bool)> on_blocked)
    : runtime_(runtime),
      on_outcome_(std::move(on_outcome)),
      on_blocked_(std::move(on_blocked)),
      timer_(runtime.make_timer([this] { watch(); })),
      items_(kWaitingMax) {
  turn_->outbox = this;
  make_wake_signal_interrupt();
  thread_ = std::thread([this] {
    try {
      run();
    } catch (...) {  // as if the sender's thread had thrown: it ends the process in order
      boost::asio::post(runtime_.executor(),
                        [error = std::current_exception()] { std::rethrow_exception(error); });
    }
  });
}

Outbox::~Outbox() {
  {
    const std::lock_guard lock(turn_->mutex);
    turn_->outbox = nullptr;
  }
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  added_.notify_one();
  thread_.join();
}

int Outbox::send(Device device, std::span<const std::uint8_t> mad, const MadAddress& to,
                 int response_timeout_ms) {
  std::size_t at;
  {
    std::unique_lock lock(mutex_);
    const auto has_room = [this] { return tail_ - head_ < kWaitingMax; };
    if (!has_room() && (untaken_for() >= kSendMax || !removed_.wait_for(lock, kRoomMax, has_room)))
      return EAGAIN;
    at = tail_;
  }
  Item& item = items_[at % kWaitingMax];
  item.umad.resize(umad_size() + mad.size());
  std::memset(item.umad.data(), 0, umad_size());
  std::memcpy(umad_get_mad(item.umad.data()), mad.data(), mad.size());
  umad_set_addr(item.umad.data(), to.lid.value, static_cast<int>(to.qpn), to.sl.value,
                static_cast<int>(to.qkey));
  set_global_route(item.umad.data(), to.grh);
  umad_set_pkey(item.umad.data(), to.pkey_index);
  item.to = to;
  item.device = device;
  item.response_timeout_ms = response_timeout_ms;
  item.queued = std::chrono::steady_clock::now();
  {
    const std::lock_guard lock(mutex_);
    ++tail_;
  }
  if (++unannounced_ >= kUnannouncedMax) {
    wake_thread();
  } else if (unannounced_ == 1) {
    boost::asio::post(runtime_.executor(), [turn = turn_] {
      const std::lock_guard lock(turn->mutex);
      if (turn->outbox != nullptr) turn->outbox->wake_thread();
    });
  }
  if (!std::exchange(watching_, true)) timer_->arm(runtime_.now() + kWatch);
  return 0;
}

/// Costs little if the thread is awake.
void Outbox::wake_thread() {
  if (std::exchange(unannounced_, 0) > 0) added_.notify_one();
}

void Outbox::run() {
  const WakeTimer timer;
  std::unique_lock lock(mutex_);
  for (;;) {
    added_.wait(lock, [this] { return ending_ || head_ != tail_; });
    if (head_ == tail_) return;
    lock.unlock();
    timer.arm(true);
    lock.lock();
    while (head_ != tail_) {
      Item& item = items_[head_ % kWaitingMax];
      lock.unlock();
      const int error = pass(item);
      on_outcome_({.mad = std::span<const std::uint8_t>(item.umad).subspan(umad_size()),
                   .to = item.to,
                   .awaits_response = item.response_timeout_ms > 0,
                   .error = error});
      lock.lock();
      if (tail_ - head_++ == kWaitingMax) removed_.notify_one();
      if (ending_ && error == EAGAIN) return;  // the device takes nothing
    }
    timer.arm(false);
  }
}

/// Returns 0 when the device has the MAD, or the errno with which it stays unsent.
int Outbox::pass(Item& item) {
  for (auto pause = kPauseLeast;; pause = std::min(2 * pause, kPauseMost)) {
    const TimePoint now = std::chrono::steady_clock::now();
    // One that has waited for this process alone is sent: its receiver may still wait for it.
    if (untaken_since_ != 0 && now - item.queued >= kBlockedAfter) return EAGAIN;
    if (untaken_since_ == 0) untaken_since_ = ticks(now);
    errno = 0;
    const int result =
        umad_send(item.device.port_id, item.device.agent, item.umad.data(),
                  static_cast<int>(item.umad.size() - umad_size()), item.response_timeout_ms, 0);
    const int error = result >= 0 ? 0 : errno != 0 ? errno : EIO;
    if (error != EINTR) {
      untaken_since_ = 0;  // the device has taken the MAD, or says why it does not
      return error;
    }
    std::unique_lock lock(mutex_);
    if (added_.wait_for(lock, pause, [this] { return ending_; })) return EAGAIN;
  }
}

/// Returns for how long the device has taken no MAD although one waits.
Duration Outbox::untaken_for() const {
  const TimePoint::rep since = untaken_since_;
  return since == 0 ? Duration{} : std::chrono::steady_clock::now() - TimePoint(Duration(since));
}

/// Notes when the device is blocked. It goes on until the device takes a MAD, also when all that
/// waited was returned: they were queued before the first of them was tried, and so end earlier.
void Outbox::watch() {
  const bool blocked = untaken_for() >= kBlockedAfter;
  if (std::exchange(blocked_, blocked) != blocked) on_blocked_(blocked);
  {
    const std::lock_guard lock(mutex_);
    watching_ = head_ != tail_ || untaken_since_ != 0;
  }
  if (watching_) timer_->arm(runtime_.now() + kWatch);
}

}  // namespace mad::umad
