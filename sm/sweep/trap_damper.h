#pragma once

#include <cstdint>
#include <unordered_map>

#include "mad/attributes/notice.h"
#include "mad/runtime.h"

namespace sm {

/// Tells traps that are worth a reaction from storms: the same trap (issuer and content) that keeps
/// coming with less than five seconds between repeats is heard ten times, and then ignored until it
/// pauses. All traps are still repressed.
class TrapDamper {
 public:
  enum class Verdict : std::uint8_t { heed, storm_begins, ignore };
  Verdict hear(mad::Lid issuer, const mad::Notice& notice, mad::TimePoint now);

  static constexpr unsigned kHeeded = 10;
  static constexpr mad::Duration kPause = std::chrono::seconds(5);
  static constexpr std::size_t kRemembered =
      4096;  // different traps; beyond that everything is forgotten and counted anew

 private:
  struct History {
    unsigned count = 0;
    mad::TimePoint last{};
  };
  std::unordered_map<std::uint64_t, History> heard_;
};

}  // namespace sm
