// From OpenSM to Heddle with the same engine: the tables stay.

#include <algorithm>
#include <map>
#include <set>

#include "ibsim/fixture.h"

namespace harness {
namespace adoption_test {

constexpr unsigned kSubnSet = 2, kLinearForwardingTable = 0x19;

class Adoption : public OnIbsim, public testing::WithParamInterface<const char*> {
 protected:
  ForwardingTables tables() {
    const Finished dumped = fabric().run({"dump_fts"});
    EXPECT_TRUE(dumped.ok()) << dumped.err;
    return parse_dump_fts(dumped.out);
  }
  Cabling cabling() {
    Problems problems;
    Cabling found = discover(fabric(), {}, problems);
    EXPECT_TRUE(problems.empty()) << text_of(problems);
    return found;
  }
  std::string conf() const {
    return std::string("routing_engine ") + GetParam() + "\nsweep_interval 1\n";
  }
  /// Runs Heddle until the subnet is up and `then` is over; returns what it sent.
  SmpCounts heddle_takes_over(const std::function<void(SubnetManager&)>& then) {
    const std::filesystem::path counts = fabric().new_dir("counts") / "counts";
    SmOptions options{.kind = SmKind::heddle, .conf = conf()};
    options.env = count_smps_into(counts);
    SubnetManager& heddle = start_sm(options);
    EXPECT_TRUE(heddle.wait_subnet_up()) << heddle.tail();
    then(heddle);
    heddle.signal(SIGTERM);
    EXPECT_TRUE(heddle.wait_exit(Milliseconds(5'000)).has_value());
    return read_smp_counts(counts);
  }
  static std::uint64_t lft_sets(const SmpCounts& counts) {
    const auto found = counts.by_method_and_attribute.find({kSubnSet, kLinearForwardingTable});
    return found == counts.by_method_and_attribute.end() ? 0 : found->second;
  }
};

/// The ports by which packets from a switch to a LID leave, and the node where they end.
struct Path {
  std::vector<PortId> ports;
  std::uint64_t end = 0;
  bool crosses(const Cable& cable) const {
    return std::ranges::any_of(
        ports, [&](const PortId& port) { return port == cable.a || port == cable.b; });
  }
};
Path path(const Cabling& cabling, const ForwardingTables& tables, std::uint64_t from,
          std::size_t lid) {
  Path followed{.ports = {}, .end = from};
  while (followed.ports.size() <= tables.size() && tables.contains(followed.end)) {
    const std::vector<std::uint8_t>& table = tables.at(followed.end);
    const PortId out{followed.end, lid < table.size() ? table[lid] : kDropped};
    const auto cable = std::ranges::find_if(
        cabling.cables, [&](const Cable& each) { return each.a == out || each.b == out; });
    if (cable == cabling.cables.end()) break;
    followed.ports.push_back(out);
    followed.end = (cable->a == out ? cable->b : cable->a).node_guid;
  }
  return followed;
}

TEST_P(Adoption, HeddleKeepsTheTablesOfOpenSmAndGoesOnFromThem) {
  start_fabric(sample_net("fattree3-64h"));
  SubnetManager& opensm = start_sm({.kind = SmKind::opensm, .conf = conf()});
  ASSERT_TRUE(opensm.wait_subnet_up());
  opensm.kill();
  const ForwardingTables before = tables();
  const Cabling found = cabling();

  const SmpCounts taken_over = heddle_takes_over([](SubnetManager& heddle) {
    EXPECT_THAT(heddle.log(), testing::HasSubstr(std::string(": ") + GetParam() + " tables"));
  });
  EXPECT_EQ(lft_sets(taken_over), 0u);
  EXPECT_EQ(tables(), before);
  for (const auto& [port, end_port] : cabling().end_ports)
    EXPECT_EQ(end_port.lid, found.end_ports.at(port).lid) << port.text();

  // A link between a leaf and a switch above it goes down: what does not use it stays.
  const SmpCounts after_cut = heddle_takes_over([&](SubnetManager& heddle) {
    const std::size_t mark = heddle.log_end();
    fabric().unlink("S1_0-0-0", 5);
    EXPECT_TRUE(heddle.wait_log("SUBNET UP", mark).has_value()) << heddle.tail();
  });
  const PortId leaf{0x2c90200000400, 5};
  const auto cut = std::ranges::find_if(
      found.cables, [&](const Cable& each) { return each.a == leaf || each.b == leaf; });
  ASSERT_NE(cut, found.cables.end());
  // Heddle's ftree refuses the leaf with a link less; minhop, which follows it, promises shortest
  // paths to switches, too.
  std::map<std::size_t, std::uint64_t> hosts;  // by LID
  for (const auto& [port, end_port] : found.end_ports)
    if (!found.nodes.at(port.node_guid).is_switch) hosts.emplace(end_port.lid, port.node_guid);
  const Cabling now = cabling();
  const ForwardingTables after = tables();
  std::set<std::pair<std::uint64_t, std::size_t>> blocks;
  for (const auto& [guid, table] : after) {
    const std::vector<std::uint8_t>& old = before.at(guid);
    for (std::size_t lid = 0; lid < std::max(table.size(), old.size()); ++lid) {
      const auto entry = [&](const std::vector<std::uint8_t>& of) {
        return lid < of.size() ? of[lid] : kDropped;
      };
      const bool changed = entry(table) != entry(old);
      if (changed) blocks.emplace(guid, lid / 64);
      if (!hosts.contains(lid)) continue;
      EXPECT_EQ(path(now, after, guid, lid).end, hosts.at(lid)) << std::hex << guid << " " << lid;
      EXPECT_TRUE(!changed || path(found, before, guid, lid).crosses(*cut))
          << std::hex << guid << " " << lid;
    }
  }
  EXPECT_GT(blocks.size(), 0u);
  EXPECT_LE(lft_sets(after_cut), blocks.size() + 2) << "a block may be written in two phases";
}

INSTANTIATE_TEST_SUITE_P(Engines, Adoption, testing::Values("minhop", "updn", "ftree"),
                         [](const auto& test) { return std::string(test.param); });

/// The operator's commands about it.
TEST_F(OnIbsim, RebalanceReplacesTheTablesOfOpenSm) {
  start_fabric(sample_net("random-20s-40h"));
  SubnetManager& opensm = start_sm({.kind = SmKind::opensm, .args = {"-R", "minhop"}});
  ASSERT_TRUE(opensm.wait_subnet_up());
  opensm.kill();
  const std::filesystem::path run_dir = fabric().new_dir("run");
  SmOptions options{
      .kind = SmKind::heddle, .conf = "force_log_flush TRUE\n", .args = {"-R", "minhop"}};
  options.env = {{"HEDDLE_RUN_DIR", run_dir.string()}};
  SubnetManager& heddle = start_sm(options);
  ASSERT_TRUE(heddle.wait_subnet_up());
  ASSERT_TRUE(heddle.wait_log("[SM-ROUTING-ADOPTED]").has_value()) << heddle.tail();

  const Finished plan = fabric().run({HEDDLECTL_PROGRAM, "plan", "--set", "routing_engine=minhop"});
  EXPECT_THAT(plan.out, testing::HasSubstr("0 entries in 0 blocks would change")) << plan.err;
  const Finished anew =
      fabric().run({HEDDLECTL_PROGRAM, "plan", "--rebalance", "--set", "routing_engine=minhop"});
  EXPECT_THAT(anew.out, testing::Not(testing::HasSubstr("0 entries in 0 blocks"))) << anew.err;

  const std::size_t mark = heddle.log_end();
  const Finished ordered =
      fabric().run({"env", "HEDDLE_RUN_DIR=" + run_dir.string(), HEDDLECTL_PROGRAM, "rebalance"});
  EXPECT_TRUE(ordered.ok()) << ordered.err;
  EXPECT_TRUE(heddle.wait_log("cleared: tables found on the fabric were kept", mark).has_value())
      << heddle.tail();
  expect_good_fabric({.traces_max = 20});
  const Finished after =
      fabric().run({HEDDLECTL_PROGRAM, "plan", "--rebalance", "--set", "routing_engine=minhop"});
  EXPECT_THAT(after.out, testing::HasSubstr("0 entries in 0 blocks would change")) << after.err;

  const Finished no_manager = fabric().run({"env", "HEDDLE_RUN_DIR=" + run_dir.string(),
                                            HEDDLECTL_PROGRAM, "rebalance", "--guid", "0x1"});
  EXPECT_FALSE(no_manager.ok());
  EXPECT_THAT(no_manager.err, testing::HasSubstr("no Heddle runs on port 0x1"));
}

}  // namespace adoption_test
}  // namespace harness
