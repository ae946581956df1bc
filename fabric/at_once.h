#pragma once

#include <cstddef>
#include <functional>
#include <initializer_list>
#include <span>

#include "fabric/fabric.h"
#include "fabric/parallel.h"

namespace fabric {

inline constexpr std::size_t kPortsWorthAThread = 4000;  // of a pass over all ports

/// Calls each of `passes` over the fabric, on several threads where its size is worth them. None
/// may read what another writes, and none may throw.
inline void at_once(const Fabric& fabric, std::initializer_list<std::function<void()>> passes) {
  const std::span<const std::function<void()>> all(passes);
  const bool is_worth_it = fabric.ports.size() >= kPortsWorthAThread;
  in_parallel(all.size(), is_worth_it ? 1 : all.size(), [&](std::size_t begin, std::size_t end) {
    for (const auto& pass : all.subspan(begin, end - begin)) pass();
  });
}

}  // namespace fabric
