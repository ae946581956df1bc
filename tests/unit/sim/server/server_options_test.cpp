#include "sim/server/server_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sim::server {
namespace options_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

tl::expected<Options, EarlyEnd> parse(std::vector<std::string> words) {
  words.insert(words.begin(), "heddle-sim");
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  unsetenv("IBSIM_SOCKNAME");
  return parse_options(static_cast<int>(words.size()), argv.data());
}

TEST(SimServerOptions, TakesTheCommandLineOfIbsim) {
  const auto options = parse({"-s", "-N", "400", "-S", "30", "-P", "2000", "-L", "100", "-M", "5",
                              "-I", "-d", "-p", "-v", "-f", "out", "fabric.net"});
  ASSERT_TRUE(options) << options.error().text;
  EXPECT_TRUE(options->start);
  EXPECT_TRUE(options->console);
  EXPECT_EQ(options->verbosity, 1u);
  EXPECT_EQ(options->output, "out");
  EXPECT_EQ(options->topology, "fabric.net");
  EXPECT_EQ(options->socket_name, "sim");
  EXPECT_FALSE(options->udp_port);
}

TEST(SimServerOptions, TakesItsOwn) {
  const auto options = parse(
      {"--daemon", "--speed", "0",         "--seed",     "0x10",      "--socket", "mine",
       "-r",       "-l",      "7777",      "--scenario", "s.yaml",    "--trace",  "t",
       "-c",       "stat",    "--command", "hang S1",    "--timeout", "50",       "fabric.net"});
  ASSERT_TRUE(options) << options.error().text;
  EXPECT_TRUE(options->start);
  EXPECT_FALSE(options->console);
  EXPECT_EQ(options->speed, 0);
  EXPECT_EQ(options->seed, 16u);
  EXPECT_EQ(options->socket_name, "mine");
  EXPECT_EQ(options->udp_port, 7777);
  EXPECT_EQ(options->scenario, "s.yaml");
  EXPECT_EQ(options->trace, "t");
  EXPECT_EQ(options->answer_timeout_ms, 50u);
  EXPECT_THAT(options->commands, ElementsAre("stat", "hang S1"));
}

TEST(SimServerOptions, TakesKindsOfAdaptiveRouting) {
  EXPECT_EQ(parse({"fabric.net"})->adaptive_routing, "");
  EXPECT_EQ(parse({"--adaptive-routing", "pfrn", "fabric.net"})->adaptive_routing, "pfrn");
  const auto wrong = parse({"--adaptive-routing", "all", "fabric.net"});
  ASSERT_FALSE(wrong);
  EXPECT_THAT(wrong.error().text, HasSubstr("'all' is none of basic, recovery and pfrn"));
}

TEST(SimServerOptions, SaysWhatIsWrong) {
  const auto text = [](std::vector<std::string> words) {
    const auto options = parse(std::move(words));
    return options ? "" : options.error().text;
  };
  EXPECT_THAT(text({}), HasSubstr("TOPOLOGY or --replay is required"));
  EXPECT_THAT(text({"a", "b"}), HasSubstr("b"));
  EXPECT_THAT(text({"--speed", "-1", "a"}),
              HasSubstr("--speed: '-1' is not a number from 0 to 1000000"));
  EXPECT_THAT(text({"--speed", "fast", "a"}), HasSubstr("'fast' is not a number"));
  EXPECT_THAT(text({"-l", "99999", "a"}),
              HasSubstr("--listen: '99999' is not a number from 1 to 65000"));
  EXPECT_THAT(text({"-l", "0777", "a"}), HasSubstr("'0777' is not a number"));
  EXPECT_THAT(text({"--speed", "nan", "a"}), HasSubstr("'nan' is not a number"));
  EXPECT_THAT(text({"--socket", std::string(81, 'x'), "a"}), HasSubstr("1 to 80 characters"));
  EXPECT_THAT(text({"--bogus", "a"}),
              HasSubstr("there is no option --bogus (try heddle-sim --help)"));
  EXPECT_THAT(text({"a", "--seed"}), HasSubstr("--seed: 1 required N missing"));
  EXPECT_THAT(text({"-n", "a"}), HasSubstr("--no-console requires --start"));
}

TEST(SimServerOptions, HelpAndVersionAreNoErrors) {
  EXPECT_EQ(parse({"--help"}).error().code, ExitCode::ok);
  EXPECT_THAT(parse({"--help"}).error().text, HasSubstr("Exit codes"));
  EXPECT_THAT(parse({"-h"}).error().text, HasSubstr("--timeout MS=1000"));
  EXPECT_EQ(parse({"-V"}).error().code, ExitCode::ok);
  EXPECT_THAT(parse({"-V"}).error().text, HasSubstr("heddle-sim "));
}

}  // namespace options_test
}  // namespace sim::server
