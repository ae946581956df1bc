// Answers of subnet administration while hosts appear and disappear: no message is older than the
// snapshot that an earlier message was made of. In virtual time; events overlap with sweeps.

#include <map>
#include <set>
#include <utility>
#include <vector>

#include "sim/sa_lab.h"
#include "sm/ctl/topology/generators.h"
#include "support/seeds.h"

namespace order_of_answers_test {

using namespace laboratory;

constexpr unsigned kEvents = 20, kQueriesToAnEvent = 70, kClosely = 40;
constexpr std::uint16_t kInService = 64, kOutOfService = 65;

std::uint16_t trap_of(const sim::SaClient::Report& report) {
  return static_cast<std::uint16_t>(report.notice[4] << 8 | report.notice[5]);
}
/// GIDADDR of traps 64 and 65 (IBTA Vol 1, 13.4.9): its lower half.
mad::Guid find_guid(const sim::SaClient::Report& report) {
  mad::Guid guid;
  for (std::size_t byte = 24; byte < 32; ++byte) guid.value = guid.value << 8 | report.notice[byte];
  return guid;
}

/// Hosts whose power is switched while one host asks for paths to them again and again, and
/// subscribes to what the manager reports of ports.
class Watch {
 public:
  explicit Watch(std::uint64_t seed)
      : dice_(seed),
        lab_(topology::xgft({.children = {4, 4}, .parents = {1, 4}, .cables = {}}), seed) {}

  void run() {
    for (const sim::NodeModel& node : lab_.model.nodes)
      if (!node.is_switch()) hosts_.push_back({.name = node.description});
    ASSERT_TRUE(lab_.start_and_settle()) << lab_.tail();
    hosts_.erase(hosts_.begin(), hosts_.begin() + 2);  // the manager's, and the one that asks
    for (Host& host : hosts_) host.gid = lab_.host(host.name).gid();
    client_ = &lab_.host("H1");
    ASSERT_EQ(lab_.read_status("H1", lab_.subscribe_request()), mad::status::kOk);
    for (unsigned event = 0; event < kEvents && !testing::Test::HasFailure(); ++event) {
      Host& host = hosts_[dice_.below(4)];
      switch_power(host);
      // Requests for a host that has just left are not answered: they would fail for good.
      if (!host.power && dice_.percent(70)) lab_.runtime.run_for(11s);
      const unsigned queries = dice_.chance(0.5) ? kQueriesToAnEvent : dice_.below(kClosely);
      for (unsigned query = 0; query < queries; ++query) {
        for (std::size_t at = 0; at < 4; ++at) ask(at, Asked{});
        lab_.runtime.run_for(query < kClosely ? 1ms : 50ms);
        look_at_reports();
        take_answers();
      }
    }
    lab_.runtime.run_for(1s);
    take_answers();
    EXPECT_GT(reports_, kEvents / 2) << lab_.tail();
    EXPECT_GT(changes_, kEvents / 4) << lab_.tail();
    EXPECT_GT(judged_reports_, 0u);
  }

 private:
  struct Host {
    std::string name;
    mad::Gid gid{};
    bool power = true;
    unsigned times_switched = 0;
    bool has_path = true;  // by the answer to the last request that was answered
    unsigned changes = 0;  // of has_path
  };
  /// Why a path was asked for.
  struct Asked {
    std::uint16_t after_report_of = 0;  // a trap; 0: none
    unsigned times_switched = 0;        // when the report came
  };

  void switch_power(Host& host) {
    host.power = !host.power;
    ++host.times_switched;
    lab_.world.power(lab_.owning_node(lab_.port(host.name)), host.power);
  }
  void ask(std::size_t host, Asked why) {
    asked_[client_->post(lab_.path_request("H1", hosts_[host].gid))] = {host, why};
  }
  void look_at_reports() {
    for (; reports_ < client_->reports.size(); ++reports_) {
      const sim::SaClient::Report& report = client_->reports[reports_];
      const std::uint16_t trap = trap_of(report);
      if (trap != kInService && trap != kOutOfService) continue;
      for (std::size_t at = 0; at < hosts_.size(); ++at)
        if (hosts_[at].gid.guid == find_guid(report))
          ask(at, {.after_report_of = trap, .times_switched = hosts_[at].times_switched});
    }
  }
  /// In the order of requests.
  void take_answers() {
    for (auto next = asked_.begin(); next != asked_.end();) {
      const auto reply = client_->take_reply(next->first);
      if (!reply) {
        ++next;
        continue;
      }
      const auto& [at, why] = next->second;
      judge(hosts_[at], why, *reply);
      next = asked_.erase(next);
    }
  }
  void judge(Host& host, const Asked& why, const sim::SaReply& reply) {
    const bool has_path = reply.status() == mad::status::kOk;
    if (has_path != host.has_path) {
      host.has_path = has_path;
      ++host.changes;
      ++changes_;
    }
    // An answer that is older than the one before would be a change without an event.
    EXPECT_LE(host.changes, host.times_switched) << host.name << lab_.tail();
    if (why.after_report_of == 0 || why.times_switched != host.times_switched) return;
    // Reports are as new as what made them, if nothing happened since.
    const bool is_in_service = why.after_report_of == kInService;
    if (is_in_service != host.power) return;  // of the event before
    ++judged_reports_;
    EXPECT_EQ(has_path, is_in_service)
        << host.name << " after a report of trap " << why.after_report_of << lab_.tail();
    if (!has_path) return;
    const mad::PathRecord path(std::span<const std::uint8_t, mad::PathRecord::kBytes>(
        reply.records.data(), mad::PathRecord::kBytes));
    const sim::Walk walk =
        sim::walk_unicast(lab_.model, lab_.port("H1"),
                          {.dlid = path.get<mad::Lid, "DLID">(), .sl = path.get<mad::Sl, "SL">()});
    EXPECT_TRUE(walk.delivered()) << host.name << lab_.tail();
    EXPECT_EQ(walk.end, lab_.port(host.name)) << lab_.tail();
  }

  topology::Random dice_;
  SaLab lab_;
  std::vector<Host> hosts_;
  sim::SaClient* client_ = nullptr;
  std::map<std::uint64_t, std::pair<std::size_t, Asked>> asked_;  // by transaction id
  std::size_t reports_ = 0;
  std::size_t changes_ = 0, judged_reports_ = 0;
};

TEST(OrderOfAnswers, NoMessageIsOlderThanTheSnapshotOfAnEarlierOne) {
  seeds::for_each(100, [](std::uint64_t seed) { Watch(seed).run(); });
}

}  // namespace order_of_answers_test
