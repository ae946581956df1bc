#pragma once
// Nodes and links as `heddlectl diff` compares them, from whatever has them: a file that was saved,
// or what a daemon knows now.

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>
#include <tl/expected.hpp>

#include "config/diagnostic.h"
#include "config/file_reader.h"
#include "fabric/recording/recording.h"
#include "sm/health/compared_topology.h"

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
/// ibnetdiscover's text. Errors: at least one finding.
tl::expected<ComparedTopology, config::Diagnostics> read_compared(
    const std::string& path, const config::FileReader& files = config::read_file);

}  // namespace sm::ctl
