#pragma once
// Differences of topologies, for people and as JSON.

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "sm/health/topology_differences.h"

namespace sm::ctl {

/// A line each, with descriptions and GUIDs; then one that counts. `nodes` and `links`: how many
/// were compared.
std::string differences_text(const std::vector<Difference>& differences, std::size_t nodes,
                             std::size_t links);

/// same; differences[]: kind, node (node_guid, description), saved[] and now[] (links: a and b with
/// node_guid, description, port), saved_description; of rates saved_rate and now_rate
/// ("4X HDR").
nlohmann::ordered_json differences_json(const std::vector<Difference>& differences);

}  // namespace sm::ctl
