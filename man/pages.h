#pragma once
// The parts of manual pages that come from the tables of the program, so that they cannot differ
// from what it does.

#include <map>
#include <string>
#include <string_view>

namespace CLI {
class App;
}

namespace manual {

/// The flags of the daemon: a list for heddle(8).
std::string flags();

/// Every key of opensm.conf and heddle.yaml by section, with values, default, when a change takes
/// effect, and who else knows it: for opensm.conf(5).
std::string keys();

/// Every routing engine, with the keys that only some of them read: for opensm.conf(5).
std::string engines();

/// Every condition: for heddle-conditions(7).
std::string conditions();

/// Every metric, by sections: for heddle-metrics(7).
std::string metrics();

/// `text` with "@NAME@" lines replaced: @FLAGS@, @KEYS@, @ENGINES@, @STEP_ENGINES@,
/// @CONDITIONS@, @METRICS@.
std::string filled(std::string_view text);

/// The rows of the API with their fields, as sm/ops/rows.h declares them: for heddle-http(7).
std::string rows();

/// Makes a page for each command of heddlectl from its command line. By file name: heddlectl.1 and
/// heddlectl-COMMAND.1.
std::map<std::string, std::string> command_pages(CLI::App& app, std::string_view date);

}  // namespace manual
