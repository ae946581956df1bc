#pragma once
// Texts of one node, one port, and of events, from answers of the API.

#include <string>

#include <nlohmann/json.hpp>

#include "sm/ops/trace.h"

namespace sm::ctl {

/// `node`: the answer of /v1/nodes/{node}, with "loads" of /v1/routing/loads.
std::string node_text(const nlohmann::ordered_json& node);
/// `port`: the answer of /v1/nodes/{node}/ports/{port}, with "loads", and "load" of /v1/routing.
std::string port_text(const nlohmann::ordered_json& port);
/// `lost`: a row of /v1/lost about a node.
std::string lost_node_text(const nlohmann::ordered_json& lost);
/// `trace`: one direction of the answer of /v1/routing/path. Lines are those of a path that was
/// read from switches, with rate and MTU. Where switches choose, all ports with their shares.
std::string path_text(const nlohmann::ordered_json& trace);
/// A path through tables that no manager has published, with the names of a direction of
/// /v1/routing/path.
nlohmann::ordered_json trace_json(const Trace& trace, const Fabric& fabric);
/// Lists what is wrong with a node or port, with meaning left to `heddlectl explain`.
std::string conditions_section(const nlohmann::ordered_json& conditions, bool colour);
/// Returns "" if there are none.
std::string occurrences_section(const nlohmann::ordered_json& occurrences);

/// "10:03:11 warning   link down: ..."; the date stands before it if `with_date`.
std::string event_line(const nlohmann::ordered_json& event, bool with_date);
/// True if the event is about this node, as one of its ends.
bool is_about(const nlohmann::ordered_json& event, const std::string& node_guid);

}  // namespace sm::ctl
