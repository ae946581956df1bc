#include "sm/ctl/commands/list_commands.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <iostream>
#include <memory>

#include "config/common_command_line.h"
#include "config/flags.h"
#include "fabric/condition.h"
#include "sm/ctl/adaptive_text.h"
#include "sm/ctl/commands/command_options.h"
#include "sm/ctl/commands/commands.h"
#include "sm/ctl/commands/managers.h"
#include "sm/ctl/lists_text.h"
#include "sm/ops/rows.h"
#include "sm/ops/security.h"
#include "sm/ops/web/request_target.h"

namespace sm::commands {

namespace {

struct ListOptions {
  bool json = false, down = false, degraded = false, names = false;
  bool all = false;        // conditions that others have caused, too
  bool exit_code = false;  // the exit code says whether there are findings
  std::string expect;      // "4X,HDR"; empty: nothing
  std::string one;         // of a list, "MGID" or "P_KEY"; empty: all
  ManagerChoice managers = {};
  FilterOptions filters = {};
};
using Text = std::function<std::string(const Json&)>;
using Read = std::function<ManagerApi::Answer(const ManagerApi&)>;
using HasFindings = std::function<bool(const Json&)>;

constexpr const char* kListExitCodes =
    "Exit codes: 0 answered, 1 not answered (the message says why), 2 the command line is wrong.\n";
/// `git diff --exit-code` and diff have the same codes.
constexpr int kSome = 1, kNotRead = 2;

int list(const ListOptions& options, const Read& read, const Text& text,
         const HasFindings& has_findings = {}) {
  bool first = true, some = false;
  const auto print = [&](const ManagerApi& api) -> tl::expected<void, std::string> {
    const auto answer = read(api);
    if (!answer) return tl::unexpected(answer.error());
    some = some || (options.exit_code && has_findings(*answer));
    if (options.json) {
      std::cout << dumped_by_rows(*answer);
    } else {
      if (!first && !options.names) std::cout << "\nport " << api.port_guid() << ":\n";
      std::cout << text(*answer);
    }
    first = false;
    return {};
  };
  const int code = with_each_api(options.managers, print);
  if (!options.exit_code) return code;
  return code != kOk ? kNotRead : some ? kSome : kOk;
}

void add_common(CLI::App& command, ListOptions& options) {
  add_answer_options(command, options.json, "the same as JSON, with more fields", options.managers);
  set_exit_codes(command, kListExitCodes);
}

/// Adds the option --exit-code; `findings` names what counts, such as "a link is degraded".
CLI::Option* add_exit_code(CLI::App& command, ListOptions& options, const std::string& findings) {
  set_exit_codes(command, std::string(kListExitCodes) + "With --exit-code: 0 no findings, 1 " +
                              findings +
                              ",\n2 not answered by each manager, or the command line is wrong.\n");
  return command.add_flag("--exit-code", options.exit_code,
                          "exit code 1 if " + findings + "; for scripts");
}

/// Adds a list without options of its own.
void add_plain(const AddCommand& add, const char* name, const char* what, const char* more,
               const Read& read, const Text& text) {
  const auto options = std::make_shared<ListOptions>();
  const std::string examples = fmt::format("  heddlectl {0}\n  heddlectl {0} --json\n", name);
  add_common(add(name, what, more, examples.c_str(), [=] { return list(*options, read, text); }),
             *options);
}

using MakeInfo = RowInfo (*)();
/// Returns the text of the rows `name` of an answer: a table, or a sentence if it has no rows.
Text rows_text(const char* name, MakeInfo info, const char* empty = nullptr) {
  return [=](const Json& answer) {
    const Json& rows = answer.at(name);
    return rows.empty() && empty != nullptr ? fmt::format("{}\n", empty) : ctl::table(info(), rows);
  };
}

/// Adds a list of all rows of the resource of that name.
void add_rows(const AddCommand& add, const char* name, const char* what, const char* more,
              MakeInfo info, const char* empty = nullptr) {
  add_plain(
      add, name, what, more,
      [name](const ManagerApi& api) { return api.all_rows(fmt::format("/v1/{}", name), name); },
      rows_text(name, info, empty));
}

void add_nodes(const AddCommand& add) {
  const auto options = std::make_shared<ListOptions>();
  CLI::App& command =
      add("nodes", "The nodes of the subnet, as the managers on this machine know them.",
          "NodeGUID, type, ports with a link, LIDs, description (node_name_map_name counts).",
          "  heddlectl nodes\n"
          "  heddlectl nodes --type Switch --name leaf\n"
          "  heddlectl nodes --json | jq '.nodes[] | select(.ports_up == 0)'\n",
          [=] {
            const Read read = [=](const ManagerApi& api) {
              return api.all_rows(options->filters.target("/v1/nodes", kNodeFilters), "nodes");
            };
            return list(*options, read, options->names ? ctl::node_names_text : ctl::nodes_text);
          });
  options->filters.add(command, kNodeFilters);
  add_common(command, *options);
  command.add_flag("--names", options->names, "names for other commands, with GUIDs, a line each")
      ->excludes("--json");
}

/// Reads links, and switch ports without a link.
ManagerApi::Answer read_links(const ManagerApi& api, const FilterOptions& filters) {
  auto links = api.all_rows(filters.target("/v1/links", kLinkFilters), "links");
  if (!links) return links;
  // A port without a link has no link state.
  constexpr std::array kOfPort{filter::kName, filter::kNode};
  auto ports = api.all_rows(filters.target("/v1/ports?type=Switch&linked=false", kOfPort), "ports");
  if (!ports) return ports;
  Json& unlinked = (*links)["ports_without_link"] = Json::array();
  for (Json& port : (*ports)["ports"])
    if (!port.at("port_state").is_null()) unlinked.push_back(std::move(port));
  return links;
}

void add_counters(const AddCommand& add) {
  struct Options {
    ListOptions list;
    std::string sort = "errors";
    unsigned count = 20;
  };
  const auto options = std::make_shared<Options>();
  CLI::App& command = add(
      "counters", "Shows ports by the growth of their counters, worst first.",
      "Between the two latest polls of the performance manager (perfmgr TRUE); then ports whose\n"
      "counters show something that does not grow. Nothing is read from the fabric, and nothing\n"
      "is cleared.",
      "  heddlectl counters\n"
      "  heddlectl counters --sort load -n 5\n",
      [=] {
        const Read read = [=](const ManagerApi& api) {
          return api.get(
              fmt::format("/v1/counters?sort={}&limit={}", options->sort, options->count));
        };
        return list(options->list, read, [options](const Json& answer) {
          return ctl::counters_text(answer, options->sort);
        });
      });
  command
      .add_option("--sort", options->sort,
                  "errors, discards, waits (PortXmitWait) or load (share of the rate)")
      ->type_name("BY")
      ->check(CLI::IsMember({"errors", "discards", "waits", "load"}));
  command.add_option("-n,--count", options->count, "rows at most (default 20)")
      ->type_name("NUMBER")
      ->check(config::between(1U, 10'000U));
  add_common(command, options->list);
}

void add_congestion(const AddCommand& add) {
  struct Options {
    ListOptions list;
    bool suggest = false;
  };
  const auto options = std::make_shared<Options>();
  CLI::App& command =
      add("congestion", "Lists devices with the state of their congestion control.",
          "With congestion_control TRUE: whether a device has the settings of the options, and\n"
          "how often it marked packets or a flow reached the trigger threshold, if it logs that.",
          "  heddlectl congestion\n"
          "  heddlectl congestion --suggest\n",
          [=] {
            const Read read = [=](const ManagerApi& api) {
              return options->suggest ? api.get("/v1/congestion/suggestion")
                                      : api.all_rows("/v1/congestion", "congestion");
            };
            return list(options->list, read,
                        options->suggest ? ctl::suggestion_text : ctl::congestion_text);
          });
  command.add_flag("--suggest", options->suggest,
                   "lines of opensm.conf computed for this subnet, with their reasons; nothing\n"
                   "is set");
  add_common(command, options->list);
}

/// Reads the switches, with what /v1/subnet says of adaptive routing.
ManagerApi::Answer read_adaptive_switches(const ManagerApi& api, const FilterOptions& filters) {
  auto switches =
      api.all_rows(filters.target("/v1/adaptive-routing", kAdaptiveFilters), "switches");
  if (!switches) return switches;
  auto subnet = api.get("/v1/subnet");
  if (!subnet) return subnet;
  (*switches)["adaptive_routing"] = subnet->value("adaptive_routing", Json());
  return switches;
}

void add_adaptive(const AddCommand& add) {
  const auto options = std::make_shared<ListOptions>();
  CLI::App& command =
      add("adaptive", "Lists switches with the state of their adaptive routing.",
          "And which SLs are adaptive, with the variables that applications need. With NODE: the\n"
          "groups of this switch, each with the switch that it leads to and its ports.\n"
          "heddle-adaptive-routing(7) has all of it.",
          "  heddlectl adaptive\n"
          "  heddlectl adaptive --state unsupported\n"
          "  heddlectl adaptive leaf-3\n",
          [=] {
            const Read read = [=](const ManagerApi& api) {
              return options->one.empty()
                         ? read_adaptive_switches(api, options->filters)
                         : api.all_rows(fmt::format("/v1/adaptive-routing/{}/groups",
                                                    web::percent_encoded(options->one)),
                                        "groups");
            };
            return list(*options, read,
                        options->one.empty() ? ctl::adaptive_text : ctl::adaptive_groups_text);
          });
  CLI::Option* const which =
      command
          .add_option("NODE", options->one,
                      "a switch: a NodeDescription or its first word, a GUID or a LID")
          ->type_name("");
  options->filters.add(command, kAdaptiveFilters);
  for (const char* const name : {"--state", "--name"}) command.get_option(name)->excludes(which);
  add_common(command, *options);
}

ManagerApi::Answer read_security(const ManagerApi& api) {
  auto security = api.get("/v1/security");
  // A daemon of an earlier version keeps no P_Keys.
  if (const auto kept = api.all_rows("/v1/partitions/kept", "kept"); security && kept)
    (*security)["kept"] = kept->at("kept");
  return security;
}

ManagerApi::Answer read_managers(const ManagerApi& api) {
  auto sms = api.all_rows("/v1/sms", "sms");
  if (!sms) return sms;
  (*sms)["managers"] = std::move((*sms)["sms"]);
  sms->erase("sms");
  return sms;
}

int list_links(const ListOptions& options) {
  if (options.exit_code && !options.degraded && options.expect.empty())
    return complain("--exit-code requires --degraded or --expect"), kUsage;
  const auto expected = ctl::parse_expected_rate(options.expect);
  const bool compares = !options.expect.empty();
  if (compares && !expected) return complain("--expect: " + expected.error()), kUsage;
  return list(
      options, [&](const ManagerApi& api) { return read_links(api, options.filters); },
      [&](const Json& answer) {
        if (compares) return ctl::links_below_text(answer, *expected);
        return ctl::links_text(answer, options.down       ? ctl::LinkChoice::down
                                       : options.degraded ? ctl::LinkChoice::degraded
                                                          : ctl::LinkChoice::up);
      },
      [&](const Json& answer) {
        return std::ranges::any_of(answer.at("links"), [&](const Json& link) {
          return compares ? ctl::is_below(link, *expected) : ctl::is_degraded_or_inactive(link);
        });
      });
}

void add_links(const AddCommand& add) {
  const auto options = std::make_shared<ListOptions>();
  CLI::App& command = add(
      "links", "The links of the subnet: width, speed, state, and whether they are degraded.",
      "Degraded: narrower or slower than both ends support, as iblinkinfo's \"could be\". Error\n"
      "counters are not read. FDR10 is shown as QDR.",
      "  heddlectl links --degraded\n"
      "  heddlectl links --node leaf-3\n"
      "  heddlectl links --degraded --exit-code\n"
      "  heddlectl links --expect 4X,HDR --exit-code\n"
      "  heddlectl links --json | jq '.links[] | select(.degraded)'\n",
      [=] { return list_links(*options); });
  options->filters.add(command, kLinkFilters);
  add_common(command, *options);
  CLI::Option* const degraded = command.add_flag("--degraded", options->degraded,
                                                 "only those that are degraded or not Active");
  CLI::Option* const down =
      command.add_flag("--down", options->down, "switch ports without a link instead")
          ->excludes(degraded);
  command
      .add_option("--expect", options->expect,
                  "only those narrower or slower than WIDTH,SPEED, such as 4X,HDR")
      ->type_name("RATE")
      ->excludes(degraded)
      ->excludes(down);
  add_exit_code(command, *options, "a link is degraded, not Active or below --expect");
}

/// Reads active conditions, and what has occurred.
ManagerApi::Answer read_conditions(const ManagerApi& api, const FilterOptions& filters) {
  auto answer = api.all_rows(filters.target("/v1/conditions", kConditionFilters), "conditions");
  if (!answer) return answer;
  auto past = api.all_rows(filters.target("/v1/occurrences", kConditionFilters), "occurrences");
  if (!past) return past;
  (*answer)["occurrences"] = std::move((*past)["occurrences"]);
  return answer;
}

/// True if an active condition has another severity than info.
bool has_faults(const Json& answer) {
  const Json& conditions = answer.at("conditions");
  return std::ranges::any_of(conditions, [](const Json& condition) {
    return condition.at("severity") != name(Severity::info);
  });
}

void add_conditions(const AddCommand& add) {
  const auto options = std::make_shared<ListOptions>();
  CLI::App& command = add(
      "conditions", "Shows what the managers on this machine report as wrong, worst first.",
      "How long each is active, what Heddle does about it, and what to do. Conditions that\n"
      "another one has caused, such as those of hosts behind a lost switch, are counted by\n"
      "that one. Below them: what has occurred within ten minutes, such as requests that were\n"
      "refused, with its time. `heddlectl explain ID` has meaning and usual cause.",
      "  heddlectl conditions\n"
      "  heddlectl conditions --all\n"
      "  heddlectl conditions --severity critical\n"
      "  heddlectl conditions --node leaf-3 --id SM-LINK-LOST\n"
      "  heddlectl conditions --json\n"
      "  heddlectl conditions --exit-code\n",
      [=] {
        return list(
            *options, [&](const ManagerApi& api) { return read_conditions(api, options->filters); },
            [&](const Json& answer) {
              return ctl::conditions_text(
                  answer,
                  {.colour = uses_colour(), .all = options->all, .columns = terminal_columns()});
            },
            has_faults);
      });
  options->filters.add(command, kConditionFilters);
  add_common(command, *options);
  command.add_flag("-a,--all", options->all, "conditions that others have caused, too");
  add_exit_code(command, *options, "a condition of severity warning or worse is active");
}

/// True for an IPv6 address; "leaf-3:17" is not one.
bool is_gid(const std::string& text) {
  in6_addr address{};
  return inet_pton(AF_INET6, text.c_str(), &address) == 1;
}

/// True for a number among the MLIDs; LIDs of ports are smaller.
bool is_mlid(const std::string& text) {
  std::uint64_t number = 0;
  return config::read_number(text, number) && number >= mad::kMlidMin.value &&
         number <= mad::kMlidMax.value;
}

/// Reads all groups, one with its members, those of an MLID, or those of a port.
ManagerApi::Answer read_groups(const ManagerApi& api, const ListOptions& options) {
  const std::string& which = options.one;
  if (is_gid(which)) return api.get("/v1/groups/" + web::percent_encoded(which));
  std::string target = options.filters.target("/v1/groups", kGroupFilters);
  if (!which.empty())
    target += fmt::format("{}{}={}", target.find('?') == std::string::npos ? '?' : '&',
                          is_mlid(which) ? "mlid" : "port", web::percent_encoded(which));
  return api.all_rows(target, "groups");
}

void add_groups(const AddCommand& add) {
  const auto options = std::make_shared<ListOptions>();
  CLI::App& command =
      add("groups", "Multicast groups: all, those of an MLID or a port, or one with its members.",
          "As subnet administration has them; empty on a standby. The groups of a port are those\n"
          "with a member that has its GUID; those of a vport are found by the GUID of the vport.",
          "  heddlectl groups\n"
          "  heddlectl groups ff12:401b:ffff::ffff:ffff\n"
          "  heddlectl groups 0xc001\n"
          "  heddlectl groups n17:1\n",
          [=] {
            return list(
                *options, [=](const ManagerApi& api) { return read_groups(api, *options); },
                ctl::groups_text);
          });
  CLI::Option* const which =
      command
          .add_option("GROUP", options->one,
                      "an MGID: this group, with its members; an MLID (0xc000 and above): its\n"
                      "groups; NODE or NODE:PORT: the groups of this port")
          ->type_name("");
  options->filters.add(command, kGroupFilters);
  for (const char* const option : {"--mlid", "--port"}) command.get_option(option)->excludes(which);
  add_common(command, *options);
}

/// Holds which managers a command is sent to, and how their answers are shown.
struct OrderOptions {
  bool json = false;
  ManagerChoice managers = {};
};

/// Sends a command to each of the managers; `done` says what it does then.
int order(const OrderOptions& options, const char* method, const std::string& target,
          const std::string& body, const std::string& done) {
  return with_any_api(
      options.managers, [&](const ManagerApi& api) -> tl::expected<void, std::string> {
        const auto answer = api.send(method, target, body);
        if (!answer) return tl::unexpected(answer.error());
        if (options.json) {
          Json shown{{"port_guid", api.port_guid()}};
          shown.update(*answer);
          std::cout << dumped(shown) << '\n';
        } else {
          std::cout << "port " << api.port_guid() << ": " << ctl::order_text(*answer, done) << '\n';
        }
        return {};
      });
}

void add_order_options(CLI::App& command, OrderOptions& options, bool has_guid = true) {
  command.add_flag("--json", options.json, "the API's answer as JSON");
  if (has_guid)
    add_manager_choice(command, options.managers);
  else
    add_timeout(command, options.managers);
}

void add_place(CLI::App& command, std::string& place) {
  command
      .add_option("NODE", place,
                  "a NodeDescription or its first word, a GUID or a LID; for one link with its\n"
                  "port behind a colon (NODE:PORT)")
      ->required()
      ->type_name("");
}

void add_isolate(const AddCommand& add) {
  struct Options {
    OrderOptions order;
    std::string place, reason, lasting;
  };
  const auto options = std::make_shared<Options>();
  CLI::App& command = add(
      "isolate", "Keeps links out of use until they are released.",
      "The link at this port, or all links of a node. A link between switches stays up, and no\n"
      "path uses it; a host is treated as absent. Links that the rest of the subnet needs stay\n"
      "in use: `heddlectl conditions` says so. Returns when it is in force, and says how many\n"
      "other managers hold the order. It outlives the daemon; a manager on another machine that\n"
      "becomes MASTER knows it if the two share their state (state_store).",
      "  heddlectl isolate leaf-3:17 --reason \"cable 4711 is replaced\" --for 2h\n"
      "  heddlectl isolate 0x0002c90300a1b2c0:17\n",
      [options] {
        Json body{{"place", options->place}};
        if (!options->reason.empty()) body["reason"] = options->reason;
        if (const auto lasting = read_duration(options->lasting)) body["for_s"] = lasting->count();
        return order(options->order, "POST", "/v1/isolate", dumped(body),
                     options->place + " is isolated, but for links that the subnet needs");
      });
  add_place(command, options->place);
  command
      .add_option("--reason", options->reason,
                  "shown by `heddlectl status` and `heddlectl conditions`; at most 200 bytes")
      ->type_name("TEXT");
  command.add_option("--for", options->lasting, "ends after 90s, 15m, 12h or 7d")
      ->type_name("TIME")
      ->check(check_duration);
  add_order_options(command, options->order);
}

/// Adds `release` or `forget`.
void add_place_order(const AddCommand& add, const char* name, const char* what, const char* more,
                     const char* examples, const char* done) {
  struct Options {
    OrderOptions order;
    std::string place;
  };
  const auto options = std::make_shared<Options>();
  CLI::App& command = add(name, what, more, examples, [=] {
    return order(options->order, "POST", fmt::format("/v1/{}", name),
                 dumped(Json{{"place", options->place}}), options->place + " " + done);
  });
  add_place(command, options->place);
  add_order_options(command, options->order);
}

/// Adds `rebalance` or `resweep`.
void add_plain_order(const AddCommand& add, const char* name, const char* what, const char* more,
                     const char* examples, const char* done) {
  const auto options = std::make_shared<OrderOptions>();
  add_order_options(
      add(name, what, more, examples,
          [=] { return order(*options, "POST", fmt::format("/v1/{}", name), "", done); }),
      *options);
}

}  // namespace

void add_list_commands(const AddCommand& add) {
  add_nodes(add);
  add_links(add);
  add_rows(add, "lids", "LIDs and the ports that have them.",
           "Base LIDs, ascending; with LMC the next 2^LMC - 1 belong to the same port.", lid_info);
  add_rows(add, "lost", "Lists the nodes and links that were lost, the oldest first.",
           "Until they are back, for seven days, or until `heddlectl forget`.", lost_info,
           "nothing is lost");
  add_rows(add, "routers", "Lists routers with the subnets that they say they lead to.",
           "With read_router_tables TRUE. heddle-routers(7) has all of it.", router_info,
           "there is no router");
  add_rows(add, "subnets", "Lists other subnets, with the routers that lead there.",
           "And where a manager of it serves the API (subnet_peers).", other_subnet_info,
           "no router leads to another subnet, or read_router_tables is FALSE");
  add_groups(add);
  add_plain(add, "sms", "The subnet managers of the subnet, this one first.",
            "As SMInfo was read latest.", read_managers, rows_text("managers", manager_info));
  add_conditions(add);
  add_counters(add);
  add_plain(
      add, "security", "Shows what is protected by which key against whom, and what is open.",
      "What is open comes first, with what to set. heddle-security(7) has the same as steps.\n"
      "P_Keys of unknown origin that ports have kept follow (SM-PARTITION-KEPT).",
      read_security, ctl::security_text);
  add_congestion(add);
  add_adaptive(add);
}

void add_order_commands(const AddCommand& add) {
  add_plain_order(
      add, "rebalance", "Lets the managers that run on this machine choose all routes again.",
      "A daemon keeps routes that are still good, and tables that it found when it became\n"
      "master (the condition SM-ROUTING-ADOPTED names their price). This replaces them by\n"
      "what the routing engine chooses, verified, and written in an order in which no\n"
      "forwarding loop is possible. `heddlectl plan --rebalance` shows what is written.",
      "  heddlectl rebalance\n"
      "  heddlectl rebalance --guid 0x0002c90300000001\n",
      "the next sweep begins now and chooses all routes again");
  add_plain_order(add, "resweep",
                  "Lets the managers that run on this machine read the whole subnet again.",
                  "Tables included, which SIGHUP leaves to the audit; what differs is written. A "
                  "manager\n"
                  "that is not MASTER refuses.",
                  "  heddlectl resweep\n", "everything is read again");
  add_isolate(add);
  add_place_order(add, "release", "Lets links that were isolated be used again.",
                  "The link at this port, or all links of a node. What it has done counts no\n"
                  "more. What a file says (hm_ports_health_policy_file, held_back_sw_file) is\n"
                  "changed there.",
                  "  heddlectl release leaf-3:17\n"
                  "  heddlectl release n17\n",
                  "is released");

  add_place_order(add, "forget", "Ends the conditions of a node or link that was lost.",
                  "For what was removed on purpose: it is no longer listed by `heddlectl lost`,\n"
                  "nor drawn in the map. What was lost behind a switch is forgotten with it.",
                  "  heddlectl forget n17\n"
                  "  heddlectl forget leaf-3:17\n",
                  "is forgotten");

  struct LevelOptions {
    OrderOptions order;
    std::string flags;
  };
  const auto level = std::make_shared<LevelOptions>();
  CLI::App& log_level =
      add("log-level", "Changes what the daemons on this machine log.",
          "Until the line log_flags of the configuration is edited, or the daemon ends.",
          "  heddlectl log-level ERROR,INFO,VERBOSE\n"
          "  heddlectl log-level 0x07\n",
          [=] {
            const auto flags = config::read_log_flags(level->flags);
            if (!flags) return complain(flags.error()), kUsage;
            return order(level->order, "PUT", "/v1/log-level",
                         dumped(Json{{"log_flags", unsigned{*flags}}}),
                         fmt::format("log_flags {:#04x}", *flags));
          });
  add_order_options(log_level, level->order, false);
  log_level
      .add_option("LEVEL", level->flags,
                  "log_flags: a number, or names with commas between: ERROR, INFO, VERBOSE,\n"
                  "DEBUG, FUNCS, FRAMES, ROUTING, SYS, ALL")
      ->required()
      ->type_name("");
}

}  // namespace sm::commands
