#pragma once
// Tables for people, of the rows that daemons answer (sm/ops/rows.h). Control characters of
// descriptions, which come from the wire, are shown as "?".

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "sm/ctl/expected_rate.h"
#include "sm/ops/row_declaration.h"

namespace sm::ctl {

/// Columns as wide as their widest entry; the first row is the header.
std::string table(const std::vector<std::vector<std::string>>& rows);
/// Rows of the API, in the columns that their declaration has.
std::string table(const RowInfo& info, const nlohmann::ordered_json& rows);
/// Without control characters.
std::string printable(std::string_view text);

std::string nodes_text(const nlohmann::ordered_json& answer);
/// Returns the names that other commands take as NODE, a line each, for completion: the first word
/// of each description if no other node has it, else the GUID; a tab; the GUID. Words that a shell
/// would change do not count: descriptions come from the wire.
std::string node_names_text(const nlohmann::ordered_json& answer);

enum class LinkChoice : std::uint8_t {
  up,        // all with two ends
  degraded,  // narrower or slower than both ends can, or not Active
  down,      // switch ports without a link
};
/// True for a link that LinkChoice::degraded shows.
bool is_degraded_or_inactive(const nlohmann::ordered_json& link);
/// With a last line that counts all three.
std::string links_text(const nlohmann::ordered_json& answer, LinkChoice choice);
/// Links that are narrower or slower than expected, with a last line that counts them.
std::string links_below_text(const nlohmann::ordered_json& answer, const mad::LinkRate& expected);
std::string lids_text(const nlohmann::ordered_json& answer);
/// Lists all groups, or shows one with its members.
std::string groups_text(const nlohmann::ordered_json& answer);
/// Lists all partitions, or shows one with its members.
std::string partitions_text(const nlohmann::ordered_json& answer);
/// `answer`: of /v1/counters.
std::string counters_text(const nlohmann::ordered_json& answer);
/// `answer`: of /v1/congestion. The last line counts devices by state.
std::string congestion_text(const nlohmann::ordered_json& answer);
/// `answer`: of /v1/routers.
std::string routers_text(const nlohmann::ordered_json& answer);
/// `answer`: of /v1/subnets.
std::string subnets_text(const nlohmann::ordered_json& answer);
/// `answer`: of /v1/congestion/suggestion. Lines of opensm.conf, with reasons as comments.
std::string suggestion_text(const nlohmann::ordered_json& answer);
std::string security_text(const nlohmann::ordered_json& answer);
std::string lost_text(const nlohmann::ordered_json& answer);
std::string managers_text(const nlohmann::ordered_json& answer);
struct ConditionsView {
  bool colour = false;  // by severity
  bool all = false;     // also those that another one has caused, below it
};
/// How long each is active, and what Heddle and the operator do about those of one identifier.
std::string conditions_text(const nlohmann::ordered_json& answer, const ConditionsView& view);
/// One line of conditions, in colour by its severity.
std::string condition_line(const nlohmann::ordered_json& condition, bool colour);
/// True if another condition has caused it, whose text counts it.
bool is_caused(const nlohmann::ordered_json& condition);

}  // namespace sm::ctl
