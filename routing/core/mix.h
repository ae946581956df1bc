#pragma once

#include <cstdint>

namespace routing {

/// Hash of a number over all 64 bits (finaliser of splitmix64; Steele, Lea, Flood 2014). Unlike
/// std::hash, it is the same on every platform.
constexpr std::uint64_t mix(std::uint64_t z) {
  z += 0x9E3779B97F4A7C15u;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

}  // namespace routing
