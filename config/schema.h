#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "config/engine_names.h"
#include "config/key.h"
#include "config/options.h"
#include "config/sections.h"

namespace config {

/// Returns all keys, in the order in which a file is written.
std::span<const Key> keys();

/// Finds a key by name or by an alias that OpenSM accepts; null for an unknown name.
const Key* find_key(std::string_view name);

/// True for keys of other SMs (NVIDIA's builds, newer OpenSM) that Heddle knows by name only.
bool is_foreign_key(std::string_view name);

/// Returns the known name that a misspelled one means, as nearest() does.
std::optional<std::string_view> nearest_key(std::string_view name);

/// Names the effect of a flag and its argument.
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

/// A Flag is one command line option. `key` names the entry of the schema that it sets (empty:
/// none).
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
