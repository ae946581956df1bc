// Two managers without a state store: what the API of one has made stays in the fabric when the
// other one takes over, and a person decides.

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "sim/partition_api.h"
#include "sm/sweep/devices/key_origins.h"

namespace kept_partitions_test {

using laboratory::Instance;
using nlohmann::json;
using partition_api::Api;
using partition_api::get_keys;
using partition_api::Keys;
using partition_api::Pair;
using namespace std::chrono_literals;

/// A manager without a state store, and its standby. The first one makes "H3" and "H4" members.
class WithoutStateStore : public testing::Test {
 protected:
  void TearDown() override {
    if (is_suspended_) lab.instances.front().resume();
    lab.runtime.run_for(5s);
  }
  void start() {
    lab.start_both(false);
    Api to_first(lab.runtime, first());
    for (const char* const host : {"H3", "H4"}) to_first.add("0x10", lab.guid_text(host));
    ASSERT_EQ(keys("H3"), (Keys{0xffff, 0x8010}));
    lab.runtime.run_for(20s);  // the standby reads it
  }
  /// The second one becomes MASTER. No member loses its key at any time.
  void take_over() {
    bool was_lost = false;
    ASSERT_TRUE(lab.runtime.run_until(
        [&] {
          was_lost = was_lost || !keys("H3").contains(0x8010) || !keys("H4").contains(0x8010);
          return is_master();
        },
        5min))
        << second().tail();
    lab.runtime.run_for(3s);
    EXPECT_FALSE(was_lost);
  }
  void start_and_take_over() {
    ASSERT_NO_FATAL_FAILURE(start());
    first().stop();
    take_over();
  }
  /// The first one starts again, and becomes MASTER.
  void return_first() {
    config::Options own;
    own.sm_priority = 2;
    first().forget_log();
    first().start(own);
    ASSERT_TRUE(lab.runtime.run_until(
        [&] {
          return first().manager().status().state == mad::SmState::master &&
                 first().says("SUBNET UP");
        },
        5min))
        << first().tail();
    lab.runtime.run_for(3s);
  }
  /// As by kill -9: the first one sends nothing any more.
  void suspend_first() {
    first().suspend();
    is_suspended_ = true;
  }
  bool is_master() {
    return second().manager().status().state == mad::SmState::master && second().says("SUBNET UP");
  }
  Instance& first() { return lab.instances.front(); }
  Instance& second() { return lab.instances.back(); }
  Api api() { return {lab.runtime, second()}; }
  Keys keys(const std::string& host) const { return get_keys(lab.model, lab.port(host)); }
  json kept() { return api().get("/v1/partitions/kept")["kept"]; }
  void resolve(const char* action, const json& body) {
    const json answer =
        api().send(sm::web::Method::post, std::string("/v1/partitions/kept/") + action, body);
    EXPECT_EQ(answer["applied"], true) << answer;
  }

  Pair lab;

