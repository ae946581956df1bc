#pragma once

#include <array>
#include <cstdint>

#include "sm/sa/request_validation.h"

namespace sa {

/// Requests since the start.
struct Statistics {
  std::uint64_t received = 0, answered = 0,
                refused = 0;    // refused: answered with another status than kOk
  std::uint64_t busy = 0;       // of these: for want of room or time
  std::uint64_t wrong_gid = 0;  // of these: the source GID is not at the port with the source LID
  std::uint64_t repeated = 0;   // requests whose answer was under way already
  std::uint64_t slices = 0;     // of answers that were too long to be produced at once
  std::array<std::uint64_t, kDrops> dropped{};  // by Drop
};

/// Reports to subscribers since the start.
struct ReportStatistics {
  std::uint64_t delivered = 0;
  std::uint64_t given_up = 0;  // not acknowledged after all retries
  std::uint64_t dropped = 0;   // never sent: the queue was full
};

}  // namespace sa
