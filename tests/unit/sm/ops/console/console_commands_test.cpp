#include "sm/ops/console/console_commands.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/check.h"
#include "config/option_files.h"
#include "mad/format.h"
#include "support/fabrics.h"
#include "support/recorded_commands.h"
#include "support/subnets.h"
#include "unit/sm/ops/console/status_facts.h"
#include "unit/sm/temporary_directory.h"

namespace console_commands_test {

using sm::console::Answer;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

class Commands : public testing::Test {
 protected:
  Commands() {
    actions = {.facts = [this] { return console_facts::make(facts); },
               .commands = [this]() -> sm::OperatorCommands& { return commands; }};
  }
  std::string said(std::string_view line, bool local = false) {
    const Answer answer = sm::console::execute(line, local, actions);
    return answer.text ? answer.text() : std::string();
  }

  sm::console::PerformanceFacts facts{.sweep_time = std::chrono::seconds(180)};
  sm::console::ConsoleActions actions;
  RecordedCommands commands;
};

TEST_F(Commands, ThatChangeSomethingAreSilentAndDone) {
  for (const char* const line : {"resweep heavy", "resweep light", "reroute", "update_desc",
                                 "sweep off", "  sweep   on\r", "logflush on", "logflush off"})
    EXPECT_EQ(said(line), "") << line;
  EXPECT_THAT(commands.done, ElementsAre("resweep", "light resweep", "rebalance", "descriptions",
                                         "no sweep", "sweep", "flush", "no flush"));
}

TEST_F(Commands, ARefusalIsSaid) {
  commands.refusal = "not MASTER";
  EXPECT_EQ(said("resweep heavy"), "not MASTER\n");
}

TEST_F(Commands, LogLevelAndPriorityAreShownAndSet) {
  EXPECT_EQ(said("loglevel"), "Current log level is 0x83\n");
  EXPECT_EQ(said("loglevel 7"), "Setting log level to 0x7\n");
  EXPECT_EQ(said("loglevel 0x43"), "Setting log level to 0x43\n");
  EXPECT_THAT(said("loglevel 256"), StartsWith("Invalid log level"));
  EXPECT_EQ(said("priority 5"), "Setting sm-priority to 5\n");
  EXPECT_EQ(said("priority"), "Current sm-priority is 3\n");
  EXPECT_THAT(said("priority 16"), StartsWith("Invalid sm-priority"));
  EXPECT_THAT(said("priority -1"), StartsWith("Invalid sm-priority"));
  EXPECT_THAT(commands.done, ElementsAre("flags 7", "flags 67", "priority 5"));
}

TEST_F(Commands, AnUnknownWordIsAnsweredWithTheList) {
  EXPECT_EQ(said("bogus"), "bogus : Command not found\n\n" + sm::console::help_text());
  EXPECT_EQ(said("help"), sm::console::help_text());
  EXPECT_EQ(said("help resweep"), "resweep [heavy|light]\n");
  EXPECT_THAT(said("help status"), StartsWith("status [loop]\n   loop -- "));
  EXPECT_THAT(said("\x1b[2J"), StartsWith("?[2J : Command not found"));
}

/// As opensm lists them.
TEST_F(Commands, AllOfOpenSmAreThere) {
  std::string text = sm::console::help_text();
  std::size_t at = 0;
  for (const char* const name :
       {"help", "quit", "loglevel", "permodlog", "priority", "resweep", "reroute", "sweep",
        "status", "logflush", "querylid", "portstatus", "switchbalance", "lidbalance", "dump_conf",
        "update_desc", "version", "perfmgr(pm)", "dump_portguid"}) {
    const std::size_t found = text.find(std::string("\n") + name, at);
    ASSERT_NE(found, std::string::npos) << name;
    at = found;
  }
}

TEST_F(Commands, WrongWordsSaySo) {
  for (const char* const line :
       {"resweep", "resweep soon", "sweep", "sweep maybe", "logflush maybe", "querylid",
        "portstatus toaster", "switchbalance verbose x", "lidbalance x", "dump_portguid",
        "dump_portguid file"})
    EXPECT_THAT(said(line), StartsWith("Invalid ")) << line;
  EXPECT_THAT(commands.done, IsEmpty());
}

TEST_F(Commands, QuitEndsARemoteSessionOnly) {
  EXPECT_TRUE(sm::console::execute("quit", false, actions).ends_session);
  EXPECT_FALSE(sm::console::execute("quit", true, actions).ends_session);
  EXPECT_THAT(said("quit", true), HasSubstr("not valid in local mode"));
}

TEST_F(Commands, StatusMayRepeat) {
  EXPECT_FALSE(sm::console::execute("status", false, actions).repeats);
  EXPECT_TRUE(sm::console::execute("status loop", false, actions).repeats);
  EXPECT_THAT(said("status"), HasSubstr("   SM Priority          : 3\n"));
}

TEST_F(Commands, WithoutASubnetListsAreEmpty) {
  EXPECT_THAT(said("portstatus"), HasSubstr("0 port(s) scanned on 0 nodes"));
  EXPECT_EQ(said("switchbalance verbose"), "");
  EXPECT_EQ(said("lidbalance"), "");
  EXPECT_EQ(said("dump_portguid ."), "");
  EXPECT_EQ(said("querylid 1"), "Invalid lid 1\n");
  EXPECT_EQ(said("permodlog"), "");
}

TEST_F(Commands, DumpConfIsAConfigurationThatIsReadBack) {
  config::Options read;
  config::Diagnostics found;
  const std::string text = said("dump_conf");
  config::parse_opensm_conf({"dump", text}, read, found);
  EXPECT_THAT(found, IsEmpty());
  EXPECT_THAT(text, HasSubstr("sweep_interval 10\n"));
}

/// Each user of the machine can open a session over TCP.
TEST_F(Commands, SecretsAreShownOnTheTerminalOnly) {
  config::Options options;
  options.m_key = 0x5ec7e71;
  options.sm_key = 0x5ec7e72;
  options.sa_key = 0x5ec7e73;
  options.key_mgr_seed = 0x5ec7e74;
  options.cc_key = 0x5ec7e75;
  options.etcd_user = "5ec7e76";
  options.etcd_endpoints = {"http://admin:5ec7e77@127.0.0.1:1"};
  actions.facts = [this, options] {
    sm::console::StatusFacts all = console_facts::make(facts);
    all.context = sm::make_context(options, {}, partitions::default_configuration());
    return all;
  };
  const std::string over_tcp = said("dump_conf");
  EXPECT_EQ(over_tcp.find("5ec7e7"), std::string::npos);
  for (const char* const key : {"m_key", "sm_key", "sa_key", "key_mgr_seed", "cc_key", "etcd_user"})
    EXPECT_THAT(over_tcp, HasSubstr(std::string("\n") + key + " MASKED\n"));
  EXPECT_THAT(over_tcp, HasSubstr("http://MASKED@127.0.0.1:1"));
  EXPECT_THAT(said("dump_conf", true), AllOf(HasSubstr("\nm_key 0x0000000005ec7e71\n"),
                                             HasSubstr("\nkey_mgr_seed 0x0000000005ec7e74\n")));
}

TEST_F(Commands, FilesAreWrittenFromTheTerminalOnly) {
  facts.enabled = true;
  const TemporaryDirectory directory;
  const std::string file = (directory / "guids").string();
  for (const std::string& line :
       {"dump_portguid file " + file + " .", std::string("pm dump_counters"),
        std::string("perfmgr dump_counters mach")})
    EXPECT_THAT(said(line), StartsWith("a session over TCP has no password, and writes no file"))
        << line;
  EXPECT_FALSE(std::filesystem::exists(file));
  EXPECT_THAT(commands.done, IsEmpty());
  EXPECT_EQ(said("dump_portguid file " + file + " .", true), "");
  EXPECT_TRUE(std::filesystem::exists(file));
  EXPECT_EQ(said("pm dump_counters", true), "");
  EXPECT_THAT(commands.done, ElementsAre("dump lines"));
}

TEST_F(Commands, PerfmgrIsThePerformanceManagersOnceThereIsOne) {
  EXPECT_THAT(said("perfmgr"),
              StartsWith("Performance Manager status:\nstate                        : "
                         "Disabled\nsweep state                  : Sleeping\n"
                         "sweep time                   : 180s\n"));
  EXPECT_EQ(said("pm enable"), "perfmgr is not enabled\n");
  facts = {.enabled = true, .polling = true, .sweep_time = std::chrono::seconds(60)};
  EXPECT_EQ(said("pm sweep"), "");
  EXPECT_EQ(said("perfmgr dump_counters mach", true), "");
  EXPECT_EQ(said("perfmgr dump_counters", true), "");
  EXPECT_THAT(commands.done, ElementsAre("poll", "dump table", "dump lines"));
  EXPECT_THAT(said("perfmgr"), HasSubstr("sweep time                   : 60s\n"));
  EXPECT_THAT(said("status"), HasSubstr("PerfMgr state/sweep state : Active/Active\n"));
  EXPECT_EQ(said("pm print_errors"), "no counters were read yet\n");
  EXPECT_THAT(said("pm sweep_time 5"), HasSubstr("SIGHUP"));
  EXPECT_THAT(said("pm clear_counters"), HasSubstr("not cleared"));
  EXPECT_THAT(said("pm nonsense"), HasSubstr("perfmgr"));
}

TEST(CountersText, HasTheCountersOfANodeAndErrorsAlone) {
  sm::ManagerStatus status;
  fabric::Subnet subnet = subnets::bring_up(fabrics::random_fabric(3));
  const fabric::Node& node = subnet.fabric.nodes.front();
  auto counters = std::make_shared<sm::NodeCounters>();
  counters->node = node.guid;
  sm::PortCounters port{.port = mad::PortNum{1}, .reading = sm::PortReading::read};
  port.present = sm::to_set(sm::Counter::xmit_data) | sm::to_set(sm::Counter::symbol_errors);
  port.saturated = sm::to_set(sm::Counter::symbol_errors);
  port.values.set_total(sm::Counter::xmit_data, 77);
  counters->ports = {port};
  auto table = std::make_shared<sm::PortCounterTable>();
  table->nodes = {counters};
  status.subnet = std::make_shared<const fabric::Subnet>(std::move(subnet));
  status.counters = table;
  const std::string name = fmt::format("{}", counters->node);
  EXPECT_THAT(sm::console::counters_text(status, name, false),
              AllOf(HasSubstr("PortXmitData                   : 77\n"),
                    HasSubstr("SymbolErrorCounter             : 0 (saturated)\n")));
  EXPECT_EQ(sm::console::counters_text(status, name, true), "no port shows errors\n");
  counters->ports[0].values.set_total(sm::Counter::symbol_errors, 9);
  EXPECT_THAT(sm::console::counters_text(status, "", true),
              AllOf(HasSubstr("SymbolErrorCounter             : 9 (saturated)\n"),
                    Not(HasSubstr("PortXmitData"))));
  EXPECT_THAT(sm::console::counters_text(status, "absent-node", true), HasSubstr("absent-node"));
  EXPECT_EQ(sm::console::counters_text(status, name + ":2", false),
            "no counters of it were read yet\n");
}

}  // namespace console_commands_test
