#include "fabric/topology/other_formats.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "fabric/topology/cursor.h"

namespace topology {
namespace {

using namespace std::string_view_literals;

constexpr int kLinesMax = 500;  // to look at: a format shows itself early

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_word_character(char c) { return !is_blank(c); }

/// "CA    21  1 0x0002c90300001234 4x QDR - SW ..."
bool is_port_report(std::string_view line) {
  Cursor cursor(line);
  const std::string_view type = cursor.take_while(is_word_character);
  if (type != "CA" && type != "SW" && type != "RT") return false;
  for (int number = 0; number < 2; ++number) {
    cursor.skip_blanks();
    if (cursor.take_while(is_digit).empty()) return false;
  }
  cursor.skip_blanks();
  return cursor.take("0x");
}

/// "Ca   : 0x0002c90300001234 ports 2 devid 0x1003 vendid 0x2c9 ..."
bool is_node_list(std::string_view line) {
  Cursor cursor(line);
  cursor.take_while(is_letter);
  cursor.skip_blanks();
  return cursor.take(": 0x") && cursor.rest().find(" ports ") != std::string_view::npos;
}

bool is_link_report(std::string_view line) { return line.find(")==>") != std::string_view::npos; }

bool is_subnet_list(std::string_view line) {
  return line.starts_with("{ ") && line.find(" Ports:") != std::string_view::npos;
}

bool is_forwarding_table(std::string_view line) {
  return line.starts_with("Unicast lids") || line.starts_with("Multicast mlids");
}

struct FormatRow {
  bool (*shows)(std::string_view line);
  std::string_view what, remedy;
};
constexpr FormatRow kFormats[] = {
    {is_port_report, "this is the list of ports of ibnetdiscover -p, which has no nodes",
     "save what ibnetdiscover prints without -p"},
    {is_node_list, "this is a list of nodes of ibnetdiscover -l, -H, -S or -R, which has no links",
     "save what ibnetdiscover prints without these options"},
    {is_link_report, "this is the output of iblinkinfo", "save what ibnetdiscover prints"},
    {is_subnet_list, "this is a list of links of OpenSM (opensm-subnet.lst) or ibdiagnet",
     "save what ibnetdiscover prints"},
    {is_forwarding_table, "these are forwarding tables",
     "save what ibnetdiscover prints; heddlectl reads forwarding tables with --tables"},
    {[](std::string_view line) { return line.starts_with("heddle-recording "); },
     "this is a recording of heddlectl record", "heddle-sim --replay and heddlectl diff read it"},
    {[](std::string_view line) { return line.starts_with("nodes:"); }, "this is a topology in YAML",
     "give the file a name that ends in .yaml"},
    {[](std::string_view line) { return line.starts_with("\x2B\x83\xE7\x8F"); },
     "this is a cache file of ibnetdiscover --cache",
     "save what ibnetdiscover --load-cache FILE prints"},
};

constexpr std::array kMessages{"ibwarn: "sv, "ibpanic: "sv, "ibdebug: "sv, "ibnetdiscover: "sv,
                               "WARNING failed "sv};

/// True for "src/ibnetdisc.c:123; ...".
bool names_source_line(std::string_view line) {
  const std::size_t at = line.find(".c:");
  if (at == std::string_view::npos || line.find_first_of(" \t\"") < at) return false;
  Cursor cursor(line.substr(at + 3));
  return !cursor.take_while(is_digit).empty() && cursor.take(";");
}

}  // namespace

bool is_program_message(std::string_view line) {
  return std::ranges::any_of(kMessages,
                             [&](std::string_view message) { return line.starts_with(message); }) ||
         names_source_line(line);
}

std::optional<OtherFormat> find_other_format(std::string_view text) {
  for (int number = 1; !text.empty() && number <= kLinesMax; ++number) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    line.remove_prefix(std::min(line.find_first_not_of(" \t\r"), line.size()));
    for (const FormatRow& row : kFormats)
      if (row.shows(line)) return OtherFormat{number, row.what, row.remedy};
  }
  return std::nullopt;
}

}  // namespace topology
