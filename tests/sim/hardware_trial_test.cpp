// heddlectl hardware-report --writes on simulated devices: what it answers, when it refuses, and
// that everything has its former value afterwards.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "config/file_reader.h"
#include "sim/joined_subnets.h"
#include "sim/virtualized.h"
#include "sm/ctl/hardware_steps.h"
#include "sm/ctl/recorder.h"

namespace hardware_trial_test {

using namespace laboratory;
using mad::AttributeId;
using testing::HasSubstr;

/// What heddlectl has at a port.
class Tool {
 public:
  Tool(sim::VirtualRuntime& runtime, sim::World& world, sim::PortIndex port)
      : runtime_(runtime),
        attachment(world.attach(port)),
        client(runtime, *attachment, {}),
        counters(runtime, *attachment) {
    attachment->set_receiver([this](std::span<const mad::ReceivedMad> mads) {
      for (const mad::ReceivedMad& received : mads)
        if (!client.on_mad(received)) counters.on_mad(received);
    });
  }

  fabric::Recording record() {
    client.forget_silence();
    auto recording = runtime_.run(sm::ctl::record(client, {}));
    EXPECT_TRUE(recording);
    return recording.value_or(fabric::Recording{});
  }
  using Result = tl::expected<sm::ctl::HardwareTrialResult, std::string>;
  Result try_all() {
    const fabric::Recording fabric = record();
    const sm::ctl::HardwareTrialOptions options{.may_run =
                                                    [this](const auto&, const std::string&) {
                                                      ++steps;
                                                      if (on_step) on_step();
                                                      return true;
                                                    },
                                                .only = {},
                                                .is_stopped = [this] { return stopped; }};
    auto result = runtime_.run(sm::ctl::try_hardware(trial, counters, fabric, options),
                               std::chrono::hours(1));
    EXPECT_TRUE(result) << "it does not end";
    return result.value_or(tl::unexpected(std::string("no end")));
  }
  std::filesystem::path file() const { return std::filesystem::path(folder_.text()) / "undo"; }

 private:
  sim::VirtualRuntime& runtime_;
  Folder folder_;

 public:
  std::unique_ptr<sim::Attachment> attachment;
  mad::SmpClient client;
  mad::GmpClient counters;
  sm::ctl::Trial trial{client, runtime_, file()};
  bool stopped = false;
  unsigned steps = 0;  // that were run
  std::function<void()> on_step;
};

/// A fabric of a manager that has ended: switches with adaptive routing, hosts with vports.
class Lab : public Virtualized {
 public:
  bool prepare() {
    make_adaptive();
    add_vports();
    if (!bring_up()) return false;
    heddle().stop();
    return true;
  }
  Tool& tool() { return tool_ ? *tool_ : tool_.emplace(runtime, world, own()); }

 private:
  std::optional<Tool> tool_;
};

std::string text(const Tool::Result& result) {
  return result ? sm::ctl::hardware_answers_text(result->answers) + result->stopped
                : result.error();
}
/// Returns which steps have another answer than expected, without those for other devices.
std::vector<std::string> otherwise(const Tool::Result& result) {
  std::vector<std::string> out;
  if (!result) return {result.error()};
  for (const auto& [question, answer] : result->answers)
    if (answer.kind == sm::ctl::HardwareAnswer::Kind::otherwise) out.emplace_back(question->id);
  return out;
}

TEST(HardwareTrial, TriesAllStepsAndTakesThemBack) {
  Lab lab;
  ASSERT_TRUE(lab.prepare());
  Tool& tool = lab.tool();
  const fabric::Recording before = tool.record();
  lab.forget_counts();
  const Tool::Result result = tool.try_all();
  EXPECT_THAT(otherwise(result), testing::IsEmpty()) << text(result);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->stopped, "");
  for (const auto& [question, answer] : result->answers) {
    const bool is_not_here =
        question->id == "HW-WRITE-ROUTER-PKEY" || question->id == "HW-WRITE-VPORTS";
    EXPECT_EQ(answer.kind, is_not_here ? sm::ctl::HardwareAnswer::Kind::not_here
                                       : sm::ctl::HardwareAnswer::Kind::as_expected)
        << question->id;
  }
  EXPECT_THAT(sm::ctl::differing_settings(before, tool.record()), testing::IsEmpty());
  EXPECT_FALSE(std::filesystem::exists(tool.file()));
  EXPECT_TRUE(lab.all_active()) << "vports";

