// heddlectl reload makes daemons read their configuration again, and prints the result.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <iostream>
#include <memory>
#include <thread>

#include "config/control_characters.h"
#include "mad/format.h"
#include "sm/ctl/commands/command_options.h"
#include "sm/ctl/commands/commands.h"
#include "sm/ctl/commands/list_commands.h"
#include "sm/ctl/commands/managers.h"
#include "sm/ctl/lists_text.h"

namespace sm::commands {

namespace {

constexpr std::chrono::milliseconds kPoll{100};

struct ReloadOptions {
  bool json = false;
  ManagerChoice managers = {};
  unsigned wait_s = 60;
};

std::string joined(const Json& words) {
  std::string text;
  for (const Json& word : words) text += (text.empty() ? "" : ", ") + word.get<std::string>();
  return text;
}

/// Prints the engine whose tables are in use.
void print_engine(const ManagerApi& api) {
  const auto routing = api.get("/v1/routing");
  if (!routing || !routing->at("engine").is_string()) return;
  std::cout << "port " << api.port_guid() << ": the tables in use are those of routing engine "
            << routing->at("engine").get<std::string>() << '\n';
}

/// Waits until the current sweep has ended, since a reload takes effect between two sweeps, and
/// until routes are those of the new configuration. Returns false if a sweep still runs.
tl::expected<bool, std::string> wait_until_taken(const ManagerApi& api, unsigned wait_s) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(wait_s);
  while (true) {
    const auto status = api.get("/v1/subnet");
    if (!status) return tl::unexpected(status.error());
    if (!status->at("reloads").at("pending").get<bool>()) return true;
    if (std::chrono::steady_clock::now() >= end) return false;
    std::this_thread::sleep_for(kPoll);
  }
}

tl::expected<void, std::string> reload_one(const ManagerApi& api, const ReloadOptions& options) {
  const auto answer = api.send("POST", "/v1/reload");
  if (!answer) return tl::unexpected(answer.error());
  if (!options.json)
    for (const Json& message : answer->at("messages"))
      std::cerr << config::escape_lines(message.get<std::string>()) << '\n';
  const std::string port = "port " + api.port_guid();
  if (!answer->at("taken").get<bool>()) {
    if (options.json) std::cout << dumped(*answer) << '\n';
    const std::size_t errors = answer->at("errors").size();
    return tl::unexpected(
        fmt::format("{}: the configuration is rejected ({}); the daemon goes on with what it had",
                    port, ctl::counted(errors, "error")));
  }
  const auto is_taken = wait_until_taken(api, options.wait_s);
  if (!is_taken) return tl::unexpected(is_taken.error());
  if (options.json) {
    Json shown{{"port_guid", api.port_guid()}, {"in_force", *is_taken}};
    shown.update(*answer);
    std::cout << dumped(shown) << '\n';
    return {};
  }
  const Json& changed = answer->at("changed");
  std::cout << port << ": reloaded, "
            << (changed.empty() ? std::string("nothing has changed") : joined(changed))
            << (changed.empty() ? ""
                : *is_taken     ? " took effect"
                                : " takes effect after the sweep "
                                  "that is under way")
            << '\n';
  if (std::ranges::find(changed, Json("routing_engine")) != changed.end()) print_engine(api);
  if (const Json& keys = answer->at("needs_restart"); !keys.empty())
    std::cout << port << ": restart needed for " << joined(keys) << '\n';
  return {};
}

}  // namespace

void add_reload_command(const AddCommand& add) {
  const auto options = std::make_shared<ReloadOptions>();
  CLI::App& command = add(
      "reload", "Lets the daemons on this machine read their configuration again.",
      "The daemon checks the configuration and all files that it names. With one error it goes\n"
      "on with what it had, and has the condition SM-CONFIG-REJECTED. Else the command waits\n"
      "until the sweep under way has ended and new routes are written, and prints what took\n"
      "effect, the routing engine if another one is configured, and what needs a restart.\n"
      "SIGHUP does the same without an answer.",
      "  heddlectl reload\n"
      "  heddlectl reload --guid 0x0002c90300000001\n",
      [=] {
        return with_each_api(options->managers,
                             [&](const ManagerApi& api) { return reload_one(api, *options); });
      });
  command
      .add_option("--wait", options->wait_s,
                  "waits so many seconds for the end of the sweep under way")
      ->type_name("SECONDS");
  add_answer_options(command, options->json, "the API's answer as JSON", options->managers);
  set_exit_codes(
      command,
      "Exit codes: 0 reloaded, 1 rejected, or not answered (the message says why), 2 the "
      "command line is wrong.\n");
}

}  // namespace sm::commands
