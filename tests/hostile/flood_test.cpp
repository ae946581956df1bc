// Hosts that send MADs of one kind or of many without pause: the manager's memory does not grow,
// other hosts are served, few log lines are written and few sweeps made.

#include <gtest/gtest.h>

#include "fabric/topology/random_source.h"
#include "sim/sa_lab.h"
#include "sm/ctl/topology/generators.h"
#include "support/flood_kinds.h"
#include "support/heap.h"

namespace flood_test {

using namespace laboratory;

constexpr mad::Duration kPause = 5ms;  // between two MADs
constexpr unsigned kWarmUp = 4'000;    // MADs after which all bounded tables are full
constexpr unsigned kMeasured = 8'000;
constexpr std::size_t kGrowthMax = 128 * 1024;  // bytes; 16 for each MAD
constexpr auto kMinutes = kMeasured * kPause / 1min + 1;

using floods::any_kind;
using floods::Kind;
using floods::kKinds;
using floods::Mad;
using floods::Make;
using floods::toggle_group;

/// Mean time of twenty path requests, each after an attack, by a manager whose handlers take 200
/// us.
mad::Duration mean_latency(SaLab& lab, const std::string& from, const std::string& to,
                           const std::function<void()>& attack) {
  lab.runtime.handler_time = 200us;
  mad::Duration sum{};
  for (int i = 0; i < 20; ++i) {
    attack();
    const mad::TimePoint begin = lab.runtime.now();
    EXPECT_TRUE(lab.path(from, lab.host(to).gid()));
    sum += lab.runtime.now() - begin;
  }
  lab.runtime.handler_time = {};
  return sum / 20;
}

class Flood : public ::testing::TestWithParam<Kind> {};

TEST_P(Flood, OfOneHostTakesNoMemoryAndDelaysOthersLittle) {
  SaLab lab(topology::xgft({.children = {5, 2}, .parents = {1, 2}, .cables = {}}));
  // Without an M_Key any host may set what agents hold, that of the manager's node included.
  lab.options.m_key = 0x1234;
  lab.options.m_key_protection_level = 1;
  ASSERT_TRUE(lab.start_and_settle()) << lab.tail();
  const auto attacker = lab.world.attach(lab.port("H3"));
  const mad::Gid own{0xfe80000000000000, lab.guid("H3")};
  const mad::MadAddress manager{.lid = lab.info(lab.own()).lid(), .qpn = 1, .qkey = mad::kQp1QKey};
  topology::Random dice(7);
  const auto send = [&](unsigned count) {
    for (unsigned i = 0; i < count; ++i) {
      const Mad bytes = GetParam().make(dice, own);
      const bool is_sa = bytes[1] == to_raw(mad::MgmtClass::sa);
      attacker->send(bytes, is_sa ? manager : mad::MadAddress{.lid = manager.lid}, 0);
      lab.runtime.run_for(kPause);
      lab.heddle().tap().responses.clear();
    }
  };
  const auto latency = [&](bool attacked) {
    return mean_latency(lab, "H7", "H8", [&] {
      if (attacked) send(1);
    });
  };
  const mad::Duration alone = latency(false);
  send(kWarmUp);
  EXPECT_LE(latency(true), 3 * alone);
  const std::uint64_t sweeps = lab.status().sweeps;
  lab.heddle().forget_log();
  const std::size_t before = support::heap_bytes();
  send(kMeasured);
  const std::size_t lines = lab.heddle().count("\n");
  lab.heddle().forget_log();
  const std::size_t after = support::heap_bytes();
  EXPECT_LE(after, before + kGrowthMax);
  EXPECT_LE(lines, 300u * kMinutes) << lab.tail();
  EXPECT_LE(lab.status().sweeps - sweeps, 65u * kMinutes);
  EXPECT_EQ(lab.complaint(), "");
  RecordProperty("growth_bytes", static_cast<int>(after) - static_cast<int>(before));
  std::cout << GetParam().name << ": " << static_cast<long>(after - before) << " bytes more after "
            << kMeasured << " MADs, " << lines << " lines, " << lab.status().sweeps - sweeps
            << " sweeps\n";
}

/// Four hosts flood, each with kinds of its own, while others subscribe to all notices.
TEST(Floods, OfSeveralKindsTogetherTakeNoMemoryAndDelayOthersLittle) {
  SaLab lab(topology::xgft({.children = {6, 3}, .parents = {1, 2}, .cables = {}}));
  lab.options.m_key = 0x1234;
  lab.options.m_key_protection_level = 1;
  ASSERT_TRUE(lab.start_and_settle()) << lab.tail();
  for (unsigned host = 8; host < 16; ++host)
    ASSERT_EQ(lab.read_status(fmt::format("H{}", host), lab.subscribe_request()), 0);
  struct Attacker {
    std::unique_ptr<sim::Attachment> attachment;
    mad::Gid own;
    Make make;
  };
  std::vector<Attacker> attackers;
  for (unsigned host = 2; host < 6; ++host) {
    const std::string name = fmt::format("H{}", host);
    attackers.push_back({lab.world.attach(lab.port(name)),
                         {0xfe80000000000000, lab.guid(name)},
                         host % 2 == 0 ? &any_kind : &toggle_group});
  }
  const mad::MadAddress manager{.lid = lab.info(lab.own()).lid(), .qpn = 1, .qkey = mad::kQp1QKey};
  topology::Random dice(7);
  const auto send = [&](unsigned rounds) {
    for (unsigned i = 0; i < rounds; ++i) {
      for (const Attacker& attacker : attackers) {
        const Mad bytes = attacker.make(dice, attacker.own);
        const bool is_sa = bytes[1] == to_raw(mad::MgmtClass::sa);
        attacker.attachment->send(bytes, is_sa ? manager : mad::MadAddress{.lid = manager.lid}, 0);
      }
      lab.runtime.run_for(kPause);
      lab.heddle().tap().responses.clear();
      for (unsigned host = 8; host < 16; ++host) lab.host(fmt::format("H{}", host)).reports.clear();
    }
  };
  const auto latency = [&](bool attacked) {
    return mean_latency(lab, "H6", "H7", [&] {
      if (attacked) send(1);
    });
  };
  const mad::Duration alone = latency(false);
  send(kWarmUp / 2);
  EXPECT_LE(latency(true), 3 * alone);
  lab.heddle().forget_log();
  const std::size_t before = support::heap_bytes();
  send(kMeasured / 4);
  lab.heddle().forget_log();
  EXPECT_LE(support::heap_bytes(), before + kGrowthMax);
  EXPECT_EQ(lab.administrator().reports().statistics().dropped, 0u);
  EXPECT_EQ(lab.complaint(), "");
}

/// 22,500 changes a second, and 16 subscribers to all notices.
TEST(GroupFlood, CausesFewReportsAndLosesNoneOfOthers) {
  SaLab lab(topology::xgft({.children = {5, 4}, .parents = {1, 2}, .cables = {}}));
  ASSERT_TRUE(lab.start_and_settle()) << lab.tail();
  std::vector<std::string> names;
  for (const sim::NodeModel& node : lab.model.nodes)
    if (!node.is_switch()) names.push_back(node.description);
  const std::string &attacker = names.at(1), &honest = names.at(2);
  const std::vector<std::string> subscribers(names.begin() + 3, names.begin() + 19);
  for (const std::string& name : subscribers)
    ASSERT_EQ(lab.read_status(name, lab.subscribe_request()), mad::status::kOk);
  const auto group = [](unsigned number) {
    return mad::Gid{0xff12401bffff0000, mad::Guid{0x1000u + number}};
  };
  constexpr unsigned kPairs = 2250;  // 0.2 s
  mad::TimePoint created{};
  for (unsigned i = 0; i < kPairs; ++i) {
    lab.host(attacker).post(lab.create_request(attacker, group(i % 50)));
    lab.runtime.run_for(44us);
    lab.host(attacker).post(lab.join_request(attacker, group(i % 50), 1, mad::Method::delete_));
    lab.runtime.run_for(44us);
    if (i != kPairs / 2) continue;
    created = lab.runtime.now();
    lab.host(honest).post(lab.create_request(honest, group(1000)));
  }
  lab.runtime.run_for(1s);
  for (const auto& [id, reply] : lab.host(attacker).replies())
    ASSERT_EQ(reply.status(), mad::status::kOk);
  for (const std::string& name : subscribers) {
    const auto& reports = lab.host(name).reports;
    EXPECT_LE(reports.size(), 120u) << name << ", of " << 2 * kPairs;
    const auto of_honest = [&](const sim::SaClient::Report& report) {
      return report.notice[5] == 66 && report.notice[30] == 0x13 && report.notice[31] == 0xe8;
    };
    ASSERT_EQ(std::ranges::count_if(reports, of_honest), 1) << name;
    EXPECT_LE(std::ranges::find_if(reports, of_honest)->when - created, 150ms);
  }
  EXPECT_EQ(lab.administrator().reports().statistics().dropped, 0u);
}

INSTANTIATE_TEST_SUITE_P(Kinds, Flood, ::testing::ValuesIn(kKinds),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace flood_test
