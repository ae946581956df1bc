// A host that shows the NodeGUID or the PortGUID of another node.

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "fabric/fabric_conditions.h"
#include "mad/format.h"
#include "sim/laboratory.h"
#include "sm/ctl/topology/generators.h"

namespace copied_guids_test {

using laboratory::Solo;
using namespace std::chrono_literals;

enum class Copied {
  node_guid,
  port_guid,
  node_info,  // all of it, but not the PortGUID
  all,
};

struct Copy {
  Copied what;
  std::string of;  // H0 is the manager's host
};
/// A switch that is cloned with its PortGUID is not among them: that is no host.
const std::vector<Copy> kCopies{
    {Copied::node_guid, "H4"}, {Copied::port_guid, "H4"}, {Copied::node_info, "H4"},
    {Copied::all, "H4"},       {Copied::node_guid, "H0"}, {Copied::port_guid, "H0"},
    {Copied::node_info, "H0"}, {Copied::all, "H0"},       {Copied::node_guid, "S0"},
    {Copied::port_guid, "S0"}, {Copied::node_guid, "S2"}, {Copied::port_guid, "S2"},
    {Copied::node_info, "S2"}};
/// One is nearer to the manager than H4 and S2, the other one is not.
const std::string kAttackers[]{"H1", "H8"};

/// H0 to H2 at S0, H3 to H5 at S1, H6 to H8 at S2, in a row.
struct Cloned : Solo {
  Cloned() : Solo(topology::row({.switches = 3, .cables = 1, .hosts_per_switch = 3})) {}

