// heddlectl diff-config compares the configuration with that of another manager of the subnet.

#include <iostream>
#include <memory>

#include "config/common_command_line.h"
#include "config/file_reader.h"
#include "mad/format.h"
#include "sm/ctl/commands/command_options.h"
#include "sm/ctl/commands/commands.h"
#include "sm/ctl/commands/list_commands.h"
#include "sm/ctl/commands/managers.h"
#include "sm/ctl/config_difference.h"

namespace sm::commands {
namespace {

constexpr int kEqualOptions = 0, kOtherOptions = 1, kOptionsUnknown = 2;

struct DiffConfigOptions {
  bool json = false, dump = false;
  std::string other;  // a file or a manager; empty: the manager that leads
  ManagerChoice managers = {};
};

/// Returns the rows of the answer of /v1/options in the file. Errors: a sentence with the file.
tl::expected<Json, std::string> options_in(const std::string& file) {
  const auto text = config::read_file(file);
  if (!text) return tl::unexpected(fmt::format("{}: it cannot be read", file));
  const Json answer = Json::parse(*text, nullptr, false);
  if (!answer.is_object() || !answer.contains("options") || !answer.at("options").is_array())
    return tl::unexpected(
        fmt::format("{}: this is not what `heddlectl diff-config --dump` prints", file));
  return answer.at("options");
}

int diff_config(const DiffConfigOptions& options) {
  const auto api = find_only_api(options.managers);
  if (!api) return complain(api.error()), kOptionsUnknown;
  const auto here = api->get("/v1/options");
  if (!here) return complain(here.error()), kOptionsUnknown;
  if (options.dump) {
    std::cout << dumped_by_rows({{"options", here->at("options")}}) << '\n';
    return kEqualOptions;
  }
  std::vector<ctl::OptionDifference> found;
  const auto subnet = api->get("/v1/subnet");
  if (!subnet) return complain(subnet.error()), kOptionsUnknown;
  if (options.other.empty() || ctl::is_shared_manager(*subnet, options.other)) {
    if (const std::string why = ctl::why_not_compared(*subnet, options.other); !why.empty())
      return complain(why), kOptionsUnknown;
    found = ctl::options_of_master(here->at("options"));
  } else {
    const auto there = options_in(options.other);
    if (!there) return complain(there.error()), kOptionsUnknown;
    found = ctl::differing_options(here->at("options"), *there);
  }
  if (options.json)
    std::cout << dumped(ctl::config_differences_json(found)) << '\n';
  else
    std::cout << ctl::config_differences_text(found);
  return found.empty() ? kEqualOptions : kOtherOptions;
}

}  // namespace

void add_diff_config_command(const AddCommand& add) {
  const auto options = std::make_shared<DiffConfigOptions>();
  CLI::App& command =
      add("diff-config", "Compares the configuration with that of another manager.",
          "Options that must be equal on all managers of a subnet, with the value here and the\n"
          "value there. On a standby with state_store that is the master's: files are compared\n"
          "by their contents, and secrets are compared and not shown. The master may be named\n"
          "by its port GUID or its address in state_peers. A standby does not share its\n"
          "configuration. Without state_store, or on the master, name a file from the other\n"
          "host: it has neither contents nor secrets.\n"
          "Options of one host (sm_priority, directories, logs, addresses) are left out.",
          "  heddlectl diff-config\n"
          "  heddlectl diff-config 192.0.2.7\n"
          "  heddlectl diff-config --dump\n"
          "  heddlectl diff-config sm-2.json\n",
          [=] { return diff_config(*options); });
  command
      .add_option("FILE", options->other,
                  "what --dump printed on the other host, or the manager that is MASTER; default: "
                  "the master's configuration")
      ->type_name("");
  command.add_flag("--dump", options->dump, "the options in force here, for the other host");
  add_answer_options(command, options->json, "the differences as JSON", options->managers);
  set_exit_codes(command,
                 "Exit codes: 0 no option differs, 1 some do, 2 nothing was compared (the message "
                 "says why).\n");
}

}  // namespace sm::commands
