// Partitions of the API in whole managers: what is put through /v1/partitions is on the simulated
// hardware, and stays there across reloads, restarts and takeovers.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "mad/format.h"
#include "sim/laboratory.h"
#include "sim/partition_api.h"
#include "sm/ctl/topology/generators.h"
#include "sm/ops/api/partition_resources.h"
#include "sm/partitions/partition_service.h"
#include "sm/sweep/devices/sweep_conditions.h"
#include "support/partitioned.h"

namespace runtime_partitions_test {

using laboratory::Instance;
using laboratory::Solo;
using mad::AttributeId;
using mad::Method;
using nlohmann::json;
using partition_api::Api;
using partition_api::get_keys;
using partition_api::Keys;
using partition_api::Pair;
using sm::web::Response;
using namespace std::chrono_literals;

class Site : public Solo {
 public:
  Site() : Solo(topology::xgft({.children = {4, 6}, .parents = {1, 3}, .cables = {}})) {
    options.sweep_interval = 0;
    options.audit_interval = 0;
  }

  std::string guid(sim::PortIndex port) const { return fmt::format("{}", model.ports[port].guid); }
  sim::PortIndex host(unsigned i) const { return port(sim::NodeIndex{i}); }
  Keys keys(unsigned i) const { return get_keys(model, host(i)); }

