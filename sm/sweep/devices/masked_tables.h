#pragma once

#include <map>
#include <span>
#include <vector>

#include "fabric/condition.h"
#include "fabric/fabric.h"
#include "fabric/forwarding_tables.h"
#include "fabric/lid_map.h"

namespace sm {

/// Says how a shown block differs from the block that was written. Later values are worse.
enum class LftDifference : std::uint8_t {
  none,
  unused,     // entries of LIDs that no port has, and that are to be dropped
  above_top,  // entries above LinearFDBTop, of LIDs in use: they may be there or not
  wrong,
};
/// Compares a block. `top`: LinearFDBTop of the switch. Pure.
LftDifference difference(std::uint32_t block, std::span<const std::uint8_t, kLftBlockLids> written,
                         std::span<const std::uint8_t, kLftBlockLids> shown, mad::Lid top,
                         const LidMap& lids);

/// Holds switches that acknowledge a LinearForwardingTable block but show other entries where they
/// forward no packet: above LinearFDBTop, or of unused LIDs. Some take nothing above LinearFDBTop,
/// others do not show it. A value.
class MaskedTables {
 public:
  /// Notes a response to SubnSet(LinearForwardingTable).
  void note(mad::Guid sw, std::uint32_t block, LftDifference difference);
  /// Notes that SubnGet shows this block as it was written; returns false if that is nothing new.
  /// So a single random response is not a condition for ever. LinearFDBTop is still raised first,
  /// which costs nothing.
  bool note_match(mad::Guid sw, std::uint32_t block);
  /// True if LinearFDBTop must be raised before blocks above it are written.
  bool needs_top_first(mad::Guid sw) const;
  bool any_needs_top_first() const;
  /// True if some block showed other entries when it was read or written latest.
  bool contains(mad::Guid sw) const;
  /// Forgets switches that disappeared, and blocks from `blocks` on.
  void update_from(const Fabric& fabric, std::size_t blocks);
  /// Returns SM-VALUE-IMPLAUSIBLE for each switch that contains() has.
  std::vector<Condition> conditions(const Fabric& fabric) const;

 private:
  struct Masked {
    bool top_first = false;
    std::map<std::uint32_t, LftDifference> blocks;
  };
  std::map<mad::Guid, Masked> switches_;  // by NodeGUID
};

}  // namespace sm
