// heddlectl nodes, links, lids, groups, partitions: what a daemon says, as JSON and as text.

#include "sm/ctl/lists_text.h"

#include <gmock/gmock.h>

#include "mad/link_speed.h"
#include "sm/ops/data_json.h"
#include "sm/ops/data_requests.h"
#include "sm/ops/live_read.h"
#include "sm/ops/options_json.h"
#include "sm/ops/target.h"
#include "support/fabrics.h"
#include "support/subnets.h"

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

nlohmann::json parsed(const std::string& text) { return nlohmann::json::parse(text); }

TEST(Lists, NodesHaveTheirLids) {
  const Subnet subnet = two_hosts();
  const nlohmann::json nodes = parsed(nodes_json(&subnet));
  ASSERT_EQ(nodes.at("nodes").size(), 3u);
  EXPECT_EQ(nodes.at("nodes")[0].at("node_type"), "Switch");
  EXPECT_EQ(nodes.at("nodes")[0].at("ports_up"), 2);
  EXPECT_THAT(nodes_text(nodes),
              AllOf(StartsWith("NodeGUID"), HasSubstr("2 of 4"), HasSubstr("n2 mlx5_0\n")));
  EXPECT_THAT(node_names_text(nodes),
              testing::MatchesRegex("leaf\t0x[0-9a-f]+\nn1\t0x[0-9a-f]+\nn2\t0x[0-9a-f]+\n"));
  nlohmann::json odd = nodes;
  odd["nodes"][1]["description"] = "$(reboot)";
  odd["nodes"][2]["description"] = "leaf 2";
  EXPECT_THAT(node_names_text(odd),
              testing::MatchesRegex("(0x[0-9a-f]+)\t0x[0-9a-f]+\n(0x[0-9a-f]+)\t0x[0-9a-f]+\n"
                                    "(0x[0-9a-f]+)\t0x[0-9a-f]+\n"));
}

TEST(Lists, LinksThatRunLessThanBothEndsCanAreDegraded) {
  const Subnet subnet = two_hosts();
  const nlohmann::json links = parsed(links_json(&subnet));
  ASSERT_EQ(links.at("links").size(), 2u);
  EXPECT_EQ(links.at("ports_without_link").size(), 2u);
  const std::string counts =
      "2 links, 1 of them degraded, 0 not Active; 2 switch ports without a link\n";
  EXPECT_THAT(links_text(links, LinkChoice::up),
              AllOf(HasSubstr("4X HDR"), HasSubstr("1X HDR"), HasSubstr(counts)));
  EXPECT_THAT(links_text(links, LinkChoice::degraded),
              AllOf(HasSubstr("degraded: both ends can 4X HDR"), Not(HasSubstr("n1"))));
  EXPECT_THAT(links_text(links, LinkChoice::down), HasSubstr("leaf port 4"));
}

TEST(Lists, EachLidRangeIsARow) {
  Subnet subnet = two_hosts();
  EXPECT_EQ(parsed(lids_json(&subnet)).at("lids").size(), 3u);
  subnet = subnets::bring_up(std::move(subnet.fabric), 2);
  EXPECT_EQ(parsed(lids_json(&subnet)).at("lids").size(), 3u);
}

TEST(Lists, PartitionsCountTheirMembers) {
  const Subnet subnet = two_hosts();
  const nlohmann::json all = parsed(partitions_json(&subnet));
  ASSERT_EQ(all.at("partitions").size(), 1u);
  EXPECT_EQ(all.at("partitions")[0].at("full_members"), 3);
  const nlohmann::json one = parsed(*partition_json(subnet, mad::PKey{0xFFFF}));
  EXPECT_EQ(one.at("members").size(), 3u);
  EXPECT_THAT(partitions_text(one), HasSubstr("leaf port 0"));
  EXPECT_EQ(partition_json(subnet, mad::PKey{5}), std::nullopt);
}

