#include "man/pages.h"

#include <cctype>
#include <nlohmann/json.hpp>
#include <vector>

#include "config/common_command_line.h"
#include "mad/format.h"
#include "man/mdoc.h"
#include "sm/ops/partition_rows.h"
#include "sm/ops/rows.h"

namespace manual {
namespace {

constexpr std::string_view kExamples = "\n\nExamples:\n", kExitCodes = "\nExit codes:";

constexpr std::string_view kExitStatus =
    ".Sh EXIT STATUS\n"
    ".Bl -tag -width Ds\n"
    ".It 0\nDone.\n"
    ".It 1\nNot done: the message says why.\n"
    ".It 2\nThe command line is wrong.\n"
    ".El\n";

/// From the last line of the help, if that has "Exit codes: 0 this, 1 that, 2 all else." and the
/// command's own codes; else what those of all commands are.
std::string exit_status(const std::string& footer) {
  const std::size_t at = footer.rfind(kExitCodes);
  if (at == std::string::npos || footer.find("0 done, 1 not done", at) != std::string::npos)
    return std::string(kExitStatus);
  return ".Sh EXIT STATUS\n" + sentences(footer.substr(at + kExitCodes.size() + 1));
}

/// Returns what --help prints of an option after its names: "FILE", "KEY=VALUE", or nothing.
std::string argument_name(const CLI::Option& option) {
  if (!option.get_option_text().empty()) return option.get_option_text();
  return option.get_type_size() == 0 ? std::string() : option.get_type_name();
}

/// Each option and argument as an item of a list.
std::string option_items(const CLI::App& command) {
  std::string out;
  for (const CLI::Option* const option : command.get_options()) {
    if (option->get_group().empty()) continue;
    std::string item;
    for (const std::string& name : option->get_snames()) item += fmt::format(" Fl {} ,", name);
    for (const std::string& name : option->get_lnames()) item += fmt::format(" Fl Fl {} ,", name);
    if (item.empty()) {
      item = fmt::format(" Ar {}", option->get_name());
    } else {
      item.resize(item.size() - 2);
      if (const std::string name = argument_name(*option); !name.empty())
        item += fmt::format(" Ar {}", argument(name));
    }
    std::string text = sentences(option->get_description());
    if (const std::string value = option->get_default_str(); !value.empty() && value != "[]")
      text += fmt::format("Default:\n.Li {}\n", argument(value));
    out += fmt::format(".It{}\n{}", item, text);
  }
  return out;
}

std::string make_options(const CLI::App& command) {
  const std::string items = option_items(command);
  return items.empty() ? items : ".Sh OPTIONS\n.Bl -tag -width Ds\n" + items + ".El\n";
}

std::string arguments_of(const CLI::App& command) {
  std::string out;
  for (const CLI::Option* const option : command.get_options()) {
    if (!option->get_positional()) continue;
    out += fmt::format(".{}Ar {}{}\n", option->get_required() ? "" : "Op ", option->get_name(),
                       option->get_items_expected_max() > 1 ? " ..." : "");
  }
  return out;
}

/// Returns the part of the synopsis behind the command's name: its actions.
std::string actions_of(const CLI::App& command) {
  std::string out;
  for (const CLI::App* const action : command.get_subcommands([](const CLI::App*) { return true; }))
    out += fmt::format(".Ss {} {}\n{}.Bl -tag -width Ds\n{}.El\n", command.get_name(),
                       action->get_name(), sentences(action->get_description()),
                       option_items(*action));
  return out.empty() ? out : ".Sh COMMANDS\n" + out;
}

std::string synopsis(const CLI::App& command) {
  const auto actions = command.get_subcommands([](const CLI::App*) { return true; });
  std::string out = ".Sh SYNOPSIS\n";
  if (!actions.empty() && command.get_require_subcommand_min() == 0)
    out += fmt::format(".Nm heddlectl\n.Cm {}\n.Op Ar option ...\n{}.Pp\n", command.get_name(),
                       arguments_of(command));
  for (const CLI::App* const action : actions)
    out += fmt::format(".Nm heddlectl\n.Cm {} {}\n.Op Ar option ...\n{}{}", command.get_name(),
                       action->get_name(), arguments_of(*action),
                       action == actions.back() ? "" : ".Pp\n");
  if (!actions.empty()) return out;
  return out + fmt::format(".Nm heddlectl\n.Cm {}\n.Op Ar option ...\n", command.get_name()) +
         arguments_of(command);
}

/// As the line of NAME has it: "what it is", from "What it is."
std::string phrase(std::string text) {
  if (text.ends_with('.')) text.pop_back();
  if (text.size() > 1 && std::islower(static_cast<unsigned char>(text[1])) != 0)
    text[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(text[0])));
  return text;
}

std::string make_page(const CLI::App& command, std::string_view date) {
  const std::string footer = command.get_footer();
  const std::size_t examples = footer.find(kExamples);
  std::string out =
      head("heddlectl-" + command.get_name(), "1", date, phrase(command.get_description()));
  out += synopsis(command);
  out += ".Sh DESCRIPTION\n" + sentences(command.get_description());
  if (examples != std::string::npos) out += sentences(footer.substr(0, examples));
  out += actions_of(command) + make_options(command) + exit_status(footer);
  if (examples != std::string::npos) {
    const std::size_t begin = examples + kExamples.size();
    out += ".Sh EXAMPLES\n" +
           literal(footer.substr(begin,
                                 std::min(footer.find(kExitCodes, begin), footer.size()) - begin));
  }
  return out + ".Sh SEE ALSO\n.Xr heddlectl 1 ,\n.Xr heddle 8\n";
}

std::string overview(CLI::App& app, std::string_view date) {
  std::string out = head("heddlectl", "1", date, phrase(app.get_description()));
  out +=
      ".Sh SYNOPSIS\n.Nm\n.Ar command\n.Op Ar option ...\n"
      ".Sh DESCRIPTION\n"
      "Commands that ask a running daemon do so on its control socket,\n"
      ".Pa /run/heddle/GUID.sock .\n"
      "The others read the fabric, or files, themselves.\n"
      "None but\n"
      ".Cm partition , reload , resweep , rebalance , isolate , release , forget , log-level ,\n"
      ".Cm http-user , hardware-report --writes\nand\n"
      ".Cm migrate-from --apply\nchanges anything.\n"
      "A daemon that sends nothing for 30 s, or for the time of\n.Fl Fl timeout ,\n"
      "counts as not responding: the message names its process.\n"
      "Names of nodes are found in any case if no node has the exact name.\n"
      ".Bl -tag -width Ds\n";
  for (const CLI::App* const command :
       app.get_subcommands([](const CLI::App* of) { return !of->get_group().empty(); }))
    out += fmt::format(".It Cm {}\n{}", command->get_name(), sentences(command->get_description()));
  out += ".El\n.Pp\nEach has a page of its own:\n.Xr heddlectl-status 1\nand so on.\n";
  return out +
         ".Sh FILES\n.Bl -tag -width Ds\n"
         ".It Pa /run/heddle/GUID.sock\nThe control socket of the daemon on the port with that "
         "GUID;\n.Ev HEDDLE_RUN_DIR\nnames another directory.\n.El\n" +
         std::string(kExitStatus) + ".Sh SEE ALSO\n.Xr heddle-conditions 7 ,\n.Xr heddle 8\n";
}

using Json = nlohmann::ordered_json;

/// "integer", "Guid", "list of EndPort", "one of full, limited".
std::string type_text(const Json& schema) {
  if (schema.contains("$ref")) {
    const auto name = schema.at("$ref").get<std::string>();
    return name.substr(name.rfind('/') + 1);
  }
  if (schema.contains("enum"))
    return fmt::format("one of {}",
                       fmt::join(schema.at("enum").get<std::vector<std::string>>(), ", "));
  const Json& type = schema.at("type");
  if (type.is_array()) return type.at(0).get<std::string>() + " or null";
  if (type == "array") return "list of " + type_text(schema.at("items"));
  return type.get<std::string>();
}

std::string field_item(const sm::FieldInfo& field) {
  std::string text = type_text(sm::read_schema(field.schema));
  if (!field.what.empty()) text += fmt::format(": {}", field.what);
  if (field.may_be_absent) text += " (may be absent)";
  return fmt::format(".It Li {}\n{}", field.name, sentences(text));
}

}  // namespace

std::map<std::string, std::string> command_pages(CLI::App& app, std::string_view date) {
  std::map<std::string, std::string> pages{{"heddlectl.1", overview(app, date)}};
  for (const CLI::App* const command : app.get_subcommands([](const CLI::App*) { return true; })) {
    const std::string name = command->get_name();
    if (name == "help" || name == "version" || command->get_group().empty()) continue;
    pages.emplace(fmt::format("heddlectl-{}.1", name), make_page(*command, date));
  }
  return pages;
}

std::string rows() {
  std::string out;
  std::vector<sm::RowInfo> infos = sm::all_row_infos();
  infos.insert(infos.end(), {sm::api::partition_info(), sm::api::partition_member_info()});
  for (const sm::RowInfo& row : infos) {
    out += fmt::format(".Ss {}: {}\n.Bl -tag -width Ds -compact\n", row.name, row.what);
    for (const sm::FieldInfo& field : row.fields) out += field_item(field);
    out += ".El\n";
  }
  return out;
}

}  // namespace manual
