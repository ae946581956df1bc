#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>

#include "config/diagnostic.h"
#include "config/schema.h"

namespace config {

/// Common part of both file formats for one `key: value`: finds the key, checks and stores the
/// value. Findings go to `out` with the position that the caller passes. The references must
/// outlive the object.
class Settings {
 public:
  Settings(std::string file, Options& options, Diagnostics& out)
      : file_(std::move(file)), options_(options), out_(out) {}

  struct Position {
    int line, column;
  };

  /// The schema entry of a known key; null otherwise, which has then been reported.
  const Key* look_up(std::string_view name, Position position);
  void set(const Key& key, std::string_view text, Position position);
  void report(Severity severity, Position position, std::string what, std::string remedy = {});

  /// To call after the last key: applies implications between options (no_partition_enforcement,
  /// max_wire_smps 0).
  void finish();

 private:
  /// Reports a warning about something that has no effect.
  void report_ineffective(Position position, std::string what, std::string remedy = {});
  void report_unknown(std::string_view name, Position position);

  std::string file_;
  Options& options_;
  Diagnostics& out_;
  const Options defaults_;
  std::map<std::string_view, int> line_of_;  // keys set so far; the names are the schema's
  std::set<std::string, std::less<>> foreign_seen_;
};

}  // namespace config
