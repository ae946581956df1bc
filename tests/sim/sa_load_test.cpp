// Requests that subnet administration cannot answer now: bursts, floods, and what succeeds when it
// is repeated. A status is final for Linux clients, silence is not.

#include <gmock/gmock.h>

#include "sim/sa_lab.h"
#include "sm/ctl/topology/generators.h"

namespace sa_load_test {

using namespace laboratory;
namespace status = mad::status;

class SaLoad : public ::testing::Test {
 protected:
  SaLab lab{topology::xgft({.children = {4, 4}, .parents = {1, 4}, .cables = {}})};
  std::vector<std::string> hosts;

  void SetUp() override {
    for (const sim::NodeModel& node : lab.model.nodes) {
      if (!node.is_switch()) hosts.push_back(node.description);
    }
    ASSERT_TRUE(lab.start_and_settle()) << lab.tail();
  }
  const std::string& h(std::size_t at) const { return hosts.at(at); }
};

TEST_F(SaLoad, AClientThatStopsInATransferDelaysNoOther) {
  lab.host(h(4)).acknowledges = false;
  for (int i = 0; i < 20; ++i)
    lab.host(h(4)).post(
        {.method = mad::Method::get_table, .attribute = mad::SaAttributeId::path_record});
  lab.runtime.run_for(10ms);
  EXPECT_EQ(lab.administrator().transfers().running(), sa::Transfers::kPlaces.per_port);
  EXPECT_EQ(lab.administrator().statistics().of(sa::Drop::no_room),
            20 - sa::Transfers::kPlaces.per_port);
  EXPECT_TRUE(lab.host(h(4)).replies().empty()) << "a repeated request may find room";
  EXPECT_TRUE(lab.host(h(5)).query(
      {.method = mad::Method::get_table, .attribute = mad::SaAttributeId::path_record}));
  lab.runtime.run_for(1min);
  EXPECT_EQ(lab.administrator().transfers().running(), 0u);
}

/// A job starts on a host while the manager is held. Its kernel takes every status as final.
TEST_F(SaLoad, AThousandPathRequestsOfOneHostWhileTheManagerIsHeldAreAllAnswered) {
  const sim::SaRequest question = lab.path_request(h(4), lab.host(h(9)).gid());
  lab.runtime.handler_time = 400ms;
  for (int i = 0; i < 1000; ++i) lab.host(h(4)).post(question);
  lab.runtime.run_for(400ms);
  lab.runtime.handler_time = {};
  lab.settle();
  EXPECT_EQ(lab.host(h(4)).replies().size(), 1000u);
  for (const auto& [id, reply] : lab.host(h(4)).replies()) ASSERT_EQ(reply.status(), status::kOk);
  EXPECT_EQ(lab.administrator().statistics().busy(), 0u);
}

TEST_F(SaLoad, OfAFloodSomeRequestsAreDroppedAndOthersAreServed) {
  lab.runtime.handler_time = 400ms;  // the manager is held
  for (int i = 0; i < 8000; ++i)
    lab.host(h(4)).post(
        {.method = mad::Method::get, .attribute = mad::SaAttributeId::class_port_info});
  lab.host(h(5)).post(
      {.method = mad::Method::get, .attribute = mad::SaAttributeId::class_port_info});
  lab.runtime.run_for(400ms);
  lab.runtime.handler_time = {};
  ASSERT_TRUE(lab.runtime.run_until([&] { return lab.host(h(5)).replies().size() == 1; }, 10s));
  EXPECT_EQ(lab.host(h(5)).replies().begin()->second.status(), 0);
  lab.settle();
  const std::uint64_t dropped = lab.administrator().statistics().of(sa::Drop::queue_full);
  EXPECT_GT(dropped, 3000u);
  EXPECT_EQ(lab.host(h(4)).replies().size() + dropped, 8000u);
  for (const auto& [id, reply] : lab.host(h(4)).replies()) ASSERT_EQ(reply.status(), status::kOk);
  EXPECT_TRUE(lab.says("[SA-BUSY]"));
  EXPECT_TRUE(lab.path(h(4), lab.host(h(9)).gid()));
}

/// A survey has missed the host, or its LID has changed.
TEST_F(SaLoad, ARequestFromAnUnknownLidIsNotAnsweredCountedAndReported) {
  const sim::SaRequest question = lab.path_request(h(4), lab.host(h(9)).gid());
  sim::PortModel& port = lab.model.ports[lab.port(h(4))];
  const mad::Lid lid = port.info.lid();
  port.info.set_lid(mad::Lid{0x777});
  lab.host(h(4)).post(question);
  lab.runtime.run_for(100ms);
  port.info.set_lid(lid);
  EXPECT_TRUE(lab.host(h(4)).replies().empty());
  EXPECT_EQ(lab.administrator().statistics().of(sa::Drop::unknown_lid), 1u);
  EXPECT_EQ(lab.administrator().statistics().refused, 0u);
  EXPECT_TRUE(lab.says("request of an unknown port with LID 1911: not answered")) << lab.tail();
  EXPECT_TRUE(lab.path(h(4), lab.host(h(9)).gid())) << "its next request";
}

/// Linux takes "no records" as final: a connection would fail that succeeds a second later.
TEST_F(SaLoad, APathToAHostThatOneSurveyHasMissedIsDeniedOnlyIfItStaysAbsent) {
  const mad::Gid missed = lab.host(h(9)).gid();
  const sim::SaRequest question = lab.path_request(h(4), missed);
  const auto answer = [&]() -> std::optional<std::uint16_t> {
    const std::uint64_t id = lab.host(h(4)).post(question);
    lab.runtime.run_for(100ms);
    const auto reply = lab.host(h(4)).take_reply(id);
    return reply ? std::optional(reply->status()) : std::nullopt;
  };
  auto& health = lab.model.nodes[lab.owning_node(lab.port(h(9)))].health;
  const auto is_missed = [&] {
    return lab.heddle().manager().status().subnet->find(missed.guid).port == fabric::kNoIndex;
  };
  for (const bool restarts : {false, true}) {
    health.silent = true;  // its link stays up
    if (restarts) {
      lab.heddle().stop();
      lab.heddle().start(lab.options);
      ASSERT_TRUE(lab.comes_up()) << lab.tail();
    } else {
      lab.heddle().reload(lab.options);
    }
    ASSERT_TRUE(lab.runtime.run_until(is_missed, 5min)) << lab.tail();
    EXPECT_EQ(answer(), std::nullopt) << "a repetition may find it";
    EXPECT_GE(lab.administrator().statistics().of(sa::Drop::recent_end), 1u);
    lab.runtime.run_for(sa::RecentEnds::kTime);
    EXPECT_EQ(answer(), mad::sa_status::kNoRecords) << "it stays absent";
    health.silent = false;
    ASSERT_TRUE(lab.runtime.run_until([&] { return !is_missed(); }, 5min)) << lab.tail();
    EXPECT_EQ(answer(), status::kOk);
  }
}

/// Each of them scans all services, and is longer than a slice.
TEST_F(SaLoad, LongGetsOfOneHostWaitForRoomAndAreAllAnswered) {
  for (const std::string& name : hosts) {
    for (unsigned i = 0; i < 100; ++i) {
      mad::ServiceRecord record;
      record.set_service_id(i);
      record.set_service_gid(lab.host(name).gid());
      record.set_lease(mad::ServiceRecord::kForever);
      using M = mad::ServiceRecord;
      lab.host(name).post(SaLab::request(mad::Method::set, record,
                                         SaLab::bits({M::kServiceId, M::kServiceGid, M::kLease})));
    }
  }
  lab.runtime.run_for(1s);
  ASSERT_GT(lab.administrator().registrations().services.all().size(), sa::kStepsPerSlice);
  lab.host(h(4)).acknowledges = false;  // its tables keep their places
  mad::ServiceRecord named;
  named.name()[0] = 1;
  const sim::SaRequest scan =
      SaLab::request(mad::Method::get, named, SaLab::bits({mad::ServiceRecord::kName}));
  for (int i = 0; i < 20; ++i)
    lab.host(h(4)).post(
        {.method = mad::Method::get_table, .attribute = mad::SaAttributeId::path_record});
  for (int i = 0; i < 300; ++i) lab.host(h(4)).post(scan);
  const std::uint64_t other = lab.host(h(5)).post(lab.path_request(h(5), lab.host(h(9)).gid()));
  lab.runtime.run_for(10s);
  EXPECT_TRUE(lab.host(h(5)).replies().contains(other));
  std::size_t denied = 0;
  for (const auto& [id, reply] : lab.host(h(4)).replies())
    denied += reply.status() == mad::sa_status::kNoRecords ? 1u : 0u;
  EXPECT_EQ(denied, 300u);
}

/// As many as a subnet of 20,000 hosts sends at once after its manager has restarted: path queries,
/// joins, services and subscriptions. The manager is busy while they arrive.
TEST(SaBoot, TwentyThousandRequestsAtTheSameMomentAreAllAnswered) {
  SaLab lab(topology::xgft({.children = {12, 12}, .parents = {1, 2}, .cables = {}}));
  ASSERT_TRUE(lab.start_and_settle()) << lab.tail();
  const unsigned kClients = 142, kEach = 141;
  std::vector<sim::SaClient*> clients;
  for (unsigned host = 1; host <= kClients; ++host)
    clients.push_back(&lab.host(fmt::format("H{}", host)));
  lab.runtime.handler_time = 1s;  // nothing is answered before all have asked
  lab.runtime.run_for(1s);
  for (unsigned i = 0; i < kEach; ++i) {
    for (unsigned host = 0; host < kClients; ++host) {
      const std::string name = fmt::format("H{}", host + 1);
      if (i == 0) {
        clients[host]->post(lab.join_request(name));
      } else if (i == 1) {
        mad::ServiceRecord service;
        service.set_service_id(0x1000 + host);
        service.set_service_gid(clients[host]->gid());
        using S = mad::ServiceRecord;
        clients[host]->post(
            lab.request(mad::Method::set, service, lab.bits({S::kServiceId, S::kServiceGid})));
      } else if (i == 2) {
        clients[host]->post(lab.subscribe_request(64));
      } else {
        clients[host]->post(lab.path_request(name, clients[(host + i) % kClients]->gid()));
      }
    }
  }
  lab.runtime.run_for(1s);
  lab.runtime.handler_time = {};
  lab.runtime.run_for(1s);
  std::size_t good = 0;
  for (const sim::SaClient* client : clients)
    for (const auto& [id, reply] : client->replies()) good += reply.status() == status::kOk;
  EXPECT_EQ(good, std::size_t{kClients} * kEach) << lab.tail();
  EXPECT_EQ(lab.administrator().statistics().busy(), 0u);
  EXPECT_EQ(lab.administrator().registrations().services.all().size(), kClients);
  EXPECT_EQ(lab.administrator().registrations().groups.find(kBroadcast)->members.size(), kClients);
}

/// Neither of two changes at the same time is refused, nor one to a port that is late.
TEST_F(SaLoad, AnAliasThatCannotBeWrittenNowIsNotRefused) {
  for (sim::PortModel& port : lab.model.ports) port.info.set_guid_cap(8);
  lab.heddle().stop();
  lab.heddle().start(lab.options);
  ASSERT_TRUE(lab.comes_up());
  lab.settle();
  using G = mad::GuidInfoRecord;
  const auto change = [&](unsigned entry) {
    mad::GuidInfoRecord record;
    record.set_lid(lab.host(h(5)).lid());
    mad::GuidInfo guids;
    guids.set_guid(entry, mad::Guid{0x1122334455667780u + entry});
    record.set_guid_info(guids);
    return lab.request(mad::Method::set, record,
                       lab.bits({G::kLid, G::kBlockNum, G::kGuid0 + entry}));
  };
  lab.host(h(5)).post(change(1));
  lab.host(h(5)).post(change(2));
  lab.runtime.run_for(100ms);
  ASSERT_EQ(lab.host(h(5)).replies().size(), 1u) << "the second one is to be repeated";
  EXPECT_EQ(lab.host(h(5)).replies().begin()->second.status(), status::kOk);
  EXPECT_EQ(lab.read_status(h(5), change(2)), status::kOk);
  lab.world.set_quality(lab.port(h(5)), {.lost = 1.0});
  // Another port's table, by a client that has sa_key.
  const auto trusted_change = [&] {
    sim::SaRequest request = change(3);
    request.sm_key = lab.options.sa_key;
    return request;
  };
  lab.host(h(1)).post(trusted_change());
  lab.runtime.run_for(5s);
  EXPECT_TRUE(lab.host(h(1)).replies().empty());
  lab.world.set_quality(lab.port(h(5)), {});
  EXPECT_EQ(lab.read_status(h(1), trusted_change()), status::kOk) << lab.tail();
  EXPECT_EQ(lab.administrator().statistics().of(sa::Drop::changing), 2u);
}

}  // namespace sa_load_test
