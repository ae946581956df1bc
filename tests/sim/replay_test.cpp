// Recordings of simulated fabrics, and worlds made of recordings.

#include "sim/replay/replay.h"

#include <gtest/gtest.h>

#include "config/file_reader.h"
#include "sim/laboratory.h"
#include "sim/world/world.h"
#include "sm/ctl/hardware_questions.h"
#include "sm/ctl/recorder.h"
#include "sm/ctl/topology/generators.h"
#include "sm/sweep/devices/m_keys.h"

namespace replay_test {

using laboratory::Hardware;
using laboratory::Solo;
using mad::AttributeId;
using namespace std::chrono_literals;

fabric::Recording record(Hardware& lab, sm::ctl::RecordOptions options = {}, mad::MKey key = {},
                         unsigned per_second = 0) {
  config::Options get_keys;
  get_keys.m_key = key.value;
  get_keys.m_key_lookup = false;
  sm::MKeys m_keys;
  (void)m_keys.configure(get_keys);
  const auto attachment = lab.world.attach(lab.own());
  mad::SmpLimits limits;
  limits.per_second = per_second;
  mad::SmpClient client(lab.runtime, *attachment, limits);
  client.set_m_keys(&m_keys);
  attachment->set_receiver([&](std::span<const mad::ReceivedMad> mads) {
    for (const mad::ReceivedMad& received : mads) client.on_mad(received);
  });
  auto recording = lab.runtime.run(sm::ctl::record(client, std::move(options)));
  EXPECT_TRUE(recording) << "the recording does not end";
  return recording ? std::move(*recording) : fabric::Recording{};
}

/// Without what is never the same twice.
std::string text_without_times(fabric::Recording recording) {
  recording.duration = {};
  for (fabric::RecordedNode& node : recording.nodes) {
    for (fabric::RecordedPort& port : node.ports) {
      for (fabric::RecordedAnswer& answer : port.answers)
        answer.outcome = {.status = answer.outcome.status, .attempts = 1, .time = {}};
      for (fabric::RecordedLink& link : port.links)
        link.outcome = {.status = link.outcome.status, .attempts = 1, .time = {}};
    }
  }
  return write_recording(recording);
}

struct Replay : Solo {
  explicit Replay(const fabric::Recording& recording, const sim::ReplayOptions& how = {})
      : Solo(sim::make_topology(recording)) {
    restore(world, recording, how);
  }
};

/// "" if a recording of the replay is the same text; else the first line that differs, twice.
std::string difference(const fabric::Recording& recording, const sim::ReplayOptions& how = {}) {
  Replay replay(recording, how);
  std::istringstream before(text_without_times(recording)),
      after(text_without_times(record(replay)));
  for (std::string one, two; true;) {
    const bool more = !!std::getline(before, one), others = !!std::getline(after, two);
    if (!more && !others) return "";
    if (!more || !others || one != two) return one + "\n" + two;
  }
}

topology::Topology tree() {
  return topology::xgft({.children = {4, 6}, .parents = {1, 3}, .cables = {}});
}

TEST(Record, NamesEveryNodeLinkAndAttribute) {
  Hardware lab(tree());
  const fabric::Recording recording = record(lab);
  EXPECT_EQ(recording.nodes.size(), lab.model.nodes.size());
  std::size_t links = 0;
  for (const fabric::RecordedNode& node : recording.nodes) links += node.ports.front().links.size();
  EXPECT_EQ(links, lab.cables());
  const fabric::RecordedPort& host = recording.nodes.front().ports.front();
  for (const AttributeId attribute :
       {AttributeId::node_info, AttributeId::node_description, AttributeId::guid_info,
        AttributeId::p_key_table, AttributeId::sl_to_vl_mapping_table}) {
    ASSERT_NE(host.find(attribute), nullptr) << mad::name(attribute);
    EXPECT_TRUE(host.find(attribute)->outcome.ok()) << mad::name(attribute);
  }
  EXPECT_EQ(host.find(AttributeId::sm_info), nullptr) << "no IsSM";
}

TEST(Record, SendsGetsOnly) {
  Hardware lab(tree());
  record(lab);
  for (const sim::NodeModel& node : lab.model.nodes) EXPECT_EQ(node.sets, 0u) << node.description;
}

/// On a fabric in use: beside what answers allow, a bound that the operator gives.
TEST(Record, SendsAtMostSoManyASecond) {
  Hardware lab(tree());
  constexpr unsigned kPerSecond = 200;
  const fabric::Recording recording = record(lab, {}, {}, kPerSecond);
  std::size_t requests = lab.cables() + 1;  // NodeInfo over each link
  for (const fabric::RecordedNode& node : recording.nodes)
    for (const fabric::RecordedPort& port : node.ports)
      for (const fabric::RecordedAnswer& answer : port.answers) requests += answer.outcome.attempts;
  EXPECT_GE(recording.duration, std::chrono::milliseconds(requests * 900 / kPerSecond));
}

std::string answers_of(const fabric::Recording& recording) {
  return sm::ctl::hardware_answers_text(sm::ctl::answer_hardware_questions(recording));
}

TEST(HardwareAnswers, HaveWhatDevicesAnswered) {
  Hardware lab(tree());
  const std::string answers = answers_of(record(lab));
  for (const sm::ctl::HardwareQuestion& question : sm::ctl::hardware_questions())
    EXPECT_NE(answers.find(fmt::format("{}: ", question.text.id)), std::string::npos)
        << question.text.id;
  EXPECT_NE(answers.find("HW-TABLE-SIZE: as expected\n"), std::string::npos) << answers;
  EXPECT_NE(answers.find("HW-AGGREGATION-NODE: no such device here\n"), std::string::npos)
      << answers;
}

/// A CA that is named as an aggregation node, first in a system of its own, then in its switch's.
TEST(HardwareAnswers, KnowAggregationNodesByTheirSwitch) {
  Hardware lab(tree());
  const auto says = [&](const std::string& what) {
    const std::string answers = answers_of(record(lab));
    return answers.find("HW-AGGREGATION-NODE: " + what + "\n") != std::string::npos;
  };
  sim::NodeModel& node = lab.node("H3");
  node.description = "Mellanox Technologies Aggregation Node";
  EXPECT_TRUE(says("OTHERWISE"));
  const sim::PortIndex far = lab.far(node.first_port + 1);
  sim::NodeModel& leaf = lab.model.nodes[lab.model.ports[far].node];
  leaf.info.set_system_image_guid({0x1234});
  node.info.set_system_image_guid({0x1234});
  EXPECT_TRUE(says("as expected"));
}

TEST(Record, StopsAtItsBoundOfNodes) {
  Hardware lab(tree());
  const fabric::Recording recording = record(lab, {.on_progress = {}, .nodes_max = 5});
  EXPECT_EQ(recording.nodes.size(), 5u);
  EXPECT_FALSE(recording.complete);
}

TEST(RecordedReplay, IsRecordedAgainAsItWas) {
  for (const topology::Topology& topology :
       {topology::row({.switches = 1, .cables = 1, .hosts_per_switch = 1}), tree(),
        topology::torus({.dimensions = {3, 3}})}) {
    Hardware lab(topology);
    EXPECT_EQ(difference(record(lab)), "");
  }
}

TEST(RecordedReplay, HasTheTablesOfTheManagerBefore) {
  Solo lab(tree());
  lab.start();
  ASSERT_TRUE(lab.comes_up()) << lab.tail();
  lab.heddle().stop();
  const fabric::Recording recording = record(lab);
  EXPECT_EQ(difference(recording), "");

  Replay replay(recording);
  replay.start();
  ASSERT_TRUE(replay.comes_up()) << replay.complaint() << replay.tail();
  EXPECT_EQ(replay.sent(mad::Method::set, AttributeId::linear_forwarding_table), 0u)
      << "they are right already";
}

TEST(RecordedReplay, SwitchesThatShowAdaptiveRoutingHaveItAsAfterPowerOn) {
  Hardware lab(tree());
  lab.make_adaptive();
  lab.adaptive("S2-0").info.set_enable(true);
  const fabric::Recording recording = record(lab);
  EXPECT_EQ(difference(recording), "") << "ARInfo shows what was recorded";
  Replay replay(recording);
  for (const sim::NodeModel& node : replay.model.nodes) {
    if (!node.is_switch()) continue;
    ASSERT_TRUE(node.sw->adaptive) << node.description;
    EXPECT_EQ(node.sw->adaptive->info, sim::pfrn_adaptive_routing()) << node.description;
  }
}

TEST(RecordedReplay, RepeatsStatusesAndSilence) {
  Hardware lab(tree());
  const sim::NodeIndex silent = lab.model.find("H5"), leaf = lab.neighbour(lab.port("H3"));
  ASSERT_NE(lab.own(), lab.port(silent)) << "the recorder's own node answers";
  lab.model.nodes[silent].health.silent = true;
  lab.model.nodes[leaf].health.reject = [](mad::ConstSmpView smp) -> std::optional<std::uint16_t> {
    if (smp.attribute_id() != AttributeId::vl_arbitration_table) return std::nullopt;
    return mad::status::kInvalidValue;
  };
  sim::Health& host = lab.node("H2").health;
  host.ignored_attribute = static_cast<std::uint16_t>(AttributeId::guid_info);
  host.ignored_probability = 1;
  const fabric::Recording recording = record(lab);
  EXPECT_EQ(difference(recording), "");
  EXPECT_EQ(recording.nodes.size(), lab.model.nodes.size() - 1);

  // Get and Set also refuse what was not recorded of a refused attribute.
  Replay replay(recording);
  const sim::NodeIndex again = replay.model.find(lab.model.nodes[leaf].description);
  mad::MadBytes bytes{};
  const auto smp =
      mad::make_lid_smp(bytes, mad::Method::set, AttributeId::vl_arbitration_table, 0x10063, {}, 0);
  const auto reaction = replay.model.nodes[again].health.react(smp, mad::PortNum{0});
  ASSERT_TRUE(reaction);
  EXPECT_EQ(reaction->status, mad::status::kInvalidValue);
}

TEST(RecordedReplay, MasksKeysAndTakesAnother) {
  Hardware lab(tree());
  const mad::MKey key{0x1234};
  for (const sim::PortIndex port : lab.model.ports.indices()) {
    if (lab.model.is_end_port(port)) lab.info(port).set_m_key(key);
  }
  const fabric::Recording recording = record(lab, {}, key);
  const std::string text = write_recording(recording);
  EXPECT_NE(text.find(" masked "), std::string::npos);
  EXPECT_EQ(text.find("0000000000001234"), std::string::npos);
  EXPECT_EQ(difference(recording, {.m_key = {7}}), "");
}

TEST(RecordedReplay, KeepsNodesThatShareAGuid) {
  Hardware lab(tree());
  const mad::Guid guid = lab.node("H5").info.node_guid();
  lab.node("H9").info.set_node_guid(guid);
  const fabric::Recording recording = record(lab);
  EXPECT_EQ(recording.nodes.size(), lab.model.nodes.size());
  EXPECT_EQ(difference(recording), "");
}

TEST(RecordedReplay, ComesUpUnderAManagerWithTheSameNodes) {
  Hardware lab(tree());
  Replay replay(record(lab));
  replay.start();
  ASSERT_TRUE(replay.comes_up()) << replay.complaint() << replay.tail();
  EXPECT_EQ(replay.status().subnet->fabric.nodes.size(), lab.model.nodes.size());
  EXPECT_EQ(replay.status().subnet->fabric.switches.size(),
            sim::make_topology(record(lab)).count(topology::NodeType::switch_));
}

TEST(RecordedReplay, AnswersTakeAsLongAsRecorded) {
  Hardware lab(tree());
  sim::Health& slow = lab.node("H3").health;
  slow.slow_min = slow.slow_max = 20ms;
  Replay replay(record(lab));
  const sim::Health& same = replay.node("H3").health;
  EXPECT_GT(same.slow_min, 19ms);
  EXPECT_LT(same.slow_max, 21ms);
  EXPECT_LT(replay.node("H4").health.slow_max, 1ms);
}

/// Files of other fabrics: what they do stays as it is.
class CommittedRecordings : public testing::TestWithParam<const char*> {};

TEST_P(CommittedRecordings, ReplayAsRecordedAndComeUp) {
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(GetParam())) {
    if (entry.path().extension() != ".rec") continue;
    SCOPED_TRACE(entry.path().string());
    ++files;
    const auto text = config::read_file(entry.path().string());
    ASSERT_TRUE(text);
    const auto recording = fabric::read_recording({entry.path().string(), *text});
    ASSERT_TRUE(recording) << recording.error().front().text();
    Replay replay(*recording);
    const fabric::Recording again = record(replay);
    EXPECT_EQ(again.nodes.size(), recording->nodes.size());
    EXPECT_EQ(difference(again), "");
    replay.start();
    ASSERT_TRUE(replay.comes_up()) << replay.complaint() << replay.tail();
    EXPECT_EQ(replay.status().subnet->fabric.nodes.size(), recording->nodes.size());
  }
  EXPECT_GE(files, 1u);
}
INSTANTIATE_TEST_SUITE_P(All, CommittedRecordings,
                         testing::Values(HEDDLE_TEST_DATA "/recordings",
                                         HEDDLE_TEST_DATA "/../hardware/recordings"),
                         [](const auto& test) { return test.index == 0 ? "Ours" : "OfHardware"; });

}  // namespace replay_test
