// Whole managers on fabrics whose switches already hold forwarding tables that another manager
// wrote.

#include <map>
#include <set>

#include "mad/attributes/switch_info.h"
#include "routing/core/routing_conditions.h"
#include "sim/laboratory.h"
#include "sm/ctl/topology/generators.h"

namespace adoption_test {

using laboratory::Solo;
using mad::AttributeId;
using mad::Method;
using namespace std::chrono_literals;

constexpr mad::Duration kAuditPass = 2h;  // an audit reads all attributes within an hour or so

/// Two levels, four spines.
topology::Topology tree() {
  return topology::xgft({.children = {3, 4}, .parents = {1, 4}, .cables = {}});
}

/// Routes that the manager before this one preferred.
enum class Before : std::uint8_t {
  one_link,      // each leaf sends all that goes up by one of its links
  other_spines,  // two hosts of each leaf exchange their spines: all links are used as before
};

/// A fabric on which a manager with other preferences ran.
class Found : public Solo {
 public:
  explicit Found(Before preference = Before::one_link) : Solo(tree()) {
    options.routing_engine = {"minhop"};
    options.connect_roots = true;  // the simulator's checks expect paths between spines
    EXPECT_TRUE(start_and_settle());
    heddle().stop();
    for (sim::NodeModel& node : model.nodes) {
      const std::vector<std::uint8_t> up = ports_up(node);
      std::map<sim::NodeIndex, std::vector<std::uint8_t*>> of_leaf;  // entries that lead up
      for (const sim::PortIndex host : model.ports.indices()) {
        if (up.empty() || model.owning_node(host).is_switch() || !model.link_up(host)) continue;
        std::uint8_t& out = node.sw->lft[info(host).lid().value];
        if (std::ranges::find(up, out) == up.end()) continue;
        of_leaf[owning_node(far(host))].push_back(&out);
        if (preference == Before::one_link) out = up.front();
      }
      for (const auto& [leaf, entries] : of_leaf)
        if (preference == Before::other_spines) std::swap(*entries[0], *entries[1]);
    }
    heddle().forget_log();
    forget_counts();
  }

