#pragma once
// Nodes and links as `heddlectl diff` compares them, from whatever has them (a file that was saved,
// or what a daemon knows now), and their differences, for people and as JSON.

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>
#include <tl/expected.hpp>

#include "config/diagnostic.h"
#include "config/file_reader.h"
#include "fabric/recording/recording.h"
#include "sm/health/compared_topology.h"
#include "sm/health/topology_differences.h"

namespace sm::ctl {
using sm::compared;

/// Without what did not answer: its GUID is not known.
ComparedTopology compared(const Recording& recording);
/// Answers of a daemon to /nodes and /links, without nodes that have no link any more. Errors: in
/// words; a link of a node that is not in the list (the subnet was read again between the two
/// answers), or answers of another shape.
tl::expected<ComparedTopology, std::string> compared(const nlohmann::ordered_json& nodes,
                                                     const nlohmann::ordered_json& links);

/// Reads a file: a recording if it begins as one, YAML if its name ends in .yaml or .yml, else
/// ibnetdiscover's text. `warnings` gets the findings in a file that was read. Errors: at least one
/// finding.
tl::expected<ComparedTopology, config::Diagnostics> read_compared(
    const std::string& path, const config::FileReader& files = config::read_file,
    config::Diagnostics* warnings = nullptr);

/// A line each, with descriptions and GUIDs; then one that counts. `nodes` and `links`: how many
/// were compared.
std::string differences_text(const std::vector<Difference>& differences, std::size_t nodes,
                             std::size_t links);

/// same; differences[]: kind, node (node_guid, description), saved[] and now[] (links: a and b with
/// node_guid, description, port), saved_description; of rates saved_rate and now_rate
/// ("4X HDR").
nlohmann::ordered_json differences_json(const std::vector<Difference>& differences);

}  // namespace sm::ctl
