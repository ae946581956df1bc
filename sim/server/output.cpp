#include "sim/server/output.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace sim::server {

void Output::write(std::string_view text) {
  if (broken_ || waiting_.size() + text.size() > kMaxBytes) return;
  waiting_ += text;
}

bool Output::flush() {
  // A pipe that poll() calls writable takes this much at once.
  constexpr std::size_t kChunkBytes = 4096;
  std::size_t done = 0;
  while (done < waiting_.size()) {
    pollfd writable{fd_, POLLOUT, 0};
    if (poll(&writable, 1, 0) <= 0) break;
    const ssize_t wrote =
        ::write(fd_, waiting_.data() + done, std::min(kChunkBytes, waiting_.size() - done));
    if (wrote < 0) {
      if (errno == EINTR || errno == EAGAIN) break;
      broken_ = true;
      done = waiting_.size();
      break;
    }
    done += static_cast<std::size_t>(wrote);
  }
  waiting_.erase(0, done);
  return !waiting_.empty();
}

void Output::finish() {
  for (int tries = 0; tries < 20 && flush(); ++tries) {
    pollfd writable{fd_, POLLOUT, 0};
    poll(&writable, 1, 100);
  }
}

}  // namespace sim::server
