// heddlectl show prints the present attributes of a node, read by a daemon, in smpquery's format.

#include <algorithm>
#include <cctype>
#include <iostream>
#include <memory>
#include <utility>

#include "config/common_command_line.h"
#include "mad/attribute_rows.h"
#include "mad/format.h"
#include "sm/ctl/attributes_text.h"
#include "sm/ctl/commands/command_options.h"
#include "sm/ctl/commands/commands.h"
#include "sm/ctl/commands/list_commands.h"
#include "sm/ctl/commands/managers.h"
#include "sm/ops/web/request_target.h"

namespace sm::commands {

namespace {

struct ShowOptions {
  bool json = false;
  std::string list, node;
  ManagerChoice managers = {};
};

/// Returns "portinfo, switchinfo or nodeinfo", with this last word.
std::string list_names(std::string_view last_word) {
  std::string names;
  const auto lists = mad::attribute_lists();
  for (const mad::AttributeList& list : lists)
    names += fmt::format("{}{}",
                         &list == &lists.front()  ? ""
                         : &list == &lists.back() ? fmt::format(" {} ", last_word)
                                                  : ", ",
                         list.name);
  return names;
}

/// Returns null if no list has the name, in lower case.
const mad::AttributeList* find_list(std::string_view name) {
  for (const mad::AttributeList& list : mad::attribute_lists())
    if (name == list.name || name == list.smpquery_name || name == list.short_name) return &list;
  return nullptr;
}

std::string list_called(std::string name) {
  std::ranges::transform(name, name.begin(), [](unsigned char character) {
    return static_cast<char>(std::tolower(character));
  });
  if (const mad::AttributeList* const list = find_list(name)) return std::string(list->name);
  throw CLI::ValidationError(
      fmt::format("'{}' cannot be shown; there are {}", name, list_names("and")));
}

int show(const ShowOptions& options) {
  return with_first_api(
      options.managers, [&](const ManagerApi& api) -> tl::expected<void, std::string> {
        const auto answer = api.get(fmt::format("/v1/attributes?list={}&node={}", options.list,
                                                web::percent_encoded(options.node)));
        if (!answer) return tl::unexpected(answer.error());
        std::cout << (options.json ? dumped(*answer) + "\n"
                                   : ctl::attributes_text(*find_list(options.list), *answer));
        return {};
      });
}

}  // namespace

void add_show_command(const AddCommand& add) {
  const auto options = std::make_shared<ShowOptions>();
  CLI::App& command = add(
      "show", "An attribute of a node as it has it now, in the format of smpquery.",
      "A daemon on this machine reads it (SubnGet), by its own routes and M_Keys; being root is\n"
      "not needed. The short names of smpquery (PI, SI, NI, PKeys) do, too. M_Keys are not\n"
      "displayed. Of PortInfo without the bit SMSupportExtendedSpeeds in the request, as\n"
      "smpquery without -x. adaptive: of a switch of NVIDIA's, its AdaptiveRoutingInfo and the\n"
      "first two blocks of its groups and of its forwarding table for adaptive routing, as\n"
      "bytes and in words.",
      "  heddlectl show portinfo n17\n"
      "  heddlectl show portinfo leaf-3:36\n"
      "  heddlectl show vlarb 0x0002c90300000001:1\n"
      "  heddlectl show adaptive leaf-3\n",
      [=] { return show(*options); });
  command.add_option("WHAT", options->list, list_names("or"))
      ->required()
      ->type_name("")
      ->transform(list_called);
  command
      .add_option("NODE", options->node,
                  "a LID, a GUID, or a NodeDescription (or its first word); NAME:PORT for one\n"
                  "port, without it port 0 of a switch, or the port that has a link")
      ->required()
      ->type_name("");
  add_answer_options(command, options->json, "bytes of all attributes that were read, as JSON",
                     options->managers);
}

}  // namespace sm::commands
