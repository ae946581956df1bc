#include "config/table_files.h"

#include <fmt/format.h>

#include <optional>
#include <set>

#include "config/file_reader.h"
#include "config/value.h"

namespace config {
namespace {

constexpr std::uint64_t kUnicastLidMax = 0xBFFF;
constexpr std::uint8_t kNoPort = 0xFF;
constexpr std::string_view kTableFileBlanks = " \t\r";

/// Splits one line and its comment, in which dumps have port GUIDs.
class DumpLine {
 public:
  DumpLine(int number, std::string_view whole, const Source& source, Diagnostics& out)
      : line_{number, whole, trim(whole)}, rest_(line_.text), source_(source), out_(out) {}

  std::string_view text() const { return line_.text; }
  bool has(std::string_view words) const {
    return line_.text.find(words) != std::string_view::npos;
  }

  /// Returns the next word, up to a blank or one of `ends`; empty at the end.
  std::string_view word(std::string_view ends = "") {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(kTableFileBlanks), rest_.size()));
    const std::string_view taken =
        rest_.substr(0, rest_.find_first_of(std::string(kTableFileBlanks) + std::string(ends)));
    rest_.remove_prefix(taken.size());
    return taken;
  }
  std::string_view rest() const { return rest_; }
  void skip(std::size_t count) { rest_.remove_prefix(std::min(count, rest_.size())); }

  /// Returns the number after `label`, if the line has the label.
  std::optional<std::uint64_t> guid_after(std::string_view label) {
    const std::size_t at = line_.text.find(label);
    if (at == std::string_view::npos) return std::nullopt;
    std::string_view digits = line_.text.substr(at + label.size());
    digits = digits.substr(0, digits.find_first_not_of("0123456789abcdefABCDEFxX"));
    const auto guid = parse_number(digits, 16);
    if (guid && *guid != 0) return *guid;
    error(digits, fmt::format("{} is not a GUID", in_quotes(digits)),
          "write a GUID such as 0x0002c90300a1b2c3");
    return std::nullopt;
  }
  std::optional<std::uint64_t> number(std::string_view word, std::string_view what, int base,
                                      std::uint64_t min, std::uint64_t max) {
    const auto value = parse_number(word, base);
    if (value && *value >= min && *value <= max) return *value;
    error(word, fmt::format("{} is not a {}", in_quotes(word), what),
          base == 16 ? fmt::format("write 0x{:x}..0x{:x}", min, max)
                     : fmt::format("write {}..{}", min, max));
    return std::nullopt;
  }

  void error(std::string_view place, std::string what, std::string remedy) {
    out_.push_back(finding(Severity::error, place, std::move(what), std::move(remedy)));
  }
  void warn(std::string_view place, std::string what) {
    out_.push_back(finding(Severity::warning, place, std::move(what), {}));
  }
  Diagnostic finding(Severity severity, std::string_view place, std::string what,
                     std::string remedy) const {
    const bool inside = place.data() >= line_.whole.data() &&
                        place.data() <= line_.whole.data() + line_.whole.size();
    return {severity,        source_.file,     line_.number, inside ? line_.column(place) : 1,
            std::move(what), std::move(remedy)};
  }

 private:
  Line line_;
  std::string_view rest_;
  const Source& source_;
  Diagnostics& out_;
};

/// Calls read(line) for every line that is not blank.
void for_each_line(const Source& source, Diagnostics& out, auto read) {
  std::string_view text = source.text;
  for (int number = 1; !text.empty(); ++number) {
    const std::string_view whole = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(whole.size() + 1, text.size()));
    DumpLine line(number, whole, source, out);
    if (!line.text().empty() && line.text().front() != '#') read(line);
  }
}

/// Opens the section of a switch; returns false if its lines are to be skipped.
template <class Section>
bool open_section(DumpLine& line, std::vector<Section>& sections, std::set<std::uint64_t>& seen) {
  const auto guid = line.guid_after("guid ");
  if (!guid) {
    if (!line.has("guid "))
      line.error(line.text(), "no GUID of a switch in the head of this section",
                 "write 'guid 0x..'");
    return false;
  }
  if (!seen.insert(*guid).second) {
    line.warn(line.text(),
              fmt::format("switch 0x{:016x} was listed before; the first one is used", *guid));
    return false;
  }
  sections.push_back({*guid, {}});
  return true;
}

}  // namespace

