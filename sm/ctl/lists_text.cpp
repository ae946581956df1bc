#include "sm/ctl/lists_text.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <set>
#include <sstream>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "config/control_characters.h"
#include "fabric/condition.h"
#include "sm/ops/condition_kinds.h"
#include "sm/ops/partition_rows.h"
#include "sm/ops/rows.h"
#include "sm/ops/security.h"

namespace sm::ctl {
namespace {

constexpr std::array<unsigned, 5> kWidths{1, 2, 4, 8, 12};

bool is_equal(std::string_view a, std::string_view b) {
  const auto upper = [](char c) { return std::toupper(static_cast<unsigned char>(c)); };
  return std::ranges::equal(a, b, {}, upper, upper);
}

/// Returns 0 if the name is not a width.
unsigned find_lanes(std::string_view name) {
  const auto found = std::ranges::find_if(
      kWidths, [&](unsigned lanes) { return is_equal(mad::width_name(lanes), name); });
  return found == kWidths.end() ? 0 : *found;
}

/// Returns none if the name is not a speed.
mad::LaneSpeed find_speed(std::string_view name) {
  for (auto speed = mad::LaneSpeed::sdr; speed <= mad::LaneSpeed::xdr;
       speed = static_cast<mad::LaneSpeed>(static_cast<unsigned>(speed) + 1))
    if (is_equal(mad::name(speed), name)) return speed;
  return mad::LaneSpeed::none;
}

using Json = nlohmann::ordered_json;
using Rows = std::vector<std::vector<std::string>>;

bool is_active(const Json& link) { return field_text(link, "port_state").starts_with("Active"); }

std::string first_word(const std::string& text) { return text.substr(0, text.find(' ')); }

/// True if no shell changes the word.
bool is_plain_word(std::string_view text) {
  constexpr std::string_view kMarks = "-_.:/@%+,";
  return !text.empty() && text[0] != '-' && std::ranges::all_of(text, [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           kMarks.find(c) != std::string_view::npos;
  });
}

/// Returns the terminal code of the colour for a severity.
const char* colour_of(std::string_view severity) {
  if (severity == "critical" || severity == "error") return "\x1b[31m";
  if (severity == "warning") return "\x1b[33m";
  return "\x1b[36m";
}

}  // namespace

tl::expected<mad::LinkRate, std::string> parse_expected_rate(std::string_view text) {
  mad::LinkRate rate;
  for (std::string_view rest = text;;) {
    const std::size_t comma = rest.find(',');
    const std::string_view part = rest.substr(0, comma);
    const unsigned lanes = find_lanes(part);
    const mad::LaneSpeed speed = find_speed(part);
    const bool is_second = (lanes != 0 && rate.lanes != 0) ||
                           (speed != mad::LaneSpeed::none && rate.speed != mad::LaneSpeed::none);
    if ((lanes == 0 && speed == mad::LaneSpeed::none) || is_second)
      return tl::unexpected(fmt::format(
          "'{}' is no width and speed of links; examples: 4X,HDR or 4X or HDR (widths 1X, 2X, 4X, "
          "8X, 12X; speeds SDR, DDR, QDR, FDR, EDR, HDR, NDR, XDR)",
          text.substr(0, 100)));
    if (lanes != 0) rate.lanes = lanes;
    if (speed != mad::LaneSpeed::none) rate.speed = speed;
    if (comma == std::string_view::npos) return rate;
    rest.remove_prefix(comma + 1);
  }
}

std::string expected_rate_text(const mad::LinkRate& rate) {
  return fmt::format("{}{}{}", mad::width_name(rate.lanes),
                     rate.lanes != 0 && rate.speed != mad::LaneSpeed::none ? " " : "",
                     mad::name(rate.speed));
}

bool is_below(const nlohmann::ordered_json& link, const mad::LinkRate& expected) {
  return find_lanes(field_text(link, "link_width_active")) < expected.lanes ||
         find_speed(field_text(link, "link_speed_active")) < expected.speed;
}

std::string counted(std::uint64_t count, std::string_view what) {
  const bool is_hissing = what.ends_with('s') || what.ends_with("ch");
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : is_hissing ? "es" : "s");
}

std::string printable(std::string_view text) { return config::without_control_characters(text); }

std::string table(const Rows& rows) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string out;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i)
      line += fmt::format("{}{:{}}", i == 0 ? "" : "  ", printable(row[i]), widths[i]);
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + '\n';
  }
  return out;
}

std::string table(const RowInfo& info, const Json& rows) {
  Rows out(1);
  for (const TableColumn& column : info.columns) out[0].emplace_back(column.title);
  for (const Json& row : rows) {
    std::vector<std::string>& cells = out.emplace_back();
    for (const TableColumn& column : info.columns)
      cells.push_back(column.text != nullptr ? column.text(row) : field_text(row, column.field));
  }
  return table(out);
}

