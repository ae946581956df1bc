// heddlectl nodes, links, lids, groups, partitions: what the API answers, as text.

#include "sm/ctl/lists_text.h"

#include <gmock/gmock.h>

#include <regex>
#include <sstream>

#include "mad/link_speed.h"
#include "sm/ops/rows.h"
#include "sm/sweep/devices/sweep_conditions.h"
#include "support/fabrics.h"
#include "support/subnets.h"
#include "unit/sm/ops/api/published.h"

namespace sm::ctl {
namespace lists_text_test {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

/// A switch with the hosts "n1 mlx5_0" and "n2 mlx5_0"; both ends of all links can 4X HDR, and that
/// of n2 runs 1X.
Subnet two_hosts() {
  fabrics::Maker maker;
  const NodeIndex sw = maker.sw(4, "leaf");
  const PortIndex hosts[]{maker.host(sw), maker.host(sw)};
  Fabric fabric = maker.build();
  for (Port& port : fabric.ports) {
    port.info.set_link_width_supported(mad::link_width::k1x | mad::link_width::k4x);
    port.info.set_link_speed_supported(7);
    port.info.set_link_speed_ext_supported(7);
    port.info.set_link_width_active(mad::link_width::k4x);
    port.info.set_link_speed_active(mad::link_speed::kExtended);
    port.info.set_link_speed_ext_active(mad::link_speed_ext::kHdr);
  }
  for (const PortIndex end : {hosts[1], fabric.ports[hosts[1]].peer})
    fabric.ports[end].info.set_link_width_active(mad::link_width::k1x);
  for (unsigned i = 0; i < 2; ++i)
    fabric.nodes[fabric.ports[hosts[i]].node].description.set_text(
        fmt::format("n{} mlx5_0", i + 1));
  Subnet subnet = subnets::bring_up(std::move(fabric));
  subnet.partitions = subnets::default_partition(subnet.fabric.end_ports.size());
  return subnet;
}

/// Answers of the API of a manager with this subnet.
class Lists : public testing::Test {
 protected:
  void publish(Subnet subnet) {
    manager.publish(std::make_shared<const Subnet>(std::move(subnet)));
  }
  nlohmann::ordered_json get(const std::string& target) {
    return nlohmann::ordered_json::parse(client.get(target).body);
  }
  nlohmann::ordered_json links() {
    nlohmann::ordered_json answer = get("/v1/links");
    answer["ports_without_link"] = get("/v1/ports?type=Switch&linked=false")["ports"];
    return answer;
  }

