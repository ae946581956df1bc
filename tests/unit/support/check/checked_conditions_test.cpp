// Each condition is planted where it is false, and each wrong state of the world without its
// condition; the checker reports both.

#include "support/check/checked_conditions.h"

#include <gmock/gmock.h>

#include <functional>

#include "fabric/fabric_conditions.h"
#include "mad/format.h"
#include "partitions/partition_conditions.h"
#include "routing/core/routing_conditions.h"
#include "sim/world/virtual_runtime.h"
#include "sim/world/world.h"
#include "sm/conditions/manager_conditions.h"
#include "sm/ctl/topology/generators.h"
#include "sm/election/election_conditions.h"
#include "sm/ops/condition_kinds.h"
#include "sm/performance/counter_conditions.h"
#include "sm/sweep/devices/sweep_conditions.h"
#include "virt/virt_conditions.h"

namespace checked_conditions_test {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// Two switches with two links and two hosts each; H0 has the manager. All links are up.
class Bench {
 public:
  Bench()
      : world(runtime.events(),
              topology::row(
                  {.switches = 2, .cables = 2, .hosts_per_switch = 2, .ports_per_host = 1})) {
    manager.port = port("H0");
    manager.expected.operational_vls_max = 5;
    std::uint16_t lid = 0;
    for (const sim::PortIndex each : world.model.ports.indices()) {
      sim::PortModel& of = world.model.ports[each];
      if (world.model.is_end_port(each)) of.info.set_lid({++lid});
      if (of.peer == sim::kNone) continue;
      of.info.set_port_state(mad::PortState::active);
      const mad::PortInfo& there = world.model.ports[of.peer].info;
      of.info.set_neighbor_mtu(std::min(of.info.mtu_cap(), there.mtu_cap()));
      of.info.set_operational_vls(std::min(of.info.vl_cap(), there.vl_cap()));
    }
  }

  sim::PortIndex port(const std::string& node, unsigned number = 1) const {
    return world.model.port(world.model.find(node), number);
  }
  sim::NodeModel& node(const std::string& name) {
    return world.model.nodes[world.model.find(name)];
  }
  mad::Guid guid(const std::string& name) { return node(name).info.node_guid(); }
  /// The first port of S0 that is linked to S1.
  sim::PortIndex trunk() {
    for (unsigned number = 1;; ++number) {
      const sim::PortIndex here = port("S0", number);
      const sim::PortIndex far = world.model.ports[here].peer;
      if (far != sim::kNone && world.model.owning_node(far).is_switch()) return here;
    }
  }
  /// All switches forward to all LIDs, over the first link between them.
  void fill_tables() {
    for (const sim::NodeIndex sw : {world.model.find("S0"), world.model.find("S1")}) {
      std::vector<std::uint8_t>& lft = world.model.nodes[sw].sw->lft;
      std::ranges::fill(lft, std::uint8_t{255});
      world.model.nodes[sw].sw->info.set_linear_fdb_top(63);
      for (const sim::PortIndex end : world.model.ports.indices()) {
        const sim::PortModel& of = world.model.ports[end];
        if (!world.model.is_end_port(end) ||
            (of.number == 0 && !world.model.owning_node(end).is_switch()))
          continue;
        const sim::PortIndex front = of.peer;
        const bool is_own = of.node == sw;
        const bool is_here = front != sim::kNone && world.model.ports[front].node == sw;
        lft[of.info.lid().value] = is_own    ? std::uint8_t{0}
                                   : is_here ? world.model.ports[front].number
                                   : sw == world.model.find("S0")
                                       ? world.model.ports[trunk()].number
                                       : world.model.ports[world.model.ports[trunk()].peer].number;
      }
    }
  }
  /// As messages name it.
  std::string text(sim::PortIndex at) const {
    return fmt::format("\"{}\" ({}) port {}", world.model.owning_node(at).description,
                       world.model.owning_node(at).info.node_guid(), world.model.ports[at].number);
  }
  std::string text(const std::string& name) { return fmt::format("\"{}\" ({})", name, guid(name)); }
  fabric::Condition at(fabric::ConditionId id, sim::PortIndex place) const {
    return {.id = id,
            .text = text(place),
            .guid = world.model.owning_node(place).info.node_guid(),
            .port = mad::PortNum{world.model.ports[place].number}};
  }
  fabric::Condition of(fabric::ConditionId id, const std::string& name) {
    return {.id = id, .text = text(name), .guid = guid(name)};
  }
  sim::Complaints complaints(const std::vector<fabric::Condition>& active = {}) const {
    return sim::check_conditions(world.model, manager, active);
  }