std::string nodes_text(const Json& answer) { return table(sm::node_info(), answer.at("nodes")); }

std::string node_names_text(const Json& answer) {
  std::map<std::string, unsigned> times;
  for (const Json& node : answer.at("nodes")) ++times[first_word(field_text(node, "description"))];
  std::string out;
  for (const Json& node : answer.at("nodes")) {
    const std::string name = first_word(field_text(node, "description"));
    const std::string guid = field_text(node, "node_guid");
    const bool good = times[name] == 1 && is_plain_word(name);
    ((out += good ? name : guid) += '\t') += guid + '\n';
  }
  return out;
}

bool is_degraded_or_inactive(const Json& link) {
  return link.at("degraded").get<bool>() || !is_active(link);
}

std::string links_text(const Json& answer, LinkChoice choice) {
  std::size_t degraded = 0, inactive = 0;
  Json chosen = Json::array();
  for (const Json& link : answer.at("links")) {
    const bool bad = link.at("degraded").get<bool>();
    degraded += bad;
    inactive += !is_active(link);
    if (choice == LinkChoice::up ||
        (choice == LinkChoice::degraded && is_degraded_or_inactive(link)))
      chosen.push_back(link);
  }
  const Json& unlinked = answer.at("ports_without_link");
  const bool down = choice == LinkChoice::down;
  const Json& rows = down ? unlinked : chosen;
  return (rows.empty() ? std::string() : table(down ? sm::port_info() : sm::link_info(), rows)) +
         fmt::format("{}, {} of them degraded, {} not Active; {} without a link\n",
                     counted(answer.at("links").size(), "link"), degraded, inactive,
                     counted(unlinked.size(), "switch port"));
}

std::string links_below_text(const Json& answer, const mad::LinkRate& expected) {
  Json below = Json::array();
  for (const Json& link : answer.at("links"))
    if (is_below(link, expected)) below.push_back(link);
  return (below.empty() ? std::string() : table(sm::link_info(), below)) +
         fmt::format("{}, {} of them below {}\n", counted(answer.at("links").size(), "link"),
                     below.size(), expected_rate_text(expected));
}

namespace {

/// Returns all of `list`, or one row with its members.
std::string text_with_members(const Json& answer, const char* list, const RowInfo& row,
                              const RowInfo& member) {
  if (answer.contains(list)) return table(row, answer.at(list));
  return table(row, Json::array({answer})) + table(member, answer.at("members"));
}

}  // namespace

std::string groups_text(const Json& answer) {
  return text_with_members(answer, "groups", group_info(), group_member_info());
}

std::string partitions_text(const Json& answer) {
  return text_with_members(answer, "partitions", subnet_partition_info(),
                           subnet_partition_member_info());
}

std::string store_peers_text(const Json& store) {
  std::string text;
  for (const Json& peer : store.value("peers", Json::array())) {
    const bool is_configured = peer.value("configured", true);
    const bool is_connected = peer.at("connected").get<bool>();
    if (!is_configured && !is_connected) {
      text += fmt::format("  state peer   a program at {} was refused: {}\n",
                          printable(field_text(peer, "address")),
                          printable(field_text(peer, "why_not")));
      continue;
    }
    text += fmt::format("  state peer   {} ({}): ", printable(field_text(peer, "address")),
                        field_text(peer, "port_guid"));
    if (!is_connected)
      text += "not connected: " + printable(field_text(peer, "why_not"));
    else if (peer.at("behind_records") == 0)
      text += "has all changes";
    else
      text += fmt::format("lacks {} since {} s",
                          counted(peer.at("behind_records").get<std::uint64_t>(), "change"),
                          field_text(peer, "behind_s"));
    if (!is_configured) text += "; its address is not in state_peers here";
    text += '\n';
  }
  return text;
}

std::string held_text(const Json& answer) {
  const auto found = answer.find("replicated");
  if (found == answer.end()) return "";
  const auto managers = found->get<std::uint64_t>();
  return managers == 0 ? "; held by this manager only"
                       : fmt::format("; held by {}", counted(managers, "other manager"));
}

std::string order_text(const Json& answer, const std::string& done) {
  if (answer.value("in_force", true)) return done + held_text(answer);
  return done + held_text(answer) +
         " with the next sweep, which has not ended yet: `heddlectl status` shows its state";
}

