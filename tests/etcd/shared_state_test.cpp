// Two daemons share their state by etcd: what hosts registered with the first one is answered by
// the second one, which asks none of them to register again. Whatever happens to etcd, the fabric
// stays managed.

#include "etcd/etcd_client.h"
#include "etcd/etcd_server.h"
#include "ibsim/fixture.h"
#include "mad/format.h"

namespace harness {
namespace shared_state_test {

class SharedState : public OnIbsim {
 protected:
  void SetUp() override {
    OnIbsim::SetUp();
    if (has_ended()) return;
    HEDDLE_REQUIRE_TOOL("etcd", "etcd-server");
    start_fabric(sample_net("fattree2-16h"));
  }
  SubnetManager& start_heddle(const std::string& host, const std::string& priority) {
    return start_sm({.kind = SmKind::heddle,
                     .host = host,
                     .conf = fmt::format("sm_priority {}\nstate_store etcd\netcd_endpoints {}\n"
                                         "sm_key 0x5ec2e7\nsweep_interval 1\n",
                                         priority, server_->url())});
  }
  std::string poke(const std::vector<std::string>& request, const std::string& host) {
    std::vector<std::string> argv{SA_POKE_PROGRAM};
    argv.insert(argv.end(), request.begin(), request.end());
    return fabric().run(argv, {.host = host}).out;
  }
  /// A ServiceRecord of this ID and of host "H0-1"'s port, with an endless lease.
  std::string service(const std::string& method, unsigned id = 0x1234) {
    std::string record = fmt::format("{:016x}fe80000000000000{:016x}ffff0000ffffffff", id, guid_);
    record.resize(2 * 176, '0');
    return poke({method, "0x31", "0", "0x17", "0", record}, "H0-1");
  }
  static constexpr const char *kGet = "1", *kSet = "2";

  /// "H0-0" is MASTER, a service is registered with it; "H1-1" is its standby and has read it.
  void start_pair(std::vector<std::string> etcd_arguments = {}) {
    server_.emplace(std::move(etcd_arguments));
    first_ = &start_heddle("H0-0", "2");
    ASSERT_TRUE(first_->wait_subnet_up()) << first_->tail();
    Problems problems;
    guid_ = discover(fabric(), {}, problems).end_ports.begin()->second.port_guid;
    ASSERT_THAT(service(kSet), IsOk()) << first_->tail();
    second_ = &start_heddle("H1-1", "1");
    ASSERT_TRUE(second_->wait_log("Entering STANDBY state")) << second_->tail();
    EXPECT_TRUE(until([&] {
      const std::string log = second_->log();
      return log.find("SM-STORE-BEHIND") == std::string::npos ||
             log.find("cleared: the state store lacks") != std::string::npos;
    }));
    EXPECT_TRUE(until([&] { return stored() > 0; }));
  }
  void expect_takeover() {
    first_->kill();
    ASSERT_TRUE(second_->wait_log("SUBNET UP")) << second_->tail();
    const Problems wrong = check_fabric(fabric(), {.traces_max = 10});
    EXPECT_TRUE(wrong.empty()) << text_of(wrong);
  }
  static ::testing::Matcher<std::string> IsOk() { return ::testing::HasSubstr("status 0x0000"); }
  template <class Condition>
  static bool until(Condition condition) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (std::chrono::steady_clock::now() < end) {
      if (condition()) return true;
      short_pause();
    }
    return condition();
  }
  /// Records that the managers share; 0 if the server does not answer.
  std::size_t stored() {
    if (!reader_) reader_ = client_.open(server_->url());
    const auto read = client_.run(reader_->read("/heddle/"));
    return read ? read->entries.size() : 0;
  }

  std::optional<etcd_test::EtcdServer> server_;
  etcd_test::EtcdClient client_;
  std::shared_ptr<sm::etcd::EtcdStore> reader_;
  SubnetManager *first_ = nullptr, *second_ = nullptr;
  std::uint64_t guid_ = 0;
};

TEST_F(SharedState, TakeoverAnswersWhatWasRegisteredWithTheFirstManager) {
  start_pair();
  if (HasFatalFailure()) return;
  expect_takeover();
  if (HasFatalFailure()) return;
  EXPECT_THAT(second_->log(), ::testing::HasSubstr("took over")) << second_->tail();
  EXPECT_THAT(second_->log(),
              ::testing::Not(::testing::HasSubstr("clients have to register again")));
  EXPECT_THAT(service(kGet), IsOk()) << second_->tail();
}

/// Hosts register with the master as before. The standby takes over with what it had read, and says
/// what may be missing; the store gets everything when it is back.
TEST_F(SharedState, EtcdIsKilledUnderTheRunningPair) {
  start_pair();
  if (HasFatalFailure()) return;
  server_->kill();
  EXPECT_THAT(service(kSet, 0x1235), IsOk());
  EXPECT_TRUE(first_->wait_log("SM-STORE-UNREACHABLE")) << first_->tail();
  expect_takeover();
  if (HasFatalFailure()) return;
  EXPECT_THAT(second_->log(), ::testing::HasSubstr("clients have to register again"));
  EXPECT_THAT(service(kGet), IsOk()) << second_->tail();
  EXPECT_THAT(service(kSet, 0x1235), IsOk());
  server_->start();
  EXPECT_TRUE(second_->wait_log("cleared: the state store cannot be used")) << second_->tail();
  EXPECT_TRUE(until([&] { return stored() > 0; }));
}

TEST_F(SharedState, EtcdHangsUnderTheRunningPair) {
  start_pair();
  if (HasFatalFailure()) return;
  const std::size_t before = stored();
  server_->pause();
  EXPECT_THAT(service(kSet, 0x1235), IsOk());
  EXPECT_TRUE(first_->wait_log("SM-STORE-UNREACHABLE")) << first_->tail();
  server_->resume();
  EXPECT_TRUE(first_->wait_log("cleared: the state store cannot be used")) << first_->tail();
  EXPECT_TRUE(until([&] { return stored() == before + 1; })) << stored() << " " << before;
  expect_takeover();
  if (HasFatalFailure()) return;
  EXPECT_THAT(service(kGet, 0x1235), IsOk()) << second_->tail();
}

TEST_F(SharedState, EtcdIsFullUnderTheRunningPair) {
  start_pair({"--quota-backend-bytes=2000000"});
  if (HasFatalFailure()) return;
  EXPECT_FALSE(client_.fill(*reader_));
  EXPECT_THAT(service(kSet, 0x1235), IsOk());
  EXPECT_TRUE(first_->wait_log("SM-STORE-UNREACHABLE")) << first_->tail();
  EXPECT_THAT(service(kGet, 0x1235), IsOk());
  expect_takeover();
  if (HasFatalFailure()) return;
  EXPECT_THAT(service(kGet), IsOk()) << second_->tail();
}

/// The master gives the store everything again.
TEST_F(SharedState, EtcdLosesItsDataUnderTheRunningPair) {
  start_pair();
  if (HasFatalFailure()) return;
  const std::size_t before = stored();
  server_->kill();
  server_->wipe();
  server_->start();
  EXPECT_THAT(service(kSet, 0x1235), IsOk());
  EXPECT_TRUE(until([&] { return stored() == before + 1; })) << stored() << " " << before;
  expect_takeover();
  if (HasFatalFailure()) return;
  for (const unsigned id : {0x1234u, 0x1235u})
    EXPECT_THAT(service(kGet, id), IsOk()) << second_->tail();
}

}  // namespace shared_state_test
}  // namespace harness
