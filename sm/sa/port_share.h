#pragma once
// The share that one port gets of what all requesters share: places in the request queue, memory of
// answers, transfers, reports. One policy for all of them; each user counts what it has.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "mad/ids.h"
#include "mad/runtime.h"
#include "sm/sa/query/client.h"

namespace sa {

/// Limits what all ports together, one physical port with its vports, and one vport may have. The
/// amounts are numbers or bytes.
///
/// A port that has `few` or more gets at most 1/free_share of what is free and not reserved for
/// ports with less. A lone port gets much, and many that want everything leave room for others
/// (dynamic thresholds; Choudhury and Hahne, IEEE/ACM Transactions on Networking 6(2), 1998).
struct ShareLimits {
  std::size_t total = 0;
  std::size_t per_port = 0;
  std::size_t per_vport = std::numeric_limits<std::size_t>::max();
  std::size_t free_share = 1;
  std::size_t reserved = 0;  // only ports that have less than `few` take from this
  std::size_t few = 1;
};

/// The amounts that are in use.
struct InUse {
  std::size_t port = 0;  // by the requester's port with its vports
  std::size_t own = 0;   // by the requester itself, if it is a vport
  std::size_t all = 0;
};

enum class Admission : std::uint8_t {
  admitted,
  full,     // the port has less than `few` and waits only for room: others have everything
  refused,  // the requester or its port has its share
};
/// Decides whether `requester` may have `amount` more. Pure.
Admission admission(const ShareLimits& limits, const Client& requester, const InUse& in_use,
                    std::size_t amount = 1);

/// Something that a port keeps until it acknowledges, or sends the rest.
struct Holding {
  mad::Guid port;
  std::size_t amount = 1;
  mad::TimePoint since{};
  mad::TimePoint due{};  // a requester that does its part has finished by then
};
/// Returns how long a requester that acknowledges takes for a message, also a slow one.
constexpr mad::Duration time_for(std::size_t bytes) {
  constexpr std::size_t kBytesPerMillisecond = 8'000;
  return std::chrono::seconds(2) + std::chrono::milliseconds(bytes / kBytesPerMillisecond);
}
/// Returns the numbers of the holdings that end so that `newcomer`, which Admission::full concerns,
/// gets `amount`: the oldest one of the port that has the most, and so on. A holding that is not
/// due yet ends only if its port has two more than the newcomer's. Returns nothing if that is not
/// enough. Pure.
std::vector<std::size_t> find_displaced(std::span<const Holding> holdings, mad::Guid newcomer,
                                        std::size_t amount, mad::TimePoint now);

}  // namespace sa