 private:
  bool is_suspended_ = false;
};

TEST_F(WithoutStateStore, AMasterNamesTheStandbyThatLacksItsPartitions) {
  ASSERT_NO_FATAL_FAILURE(start());
  EXPECT_TRUE(first().says("[SM-STANDBY-WITHOUT-STATE]")) << first().tail();
  json body;
  body["p_key"] = "0x12";
  const json answer = Api(lab.runtime, first()).send(sm::web::Method::post, "/v1/partitions", body);
  EXPECT_EQ(answer["replicated"], 0) << answer;
  second().stop();
  lab.runtime.run_for(1min);
  EXPECT_TRUE(first().says("cleared: the partitions of the API")) << first().tail();
}

TEST_F(WithoutStateStore, KeysOfAKilledManagerStayAndAreNamed) {
  ASSERT_NO_FATAL_FAILURE(start());
  suspend_first();
  ASSERT_NO_FATAL_FAILURE(take_over());
  EXPECT_EQ(keys("H3"), (Keys{0xffff, 0x8010})) << second().tail();
  EXPECT_EQ(keys("H4"), (Keys{0xffff, 0x8010}));
  EXPECT_TRUE(second().says("[SM-PARTITION-KEPT]")) << second().tail();
  const json list = kept();
  ASSERT_EQ(list.size(), 2u) << list;
  EXPECT_EQ(list[0]["p_key"], "0x0010");
  EXPECT_EQ(list[0]["membership"], "full");
  const auto subnet = second().manager().status().subnet;
  EXPECT_NE(subnet->partitions.find({0x8010}), nullptr) << "subnet administration answers";
}

/// Without both, IPoIB in the partition stops.
TEST_F(WithoutStateStore, SubnetAdministrationAnswersForKeptKeys) {
  ASSERT_NO_FATAL_FAILURE(start_and_take_over());
  sim::SaRequest request = lab.path_request("H3", lab.host("H4").gid());
  mad::PathRecord record(std::span<const std::uint8_t, mad::PathRecord::kBytes>(
      request.record.data(), mad::PathRecord::kBytes));
  record.set<"P_Key">(mad::PKey{0x8010});
  request.record.assign(record.bytes().begin(), record.bytes().end());
  request.component_mask |= lab.bits({mad::PathRecordFields::kPKey});
  EXPECT_EQ(lab.read_status("H3", request), 0u);
  record.set<"SGID.guid">(lab.host("H1").gid().guid);
  request.record.assign(record.bytes().begin(), record.bytes().end());
  EXPECT_NE(lab.read_status("H1", request), 0u) << "it does not have the key";
  const auto group = lab.join("H3", {0xff12401b80100000, mad::Guid{0xffffffff}});
  ASSERT_TRUE(group);
  EXPECT_EQ(group->p_key(), mad::PKey{0x8010});
}

TEST_F(WithoutStateStore, KeysOfAStoppedManagerStay) {
  ASSERT_NO_FATAL_FAILURE(start_and_take_over());
  EXPECT_EQ(keys("H3"), (Keys{0xffff, 0x8010})) << second().tail();
}

TEST_F(WithoutStateStore, KeptKeysThatAreAdoptedAreMembershipsOfTheApi) {
  ASSERT_NO_FATAL_FAILURE(start_and_take_over());
  json body;
  body["p_key"] = "0x10";
  resolve("adopt", body);
  EXPECT_EQ(kept().size(), 0u);
  EXPECT_TRUE(second().says("cleared: ")) << second().tail();
  EXPECT_EQ(api().get("/v1/partitions/0x10/members")["members"].size(), 2u);
  lab.reboot(lab.owning_node(lab.port("H3")));
  lab.runtime.run_for(5s);
  EXPECT_EQ(keys("H3"), (Keys{0xffff, 0x8010})) << "it is written again";
}

TEST_F(WithoutStateStore, KeptKeysThatAreDiscardedAreRemoved) {
  ASSERT_NO_FATAL_FAILURE(start_and_take_over());
  json body;
  body["p_key"] = "0x10";
  body["guids"] = json::array({lab.guid_text("H3")});
  resolve("discard", body);
  EXPECT_EQ(keys("H3"), Keys{0xffff}) << second().tail();
  EXPECT_EQ(keys("H4"), (Keys{0xffff, 0x8010})) << "the request did not name it";
  json all;
  all["all"] = true;
  resolve("discard", all);
  EXPECT_EQ(keys("H4"), Keys{0xffff});
  EXPECT_EQ(kept().size(), 0u);
}

TEST_F(WithoutStateStore, APortThatRestartsDoesNotGetAKeptKeyAgain) {
  ASSERT_NO_FATAL_FAILURE(start_and_take_over());
  lab.reboot(lab.owning_node(lab.port("H3")));
  lab.runtime.run_for(5s);
  EXPECT_EQ(keys("H3"), Keys{0xffff});
  EXPECT_EQ(kept().size(), 1u);
}

TEST_F(WithoutStateStore, KeptKeysSurviveARestartOfTheManager) {
  ASSERT_NO_FATAL_FAILURE(start_and_take_over());
  second().stop();
  second().forget_log();
  config::Options own;
  own.sm_priority = 1;
  second().start(own);
  ASSERT_TRUE(lab.runtime.run_until([&] { return is_master(); }, 30s)) << second().tail();
  lab.runtime.run_for(3s);
  EXPECT_EQ(keys("H3"), (Keys{0xffff, 0x8010})) << second().tail();
  EXPECT_EQ(kept().size(), 2u);
}

TEST_F(WithoutStateStore, AKeyThatAHostGivesItselfIsNotKept) {
  ASSERT_NO_FATAL_FAILURE(start());
  first().stop();
  mad::PKeyTable own = lab.model.p_keys(lab.port("H4"), 0);
  own.set_p_key(5, mad::PKey{0x8666});
  lab.model.set_p_keys(lab.port("H4"), 0, own);
  ASSERT_NO_FATAL_FAILURE(take_over());
  EXPECT_EQ(keys("H4"), (Keys{0xffff, 0x8010})) << "the switch port does not have it";
}

TEST_F(WithoutStateStore, WhatTheNewMasterEndsItselfGoes) {
  ASSERT_NO_FATAL_FAILURE(start_and_take_over());
  api().add("0x11", lab.guid_text("H3"));
  EXPECT_TRUE(keys("H3").contains(0x8011));
  api().remove("0x11", lab.guid_text("H3"));
  EXPECT_EQ(keys("H3"), (Keys{0xffff, 0x8010}));
}

TEST_F(WithoutStateStore, AManagerKeepsWhatAnotherMasterHasMadeSinceItLed) {
  ASSERT_NO_FATAL_FAILURE(start_and_take_over());
  api().add("0x11", lab.guid_text("H4"));
  ASSERT_NO_FATAL_FAILURE(return_first());
  EXPECT_EQ(keys("H3"), (Keys{0xffff, 0x8010})) << "of its own journal";
  EXPECT_EQ(keys("H4"), (Keys{0xffff, 0x8010, 0x8011})) << first().tail();
  Api of_first(lab.runtime, first());
  EXPECT_EQ(of_first.get("/v1/partitions/kept")["kept"].size(), 1u);
}

TEST_F(WithoutStateStore, WhatPortsKeepIsOnDiskBeforeTheyShowTheNewMaster) {
  ASSERT_NO_FATAL_FAILURE(start_and_take_over());
  ASSERT_NO_FATAL_FAILURE(return_first());
  Api(lab.runtime, first()).add("0x12", lab.guid_text("H4"));
  lab.runtime.run_for(20s);  // the standby reads it
  const auto of_second = [&] {
    return sm::load_key_origins(second().folder(), ~std::uint64_t{0}).origins;
  };
  EXPECT_TRUE(of_second().is_complete) << "it was MASTER";
  suspend_first();
  const mad::Lid lid = lab.info(second().port()).lid();
  ASSERT_TRUE(
      lab.runtime.run_until([&] { return lab.info(lab.port("H3")).master_sm_lid() == lid; }, 5min))
      << second().tail();
  const partitions::KeyOrigins then = of_second();
  const bool is_kept =
      std::ranges::find(then.kept, mad::PKey{0x8012}, &partitions::KeptKey::key) != then.kept.end();
  EXPECT_TRUE(!then.is_complete || is_kept) << "a kill now loses no key";
}

TEST(WithStateStore, ExplainsOnlyWhatTheFirstSurveyFinds) {
  Pair lab;
  ASSERT_NO_FATAL_FAILURE(lab.start_both(true));
  lab.instances.pop_front();
  ASSERT_TRUE(lab.second_is_master());
  Instance& second = lab.instances.back();
  config::Options options = second.options();
  options.part_enforce = config::PartEnforce::off;
  second.reload(options);
  lab.runtime.run_for(5s);
  const sim::PortIndex host = lab.port("H4"), front = lab.far(host);
  lab.world.cut(host);
  lab.runtime.run_for(laboratory::kLightSweep);
  // The manager of another part of the subnet makes the host a member.
  mad::PKeyTable table = lab.model.p_keys(host, 0);
  table.set_p_key(5, mad::PKey{0x8044});
  lab.model.set_p_keys(host, 0, table);
  lab.info(host).set_master_sm_lid(mad::Lid{0x777});
  lab.plug(host, front);
  lab.runtime.run_for(laboratory::kLightSweep);
  EXPECT_TRUE(get_keys(lab.model, host).contains(0x8044)) << second.tail();
  EXPECT_TRUE(second.says("[SM-PARTITION-KEPT]")) << second.tail();
}

TEST(WithPeers, AMasterNamesTheStandbyThatIsNotConnected) {
  Pair lab;
  lab.server.held = sm::StoreCopies{.configured = 1, .connected = 0, .current = 0};
  ASSERT_NO_FATAL_FAILURE(lab.start_both(true));
  const Instance& first = lab.instances.front();
  Api(lab.runtime, lab.instances.front()).add("0x10", lab.guid_text("H3"));
  lab.runtime.run_for(20s);
  EXPECT_TRUE(first.says("[SM-STANDBY-WITHOUT-STATE]")) << first.tail();
  EXPECT_TRUE(first.says("since no manager of state_peers is connected")) << first.tail();
}
TEST(WithPeers, AMasterNamesAnotherManagerThatIsNotAmongThem) {
  Pair lab;
  lab.server.held = sm::StoreCopies{.configured = 1, .connected = 1, .current = 1};
  lab.server.others = {{.address = "sm-2", .port_guid = lab.guid("H2"), .connected = true}};
  ASSERT_NO_FATAL_FAILURE(lab.start_both(true));
  Instance& first = lab.instances.front();
  Api(lab.runtime, first).add("0x10", lab.guid_text("H3"));
  lab.runtime.run_for(20s);
  EXPECT_TRUE(first.says("connected ones of state_peers alone: \"H5\"")) << first.tail();
}
TEST(WithPeers, AMasterNamesNoManagerThatIsConnected) {
  Pair lab;
  lab.server.held = sm::StoreCopies{.configured = 1, .connected = 1, .current = 1};
  lab.server.others = {{.address = "sm-2", .port_guid = lab.guid("H5"), .connected = true}};
  ASSERT_NO_FATAL_FAILURE(lab.start_both(true));
  const Instance& first = lab.instances.front();
  Api(lab.runtime, lab.instances.front()).add("0x10", lab.guid_text("H3"));
  lab.runtime.run_for(20s);
  EXPECT_FALSE(first.says("[SM-STANDBY-WITHOUT-STATE]")) << first.tail();
}

}  // namespace kept_partitions_test