  /// The NodeInfo that the attacker answers from now on.
  void copy(const Copy& copied, const std::string& attacker) {
    const sim::NodeModel& from = node(copied.of);
    mad::NodeInfo shown = from.info;
    shown.set_port_guid(model.ports[from.is_switch() ? from.first_port : port(copied.of)].guid);
    node(attacker).health.edit_response = [what = copied.what, shown](mad::SmpView smp) {
      if (smp.attribute_id() != mad::AttributeId::node_info) return;
      const mad::NodeInfo own(smp.data());
      mad::NodeInfo info = own;
      if (what == Copied::node_guid) info.set_node_guid(shown.node_guid());
      if (what == Copied::node_info || what == Copied::all) info = shown;
      if (what == Copied::node_info) info.set_port_guid(own.port_guid());
      if (what == Copied::port_guid) info.set_port_guid(shown.port_guid());
      info.set_local_port_num(own.local_port_num());
      smp.set_data(std::as_const(info).bytes());
    };
  }
  /// "" if all hosts but this one are Active with LIDs of their own, else what is wrong.
  std::string wrong_beside(const std::string& left_out) {
    std::set<mad::Lid> lids;
    for (unsigned number = 0; number < 9; ++number) {
      const std::string name = fmt::format("H{}", number);
      const mad::PortInfo& its = info(port(name));
      if (name == left_out) {
        if (its.port_state() == mad::PortState::active) return name + " is Active";
        continue;
      }
      if (its.port_state() != mad::PortState::active) return name + " is not Active";
      if (!lids.insert(its.lid()).second) return fmt::format("LID {} twice", its.lid());
    }
    return "";
  }
};

struct Case {
  Copy copied;
  std::string attacker;
  std::string text() const {
    return fmt::format("{} copies {} of {}", attacker, static_cast<int>(copied.what), copied.of);
  }
};
std::vector<Case> cases() {
  std::vector<Case> all;
  for (const Copy& copied : kCopies)
    for (const std::string& attacker : kAttackers) all.push_back({copied, attacker});
  return all;
}

TEST(CopiedGuids, AtTheStartKeepNoOtherHostOut) {
  for (const Case& one : cases()) {
    SCOPED_TRACE(one.text());
    Cloned lab;
    lab.copy(one.copied, one.attacker);
    lab.start();
    // The nearer one of two hosts with equal NodeInfo is used; all other copies differ somewhere.
    const bool is_clone = one.copied.what == Copied::all && one.copied.of == "H4";
    const std::string left_out = is_clone && one.attacker == "H1" ? one.copied.of : one.attacker;
    EXPECT_TRUE(lab.runtime.run_until([&] { return lab.wrong_beside(left_out).empty(); }, 5s))
        << lab.wrong_beside(left_out) << lab.log();
    lab.runtime.run_for(15s);
    const std::uint64_t sweeps = lab.status().sweeps;
    lab.runtime.run_for(45s);
    EXPECT_EQ(lab.status().sweeps, sweeps) << "a copy that stays causes no more: " << lab.log();
    EXPECT_EQ(lab.wrong_beside(left_out), "") << lab.log();
    EXPECT_FALSE(lab.heddle().ended()) << *lab.heddle().ended();
    EXPECT_EQ(lab.raised(fabric::kFabricConditions.guid_duplicate), 1u) << lab.log();
    lab.world.cut(lab.port(one.attacker));
    EXPECT_TRUE(lab.runtime.run_until(
        [&] {
          return lab.raised(fabric::kFabricConditions.guid_duplicate) == 0 &&
                 lab.wrong_beside(one.attacker).empty();
        },
        laboratory::kLightSweep))
        << lab.wrong_beside(one.attacker) << lab.log();
  }
}

TEST(CopiedGuids, LaterTakeNothingFromTheirHolder) {
  for (const Case& one : cases()) {
    SCOPED_TRACE(one.text());
    Cloned lab;
    ASSERT_TRUE(lab.start_and_settle()) << lab.tail();
    std::vector<mad::Lid> lids;
    for (unsigned number = 0; number < 9; ++number)
      lids.push_back(lab.info(lab.port(fmt::format("H{}", number))).lid());
    lab.copy(one.copied, one.attacker);
    lab.reboot(lab.model.find(one.attacker));
    lab.runtime.run_for(30s);
    EXPECT_EQ(lab.wrong_beside(one.attacker), "") << lab.log();
    for (unsigned number = 0; number < 9; ++number) {
      const std::string name = fmt::format("H{}", number);
      if (name == one.attacker) continue;
      EXPECT_EQ(lab.info(lab.port(name)).lid(), lids[number]) << name;
    }
    EXPECT_EQ(lab.raised(fabric::kFabricConditions.guid_duplicate), 1u) << lab.log();
    // Sweeps of its own switch and of others do not end the condition, and a sweep of everything
    // changes nothing.
    for (const std::string other : {"H2", "H7"}) {
      lab.reboot(lab.model.find(other));
      lab.runtime.run_for(5s);
      EXPECT_EQ(lab.raised(fabric::kFabricConditions.guid_duplicate), 1u) << lab.log();
    }
    lab.heddle().order_resweep();
    lab.runtime.run_for(5s);
    EXPECT_EQ(lab.wrong_beside(one.attacker), "") << lab.log();
    EXPECT_EQ(lab.raised(fabric::kFabricConditions.guid_duplicate), 1u) << lab.log();
    EXPECT_FALSE(lab.says("cleared: duplicate")) << lab.log();
    lab.world.cut(lab.port(one.attacker));
    lab.runtime.run_for(5s);
    EXPECT_EQ(lab.raised(fabric::kFabricConditions.guid_duplicate), 0u) << lab.log();
    EXPECT_FALSE(lab.heddle().ended()) << *lab.heddle().ended();
  }
}

/// The links of the latest subnet are in a file: a nearer clone does not take the place of a host.
TEST(CopiedGuids, AfterARestartThePlaceOfTheLatestSubnetKeepsTheGuid) {
  for (const bool while_it_ran : {true, false}) {
    Cloned lab;
    ASSERT_TRUE(lab.start_and_settle()) << lab.tail();
    const mad::Lid lid = lab.info(lab.port("H4")).lid();
    if (!while_it_ran) lab.heddle().stop();
    lab.copy({Copied::all, "H4"}, "H1");
    lab.reboot(lab.model.find("H1"));
    if (while_it_ran) lab.runtime.run_for(10s);
    lab.start();
    lab.runtime.run_for(10s);
    EXPECT_EQ(lab.wrong_beside("H1"), "") << lab.log();
    EXPECT_EQ(lab.info(lab.port("H4")).lid(), lid);
    EXPECT_EQ(lab.raised(fabric::kFabricConditions.guid_duplicate), 1u) << lab.log();
  }
}

/// The holder is gone: the other one is the only one with that GUID now.
TEST(CopiedGuids, AreUsedWhenTheirHolderIsGone) {
  for (const Copied what : {Copied::node_guid, Copied::port_guid, Copied::all}) {
    Cloned lab;
    ASSERT_TRUE(lab.start_and_settle()) << lab.tail();
    lab.copy({what, "H4"}, "H8");
    lab.reboot(lab.model.find("H8"));
    lab.settle();
    ASSERT_EQ(lab.raised(fabric::kFabricConditions.guid_duplicate), 1u) << lab.log();
    lab.world.cut(lab.port("H4"));
    EXPECT_TRUE(lab.runtime.run_until(
        [&] {
          return lab.raised(fabric::kFabricConditions.guid_duplicate) == 0 &&
                 lab.info(lab.port("H8")).port_state() == mad::PortState::active;
        },
        laboratory::kLightSweep))
        << lab.log();
  }
}

}  // namespace copied_guids_test
