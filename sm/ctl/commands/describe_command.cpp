// heddlectl describe shows all that a manager knows of a node or port; heddlectl events shows past
// events.

#include <chrono>
#include <iostream>
#include <memory>
#include <thread>

#include "config/common_command_line.h"
#include "sm/ctl/commands/command_options.h"
#include "sm/ctl/commands/commands.h"
#include "sm/ctl/commands/list_commands.h"
#include "sm/ctl/commands/managers.h"
#include "sm/ctl/describe_text.h"
#include "sm/ops/web/request_target.h"

namespace sm::commands {

namespace {

constexpr std::size_t kEventsShown = 10;

struct DescribeOptions {
  bool json = false;
  std::string name;
  ManagerChoice managers = {};
};

/// Holds NODE or NODE:PORT. GUIDs have no colons, so a colon and a number are a port.
struct NodePlace {
  std::string node, port;
};
NodePlace read_node_place(const std::string& text) {
  const std::size_t colon = text.rfind(':');
  const bool has_port = colon != std::string::npos && colon + 1 < text.size() &&
                        text.find_first_not_of("0123456789", colon + 1) == std::string::npos;
  return has_port ? NodePlace{text.substr(0, colon), text.substr(colon + 1)} : NodePlace{text, ""};
}

std::string node_target(const std::string& node) {
  return "/v1/nodes/" + web::percent_encoded(node);
}

Json events_about(const ManagerApi& api, const std::string& node_guid, std::size_t count) {
  Json about = Json::array();
  const auto answer = api.get("/v1/events?since=0&limit=10000");
  if (!answer) return about;
  for (const Json& event : answer->at("events"))
    if (ctl::is_about(event, node_guid)) about.push_back(event);
  if (about.size() > count)
    about.erase(about.begin(), about.end() - static_cast<std::ptrdiff_t>(count));
  return about;
}

/// Adds the paths over the links of the node or port, and those over all links between switches.
void add_loads(const ManagerApi& api, const std::string& place, Json& answer) {
  auto loads = api.all_rows("/v1/routing/loads?node=" + web::percent_encoded(place), "loads");
  const auto routing = api.get("/v1/routing");
  const bool is_known = loads && routing && routing->at("quality").is_object();
  answer["loads"] = is_known ? std::move(loads->at("loads")) : Json::array();
  answer["load"] = is_known ? routing->at("quality").at("load") : Json();
}

/// Reads the lost node that is called so, or nothing. A lost link is read by the nodes at its ends.
std::optional<Json> find_lost(const ManagerApi& api, const std::string& name) {
  const auto answer = api.all_rows("/v1/lost?node=" + web::percent_encoded(name), "lost");
  if (!answer) return std::nullopt;
  for (const Json& lost : answer->at("lost"))
    if (lost.at("kind") == "node") return lost;
  return std::nullopt;
}

/// Returns what is known of a lost node: its row, conditions, occurrences and latest events.
Json read_lost_node(const ManagerApi& api, Json lost) {
  const auto guid = lost.at("node_guid").get<std::string>();
  for (const char* const list : {"conditions", "occurrences"}) {
    auto rows = api.all_rows(fmt::format("/v1/{}?node={}", list, guid), list);
    lost[list] = rows ? std::move(rows->at(list)) : Json::array();
  }
  lost["events"] = events_about(api, guid, kEventsShown);
  return lost;
}

/// Reads the node or port, with the latest events of the node. Errors: as the API's.
ManagerApi::Answer read_place_of(const ManagerApi& api, const std::string& name) {
  const NodePlace place = read_node_place(name);
  auto node = api.get(node_target(place.node));
  if (!node) {
    if (auto lost = find_lost(api, name)) return read_lost_node(api, std::move(*lost));
    return node;
  }
  std::string port = place.port;
  const bool has_one = node->at("num_ports") == 1 && node->at("node_type") != "Switch";
  if (port.empty() && has_one) port = node->at("physical_ports").at(0).at("port").dump();
  auto answer = port.empty() ? node : api.get(node_target(place.node) + "/ports/" + port);
  if (answer) add_loads(api, place.node + (port.empty() ? "" : ":" + port), *answer);
  if (answer)
    (*answer)["events"] = events_about(api, node->at("node_guid").get<std::string>(), kEventsShown);
  return answer;
}

std::string place_text(const Json& answer) {
  if (answer.contains("for_s")) return ctl::lost_node_text(answer);
  return answer.contains("physical_ports") ? ctl::node_text(answer) : ctl::port_text(answer);
}

void print_place(const Json& answer) {
  std::cout << place_text(answer) << ctl::conditions_section(answer.at("conditions"), uses_colour())
            << ctl::occurrences_section(answer.at("occurrences"));
  if (answer.at("events").empty()) return;
  std::cout << "  latest events of the node\n";
  for (const Json& event : answer.at("events")) std::cout << "    " << ctl::event_line(event, true);
}

int describe(const DescribeOptions& options) {
  return with_first_api(options.managers,
                        [&](const ManagerApi& api) -> tl::expected<void, std::string> {
                          const auto answer = read_place_of(api, options.name);
                          if (!answer) return tl::unexpected(answer.error());
                          if (options.json)
                            std::cout << dumped(*answer) << '\n';
                          else
                            print_place(*answer);
                          return {};
                        });
}

struct EventOptions {
  bool json = false, follow = false;
  std::string since, node;
  ManagerChoice managers = {};
  std::size_t count = 50;
};

/// Prints events after `earliest` (RFC 3339 in UTC, compared as text; "" is all), only those of the
/// node if one was named.
void print_events(const Json& events, const EventOptions& options, const std::string& earliest,
                  const std::string& node_guid) {
  std::vector<const Json*> chosen;
  for (const Json& event : events)
    if (event.at("time").get<std::string>() >= earliest &&
        (node_guid.empty() || ctl::is_about(event, node_guid)))
      chosen.push_back(&event);
  const std::size_t first = chosen.size() > options.count ? chosen.size() - options.count : 0;
  for (std::size_t i = first; i < chosen.size(); ++i)
    std::cout << (options.json ? dumped(*chosen[i]) + "\n" : ctl::event_line(*chosen[i], true));
  std::cout.flush();
}

tl::expected<void, std::string> show_events(const ManagerApi& api, const EventOptions& options) {
  std::string node_guid;
  if (!options.node.empty()) {
    const auto node = api.get(node_target(read_node_place(options.node).node));
    const auto lost = node ? std::nullopt : find_lost(api, options.node);
    if (!node && !lost) return tl::unexpected(node.error());
    node_guid = (node ? *node : *lost).at("node_guid").get<std::string>();
  }
  std::string last = "0";
  for (bool is_first = true; is_first || options.follow; is_first = false) {
    if (!is_first) std::this_thread::sleep_for(std::chrono::seconds(1));
    const auto answer = api.get("/v1/events?limit=10000&since=" + web::percent_encoded(last));
    if (!answer) return tl::unexpected(answer.error());
    if (!is_first && answer->at("gap").get<bool>())
      std::cout << "events are missing here: the daemon keeps the latest ones only\n";
    print_events(answer->at("events"), options, time_text(options.since, Direction::ago),
                 node_guid);
    last = answer->at("last_id").get<std::string>();
  }
  return {};
}

}  // namespace

void add_describe_command(const AddCommand& add) {
  const auto options = std::make_shared<DescribeOptions>();
  CLI::App& command =
      add("describe", "Shows all that is known of a node or port, on one screen.",
          "Identity, LIDs, ports with their neighbours, state and rate; of a port also P_Keys and\n"
          "counters; what is wrong with it, and the latest events of the node. Nothing is sent to\n"
          "the fabric: `heddlectl show` reads what the node answers now.",
          "  heddlectl describe leaf-3\n"
          "  heddlectl describe leaf-3:17\n"
          "  heddlectl describe 0x0002c90300a1b2c0 --json\n",
          [=] { return describe(*options); });
  command
      .add_option("NODE", options->name,
                  "a NodeDescription or its first word, a GUID or a LID; NODE:PORT is one port")
      ->required()
      ->type_name("");
  add_answer_options(command, options->json, "the same as JSON", options->managers);
}

void add_events_command(const AddCommand& add) {
  const auto options = std::make_shared<EventOptions>();
  CLI::App& command =
      add("events", "Shows what happened in the subnet, the latest last.",
          "Nodes and links that appeared, changed and went, conditions, sweeps, changes of the\n"
          "master. The daemon keeps the latest ones since its start.",
          "  heddlectl events --since 2h --node leaf-3\n"
          "  heddlectl events -f\n"
          "  heddlectl events --json | jq 'select(.severity == \"critical\")'\n",
          [=] {
            return with_only_api(options->managers,
                                 [&](const ManagerApi& api) { return show_events(api, *options); });
          });
  command.add_flag("-f,--follow", options->follow, "go on until it is interrupted");
  command
      .add_option("--since", options->since,
                  "not before this time: 90s, 15m, 12h or 7d ago, or 2026-11-24T12:00:00Z")
      ->type_name("TIME")
      ->check(check_time);
  command.add_option("--node", options->node, "of this node only, as of `describe`")
      ->type_name("NODE");
  command.add_option("-n,--count", options->count, "the latest so many (default 50)")
      ->type_name("NUMBER")
      ->check(config::between(std::size_t{1}, std::size_t{10'000}));
  add_answer_options(command, options->json, "each event as JSON, a line each", options->managers);
}

}  // namespace sm::commands