  // A manager that starts then finds all as it was.
  lab.heddle().forget_log();
  lab.start();
  ASSERT_TRUE(lab.runtime.run_until([&] { return lab.says("SUBNET UP"); }, kComesUp));
  EXPECT_EQ(lab.sent(mad::Method::set, AttributeId::linear_forwarding_table), 0u);
  EXPECT_TRUE(lab.is_in_order()) << lab.complaint();
}

TEST(HardwareTrial, TriesAFabricInInitToo) {
  Lab lab;
  lab.make_adaptive();
  lab.add_vports();
  const fabric::Recording before = lab.tool().record();
  const Tool::Result result = lab.tool().try_all();
  EXPECT_THAT(otherwise(result), testing::IsEmpty()) << text(result);
  EXPECT_THAT(text(result), HasSubstr("HW-WRITE-VPORTS: as expected"));
  EXPECT_THAT(text(result), HasSubstr("HW-WRITE-SPEED: as expected"));
  EXPECT_THAT(sm::ctl::differing_settings(before, lab.tool().record()), testing::IsEmpty());
}

TEST(HardwareTrial, IsForRoutersToo) {
  JoinedSubnets joined(2);
  joined.join({0, 1});
  ASSERT_TRUE(joined.start());
  for (Instance& manager : joined.managers) manager.stop();
  Tool tool(joined.runtime, joined.world(0), joined.host(0, 0));
  const fabric::Recording before = tool.record();
  const Tool::Result result = tool.try_all();
  EXPECT_THAT(otherwise(result), testing::IsEmpty()) << text(result);
  EXPECT_THAT(text(result), HasSubstr("HW-WRITE-ROUTER-PKEY: as expected"));
  EXPECT_THAT(sm::ctl::differing_settings(before, tool.record()), testing::IsEmpty());
}

TEST(HardwareTrial, WritesNothingBesideAManager) {
  Lab lab;
  ASSERT_TRUE(lab.prepare());
  lab.heddle().forget_log();
  lab.start();
  ASSERT_TRUE(lab.runtime.run_until([&] { return lab.says("SUBNET UP"); }, kComesUp));
  Tool tool(lab.runtime, lab.world, lab.hosts.back());
  const Tool::Result result = tool.try_all();
  ASSERT_FALSE(result);
  EXPECT_THAT(result.error(), HasSubstr("runs a subnet manager (Master)"));
  EXPECT_EQ(tool.attachment->sets(), 0u);
}

TEST(HardwareTrial, EndsWhenAManagerAppears) {
  Lab lab;
  ASSERT_TRUE(lab.prepare());
  Tool& tool = lab.tool();
  const fabric::Recording before = tool.record();
  std::unique_ptr<sim::Attachment> other = lab.world.attach(lab.hosts.back());
  tool.on_step = [&] { other->set_is_sm(tool.steps == 3); };
  const Tool::Result result = tool.try_all();
  ASSERT_TRUE(result) << result.error();
  EXPECT_THAT(result->stopped, HasSubstr("runs a subnet manager"));
  EXPECT_EQ(tool.steps, 3u);
  EXPECT_EQ(result->answers.back().answer.kind, sm::ctl::HardwareAnswer::Kind::not_run);
  other->set_is_sm(false);
  EXPECT_THAT(sm::ctl::differing_settings(before, tool.record()), testing::IsEmpty());
}

