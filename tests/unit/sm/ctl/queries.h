#pragma once
// heddlectl, run in this process, with the API of a manager on its control socket.

#include <gmock/gmock.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "partition_service_fake.h"
#include "sm/ctl/commands/command_line.h"
#include "sm/ops/api/partition_resources.h"
#include "sm/ops/web/server.h"
#include "unit/sm/ops/api/published.h"
#include "unit/sm/temporary_directory.h"

namespace queries {

using nlohmann::json;
using Words = std::vector<std::string>;

class Queries : public testing::Test {
 protected:
  Queries() {
    setenv("HEDDLE_RUN_DIR", directory.path().c_str(), 1);
    std::vector<sm::web::Route> routes = sm::api_resources(manager.sources()).routes;
    for (sm::web::Route& route : sm::partition_resources(fake.service()).routes) {
      route.handler = [this, handler = route.handler](
                          sm::web::Request request) -> boost::asio::awaitable<sm::web::Response> {
        const std::lock_guard lock(mutex);  // the fake runs the handler to its end
        co_return fake.run(handler(std::move(request)));
      };
      routes.push_back(std::move(route));
    }
    router = std::make_shared<const sm::web::Router>(std::move(routes));
    const std::string port = "0x0002c90000000031";
    const auto opened = server.open_control(
        {.path = directory.path() / (port + ".sock"), .manager = port, .group = ""});
    EXPECT_TRUE(opened) << opened.error();
  }
  ~Queries() override {
    server.stop();
    unsetenv("HEDDLE_RUN_DIR");
  }

  /// Runs heddlectl with these words; `code` has its exit code.
  std::string run(std::vector<std::string> words) {
    std::vector<const char*> arguments{"heddlectl"};
    for (const std::string& word : words) arguments.push_back(word.c_str());
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    code = sm::commands::CommandLine().run(static_cast<int>(arguments.size()), arguments.data());
    std::string out = testing::internal::GetCapturedStdout();
    err = testing::internal::GetCapturedStderr();
    return out;
  }
  json as_json(std::vector<std::string> words) {
    words.emplace_back("--json");
    const std::string out = run(std::move(words));
    EXPECT_EQ(code, 0) << err;
    return json::parse(out, nullptr, false);
  }
  std::string path(const char* file) const { return (directory.path() / file).string(); }

  published::Manager manager;
  partition_service::Fake fake;
  TemporaryDirectory directory;
  std::shared_ptr<const sm::web::Router> router;
  std::mutex mutex;
  sm::web::Server server{{.routes = [this](const sm::web::Fields&) { return router; }}};
  int code = -1;
  std::string err;
};

/// All commands of the help, actions of them as "partition list".
inline std::map<std::string, const CLI::App*> listed_commands(CLI::App& app) {
  std::map<std::string, const CLI::App*> all;
  const auto is_listed = [](const CLI::App* of) { return !of->get_group().empty(); };
  for (const CLI::App* const command : app.get_subcommands(is_listed)) {
    const auto actions = command->get_subcommands(is_listed);
    if (actions.empty() || command->get_require_subcommand_min() == 0)
      all[command->get_name()] = command;
    for (const CLI::App* const action : actions)
      all[command->get_name() + " " + action->get_name()] = action;
  }
  return all;
}

}  // namespace queries
