#pragma once
// Command lines of heddlectl's commands.

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sm/ctl/commands/scene.h"

namespace sm::commands {

struct Flag {
  const char* name;  // long options only
  bool takes_value;
};

/// Reads what stands behind the command's name, args[0]: `own` flags go to `on`, those of
/// kSceneHelp into `scene`; "--help" prints `help`. Options and words may be mixed. Returns the
/// words that are no options; or else an exit code: kOk after --help, kUsage after a message.
tl::expected<std::vector<std::string>, int> read_arguments(
    std::span<char*> args, std::string_view help, std::span<const Flag> own, SceneArguments& scene,
    const std::function<void(std::string_view name, std::string_view value)>& on);

}  // namespace sm::commands