  sim::VirtualRuntime runtime;
  sim::World world;
  sim::ObservedManager manager;
};

TEST(CheckedConditions, NothingIsWrongWithoutFaults) {
  EXPECT_THAT(Bench().complaints(), IsEmpty());
}

TEST(CheckedConditions, AnOccurrenceIsNeverActive) {
  EXPECT_THAT(Bench().complaints({{.id = sm::kSweepConditions.tables_lost, .text = "t"}}),
              ElementsAre(HasSubstr("[SM-TABLES-LOST]: an occurrence is never active")));
}

TEST(CheckedConditions, EachStateHasARuleOrAReason) {
  for (const fabric::ConditionId kind : sm::condition_kinds())
    EXPECT_EQ(std::ranges::count(sim::condition_rules(), kind, &sim::ConditionRule::id),
              kind->is_occurrence() ? 0 : 1)
        << kind->name;
  for (const sim::ConditionRule& rule : sim::condition_rules()) {
    SCOPED_TRACE(rule.id->name);
    EXPECT_EQ(rule.truth == sim::Truth::world, rule.falsehood != nullptr);
    EXPECT_EQ(rule.truth == sim::Truth::world, rule.reason.empty());
  }
}

struct Plant {
  const char* name;
  /// The condition, false on a bench without faults.
  fabric::Condition (*condition)(Bench&);
  /// Makes it true, and needed if `is_needed`. Null: whole managers are tested with it.
  void (*fault)(Bench&);
  bool is_needed = true;
};

const Plant kPlants[] = {
    {"SilentNodeBehindALink",
     [](Bench& bench) {
       return bench.at(fabric::kFabricConditions.node_silent,
                       bench.world.model.ports[bench.port("H1")].peer);
     },
     [](Bench& bench) { bench.node("H1").health.silent = true; }},
    {"SilentNode",
     [](Bench& bench) { return bench.of(fabric::kFabricConditions.node_silent, "H1"); },
     [](Bench& bench) { bench.node("H1").health.agent_ignores_requests = true; }},
    {"UnknownMKey",
     [](Bench& bench) { return bench.of(fabric::kFabricConditions.m_key_unknown, "H1"); },
     [](Bench& bench) {
       bench.world.model.ports[bench.port("H1")].info.set_m_key({7});
       bench.world.model.ports[bench.port("H1")].info.set_m_key_protect_bits(1);
     }},
    {"MalformedResponse",
     [](Bench& bench) { return bench.of(fabric::kFabricConditions.response_malformed, "S1"); },
     [](Bench& bench) { bench.node("S1").health.lies = 0.5; }, false},
    {"DuplicateGuid",
     [](Bench& bench) { return bench.of(fabric::kFabricConditions.guid_duplicate, "H1"); },
     [](Bench& bench) { bench.node("H2").info.set_node_guid(bench.guid("H1")); }},
    {"EndsDisagree",
     [](Bench& bench) {
       return bench.at(fabric::kFabricConditions.link_ends_disagree, bench.trunk());
     },
     [](Bench& bench) {
       bench.world.model.ports[bench.trunk()].info.set_port_state(mad::PortState::down);
     }},
    {"Loopback",
     [](Bench& bench) { return bench.at(fabric::kFabricConditions.link_loopback, bench.trunk()); },
     nullptr},
    {"TooFar", [](Bench& bench) { return bench.of(fabric::kFabricConditions.node_too_far, "S1"); },
     nullptr},
    {"TooLarge",
     [](Bench& bench) {
       return bench.at(fabric::kFabricConditions.fabric_too_large, bench.trunk());
     },
     nullptr},
    {"SubtreeTooLarge",
     [](Bench& bench) {
       return bench.at(fabric::kFabricConditions.subtree_too_large, bench.trunk());
     },
     nullptr},
    {"ImplausibleValue",
     [](Bench& bench) { return bench.of(fabric::kFabricConditions.value_implausible, "S1"); },
     [](Bench& bench) { bench.node("S1").sw->lft_firmware = sim::LftFirmware::hides_above_top; },
     false},
    {"LostLink",
     [](Bench& bench) { return bench.at(sm::kSweepConditions.link_lost, bench.trunk()); },
     [](Bench& bench) {
       bench.manager.knew = sim::known_subnet(bench.world.model, bench.manager.port);
       bench.world.cut(bench.trunk());
     }},
    {"LostNode", [](Bench& bench) { return bench.of(sm::kSweepConditions.node_lost, "H1"); },
     [](Bench& bench) {
       bench.manager.knew = sim::known_subnet(bench.world.model, bench.manager.port);
       bench.world.power(bench.world.model.find("H1"), false);
     }},
    {"LostHosts", [](Bench& bench) { return bench.of(sm::kSweepConditions.hosts_lost, "S1"); },
     nullptr},
    {"SmallTable", [](Bench& bench) { return bench.of(sm::kLidConditions.lft_too_small, "S1"); },
     [](Bench& bench) { bench.node("S1").sw->info.set_linear_fdb_cap(2); }},
    {"NoLid",
     [](Bench& bench) { return bench.at(sm::kLidConditions.lids_exhausted, bench.port("H1")); },
     [](Bench& bench) { bench.world.model.ports[bench.port("H1")].info.set_lid({}); }},
    {"FullPKeyTable",
     [](Bench& bench) { return bench.of(partitions::kPartitionConditions.p_key_table_full, "H1"); },
     [](Bench& bench) {
       bench.node("H1").info.set_partition_cap(1);
       bench.manager.expected.p_keys[bench.world.model.ports[bench.port("H1")].guid] = {0xFFFF,
                                                                                        0x8001};
     }},
    {"VPortsOff",
     [](Bench&) {
       return fabric::Condition{.id = virt::kVirtConditions.vports_off, .text = "1 port"};
     },
     nullptr},
    {"RefusedRouting",
     [](Bench& bench) {
       bench.manager.refusing_engines.emplace();
       return fabric::Condition{.id = routing::kRoutingConditions.routing_refused,
                                .text = "ftree: no tree"};
     },
     [](Bench& bench) { bench.manager.refusing_engines = {"ftree"}; }},
    {"CreditLoopPossible",
     [](Bench& bench) {
       bench.manager.sl = [](sim::PortIndex, mad::Lid) { return mad::Sl{}; };
       return fabric::Condition{.id = routing::kRoutingConditions.routing_limit,
                                .text = "minhop: credit loop possible: ..."};
     },
     nullptr},
    {"PathsCutOff",
     [](Bench& bench) {
       bench.fill_tables();
       EXPECT_THAT(sim::check_paths(bench.world.model,
                                    sim::reachable(bench.world.model, bench.manager.port)),
                   IsEmpty());
       return fabric::Condition{.id = routing::kRoutingConditions.routing_no_path,
                                .text = "2 pairs of switch and LID are cut off"};
     },
     [](Bench& bench) { bench.node("S0").sw->lft.assign(64, 255); }, false},
    {"AdoptedTables",
     [](Bench& bench) {
       bench.manager.balance = {.entries_differ = 0, .is_even = true};
       return fabric::Condition{.id = routing::kRoutingConditions.routing_adopted,
                                .text = "tables were kept"};
     },
     [](Bench& bench) { bench.manager.balance = {.entries_differ = 3, .is_even = true}; }, false},
    {"UnbalancedRouting",
     [](Bench& bench) {
       bench.manager.balance = {.entries_differ = 3, .is_even = true};
       return fabric::Condition{.id = routing::kRoutingConditions.routing_unbalanced,
                                .text = "links were added"};
     },
     [](Bench& bench) { bench.manager.balance = {.entries_differ = 3, .is_even = false}; }, false},
    {"VlSetting",
     [](Bench&) {
       return fabric::Condition{.id = routing::kRoutingConditions.vl_setting, .text = "qos_sl2vl"};
     },
     [](Bench& bench) { bench.manager.caused = {routing::kRoutingConditions.vl_setting}; }, false},
    {"TurnInATreeOfTwoSwitches",
     [](Bench&) {
       return fabric::Condition{.id = routing::kRoutingConditions.multicast_no_common_root,
                                .text = "multicast group 0xc000"};
     },
     nullptr},
    {"LoopWithMulticast",
     [](Bench& bench) {
       bench.manager.sl = [](sim::PortIndex, mad::Lid) { return mad::Sl{}; };
       return fabric::Condition{.id = routing::kRoutingConditions.multicast_credit_loop,
                                .text = "share virtual lanes"};
     },
     nullptr},
    {"SharedTree",
     [](Bench& bench) {
       // Both links between the switches.
       for (const unsigned mlid : {0u, 1u}) {
         auto& mft = bench.node("S0").sw->mft;
         mft.resize(1);
         mft[0].resize(2);
         mft[0][mlid] = static_cast<std::uint16_t>(
             1u << (bench.world.model.ports[bench.trunk()].number + mlid));
       }
       return fabric::Condition{.id = routing::kRoutingConditions.multicast_shared_tree,
                                .text = "all share one tree"};
     },
     [](Bench& bench) { bench.node("S0").sw->mft.clear(); }, false},
    {"DroppedServiceLevel",
     [](Bench&) {
       return fabric::Condition{.id = routing::kRoutingConditions.multicast_sl_dropped,
                                .text = "multicast group 0xc000"};
     },
     [](Bench& bench) {
       bench.node("S1").sw->sl_to_vl.resize(1);
       bench.node("S1").sw->sl_to_vl[0].fill(0xFF);
     },
     false},
    {"DisabledPort",
     [](Bench& bench) { return bench.at(sm::kManagerConditions.port_disabled, bench.trunk()); },
     [](Bench& bench) {
       bench.world.model.ports[bench.trunk()].info.set_port_physical_state(
           mad::PortPhysicalState::disabled);
     },
     false},
    {"IncapableSwitch",
     [](Bench& bench) { return bench.of(routing::kRoutingConditions.multicast_incapable, "S1"); },
     [](Bench& bench) { bench.node("S1").sw->info.set_multicast_fdb_cap(0); }, false},
    {"FailedWrite", [](Bench& bench) { return bench.of(sm::kWriteConditions.write_failed, "H1"); },
     [](Bench& bench) { bench.node("H1").health.ignored_probability = 0.5; }, false},
    {"PendingSetting",
     [](Bench& bench) {
       return bench.at(sm::kWriteConditions.link_setting_pending, bench.trunk());
     },
     [](Bench& bench) {
       bench.world.model.ports[bench.trunk()].info.set_neighbor_mtu(mad::Mtu::mtu_256);
     }},
    {"StoreFailed",
     [](Bench&) {
       return fabric::Condition{.id = sm::kManagerConditions.store_failed, .text = "full"};
     },
     [](Bench& bench) { bench.manager.caused = {sm::kManagerConditions.store_failed}; }, false},
    {"OtherMaster",
     [](Bench& bench) { return bench.of(sm::kElectionConditions.other_master, "H3"); },
     [](Bench& bench) {
       mad::PortInfo& info = bench.world.model.ports[bench.port("H3")].info;
       info.set_capability_mask(info.capability_mask() | mad::capability::kIsSm);
     },
     false},
    {"PortErrors",
     [](Bench& bench) { return bench.at(sm::kCounterConditions.port_errors, bench.trunk()); },
     [](Bench& bench) { bench.world.model.extras(bench.trunk()).counters.symbol_errors = 1; },
     false},
};

class FalseCondition : public ::testing::TestWithParam<Plant> {};

TEST_P(FalseCondition, IsReported) {
  Bench bench;
  const fabric::Condition planted = GetParam().condition(bench);
  EXPECT_THAT(bench.complaints({planted}), ElementsAre(HasSubstr("false condition: ")));
}

class MissingCondition : public ::testing::TestWithParam<Plant> {};

TEST_P(MissingCondition, IsReportedAndTheConditionIsTrue) {
  Bench bench;
  const fabric::Condition planted = GetParam().condition(bench);
  GetParam().fault(bench);
  EXPECT_THAT(bench.complaints({planted}), IsEmpty());
  if (!GetParam().is_needed) return;
  EXPECT_THAT(bench.complaints(),
              Contains(HasSubstr(fmt::format("missing condition: {}", planted.id->name))));
}

std::vector<Plant> plants_with_faults() {
  std::vector<Plant> plants(std::begin(kPlants), std::end(kPlants));
  std::erase_if(plants, [](const Plant& plant) { return plant.fault == nullptr; });
  return plants;
}
const auto kNameOfPlant = [](const auto& test) { return std::string(test.param.name); };
INSTANTIATE_TEST_SUITE_P(Plants, FalseCondition, ::testing::ValuesIn(kPlants), kNameOfPlant);
INSTANTIATE_TEST_SUITE_P(Plants, MissingCondition, ::testing::ValuesIn(plants_with_faults()),
                         kNameOfPlant);

TEST(CheckedConditions, StandbyHasNoneOfAMaster) {
  Bench bench;
  bench.manager.leads = false;
  bench.node("H1").health.agent_ignores_requests = true;
  EXPECT_THAT(bench.complaints(), IsEmpty());
  EXPECT_THAT(bench.complaints({bench.of(fabric::kFabricConditions.node_silent, "H1")}),
              ElementsAre(HasSubstr("not MASTER")));
}

TEST(CheckedConditions, ManagerWithoutALinkReportsIt) {
  Bench bench;
  bench.world.cut(bench.port("H0"));
  EXPECT_THAT(bench.complaints(), Contains(HasSubstr("SM-PORT-DOWN")));
  EXPECT_THAT(bench.complaints({bench.at(sm::kManagerConditions.sm_port_down, bench.port("H0"))}),
              IsEmpty());
}

TEST(CheckedConditions, SilenceOfTheFirstSwitchIsThatOfTheSubnet) {
  Bench bench;
  bench.node("S0").health.silent = true;
  EXPECT_THAT(bench.complaints(), Contains(HasSubstr("SM-SUBNET-SILENT")));
  EXPECT_THAT(bench.complaints({bench.of(sm::kManagerConditions.subnet_silent, "H0"),
                                bench.of(fabric::kFabricConditions.node_silent, "S0")}),
              IsEmpty());
}

}  // namespace checked_conditions_test