std::string counters_text(const Json& answer, std::string_view sort) {
  if (answer.at("age_s").is_null())
    return "no counters: perfmgr is FALSE, or the first poll has not ended\n";
  const Json& rows = answer.at("counters");
  const auto ports = answer.at("ports").get<std::uint64_t>();
  if (sort == "load")
    return (rows.empty() ? std::string() : table(port_counters_info(), rows)) +
           fmt::format(
               "{} of {} sent or received data between the two latest polls; read {} s ago\n",
               field_text(answer, "growing"), counted(ports, "port"), field_text(answer, "age_s"));
  return (rows.empty() ? std::string() : table(port_counters_info(), rows)) +
         fmt::format(
             "{} of {} {} {}, {} of them with growth between the two latest polls; read {} "
             "s ago\n",
             field_text(answer, "with_value"), counted(ports, "port"),
             answer.at("with_value") == 1 ? "shows" : "show", sort, field_text(answer, "growing"),
             field_text(answer, "age_s"));
}

std::string congestion_text(const Json& answer) {
  const Json& devices = answer.at("congestion");
  if (devices.empty())
    return "no device is controlled: congestion_control is FALSE, or this manager is not MASTER\n";
  std::map<std::string, std::size_t> counts;
  for (const Json& device : devices) ++counts[device.at("state").get<std::string>()];
  std::vector<std::string> parts;
  for (const auto& [state, count] : counts) parts.push_back(fmt::format("{} {}", count, state));
  return fmt::format("{}{}: {}\n", table(congestion_info(), devices),
                     counted(devices.size(), "device"), fmt::join(parts, ", "));
}

namespace {

/// Splits the sentence into comment lines of at most 100 columns.
std::string comment_text(const std::string& sentence) {
  constexpr std::size_t kColumns = 100;
  std::string text, line = "#";
  std::istringstream words(sentence);
  for (std::string word; words >> word;) {
    if (line.size() + 1 + word.size() > kColumns) text += std::exchange(line, "#") + "\n";
    line += " " + word;
  }
  return text + line + "\n";
}

}  // namespace

std::string suggestion_text(const Json& answer) {
  if (answer.at("lines").empty())
    return "# There are fewer than two hosts: nothing can be congested.\n";
  std::string text = fmt::format(
      "# Congestion control for {}, links of {} to {} Gbit/s, MTU {}, {} on the\n"
      "# longest path. Nothing is set: copy the lines, then test with your own traffic.\n"
      "# Thresholds and steps are those of ibccconfig(8), EXAMPLES; timer and table are computed.\n"
      "# See also IBTA Vol 1, annex A10, and E. G. Gran et al., \"First Experiences with "
      "Congestion\n"
      "# Control in InfiniBand Hardware\", IPDPS 2010.\n",
      counted(answer.at("hosts").get<std::uint64_t>(), "host"), field_text(answer, "slowest_gbps"),
      field_text(answer, "fastest_gbps"), field_text(answer, "mtu_bytes"),
      counted(answer.at("diameter").get<std::uint64_t>(), "switch"));
  for (const Json& line : answer.at("lines")) {
    const std::string why = field_text(line, "why");
    if (!why.empty()) text += "\n" + comment_text(why);
    text += fmt::format("{} {}\n", field_text(line, "option"), field_text(line, "value"));
  }
  return text;
}

std::string security_text(const Json& answer) {
  const std::string findings = table(security_info(), answer.at("security"));
  const Json kept = answer.value("kept", Json::array());
  return kept.empty() ? findings : findings + "\n" + table(api::kept_key_info(), kept);
}

std::string condition_line(const Json& condition, bool colour) {
  const std::string severity = field_text(condition, "severity");
  return fmt::format("{}{:<13}{}{} [{}]\n", colour ? colour_of(severity) : "", severity,
                     colour ? "\x1b[0m" : "", printable(field_text(condition, "text")),
                     field_text(condition, "id"));
}

namespace {

/// Returns 10:03:11 of 2026-11-24T10:03:11Z.
std::string time_of_day(const Json& row, const char* field) {
  const std::string time = field_text(row, field);
  const std::size_t clock = time.find('T');
  return clock == std::string::npos ? time : time.substr(clock + 1, 8);
}

}  // namespace

std::string occurrence_line(const Json& occurrence) {
  return fmt::format("at {}  {} [{}]\n", time_of_day(occurrence, "at"),
                     printable(field_text(occurrence, "text")), field_text(occurrence, "id"));
}

bool is_caused(const Json& condition) { return condition.contains("caused_by"); }

