#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>

#include "config/diagnostic.h"
#include "config/schema.h"

namespace config {

/// Reads one `key: value` for both file formats: finds the key, checks and stores the value.
/// Findings go to `out` with the position that the caller passes. The references must outlive the
/// object.
class Settings {
 public:
  Settings(std::string file, Options& options, Diagnostics& out)
      : file_(std::move(file)), options_(options), out_(out) {}

  struct Position {
    int line, column;
  };

  /// Returns the schema entry of a known key; for any other name reports the defect and returns
  /// null.
  const Key* look_up(std::string_view name, Position position);
  void set(const Key& key, std::string_view text, Position position);
  void report(Severity severity, Position position, std::string what, std::string remedy = {});

  /// Applies implications between options (no_partition_enforcement, max_wire_smps 0). The caller
  /// calls this after the last key.
  void finish();

 private:
  /// Reports a warning about a setting that has no effect.
  void report_ineffective(Position position, std::string what, std::string remedy = {});
  void report_unknown(std::string_view name, Position position);
  void report_unknown_engines(Position position);

  std::string file_;
  Options& options_;
  Diagnostics& out_;
  const Options defaults_;
  std::map<std::string_view, int> line_of_;  // keys set so far; the names are the schema's
  std::set<std::string, std::less<>> foreign_seen_;
};

}  // namespace config