TEST(HardwareTrial, WritesNothingWhileHostsCarryTraffic) {
  Lab lab;
  ASSERT_TRUE(lab.prepare());
  const sim::PortIndex port = lab.far(lab.hosts.back());
  std::function<void()> send = [&] {
    lab.model.extras(port).counters.xmit_data += 100'000;
    lab.runtime.after(100ms, send);
  };
  send();
  const Tool::Result result = lab.tool().try_all();
  ASSERT_FALSE(result);
  EXPECT_THAT(result.error(), HasSubstr("carries traffic"));
  EXPECT_EQ(lab.tool().attachment->sets(), 0u);
}

/// Whether there is traffic is not known: as if there were.
TEST(HardwareTrial, WritesNothingWhereCountersAreSilent) {
  Lab lab;
  ASSERT_TRUE(lab.prepare());
  for (sim::NodeModel& node : lab.model.nodes)
    node.health.react_general = [](mad::MadView, mad::PortNum) {
      return std::optional(sim::Reaction{.status = std::nullopt});
    };
  const Tool::Result result = lab.tool().try_all();
  ASSERT_FALSE(result);
  EXPECT_THAT(result.error(), HasSubstr("is not known"));
  EXPECT_EQ(lab.tool().attachment->sets(), 0u);
}

TEST(HardwareTrial, ReportsWhatFirmwareRefusesOrLies) {
  struct Case {
    sim::ArFaults faults;
    std::string says;
  };
  const auto groups = static_cast<std::uint16_t>(AttributeId::ar_group_table);
  for (const Case& each :
       {Case{{.refusals = {{.attribute = groups, .sets_only = true, .status = 0x1C}}},
             "ARGroupTable 0x00000001: SubnSet refused with status 0x001c"},
        Case{{.without_effect = {groups}},
             "ARGroupTable 0x00000001: accepted, and another value is read back: byte 31"},
        Case{{.refusals = {{.attribute = groups, .sets_only = true}}},
             "ARGroupTable 0x00000001: SubnSet without an answer"}}) {
    Lab lab;
    ASSERT_TRUE(lab.prepare());
    for (sim::NodeModel& node : lab.model.nodes)
      if (node.is_switch()) node.sw->adaptive->faults = each.faults;
    const fabric::Recording before = lab.tool().record();
    const Tool::Result result = lab.tool().try_all();
    EXPECT_THAT(otherwise(result),
                testing::ElementsAre("HW-WRITE-ADAPTIVE", "HW-WRITE-ADAPTIVE-COPY"))
        << text(result);
    EXPECT_THAT(text(result), HasSubstr(each.says));
    EXPECT_THAT(sm::ctl::differing_settings(before, lab.tool().record()), testing::IsEmpty());
  }
}

TEST(HardwareTrial, TakesBackWhateverFirmwareDoes) {
  for (const auto& [name, firmware] : Lab::ar_firmwares()) {
    Lab lab;
    ASSERT_TRUE(lab.prepare());
    lab.set_ar_firmware(firmware);
    const fabric::Recording before = lab.tool().record();
    const Tool::Result result = lab.tool().try_all();
    EXPECT_THAT(otherwise(result), testing::IsEmpty()) << name << text(result);
    EXPECT_THAT(sm::ctl::differing_settings(before, lab.tool().record()), testing::IsEmpty())
        << name;
  }
}

/// Changes one entry of the first switch's forwarding table, and ends.
sm::ctl::Trial::Outcome change_an_entry(Lab& lab, const fabric::Recording& before) {
  const auto sw = std::ranges::find_if(before.nodes, &fabric::RecordedNode::is_switch);
  const sm::ctl::TrialPlace place{.info = sw->info, .number = 0, .route = sw->ports.front().route};
  return lab.runtime
      .run(lab.tool().trial.change(
          place, AttributeId::linear_forwarding_table, 0, [](auto bytes) { bytes[3] ^= 1; },
          std::nullopt))
      .value_or(sm::ctl::Trial::Outcome{});
}

