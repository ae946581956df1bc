#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "config/diagnostic.h"
#include "config/file_reader.h"
#include "config/options.h"

namespace config {

inline constexpr std::string_view kDefaultConfigFile = "/etc/opensm/opensm.conf";

struct Flag;
/// Holds a flag of the command line, with its argument.
struct GivenFlag {
  const Flag* flag;  // never null
  std::string argument;
};

/// Holds the requested action, and the options: defaults, overridden by the file and then by flags.
struct CommandLine {
  enum class Action : std::uint8_t {
    run,
    create_config,  // write dump_for(create_file, options) to create_file; exit 0, or non-zero if
                    // that fails
    show_help,      // print usage() on stdout, exit with exit_code
    show_version,
    refuse  // print diagnostics, exit with exit_code
  };
  Action action = Action::run;
  int exit_code = 0;             // of help (2), of refusal: 255 flag, 2 usage, 1 configuration file
  Options defaults;              // of the process
  std::vector<GivenFlag> flags;  // in their order
  Options options;
  Options from_file;  // without the flags
  std::string config_file{kDefaultConfigFile};
  bool was_read = false;  // the configuration file
  std::string create_file;
  bool once = false;             // -o
  bool prompt_for_guid = false;  // -g 0: prompt for a port
  Diagnostics diagnostics;       // of flags, file and check_options(); for stderr
  std::vector<std::string>
      banner;  // lines to print after "<dashes>", "<name> <version>" and before "<dashes>"
};

/// Reads `args` (beginning with the program's name) as getopt_long_only does, and the configuration
/// file that they name, or the default one. Shape: two passes as in OpenSM: first -F, then file,
/// then all other flags, so that flags override the file whatever their order. Errors: all defects
/// of values, flags and file are in `diagnostics`, and the action is `refuse`; an unknown option
/// ends the reading at once, as in OpenSM. A flag of a feature that is not built is refused. Not
/// thread-safe: getopt has global state.
CommandLine parse_command_line(std::span<const char* const> args, const FileReader& reader,
                               const Options& defaults = {});

/// Reads the configuration file again, and applies the flags of `start` over it, as a start does:
/// nothing of the earlier options is left. Errors: as of parse_command_line().
CommandLine evaluate_again(const CommandLine& start, const FileReader& reader);

/// Reads log_flags as people write them: a number, or names such as "ERROR,INFO". Errors: the
/// correct form, in words.
tl::expected<std::uint8_t, std::string> read_log_flags(std::string_view text);

/// Returns the text of --help.
std::string usage();

}  // namespace config
