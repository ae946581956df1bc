#pragma once
// Texts about adaptive routing, from answers of the API.

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "sm/ops/adaptive_trace.h"

namespace sm::ctl {

/// Lines for `heddlectl status`: on how many switches, the first others with their reasons, which
/// SLs are adaptive, and the variables that applications need. `summary`: adaptive_routing of
/// /v1/subnet.
std::vector<std::string> adaptive_lines(const nlohmann::ordered_json& summary);
/// `answer`: of /v1/adaptive-routing, with "adaptive_routing" of /v1/subnet, null if that has none.
std::string adaptive_text(const nlohmann::ordered_json& answer);
/// `answer`: of /v1/adaptive-routing/{node}/groups.
std::string adaptive_groups_text(const nlohmann::ordered_json& answer);
/// "active, 12 groups, fast recovery"; "off: no adaptive routing capability". `row`: of a switch.
std::string adaptive_state_text(const nlohmann::ordered_json& row);
/// `trace`: a direction of /v1/routing/path that has "adaptive_hops". The last line names SL and
/// LID, as for a static path.
std::string adaptive_path_text(const nlohmann::ordered_json& trace);
/// "adaptive_hops" of a path through tables that no manager has published.
nlohmann::ordered_json adaptive_hops_json(const AdaptiveTrace& trace, const Fabric& fabric);

}  // namespace sm::ctl
