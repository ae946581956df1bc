#pragma once
// Parses lines of ibnetdiscover's text, and of ibsim's variant of it, to records. Private to this
// directory.

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "config/diagnostic.h"
#include "config/file_reader.h"
#include "fabric/topology/cursor.h"
#include "fabric/topology/findings.h"
#include "fabric/topology/topology_model.h"

namespace topology::ibnetdiscover {

/// Holds the enabled widths and speeds of a port, as bits; speeds in the order of LinkSpeed.
struct Enabled {
  unsigned widths = 0, speeds = 0;  // 0: not in the file
};

/// The LIDs of a port, from a comment.
struct CommentLid {
  std::uint16_t lid = 0;
  std::uint8_t lmc = 0;
};

/// One end of a link, from the line of its port.
struct Plug {
  unsigned port = 0;
  std::string peer_id;  // or alias, if it has an '@'
  unsigned peer_port = 1;
  std::optional<mad::Guid> own_guid, peer_guid;
  Enabled enabled;
  std::optional<CommentLid> own_lid;
  Position position, peer_position;
};

/// A node and the lines of its ports.
struct Record {
  Node node;
  Position position;
  std::optional<CommentLid> lid;  // of a switch
  std::vector<Plug> plugs;
};

/// A port with a name of its own.
struct Alias {
  std::size_t record;  // index of its node
  unsigned port;
};

struct Records {
  std::vector<Record> nodes;             // in the order of the file
  std::map<std::string, Alias> aliases;  // by module@name
};

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
