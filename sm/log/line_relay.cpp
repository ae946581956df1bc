#include "sm/log/line_relay.h"

#include <csignal>
#include <utility>

#include "mad/format.h"

namespace sm {

LineRelay::LineRelay(Send send) : send_(std::move(send)) {
  // Other threads wait for signals, so this thread blocks them.
  sigset_t all{}, before{};
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_BLOCK, &all, &before);
  thread_ = std::thread([this] { run(); });
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

LineRelay::~LineRelay() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void LineRelay::add(LogLine line) {
  {
    const std::lock_guard lock(mutex_);
    if (lines_.size() >= kLinesMax) {
      ++left_out_;
      return;
    }
    lines_.push_back(std::move(line));
  }
  changed_.notify_one();
}

void LineRelay::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return ending_ || !lines_.empty(); });
    if (lines_.empty()) return;
    const std::deque<LogLine> lines = std::exchange(lines_, {});
    const std::uint64_t left_out = std::exchange(left_out_, 0);
    lock.unlock();
    for (const LogLine& line : lines) send_(line);
    if (left_out > 0)
      send_({.time = lines.back().time,
             .level = spdlog::level::warn,
             .message = fmt::format("{} lines were left out: they came faster than they were taken",
                                    left_out)});
    lock.lock();
  }
}

}  // namespace sm
