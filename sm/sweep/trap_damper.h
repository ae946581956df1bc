#pragma once

#include <cstdint>
#include <unordered_map>

#include "mad/attributes/notice.h"
#include "mad/runtime.h"

namespace sm {

/// Damps trap storms. The same trap (issuer and content), repeated at intervals of less than five
/// seconds, is handled ten times and then ignored until it pauses. All traps are still repressed.
class TrapDamper {
 public:
  enum class Action : std::uint8_t { handle, storm_begins, ignore };
  Action admit(mad::Lid issuer, const mad::Notice& notice, mad::TimePoint now);

  static constexpr unsigned kHandledMax = 10;
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