TEST(HardwareTrial, AKilledOneIsTakenBackByItsFile) {
  Lab lab;
  ASSERT_TRUE(lab.prepare());
  const fabric::Recording before = lab.tool().record();
  const auto sw = std::ranges::find_if(before.nodes, &fabric::RecordedNode::is_switch);
  const sm::ctl::TrialPlace place{.info = sw->info, .number = 0, .route = sw->ports.front().route};
  const auto changed = lab.runtime.run(lab.tool().trial.change(
      place, AttributeId::linear_forwarding_table, 0, [](auto bytes) { bytes[3] ^= 1; }));
  ASSERT_TRUE(changed && changed->kept) << changed->text;
  EXPECT_EQ(sm::ctl::differing_settings(before, lab.tool().record()).size(), 1u);

  const auto left = sm::ctl::read_former_values(lab.tool().file());
  ASSERT_TRUE(left) << left.error();
  sm::ctl::Trial next(lab.tool().client, lab.runtime, lab.tool().file());
  next.adopt(*left);
  EXPECT_EQ(lab.runtime.run(next.undo()), "");
  EXPECT_THAT(sm::ctl::differing_settings(before, lab.tool().record()), testing::IsEmpty());
  EXPECT_FALSE(std::filesystem::exists(lab.tool().file()));
}

TEST(HardwareTrial, ALinkThatStaysDownEndsItAndIsNamed) {
  Lab lab;
  ASSERT_TRUE(lab.prepare());
  const fabric::Recording before = lab.tool().record();
  lab.world.timing.training = 10min;
  const Tool::Result result = lab.tool().try_all();
  EXPECT_THAT(otherwise(result), testing::ElementsAre("HW-WRITE-TRAINING")) << text(result);
  ASSERT_TRUE(result);
  EXPECT_THAT(text(result), HasSubstr("the link is not up after 30 s"));
  EXPECT_THAT(result->stopped, HasSubstr("not taken back: PortInfo"));
  lab.runtime.run_for(10min);
  lab.world.timing.training = 1s;
  const auto left = sm::ctl::read_former_values(lab.tool().file());
  ASSERT_TRUE(left) << left.error();
  sm::ctl::Trial next(lab.tool().client, lab.runtime, lab.tool().file());
  next.adopt(*left);
  lab.tool().client.forget_silence();
  EXPECT_EQ(lab.runtime.run(next.undo(), std::chrono::hours(1)), "");
  EXPECT_THAT(sm::ctl::differing_settings(before, lab.tool().record()), testing::IsEmpty());
}

TEST(HardwareTrial, NothingIsWrittenBackToAnotherDevice) {
  Lab lab;
  ASSERT_TRUE(lab.prepare());
  const fabric::Recording before = lab.tool().record();
  ASSERT_TRUE(change_an_entry(lab, before).kept);
  const auto sw = std::ranges::find_if(before.nodes, &fabric::RecordedNode::is_switch);
  const mad::Guid guid = sw->info.node_guid();
  const auto node = std::ranges::find_if(
      lab.model.nodes, [&](const auto& each) { return each.info.node_guid() == guid; });
  node->info.set_node_guid({guid.value + 1});
  const std::uint64_t sets = lab.tool().attachment->sets();
  EXPECT_THAT(lab.runtime.run(lab.tool().trial.undo()).value_or(""),
              HasSubstr("does not answer at its route"));
  EXPECT_EQ(lab.tool().attachment->sets(), sets);
  EXPECT_TRUE(std::filesystem::exists(lab.tool().file()));
  node->info.set_node_guid(guid);
  EXPECT_EQ(lab.runtime.run(lab.tool().trial.undo()), "");
}

