// Exit codes of heddlectl's lists, on a control socket whose answers the test sets.

#include <gmock/gmock.h>

#include <cstdlib>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "config/common_command_line.h"
#include "sm/ctl/commands/command_line.h"
#include "sm/ops/web/server.h"
#include "unit/sm/temporary_directory.h"

namespace exit_codes_test {

using nlohmann::json;
using testing::HasSubstr;

class ExitCodes : public testing::Test {
 protected:
  ExitCodes() {
    setenv("HEDDLE_RUN_DIR", directory.path().c_str(), 1);
    std::vector<sm::web::Route> routes;
    for (const char* path : {"/v1/conditions", "/v1/occurrences", "/v1/links", "/v1/ports"}) {
      sm::web::Route& route = routes.emplace_back();
      route.path = path;
      route.handler = [this, path](sm::web::Request) -> boost::asio::awaitable<sm::web::Response> {
        sm::web::Response response;
        response.body = answers.at(path).dump();
        co_return response;
      };
    }
    router = std::make_shared<const sm::web::Router>(std::move(routes));
  }
  ~ExitCodes() override {
    server.stop();
    unsetenv("HEDDLE_RUN_DIR");
  }
  void listen() {
    const std::string port = "0x0002c90000000001";
    const auto opened = server.open_control(
        {.path = directory.path() / (port + ".sock"), .manager = port, .group = ""});
    ASSERT_TRUE(opened) << opened.error();
  }
  void set_conditions(const std::vector<std::string>& severities) {
    json rows = json::array();
    for (const std::string& severity : severities)
      rows.push_back({{"severity", severity}, {"text", "a fault"}, {"id", "SM-LINK-LOST"}});
    answers["/v1/conditions"] = {{"conditions", rows}, {"next_cursor", nullptr}};
    // An occurrence is not a finding, whatever its severity.
    answers["/v1/occurrences"] = {
        {"occurrences", json::array({{{"severity", "critical"},
                                      {"text", "happened"},
                                      {"id", "SM-TABLES-LOST"},
                                      {"at", "2026-11-24T12:03:04Z"},
                                      {"ago_s", 9},
                                      {"first_at", "2026-11-24T12:03:04Z"},
                                      {"times", 1}}})},
        {"next_cursor", nullptr}};
  }
  void set_link(bool degraded, const std::string& state) {
    answers["/v1/links"] = {{"links", json::array({{{"degraded", degraded},
                                                    {"port_state", state},
                                                    {"link_width_active", "4X"},
                                                    {"link_speed_active", "HDR"}}})},
                            {"next_cursor", nullptr}};
    answers["/v1/ports"] = {{"ports", json::array()}, {"next_cursor", nullptr}};
  }
  int run(std::vector<const char*> arguments) {
    arguments.insert(arguments.begin(), "heddlectl");
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    const int code =
        sm::commands::CommandLine().run(static_cast<int>(arguments.size()), arguments.data());
    out = testing::internal::GetCapturedStdout() + testing::internal::GetCapturedStderr();
    return code;
  }

