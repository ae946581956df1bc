#include "sm/ctl/commands/arguments.h"

#include <getopt.h>

#include <array>
#include <iostream>

#include "sm/ctl/commands/commands.h"

namespace sm::commands {

namespace {
constexpr std::array kSceneFlags{
    Flag{"topology", true}, Flag{"guid", true},    Flag{"config", true},  Flag{"set", true},
    Flag{"tables", true},   Flag{"without", true}, Flag{"degrade", true}, Flag{"seed", true}};
}

tl::expected<std::vector<std::string>, int> read_arguments(
    std::span<char*> args, std::string_view help, std::span<const Flag> own, SceneArguments& scene,
    const std::function<void(std::string_view name, std::string_view value)>& on) {
  std::vector<Flag> flags(own.begin(), own.end());
  flags.insert(flags.end(), kSceneFlags.begin(), kSceneFlags.end());
  flags.push_back({"help", false});
  std::vector<option> options;
  for (const Flag& flag : flags)
    options.push_back({flag.name, flag.takes_value ? required_argument : no_argument, nullptr, 0});
  options.push_back({});
  opterr = 0;
  optind = 0;
  int index = 0;
  for (int found; (found = getopt_long(static_cast<int>(args.size()), args.data(), ":",
                                       options.data(), &index)) != -1;) {
    if (found == ':')
      return tl::unexpected(
          usage_error(std::string(args[static_cast<std::size_t>(optind - 1)]) + " needs a value"));
    if (found == '?')
      return tl::unexpected(usage_error(std::string(args[0]) + " does not know this option: " +
                                        args[static_cast<std::size_t>(optind - 1)]));
    const std::string_view name = options[static_cast<std::size_t>(index)].name,
                           value = optarg == nullptr ? "" : optarg;
    if (name == "help") {
      std::cout << help << kSceneHelp;
      return tl::unexpected(kOk);
    }
    if (static_cast<std::size_t>(index) < own.size()) {
      on(name, value);
    } else if (const auto taken = take_argument(scene, name, value); !taken) {
      return tl::unexpected(usage_error(taken.error()));
    }
  }
  return std::vector<std::string>(args.begin() + optind, args.end());
}

}  // namespace sm::commands
