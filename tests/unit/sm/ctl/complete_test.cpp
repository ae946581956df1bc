// heddlectl complete: names of nodes, as a daemon has them.

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cstdlib>

#include "config/engine_names.h"
#include "sm/ctl/commands/command_line.h"
#include "sm/ops/web/server.h"
#include "unit/sm/ops/api/published.h"
#include "unit/sm/temporary_directory.h"

namespace complete_test {

std::string complete(std::vector<const char*> words) {
  words.insert(words.begin(), {"heddlectl", "complete"});
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  EXPECT_EQ(sm::commands::CommandLine().run(static_cast<int>(words.size()), words.data()), 0);
  testing::internal::GetCapturedStderr();
  return testing::internal::GetCapturedStdout();
}

TEST(Complete, NamesOfNodesAreThoseOfTheManager) {
  const TemporaryDirectory directory;
  setenv("HEDDLE_RUN_DIR", directory.path().c_str(), 1);
  EXPECT_EQ(complete({"heddlectl", "show", "portinfo", ""}), "") << "no daemon";

  published::Manager manager;
  const auto router =
      std::make_shared<const sm::web::Router>(sm::api_resources(manager.sources()).routes);
  sm::web::Server server({.routes = [&](const sm::web::Fields&) { return router; }});
  const std::string port = "0x0002c90000000031";
  ASSERT_TRUE(server.open_control(
      {.path = directory.path() / (port + ".sock"), .manager = port, .group = ""}));
  const auto has = [](const std::string& text) { return testing::HasSubstr(text); };
  EXPECT_THAT(complete({"heddlectl", "show", "portinfo", "leaf-"}),
              testing::AllOf(has("leaf-0\t0x"), has("leaf-1\t0x"), testing::Not(has("n0"))));
  EXPECT_THAT(complete({"heddlectl", "show", "portinfo", "0x0"}), has("\tn0\n"));
  EXPECT_THAT(complete({"heddlectl", "trace", "leaf-0", "n"}), has("n3\t0x"));
  EXPECT_THAT(complete({"heddlectl", "plan", "--without", "sp"}), has("spine-0\t0x"));
  EXPECT_THAT(complete({"heddlectl", "vports", "--host", "n1"}), has("n1\t0x"));
  EXPECT_EQ(complete({"heddlectl", "vports", "--guid", "n1"}), "");
  EXPECT_THAT(complete({"heddlectl", "links", "--node", "leaf-"}), has("leaf-1\t0x"));
  EXPECT_THAT(complete({"heddlectl", "groups", "n"}), has("n3\t0x"));
  EXPECT_THAT(complete({"heddlectl", "show", "portinfo", "n1", "--"}), has("--json\t"));
  EXPECT_THAT(complete({"heddlectl", "describe", "leaf-0:"}),
              testing::AllOf(has("leaf-0:1\tn0 mlx5_0 port 1\n"), has("leaf-0:6\tno link\n"),
                             testing::Not(has("leaf-0:7"))));
  EXPECT_EQ(complete({"heddlectl", "links", "--node", "leaf-0:6"}), "leaf-0:6\tno link\n");
  EXPECT_EQ(complete({"heddlectl", "describe", "nobody:"}), "");
  server.stop();
  unsetenv("HEDDLE_RUN_DIR");
}

TEST(Complete, IdentifiersOfConditionsAndValuesOfFilters) {
  EXPECT_THAT(complete({"heddlectl", "explain", "SM-LINK-L"}),
              testing::HasSubstr("SM-LINK-LOST\tA link that was up is down"));
  EXPECT_THAT(complete({"heddlectl", "conditions", "--id", "SM-NODE-"}),
              testing::AllOf(testing::HasSubstr("SM-NODE-LOST\t"),
                             testing::Not(testing::HasSubstr("SM-LINK"))));
  EXPECT_EQ(complete({"heddlectl", "conditions", "--severity", ""}),
            "info\t\nwarning\t\nerror\t\ncritical\t\n");
  EXPECT_EQ(complete({"heddlectl", "nodes", "--type", "S"}), "Switch\t\n");
}

TEST(Complete, RoutingEnginesOneAfterTheOther) {
  for (const config::EngineRow& row : config::engine_rows()) {
    const std::string name(row.name), line = fmt::format("{}\t{}\n", row.name, row.what);
    EXPECT_THAT(complete({"heddlectl", "plan", "--engine", name.c_str()}),
                testing::HasSubstr(line));
    EXPECT_THAT(complete({"heddle", "-R", ("nue," + name).c_str()}),
                testing::HasSubstr("nue," + line));
  }
}

}  // namespace complete_test
