#include "sm/congestion/congestion_suggestion.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "config/option_files.h"
#include "mad/format.h"
#include "sm/congestion/congestion_settings.h"
#include "support/fabrics.h"

namespace congestion_suggestion_test {

using testing::Each, testing::ElementsAre, testing::HasSubstr, testing::IsEmpty;

/// OpenSM cuts longer lines off.
constexpr std::size_t kLineMax = 1022;

std::string value_of(const std::vector<sm::SuggestedLine>& lines, std::string_view option) {
  const auto found = std::ranges::find(lines, option, &sm::SuggestedLine::option);
  return found == lines.end() ? "" : found->value;
}

sm::CongestionFacts facts(std::size_t hosts, double slowest = 16, double fastest = 16) {
  return {.hosts = hosts,
          .slowest_gbps = slowest,
          .fastest_gbps = fastest,
          .mtu_bytes = 2048,
          .diameter = 3,
          .vls = 1,
          .host_ports = std::vector<bool>(19, true)};
}

TEST(CongestionSuggestion, PausesRiseToTheLast) {
  for (const unsigned of : {127u, 128u, 500u, 9999u, 16383u}) {
    const auto last = static_cast<std::uint16_t>(of);
    const auto pauses = sm::suggested_pauses(last);
    ASSERT_EQ(pauses.size(), 128u);
    EXPECT_EQ(pauses.front(), 0);
    EXPECT_EQ(pauses.back(), last);
    EXPECT_EQ(pauses[3], 3) << "few senders need small steps";
    EXPECT_TRUE(std::ranges::is_sorted(pauses));
    EXPECT_EQ(std::ranges::adjacent_find(pauses), pauses.end()) << last << ": no two alike";
  }
  EXPECT_EQ(sm::suggested_pauses(127)[77], 77);
}

TEST(CongestionSuggestion, LinesAreReadWithoutFindings) {
  for (const std::size_t hosts : {std::size_t{2}, std::size_t{128}, std::size_t{100'000}}) {
    for (const unsigned vls : {1u, 4u}) {
      sm::CongestionFacts of = facts(hosts, 10, 400);
      of.vls = vls;
      std::string text;
      for (const sm::SuggestedLine& line : sm::suggest_congestion(of)) {
        text += fmt::format("{} {}\n", line.option, line.value);
        EXPECT_LT(line.option.size() + line.value.size(), kLineMax) << line.option;
      }
      config::Options options;
      config::Diagnostics findings;
      config::parse_opensm_conf({"opensm.conf", text}, options, findings);
      EXPECT_THAT(findings, IsEmpty()) << text;
      const sm::CongestionPlan plan = sm::decide_congestion(options);
      EXPECT_TRUE(plan.enabled);
      EXPECT_EQ(plan.table_blocks, 2u);
    }
  }
}

/// ibccconfig(8) has 150 in its example.
TEST(CongestionSuggestion, TheTimerFollowsTheRateOfLinksAndTheNumberOfHosts) {
  const auto timer = [](const sm::CongestionFacts& of) {
    return value_of(sm::suggest_congestion(of), "cc_ca_cong_setting_ccti_timer");
  };
  EXPECT_EQ(timer(facts(128)), "0 131") << "4X DDR";
  EXPECT_EQ(timer(facts(128, 100, 100)), "0 22");
  EXPECT_EQ(timer(facts(4)), "0 7");
  EXPECT_EQ(timer(facts(100'000)), "0 131") << "as many senders as the table tells apart";
}

TEST(CongestionSuggestion, TheTableReachesTheShareOfAllSendersToTheSlowestLink) {
  const auto last = [](const sm::CongestionFacts& of) {
    const std::string table = value_of(sm::suggest_congestion(of), "cc_cct");
    return table.substr(table.rfind(':') + 1);
  };
  EXPECT_EQ(last(facts(8)), "127");
  EXPECT_EQ(last(facts(129)), "127");
  EXPECT_EQ(last(facts(501)), "499");
  EXPECT_EQ(last(facts(501, 100, 200)), "999");
  EXPECT_EQ(last(facts(1'000'000)), "16383");
}

TEST(CongestionSuggestion, FactsAreThoseOfHostsAtSwitches) {
  fabrics::Maker maker;
  const auto leaf = maker.sw(8, "leaf"), spine = maker.sw(8, "spine"), other = maker.sw(8, "other");
  maker.host(leaf);
  maker.host(leaf);
  maker.host(other);
  maker.cable(leaf, 8, spine, 1);
  maker.cable(other, 8, spine, 2);
  fabric::Subnet subnet{.fabric = maker.build(), .lids = {}};
  for (fabric::Port& port : subnet.fabric.ports) {
    port.info.set_link_width_active(2);  // 4X
    port.info.set_link_speed_active(4);  // QDR
  }
  const sm::CongestionFacts found = sm::congestion_facts(subnet);
  EXPECT_EQ(found.hosts, 3u);
  EXPECT_EQ(found.diameter, 3u);
  EXPECT_DOUBLE_EQ(found.slowest_gbps, 32);
  EXPECT_EQ(value_of(sm::suggest_congestion(found), "cc_sw_cong_setting_victim_mask"), "0x6");
  EXPECT_THAT(sm::suggest_congestion({}), IsEmpty());
}

}  // namespace congestion_suggestion_test