ForwardingDump parse_forwarding_dump(const Source& source, Diagnostics& out) {
  ForwardingDump dump;
  std::set<std::uint64_t> seen;
  enum class Where { top, in_section, skipped } where = Where::top;
  std::optional<Diagnostic> multicast;
  for_each_line(source, out, [&](DumpLine& line) {
    if (line.has("Multicast mlids")) {
      if (!multicast)
        multicast = line.finding(Severity::warning, line.text(),
                                 "multicast forwarding tables are not read", {});
      where = Where::skipped;
      return;
    }
    if (line.has("Unicast lids")) {
      where = open_section(line, dump.rows, seen) ? Where::in_section : Where::skipped;
      return;
    }
    if (!line.text().starts_with("0x") || where == Where::skipped) return;  // titles and totals
    if (where == Where::top)
      return line.error(line.text(), "an entry before the first switch",
                        "begin with 'Unicast lids .. guid 0x..'");
    // dump_fts -a lists entries without a port, too, and LID 0, which no packet has.
    if (line.text().ends_with("illegal port)")) return;
    const std::string_view lid_word = line.word();
    if (parse_number(lid_word, 16) == std::uint64_t{0}) return;
    const auto lid = line.number(lid_word, "unicast LID", 16, 1, kUnicastLidMax);
    if (!lid) return;
    const auto port = line.number(line.word(":#"), "port number", 10, 0, kNoPort);
    if (!port) return;
    auto& row = dump.rows.back().out;
    if (*lid >= row.size()) row.resize(*lid + 1, kNoPort);
    if (row[*lid] != kNoPort)
      return line.warn(line.text(),
                       fmt::format("LID {} was listed before; the first one is used", *lid));
    row[*lid] = static_cast<std::uint8_t>(*port);
    if (const auto guid = line.guid_after("portguid ")) {
      if (*lid >= dump.owner_of_lid.size()) dump.owner_of_lid.resize(*lid + 1, 0);
      std::uint64_t& owner = dump.owner_of_lid[*lid];
      if (owner == 0) owner = *guid;
      if (owner != *guid)
        line.warn(
            line.text(),
            fmt::format("the owner of LID {} was 0x{:016x} before; that one is used", *lid, owner));
    }
  });
  if (multicast && dump.rows.empty()) {
    multicast->severity = Severity::error;
    multicast->what = "this file has multicast forwarding tables only (dump_fts -M)";
    multicast->remedy = "write unicast forwarding tables: dump_fts without -M";
  }
  if (multicast) out.push_back(std::move(*multicast));
  return dump;
}

HopDump parse_hop_dump(const Source& source, Diagnostics& out) {
  HopDump dump;
  std::set<std::uint64_t> seen;
  std::set<std::uint64_t> lids;  // of this section
  enum class Where { top, in_section, skipped } where = Where::top;
  for_each_line(source, out, [&](DumpLine& line) {
    if (line.text().starts_with("Switch")) {
      where = open_section(line, dump.rows, seen) ? Where::in_section : Where::skipped;
      lids.clear();
      return;
    }
    if (!line.text().starts_with("0x") || where == Where::skipped) return;
    if (where == Where::top)
      return line.error(line.text(), "hop counts before the first switch",
                        "begin with 'Switch: guid 0x..'");
    const auto lid = line.number(line.word(":"), "unicast LID", 16, 1, kUnicastLidMax);
    if (!lid) return;
    if (!line.rest().starts_with(':'))
      return line.error(line.rest(), "a colon is missing after the LID",
                        "write '0x<lid>: <hops of port 0> ..'");
    line.skip(1);
    if (!lids.insert(*lid).second)
      return line.warn(line.text(),
                       fmt::format("LID {} was listed before; the first one is used", *lid));
    HopDump::Destination destination{static_cast<std::uint16_t>(*lid), 0, {}};
    for (std::string_view word = line.word("#"); !word.empty(); word = line.word("#")) {
      const auto hops = line.number(word, "number of hops", 16, 0, 0xFF);
      if (!hops) return;
      if (destination.hops.size() == 255)
        return line.error(word, "more hop counts than a switch has ports",
                          "write those of ports 0..N");
      destination.hops.push_back(static_cast<std::uint8_t>(*hops));
    }
    if (line.has("portguid ")) {
      const auto guid = line.guid_after("portguid ");
      if (!guid) return;
      destination.port_guid = *guid;
    }
    dump.rows.back().destinations.push_back(std::move(destination));
  });
  return dump;
}

}  // namespace config
