// heddlectl reload, on a control socket whose answers the test sets.

#include <gmock/gmock.h>

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <vector>

#include "sm/ctl/commands/command_line.h"
#include "sm/ops/web/server.h"
#include "unit/sm/temporary_directory.h"

namespace reload_command_test {

using nlohmann::json;
using testing::HasSubstr;

class ReloadCommand : public testing::Test {
 protected:
  ReloadCommand() {
    setenv("HEDDLE_RUN_DIR", directory.path().c_str(), 1);
    std::vector<sm::web::Route> routes(3);
    routes[0].method = sm::web::Method::post;
    routes[0].path = "/v1/reload";
    routes[0].handler = [this](sm::web::Request) -> boost::asio::awaitable<sm::web::Response> {
      sm::web::Response response;
      response.body = answer.dump();
      co_return response;
    };
    routes[1].path = "/v1/subnet";
    routes[1].handler = [this](sm::web::Request) -> boost::asio::awaitable<sm::web::Response> {
      sm::web::Response response;
      response.body = json{{"reloads", {{"pending", pending-- > 0}}}}.dump();
      co_return response;
    };
    routes[2].path = "/v1/routing";
    routes[2].handler = [](sm::web::Request) -> boost::asio::awaitable<sm::web::Response> {
      sm::web::Response response;
      response.body = json{{"engine", "updn"}}.dump();
      co_return response;
    };
    router = std::make_shared<const sm::web::Router>(std::move(routes));
    const std::string port = "0x0002c90000000001";
    EXPECT_TRUE(server.open_control(
        {.path = directory.path() / (port + ".sock"), .manager = port, .group = ""}));
  }
  ~ReloadCommand() override {
    server.stop();
    unsetenv("HEDDLE_RUN_DIR");
  }
  int reload(std::vector<const char*> arguments = {}) {
    arguments.insert(arguments.begin(), {"heddlectl", "reload"});
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    const int code =
        sm::commands::CommandLine().run(static_cast<int>(arguments.size()), arguments.data());
    out = testing::internal::GetCapturedStdout();
    err = testing::internal::GetCapturedStderr();
    return code;
  }

  TemporaryDirectory directory;
  json answer{{"taken", true},
              {"changed", json::array()},
              {"needs_restart", json::array()},
              {"errors", json::array()},
              {"messages", json::array()}};
  int pending = 0;  // so many times
  std::string out, err;
  std::shared_ptr<const sm::web::Router> router;
  sm::web::Server server{{.routes = [this](const sm::web::Fields&) { return router; }}};
};

TEST_F(ReloadCommand, SaysWhatTookEffectAfterTheSweepUnderWay) {
  EXPECT_EQ(reload(), 0) << err;
  EXPECT_EQ(out, "port 0x0002c90000000001: reloaded, nothing has changed\n");
  answer["changed"] = {"sweep_interval", "partitions"};
  answer["needs_restart"] = {"console", "guid"};
  answer["messages"] = {"x.conf:1:1: warning: unknown key 'a', ignored"};
  pending = 2;
  EXPECT_EQ(reload(), 0) << err;
  EXPECT_EQ(out,
            "port 0x0002c90000000001: reloaded, sweep_interval, partitions took effect\n"
            "port 0x0002c90000000001: restart needed for console, guid\n");
  EXPECT_EQ(err, "x.conf:1:1: warning: unknown key 'a', ignored\n");
  EXPECT_LT(pending, 0) << "it has waited";
  pending = 1000;
  EXPECT_EQ(reload({"--wait", "0"}), 0) << err;
  EXPECT_THAT(out, HasSubstr("takes effect after the sweep that is under way"));
}

TEST_F(ReloadCommand, NamesTheEngineWhoseTablesAreInUse) {
  answer["changed"] = {"routing_engine"};
  EXPECT_EQ(reload(), 0) << err;
  EXPECT_EQ(out,
            "port 0x0002c90000000001: reloaded, routing_engine took effect\n"
            "port 0x0002c90000000001: the tables in use are those of routing engine updn\n");
}

TEST_F(ReloadCommand, FailsIfTheConfigurationIsRejected) {
  answer["taken"] = false;
  answer["errors"] = answer["messages"] = {"x.conf:1:5: error: lmc '9' is out of range"};
  EXPECT_EQ(reload(), 1);
  EXPECT_EQ(out, "");
  EXPECT_THAT(err, HasSubstr("x.conf:1:5: error: lmc '9' is out of range\n"));
  EXPECT_THAT(err, HasSubstr("the configuration is rejected (1 error); the daemon goes on with "
                             "what it had\n"));
}

}  // namespace reload_command_test
