// The operator's tool: asks a running Heddle, checks configuration without one, and looks at
// routing before anybody writes it.

#include <array>
#include <iostream>
#include <span>
#include <string_view>

#include "sm/ctl/commands/commands.h"
#include "sm/ops/version.h"

namespace sm::commands {

namespace {

constexpr std::string_view kUsageText = R"(usage: heddlectl COMMAND [ARGUMENTS]

  status [--json] [--guid GUID]   what the subnet managers running on this machine do
  check-config [FILE]             checks a configuration (opensm.conf or heddle.yaml) and the files it names, partitions among
                                  them; says everything that is wrong with it, by line and column. Default: /etc/opensm/opensm.conf
  route [OPTIONS]                 routes a fabric, live or from a file, and compares engines; writes tables and pictures into files
  trace [OPTIONS] FROM TO         the way of packets between two ports, there and back
  plan [OPTIONS]                  what a daemon with this configuration would change, before anything is written
  version                         the version of this tool
  help                            this text

route, trace and plan say more with --help. Exit codes: 0 all is well, 1 it is not (the message says why), 2 the command line was not understood.
)";

struct Command {
  std::string_view name;
  int (*run)(std::span<char*> args);
};

int version(std::span<char*>) {
  std::cout << "heddlectl " << kVersion << '\n';
  return kOk;
}

int help(std::span<char*>) {
  std::cout << kUsageText;
  return kOk;
}

constexpr std::array kCommands{Command{"status", status},     Command{"check-config", check_config},
                               Command{"route", route},       Command{"trace", trace},
                               Command{"plan", plan},         Command{"version", version},
                               Command{"--version", version}, Command{"help", help},
                               Command{"--help", help},       Command{"-h", help}};

int run(std::span<char*> args) {
  if (args.size() < 2) return usage_error("a command is missing");
  for (const Command& command : kCommands) {
    if (command.name == args[1]) return command.run(args.subspan(1));
  }
  return usage_error("unknown command: " + std::string(args[1]));
}

}  // namespace

int usage_error(std::string_view what) {
  std::cerr << "heddlectl: " << what << "\n\n" << kUsageText;
  return kUsage;
}

}  // namespace sm::commands

int main(int argc, char** argv) {
  try {
    return sm::commands::run(std::span(argv, static_cast<std::size_t>(argc)));
  } catch (const std::exception& error) {
    std::cerr << "heddlectl: " << error.what() << '\n';
    return sm::commands::kFailed;
  }
}
