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
  void note(mad::Guid sw, LftDifference difference);
  /// LinearFDBTop is to be raised before blocks above it are written.
  bool needs_top_first(mad::Guid sw) const;
  bool any_needs_top_first() const;
  bool contains(mad::Guid sw) const { return switches_.contains(sw); }
  /// Forgets switches that are gone.
  void follow(const Fabric& fabric);
  /// SM-VALUE-IMPLAUSIBLE for each switch.
  std::vector<Condition> conditions(const Fabric& fabric) const;

 private:
  std::map<mad::Guid, LftDifference> switches_;  // the worst difference, by NodeGUID
};

}  // namespace sm