TEST(Lists, GroupsHaveTheirMembersOnlyOneByOne) {
  const auto subnet = std::make_shared<const Subnet>(two_hosts());
  const mad::Gid mgid{0xff12401bffff0000, {0xffffffff}};
  sa::Groups groups;
  groups.create({.mgid = mgid, .mlid = mad::kMlidMin, .p_key = {0xFFFF}, .mtu = 4, .rate = 3});
  groups.join(mgid, {.port_gid = {0xfe80000000000000,
                                  subnet->fabric.ports[subnet->fabric.end_ports.back()].guid},
                     .join_state = 5});
  const DataSources sources{.status =
                                [&] {
                                  ManagerStatus status;
                                  status.subnet = subnet;
                                  return status;
                                },
                            .groups = [&]() -> const sa::Groups& { return groups; },
                            .context = [] { return make_context({}, {}, {}); }};
  const nlohmann::json all = parsed((*data_request("/groups", sources))());
  EXPECT_EQ(all.at("groups")[0].at("member_count"), 1);
  EXPECT_FALSE(all.at("groups")[0].contains("members"));
  const nlohmann::json one =
      parsed((*data_request("/groups/ff12:401b:ffff::ffff:ffff", sources))());
  EXPECT_THAT(groups_text(one), AllOf(HasSubstr("0xc000"), HasSubstr("2048"),
                                      HasSubstr("full,send_only_non_member  n2 mlx5_0")));
  for (const char* const unknown : {"/groups/ff12::1", "/groups/x", "/partitions/0x1", "/x"})
    EXPECT_FALSE(data_request(unknown, sources)) << unknown;
}

TEST(LiveReads, NamesOfAllKindsAreTargets) {
  for (const std::string name : {"H0", "leaf-3:36", "node with blanks/%", "\xff\n"}) {
    const auto request = live_read_request("/read/sl2vl/" + in_target(name));
    ASSERT_TRUE(request) << name;
    EXPECT_EQ(request->list, LiveList::sl_to_vl);
    EXPECT_EQ(request->node, name);
  }
  EXPECT_EQ(in_target("a b/%"), "a%20b%2F%25");
  for (const char* const other : {"/read/weather/H0", "/read/sl2vl", "/read/sl2vl/%", "/nodes"})
    EXPECT_FALSE(live_read_request(other)) << other;
}

TEST(Lists, AreEmptyBeforeTheFirstSweep) {
  EXPECT_EQ(parsed(nodes_json(nullptr)).at("nodes").size(), 0u);
  EXPECT_EQ(links_text(parsed(links_json(nullptr)), LinkChoice::up),
            "0 links, 0 of them degraded, 0 not Active; 0 switch ports without a link\n");
}

TEST(Lists, ADescriptionSendsNothingToTheTerminal) {
  nlohmann::json nodes = parsed(nodes_json(nullptr));
  nodes["nodes"].push_back({{"node_guid", "0x1"},
                            {"node_type", "CA"},
                            {"ports_up", 1},
                            {"num_ports", 1},
                            {"ports", nlohmann::json::array()},
                            {"description", "evil\x1b[2J"}});
  EXPECT_THAT(nodes_text(nodes), HasSubstr("evil?[2J"));
  EXPECT_EQ(node_names_text(nodes), "0x1\t0x1\n");
}

TEST(Lists, ColourIsOnlyWhereItIsAskedFor) {
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
  const std::string text = options_json(options);
  EXPECT_THAT(text, Not(HasSubstr("1122334455667788")));
  EXPECT_THAT(text, Not(HasSubstr("hunter2")));
  std::map<std::string, nlohmann::json> rows;
  const nlohmann::json list = parsed(text);
  for (const auto& row : list.at("options")) rows.emplace(row.at("key"), row);
  EXPECT_EQ(rows.at("m_key").at("value"), "MASKED");
  EXPECT_EQ(rows.at("sm_key").at("value"), "0x0000000000000001") << "the default is no secret";
  EXPECT_EQ(rows.at("etcd_endpoints").at("value"), "https://MASKED@etcd:2379");
  EXPECT_EQ(rows.at("lmc").at("value"), "2");
  EXPECT_EQ(rows.at("lmc").at("from"), "/etc/opensm/opensm.conf:7");
  EXPECT_FALSE(rows.at("lmc").at("default"));
  EXPECT_FALSE(rows.at("lid_matrix_dump_file").contains("from"));
}

}  // namespace lists_text_test
}  // namespace sm::ctl
