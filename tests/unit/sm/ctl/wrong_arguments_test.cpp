// Every command of heddlectl with wrong arguments: the exit code is not 0, and the message says
// what is wrong and what would be right.

#include <fmt/ranges.h>

#include <set>
#include <sstream>

#include "unit/sm/ctl/queries.h"

namespace wrong_arguments_test {

using namespace queries;
using testing::HasSubstr;

const std::string kNet = HEDDLE_TEST_DATA "/topologies/fattree2-16h.net";

/// Arguments without which a command does not begin.
const std::map<std::string, Words> kRequired{{"route", {"--topology", kNet}},
                                             {"plan", {"--topology", kNet, "--tables", "none"}},
                                             {"verify", {"--topology", kNet}},
                                             {"trace", {"n0", "n3"}},
                                             {"diff", {kNet}},
                                             {"describe", {"leaf-0"}},
                                             {"show", {"portinfo", "n1"}},
                                             {"record", {"/nowhere/file"}},
                                             {"isolate", {"leaf-0:1"}},
                                             {"release", {"leaf-0:1"}},
                                             {"forget", {"n9"}},
                                             {"log-level", {"ERROR"}},
                                             {"support-bundle", {"/nowhere/x.tar.gz"}},
                                             {"migrate-from", {"opensm"}},
                                             {"http-user list", {"/nowhere/users"}},
                                             {"http-user add", {"/nowhere/users", "alice"}},
                                             {"http-user passwd", {"/nowhere/users", "alice"}},
                                             {"http-user remove", {"/nowhere/users", "alice"}},
                                             {"partition create", {"0x13"}},
                                             {"partition add", {"0x12", "0x2c90000000011"}},
                                             {"partition show", {"0x12"}},
                                             {"partition remove", {"0x12", "0x2c90000000011"}},
                                             {"partition delete", {"0x13"}}};

Words command_words(const std::string& name) {
  Words words;
  std::istringstream names(name);
  for (std::string word; names >> word;) words.push_back(word);
  if (const auto more = kRequired.find(name); more != kRequired.end())
    words.insert(words.end(), more->second.begin(), more->second.end());
  return words;
}

std::string text(const Words& words) { return fmt::format("{}", fmt::join(words, " ")); }

class WrongArguments : public Queries {
 protected:
  void fails(const Words& words, const std::string& message) {
    const std::string out = run(words);
    EXPECT_NE(code, 0) << text(words) << '\n' << out;
    EXPECT_THAT(out + err, HasSubstr(message)) << text(words);
  }
  sm::commands::CommandLine line;
};

TEST_F(WrongArguments, EveryCommandNamesAnUnknownOption) {
  for (const auto& [name, command] : listed_commands(line.app())) {
    Words words = command_words(name);
    words.emplace_back("--frobnicate");
    fails(words, "there is no option --frobnicate");
    EXPECT_EQ(code, 2) << name;
    EXPECT_THAT(err, HasSubstr(fmt::format("(try heddlectl {} --help)", name)));
    if (command->get_option_no_throw("--json") == nullptr) continue;
    words.back() = "--jsn";
    fails(words, "there is no option --jsn; did you mean --json?");
  }
}

TEST_F(WrongArguments, EveryOptionRefusesAWrongValue) {
  // These options take any text, or a file or directory that is written; behind --questions stands
  // the directory of the command.
  const std::set<std::string> free_text{"TEXT",  "--owner", "--dump",
                                        "--svg", "--dot",   "--questions"};
  std::size_t tried = 0;
  for (const auto& [name, command] : listed_commands(line.app())) {
    for (const CLI::Option* const option : command->get_options()) {
      if (option->get_positional() || option->get_type_size() == 0) continue;
      const std::string flag = "--" + option->get_lnames().front();
      // Names of partitions are any text, too.
      if (free_text.contains(flag) || free_text.contains(option->get_type_name()) ||
          flag == "--name" || flag == "--help" || option->get_group().empty())
        continue;
      ++tried;
      Words words = command_words(name);
      words.insert(words.end(), {flag, "/nowhere/wrong"});
      const std::string out = run(words);
      EXPECT_NE(code, 0) << text(words);
      EXPECT_FALSE((out + err).empty()) << text(words);  // check-config --json has it in `out`
    }
  }
  EXPECT_GT(tried, 80u);
}

TEST_F(WrongArguments, EveryCommandForAManagerNamesThoseThatRun) {
  std::size_t tried = 0;
  for (const auto& [name, command] : listed_commands(line.app())) {
    if (command->get_option_no_throw("--timeout") == nullptr || name == "trace") continue;
    if (command->get_option_no_throw("--guid") == nullptr) continue;
    ++tried;
    Words words = command_words(name);
    words.insert(words.end(), {"--guid", "0x99"});
    fails(words, "no Heddle runs on port 0x99; those that run here are on 0x0002c90000000031");
    for (const char* const wrong : {"0", "x", "99999999"}) {
      words = command_words(name);
      words.insert(words.end(), {"--timeout", wrong});
      fails(words, fmt::format("--timeout: '{}' is not a number from 1 to 86400", wrong));
      EXPECT_EQ(code, 2);
    }
  }
  EXPECT_GT(tried, 25u);
}

struct Mistake {
  Words words;
  std::string message;
};

TEST_F(WrongArguments, SaysWhatIsWrongAndWhatWouldBeRight) {
  run({"partition", "create", "0x12"});
  for (const Mistake& mistake : std::vector<Mistake>{
           {{"describe", "nobody"}, "nothing here is called \"nobody\"; a LID, a GUID, or a"},
           {{"describe", "leaf-9"}, "nothing here is called \"leaf-9\" (did you mean \"leaf-0\"?)"},
           {{"describe", "leaf-0:99"}, "port 99"},
           {{"describe", "n0:7"}, "port 7"},
           {{"describe", "0x77"}, "no port has LID 119"},
           {{"trace", "n0", "n9999"}, "nothing here is called \"n9999\""},
           {{"trace", "nobody", "n0"}, "nothing here is called \"nobody\""},
           {{"trace", "n0:7", "n1"}, "no port 7"},
           {{"trace", "n0", "9999"}, "no port has LID 9999"},
           {{"events", "--node", "nobody"}, "nothing here is called \"nobody\""},
           {{"events", "--since", "yesterday"},
            "'yesterday' is not a time: 90s, 15m, 12h, 7d or 2026-11-24T12:00:00Z"},
           {{"events", "--since", "2026-13-24T12:00:00Z"}, "is not a time"},
           {{"events", "--since", "2026-11-24"}, "is not a time"},
           {{"events", "-n", "0"}, "'0' is not a number from 1 to 10000"},
           {{"nodes", "--type", "host"}, "host"},
           {{"nodes", "--node", "nobody"}, "nothing here is called \"nobody\""},
           {{"links", "--node", "leaf-0:99"}, "port 99"},
           {{"links", "--expect", "fast"}, "examples: 4X,HDR"},
           {{"links", "--state", "Up"}, "Up"},
           {{"conditions", "--id", "SM-NOTHING"}, "SM-NOTHING"},
           {{"conditions", "--node", "nobody"}, "nobody"},
           {{"conditions", "--severity", "bad"}, "bad"},
           {{"groups", "nobody"}, "nobody"},
           {{"groups", "ff12::99"}, "ff12::99"},
           {{"groups", "--p-key", "blue"}, "blue"},
           {{"adaptive", "nobody"}, "nobody"},
           {{"adaptive", "n0"}, "n0"},
           {{"counters", "--sort", "size"}, "size"},
           {{"counters", "-n", "0"}, "'0' is not a number from 1 to 10000"},
           {{"show", "porinfo", "n0"}, "'porinfo' cannot be shown; there are portinfo"},
           {{"show", "portinfo", "nobody"}, "no such node"},
           {{"vports", "--host", "nobody"}, "no port that can have vports is of host nobody"},
           {{"explain", "SM-LINK-LOOST"},
            "no condition is called SM-LINK-LOOST (did you mean "
            "SM-LINK-LOST?)"},
           {{"partition", "0x13"}, "0x0013"},
           {{"partition", "shwo"}, "'shwo' is neither a P_Key, 0x0001 to 0x7fff, nor an action"},
           {{"partition", "show", "0x13"}, "there is no partition 0x0013"},
           {{"partition", "show", "blue"}, "blue"},
           {{"partition", "add", "0x12", "nobody"}, "nobody"},
           {{"partition", "remove", "0x12", "nobody"}, "nobody"},
           {{"partition", "create", "0x12", "--mtu", "1500"}, "mtu is no MTU of InfiniBand"},
           {{"log-level", "LOUD"}, "LOUD"},
           {{"diff", "/nowhere/x.net"}, "/nowhere/x.net"},
           {{"diff", "--topology", "/nowhere/x.net", kNet}, "/nowhere/x.net"},
           {{"check", "--topology", "/nowhere/x.net"}, "/nowhere/x.net"},
           {{"check-config", "/nowhere/x.conf"}, "/nowhere/x.conf"},
           {{"route", "--topology", kNet, "--engine", "best"},
            "routing engine \"best\" is unknown"},
           {{"plan", "--topology", kNet, "--tables", "/nowhere/t"}, "/nowhere/t"},
           {{"verify", "--topology", kNet, "--losses", "9"}, "'9' is not a number from 0 to 3"},
           {{"support-bundle", "/nowhere/dir/x.tar.gz", "--without-record"}, "/nowhere/dir"},
           {{"support-bundle", "--config", "/nowhere/x.conf"}, "/nowhere/x.conf: there is no such"},
           {{"http-user", "list", "/nowhere/users"}, "there is no such file"},
           {{"http-user", "remove", "/nowhere/users", "alice"}, "there is no user alice"},
           {{"http-user", "lst"}, "did you mean list?"},
           {{"migrate-from", "slurm"}, "slurm"},
           {{"hardware-report", "--undo", "/nowhere/undo"}, "/nowhere/undo"},
           {{"record", "/nowhere/dir/x.rec", "--config", "/nowhere/x.conf"}, "/nowhere/x.conf"}})
    fails(mistake.words, mistake.message);
}

TEST_F(WrongArguments, OrdersPassOnWhatTheManagerRefuses) {
  manager.commands.refusal = "nobody: nothing here is called \"nobody\"";
  for (const char* const order : {"isolate", "release", "forget"})
    fails({order, "nobody"}, "nothing here is called \"nobody\"");
}

}  // namespace wrong_arguments_test
