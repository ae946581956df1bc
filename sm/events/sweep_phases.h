#pragma once
// SweepPhase is the part of a sweep that runs, for measurements.

#include <array>
#include <cstdint>
#include <string_view>

namespace sm {

enum class SweepPhase : std::uint8_t {
  idle,     // no sweep
  observe,  // attributes are read
  decide,   // LIDs, partitions, multicast trees, VLs
  route,    // unicast tables, and their verification
  plan,     // differences, and the order of writes
  apply,    // attributes are written
  publish,  // the snapshot, and what subnet administration derives from it
  store,    // files
};
inline constexpr std::array<std::string_view, 8> kSweepPhaseNames{
    "idle", "observe", "decide", "route", "plan", "apply", "publish", "store"};

}  // namespace sm