namespace {

constexpr const char* kBelowText = "             ";  // the text of condition_line() begins there

/// Counts the bytes of a line that a terminal shows, without the codes of colours.
std::size_t visible_width(std::string_view line) {
  std::size_t width = 0;
  for (std::size_t at = 0; at < line.size(); ++at) {
    if (line[at] == '\x1b')
      at = std::min(line.find('m', at), line.size());
    else
      ++width;
  }
  return width;
}

/// Breaks lines that are longer than `columns` between words; what follows is below the text.
std::string wrapped(const std::string& text, std::size_t columns) {
  const std::size_t indent = std::string_view(kBelowText).size();
  if (columns < 2 * indent) return text;
  std::string out;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    for (std::size_t width = visible_width(line); width > columns; width = visible_width(line)) {
      const std::size_t escapes = line.size() - width;  // they are at the beginning
      const std::size_t space = line.rfind(' ', columns + escapes);
      if (space == std::string::npos || space <= indent + escapes) break;
      out += line.substr(0, space) + '\n';
      line = kBelowText + line.substr(space + 1);
    }
    out += line + '\n';
  }
  return out;
}

/// Returns "for 12 min, raised 3 times".
std::string duration_line(const Json& condition) {
  if (!condition.contains("for_s") || !condition.contains("times")) return "";
  const auto times = condition.at("times").get<std::uint64_t>();
  return fmt::format("{}for {}{}\n", kBelowText,
                     elapsed_text(condition.at("for_s").get<std::int64_t>()),
                     times > 1 ? fmt::format(", raised {} times", times) : "");
}

/// Returns the text of this program's registry; "" for an identifier of another version.
std::string advice_lines(const std::string& id) {
  const auto kind = find_condition_kind(id);
  if (!kind) return "";
  return fmt::format("{0}effect: {1}\n{0}remedy: {2}\n", kBelowText, (*kind)->effect,
                     (*kind)->remedy);
}

/// Returns identifier, GUID and port of a condition, or of its "caused_by".
std::string subject_of(const Json& condition) {
  return field_text(condition, "id") + " " + field_text(condition, "guid") + " " +
         field_text(condition, "port");
}

/// Lists occurrences, the latest first. `explained` has identifiers whose advice was shown.
std::string occurrences_text(const Json& occurrences, std::set<std::string> explained) {
  if (occurrences.empty()) return "";
  std::string out = "occurred within ten minutes (times in UTC):\n";
  for (const Json& occurrence : occurrences) {
    const auto times = occurrence.at("times").get<std::uint64_t>();
    out += occurrence_line(occurrence) +
           fmt::format(
               "{}{} ago{}\n", kBelowText, elapsed_text(occurrence.at("ago_s").get<std::int64_t>()),
               times > 1
                   ? fmt::format(", {} times since {}", times, time_of_day(occurrence, "first_at"))
                   : "");
    const std::string id = field_text(occurrence, "id");
    if (explained.insert(id).second) out += advice_lines(id);
  }
  return out;
}

/// True if the condition is the cause of `other`.
bool causes(const Json& condition, const Json& other) {
  return is_caused(other) && subject_of(other.at("caused_by")) == subject_of(condition);
}

}  // namespace

std::string conditions_text(const Json& answer, const ConditionsView& view) {
  const Json& conditions = answer.at("conditions");
  // If a filter has left out a cause, the conditions that it has caused are shown in their own
  // right.
  std::set<std::string> subjects;
  for (const Json& condition : conditions) subjects.insert(subject_of(condition));
  // Conditions of one identifier follow each other, at the place of the most severe one.
  std::vector<std::pair<std::string, std::vector<const Json*>>> kinds;
  std::size_t folded = 0;
  for (const Json& condition : conditions) {
    if (is_caused(condition) && subjects.contains(subject_of(condition.at("caused_by")))) {
      ++folded;
      continue;
    }
    const std::string id = field_text(condition, "id");
    auto kind = std::ranges::find(kinds, id, [](const auto& of) { return of.first; });
    if (kind == kinds.end()) kind = kinds.insert(kinds.end(), {id, {}});
    kind->second.push_back(&condition);
  }
  std::string out;
  std::set<std::string> explained;
  for (const auto& [id, roots] : kinds) {
    for (const Json* const root : roots) {
      out += condition_line(*root, view.colour) + duration_line(*root);
      for (const Json& other : conditions)
        if (view.all && causes(*root, other))
          out += fmt::format("{}{} [{}]\n", kBelowText, printable(field_text(other, "text")),
                             field_text(other, "id"));
    }
    out += advice_lines(id);
    explained.insert(id);
  }
  if (folded > 0 && !view.all)
    out += fmt::format("{} more that these have caused: heddlectl conditions --all\n", folded);
  if (out.empty()) out = "no conditions\n";
  if (answer.contains("occurrences")) out += occurrences_text(answer.at("occurrences"), explained);
  return wrapped(out, view.columns);
}

}  // namespace sm::ctl
