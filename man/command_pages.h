#pragma once
// A page for each command of heddlectl, from its command line.

#include <map>
#include <string>
#include <string_view>

namespace CLI {
class App;
}

namespace manual {

/// By file name: heddlectl.1 and heddlectl-COMMAND.1.
std::map<std::string, std::string> command_pages(CLI::App& app, std::string_view date);

}  // namespace manual
