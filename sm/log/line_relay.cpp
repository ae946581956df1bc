#include "sm/log/line_relay.h"

#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <utility>

// The journal would add the place in the source, which names this file for all lines.
#define SD_JOURNAL_SUPPRESS_LOCATION
#include <systemd/sd-journal.h>

#include "mad/format.h"
#include "mad/number.h"

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

bool is_journal_stream(int descriptor, const char* stream) {
  if (stream == nullptr) return false;
  const std::string_view text(stream);
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) return false;
  const auto device = mad::parse_number(text.substr(0, colon)),
             inode = mad::parse_number(text.substr(colon + 1));
  struct stat status{};
  return device && inode && ::fstat(descriptor, &status) == 0 && status.st_dev == *device &&
         status.st_ino == *inode;
}

bool runs_under_journal() {
  const char* const stream = std::getenv("JOURNAL_STREAM");
  return is_journal_stream(STDERR_FILENO, stream) || is_journal_stream(STDOUT_FILENO, stream);
}

void send_to_journal(const LogLine& line) {
  std::vector<std::string> fields = journal_fields(line);
  std::vector<::iovec> vectors;
  for (std::string& field : fields) vectors.push_back({field.data(), field.size()});
  static_cast<void>(::sd_journal_sendv(vectors.data(), static_cast<int>(vectors.size())));
}

}  // namespace sm
