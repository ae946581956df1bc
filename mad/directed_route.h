#pragma once
// A path through a fabric that has no LIDs yet: the exit port of every hop.

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "mad/ids.h"

namespace mad {

/// Holds the exit ports from the local port outwards; empty for the local node itself. A value of
/// 65 bytes, no heap. Shape: at most 63 hops: entry 0 of the 64 on the wire is not used. Source:
/// IBTA Vol 1, 14.2.1.2 (InitialPath).
class DirectedRoute {
 public:
  static constexpr std::size_t kHopsMax = 63;
  static constexpr std::size_t kPathBytes = 64;

  constexpr DirectedRoute() = default;
  /// Returns nullopt for more than 63 hops.
  static constexpr std::optional<DirectedRoute> of(std::span<const std::uint8_t> hops) {
    if (hops.size() > kHopsMax) return std::nullopt;
    DirectedRoute route;
    std::copy(hops.begin(), hops.end(), route.path_.begin() + 1);
    route.hop_count_ = static_cast<std::uint8_t>(hops.size());
    return route;
  }
  static constexpr std::optional<DirectedRoute> of(std::initializer_list<std::uint8_t> hops) {
    return of(std::span<const std::uint8_t>(hops.begin(), hops.size()));
  }

  constexpr std::uint8_t hop_count() const { return hop_count_; }
  /// Returns the exit ports in order, hop_count() of them.
  constexpr std::span<const std::uint8_t> hops() const {
    return std::span(path_).subspan(1, hop_count_);
  }
  /// Returns the form of InitialPath: entry 0 and all entries after the last hop are 0.
  constexpr const std::array<std::uint8_t, kPathBytes>& path() const { return path_; }

  /// Returns this route extended by one hop through `port`, or nullopt if it would be too long.
  constexpr std::optional<DirectedRoute> extended(PortNum port) const {
    if (hop_count_ == kHopsMax) return std::nullopt;
    DirectedRoute longer = *this;
    longer.path_[++longer.hop_count_] = port.value;
    return longer;
  }

  /// Returns "0,1,4": 0 stands for the local port, as in the -D option of infiniband-diags.
  std::string text() const;

  constexpr bool operator==(const DirectedRoute&) const = default;

 private:
  std::array<std::uint8_t, kPathBytes>
      path_{};  // zero after the last hop, so that equal routes are equal bytes
  std::uint8_t hop_count_ = 0;
};

}  // namespace mad

template <>
struct std::hash<mad::DirectedRoute> {
  std::size_t operator()(const mad::DirectedRoute& route) const noexcept {
    const auto hops = route.hops();
    return std::hash<std::string_view>{}({reinterpret_cast<const char*>(hops.data()), hops.size()});
  }
};