  TemporaryDirectory directory;
  std::map<std::string, json> answers;
  std::shared_ptr<const sm::web::Router> router;
  sm::web::Server server{{.routes = [this](const sm::web::Fields&) { return router; }}};
  std::string out;
};

TEST_F(ExitCodes, MessagesHaveNoControlCharactersOfNamesOfFiles) {
  const std::string name = (directory / "\x1b[2J").string();
  for (const std::vector<const char*>& arguments :
       std::vector<std::vector<const char*>>{{"check-config", name.c_str()},
                                             {"route", "--topology", name.c_str()},
                                             {"explain", name.c_str()},
                                             {"diff", name.c_str()},
                                             {name.c_str()}}) {
    EXPECT_NE(run(arguments), 0) << arguments.front();
    EXPECT_EQ(out.find('\x1b'), std::string::npos) << out;
    EXPECT_THAT(out, HasSubstr("\\x1b[2J")) << arguments.front();
  }
}

TEST_F(ExitCodes, ConditionsShowFaultsOnlyOnRequest) {
  EXPECT_EQ(run({"conditions"}), 1) << "no manager runs";
  EXPECT_EQ(run({"conditions", "--exit-code"}), 2) << "no manager runs";
  listen();
  for (const auto& [severities, code] :
       {std::pair{std::vector<std::string>{}, 0}, std::pair{std::vector<std::string>{"info"}, 0},
        std::pair{std::vector<std::string>{"warning", "info"}, 1},
        std::pair{std::vector<std::string>{"error"}, 1},
        std::pair{std::vector<std::string>{"critical"}, 1}}) {
    set_conditions(severities);
    EXPECT_EQ(run({"conditions"}), 0) << out;
    EXPECT_EQ(run({"conditions", "--exit-code"}), code) << out;
    EXPECT_EQ(run({"conditions", "--json", "--exit-code"}), code) << out;
  }
}

TEST_F(ExitCodes, ReportsDegradedLinksOnlyOnRequest) {
  listen();
  for (const auto& [degraded, state, code] :
       {std::tuple{false, "Active", 0}, std::tuple{true, "Active", 1},
        std::tuple{false, "Initialize", 1}}) {
    set_link(degraded, state);
    EXPECT_EQ(run({"links", "--degraded", "--json"}), 0) << out;
    EXPECT_EQ(run({"links", "--degraded", "--exit-code", "--json"}), code) << out;
  }
  EXPECT_EQ(run({"links", "--exit-code"}), 2);
  EXPECT_THAT(out, HasSubstr("--exit-code requires --degraded"));
}

TEST_F(ExitCodes, AnUnknownCommandNamesTheOneThatIsMeant) {
  EXPECT_EQ(run({"conditons"}), 2);
  EXPECT_EQ(out,
            "heddlectl: there is no command \"conditons\"; did you mean \"conditions\"? heddlectl "
            "--help lists them\n");
  EXPECT_EQ(run({"frobnicate"}), 2);
  EXPECT_EQ(out, "heddlectl: there is no command \"frobnicate\"; heddlectl --help lists them\n");
}

TEST_F(ExitCodes, EachCommandStandsUnderAHeadingOfTheHelp) {
  sm::commands::CommandLine heddlectl;
  for (const CLI::App* const command : heddlectl.app().get_subcommands(
           [](const CLI::App* of) { return !of->get_group().empty(); })) {
    const bool is_other = command->get_name() == "version" || command->get_name() == "help";
    EXPECT_EQ(command->get_group() == "Other", is_other) << command->get_name();
  }
}

TEST_F(ExitCodes, TheHelpHasFaultsBeforeChanges) {
  EXPECT_EQ(run({"--help"}), 0);
  std::size_t last = 0;
  for (const char* const heading :
       {"The subnet as it is", "Faults", "Before a change", "\nChanges", "\nOther"}) {
    const std::size_t at = out.find(heading);
    ASSERT_NE(at, std::string::npos) << heading;
    EXPECT_GT(at, last) << heading;
    last = at;
  }
}

TEST_F(ExitCodes, AnUnknownOptionNamesTheOneThatIsMeant) {
  EXPECT_EQ(run({"--hlep"}), 2);
  EXPECT_EQ(out,
            "heddlectl: there is no option --hlep; did you mean --help? (try heddlectl "
            "--help)\n");
  EXPECT_EQ(run({"links", "--degarded"}), 2);
  EXPECT_EQ(out,
            "heddlectl: there is no option --degarded; did you mean --degraded? (try "
            "heddlectl links --help)\n");
  EXPECT_EQ(run({"partition", "add", "0x12", "n1", "--limted"}), 2);
  EXPECT_EQ(out,
            "heddlectl: there is no option --limted; did you mean --limited? (try heddlectl "
            "partition add --help)\n");
  EXPECT_EQ(run({"http-user", "lst"}), 2);
  EXPECT_THAT(out, HasSubstr("'lst' is not one of: add, "));
  EXPECT_THAT(out, HasSubstr("; did you mean list? (try heddlectl http-user --help)"));
}

TEST_F(ExitCodes, ReportsLinksBelowTheExpectedRateOnlyOnRequest) {
  listen();
  set_link(false, "Active");
  for (const char* const rate : {"4X,HDR", "HDR", "4x"}) {
    EXPECT_EQ(run({"links", "--expect", rate, "--json"}), 0) << out;
    EXPECT_EQ(run({"links", "--expect", rate, "--exit-code", "--json"}), 0) << rate << out;
  }
  EXPECT_EQ(run({"links", "--expect", "4X,NDR", "--exit-code", "--json"}), 1) << out;
  EXPECT_EQ(run({"links", "--expect", "12X", "--exit-code", "--json"}), 1) << out;
  for (const char* const wrong : {"fast", "4X,4X", "4X,", "HDR,EDR"})
    EXPECT_EQ(run({"links", "--expect", wrong}), 2) << wrong;
  EXPECT_THAT(out, HasSubstr("examples: 4X,HDR"));
}

TEST_F(ExitCodes, HelpSaysWhatTheyAre) {
  EXPECT_EQ(run({"conditions", "--help"}), 0);
  EXPECT_THAT(out,
              HasSubstr("Exit codes: 0 answered, 1 not answered (the message says why), 2 the "
                        "command line is wrong.\nWith --exit-code: 0 no findings, 1 a condition "
                        "of severity warning or worse is active,\n2 not answered"));
  EXPECT_EQ(run({"nodes", "--help"}), 0);
  EXPECT_THAT(out, HasSubstr("Exit codes: 0 answered, 1 not answered"));
}

}  // namespace exit_codes_test
