#pragma once
// This file formats the rows of the API (sm/ops/rows.h) as tables for people. Descriptions come
// from the wire; their control characters are shown as "?".

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>
#include <nlohmann/json_fwd.hpp>
#include <tl/expected.hpp>

#include "mad/link_speed.h"
#include "sm/ops/row_declaration.h"

namespace sm::ctl {

/// Reads "4X,HDR", "4X" or "hdr": width, speed or both, in either order. A part that is left out is
/// none, which every link fulfils. Errors: what is not a width or speed, in words.
tl::expected<mad::LinkRate, std::string> parse_expected_rate(std::string_view text);
/// "4X HDR", "4X", "HDR".
std::string expected_rate_text(const mad::LinkRate& rate);
/// A link of /v1/links is narrower or slower than expected, or its rate is not known.
bool is_below(const nlohmann::ordered_json& link, const mad::LinkRate& expected);

/// Returns a table whose columns are as wide as their widest entry; the first row is the header.
std::string table(const std::vector<std::vector<std::string>>& rows);
/// Returns the rows of the API as a table, in the order of columns that `info` declares.
std::string table(const RowInfo& info, const nlohmann::ordered_json& rows);
/// Returns "1 link", "2 links", "2 switches".
std::string counted(std::uint64_t count, std::string_view what);
/// Returns the text with "?" in place of control characters.
std::string printable(std::string_view text);

std::string nodes_text(const nlohmann::ordered_json& answer);
/// Returns the names that other commands take as NODE, for completion: one line each with name, tab
/// and GUID. The name is the first word of the description if no other node has it, else the GUID.
/// Words that a shell would change are skipped, since descriptions come from the wire.
std::string node_names_text(const nlohmann::ordered_json& answer);

enum class LinkChoice : std::uint8_t {
  up,        // all with two ends
  degraded,  // narrower or slower than both ends can, or not Active
  down,      // switch ports without a link
};
/// True for a link that LinkChoice::degraded shows.
bool is_degraded_or_inactive(const nlohmann::ordered_json& link);
/// Lists links; the last line counts all three choices.
std::string links_text(const nlohmann::ordered_json& answer, LinkChoice choice);
/// Lists links that are narrower or slower than expected; the last line counts them.
std::string links_below_text(const nlohmann::ordered_json& answer, const mad::LinkRate& expected);
/// Lists all groups, or shows one with its members.
std::string groups_text(const nlohmann::ordered_json& answer);
/// Lists all partitions, or shows one with its members.
std::string partitions_text(const nlohmann::ordered_json& answer);
/// Returns a line of `heddlectl status` for each other manager that holds a copy of the shared
/// state.
std::string store_peers_text(const nlohmann::ordered_json& store);
/// Says of an answer to a change who holds it, "; held by 1 other manager"; "" if it does not say.
std::string held_text(const nlohmann::ordered_json& answer);
/// Says what an order did, by `done`; or that the next sweep will, if it is not in force.
std::string order_text(const nlohmann::ordered_json& answer, const std::string& done);
/// Formats an answer of /v1/counters?sort=`sort`.
std::string counters_text(const nlohmann::ordered_json& answer, std::string_view sort);
/// Formats an answer of /v1/congestion; the last line counts devices by state.
std::string congestion_text(const nlohmann::ordered_json& answer);
/// Formats an answer of /v1/congestion/suggestion as lines of opensm.conf, with the reasons as
/// comments.
std::string suggestion_text(const nlohmann::ordered_json& answer);
std::string security_text(const nlohmann::ordered_json& answer);
struct ConditionsView {
  bool colour = false;      // by severity
  bool all = false;         // also those that another one has caused, below it
  std::size_t columns = 0;  // of the terminal: longer lines are wrapped; 0: none is
};
/// Lists conditions with the time that each is active, then occurrences with the time of each. Says
/// once for each identifier what Heddle and the operator do about it.
std::string conditions_text(const nlohmann::ordered_json& answer, const ConditionsView& view);
/// Returns one line of occurrences: "at 10:03:11  ...", in UTC.
std::string occurrence_line(const nlohmann::ordered_json& occurrence);
/// Returns one line of conditions, in the colour of its severity.
std::string condition_line(const nlohmann::ordered_json& condition, bool colour);
/// True if another condition has caused this one and counts it in its text.
bool is_caused(const nlohmann::ordered_json& condition);

}  // namespace sm::ctl
