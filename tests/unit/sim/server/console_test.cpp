#include "sim/server/console.h"
#include "mad/format.h"
#include "sm/ctl/topology/generators.h"
#include "support/hand_made_subnet.h"
#include "unit/sm/temporary_directory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

namespace sim::server {
namespace console_test {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class SimServerConsole : public ::testing::Test {
 protected:
  std::string run(std::string_view line) {
    printed_.clear();
    console_.run(line);
    return printed_;
  }
  PortIndex port(const std::string& name, unsigned number) {
    return world_.model.port(world_.model.find(name), number);
  }
  const PortModel& at(const std::string& name, unsigned number) {
    return world_.model.ports[port(name, number)];
  }
  void pass(mad::Duration time) {
    const TimePoint end = events_.now() + time;
    while (events_.run_one(end)) {
    }
    events_.advance(end);
  }

  Topology topology_ = row({.switches = 2, .cables = 1, .hosts_per_switch = 2});
  EventQueue events_;
  World world_{events_, topology_};
  Names names_{topology_, world_.model};
  Pace pace_{1, events_.now(), std::chrono::steady_clock::now()};
  std::string printed_;
  Session session_{.world = world_,
                   .names = names_,
                   .plan = topology_,
                   .pace = pace_,
                   .controls = {},
                   .print = [this](std::string_view text) { printed_ += text; }};
  Console console_{session_};
};

TEST_F(SimServerConsole, FindsCommandsAsIbsimDoes) {
  for (const auto& [word, name] : std::vector<std::pair<std::string, std::string>>{
           {"d", "Dump"},           {"R", "Route"},    {"re", "ReLink"}, {"l", "Link"},
           {"U", "Unlink"},         {"c", "Clear"},    {"g", "Guid"},    {"e", "Error"},
           {"P", "PerformanceSet"}, {"b", "Baselid"},  {"v", "Verbose"}, {"w", "Wait"},
           {"a", "Attached"},       {"x", "X"},        {"?", "Help"},    {"h", "Help"},
           {"Quit", "Quit"},        {"reb", "reboot"}, {"hang", "hang"}, {"lose", "lose-tables"},
           {"walk", "walk"}})
    EXPECT_EQ(find_command(word).name, name) << word;
  EXPECT_THROW(find_command("bogus"), CommandError);
  EXPECT_THROW(find_command("sl-"), CommandError);
}

TEST_F(SimServerConsole, SplitsWordsAndQuotes) {
  const auto words = split_words("Link \"a b\"[3] c:4 # rest");
  ASSERT_EQ(words.size(), 3u);
  EXPECT_EQ(words[1].text, "a b");
  EXPECT_EQ(words[1].tail, "[3]");
  EXPECT_EQ(words[2].text, "c:4");
  EXPECT_THROW(split_words("Link \"a"), CommandError);
}

TEST_F(SimServerConsole, ReadsTimesAndProbabilities) {
  EXPECT_EQ(parse_duration("300ns"), 300ns);
  EXPECT_EQ(parse_duration("1.5ms"), 1500us);
  EXPECT_EQ(parse_duration("2s"), 2s);
  EXPECT_THROW(parse_duration("2"), CommandError);
  EXPECT_THROW(parse_duration("-2s"), CommandError);
  EXPECT_EQ(parse_probability("5%"), 0.05);
  EXPECT_EQ(parse_probability("1"), 1);
  EXPECT_THROW(parse_probability("2"), CommandError);
  EXPECT_THROW(parse_probability("nan"), CommandError);
}

TEST_F(SimServerConsole, UnlinksAndRelinks) {
  const PortIndex far = at("H0", 1).peer;
  EXPECT_EQ(run("Unlink \"H0\"[1]"), "");
  EXPECT_EQ(at("H0", 1).peer, kNone);
  EXPECT_THAT(run("unlink H0:1"), HasSubstr("no cable is plugged in"));
  EXPECT_EQ(run("ReLink H0"), "");
  EXPECT_EQ(at("H0", 1).peer, far);
  pass(1s);
  EXPECT_TRUE(world_.model.link_up(port("H0", 1)));
  EXPECT_THAT(run("ReLink H0"), HasSubstr("no cable was unplugged"));
}

TEST_F(SimServerConsole, LinksOtherPorts) {
  run("Unlink H0");
  run("Unlink H1");
  EXPECT_EQ(run("Link H0[1] \"H1\"[1] 4x EDR"), "");
  EXPECT_EQ(at("H0", 1).peer, port("H1", 1));
  EXPECT_THAT(run("Link H0[1] H2[1]"), HasSubstr("has a cable to"));
}

TEST_F(SimServerConsole, RunsActionsOfScenarios) {
  EXPECT_THAT(run("vports"), HasSubstr("0 ports can have vports"));
  EXPECT_EQ(run("do vport-create port: H0/1, index: 2, guid: 0x1234, lid_required: true, cap: 4"),
            "");
  EXPECT_EQ(run("do vport-refuse port: H0/1, attribute: VPortInfo, index: 2, status: none"), "");
  EXPECT_THAT(run("vports H0"),
              AllOf(HasSubstr("4 vports at most, top index 2, virtualization disabled"),
                    HasSubstr("GUID 0x0000000000001234"), HasSubstr("policy follow")));
  EXPECT_THAT(run("do"), HasSubstr("driver-reload port, recreate: the driver"));
  EXPECT_THAT(run("do vport-refuse port: H0/1, attribute: PortInfo"),
              HasSubstr("no attribute about vports has this name"));
  EXPECT_THAT(run("do nothing-at-all"), HasSubstr("no action is called 'nothing-at-all'"));
  EXPECT_THAT(run("help do"), HasSubstr("an action of scenario files"));
}

TEST_F(SimServerConsole, ReportsWrongCommands) {
  EXPECT_THAT(run("frobnicate"), HasSubstr("no command is called 'frobnicate'"));
  EXPECT_THAT(run("Unlink unknown"), HasSubstr("no node is called 'unknown'"));
  EXPECT_THAT(run("Unlink H0[9]"), HasSubstr("has no such port: 9 (it has 1 to 1)"));
  EXPECT_THAT(run("Unlink"), HasSubstr("usage: Unlink NODE[PORT]"));
  EXPECT_THAT(run("hang H0 H1"), HasSubstr("'H1' is too much"));
  EXPECT_THAT(run("hang H0[1]"), HasSubstr("a node is wanted"));
  EXPECT_THAT(run("power H0 up"), HasSubstr("these are: off, on"));
  EXPECT_THAT(run("Baselid H0[1] 70000"), HasSubstr("'70000' is not a LID"));
  EXPECT_THAT(run("quality all loss=2"), HasSubstr("not a probability"));
  EXPECT_THAT(run("trap 200 H0"), HasSubstr("no such trap"));
  EXPECT_THAT(run("!/nonexistent"), HasSubstr("cannot open"));
  EXPECT_EQ(run("# a comment"), "");
  EXPECT_EQ(run("   "), "");
}

TEST_F(SimServerConsole, GivesSwitchesAdaptiveRoutingAndShowsIt) {
  EXPECT_THAT(run("adaptive S0"), HasSubstr("has no adaptive routing"));
  EXPECT_THAT(run("adaptive H0 pfrn"), HasSubstr("it is no switch"));
  EXPECT_EQ(run("adaptive all pfrn"), "");
  ArSwitch& ar = *world_.model.nodes[world_.model.find("S0")].sw->adaptive;
  EXPECT_TRUE(ar.info.pfrn_sup());
  mad::ArGroupTable group;
  group.set_port(0, {3});
  ar.groups.set(7, group.sub_group(0));
  EXPECT_THAT(run("adaptive all"), HasSubstr("\"S1\": E 0, FREn 0"));
  EXPECT_THAT(run("adaptive S0"), HasSubstr("group 7 sub-group 0: 3\n"));
  run("ar-firmware all static-ports-stay off");
  EXPECT_FALSE(ar.firmware.static_ports_stay);
  run("ar-fault S0 refuses 0x0c");
  run("ar-fault S0 keeps-old 0xff23");
  run("ar-fault S0 blocks other-tables");
  EXPECT_EQ(ar.faults.refusals.front().status, std::optional<std::uint16_t>(0x0C));
  EXPECT_TRUE(ar.faults.without_effect.contains(0xFF23));
  EXPECT_EQ(ar.faults.blocks, ArBlocks::other_tables);
  run("heal S0");
  EXPECT_TRUE(ar.faults.refusals.empty());
  EXPECT_THAT(run("choices H0 H3"), HasSubstr("has no LID"));
  hand_made::bring_up(world_.model);
  EXPECT_THAT(run("choices H0 H3"), HasSubstr("all choices are delivered to \"H3\"[1]"));
  run("adaptive S0 off");
  EXPECT_EQ(world_.model.nodes[world_.model.find("S0")].sw->adaptive, nullptr);
}

TEST_F(SimServerConsole, InjectsFaultsOfNodes) {
  const Health& health = world_.model.nodes[world_.model.find("S0")].health;
  run("hang S0");
  EXPECT_TRUE(health.silent);
  run("unhang S0");
  EXPECT_FALSE(health.silent);
  run("slow S0 1ms 2ms");
  EXPECT_EQ(health.slow_max, 2ms);
  run("serial S0 30ms 2");
  EXPECT_EQ(health.service_time, 30ms);
  EXPECT_EQ(health.queue, 2u);
  EXPECT_THAT(run("node S0"), HasSubstr("one request after the other, 30ms each, 2 more wait"));
  run("serial all 0");
  EXPECT_EQ(health.service_time, 0ms);
  const SwitchState& sw = *world_.model.nodes[world_.model.find("S0")].sw;
  run("lft-firmware S0 ignores-above-top");
  EXPECT_EQ(sw.lft_firmware, LftFirmware::ignores_above_top);
  run("lft-firmware all hides-ports");
  EXPECT_EQ(sw.lft_firmware, LftFirmware::hides_ports);
  EXPECT_THAT(run("lft-firmware H0 plain"), HasSubstr("it is no switch"));
  EXPECT_THAT(run("lft-firmware S0 odd"), HasSubstr("these are: plain, hides-above-top"));
  run("slow all 1ms 2ms");
  EXPECT_EQ(health.slow_max, 2ms);
  run("bad-status S0 50% 0x0c");
  EXPECT_EQ(health.bad_status, 0.5);
  EXPECT_EQ(health.status, 0x0C);
  run("Error S0 30 21");
  EXPECT_EQ(health.ignored_probability, 0.3);
  EXPECT_EQ(health.ignored_attribute, 21);
  EXPECT_THAT(run("node S0"), HasSubstr("slow by 1ms to 2ms"));
  run("heal S0");
  EXPECT_EQ(health.ignored_probability, 0);
  run("power S0 off");
  EXPECT_FALSE(health.powered);
  EXPECT_FALSE(world_.model.link_up(port("H0", 1)));
}

TEST_F(SimServerConsole, SetsTheQualityOfLinks) {
  run("quality H0 loss=10% latency=1us..2us");
  const LinkQuality& quality = world_.qualities[at("H0", 1).quality];
  EXPECT_EQ(quality.lost, 0.1);
  EXPECT_EQ(quality.latency_max, 2us);
  EXPECT_EQ(world_.qualities[at("H1", 1).quality], LinkQuality{});
  EXPECT_THAT(run("quality H0"), HasSubstr("loss=0.1"));
  run("quality all duplicate=0.5");
  EXPECT_EQ(world_.qualities[at("H0", 1).quality].duplicated, 0.5);
  run("quality all good");
  EXPECT_EQ(world_.qualities[at("H0", 1).quality], LinkQuality{});
}

TEST_F(SimServerConsole, TheQualityOfAllIsAlsoThatOfLinksThatWereNamed) {
  run("quality H0 loss=100%");
  run("quality all good");
  EXPECT_EQ(world_.qualities[world_.model.wires[port("H0", 1)].quality], LinkQuality{});
  run("quality H0 loss=100%");
  run("do quality port: all, loss: 0.5");
  EXPECT_EQ(world_.qualities[world_.model.wires[port("H0", 1)].quality].lost, 0.5);
}

TEST_F(SimServerConsole, FlapsAndStops) {
  const auto down = [&] { return !world_.model.link_up(port("H0", 1)); };
  run("flap H0[1] 3 100ms");
  EXPECT_TRUE(down());
  pass(50ms);
  EXPECT_FALSE(down());
  pass(51ms);
  EXPECT_TRUE(down());
  run("flap stop");
  pass(1s);
  EXPECT_FALSE(down());
}

TEST_F(SimServerConsole, SetsLidsGuidsAndCounters) {
  run("Baselid \"H0\"[1] 100 2");
  EXPECT_EQ(at("H0", 1).info.lid(), mad::Lid{100});
  EXPECT_EQ(at("H0", 1).info.lmc(), 2);
  run("Guid H0[1] 0x1234");
  EXPECT_EQ(at("H0", 1).guid, mad::Guid{0x1234});
  run("PerformanceSet H0[1] PortCounters.LinkDownedCounter=7 symbolerrorcounter=9");
  EXPECT_EQ(world_.model.extras(port("H0", 1)).counters.link_downed, 7u);
  EXPECT_EQ(world_.model.extras(port("H0", 1)).counters.symbol_errors, 9u);
  EXPECT_THAT(run("PerformanceSet H0[1] Nothing=1"), HasSubstr("not a counter"));
}

TEST_F(SimServerConsole, FollowsTheTables) {
  for (const char* host : {"H0", "H1"}) {
    run(fmt::format("Baselid {}[1] {}", host, host[1] - '0' + 1));
  }
  EXPECT_THAT(run("walk H0 H1"), HasSubstr("dropped at"));
  EXPECT_THAT(run("walk H0 H2"), HasSubstr("has no LID"));
  EXPECT_THAT(run("multicast H0 0xC000"), HasSubstr("0 copies delivered"));
  EXPECT_THAT(run("Route 1 5"), HasSubstr("no port has LID 5"));
}

TEST_F(SimServerConsole, WaitsWithoutDelayingTheFabric) {
  for (const char* line : {"Verbose 3", "Wait 2", "Verbose 5"}) console_.submit(line);
  console_.run_due();
  EXPECT_EQ(session_.verbosity, 3u);
  EXPECT_EQ(console_.next(), events_.now() + 2s);
  pass(1999ms);
  console_.run_due();
  EXPECT_EQ(session_.verbosity, 3u);
  pass(1ms);
  console_.run_due();
  EXPECT_EQ(session_.verbosity, 5u);
  EXPECT_TRUE(console_.idle());
}

TEST_F(SimServerConsole, RunsFilesOfCommands) {
  const TemporaryDirectory directory;
  const std::string path = (directory / "commands").string();
  std::ofstream(path) << "Verbose 2\nhang H0\n";
  console_.submit("!" + path);
  console_.submit("unhang H0");
  console_.run_due();
  EXPECT_EQ(session_.verbosity, 2u);
  EXPECT_FALSE(world_.model.nodes[world_.model.find("H0")].health.silent);
}

TEST_F(SimServerConsole, PromptsAfterTypedLines) {
  console_.submit_typed("Verbose 1");
  console_.run_due();
  EXPECT_THAT(printed_, ::testing::EndsWith("level is 1\nsim> "));
}

TEST_F(SimServerConsole, SavesTheCurrentLinks) {
  const TemporaryDirectory directory;
  const std::string path = (directory / "saved.net").string();
  run("Unlink H0");
  EXPECT_EQ(run("save " + path), "");
  std::ifstream in(path);
  const std::string text(std::istreambuf_iterator<char>(in), {});
  EXPECT_THAT(text, HasSubstr("H1"));
  EXPECT_THAT(run("save /nonexistent/x"), HasSubstr("cannot write"));
}

TEST_F(SimServerConsole, FindsEndPortsOfPrograms) {
  EXPECT_EQ(names_.end_port(""), port("H0", 1));
  EXPECT_EQ(names_.end_port("H2"), port("H2", 1));
  EXPECT_EQ(names_.end_port("S1"), port("S1", 0));
  EXPECT_EQ(names_.end_port("S1:2"), port("S1", 0));
  EXPECT_EQ(names_.end_port("H2:1"), port("H2", 1));
  EXPECT_EQ(names_.end_port(fmt::format("0x{:x}", at("H3", 1).guid.value)), port("H3", 1));
  EXPECT_FALSE(names_.end_port("unknown"));
  EXPECT_FALSE(names_.end_port("H2:2"));
}

TEST_F(SimServerConsole, HelpListsEverything) {
  const std::string help = run("help");
  for (const auto table :
       {ibsim_commands(), fault_commands(), show_commands(), kernel_commands()}) {
    for (const Command& command : table) EXPECT_THAT(help, HasSubstr(command.name));
  }
  EXPECT_THAT(run("help flap"), StartsWith("flap NODE[PORT]"));
}

}  // namespace console_test
}  // namespace sim::server
