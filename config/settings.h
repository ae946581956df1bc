#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>

#include "config/diagnostic.h"
#include "config/schema.h"

namespace config {

/// What both file formats do with one `key: value` after they found it: look the key up, store the
/// value, judge it. Findings go to `out` with the place that the caller names. The references must
/// outlive the object.
class Settings {
 public:
  Settings(std::string file, Options& options, Diagnostics& out)
      : file_(std::move(file)), options_(options), out_(out) {}

  struct Place {
    int line, column;
  };

  /// The row of a known key; null if there is nothing to set, which has then been reported.
  const Key* look_up(std::string_view name, Place place);
  void set(const Key& key, std::string_view text, Place place);
  void report(Severity severity, Place place, std::string what, std::string remedy = {});

  /// To call after the last key: what one option implies for another (no_partition_enforcement,
  /// max_wire_smps 0).
  void finish();

 private:
  std::string file_;
  Options& options_;
  Diagnostics& out_;
  const Options defaults_;
  std::map<std::string_view, int> line_of_;  // keys set so far; the names are the schema's
  std::set<std::string, std::less<>> foreign_seen_;
};

}  // namespace config
