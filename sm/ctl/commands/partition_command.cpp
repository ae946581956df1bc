// heddlectl partition sends the requests of /v1/partitions over the control socket.

#include <algorithm>
#include <chrono>
#include <iostream>
#include <map>
#include <memory>

#include "config/common_command_line.h"
#include "mad/format.h"
#include "sm/ctl/commands/command_options.h"
#include "sm/ctl/commands/commands.h"
#include "sm/ctl/commands/list_commands.h"
#include "sm/ctl/commands/managers.h"
#include "sm/ctl/lists_text.h"
#include "sm/ops/partition_rows.h"
#include "sm/ops/web/request_target.h"

namespace sm::commands {
namespace {

using Body = Json;
using Done = tl::expected<void, std::string>;

struct PartitionOptions {
  bool json = false, wait = false;
  ManagerChoice managers = {};
  std::string key;                                     // as written: the API reads it
  std::vector<std::string> guids;                      // of members
  bool limited = false, full = false, index0 = false;  // full: what they are without --limited
  std::string owner, expires;                          // empty: not given
  bool ipoib = false;
  std::string name, mtu, rate, sl;  // empty: not given
  bool all = false;                 // kept P_Keys, of each partition
};

/// Returns a line for each member that does not have its P_Key.
std::string not_applied_text(const Json& members) {
  std::string text;
  for (const Json& member : members)
    if (member.at("state") != "applied")
      text += fmt::format("{} {}: {}\n", field_text(member, "guid"), field_text(member, "state"),
                          ctl::printable(field_text(member, "reason")));
  return text;
}

/// `answer` is {"partitions": [...], "applied_revision"}.
std::string stored_partitions_text(const Json& answer) {
  return ctl::table(api::partition_info(), answer.at("partitions"));
}

/// `answer` is one partition with "members".
std::string stored_partition_text(const Json& answer) {
  return ctl::table(api::partition_info(), Json::array({answer})) +
         ctl::table(api::partition_member_info(), answer.at("members"));
}

/// "revision 7: the fabric has it; held by 1 other manager"
std::string changed_text(const Json& answer) {
  const std::string revision = fmt::format("revision {}: ", field_text(answer, "revision"));
  const std::string end = ctl::held_text(answer) + '\n';
  if (answer.value("applied", false)) return revision + "the fabric has it" + end;
  const Json members = answer.value("members", Json::array());
  const auto applied = std::ranges::count_if(
      members, [](const Json& member) { return member.at("state") == "applied"; });
  if (answer.at("applied_revision") < answer.at("revision") || members.empty())
    return revision + "stored; the fabric does not have it yet" + end + not_applied_text(members);
  return revision +
         fmt::format("stored; {} of {} applied{}", applied, ctl::counted(members.size(), "member"),
                     end) +
         not_applied_text(members);
}

constexpr std::string_view kWait = "wait=applied&timeout_ms=30000";
constexpr unsigned kWaitSeconds = 30;

std::string of_one(const PartitionOptions& options) {
  return "/v1/partitions/" + web::percent_encoded(options.key);
}

using Get = std::function<tl::expected<Body, std::string>(const ManagerApi&)>;
int shown(const PartitionOptions& options, const Get& get, std::string (*text)(const Body&)) {
  bool first = true;
  return with_each_api(options.managers, [&](const ManagerApi& api) -> Done {
    const auto answer = get(api);
    if (!answer) return tl::unexpected(answer.error());
    if (options.json) {
      std::cout << dumped(*answer) << '\n';
    } else {
      if (!first) std::cout << "\nport " << api.port_guid() << ":\n";
      std::cout << text(*answer);
    }
    first = false;
    return {};
  });
}

/// Shows the partitions that the subnet has now: all, or one with the ports that are members.
int partitions_in_subnet(const PartitionOptions& options) {
  constexpr const char* kTarget = "/v1/subnet/partitions";
  const auto get = [&](const ManagerApi& api) {
    return options.key.empty()
               ? api.all_rows(kTarget, "partitions")
               : api.get(std::string(kTarget) + "/" + web::percent_encoded(options.key));
  };
  return shown(options, get, ctl::partitions_text);
}

int list_partitions(const PartitionOptions& options) {
  return shown(
      options, [](const ManagerApi& api) { return api.all_rows("/v1/partitions", "partitions"); },
      stored_partitions_text);
}

int show_partition(const PartitionOptions& options) {
  const auto get = [&](const ManagerApi& api) -> tl::expected<Body, std::string> {
    auto partition = api.send("GET", of_one(options));
    if (!partition) return partition;
    auto members = api.all_rows(of_one(options) + "/members", "members");
    if (!members) return members;
    (*partition)["members"] = members->at("members");
    return partition;
  };
  return shown(options, get, stored_partition_text);
}

/// A Change is a request that changes something.
struct Change {
  const char* method;
  std::string target;
  Body body = {};  // null: none
  web::Fields headers = {};
};

Done carried_out(const PartitionOptions& options, const ManagerApi& api, const Change& change) {
  const std::string target = fmt::format("{}{}{}", change.target, options.wait ? "?" : "",
                                         options.wait ? kWait : std::string_view());
  const auto answer = api.send(change.method, target,
                               change.body.is_null() ? "" : dumped(change.body), change.headers);
  if (!answer) return tl::unexpected(answer.error());
  std::cout << (options.json ? dumped(*answer) + "\n" : changed_text(*answer));
  const Body members = answer->value("members", Body::array());
  const auto refused = std::ranges::count_if(
      members, [](const Body& member) { return member.at("state") == "refused"; });
  if (refused > 0)
    return tl::unexpected(
        fmt::format("{} of {} refused; what was stored stays until "
                    "`heddlectl partition remove`",
                    refused, ctl::counted(members.size(), "member")));
  if (options.wait && answer->at("applied_revision") < answer->at("revision"))
    return tl::unexpected(
        fmt::format("it is stored, but the fabric does not have it after {} s; `heddlectl "
                    "conditions` may say why",
                    kWaitSeconds));
  return {};
}

int changed(const PartitionOptions& options, const Change& change) {
  return with_only_api(options.managers,
                       [&](const ManagerApi& api) { return carried_out(options, api, change); });
}

int create_partition(const PartitionOptions& options) {
  Change change{"POST", "/v1/partitions"};
  change.body["p_key"] = options.key;
  if (!options.name.empty()) change.body["name"] = options.name;
  if (options.ipoib) change.body["ipoib"] = true;
  const auto number = [&](const char* name, const std::string& text) {
    if (text.empty()) return;
    Body value = Body::parse(text, nullptr, false);
    change.body[name] = value.is_discarded() ? Body(text) : std::move(value);
  };
  number("mtu", options.mtu);
  number("rate_gbps", options.rate);
  number("sl", options.sl);
  return changed(options, change);
}

int delete_partition(const PartitionOptions& options) {
  return changed(options, {"DELETE", of_one(options), {}, {{"If-Match", "*"}}});
}

/// Names all GUIDs or none.
Change change_of(const PartitionOptions& options, const char* op) {
  Body one;
  one["op"] = op;
  one["p_key"] = options.key;
  Change change{"POST", "/v1/partition-changes"};
  change.body["changes"] = Body::array();
  change.body["changes"].push_back(std::move(one));
  return change;
}

int add_members(const PartitionOptions& options) {
  Change change = change_of(options, "add");
  Body& members = change.body["changes"][0]["members"] = Body::array();
  for (const std::string& guid : options.guids) {
    Body member;
    member["guid"] = guid;
    member["membership"] = options.limited ? "limited" : "full";
    if (options.index0) member["index0"] = true;
    if (!options.owner.empty()) member["owner"] = options.owner;
    if (!options.expires.empty())
      member["expires_at"] = time_text(options.expires, Direction::ahead);
    members.push_back(std::move(member));
  }
  return with_only_api(options.managers, [&](const ManagerApi& api) -> Done {
    // A list of changes would create the partition, also for a mistyped P_Key.
    if (const auto there = api.get(of_one(options)); !there) return tl::unexpected(there.error());
    return carried_out(options, api, change);
  });
}

int remove_members(const PartitionOptions& options) {
  Change change = change_of(options, "remove");
  change.body["changes"][0]["guids"] = options.guids;
  return changed(options, change);
}

/// "adopted 0x0013 at 3 ports; held by 1 other manager"
std::string resolved_text(const Json& answer, const char* verb) {
  std::map<std::string, std::size_t> ports;
  for (const Json& kept : answer.at("kept")) ++ports[field_text(kept, "p_key")];
  const std::string held = ctl::held_text(answer);
  std::string text;
  for (const auto& [key, count] : ports)
    text += fmt::format("{} {} at {}{}\n", verb, key, ctl::counted(count, "port"), held);
  return text.empty() ? std::string("no P_Key of unknown origin is kept\n") : text;
}

/// Adopts or discards P_Keys of unknown origin.
int resolve_kept(const PartitionOptions& options, const char* action, const char* verb) {
  Body body;
  if (options.all)
    body["all"] = true;
  else
    body["p_key"] = options.key;
  if (!options.guids.empty()) body["guids"] = options.guids;
  return with_only_api(options.managers, [&](const ManagerApi& api) -> Done {
    if (!options.all && options.key.empty())
      return tl::unexpected(std::string("write a P_Key, or --all"));
    const auto answer =
        api.send("POST", std::string("/v1/partitions/kept/") + action, dumped(body), {});
    if (!answer) return tl::unexpected(answer.error());
    std::cout << (options.json ? dumped(*answer) + "\n" : resolved_text(*answer, verb));
    if (answer->value("applied", false)) return {};
    return tl::unexpected(
        std::string("the fabric does not have it yet; `heddlectl conditions` "
                    "may say why"));
  });
}
int adopt_kept(const PartitionOptions& options) {
  return resolve_kept(options, "adopt", "adopted");
}
int discard_kept(const PartitionOptions& options) {
  return resolve_kept(options, "discard", "discarded");
}

void add_ports(CLI::App& command, PartitionOptions& options) {
  command
      .add_option("PORT", options.guids,
                  "port GUIDs, also of vports and of hosts that are not there yet; or names of\n"
                  "ports in the subnet: a NodeDescription or its first word, NAME:PORT")
      ->required()
      ->type_name("")
      ->expected(1, -1);
}

void add_wait(CLI::App& command, PartitionOptions& options) {
  command.add_flag(
      "--wait", options.wait,
      "returns when the fabric has it: the last SubnSet(P_KeyTable) is acknowledged; exit\n"
      "code 1 after 30 s. Each member is applied, pending (not in the subnet) or refused\n"
      "(no room in a table, or not a port), which is exit code 1, too");
}

void add_partition_options(CLI::App& create, PartitionOptions& options) {
  create.add_option("--name", options.name, "at most 64 bytes")->type_name("NAME");
  create.add_flag("--ipoib", options.ipoib, "it has the broadcast group of IP over InfiniBand");
  create
      .add_option("--mtu", options.mtu, "of that group: 256, 512, 1024, 2048 (the default), 4096")
      ->type_name("BYTES");
  create.add_option("--rate", options.rate, "of that group, in Gb/s: 2.5, 10 (the default), ...")
      ->type_name("RATE");
  create.add_option("--sl", options.sl, "the service level, 0 to 15")->type_name("SL");
}

void add_member_options(CLI::App& added, PartitionOptions& options) {
  bool& limited = options.limited;
  CLI::Option* const is_limited = added.add_flag("--limited", limited, "limited members");
  added.add_flag("--full", options.full, "full members (the default)")->excludes(is_limited);
  added.add_flag("--index0", options.index0, "the P_Key belongs at index 0 of their tables");
  added.add_option("--owner", options.owner, "for whom, at most 128 bytes")->type_name("TEXT");
  added
      .add_option("--expires", options.expires,
                  "when they are removed again: a time such as 2026-11-24T12:00:00Z, or after\n"
                  "90s, 15m, 12h or 7d")
      ->type_name("TIME");
}

struct ChosenAction {
  PartitionOptions options;
  int (*run)(const PartitionOptions& options) = partitions_in_subnet;
};

void add_actions(CLI::App& command, const std::shared_ptr<ChosenAction>& chosen) {
  PartitionOptions& options = chosen->options;
  const auto action = [&](const char* name, const char* what,
                          int (*run)(const PartitionOptions&)) -> CLI::App& {
    CLI::App& sub = *command.add_subcommand(name, what);
    sub.callback([chosen, run] { chosen->run = run; });
    add_answer_options(sub, options.json, "the API's answer as JSON", options.managers);
    return sub;
  };
  const auto of_key = [&](CLI::App& sub) -> CLI::App& {
    sub.add_option("P_KEY", options.key, "0x0001 to 0x7fff")->required()->type_name("");
    return sub;
  };
  const auto of_members = [&](CLI::App& sub) -> CLI::App& {
    add_ports(of_key(sub), options);
    return sub;
  };
  const auto changing = [&](CLI::App& sub) { add_wait(sub, options); };
  action("list", "the partitions as configured, of partitions.conf and of the API",
         list_partitions);
  of_key(action("show", "one of them with its members, also with those that are not in the subnet",
                show_partition));

  CLI::App& create = of_key(action("create", "a partition without members", create_partition));
  add_partition_options(create, options);
  changing(create);
  changing(of_key(action("delete", "a partition with its members, as far as the API has it",
                         delete_partition)));

  CLI::App& added = of_members(action("add", "members, or changes what they are", add_members));
  add_member_options(added, options);
  changing(added);
  changing(of_members(action("remove", "members", remove_members)));
  const auto of_kept = [&](CLI::App& sub) {
    CLI::Option* const all = sub.add_flag("--all", options.all, "all of them");
    sub.add_option("P_KEY", options.key, "0x0001 to 0x7fff")->type_name("")->excludes(all);
    sub.add_option("PORT", options.guids,
                   "port GUIDs or names; without any: all ports that have it")
        ->type_name("")
        ->excludes(all);
  };
  of_kept(action("adopt", "P_Keys of unknown origin (SM-PARTITION-KEPT): their ports are members",
                 adopt_kept));
  of_kept(action("discard", "P_Keys of unknown origin, which the ports lose", discard_kept));
}

/// Returns "", or what is wrong with a word that is neither the name of an action nor a number;
/// which numbers are P_Keys, the API says.
std::string check_key_or_action(const std::string& word) {
  std::uint64_t number = 0;
  if (config::read_number(word, number)) return "";
  return fmt::format("'{}' is neither a P_Key, 0x0001 to 0x7fff, nor an action{}", word,
                     config::suggestion(word, {"list", "show", "create", "delete", "add", "remove",
                                               "adopt", "discard"}));
}

/// Adds the command; `name` is "partition", or its other spelling.
CLI::App& add_partition(const AddCommand& add, const char* name) {
  const auto chosen = std::make_shared<ChosenAction>();
  PartitionOptions& options = chosen->options;
  CLI::App& command = add(
      name, "Shows, creates and changes partitions and their members while a manager runs.",
      "Without an action: the partitions that the ports of the subnet are members of at present,\n"
      "or one of them with its members. The actions are those of /v1/partitions of the HTTP API\n"
      "(heddle-http(7)), which need not be configured for it. What partitions.conf says stays;\n"
      "the partitions that take effect are those of the file and these together, and they survive\n"
      "restarts. A GUID may be added before its host is there. Of several GUIDs all are changed\n"
      "or none.",
      "  heddlectl partition\n"
      "  heddlectl partition 0x7fff\n"
      "  heddlectl partition create 0x0012 --name blue --ipoib\n"
      "  heddlectl partition add 0x0012 0x0002c90000000011 --owner \"job 4711\" --expires 12h "
      "--wait\n"
      "  heddlectl partition show 0x0012\n"
      "  heddlectl partition remove 0x0012 0x0002c90000000011 --wait\n"
      "  heddlectl partition adopt 0x0013\n",
      [chosen] { return chosen->run(chosen->options); });
  command.require_subcommand(0, 1);
  command
      .add_option("P_KEY", options.key,
                  "without an action: one partition as the subnet has it, with its members")
      ->type_name("")
      ->check(check_key_or_action);
  add_answer_options(command, options.json, "the same as JSON, with more fields", options.managers);
  add_actions(command, chosen);
  return command;
}

}  // namespace

void add_partition_command(const AddCommand& add) {
  add_partition(add, "partition");
  add_partition(add, "partitions").group("");  // as the other lists are spelled
}

}  // namespace sm::commands
