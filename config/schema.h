#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "config/engine_names.h"
#include "config/options.h"
#include "config/sections.h"

namespace config {

/// A member of Options by its type, which determines how a value is read, checked and written.
using Ref =
    std::variant<bool*, std::uint8_t*, std::uint16_t*, std::uint32_t*, std::uint64_t*,
                 std::int32_t*, std::string*, WordList*, GuidList*, SubnetPrefixes*, PartEnforce*,
                 Console*, CctEntry*, std::vector<CctEntry>*, PortMask*, PerSl*>;

struct Range {
  std::int64_t min, max;
};

/// One entry of the schema; the builder functions keep the table readable.
struct Key {
  std::string_view name;
  Ref (*ref)(Options&);
  Section section;
  std::string_view help;     // one line, no full stop
  Range ranges[3] = {};      // numbers: the values allowed
  unsigned range_count = 0;  // 0: all values of the type
  unsigned hex_digits = 0;   // numbers: 0 = written in decimal
  bool built =
      true;  // false: the feature does not exist yet; any value but the default gets a warning
  bool hup = false;                  // may change while running
  bool in_opensm = true;             // OpenSM 3.3.23 knows it
  bool default_counts = false;       // is_set() when it was set to its default, too
  bool is_secret = false;            // its value is in no answer of a daemon and no support bundle
  bool in_nvidia = true;             // NVIDIA's OpenSM knows it
  std::string_view since = "0.1.0";  // the version of Heddle that has it first
  std::string_view instead = {};     // of a key that is not built: what to use instead, a phrase
  std::string_view elsewhere = {};   // where OpenSM or NVIDIA's differ, sentences; empty: nowhere

  constexpr Key in(std::int64_t min, std::int64_t max) const {
    Key key = *this;
    key.ranges[key.range_count++] = {min, max};
    return key;
  }
  constexpr Key or_just(std::int64_t value) const { return in(value, value); }
  constexpr Key hex(unsigned digits) const {
    Key key = *this;
    key.hex_digits = digits;
    return key;
  }
  constexpr Key later() const {
    Key key = *this;
    key.built = false;
    return key;
  }
  constexpr Key use_instead(std::string_view text) const {
    Key key = later();
    key.instead = text;
    return key;
  }
  constexpr Key live() const {
    Key key = *this;
    key.hup = true;
    return key;
  }
  constexpr Key even_by_default() const {
    Key key = *this;
    key.default_counts = true;
    return key;
  }
  constexpr Key secret() const {
    Key key = *this;
    key.is_secret = true;
    return key;
  }
  /// Only Heddle has it.
  constexpr Key ours() const {
    Key key = *this;
    key.in_opensm = key.in_nvidia = false;
    return key;
  }
  /// NVIDIA's OpenSM has it, OpenSM has not.
  constexpr Key nvidias() const {
    Key key = *this;
    key.in_opensm = false;
    return key;
  }
  constexpr Key differs(std::string_view text) const {
    Key key = *this;
    key.elsewhere = text;
    return key;
  }
};

/// All keys, in the order in which a file is written.
std::span<const Key> keys();

/// Finds a key by name or by an alias that OpenSM accepts; null for an unknown name.
const Key* find_key(std::string_view name);

/// Keys of other SMs (NVIDIA's builds, newer OpenSM) that Heddle knows by name only.
bool is_foreign_key(std::string_view name);

/// Returns the known name that is meant by a misspelled one, as nearest().
std::optional<std::string_view> nearest_key(std::string_view name);

/// The effect of a flag and its argument.
enum class FlagAction : std::uint8_t {
  set,           // key = argument, or key = `fixed`
  set_hex,       // the same, digits are hexadecimal with or without 0x; several separated by commas
  more_verbose,  // log_flags = log_flags * 2 + 1
  most_verbose,  // log_flags = 0xff, flush on
  log_flags,     // number or level names
  debug,         // -d n
  once,
  config_file,
  create_config,
  version,
  help
};

/// One command line option. `key` names the entry of the schema that it sets (empty: none).
struct Flag {
  std::string_view name;
  char letter = 0;
  std::string_view argument = {};  // its name in the usage text; empty: the flag takes none
  FlagAction action = FlagAction::set;
  std::string_view key = {};
  std::string_view fixed = {};  // the value that a flag without argument sets
  std::string_view echo = {};   // line printed at start, {} = the value; empty: none
  std::string_view help = {};   // empty: that of the key
  std::string_view alias = {};  // another name, in full only
  bool hidden = false;          // not in the usage text
};
std::span<const Flag> flags();

}  // namespace config