  /// Ports to spines, of a leaf.
  std::vector<std::uint8_t> ports_up(const sim::NodeModel& node) const {
    std::vector<std::uint8_t> up;
    bool is_leaf = false;
    if (!node.is_switch()) return up;
    for (unsigned number = 1; number <= node.port_count(); ++number) {
      const sim::PortIndex port = node.first_port + number;
      if (far(port) == sim::kNone) continue;
      if (model.owning_node(far(port)).is_switch()) {
        up.push_back(static_cast<std::uint8_t>(number));
      } else {
        is_leaf = true;
      }
    }
    return is_leaf ? up : std::vector<std::uint8_t>{};
  }
  std::map<std::string, std::vector<std::uint8_t>> tables() const {
    std::map<std::string, std::vector<std::uint8_t>> all;
    for (const sim::NodeModel& node : model.nodes)
      if (node.is_switch()) all[node.description] = node.sw->lft;
    return all;
  }
  std::uint64_t lft_sets() { return sent(Method::set, AttributeId::linear_forwarding_table); }
  std::string price() const {
    for (const sm::ConditionLog::Raised& raised : status().conditions)
      if (raised.condition.id == routing::kRoutingConditions.routing_adopted)
        return raised.condition.text;
    return "";
  }
  sim::NodeModel& a_leaf() {
    for (sim::NodeModel& node : model.nodes)
      if (!ports_up(node).empty() && &node != &model.owning_node(far(own()))) return node;
    return model.nodes.front();
  }
};

class AdoptionWith : public testing::TestWithParam<const char*> {};

TEST_P(AdoptionWith, ATakeoverWritesNoTableAndNamesThePrice) {
  Found lab;
  const auto before = lab.tables();
  lab.options.routing_engine = {GetParam()};
  ASSERT_TRUE(lab.start_and_settle()) << lab.tail();
  EXPECT_EQ(lab.tables(), before);
  EXPECT_EQ(lab.status().subnet->routing->engine, GetParam());
  EXPECT_NE(lab.price().find(GetParam()), std::string::npos) << lab.tail();
  EXPECT_NE(lab.price().find("instead of"), std::string::npos);

  // Nothing but what a lost link touches is written, and the tables stay adopted.
  sim::NodeModel& leaf = lab.a_leaf();
  const sim::PortIndex link = leaf.first_port + lab.ports_up(leaf).back();  // that carries little
  lab.world.cut(link);
  ASSERT_TRUE(lab.settles()) << lab.complaint() << lab.tail();
  std::size_t entries = 0;
  for (const auto& [name, lft] : lab.tables()) {
    const auto& old = before.at(name);
    for (std::size_t lid = 0; lid < lft.size(); ++lid) entries += lft[lid] != old[lid];
  }
  EXPECT_GT(entries, 0u);
  EXPECT_LE(entries, 24u) << "entries of the leaf by this link, and what the spine had to it";
  EXPECT_NE(lab.price(), "") << lab.log();
}

TEST_P(AdoptionWith, RebalanceReplacesWhatWasAdopted) {
  Found lab;
  lab.options.routing_engine = {GetParam()};
  ASSERT_TRUE(lab.start_and_settle()) << lab.tail();
  ASSERT_NE(lab.price(), "");
  const auto before = lab.tables();
  std::size_t loops = 0;
  lab.heddle().tap().on_request = [&](mad::ConstSmpView smp) {
    if (smp.attribute_id() != AttributeId::linear_forwarding_table) return;
    for (const sim::PortIndex to : lab.model.ports.indices())
      if (!lab.model.owning_node(to).is_switch() && lab.model.link_up(to) && to != lab.own())
        loops += sim::walk_unicast(lab.model, lab.own(), {.dlid = lab.info(to).lid()}).drop ==
                 sim::Drop::too_long;
  };
  ASSERT_TRUE(lab.heddle().order_rebalance());
  lab.settle();
  EXPECT_EQ(lab.complaint(), "");
  EXPECT_NE(lab.tables(), before);
  EXPECT_EQ(lab.price(), "");
  EXPECT_EQ(loops, 0u);
  lab.heddle().tap().on_request = nullptr;

  // These are the tables of a manager that adopts nothing.
  const auto rebalanced = lab.tables();
  lab.heddle().stop();
  lab.options.routing_adoption = false;
  ASSERT_TRUE(lab.start_and_settle());
  EXPECT_EQ(lab.tables(), rebalanced);
}

INSTANTIATE_TEST_SUITE_P(Engines, AdoptionWith,
                         testing::Values("minhop", "updn", "ftree", "dmodc", "dfsssp", "nue"),
                         [](const auto& test) { return std::string(test.param); });

TEST(Adoption, TablesThatUseAllLinksStayAfterQuietTime) {
  Found lab(Before::other_spines);
  const auto before = lab.tables();
  lab.options.rebalance_quiet_time = 30;
  ASSERT_TRUE(lab.start_and_settle()) << lab.tail();
  lab.runtime.run_for(10min);
  EXPECT_EQ(lab.tables(), before);
  EXPECT_NE(lab.price(), "");
}

TEST(Adoption, TablesThatLeaveLinksUnusedAreReplacedAfterQuietTime) {
  Found lab;
  const auto before = lab.tables();
  lab.options.rebalance_quiet_time = 30;
  ASSERT_TRUE(lab.start_and_settle()) << lab.tail();
  lab.runtime.run_for(20s);
  EXPECT_EQ(lab.tables(), before);
  lab.runtime.run_for(1min);
  EXPECT_NE(lab.tables(), before);
  EXPECT_EQ(lab.price(), "");
  EXPECT_EQ(lab.complaint(), "");
}

TEST(Adoption, ASecondStartFindsItsOwnTablesAndHasNoPrice) {
  Solo lab(tree());
  lab.options.routing_engine = {"ftree"};
  lab.options.connect_roots = true;
  ASSERT_TRUE(lab.start_and_settle());
  lab.heddle().stop();
  lab.forget_counts();
  ASSERT_TRUE(lab.start_and_settle());
  EXPECT_EQ(lab.sets(), 0u);
  for (const sm::ConditionLog::Raised& raised : lab.status().conditions)
    EXPECT_NE(raised.condition.id, routing::kRoutingConditions.routing_adopted)
        << raised.condition.text;
}

TEST(Adoption, TablesAreReplacedWithTheOptionFalseAndWithReassignedLids) {
  for (const bool reassign : {false, true}) {
    Found lab;
    const auto before = lab.tables();
    (reassign ? lab.options.reassign_lids : lab.options.routing_adoption) = reassign;
    ASSERT_TRUE(lab.start_and_settle()) << lab.tail();
    EXPECT_NE(lab.tables(), before);
    EXPECT_EQ(lab.price(), "");
  }
}

TEST(Adoption, OneSweepOnlyReplacesTables) {
  Found lab;
  const auto before = lab.tables();
  lab.start(true);
  ASSERT_EQ(lab.heddle().exit_code(), 0);
  EXPECT_NE(lab.tables(), before);
}

TEST(Adoption, AHostThatWasAddedSinceIsRouted) {
  Found lab;
  sim::NodeModel& leaf = lab.a_leaf();
  const auto before = lab.tables();
  // No manager has routed this host yet: its entries are missing everywhere.
  sim::PortIndex added = sim::kNone;
  for (unsigned number = 1; number <= leaf.port_count(); ++number) {
    const sim::PortIndex far = lab.far(leaf.first_port + number);
    if (far != sim::kNone && !lab.model.owning_node(far).is_switch()) added = far;
  }
  const std::uint16_t lid = lab.info(added).lid().value;
  for (sim::NodeModel& node : lab.model.nodes)
    if (node.is_switch()) node.sw->lft[lid] = mad::kNoPort.value;
  ASSERT_TRUE(lab.start_and_settle()) << lab.tail();
  for (const auto& [name, lft] : lab.tables())
    for (std::size_t entry = 0; entry < lft.size(); ++entry)
      if (entry != lid) {
        EXPECT_EQ(lft[entry], before.at(name)[entry]) << name << " LID " << entry;
      }
}

// ---- what is found cannot be trusted

/// A forwarding loop, a hole, a port that leads elsewhere: each is mended, the rest stays.
TEST(Adoption, BrokenEntriesAreMendedAndOthersStay) {
  for (const int fault : {0, 1, 2}) {
    SCOPED_TRACE(fault);
    Found lab;
    const auto before = lab.tables();
    sim::NodeModel& leaf = lab.a_leaf();
    const std::uint16_t lid = lab.info(lab.own()).lid().value;
    const sim::PortIndex up = leaf.first_port + leaf.sw->lft[lid];
    if (fault == 0) {  // the spine sends it back
      sim::NodeModel& spine = lab.model.owning_node(lab.far(up));
      spine.sw->lft[lid] = lab.model.ports[lab.far(up)].number;
    } else {
      leaf.sw->lft[lid] = fault == 1 ? mad::kNoPort.value : 1;
    }
    ASSERT_TRUE(lab.start_and_settle()) << lab.complaint() << lab.tail();
    for (const auto& [name, lft] : lab.tables())
      for (std::size_t entry = 0; entry < lft.size(); ++entry)
        if (entry != lid) {
          EXPECT_EQ(lft[entry], before.at(name)[entry]) << name << " " << entry;
        }
  }
}

/// It shows tables of noise, as long as it is only read.
TEST(Adoption, ASwitchThatShowsNoiseIsProgrammed) {
  Found lab;
  sim::NodeModel& leaf = lab.a_leaf();
  std::uint8_t noise = 1;
  bool written = false;
  leaf.health.edit_response = [&](mad::SmpView smp) {
    if (smp.attribute_id() != AttributeId::linear_forwarding_table) return;
    written |= smp.method() == Method::get_resp && lab.lft_sets() > 0;
    if (written) return;
    for (std::uint8_t& entry : smp.data()) entry = static_cast<std::uint8_t>(noise += 7);
  };
  ASSERT_TRUE(lab.start_and_settle()) << lab.complaint() << lab.tail();
  EXPECT_GT(lab.says("SUBNET UP"), 0);
  leaf.health.edit_response = nullptr;
}

/// It holds a hole, and showed none when it was read: the audit finds it.
TEST(Adoption, ASwitchThatHidesAHoleIsMendedByTheAudit) {
  Found lab;
  sim::NodeModel& leaf = lab.a_leaf();
  const std::uint16_t lid = lab.info(lab.own()).lid().value;
  std::uint8_t& entry = leaf.sw->lft[lid];
  const std::uint8_t right = std::exchange(entry, mad::kNoPort.value);
  unsigned reads = 0;
  leaf.health.edit_response = [&](mad::SmpView smp) {
    if (smp.attribute_id() != AttributeId::linear_forwarding_table || reads++ > 0) return;
    smp.data()[lid] = right;
  };
  lab.start();
  EXPECT_TRUE(lab.heals(kAuditPass)) << lab.complaint() << lab.tail();
  EXPECT_EQ(entry, right);
  leaf.health.edit_response = nullptr;
}

TEST(Adoption, ASwitchThatDiesWhileItIsReadTakesNothingWithIt) {
  Found lab;
  const auto before = lab.tables();
  sim::NodeModel& leaf = lab.a_leaf();
  lab.heddle();
  bool dead = false;
  leaf.health.edit_response = [&](mad::SmpView smp) {
    if (smp.attribute_id() == AttributeId::linear_forwarding_table && !dead)
      dead = leaf.health.silent = true;
  };
  lab.start();
  lab.runtime.run_for(2min);
  EXPECT_TRUE(dead);
  for (const auto& [name, lft] : lab.tables())
    if (name != leaf.description) {
      std::size_t kept = 0, all = 0;
      for (std::size_t entry = 0; entry < lft.size(); ++entry) {
        if (before.at(name)[entry] == mad::kNoPort.value) continue;
        ++all;
        kept += lft[entry] == before.at(name)[entry];
      }
      EXPECT_GE(kept, all / 2) << name;
    }
  leaf.health.edit_response = nullptr;
  leaf.health.silent = false;
  EXPECT_TRUE(lab.heals()) << lab.complaint() << lab.tail();
}

/// The old manager still writes: a block changes after it was read.
TEST(Adoption, TablesThatChangeAfterTheyWereReadAreMendedByTheAudit) {
  Found lab;
  sim::NodeModel& leaf = lab.a_leaf();
  const std::uint16_t lid = lab.info(lab.own()).lid().value;
  std::uint8_t& entry = leaf.sw->lft[lid];
  const std::uint8_t right = entry;
  bool changed = false;
  leaf.health.edit_response = [&](mad::SmpView smp) {
    if (smp.attribute_id() != AttributeId::linear_forwarding_table || changed) return;
    changed = true;
    entry = mad::kNoPort.value;
  };
  lab.start();
  EXPECT_TRUE(lab.runtime.run_until([&] { return changed; }, 1min));
  EXPECT_TRUE(lab.heals(kAuditPass)) << lab.complaint() << lab.tail();
  EXPECT_EQ(entry, right);
  leaf.health.edit_response = nullptr;
}

}  // namespace adoption_test
