// What an operator reads in log_format human about faults and their ends: the whole log, as
// files of tests/data/human_log. A change of a message changes them; they are written again with
// HEDDLE_WRITE_HUMAN_LOG=1 in the environment, and read before they are committed.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>

#include "mad/format.h"
#include "partitions/load.h"
#include "sim/laboratory.h"
#include "sm/ctl/topology/generators.h"

namespace human_log_test {

using laboratory::Solo;
using namespace std::chrono_literals;

struct Case {
  const char* name;
  std::size_t lines_max;  // of the fault, without its end
  void (*fault)(Solo& lab);
  void (*end)(Solo& lab);  // null: the fault has none
};

constexpr sim::NodeIndex kHost{9};

sim::NodeIndex leaf(const Solo& lab) { return lab.neighbour(lab.port(kHost)); }
/// The lower end of a link of the host's leaf to a spine.
sim::PortIndex uplink(const Solo& lab) {
  for (unsigned number = 1;; ++number) {
    const sim::PortIndex port = lab.port(leaf(lab), number), far = lab.far(port);
    if (far != sim::kNone && lab.model.owning_node(far).is_switch()) return port;
  }
}
std::vector<sim::NodeIndex> hosts(const Solo& lab) {
  std::vector<sim::NodeIndex> found;
  for (unsigned number = 1; number <= lab.model.nodes[leaf(lab)].port_count(); ++number) {
    const sim::PortIndex far = lab.far(lab.port(leaf(lab), number));
    if (far != sim::kNone && !lab.model.owning_node(far).is_switch())
      found.push_back(lab.model.ports[far].node);
  }
  return found;
}
/// Takes the link down and brings it up with another width.
void retrain(Solo& lab, sim::LinkWidth width) {
  const sim::PortIndex port = uplink(lab), far = lab.far(port);
  lab.world.cut(port);
  lab.runtime.run_for(1s);
  lab.world.connect(port, far, width);
}

const Case kCases[] = {
    {"leaf_off", 6, [](Solo& lab) { lab.world.power(leaf(lab), false); },
     [](Solo& lab) { lab.world.power(sim::NodeIndex(lab.neighbour(lab.port(kHost))), true); }},
    {"spine_off", 3, [](Solo& lab) { lab.world.power(lab.neighbour(uplink(lab)), false); },
     [](Solo& lab) {
       for (const sim::NodeIndex node : lab.model.nodes.indices()) lab.world.power(node, true);
     }},
    {"host_off", 3, [](Solo& lab) { lab.world.power(kHost, false); },
     [](Solo& lab) { lab.world.power(kHost, true); }},
    {"rack_off", 5,
     [](Solo& lab) {
       for (const sim::NodeIndex host : hosts(lab)) lab.world.power(host, false);
     },
     [](Solo& lab) {
       for (const sim::NodeIndex node : lab.model.nodes.indices()) lab.world.power(node, true);
     }},
    {"host_reboots", 6, [](Solo& lab) { lab.reboot(kHost); }, nullptr},
    {"link_cut", 3, [](Solo& lab) { lab.world.cut(uplink(lab)); }, nullptr},
    {"port_disabled", 3,
     [](Solo& lab) {
       const sim::PortIndex port = uplink(lab);
       lab.world.cut(port);
       lab.info(port).set_port_physical_state(mad::PortPhysicalState::disabled);
     },
     nullptr},
    {"link_narrow", 6, [](Solo& lab) { retrain(lab, sim::LinkWidth::x1); },
     [](Solo& lab) { retrain(lab, sim::LinkWidth::x4); }},
    {"p_key_violation", 1,
     [](Solo& lab) {
       const sim::PortIndex from = lab.port(hosts(lab).front()), to = lab.port(kHost);
       lab.world.report_bad_key(to, mad::TrapNumber::bad_p_key, lab.info(from).lid(),
                                lab.info(to).lid(), 0x8001, {});
     },
     nullptr},
    {"link_errors", 2,
     [](Solo& lab) {
       lab.world.report_link_error(uplink(lab), mad::TrapNumber::local_link_integrity);
     },
     nullptr},
    {"switch_hung", 6, [](Solo& lab) { lab.model.nodes[leaf(lab)].health.silent = true; },
     [](Solo& lab) { lab.model.nodes[leaf(lab)].health.silent = false; }},
    {"agents_deaf", 10,
     [](Solo& lab) {
       for (const sim::NodeIndex host : hosts(lab))
         lab.model.nodes[host].health.agent_ignores_requests = true;
       lab.reboot(hosts(lab).front());
     },
     [](Solo& lab) {
       for (sim::NodeModel& node : lab.model.nodes) node.health.agent_ignores_requests = false;
     }},
    {"guid_duplicate", 6,
     [](Solo& lab) {
       const sim::NodeIndex other = hosts(lab).front();
       lab.model.nodes[other].info = lab.model.nodes[kHost].info;
       lab.model.ports[lab.port(other)].guid = lab.model.ports[lab.port(kHost)].guid;
       lab.reboot(other);
     },
     nullptr},
    {"node_guid_of_another", 4,
     [](Solo& lab) {
       const sim::NodeIndex other = hosts(lab).front();
       lab.model.nodes[other].info.set_node_guid(lab.model.nodes[kHost].info.node_guid());
       lab.reboot(other);
     },
     nullptr},
    {"host_flaps", 25,
     [](Solo& lab) {
       for (unsigned time = 0; time < 10; ++time) {
         lab.world.bounce(lab.port(kHost));
         lab.runtime.run_for(2s);
       }
     },
     nullptr},
    {"p_key_table_full", 6,
     [](Solo& lab) {
       std::string text = "Default=0x7fff, ipoib : ALL=full;\n";
       for (unsigned key = 1; key <= 130; ++key)
         text += fmt::format("vlan{0}={0:#x} : {1};\n", key, lab.model.ports[lab.port(kHost)].guid);
       config::Diagnostics found;
       lab.heddle().partitioning =
           partitions::parse_partitions_conf({"partitions.conf", text}, found);
       lab.heddle().reload(lab.options);
     },
     [](Solo& lab) {
       lab.heddle().partitioning = partitions::default_configuration();
       lab.heddle().reload(lab.options);
     }},
    {"manager_appears", 3, [](Solo& lab) { lab.Laboratory::start(lab.port(kHost)); }, nullptr},
    {"manager_with_another_sm_key", 4,
     [](Solo& lab) {
       config::Options options;
       options.sm_key = 0x1234;
       lab.Laboratory::start(lab.port(kHost), options);
     },
     nullptr},
};

/// Without numbers that depend on how the fabric is read and written.
std::string masked(const std::string& log) {
  return std::regex_replace(log, std::regex("[0-9]+ SubnGet and [0-9]+ SubnSet SMPs in [0-9]+ ms"),
                            "... SubnGet and ... SubnSet SMPs in ... ms");
}

std::filesystem::path file_for(const Case& one) {
  return std::filesystem::path(HEDDLE_TEST_DATA) / "human_log" / (std::string(one.name) + ".txt");
}

class HumanLog : public testing::TestWithParam<Case> {};

TEST_P(HumanLog, IsAsItWasRead) {
  Solo lab(topology::xgft({.children = {4, 6}, .parents = {1, 3}, .cables = {}}));
  ASSERT_TRUE(lab.start_and_settle());
  lab.heddle().forget_log();
  GetParam().fault(lab);
  lab.runtime.run_for(20s);
  std::string log = masked(lab.heddle().human_log());
  EXPECT_LE(static_cast<std::size_t>(std::ranges::count(log, '\n')), GetParam().lines_max) << log;
  if (GetParam().end != nullptr) {
    lab.heddle().forget_log();
    GetParam().end(lab);
    lab.runtime.run_for(20s);
    log += "---- the fault ends\n" + masked(lab.heddle().human_log());
  }
  if (std::getenv("HEDDLE_WRITE_HUMAN_LOG") != nullptr) {
    std::filesystem::create_directories(file_for(GetParam()).parent_path());
    std::ofstream(file_for(GetParam())) << log;
  }
  std::ifstream file(file_for(GetParam()));
  const std::string expected{std::istreambuf_iterator<char>(file), {}};
  EXPECT_EQ(log, expected);
}

/// In OpenSM's lines, too: no lines about traps and the beginning of a sweep precede the cause.
TEST(DefaultLog, TheFirstLineOfALossNamesTheCause) {
  for (const char* const name : {"leaf_off", "spine_off", "host_off", "rack_off", "link_cut"}) {
    Solo lab(topology::xgft({.children = {4, 6}, .parents = {1, 3}, .cables = {}}));
    ASSERT_TRUE(lab.start_and_settle());
    lab.heddle().forget_log();
    std::ranges::find(kCases, std::string_view(name), &Case::name)->fault(lab);
    lab.runtime.run_for(20s);
    const std::string log = lab.heddle().default_log(), first = log.substr(0, log.find('\n'));
    EXPECT_TRUE(std::regex_search(first, std::regex("\\[SM-(NODE|HOSTS|LINK)-LOST\\]"))) << log;
    EXPECT_TRUE(lab.heddle().says("Received Generic Notice")) << "in a verbose log";
  }
}

INSTANTIATE_TEST_SUITE_P(Faults, HumanLog, testing::ValuesIn(kCases),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace human_log_test