  published::Manager manager{std::make_shared<const Subnet>(two_hosts())};
  api_client::Client client{sm::api_resources(manager.sources())};
};

TEST_F(Lists, NodesHaveTheirLids) {
  const nlohmann::ordered_json nodes = get("/v1/nodes");
  ASSERT_EQ(nodes.at("nodes").size(), 3u);
  EXPECT_THAT(nodes_text(nodes), AllOf(StartsWith("NodeGUID"), HasSubstr("Switch"),
                                       HasSubstr("2 of 4"), HasSubstr("n2 mlx5_0\n")));
  EXPECT_THAT(node_names_text(nodes),
              AllOf(HasSubstr("leaf\t0x"), HasSubstr("n1\t0x"), HasSubstr("n2\t0x")));
  nlohmann::ordered_json odd = nodes;
  odd["nodes"][0]["description"] = "leaf";
  odd["nodes"][1]["description"] = "$(reboot)";
  odd["nodes"][2]["description"] = "leaf 2";
  EXPECT_THAT(node_names_text(odd),
              testing::MatchesRegex("(0x[0-9a-f]+)\t0x[0-9a-f]+\n(0x[0-9a-f]+)\t0x[0-9a-f]+\n"
                                    "(0x[0-9a-f]+)\t0x[0-9a-f]+\n"));
}

TEST_F(Lists, LinksThatRunLessThanBothEndsCanAreDegraded) {
  const nlohmann::ordered_json all = links();
  ASSERT_EQ(all.at("links").size(), 2u);
  EXPECT_EQ(all.at("ports_without_link").size(), 2u) << "not port 0";
  const std::string counts =
      "2 links, 1 of them degraded, 0 not Active; 2 switch ports without a link\n";
  EXPECT_THAT(links_text(all, LinkChoice::up),
              AllOf(HasSubstr("4X HDR"), HasSubstr("1X HDR"), HasSubstr(counts)));
  EXPECT_THAT(links_text(all, LinkChoice::degraded),
              AllOf(HasSubstr("degraded: both ends can 4X HDR"), Not(HasSubstr("n1"))));
  EXPECT_THAT(links_text(all, LinkChoice::down), HasSubstr("leaf port 4"));
}

TEST_F(Lists, LinksBelowARateAreNamed) {
  const nlohmann::ordered_json all = links();
  EXPECT_THAT(links_below_text(all, {.lanes = 4, .speed = mad::LaneSpeed::hdr}),
              AllOf(HasSubstr("1X HDR"), Not(HasSubstr("4X HDR  ")),
                    HasSubstr("2 links, 1 of them below 4X HDR\n")));
  EXPECT_EQ(links_below_text(all, {.speed = mad::LaneSpeed::hdr}),
            "2 links, 0 of them below HDR\n");
}

TEST_F(Lists, EachLidRangeIsARow) {
  EXPECT_EQ(get("/v1/lids").at("lids").size(), 3u);
  publish(subnets::bring_up(two_hosts().fabric, 2));
  EXPECT_EQ(get("/v1/lids").at("lids").size(), 3u);
}

TEST_F(Lists, PartitionsCountTheirMembers) {
  const auto all = get("/v1/subnet/partitions");
  ASSERT_EQ(all.at("partitions").size(), 1u);
  EXPECT_EQ(all.at("partitions")[0].at("full_members"), 3);
  const auto one = get("/v1/subnet/partitions/0x7fff");
  EXPECT_EQ(one.at("members").size(), 3u);
  EXPECT_THAT(partitions_text(one), HasSubstr("leaf port 0"));
  EXPECT_EQ(client.get("/v1/subnet/partitions/5").status, 404u);
}

TEST_F(Lists, GroupsHaveTheirMembersOnlyOneByOne) {
  const Subnet& subnet = *manager.view.status.subnet;
  const mad::Gid mgid{0xff12401bffff0000, {0xffffffff}};
  sa::Groups groups;
  groups.create({.mgid = mgid, .mlid = mad::kMlidMin, .p_key = {0xFFFF}, .mtu = 4, .rate = 3});
  groups.join(mgid, {.port_gid = {0xfe80000000000000,
                                  subnet.fabric.ports[subnet.fabric.end_ports.back()].guid},
                     .join_state = 5});
  manager.set_groups(std::move(groups));
  const auto all = get("/v1/groups");
  EXPECT_EQ(all.at("groups")[0].at("member_count"), 1);
  EXPECT_FALSE(all.at("groups")[0].contains("members"));
  EXPECT_THAT(groups_text(get("/v1/groups/ff12:401b:ffff::ffff:ffff")),
              AllOf(HasSubstr("0xc000"), HasSubstr("2048"),
                    HasSubstr("full,send_only_non_member  n2 mlx5_0")));
}

TEST_F(Lists, AreEmptyBeforeTheFirstSweep) {
  manager.publish(nullptr);
  EXPECT_EQ(get("/v1/nodes").at("nodes").size(), 0u);
  EXPECT_EQ(links_text(links(), LinkChoice::up),
            "0 links, 0 of them degraded, 0 not Active; 0 switch ports without a link\n");
}

TEST(ListsText, ADescriptionSendsNothingToTheTerminal) {
  nlohmann::json nodes;
  nodes["nodes"].push_back({{"node_guid", "0x1"},
                            {"node_type", "CA"},
                            {"ports_up", 1},
                            {"num_ports", 1},
                            {"ports", nlohmann::json::array()},
                            {"description", "evil\x1b[2J"}});
  EXPECT_THAT(nodes_text(nodes), HasSubstr("evil?[2J"));
  EXPECT_EQ(node_names_text(nodes), "0x1\t0x1\n");
}

/// A lost leaf with two hosts, and a link.
nlohmann::json conditions_of_a_lost_leaf() {
  nlohmann::json leaf{
      {"id", "SM-NODE-LOST"}, {"severity", "critical"}, {"text", "leaf, 2 hosts"}, {"for_s", 720},
      {"times", 1},           {"guid", "0x1"}};
  nlohmann::json link{
      {"id", "SM-LINK-LOST"}, {"severity", "warning"}, {"text", "link"}, {"for_s", 5},
      {"times", 3},           {"guid", "0x1"},         {"port", 4}};
  nlohmann::json host{{"id", "SM-NODE-LOST"},
                      {"severity", "info"},
                      {"text", "host a"},
                      {"for_s", 720},
                      {"times", 1},
                      {"guid", "0x2"},
                      {"caused_by", {{"id", "SM-NODE-LOST"}, {"guid", "0x1"}}}};
  nlohmann::json other = host;
  other["text"] = "host b";
  return {{"conditions", {leaf, link, host, other}}};
}

TEST(ListsText, AConditionHasItsTimeEffectAndRemedy) {
  const std::string text = conditions_text(conditions_of_a_lost_leaf(), {});
  const fabric::ConditionKind& lost = sm::kSweepConditions.node_lost;
  EXPECT_THAT(text, testing::StartsWith(fmt::format("critical     leaf, 2 hosts [SM-NODE-LOST]\n"
                                                    "             for 12 min\n"
                                                    "             effect: {}\n"
                                                    "             remedy: {}\n"
                                                    "warning      link [SM-LINK-LOST]\n"
                                                    "             for 5 s, raised 3 times\n",
                                                    lost.effect, lost.remedy)));
  EXPECT_THAT(text, testing::Not(HasSubstr("host a")));
  EXPECT_THAT(text,
              testing::EndsWith("2 more that these have caused: heddlectl conditions --all\n"));
  EXPECT_EQ(conditions_text({{"conditions", nlohmann::json::array()}}, {}), "no conditions\n");
}

TEST(ListsText, WhatHasOccurredHasItsTime) {
  nlohmann::json once{{"id", "SM-TABLES-LOST"},
                      {"severity", "warning"},
                      {"text", "leaf-3 lost its tables"},
                      {"at", "2026-11-24T12:03:04Z"},
                      {"ago_s", 125},
                      {"first_at", "2026-11-24T12:03:04Z"},
                      {"times", 1}};
  nlohmann::json often = once;
  often["text"] = "leaf-4 lost its tables";
  often["first_at"] = "2026-11-24T11:58:00Z";
  often["times"] = 7;
  const fabric::ConditionKind& kind = sm::kSweepConditions.tables_lost;
  EXPECT_EQ(conditions_text({{"conditions", nlohmann::json::array()},
                             {"occurrences", nlohmann::json::array({once, often})}},
                            {.colour = true}),
            fmt::format("no conditions\n"
                        "occurred within ten minutes (times in UTC):\n"
                        "at 12:03:04  leaf-3 lost its tables [SM-TABLES-LOST]\n"
                        "             2 min ago\n"
                        "             effect: {}\n"
                        "             remedy: {}\n"
                        "at 12:03:04  leaf-4 lost its tables [SM-TABLES-LOST]\n"
                        "             2 min ago, 7 times since 11:58:00\n",
                        kind.effect, kind.remedy));
}

TEST(ListsText, WhatAConditionHasCausedIsBelowIt) {
  EXPECT_THAT(conditions_text(conditions_of_a_lost_leaf(), {.all = true}),
              AllOf(testing::StartsWith("critical     leaf, 2 hosts [SM-NODE-LOST]\n"
                                        "             for 12 min\n"
                                        "             host a [SM-NODE-LOST]\n"
                                        "             host b [SM-NODE-LOST]\n"
                                        "             effect: "),
                    testing::Not(HasSubstr("--all"))));
}

TEST(ListsText, RemediesOfOneIdentifierAreSaidOnce) {
  nlohmann::json all = conditions_of_a_lost_leaf();
  nlohmann::json second = all["conditions"][0];
  second["text"] = "spine";
  second["severity"] = "warning";
  second["guid"] = "0x9";
  all["conditions"].push_back(second);
  const std::string text = conditions_text(all, {});
  const std::string remedy(sm::kSweepConditions.node_lost.remedy);
  ASSERT_NE(text.find(remedy), std::string::npos);
  EXPECT_EQ(text.find(remedy), text.rfind(remedy));
  EXPECT_LT(text.find("spine"), text.find(remedy));
}

TEST(ListsText, ConditionsFitTheTerminal) {
  nlohmann::json all = conditions_of_a_lost_leaf();
  all["occurrences"] = nlohmann::json::array({{{"id", "SM-NODE-LOST"},
                                               {"severity", "warning"},
                                               {"text", "leaf-3 was lost for a moment"},
                                               {"at", "2026-11-24T12:03:04Z"},
                                               {"ago_s", 125},
                                               {"first_at", "2026-11-24T12:03:04Z"},
                                               {"times", 1}}});
  const std::string whole = conditions_text(all, {}),
                    narrow = conditions_text(all, {.colour = true, .columns = 60});
  std::istringstream lines(narrow);
  std::string joined;
  const std::string below(13, ' ');
  for (std::string line; std::getline(lines, line);) {
    line = std::regex_replace(line, std::regex("\x1b\\[[0-9]*m"), "");
    EXPECT_LE(line.size(), 60u) << line;
    EXPECT_EQ(line.find_last_not_of(' ') + 1, line.size()) << line;
    joined += line + ' ';
  }
  const auto single = [](const std::string& text) {
    return std::regex_replace(text, std::regex("\\s+"), " ");
  };
  EXPECT_EQ(single(joined), single(whole)) << "no word is lost";
  EXPECT_THAT(narrow, HasSubstr("\n" + below)) << "what follows is below the text";
  const std::string remedy(sm::kSweepConditions.node_lost.remedy);
  EXPECT_EQ(whole.find(remedy), whole.rfind(remedy)) << "occurrences do not repeat it";
}

TEST(ListsText, CountersSayWhatIsCountedAndWhatGrows) {
  nlohmann::json answer{{"age_s", 9},
                        {"ports", 1296},
                        {"with_value", 1},
                        {"growing", 0},
                        {"counters", nlohmann::json::array()}};
  EXPECT_EQ(
      counters_text(answer, "errors"),
      "1 of 1296 ports shows errors, 0 of them with growth between the two latest polls; read "
      "9 s ago\n");
  answer["with_value"] = 3;
  answer["growing"] = 2;
  answer["ports"] = 1;
  EXPECT_THAT(counters_text(answer, "discards"),
              StartsWith("3 of 1 port show discards, 2 of them"));
  EXPECT_EQ(counters_text(answer, "load"),
            "2 of 1 port sent or received data between the two latest polls; read 9 s ago\n");
}

TEST(ListsText, CountsAgreeWithTheirNouns) {
  EXPECT_EQ(counted(1, "host"), "1 host");
  EXPECT_EQ(counted(0, "host"), "0 hosts");
  EXPECT_EQ(counted(2, "switch"), "2 switches");
  EXPECT_EQ(counted(1, "switch"), "1 switch");
}

TEST(ListsText, ColourIsOnlyWhereItIsAskedFor) {
  const nlohmann::json condition{{"severity", "error"}, {"text", "x"}, {"id", "SM-X"}};
  EXPECT_EQ(condition_line(condition, false), "error        x [SM-X]\n");
  EXPECT_EQ(condition_line(condition, true), "\x1b[31merror        \x1b[0mx [SM-X]\n");
}

TEST(Options, AreListedWithoutSecrets) {
  config::Options options;
  options.m_key = 0x1122334455667788;
  options.etcd_endpoints = {"https://admin:hunter2@etcd:2379"};
  options.lmc = 2;
  options.origins["lmc"] = {.file = "/etc/opensm/opensm.conf", .line = 7, .column = 1};
  const nlohmann::json list = option_rows(options);
  const std::string text = list.dump();
  EXPECT_THAT(text, Not(HasSubstr("1122334455667788")));
  EXPECT_THAT(text, Not(HasSubstr("hunter2")));
  std::map<std::string, nlohmann::json> rows;
  for (const auto& row : list) rows.emplace(row.at("key"), row);
  EXPECT_EQ(rows.at("m_key").at("value"), "MASKED");
  EXPECT_EQ(rows.at("sm_key").at("value"), "0x0000000000000001") << "the default is no secret";
  EXPECT_EQ(rows.at("etcd_endpoints").at("value"), "https://MASKED@etcd:2379");
  EXPECT_EQ(rows.at("lmc").at("value"), "2");
  EXPECT_EQ(rows.at("lmc").at("from"), "/etc/opensm/opensm.conf:7");
  EXPECT_FALSE(rows.at("lmc").at("default"));
  EXPECT_FALSE(rows.at("lid_matrix_dump_file").contains("from"));
}

TEST(ListsText, CongestionControlHasALineForEachDevice) {
  const sm::CongestionDevice devices[]{{.guid = mad::Guid{0x8},
                                        .node = mad::Guid{0x8},
                                        .port = {},
                                        .is_switch = true,
                                        .state = sm::CongestionState::configured,
                                        .control_map = 0x15,
                                        .threshold = 15,
                                        .marking_rate = 1,
                                        .has_log = true,
                                        .events = 12},
                                       {.guid = mad::Guid{0x71},
                                        .node = mad::Guid{0x7},
                                        .port = mad::PortNum{1},
                                        .state = sm::CongestionState::unsupported}};
  nlohmann::ordered_json answer{{"congestion", nlohmann::ordered_json::array()}};
  EXPECT_THAT(congestion_text(answer), StartsWith("no device is controlled"));
  for (const sm::CongestionDevice& device : devices)
    answer["congestion"].push_back(
        nlohmann::ordered_json(sm::congestion_row(device, nullptr, mad::TimePoint{})));
  const std::string text = congestion_text(answer);
  EXPECT_THAT(text, HasSubstr("threshold 15, marking rate 1, map 0x15  12"));
  EXPECT_THAT(text, HasSubstr("2 devices: 1 configured, 1 unsupported\n"));
}

TEST(ListsText, ASuggestionIsOpensmConf) {
  const nlohmann::ordered_json answer{
      {"hosts", 2},
      {"slowest_gbps", 100.0},
      {"fastest_gbps", 100.0},
      {"mtu_bytes", 4096},
      {"diameter", 1},
      {"lines",
       {{{"option", "cc_sw_cong_setting_threshold"},
         {"value", "0x0f"},
         {"why", std::string("long ") + std::string(120, 'x') + " tail"}}}}};
  const std::string text = suggestion_text(answer);
  EXPECT_THAT(text, HasSubstr("\n# long\n# x"));
  EXPECT_THAT(text, HasSubstr("x\n# tail\ncc_sw_cong_setting_threshold 0x0f\n"));
}

TEST(OrderText, SaysIfTheOrderIsNotInForce) {
  EXPECT_EQ(order_text({{"in_force", true}}, "n17 is isolated"), "n17 is isolated");
  EXPECT_EQ(order_text({{"place", "n17"}}, "n17 is isolated"), "n17 is isolated");
  EXPECT_EQ(store_peers_text({{"reachable", true}}), "") << "etcd";
  nlohmann::ordered_json peer{{"address", "192.0.2.7:6312"}, {"port_guid", "0x0000000000000002"},
                              {"connected", true},           {"why_not", ""},
                              {"behind_records", 0},         {"behind_s", 0}};
  EXPECT_EQ(store_peers_text({{"peers", nlohmann::ordered_json::array({peer})}}),
            "  state peer   192.0.2.7:6312 (0x0000000000000002): has all changes\n");
  peer["behind_records"] = 3;
  peer["behind_s"] = 12;
  EXPECT_THAT(store_peers_text({{"peers", nlohmann::ordered_json::array({peer})}}),
              HasSubstr("lacks 3 changes since 12 s"));
  peer["connected"] = false;
  peer["why_not"] = "refused";
  EXPECT_THAT(store_peers_text({{"peers", nlohmann::ordered_json::array({peer})}}),
              HasSubstr("not connected: refused"));
  peer["configured"] = false;
  EXPECT_EQ(store_peers_text({{"peers", nlohmann::ordered_json::array({peer})}}),
            "  state peer   a program at 192.0.2.7:6312 was refused: refused\n");
  peer["connected"] = true;
  EXPECT_THAT(store_peers_text({{"peers", nlohmann::ordered_json::array({peer})}}),
              HasSubstr("lacks 3 changes since 12 s; its address is not in state_peers here"));
  EXPECT_EQ(order_text({{"in_force", true}, {"replicated", 1}}, "n17 is isolated"),
            "n17 is isolated; held by 1 other manager");
  EXPECT_EQ(order_text({{"in_force", true}, {"replicated", 0}}, "n17 is isolated"),
            "n17 is isolated; held by this manager only");
  EXPECT_EQ(
      order_text({{"in_force", false}}, "n17 is isolated"),
      "n17 is isolated with the next sweep, which has not ended yet: `heddlectl status` shows "
      "its state");
}

}  // namespace lists_text_test
}  // namespace sm::ctl
