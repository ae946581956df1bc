#pragma once
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

#include "sm/log/log_line.h"

namespace sm {

/// Hands lines to a service of the system on a thread of its own: the journal and syslog make their
/// clients wait when they are behind, and the control thread does not wait for them. Lines wait up
/// to kLinesMax; what has no room is left out, and the next line says how many.
class LineRelay {
 public:
  static constexpr std::size_t kLinesMax = 4096;
  using Send = std::function<void(const LogLine& line)>;  // on the relay's thread

  explicit LineRelay(Send send);
  /// Sends what waits.
  ~LineRelay();
  LineRelay(const LineRelay&) = delete;
  LineRelay& operator=(const LineRelay&) = delete;

  /// Never waits for send().
  void add(LogLine line);

 private:
  void run();

  Send send_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<LogLine> lines_;
  std::uint64_t left_out_ = 0;
  bool ending_ = false;
  std::thread thread_;  // last: it uses the others
};

/// Returns whether one of the standard streams of this process is connected to the journal: it was
/// started by a service manager that collects its output. `stream`: $JOURNAL_STREAM
/// (systemd.exec(5)), may be null.
bool is_journal_stream(int descriptor, const char* stream);
bool runs_under_journal();

/// Waits while the journal is behind. Without a journal it does nothing.
void send_to_journal(const LogLine& line);

}  // namespace sm
