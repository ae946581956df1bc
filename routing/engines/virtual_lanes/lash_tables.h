#pragma once
// Forwarding tables of the paths between pairs of switches.

#include <span>
#include <vector>

#include "routing/engines/virtual_lanes/lash_result.h"

namespace routing {

/// Each switch distributes the LIDs of a bundle over its links.
void write_tables(const LashInput& frame, const LashPaths& paths, fabric::ForwardingTables& lfts);

/// Describes how a change of the fabric affects the paths of a previous routing with one tree.
struct LashTableChanges {
  const LashInput& frame;
  const LashPaths& paths;
  const Correspondence& was;
  const TableState& rows;                // of the fabric
  const std::vector<bool>& new_bundles;  // by channel without parallel links
  std::span<const std::vector<fabric::SwitchIndex>>
      changed;  // by switch: destinations that it leads over another channel, or had none to
};
/// The previous tables with other entries for these destinations, for LIDs that are new at their
/// switch, and where the link of an entry is lost. A link beside others that were there takes LIDs
/// of these until all have as many.
fabric::ForwardingTables lash_tables_after(const LashTableChanges& changes);

}  // namespace routing
