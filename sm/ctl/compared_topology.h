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
#include "fabric/topology/read.h"
#include "mad/attributes/node_info.h"
#include "mad/ids.h"
#include "mad/link_speed.h"

namespace sm::ctl {

struct ComparedTopology {
  struct Node {
    mad::Guid guid;
    mad::NodeType type{};
    std::string description;    // NodeDescription
    std::string operator_name;  // of node_name_map_name; empty: none
  };
  struct End {
    std::size_t node = 0;  // index into `nodes`
    mad::PortNum port;
  };
  struct Link {
    End a, b;
    mad::LinkRate rate;  // 0 lanes or no speed: unknown; FDR10 is QDR
  };
  std::vector<Node> nodes;
  std::vector<Link> links;  // those with two ends that are up
};

/// Rates that the file does not state are unknown.
ComparedTopology compared(const sim::TopologyFile& file);
/// Without what did not answer: its GUID is not known.
ComparedTopology compared(const Recording& recording);
/// Answers of a daemon to /nodes and /links, without nodes that have no link any more. Errors: in
/// words; a link of a node that is not in the list (the subnet was read anew between the two
/// answers), or answers of another shape.
tl::expected<ComparedTopology, std::string> compared(const nlohmann::json& nodes,
                                                     const nlohmann::json& links);

/// Reads a file: a recording if it begins as one, YAML if its name ends in .yaml or .yml, else
/// ibnetdiscover's text. Errors: at least one finding.
tl::expected<ComparedTopology, config::Diagnostics> read_compared(
    const std::string& path, const config::FileReader& files = config::read_file);

}  // namespace sm::ctl
