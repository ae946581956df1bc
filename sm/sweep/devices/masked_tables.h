#pragma once

#include <map>
#include <span>
#include <vector>

#include "fabric/condition.h"
#include "fabric/fabric.h"
#include "fabric/forwarding_tables.h"
#include "fabric/lid_map.h"

namespace sm {

/// How a block that a switch shows differs from the block that was written. Later ones are worse.
enum class LftDifference : std::uint8_t {
  none,
  unused,     // entries of LIDs that no port has, and that are to be dropped
  above_top,  // entries above LinearFDBTop, of LIDs in use: they may be there or not
  wrong,
};
/// `top`: LinearFDBTop of the switch. Pure.
LftDifference difference(std::uint32_t block, std::span<const std::uint8_t, kLftBlockLids> written,
                         std::span<const std::uint8_t, kLftBlockLids> shown, mad::Lid top,
                         const LidMap& lids);

/// Switches that acknowledge a block of the LinearForwardingTable and show other entries where no
/// packet is forwarded by them: above LinearFDBTop, or of LIDs that are not in use. Some take
/// nothing above LinearFDBTop, others do not show it. A value.
class MaskedTables {
 public:
  /// A response to SubnSet(LinearForwardingTable).
  void note(mad::Guid sw, std::uint32_t block, LftDifference difference);
  /// SubnGet shows this block as it was written. False if that is nothing new. A single random
  /// answer is so no condition for ever; LinearFDBTop is raised first all the same, which costs
  /// nothing.
  bool note_right(mad::Guid sw, std::uint32_t block);
  /// LinearFDBTop is to be raised before blocks above it are written.
  bool needs_top_first(mad::Guid sw) const;
  bool any_needs_top_first() const;
  /// Some block showed other entries when it was read or written latest.
  bool contains(mad::Guid sw) const;
  /// Forgets switches that are gone, and blocks from `blocks` on.
  void update_from(const Fabric& fabric, std::size_t blocks);
  /// SM-VALUE-IMPLAUSIBLE for each switch that contains() has.
  std::vector<Condition> conditions(const Fabric& fabric) const;

 private:
  struct Masked {
    bool top_first = false;
    std::map<std::uint32_t, LftDifference> blocks;
  };
  std::map<mad::Guid, Masked> switches_;  // by NodeGUID
};

}  // namespace sm
