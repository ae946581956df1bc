#pragma once
// This file formats a plan: the changes that a daemon would make.

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "fabric/fabric.h"
#include "fabric/forwarding_tables.h"
#include "fabric/lid_map.h"
#include "fabric/switch_graph.h"
#include "routing/quality/quality.h"
#include "sm/sweep/apply/plan.h"

namespace sm::ctl {

/// Holds an end port that would get another LID.
struct LidChange {
  PortIndex port;
  mad::Lid before, after;
};
std::vector<LidChange> find_lid_changes(const Fabric& fabric, const LidMap& lids);
/// Returns the number of changes and names the first of them.
std::string lid_changes_text(const Fabric& fabric, const std::vector<LidChange>& changes);

/// Describes the change of a path between hosts as text: "out 3 to spine-1, out 7 to leaf-4".
struct PlannedPath {
  PortIndex from, to;
  mad::Lid lid;
  std::string now, then;
};
/// Compares planned forwarding tables with those that switches hold.
struct TablesPlanned {
  std::size_t switches = 0, blocks_each = 0;
  std::optional<routing::TableChanges> changes = {};  // nothing: the held tables are not known
  std::vector<std::pair<std::size_t, SwitchIndex>> by_switch = {};  // blocks; most first
  std::uint64_t lost = 0, found = 0;                                // paths between hosts
  std::vector<PlannedPath> paths = {};                              // the first of them
};
/// `before` is null if the tables of the switches are not known. `cut_off` counts pairs that are
/// lost because a host is no longer attached.
TablesPlanned compare_tables(const Fabric& fabric, const SwitchGraph& graph, const LidMap& lids,
                             const ForwardingTables* before, const ForwardingTables& after,
                             std::size_t paths_named, std::uint64_t cut_off = 0);
/// Lists the blocks by switch and the paths between hosts that would change.
std::string table_changes_text(const Fabric& fabric, const TablesPlanned& planned);

/// Returns the number of attributes that a plan writes in each stage. Names the first `named`
/// writes of each stage and what they change.
std::string writes_text(const Fabric& fabric, const Plan& plan, std::size_t named);

/// Return the plan as JSON, with the names that the answer of POST /v1/plan has.
nlohmann::ordered_json lid_changes_json(const Fabric& fabric,
                                        const std::vector<LidChange>& changes);
nlohmann::ordered_json table_changes_json(const Fabric& fabric, const TablesPlanned& planned);
nlohmann::ordered_json writes_json(const Fabric& fabric, const Plan& plan, std::size_t named);

}  // namespace sm::ctl
