#include "sm/sweep/observe/discovery.h"
#include "mad/format.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "fabric/fabric_conditions.h"
#include "sim/surveys.h"
#include "sm/ctl/topology/generators.h"
#include "support/inventor.h"
#include "support/scripted_sm.h"
#include "support/seeds.h"

namespace discovery_test {

using fabric::ConditionId;
using surveys::all_texts;
using surveys::compare;
using surveys::count;
using surveys::Observer;
using surveys::texts;
using testing::HasSubstr;
using namespace std::chrono_literals;

TEST(Discovery, ShowsTheTopology) {
  for (const auto& [name, topology] : surveys::shapes()) {
    SCOPED_TRACE(name);
    Observer observer(topology);
    const sm::Survey survey = observer.discover();
    EXPECT_TRUE(survey.sm_port_up);
    EXPECT_EQ(compare(survey.fabric, observer), "");
    EXPECT_EQ(all_texts(survey.fabric), "");
    EXPECT_TRUE(survey.unread.empty());
    EXPECT_TRUE(survey.sms.empty());
    EXPECT_EQ(observer.attachment->sets(), 0u);
  }
}

TEST(Discovery, ReadsNothingTwice) {
  for (const auto& [name, topology] : surveys::shapes()) {
    for (const unsigned window : {1u, 16u}) {
      SCOPED_TRACE(name);
      Observer observer(topology, 1, {.window = window});
      observer.discover();
      using mad::AttributeId;
      const auto gets = [&](AttributeId attribute) {
        return observer.attachment->sent(mad::Method::get, attribute);
      };
      std::size_t switches = 0, end_ports = 0, ports = 0;
      for (const sim::NodeIndex index : observer.model.nodes.indices()) {
        const sim::NodeModel& node = observer.model.nodes[index];
        switches += node.is_switch();
        for (unsigned number = node.is_switch() ? 0 : 1; number <= node.port_count(); ++number) {
          const bool end_port =
              node.is_switch() ? number == 0 : observer.model.link_up(observer.port(index, number));
          end_ports += end_port;
          ports += end_port || node.is_switch();
        }
      }
      // Each link once. Slack: a link whose two ends are read in one round trip is found from both.
      EXPECT_LE(gets(AttributeId::node_info),
                observer.cables() + 1 + (window == 1 ? 0 : window / 2));
      EXPECT_GE(gets(AttributeId::node_info), observer.cables() + 1);
      EXPECT_EQ(gets(AttributeId::switch_info), switches);
      // The description of a node with several ports may be read through each of them.
      EXPECT_LE(gets(AttributeId::node_description), end_ports);
      EXPECT_EQ(gets(AttributeId::port_info), ports);
    }
  }
}

TEST(Discovery, SameFabricGivesSameIndicesWhateverTheOrderOfAnswers) {
  const topology::Topology topology =
      topology::random_graph({.switches = 15, .hosts = 30, .extra_links = 25, .seed = 3});
  Observer first(topology, 1);
  const sm::Survey reference = first.discover();
  seeds::for_each(60, [&](std::uint64_t seed) {
    Observer observer(topology, seed);
    observer.world.qualities.front().latency_max = 5ms;
    const sm::Survey survey = observer.discover();
    EXPECT_EQ(compare(reference.fabric, survey.fabric), "");
  });
}

TEST(Discovery, LossyLinkDelaysWithoutOtherEffect) {
  seeds::for_each(100, [](std::uint64_t seed) {
    Observer observer(
        topology::random_graph({.switches = 8, .hosts = 12, .extra_links = 8, .seed = seed}), seed,
        {.timeout = 50ms});
    observer.set_wire({.lost = 0.04, .duplicated = 0.05, .cut_short = 0.04, .late = 0.03});
    const sm::Survey survey = observer.discover();
    EXPECT_EQ(compare(survey.fabric, observer), "");
    EXPECT_EQ(all_texts(survey.fabric), "");
  });
}

TEST(Discovery, EndsWithAnyAnswers) {
  seeds::for_each(300, [](std::uint64_t seed) {
    Observer observer(
        topology::random_graph({.switches = 6, .hosts = 10, .extra_links = 8, .seed = seed}), seed,
        {.timeout = 20ms, .retries = 2});
    topology::Random dice(seed);
    const auto percent = [&dice](unsigned bound) { return dice.below(bound) / 100.0; };
    observer.set_wire({.lost = percent(30),
                       .duplicated = percent(30),
                       .corrupted = percent(30),
                       .cut_short = percent(20),
                       .late = percent(20)});
    for (sim::NodeModel& node : observer.model.nodes) {
      if (!dice.percent(30)) continue;
      node.health.edit_response = [&dice, share = 1 + dice.below(100)](mad::SmpView smp) {
        if (dice.percent(share))
          smp.data()[dice.below(dice.percent(50) ? 64 : 40)] =
              static_cast<std::uint8_t>(dice.next());
      };
    }
    observer.discover();  // no crash, and it ends
  });
}

using laboratory::Inventor;

/// A survey of the fabric of an Inventor.
struct Invention {
  explicit Invention(Inventor::NodeAt node_at, Inventor::LinkAt link_at = {})
      : inventor(runtime, std::move(node_at), std::move(link_at)), client(runtime, inventor, {}) {
    inventor.set_receiver([this](std::span<const mad::ReceivedMad> mads) {
      for (const mad::ReceivedMad& received : mads) client.on_mad(received);
    });
  }
  sm::Survey discover() {
    auto survey = runtime.run(sm::discover(client, options));
    EXPECT_TRUE(survey) << "the survey does not end: " << inventor.smps << " SMPs";
    return survey ? std::move(*survey) : sm::Survey{};
  }
  sim::VirtualRuntime runtime;
  Inventor inventor;
  mad::SmpClient client;
  sm::DiscoveryOptions options;
};

mad::Guid find_guid(const mad::DirectedRoute& route) {
  return mad::Guid{std::hash<mad::DirectedRoute>{}(route) << 8};
}
/// The manager's own CA; beyond it a switch of this many ports at every port of every switch.
Inventor::NodeAt tree_without_end(std::uint8_t ports) {
  return [ports](const mad::DirectedRoute& route) {
    const bool own = route.hop_count() == 0;
    return Inventor::Invented{.type = own ? mad::NodeType::ca : mad::NodeType::switch_,
                              .guid = find_guid(route),
                              .ports = own ? std::uint8_t{1} : ports};
  };
}

TEST(Discovery, EndsOnAnEndlessChain) {
  Invention lab(tree_without_end(2));
  const sm::Survey survey = lab.discover();
  EXPECT_EQ(survey.fabric.nodes.size(), 64u) << "the own node and one for each of 63 hops";
  EXPECT_EQ(count(survey.fabric, fabric::kFabricConditions.node_too_far), 1u)
      << all_texts(survey.fabric);
  EXPECT_EQ(all_texts(survey.fabric), texts(survey.fabric, fabric::kFabricConditions.node_too_far));
}

static_assert(sm::kSurveyNodesMax == 49'151, "as many as there are unicast LIDs");

TEST(Discovery, EndsOnAnEndlessTree) {
  // Port 1 of a switch leads to the previous node, and the last ones to hosts.
  Invention lab([](const mad::DirectedRoute& route) {
    const bool host = route.hop_count() == 0 || route.hops().back() > 10;
    return Inventor::Invented{.type = host ? mad::NodeType::ca : mad::NodeType::switch_,
                              .guid = find_guid(route),
                              .ports = host ? std::uint8_t{1} : std::uint8_t{40}};
  });
  lab.options.bounds.nodes_max = 2000;
  const sm::Survey survey = lab.discover();
  EXPECT_EQ(survey.fabric.nodes.size(), 2000u);
  ASSERT_EQ(count(survey.fabric, fabric::kFabricConditions.fabric_too_large), 1u)
      << all_texts(survey.fabric);
  const std::string text = texts(survey.fabric, fabric::kFabricConditions.fabric_too_large);
  EXPECT_EQ(all_texts(survey.fabric), text);
  EXPECT_THAT(text, HasSubstr("more than 2000 nodes"));
  EXPECT_THAT(text, testing::ContainsRegex("NodeGUID 0x[0-9a-f]{16} behind .* port [0-9]+ "));
}

TEST(Discovery, EndsOnEndlessSwitchesOf254Ports) {
  Invention lab(tree_without_end(254));
  lab.options.bounds.ports_max = 30'000;
  const sm::Survey survey = lab.discover();
  EXPECT_EQ(survey.fabric.nodes.size(), 1 + 29'999u / 255);
  EXPECT_EQ(count(survey.fabric, fabric::kFabricConditions.fabric_too_large), 1u)
      << all_texts(survey.fabric);
  EXPECT_THAT(texts(survey.fabric, fabric::kFabricConditions.fabric_too_large),
              HasSubstr("or 30000 ports"));
  EXPECT_LT(lab.inventor.smps, 90'000u);
}

TEST(Discovery, EndsWhenNodeInfoHasTooManyPorts) {
  Invention lab(tree_without_end(255));
  const sm::Survey survey = lab.discover();
  EXPECT_EQ(survey.fabric.nodes.size(), 1u);
  EXPECT_THAT(texts(survey.fabric, fabric::kFabricConditions.response_malformed),
              HasSubstr("NumPorts 255"));
}

TEST(Discovery, EndsWhenEveryAnswerHasAnotherGuid) {
  std::uint64_t answers = 0;
  Invention lab([&](const mad::DirectedRoute& route) {
    const bool own = route.hop_count() == 0;
    return Inventor::Invented{.type = own ? mad::NodeType::ca : mad::NodeType::switch_,
                              .guid = mad::Guid{own ? 1 : ++answers << 8},
                              .ports = own ? std::uint8_t{1} : std::uint8_t{36}};
  });
  lab.options.bounds.nodes_max = 1000;
  const sm::Survey survey = lab.discover();
  EXPECT_EQ(survey.fabric.nodes.size(), 1000u);
  EXPECT_EQ(count(survey.fabric, fabric::kFabricConditions.fabric_too_large), 1u)
      << all_texts(survey.fabric);
  EXPECT_LT(lab.inventor.smps, 500'000u);
}

/// Few GUIDs at all ports, with input ports that change from answer to answer, and links that
/// appear and disappear.
TEST(Discovery, EndsWithTheSameGuidsAtAllPorts) {
  seeds::for_each(100, [](std::uint64_t seed) {
    topology::Random dice(seed);
    const std::uint64_t guids = 1 + dice.below(8u);
    const unsigned hosts = dice.below(60u), new_ones = dice.below(4u), down = dice.below(30u);
    const auto ports = static_cast<std::uint8_t>(2 + dice.below(40u));
    std::uint64_t fresh = 1000;
    Invention lab(
        [&](const mad::DirectedRoute& route) {
          const bool own = route.hop_count() == 0 || dice.percent(2);
          const std::uint64_t guid = own                      ? 1
                                     : dice.percent(new_ones) ? ++fresh
                                                              : 2 + dice.below(guids);
          const bool host = own || guid % 100 < hosts;
          const auto count = static_cast<std::uint8_t>(own ? 1u : host ? 2u : ports);
          return Inventor::Invented{.type = host ? mad::NodeType::ca : mad::NodeType::switch_,
                                    .guid = mad::Guid{guid << 8},
                                    .ports = count,
                                    .entry = static_cast<std::uint8_t>(1 + dice.below(count))};
        },
        [&](const mad::DirectedRoute&, unsigned) { return !dice.percent(down); });
    lab.options.bounds.nodes_max = 300;
    lab.discover();
    EXPECT_LT(lab.inventor.smps, 200'000u);
  });
}

/// Two switches with two hosts each: H0 (the manager's), H1 on S0, H2, H3 on S1.
topology::Topology pair() {
  return topology::row({.switches = 2, .cables = 1, .hosts_per_switch = 2});
}

TEST(DiscoveryFaults, SilentHostIsReportedWithItsSwitchPort) {
  Observer observer(pair());
  observer.node("H2").health.silent = true;
  const sm::Survey survey = observer.discover();
  EXPECT_EQ(compare(survey.fabric, observer), "");
  EXPECT_EQ(count(survey.fabric, fabric::kFabricConditions.node_silent), 1u)
      << all_texts(survey.fabric);
  EXPECT_THAT(texts(survey.fabric, fabric::kFabricConditions.node_silent), HasSubstr("\"S1\""));
  EXPECT_THAT(texts(survey.fabric, fabric::kFabricConditions.node_silent),
              HasSubstr("port 1 does not answer"));
}

TEST(DiscoveryFaults, HalfSilentHostIsKeptWithoutItsPort) {
  Observer observer(pair());
  observer.node("H2").health.agent_ignores_requests = true;
  const sm::Survey survey = observer.discover();
  const mad::Guid guid = observer.node("H2").info.node_guid();
  EXPECT_EQ(survey.fabric.nodes.size(), observer.model.nodes.size());
  EXPECT_EQ(survey.unread, std::vector{guid}) << "to be read again";
  EXPECT_EQ(survey.fabric.end_ports.size(), observer.model.nodes.size() - 1);
  EXPECT_THAT(texts(survey.fabric, fabric::kFabricConditions.node_silent),
              HasSubstr(fmt::format("{}", guid)));
  EXPECT_THAT(texts(survey.fabric, fabric::kFabricConditions.node_silent), HasSubstr("PortInfo"));
}

TEST(DiscoveryFaults, ANodeThatFallsSilentKeepsItsLastName) {
  Observer observer(pair());
  const sm::Survey before = observer.discover();
  observer.options.trusted = &before.fabric;
  observer.node("H2").health.agent_ignores_requests = true;
  const sm::Survey survey = observer.discover();
  EXPECT_THAT(texts(survey.fabric, fabric::kFabricConditions.node_silent), HasSubstr("\"H2"));
}

TEST(DiscoveryFaults, HalfSilentSwitchIsLeftOutWithTheNodesBeyondIt) {
  Observer observer(topology::row({.switches = 3, .cables = 1, .hosts_per_switch = 2}));
  observer.node("S1").health.agent_ignores_requests = true;
  const sm::Survey survey = observer.discover();
  EXPECT_EQ(survey.fabric.nodes.size(), 3u);  // S0, H0, H1
  EXPECT_THAT(texts(survey.fabric, fabric::kFabricConditions.node_silent),
              HasSubstr(" does not answer; it is read again"));
  EXPECT_EQ(survey.unread.size(), 1u);
}

TEST(DiscoveryFaults, DisappearedNodeLeavesTheOthersIntact) {
  seeds::for_each(150, [](std::uint64_t seed) {
    Observer observer(
        topology::random_graph({.switches = 8, .hosts = 12, .extra_links = 10, .seed = seed}), seed,
        {.timeout = 50ms});
    topology::Random dice(seed);
    const auto victim = 1 + dice.below(observer.model.nodes.size() - 1);
    const auto when = 1 + dice.below(150);
    observer.tap.on_request = [&, requests = 0u](mad::ConstSmpView) mutable {
      if (++requests == when) observer.model.nodes[sim::NodeIndex{victim}].health.silent = true;
    };
    const sm::Survey survey = observer.discover();
    // Its earlier answers may be kept. All other nodes are found, unless the first route to them
    // led through it.
    for (const sim::NodeModel& node : observer.model.nodes) {
      if (observer.model.nodes[sim::NodeIndex{victim}].is_switch() ||
          &node == &observer.model.nodes[sim::NodeIndex{victim}])
        continue;
      ASSERT_TRUE(survey.fabric.node_of_guid.contains(node.info.node_guid()))
          << node.description << " is missing; " << all_texts(survey.fabric);
    }
    observer.tap.on_request = nullptr;
    EXPECT_EQ(compare(observer.discover().fabric, observer), "") << "the next survey is complete";
  });
}

TEST(DiscoveryFaults, OwnPortThatDoesNotAnswer) {
  Observer observer(pair());
  observer.model.nodes[sim::NodeIndex{0}].health.silent = true;
  const sm::Survey survey = observer.discover();
  EXPECT_FALSE(survey.sm_port_up);
  EXPECT_TRUE(survey.fabric.nodes.empty());
  EXPECT_THAT(texts(survey.fabric, fabric::kFabricConditions.node_silent),
              HasSubstr("the own port"));
}

TEST(DiscoveryFaults, OwnPortThatIsDown) {
  Observer observer(pair());
  observer.world.cut(observer.own());
  const sm::Survey survey = observer.discover();
  EXPECT_FALSE(survey.sm_port_up);
  EXPECT_EQ(survey.fabric.nodes.size(), 1u);
}

TEST(DiscoveryFaults, InvalidNodeInfoIsRejectedWithTheReason) {
  struct Lie {
    std::string text;
    std::function<void(mad::NodeInfo&)> falsify;
  };
  const Lie lies[]{
      {"NodeType 0",
       [](mad::NodeInfo& info) { info.set_node_type(static_cast<mad::NodeType>(0)); }},
      {"NodeType 9",
       [](mad::NodeInfo& info) { info.set_node_type(static_cast<mad::NodeType>(9)); }},
      {"NumPorts 0", [](mad::NodeInfo& info) { info.set_num_ports(0); }},
      {"NumPorts 255", [](mad::NodeInfo& info) { info.set_num_ports(255); }},
      {"NodeGUID 0", [](mad::NodeInfo& info) { info.set_node_guid({}); }},
      {"PortGUID 0", [](mad::NodeInfo& info) { info.set_port_guid({}); }},
      {"LocalPortNum 7 of 1 ports", [](mad::NodeInfo& info) { info.set_local_port_num({7}); }},
      {"LocalPortNum 0 on a node that is no switch",
       [](mad::NodeInfo& info) { info.set_local_port_num({0}); }}};
  for (const Lie& lie : lies) {
    SCOPED_TRACE(lie.text);
    Observer observer(pair());
    observer.node("H2").health.edit_response = [&](mad::SmpView smp) {
      if (smp.attribute_id() != mad::AttributeId::node_info) return;
      mad::NodeInfo info(smp.data());
      lie.falsify(info);
      smp.set_data(info.bytes());
    };
    const sm::Survey survey = observer.discover();
    EXPECT_EQ(survey.fabric.nodes.size(), observer.model.nodes.size() - 1);
    EXPECT_EQ(count(survey.fabric, fabric::kFabricConditions.response_malformed), 1u)
        << all_texts(survey.fabric);
    EXPECT_THAT(texts(survey.fabric, fabric::kFabricConditions.response_malformed),
                HasSubstr(lie.text));
    EXPECT_THAT(texts(survey.fabric, fabric::kFabricConditions.response_malformed),
                HasSubstr("\"S1\""));
  }
}

TEST(DiscoveryFaults, InvalidPortStateIsRejected) {
  Observer observer(pair());
  observer.node("S1").health.edit_response = [](mad::SmpView smp) {
    if (smp.attribute_id() == mad::AttributeId::port_info && (smp.attribute_modifier() & 0xFF) == 1)
      smp.data()[32] = 0x7F;
  };
  const sm::Survey survey = observer.discover();
  EXPECT_THAT(texts(survey.fabric, fabric::kFabricConditions.response_malformed),
              HasSubstr("PortState 15"));
  EXPECT_THAT(texts(survey.fabric, fabric::kFabricConditions.response_malformed),
              HasSubstr("\"S1\""));
  EXPECT_EQ(survey.fabric.nodes.size(), observer.model.nodes.size() - 1)
      << "the nodes beyond it cannot be used";
}

TEST(DiscoveryFaults, SwitchWithAnImpossibleTableIsUsedIfItRepeatsThat) {
  for (const unsigned cap : {0u, 0xC001u, 0xFFFFu}) {
    SCOPED_TRACE(cap);
    Observer observer(pair());
    observer.node("S1").sw->info.set_linear_fdb_cap(static_cast<std::uint16_t>(cap));
    const sm::Survey survey = observer.discover();
    EXPECT_EQ(count(survey.fabric, fabric::kFabricConditions.response_malformed), 0u)
        << all_texts(survey.fabric);
    EXPECT_EQ(survey.fabric.nodes.size(), observer.model.nodes.size()) << "also those behind it";
    EXPECT_EQ(survey.fabric.switches.size(), 2u);
  }
}

TEST(DiscoveryFaults, SwitchWhoseCapacitiesDifferFromAnswerToAnswerIsLeftOut) {
  Observer observer(pair());
  observer.node("S1").health.edit_response = [cap = 0xFFFF](mad::SmpView smp) mutable {
    if (smp.attribute_id() != mad::AttributeId::switch_info) return;
    mad::SwitchInfo info(smp.data());
    info.set_linear_fdb_cap(static_cast<std::uint16_t>(cap--));
    smp.set_data(info.bytes());
  };
  const sm::Survey survey = observer.discover();
  EXPECT_THAT(texts(survey.fabric, fabric::kFabricConditions.response_malformed),
              HasSubstr("LinearFDBCap 65534"));
  EXPECT_EQ(survey.fabric.nodes.size(), 3u);
}

TEST(DiscoveryFaults, OneDamagedCapacityIsReadAgain) {
  Observer observer(pair());
  observer.node("S1").health.edit_response = [damaged = false](mad::SmpView smp) mutable {
    if (smp.attribute_id() != mad::AttributeId::switch_info || std::exchange(damaged, true)) return;
    mad::SwitchInfo info(smp.data());
    info.set_linear_fdb_cap(0);
    smp.set_data(info.bytes());
  };
  const sm::Survey survey = observer.discover();
  EXPECT_EQ(count(survey.fabric, fabric::kFabricConditions.response_malformed), 0u)
      << all_texts(survey.fabric);
  for (const fabric::Switch& sw : survey.fabric.switches)
    EXPECT_EQ(sw.info.linear_fdb_cap(), 0xC000);
}

TEST(DiscoveryFaults, TwoHostsWithOneNodeGuidAreReportedWithBothPlaces) {
  Observer observer(pair());
  const mad::NodeInfo first = observer.node("H1").info;
  observer.node("H3").info = first;
  observer.model.ports[observer.port("H3")].guid = observer.model.ports[observer.port("H1")].guid;
  const sm::Survey survey = observer.discover();
  EXPECT_EQ(survey.fabric.nodes.size(), observer.model.nodes.size() - 1);
  EXPECT_EQ(count(survey.fabric, fabric::kFabricConditions.guid_duplicate), 1u)
      << all_texts(survey.fabric);
  const std::string text = texts(survey.fabric, fabric::kFabricConditions.guid_duplicate);
  EXPECT_THAT(text, HasSubstr(fmt::format("{}", first.node_guid())));
  EXPECT_THAT(text, HasSubstr("\"S0\" (0x0002c90200000000) port 2")) << "H1";
  EXPECT_THAT(text, HasSubstr("\"S1\" (0x0002c90200000010) port 2")) << "H3";
}

TEST(DiscoveryFaults, TwoSwitchesWithOneNodeGuidAreReported) {
  Observer observer(topology::row({.switches = 4, .cables = 1, .hosts_per_switch = 2}));
  observer.node("S3").info = observer.node("S1").info;
  const sm::Survey survey = observer.discover();
  EXPECT_GE(count(survey.fabric, fabric::kFabricConditions.guid_duplicate), 1u)
      << all_texts(survey.fabric);
  EXPECT_TRUE(survey.fabric.node_of_guid.contains(observer.node("S1").info.node_guid()));
  EXPECT_TRUE(survey.fabric.node_of_guid.contains(observer.node("H1").info.node_guid()));
}

TEST(DiscoveryFaults, NodesOfTwoTypesWithOneGuidAreReported) {
  Observer observer(pair());
  observer.node("H3").info.set_node_guid(observer.node("S0").info.node_guid());
  const sm::Survey survey = observer.discover();
  EXPECT_EQ(count(survey.fabric, fabric::kFabricConditions.guid_duplicate), 1u);
  EXPECT_THAT(texts(survey.fabric, fabric::kFabricConditions.guid_duplicate),
              testing::AllOf(HasSubstr("two different nodes"), HasSubstr("one behind \"")))
      << "both are named by the switch ports in front of them";
  EXPECT_EQ(survey.fabric.nodes.size(), observer.model.nodes.size() - 1);
}

/// S1 is asked over two links; the second answer is the wrong one.
TEST(DiscoveryFaults, OneWrongNodeInfoIsNoDuplicate) {
  Observer observer(topology::row({.switches = 2, .cables = 2, .hosts_per_switch = 1}));
  unsigned answers = 0;
  observer.node("S1").health.edit_response = [&](mad::SmpView smp) {
    if (smp.attribute_id() != mad::AttributeId::node_info || ++answers != 2) return;
    constexpr std::size_t kSystemImageGuid = 4;
    smp.data()[kSystemImageGuid] ^= 0xFF;
  };
  const sm::Survey survey = observer.discover();
  EXPECT_EQ(answers, 3u);
  EXPECT_EQ(count(survey.fabric, fabric::kFabricConditions.guid_duplicate), 0u)
      << all_texts(survey.fabric);
  EXPECT_EQ(survey.fabric.nodes.size(), observer.model.nodes.size());
}

TEST(DiscoveryFaults, TwoPortsWithOnePortGuidAreReportedWithBothPlaces) {
  Observer observer(pair());
  const mad::Guid guid = observer.model.ports[observer.port("H1")].guid;
  observer.model.ports[observer.port("H3")].guid = guid;
  const sm::Survey survey = observer.discover();
  EXPECT_EQ(survey.fabric.nodes.size(), observer.model.nodes.size() - 1);
  EXPECT_EQ(count(survey.fabric, fabric::kFabricConditions.guid_duplicate), 1u)
      << all_texts(survey.fabric);
  EXPECT_EQ(texts(survey.fabric, fabric::kFabricConditions.guid_duplicate),
            fmt::format("duplicate PortGUID {}: two ports carry it, one behind \"S0\" "
                        "(0x0002c90200000000) port 2, the other behind \"S1\" "
                        "(0x0002c90200000010) port 2; the second is ignored\n",
                        guid));
}

/// A clone shows the same NodeInfo at both places: the nearer one keeps the GUIDs.
TEST(DiscoveryFaults, WhichOfTwoClonesIsUsedDoesNotDependOnTheOrderOfAnswers) {
  seeds::for_each(30, [](std::uint64_t seed) {
    for (const bool copies_port : {true, false}) {
      Observer observer(topology::row({.switches = 3, .cables = 1, .hosts_per_switch = 3}), seed);
      observer.world.qualities.front().latency_max = 5ms;
      observer.node("H7").info = observer.node("H4").info;
      if (copies_port)
        observer.model.ports[observer.port("H7")].guid =
            observer.model.ports[observer.port("H4")].guid;
      const sm::Survey survey = observer.discover();
      ASSERT_EQ(count(survey.fabric, fabric::kFabricConditions.guid_duplicate), 1u)
          << all_texts(survey.fabric);
      const auto condition = std::ranges::find(
          survey.fabric.conditions, ConditionId(fabric::kFabricConditions.guid_duplicate),
          &fabric::Condition::id);
      EXPECT_EQ(condition->guid, observer.node("S2").info.node_guid());
      const fabric::PortIndex used =
          survey.fabric.port_of_guid.at(observer.model.ports[observer.port("H4")].guid);
      EXPECT_EQ(survey.fabric.owning_node(survey.fabric.ports[used].peer).guid,
                observer.node("S1").info.node_guid());
      EXPECT_EQ(survey.fabric.nodes.size(), observer.model.nodes.size() - 1);
    }
  });
}

/// Found first, they are built in; the hosts behind the switch must not be lost for that.
TEST(DiscoveryFaults, AHostWithAGuidOfASwitchHidesNothingBehindIt) {
  for (const bool port_guid : {true, false}) {
    Observer observer(topology::row({.switches = 3, .cables = 1, .hosts_per_switch = 3}));
    const mad::Guid guid = observer.node("S2").info.node_guid();
    if (port_guid) observer.model.ports[observer.port("H1")].guid = guid;
    if (!port_guid) observer.node("H1").info.set_node_guid(guid);
    const sm::Survey survey = observer.discover();
    EXPECT_EQ(survey.fabric.nodes.size(), observer.model.nodes.size() - 1)
        << all_texts(survey.fabric);
    EXPECT_EQ(survey.fabric.switches.size(), 3u);
    EXPECT_EQ(count(survey.fabric, fabric::kFabricConditions.guid_duplicate), 1u)
        << all_texts(survey.fabric);
    EXPECT_TRUE(
        survey.fabric.port_of_guid.contains(observer.model.ports[observer.port("H8")].guid));
  }
}

TEST(DiscoveryFaults, LoopbackLinksAreReportedAndNotUsed) {
  for (const bool same_port : {true, false}) {
    topology::Topology topology = pair();
    const unsigned free_port = ++topology.nodes[topology.find("S1")].port_count;
    topology.nodes.push_back({.type = topology::NodeType::switch_,
                              .name = "S2",
                              .guid = mad::Guid{0x777},
                              .port_count = 8});
    Observer observer(topology);
    observer.plug(observer.port("S2", 1), observer.port("S1", free_port));
    observer.plug(observer.port("S2", 5), observer.port("S2", same_port ? 5 : 6));
    const sm::Survey survey = observer.discover();
    EXPECT_EQ(survey.fabric.nodes.size(), observer.model.nodes.size());
    EXPECT_EQ(count(survey.fabric, fabric::kFabricConditions.link_loopback), 1u)
        << all_texts(survey.fabric);
    EXPECT_EQ(survey.fabric.conditions.size(), 1u) << all_texts(survey.fabric);
    EXPECT_THAT(texts(survey.fabric, fabric::kFabricConditions.link_loopback),
                HasSubstr(fmt::format("port 5 is connected to port {} of the same node",
                                      same_port ? 5 : 6)));
    EXPECT_FALSE(survey.fabric.is_link_up(
        survey.fabric.port(survey.fabric.node_of_guid.at(mad::Guid{0x777}), {5})));
    EXPECT_EQ(observer.node("S2").sets, 0u);
  }
}

TEST(DiscoveryFaults, LinkWhoseEndsDisagreeIsReportedAndNotUsed) {
  Observer observer(topology::row({.switches = 2, .cables = 2, .hosts_per_switch = 2}));
  observer.info(observer.port("S1", 3)).set_port_state(mad::PortState::down);
  const sm::Survey survey = observer.discover();
  EXPECT_EQ(survey.fabric.nodes.size(), observer.model.nodes.size());
  EXPECT_EQ(count(survey.fabric, fabric::kFabricConditions.link_ends_disagree), 1u)
      << all_texts(survey.fabric);
  const std::string text = texts(survey.fabric, fabric::kFabricConditions.link_ends_disagree);
  for (const char* part : {"\"S0\"", "\"S1\"", "port 3 is up", "port 3 is down"})
    EXPECT_THAT(text, HasSubstr(part));
}

TEST(DiscoveryFaults, NodesBeyondSixtyThreeHopsAreReportedAndLeftOut) {
  Observer observer(topology::row({.switches = 70, .cables = 1, .hosts_per_switch = 1}), 1,
                    {.timeout = 20ms});
  const sm::Survey survey = observer.discover();
  // S0 is one hop away, S62 is 63; its host and S63 are out of reach.
  EXPECT_EQ(survey.fabric.switches.size(), 63u);
  EXPECT_EQ(survey.fabric.nodes.size(), 63u + 62u);
  EXPECT_GE(count(survey.fabric, fabric::kFabricConditions.node_too_far), 1u);
  EXPECT_THAT(texts(survey.fabric, fabric::kFabricConditions.node_too_far), HasSubstr("\"S62\""));
  EXPECT_EQ(all_texts(survey.fabric), texts(survey.fabric, fabric::kFabricConditions.node_too_far));
}

TEST(DiscoveryFaults, NodesThatRejectExtendedSpeedsAreReadWithoutThem) {
  Observer observer(pair());
  observer.node("S1").health.edit_response = [](mad::SmpView smp) {
    if (smp.attribute_id() == mad::AttributeId::port_info &&
        (smp.attribute_modifier() & mad::PortInfo::kExtendedSpeeds) != 0)
      smp.set_status(mad::status::kInvalidValue);
  };
  const sm::Survey survey = observer.discover();
  EXPECT_EQ(compare(survey.fabric, observer), "");
  EXPECT_EQ(all_texts(survey.fabric), "");
}

/// As devices of the QDR generation: they do not answer to PortInfo with bit 31, or reject it.
TEST(DiscoveryFaults, NodesWithoutExtendedSpeedsArePartOfTheNextSurveyWithoutASecondGet) {
  for (const bool silently : {false, true}) {
    SCOPED_TRACE(silently ? "no response" : "rejected");
    Observer observer(pair());
    for (sim::NodeModel& node : observer.model.nodes) {
      for (unsigned number = node.is_switch() ? 0 : 1; number <= node.port_count(); ++number) {
        mad::PortInfo& info = observer.info(node.first_port + number);
        info.set_capability_mask(info.capability_mask() & ~mad::capability::kExtendedSpeeds);
      }
      node.health.react = [silently](mad::SmpView smp,
                                     mad::PortNum) -> std::optional<sim::Reaction> {
        if (smp.attribute_id() != mad::AttributeId::port_info ||
            (smp.attribute_modifier() & mad::PortInfo::kExtendedSpeeds) == 0)
          return std::nullopt;
        return silently ? sim::Reaction{std::nullopt} : sim::Reaction{mad::status::kInvalidValue};
      };
    }
    const auto port_infos = [&] {
      return observer.attachment->sent(mad::Method::get, mad::AttributeId::port_info);
    };
    const mad::TimePoint begin = observer.runtime.now();
    const sm::Survey survey = observer.discover();
    EXPECT_EQ(compare(survey.fabric, observer), "");
    EXPECT_EQ(all_texts(survey.fabric), "");
    EXPECT_LE(observer.runtime.now() - begin, 5s);
    std::size_t ports = 0;
    for (const sim::NodeModel& node : observer.model.nodes)
      ports += node.is_switch() ? node.port_count() + 1u : 1u;
    EXPECT_LE(port_infos(), ports + (silently ? 4u : 1u) * observer.model.nodes.size())
        << "each node is asked in both forms once";
    observer.forget_counts();
    observer.options.trusted = &survey.fabric;
    const sm::Survey again = observer.discover();
    EXPECT_EQ(port_infos(), ports);
    EXPECT_EQ(compare(again.fabric, survey.fabric), "");
  }
}

TEST(DiscoveryFaults, ANodeThatShowsExtendedSpeedsAfterAllIsReadWithThem) {
  Observer observer(pair());
  const auto mask = [&](const char* name, unsigned port, bool extended) {
    mad::PortInfo& info = observer.info(observer.port(name, port));
    const std::uint32_t before = info.capability_mask() & ~mad::capability::kExtendedSpeeds;
    info.set_capability_mask(before | (extended ? mad::capability::kExtendedSpeeds : 0u));
  };
  mask("S1", 0, false);
  mask("H2", 1, false);
  const sm::Survey before = observer.discover();
  mask("S1", 0, true);
  mask("H2", 1, true);
  observer.options.trusted = &before.fabric;
  EXPECT_EQ(compare(observer.discover().fabric, observer), "") << "its firmware was replaced";
}

TEST(DiscoveryFaults, HugePartitionCapIsRejected) {
  Observer observer(pair());
  observer.node("H3").info.set_partition_cap(0xFFFF);
  const sm::Survey survey = observer.discover();
  EXPECT_EQ(survey.fabric.nodes.size(), observer.model.nodes.size());
  EXPECT_LE(observer.attachment->sent(mad::Method::get, mad::AttributeId::p_key_table), 200u);
}

TEST(Discovery, FindsOtherManagers) {
  Observer observer(pair());
  const laboratory::ScriptedSm other(observer.world, observer.port("H2"), mad::SmState::standby, 7);
  laboratory::ScriptedSm dead(observer.world, observer.port("H3"), mad::SmState::standby,
                              7);  // has IsSM, and answers no SMInfo
  dead.answers = false;
  const sm::Survey survey = observer.discover();
  ASSERT_EQ(survey.sms.size(), 1u);
  EXPECT_EQ(survey.sms[0].info, other.info);
  EXPECT_EQ(survey.fabric.ports[survey.sms[0].port].guid, observer.model.ports[other.port()].guid);
  EXPECT_EQ(survey.sms[0].route.text(), "0,1,3,1");
  EXPECT_EQ(all_texts(survey.fabric), "")
      << "a manager that just stopped is no fault of the fabric";
}

TEST(Discovery, OnlyAMasterClearsPortStateChange) {
  Observer observer(pair());
  observer.discover();
  EXPECT_EQ(observer.attachment->sets(), 0u);
  observer.options.clear_port_state_change = true;
  observer.discover();
  EXPECT_EQ(observer.attachment->sets(), 2u);
  EXPECT_TRUE(observer.changed_switches().empty());
  observer.discover();
  EXPECT_EQ(observer.attachment->sets(), 2u);
}

}  // namespace discovery_test
