#pragma once
// DeviceTable holds the content of attributes that devices need not have.

#include <algorithm>
#include <bit>
#include <compare>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <ranges>
#include <span>
#include <vector>

#include "fabric/fabric.h"
#include "mad/attribute.h"
#include "mad/backoff.h"
#include "mad/smp_client.h"
#include "sm/health/link_health.h"

namespace sm {

/// Identifies a block of an attribute.
struct BlockKey {
  PortPlace place;  // port 0 for an attribute of the node
  mad::AttributeId attribute{};
  std::uint32_t block = 0;  // the modifier of an attribute of the node; 0 for one of a port
  auto operator<=>(const BlockKey&) const = default;
};
/// Returns the key of what a device does with a part of an attribute of its ports. A port that
/// fails is a failure of the device, which is not asked at its other ports either.
inline BlockKey device_key(mad::Guid node, mad::AttributeId attribute, std::uint8_t part) {
  return {.place = {.node = node}, .attribute = attribute, .block = part};
}

/// Says what follows from a request that was rejected or not answered.
enum class Failure : std::uint8_t {
  none,
  unsupported,  // it is not sent again until the device restarts
  deferred,     // it is sent again when the reader of the attribute does so: see take_opportunity()
  retried,      // it is sent again after a pause, by a sweep of the node
};

/// The pauses before a device is asked again for what it did not do.
inline constexpr mad::Duration kDeviceRetryFirst = std::chrono::seconds(5),
                               kDeviceRetryLast = std::chrono::hours(1);

/// Describes a block by the latest response and the latest failure.
struct HeldBlock {
  std::optional<mad::SmpData> bytes;
  // Flags of parts of `bytes`: they must be read again; a SubnSet of them was not taken.
  std::uint8_t stale = 0, rejected = 0;
  Failure failure = Failure::none;
  std::uint16_t status = 0;    // of the failure; 0: no response
  unsigned opportunities = 0;  // for a deferred request, since the latest response
  mad::Retry retry{kDeviceRetryFirst, kDeviceRetryLast};

  bool is_known(std::uint8_t part = 1) const { return bytes && (stale & part) == 0; }
  void store(std::span<const std::uint8_t, 64> data) {
    std::ranges::copy(data, bytes.emplace().begin());
    stale = 0;
    opportunities = 0;
  }
  void fail(std::uint16_t with_status, Failure what) {
    failure = what;
    status = with_status;
  }
  /// Makes parts be read again, and what was rejected be sent again.
  void invalidate(std::uint8_t parts) {
    stale = static_cast<std::uint8_t>(stale | parts);
    rejected = static_cast<std::uint8_t>(rejected & ~parts);
  }
  /// Ends a deferred failure: a rejection each time, silence at every 1st, 2nd, 4th, ...
  /// opportunity.
  void take_opportunity() {
    if (failure == Failure::deferred && (status != 0 || std::has_single_bit(++opportunities)))
      failure = Failure::none;
  }
};

/// Returns a view of the blocks of a node.
auto node_blocks(auto& blocks, mad::Guid node) {
  return std::ranges::subrange(blocks.lower_bound(BlockKey{.place = {.node = node}}),
                               blocks.end()) |
         std::views::take_while(
             [node](const auto& entry) { return entry.first.place.node == node; });
}

/// Holds blocks by key: all of a node are neighbours. A value, as DeviceState is.
struct DeviceTable {
  using Blocks = std::map<BlockKey, HeldBlock>;
  Blocks blocks;

  /// Returns null if nothing is known.
  const HeldBlock* find(const BlockKey& key) const;
  /// Returns the attribute, unless this part of it is unknown.
  template <mad::AttributeType A>
  std::optional<A> read(const PortPlace& place, std::uint32_t block = 0,
                        std::uint8_t part = 1) const {
    const HeldBlock* const held = find({place, A::kId, block});
    return held != nullptr && held->is_known(part) ? std::optional(A(*held->bytes)) : std::nullopt;
  }
  /// True if the part is unknown, and no request for it has failed.
  bool is_due(const BlockKey& key, std::uint8_t part = 1) const;

  /// Invalidates a part of an attribute of ports, and forgets what the device does with it: of a
  /// node, or (node 0) of all nodes.
  void invalidate(mad::AttributeId attribute, std::uint8_t part, mad::Guid node = {});
  /// Forgets attributes of a node, or (node 0) of all nodes.
  void forget(std::initializer_list<mad::AttributeId> attributes, mad::Guid node = {});

  /// Begins a sweep: forgets nodes that disappeared, and ends failures that are retried and whose
  /// pauses are over.
  void begin(const fabric::Fabric& fabric, mad::TimePoint now);
  /// Returns the nodes with something to be retried, by NodeGUID.
  std::vector<mad::Guid> due(mad::TimePoint now) const;
  /// Returns the first attribute of the node that will be retried; 0 if nothing will.
  mad::AttributeId retried(mad::Guid node) const;
};

}  // namespace sm
