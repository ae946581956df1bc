#pragma once
// This file defines one key of the configuration, as the schema has it.

#include <cstdint>
#include <string_view>
#include <variant>
#include <vector>

#include "config/options.h"
#include "config/sections.h"

namespace config {

/// Points to a member of Options; the type of the member determines how a value is read, checked
/// and written.
using Ref =
    std::variant<bool*, std::uint8_t*, std::uint16_t*, std::uint32_t*, std::uint64_t*,
                 std::int32_t*, std::string*, WordList*, GuidList*, SubnetPrefixes*, PartEnforce*,
                 Console*, CctEntry*, std::vector<CctEntry>*, PortMask*, PerSl*>;

struct Range {
  std::int64_t min, max;
};

/// A Key is one entry of the schema; the builder functions keep the table readable.
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
  bool reroutes = false;             // a change lets engines that read it choose all routes again
  bool in_opensm = true;             // OpenSM 3.3.23 knows it
  bool default_counts = false;       // is_set() when it was set to its default, too
  bool is_secret = false;            // its value is in no answer of a daemon and no support bundle
  bool is_of_host = false;           // managers of a subnet may have different values
  bool in_nvidia = true;             // NVIDIA's OpenSM knows it
  std::string_view since = "0.9.0";  // the version of Heddle that has it first
  std::string_view restart = {};     // why a change counts at the next start only, a phrase
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
  /// Marks a live key whose change lets engines that read it choose all routes again.
  constexpr Key rerouting() const {
    Key key = live();
    key.reroutes = true;
    return key;
  }
  /// Marks a key whose change counts at the next start only; `why` ends the sentence "a change
  /// takes effect at the next start, since ...".
  constexpr Key at_start(std::string_view why) const {
    Key key = *this;
    key.restart = why;
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
  /// Marks a key of one host or process. All others must be equal on the managers of a subnet.
  constexpr Key of_host() const {
    Key key = *this;
    key.is_of_host = true;
    return key;
  }
  /// Marks a key that only Heddle has.
  constexpr Key ours() const {
    Key key = *this;
    key.in_opensm = key.in_nvidia = false;
    return key;
  }
  /// Marks a key that NVIDIA's OpenSM has, and OpenSM has not.
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

}  // namespace config