TEST(HardwareTrial, EndsWhenADeviceIsSwitchedOn) {
  Lab lab;
  ASSERT_TRUE(lab.prepare());
  const sim::NodeIndex last = lab.owning_node(lab.hosts.back());
  lab.world.power(last, false);
  lab.let_links_train();
  lab.tool().on_step = [&] {
    if (lab.tool().steps != 3) return;
    lab.world.power(last, true);
  };
  const Tool::Result result = lab.tool().try_all();
  ASSERT_TRUE(result) << result.error();
  EXPECT_THAT(result->stopped,
              testing::AnyOf(HasSubstr("has come up"), HasSubstr("since the fabric")));
}

TEST(HardwareTrial, WritesNothingWhereADeviceIsSilent) {
  Lab lab;
  ASSERT_TRUE(lab.prepare());
  lab.model.nodes[lab.owning_node(lab.hosts.back())].health.silent = true;
  const Tool::Result result = lab.tool().try_all();
  ASSERT_FALSE(result);
  EXPECT_THAT(result.error(), HasSubstr("does not answer"));
  EXPECT_EQ(lab.tool().attachment->sets(), 0u);
}

/// A Set of a PortInfo that was read without its key would remove the key.
TEST(HardwareTrial, KeepsMKeysThatAreHidden) {
  Lab lab;
  ASSERT_TRUE(lab.prepare());
  for (const sim::PortIndex port : lab.model.ports.indices()) {
    if (!lab.model.is_end_port(port)) continue;
    lab.info(port).set_m_key({0x1234});
    lab.info(port).set_m_key_protect_bits(1);
  }
  const fabric::Recording before = lab.tool().record();
  const Tool::Result result = lab.tool().try_all();
  ASSERT_TRUE(result) << result.error();
  for (const sim::PortIndex port : lab.model.ports.indices()) {
    if (!lab.model.is_end_port(port)) continue;
    EXPECT_EQ(lab.info(port).m_key(), mad::MKey{0x1234});
  }
  EXPECT_THAT(text(result), testing::Not(HasSubstr("0x12 ")));
  EXPECT_THAT(sm::ctl::differing_settings(before, lab.tool().record()), testing::IsEmpty());
}

TEST(HardwareTrial, LimitsExtendedSpeedsToo) {
  Lab lab;
  for (const sim::PortIndex port : lab.model.ports.indices()) {
    mad::PortInfo& info = lab.info(port);
    if (lab.model.is_end_port(port))
      info.set_capability_mask(info.capability_mask() | mad::capability::kExtendedSpeeds);
    info.set_link_speed_ext_supported(mad::link_speed_ext::kFdr);
    info.set_link_speed_ext_enabled(mad::link_speed_ext::kFdr);
    info.set_link_speed_ext_active(mad::link_speed_ext::kFdr);
    info.set_link_speed_active(mad::link_speed::kExtended);
  }
  ASSERT_TRUE(lab.prepare());
  const fabric::Recording before = lab.tool().record();
  const Tool::Result result = lab.tool().try_all();
  EXPECT_THAT(otherwise(result), testing::IsEmpty()) << text(result);
  EXPECT_THAT(text(result), HasSubstr("LinkSpeedActive 1, LinkSpeedExtActive 0; before"));
  EXPECT_THAT(sm::ctl::differing_settings(before, lab.tool().record()), testing::IsEmpty());
}

TEST(HardwareTrial, StopsAfterTheStepThatRuns) {
  Lab lab;
  ASSERT_TRUE(lab.prepare());
  lab.tool().stopped = true;
  const Tool::Result result = lab.tool().try_all();
  ASSERT_TRUE(result);
  EXPECT_EQ(result->stopped, "stopped");
  EXPECT_EQ(lab.tool().attachment->sets(), 0u);
}

TEST(HardwareTrial, TheTableForReadersHasAllQuestions) {
  const std::string file = HEDDLE_TEST_DATA "/../../packaging/hardware/questions.md";
  const auto text = config::read_file(file);
  ASSERT_TRUE(text);
  EXPECT_EQ(*text, sm::ctl::hardware_questions_table())
      << "write what heddlectl hardware-report --questions prints into " << file;
}

}  // namespace hardware_trial_test