  /// At the time of day of this machine, by which requests with a time are checked.
  void bring_up(const std::string& conf = "") {
    Laboratory::start(own(), options, false);
    heddle().stop();
    heddle().wall_clock_begin =
        std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
    if (!conf.empty()) heddle().partitioning = partitioned::read(conf);
    heddle().start(options);
    ASSERT_TRUE(runtime.run_until([&] { return says("SUBNET UP"); }, 5min)) << tail();
    settle();
    forget();
  }
  void forget() {
    forget_counts();
    heddle().forget_log();
  }
  void reload(const std::string& conf) {
    heddle().partitioning = partitioned::read(conf);
    heddle().reload(options);
    settle();
  }
  /// Returns the faults of the subnet, and of the keys of these ports.
  std::string wrong(const sim::ExpectedPKeys& expected) const {
    const std::string subnet = sim::first_complaint(sim::check_subnet(model, own()));
    return !subnet.empty() ? subnet : sim::first_complaint(sim::check_p_keys(model, expected));
  }
  Api api() { return {runtime, heddle()}; }
};

TEST(RuntimePartitions, SurviveReloadsOfAFileThatDefinesTheSameKey) {
  Site lab;
  const std::string before = fmt::format("A=0x10 : {}=full ;", lab.guid(lab.host(1)));
  lab.bring_up(before);
  Api api = lab.api();
  api.add("0x10", lab.guid(lab.host(7)));
  api.add("0x11", lab.guid(lab.host(8)), {{"membership", "limited"}});
  const sim::ExpectedPKeys both{{lab.model.ports[lab.host(1)].guid, {0x7fff, 0x8010}},
                                {lab.model.ports[lab.host(7)].guid, {0x7fff, 0x8010}},
                                {lab.model.ports[lab.host(8)].guid, {0x7fff, 0x0011}}};
  EXPECT_EQ(lab.wrong(both), "") << lab.tail();

  lab.forget();
  lab.reload(before);
  EXPECT_EQ(lab.sets(), 0u) << "the same file" << lab.tail();

  lab.reload(before + fmt::format("\nB=0x11 : {}=full, {}=full ;", lab.guid(lab.host(2)),
                                  lab.guid(lab.host(8))));
  EXPECT_EQ(lab.wrong({{lab.model.ports[lab.host(2)].guid, {0x7fff, 0x8011}},
                       {lab.model.ports[lab.host(7)].guid, {0x7fff, 0x8010}},
                       {lab.model.ports[lab.host(8)].guid, {0x7fff, 0x8011}}}),
            "")
      << lab.tail();
  const json of_both = api.get("/v1/partitions/0x11");
  EXPECT_EQ(of_both["sources"], json::array({"file", "api"}));
  EXPECT_EQ(of_both["full_members"], 2);
  EXPECT_EQ(of_both["limited_members"], 0);
  EXPECT_EQ(of_both["file_members"], 2);
  EXPECT_EQ(of_both["api_members"], 1);

  lab.reload(before);
  EXPECT_EQ(lab.wrong(both), "") << "as before" << lab.tail();
  lab.reload("Default=0x7fff : ALL=full ;");
  EXPECT_EQ(lab.wrong({{lab.model.ports[lab.host(1)].guid, {0xffff}},
                       {lab.model.ports[lab.host(7)].guid, {0xffff, 0x8010}},
                       {lab.model.ports[lab.host(8)].guid, {0xffff, 0x0011}}}),
            "")
      << lab.tail();
}

/// A change that arrives while a reload is under way is neither lost nor undone.
TEST(RuntimePartitions, AChangeDuringAReloadIsNotLost) {
  for (const mad::Duration later : {0us, 50us, 500us, 2000us}) {
    Site lab;
    lab.bring_up("A=0x10 : ALL=full ;");
    Api api = lab.api();
    lab.heddle().partitioning = partitioned::read("A=0x11 : ALL=full ;");
    lab.heddle().reload(lab.options);
    lab.runtime.run_for(later);
    api.add("0x12", lab.guid(lab.host(7)));
    lab.settle();
    EXPECT_EQ(lab.wrong({{lab.model.ports[lab.host(3)].guid, {0x7fff, 0x8011}},
                         {lab.model.ports[lab.host(7)].guid, {0x7fff, 0x8011, 0x8012}}}),
              "")
        << later.count() << lab.tail();
  }
}

TEST(RuntimePartitions, SurviveARestartWithTheSameCache) {
  Site lab;
  lab.bring_up();
  lab.api().add("0x10", lab.guid(lab.host(7)), {{"owner", "job 12"}, {"index0", true}});
  lab.heddle().stop();
  lab.forget();
  lab.heddle().start(lab.options);
  ASSERT_TRUE(lab.runtime.run_until([&] { return lab.says("SUBNET UP"); }, 5min)) << lab.tail();
  EXPECT_EQ(lab.sets(), 0u) << lab.tail();
  EXPECT_EQ(lab.keys(7), (Keys{0xffff, 0x8010}));
  const json members = lab.api().get("/v1/partitions/0x10/members")["members"];
  ASSERT_EQ(members.size(), 1u);
  EXPECT_EQ(members[0]["owner"], "job 12");
  EXPECT_EQ(members[0]["index0"], true);
  EXPECT_EQ(lab.api().get("/v1/partitions/0x10")["applied"], true);
}

TEST(RuntimePartitions, AHostThatIsRestartedHasItsKeysAgain) {
  Site lab;
  lab.bring_up();
  lab.api().add("0x10", lab.guid(lab.host(7)));
  lab.reboot(lab.owning_node(lab.host(7)));
  lab.settle();
  EXPECT_EQ(lab.keys(7), (Keys{0xffff, 0x8010})) << lab.tail();
}

TEST(RuntimePartitions, AGuidThatIsAbsentGetsItsKeyWhenItsHostAppears) {
  Site lab;
  const sim::PortIndex host = lab.host(7), leaf = lab.far(host);
  lab.world.cut(host);
  lab.bring_up();
  Api api = lab.api();
  EXPECT_EQ(api.add("0x10", lab.guid(host)), "pending");
  EXPECT_EQ(lab.sets(), 0u) << "there is nothing to write yet" << lab.tail();
  EXPECT_EQ(api.get("/v1/partitions/0x10/members")["members"][0]["present"], false);
  lab.plug(host, leaf);
  lab.settle();
  EXPECT_EQ(lab.keys(7), (Keys{0xffff, 0x8010})) << lab.tail();
  EXPECT_EQ(api.get("/v1/partitions/0x10/members")["members"][0]["present"], true);
  EXPECT_EQ(api.get("/v1/partitions/0x10")["full_members"], 1);
}

TEST(RuntimePartitions, AHostThatDoesNotAnswerIsNamedAsSuchAndIsPending) {
  Site lab;
  lab.bring_up();
  Api api = lab.api();
  sim::NodeModel& host = lab.model.nodes[lab.owning_node(lab.host(7))];
  host.health.agent_ignores_requests = true;
  ASSERT_TRUE(lab.heddle().order_resweep());
  lab.runtime.run_for(1min);
  json all;
  all["changes"] = json::array();
  all["changes"].push_back({{"op", "add"}, {"p_key", "0x10"}});
  all["changes"][0]["members"] = json::array();
  all["changes"][0]["members"].push_back({{"guid", lab.guid(lab.host(7))}});
  const json answer = api.send(sm::web::Method::post, "/v1/partition-changes", all);
  EXPECT_EQ(answer["members"][0]["state"], "pending");
  EXPECT_THAT(
      answer["members"][0].value("reason", ""),
      testing::AllOf(testing::HasSubstr("does not answer subnet management packets since 20"),
                     testing::HasSubstr("its P_Key table cannot be written")))
      << lab.tail();
  EXPECT_EQ(api.get("/v1/partitions/0x10/members")["members"].size(), 1u) << "at once";
  host.health.agent_ignores_requests = false;
  ASSERT_TRUE(lab.heddle().order_resweep());
  lab.runtime.run_for(1min);
  EXPECT_EQ(lab.keys(7), (Keys{0xffff, 0x8010})) << lab.tail();
}

/// The members of a file that nothing has are one condition; what was lost has one of its own.
TEST(PartitionsOfAFile, AbsentMembersAreReportedUntilTheyAppear) {
  constexpr auto kAbsent = fabric::ConditionId(sm::kNamedGuidConditions.guid_absent);
  Site lab;
  const sim::PortIndex host = lab.host(7), leaf = lab.far(host);
  lab.world.cut(host);
  lab.bring_up(fmt::format("A=0x10 : {}=full, {}=full, 0x77=limited ;", lab.guid(host),
                           lab.guid(lab.host(8))));
  ASSERT_EQ(lab.raised(kAbsent), 1u) << lab.tail();
  std::string text;
  for (const auto& each : lab.status().conditions)
    if (each.condition.id == kAbsent) text = each.condition.text;
  EXPECT_THAT(text, testing::StartsWith("partitions.conf names 2 GUIDs that nothing in the fabric "
                                        "has: " +
                                        lab.guid(host)));
  Api api = lab.api();
  EXPECT_EQ(api.get("/v1/partitions/0x10")["absent_file_members"], 2);
  const json members = api.get("/v1/partitions/0x10/members")["members"];
  ASSERT_EQ(members.size(), 3u);
  EXPECT_EQ(members[0]["guid"], "0x0000000000000077");
  EXPECT_EQ(members[0]["present"], false);
  EXPECT_EQ(members[0]["sources"], json::array({"file"}));
  EXPECT_EQ(members[0]["membership"], "limited");

  lab.plug(host, leaf);
  lab.settle();
  EXPECT_EQ(lab.raised(kAbsent), 1u);
  EXPECT_EQ(api.get("/v1/partitions/0x10")["absent_file_members"], 1);
  lab.reload(fmt::format("A=0x10 : {}=full, {}=full ;", lab.guid(host), lab.guid(lab.host(8))));
  EXPECT_EQ(lab.raised(kAbsent), 0u) << lab.tail();

  lab.world.cut(host);
  lab.settle();
  EXPECT_EQ(lab.raised(kAbsent), 0u) << "it was lost, and that has a condition" << lab.tail();
  EXPECT_EQ(lab.raised(sm::kSweepConditions.node_lost), 1u);
  ASSERT_TRUE(lab.heddle().order_resweep());
  lab.settle();
  EXPECT_EQ(lab.raised(kAbsent), 0u) << "also in the next sweep";
  ASSERT_TRUE(
      lab.heddle().order_forget(fmt::format("{}", lab.model.owning_node(host).info.node_guid())));
  lab.settle();
  ASSERT_TRUE(lab.heddle().order_resweep());
  lab.settle();
  EXPECT_EQ(lab.raised(kAbsent), 1u) << "it was forgotten" << lab.tail();
}

TEST(RuntimePartitions, AKeyWithoutRoomAtTheSwitchPortIsRefusedAndThePortGoesOnEnforcing) {
  Site lab;
  const sim::PortIndex host = lab.host(7), leaf = lab.far(host);
  lab.model.owning_node(leaf).sw->info.set_partition_enforcement_cap(2);
  lab.bring_up();
  ASSERT_TRUE(lab.info(leaf).partition_enforcement_inbound());
  Api api = lab.api();
  EXPECT_EQ(api.add("0x10", lab.guid(host)), "applied");
  EXPECT_EQ(api.add("0x11", lab.guid(host)), "refused");
  const auto check = [&](const char* when) {
    EXPECT_TRUE(lab.info(leaf).partition_enforcement_inbound()) << when;
    EXPECT_EQ(lab.keys(7), (Keys{0xffff, 0x8010})) << when;
    EXPECT_EQ(get_keys(lab.model, leaf), (Keys{0xffff, 0x8010})) << when;
    EXPECT_TRUE(lab.says("SM-PKEY-TABLE-FULL")) << when;
  };
  check("after the change");
  lab.forget_counts();
  lab.reload("Default=0x7fff:ALL=full;");
  check("after a sweep of everything");
  EXPECT_EQ(lab.sets(), 0u) << "nothing is written in vain";
  api.remove("0x10", lab.guid(host));
  lab.settle();
  EXPECT_EQ(lab.keys(7), (Keys{0xffff, 0x8011})) << "there is room now";
  EXPECT_TRUE(lab.info(leaf).partition_enforcement_inbound());
}

TEST(RuntimePartitions, ExpiryRemovesTheKeyWithoutASweep) {
  Site lab;
  lab.bring_up();
  Instance& heddle = lab.heddle();
  lab.settle();
  Api api = lab.api();
  const auto now = heddle.wall_clock();
  api.add("0x10", lab.guid(lab.host(7)), {{"expires_at", sm::time_text(now + 1h)}});
  api.add("0x10", lab.guid(lab.host(8)));
  EXPECT_EQ(lab.keys(7), (Keys{0xffff, 0x8010}));
  lab.forget();
  lab.runtime.run_for(1h - 5s);
  EXPECT_EQ(lab.keys(7), (Keys{0xffff, 0x8010}));
  EXPECT_EQ(lab.sets(), 0u);
  lab.runtime.run_for(6s);
  EXPECT_EQ(lab.keys(7), Keys{0xffff}) << lab.tail();
  EXPECT_EQ(lab.keys(8), (Keys{0xffff, 0x8010})) << "has no end";
  EXPECT_EQ(lab.gets(), 0u) << "no sweep";
  EXPECT_EQ(lab.sets(), 2u) << "the host's table and its switch port's";
  EXPECT_EQ(api.get("/v1/partitions/0x10/members")["members"].size(), 1u);
}

/// Partitions are read beside the control thread: a client that asks at once waits for the file.
TEST(RuntimePartitions, AreNeverReportedAsAbsentWhileTheirFileIsRead) {
  Site lab;
  lab.bring_up();
  lab.api().add("0x10", lab.guid(lab.host(7)));
  lab.heddle().stop();
  lab.heddle().start(lab.options);
  Api api = lab.api();
  const auto one = api.begin(sm::web::Method::get, "/v1/partitions/0x10/members");
  const auto change = api.begin(sm::web::Method::post, "/v1/partitions", {{"p_key", "0x11"}});
  ASSERT_TRUE(lab.runtime.run_until([&] { return one->done && change->done; }, 5min));
  EXPECT_EQ(one->value->status, 200u) << one->value->body;
  EXPECT_THAT(one->value->body, testing::HasSubstr(lab.guid(lab.host(7))));
  EXPECT_EQ(change->value->status, 503u) << change->value->body;
  EXPECT_THAT(change->value->body, testing::HasSubstr("is not MASTER"));
}

TEST(RuntimePartitions, ExpiryWhileNoManagerRunsIsMadeUpFor) {
  Site lab;
  lab.bring_up();
  Instance& heddle = lab.heddle();
  lab.api().add("0x10", lab.guid(lab.host(7)),
                {{"expires_at", sm::time_text(heddle.wall_clock() + 1h)}});
  heddle.stop();
  lab.runtime.run_for(2h);
  heddle.forget_log();
  heddle.start(lab.options);
  ASSERT_TRUE(lab.runtime.run_until([&] { return lab.says("SUBNET UP"); }, 5min)) << lab.tail();
  lab.settle();
  EXPECT_EQ(lab.keys(7), Keys{0xffff}) << lab.tail();
}

/// The response comes when the last Set was acknowledged, and only tables that change are written.
TEST(RuntimePartitions, WaitAppliedReturnsAfterTheLastAcknowledgment) {
  Site lab;
  lab.bring_up();
  Api api = lab.api();
  std::uint64_t mads = lab.heddle().tap().mads;
  const auto one = [&](const char* op, const char* list, json of) {
    json change{{"op", op}, {"p_key", "0x10"}};
    change[list] = json::array({std::move(of)});
    json all;
    all["changes"] = json::array({std::move(change)});
    return api.begin(sm::web::Method::post, "/v1/partition-changes?wait=applied", all);
  };
  for (const bool adds : {true, false}) {
    lab.forget();
    mads = lab.heddle().tap().mads;
    const auto outcome = adds ? one("add", "members", {{"guid", lab.guid(lab.host(7))}})
                              : one("remove", "guids", lab.guid(lab.host(7)));
    ASSERT_TRUE(lab.runtime.run_until([&] { return outcome->done; }, 10s)) << lab.tail();
    EXPECT_EQ(json::parse(outcome->value->body)["applied"], true);
    EXPECT_EQ(lab.sent(Method::set, AttributeId::p_key_table), 2u)
        << "of the host and of its switch port";
    EXPECT_EQ(lab.heddle().tap().mads - mads, 4u) << "two Sets, each with its response: no sweep";
    EXPECT_EQ(lab.keys(7), adds ? (Keys{0xffff, 0x8010}) : Keys{0xffff});
    lab.settle();
    EXPECT_EQ(lab.heddle().tap().mads - mads, 4u) << "nothing follows" << lab.tail();
  }
}

TEST(RuntimePartitions, WaitAppliedDoesNotReturnWhileAResponseIsMissing) {
  Site lab;
  lab.bring_up();
  Api api = lab.api();
  lab.heddle().tap().hold();
  json all;
  all["changes"] = json::array();
  all["changes"].push_back({{"op", "add"}, {"p_key", "0x10"}});
  all["changes"][0]["members"] = json::array();
  all["changes"][0]["members"].push_back({{"guid", lab.guid(lab.host(7))}});
  const auto outcome = api.begin(sm::web::Method::post, "/v1/partition-changes?wait=applied", all);
  lab.runtime.run_for(50ms);
  EXPECT_GE(lab.sent(Method::set, AttributeId::p_key_table), 1u);
  EXPECT_FALSE(outcome->done);
  lab.heddle().tap().release();
  ASSERT_TRUE(lab.runtime.run_until([&] { return outcome->done; }, 10s));
  EXPECT_EQ(json::parse(outcome->value->body)["applied"], true);
  EXPECT_EQ(lab.keys(7), (Keys{0xffff, 0x8010}));
}

/// A host that takes no Set: the answer comes at the limit and says so; it is made up for.
TEST(RuntimePartitions, WaitAppliedOfADeadHostEndsAtItsLimit) {
  Site lab;
  lab.bring_up();
  Api api = lab.api();
  lab.model.nodes[lab.owning_node(lab.host(7))].health.silent = true;
  json all;
  all["changes"] = json::array();
  all["changes"].push_back({{"op", "add"}, {"p_key", "0x10"}});
  all["changes"][0]["members"] = json::array();
  all["changes"][0]["members"].push_back({{"guid", lab.guid(lab.host(7))}});
  const mad::TimePoint begin = lab.runtime.now();
  const json answer =
      api.send(sm::web::Method::post, "/v1/partition-changes?wait=applied&timeout_ms=2000", all);
  EXPECT_EQ(answer["applied"], false);
  EXPECT_LE(lab.runtime.now() - begin, 2100ms);
}

TEST(RuntimePartitions, AreInTheFabricAfterATakeoverWithASharedStore) {
  Pair lab;
  lab.start_both(true);
  Api(lab.runtime, lab.instances.front()).add("0x10", lab.guid_text("H3"), {{"owner", "job 12"}});
  EXPECT_EQ(get_keys(lab.model, lab.port("H3")), (Keys{0xffff, 0x8010}));
  lab.instances.pop_front();
  bool was_lost = false;  // also for a moment, by the first sweep
  const auto ends = lab.runtime.now() + 30s;
  lab.runtime.run_until(
      [&] {
        was_lost = was_lost || get_keys(lab.model, lab.port("H3")) != (Keys{0xffff, 0x8010});
        return lab.runtime.now() >= ends;
      },
      31s);
  ASSERT_TRUE(lab.second_is_master()) << lab.instances.back().tail();
  EXPECT_FALSE(was_lost) << lab.instances.back().tail();
  lab.reboot(lab.owning_node(lab.port("H3")));
  lab.runtime.run_for(5s);
  EXPECT_EQ(get_keys(lab.model, lab.port("H3")), (Keys{0xffff, 0x8010})) << "it writes them, too";
  Api second(lab.runtime, lab.instances.back());
  EXPECT_EQ(second.get("/v1/partitions/0x10/members")["members"][0]["owner"], "job 12");
  const auto changes = second.get("/v1/partition-changes")["changes"];
  ASSERT_EQ(changes.size(), 1u) << "who and when, of the first manager";
  EXPECT_NE(changes[0]["by"], "");
  second.remove("0x10", lab.guid_text("H3"));
  EXPECT_EQ(second.get("/v1/partition-changes")["changes"].size(), 2u);
  EXPECT_EQ(get_keys(lab.model, lab.port("H3")), Keys{0xffff});
}

/// The manager that takes over knows the member and its end: the origin of the key is known.
TEST(RuntimePartitions, AMembershipThatExpiresDuringATakeoverEnds) {
  Pair lab;
  lab.start_both(true);
  Instance& first = lab.instances.front();
  Api(lab.runtime, first)
      .add("0x10", lab.guid_text("H3"), {{"expires_at", sm::time_text(first.wall_clock() + 30s)}});
  Api(lab.runtime, first).add("0x10", lab.guid_text("H4"));
  lab.instances.pop_front();
  ASSERT_TRUE(lab.second_is_master()) << lab.instances.back().tail();
  lab.runtime.run_for(1min);
  EXPECT_EQ(get_keys(lab.model, lab.port("H3")), Keys{0xffff}) << lab.instances.back().tail();
  EXPECT_EQ(get_keys(lab.model, lab.port("H4")), (Keys{0xffff, 0x8010}));
  EXPECT_FALSE(lab.instances.back().says("[SM-PARTITION-KEPT]")) << lab.instances.back().tail();
}

TEST(RuntimePartitions, AManagerThatRestartsAloneRemovesWhatLeftPartitionsConf) {
  Site lab;
  lab.bring_up(fmt::format("Default=0x7fff:ALL=full;\nA=0x10:{}=full;", lab.guid(lab.host(3))));
  ASSERT_TRUE(lab.keys(3).contains(0x8010));
  lab.heddle().stop();
  lab.forget();
  lab.heddle().partitioning = partitioned::read("Default=0x7fff:ALL=full;");
  lab.heddle().start(lab.options);
  ASSERT_TRUE(lab.runtime.run_until([&] { return lab.says("SUBNET UP"); }, 5min)) << lab.tail();
  lab.settle();
  EXPECT_EQ(lab.keys(3), Keys{0xffff});
  EXPECT_FALSE(lab.says("[SM-PARTITION-KEPT]")) << lab.tail();
}

TEST(RuntimePartitions, AStandbyRefusesChangesAndNamesTheMaster) {
  Pair lab;
  lab.start_both(false);
  Api standby(lab.runtime, lab.instances.back());
  const auto outcome = standby.begin(sm::web::Method::post, "/v1/partitions", {{"p_key", "0x10"}});
  ASSERT_TRUE(lab.runtime.run_until([&] { return outcome->done; }, 10s));
  EXPECT_EQ(outcome->value->status, 503u);
  EXPECT_THAT(outcome->value->body, testing::HasSubstr("is not MASTER; the MASTER is "));
  EXPECT_THAT(outcome->value->body, testing::HasSubstr(lab.guid_text("H0")));
}

}  // namespace runtime_partitions_test
