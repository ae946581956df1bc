#pragma once
// Parses lines of ibnetdiscover's text, and of ibsim's variant of it, to records. Private to this
// directory.

#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "config/diagnostic.h"
#include "config/file_reader.h"
#include "fabric/topology/findings.h"
#include "fabric/topology/ibnetdiscover_records.h"

namespace topology {

inline bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }
inline bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/// Reads one line of a file from left to right.
class Cursor {
 public:
  explicit Cursor(std::string_view line) : line_(line) {}

  std::string_view rest() const { return line_.substr(at_); }
  bool done() const { return at_ == line_.size(); }
  std::size_t at() const { return at_; }
  char peek() const { return done() ? '\0' : line_[at_]; }
  void skip_blanks() {
    while (!done() && is_blank(line_[at_])) ++at_;
  }
  bool take(std::string_view text) {
    if (!rest().starts_with(text)) return false;
    at_ += text.size();
    return true;
  }
  template <class Accept>
  std::string_view take_while(Accept accept) {
    const std::size_t from = at_;
    while (!done() && accept(line_[at_])) ++at_;
    return line_.substr(from, at_ - from);
  }
  /// Returns the text up to `end`, and skips `end`; nullopt if there is no `end`.
  std::optional<std::string_view> take_until(char end) {
    const std::size_t to = line_.find(end, at_);
    if (to == std::string_view::npos) return std::nullopt;
    const std::string_view text = line_.substr(at_, to - at_);
    at_ = to + 1;
    return text;
  }
  std::optional<std::uint64_t> take_number(int base) {
    std::uint64_t value = 0;
    const char* from = line_.data() + at_;
    const auto [end, error] = std::from_chars(from, line_.data() + line_.size(), value, base);
    if (error != std::errc{}) return std::nullopt;
    at_ += static_cast<std::size_t>(end - from);
    return value;
  }
  /// Reads 0x... or decimal, as strtoull with base 0 does, but without octal numbers.
  std::optional<std::uint64_t> take_number() {
    return take("0x") || take("0X") ? take_number(16) : take_number(10);
  }

 private:
  std::string_view line_;
  std::size_t at_ = 0;
};

}  // namespace topology

namespace topology::ibnetdiscover {

class Parser {
 public:
  /// `console_lines` receives the text after "do".
  Parser(Records& out, std::vector<std::string>& console_lines, Findings& findings,
         const config::FileReader& files)
      : out_(out), console_lines_(console_lines), findings_(findings), files_(files) {}

  /// `depth` is the number of files that include this one.
  void read(const config::Source& source, unsigned depth = 0);
  /// Reports the lines that are not of a topology. Before the first line of one and behind the last
  /// one they come from a terminal, and are skipped with a warning; elsewhere they are an error.
  /// The caller calls this after the last file.
  void report_other_lines();

 private:
  /// Lines that are not of a topology; they share a finding.
  struct OtherLines {
    Position first = {};
    std::string text = {};  // of the first
    std::size_t count = 0;

    void add(const Position& position, std::string_view line);
    void add(const OtherLines& others);
    /// Returns " (and 2 more lines)".
    std::string more() const;
  };

  Position position(const Cursor& cursor) const;
  void read_line(std::string_view line, unsigned depth);
  bool read_keyword(std::string_view word, Cursor& cursor, const Cursor& start, unsigned depth);
  void note_known_line();
  std::optional<std::uint64_t> read_assignment(Cursor& cursor, std::string_view word,
                                               std::uint64_t max);
  void read_guid(Cursor& cursor, NodeType type);
  void read_module(Cursor& cursor);
  void read_include(Cursor& cursor, unsigned depth);
  void read_node(Cursor& cursor, NodeType type, const Cursor& start);
  static void read_description(Cursor& cursor, Record& record);
  void read_port(Cursor& cursor);
  static std::optional<mad::Guid> read_port_details(Cursor& cursor);
  bool read_options(Cursor& cursor, Plug& plug);
  static void read_comment(std::string_view comment, Plug& plug);
  void add_alias(std::string_view name, const Plug& plug);
  std::string full_id(std::string_view id) const;
  void skip_record();

  struct Guids {
    std::uint64_t base, next;
  };

  Records& out_;
  std::vector<std::string>& console_lines_;
  Findings& findings_;
  const config::FileReader& files_;
  std::string file_, module_;
  int line_ = 0;
  std::size_t included_bytes_ = 0;
  std::uint32_t vendor_id_ = 0x2c9;
  std::uint16_t device_id_ = 0;
  mad::Guid system_guid_;  // for the next node only
  Enabled defaults_;
  unsigned plain_speeds_ = 0, extended_speeds_ = 0;
  std::array<Guids, 3> guids_{Guids{0x100000, 0x100000},
                              {0x200000, 0x200000},
                              {0x300000, 0x300000}};  // by NodeType, as ibsim starts
  bool in_record_ = false, skipping_ = false;
  bool has_known_line_ = false;
  OtherLines latest_;  // since the last known line
  OtherLines leading_, middle_, messages_;
  std::set<unsigned> used_ports_;
};

}  // namespace topology::ibnetdiscover
