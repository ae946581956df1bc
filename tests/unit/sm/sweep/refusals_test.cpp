#include "sm/sweep/devices/refusals.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "support/conditions.h"
#include "support/fabrics.h"

namespace refusals_test {

using mad::AttributeId;
using mad::PortState;
using sm::Refusals;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;
using namespace std::chrono_literals;

/// A switch with a host at port 1, Active. The table and the setting belong to the switch.
class RefusalsTest : public testing::Test {
 protected:
  RefusalsTest() {
    fabrics::Maker maker;
    const auto s = maker.sw(4), h = maker.ca();
    maker.cable(s, 1, h, 1);
    maker.set_state(s, 1, PortState::active);
    fabric = maker.build();
    port = fabric.port(s, {1});
    setting = sm::subject_of(fabric, port, sm::PortInfoPart::link);
    table = {.node = setting.node,
             .port = {},
             .attribute = AttributeId::sl_to_vl_mapping_table,
             .item = 1};
    refusals.begin(fabric, start);
  }
  void refuse(const Refusals::Subject& subject) {
    refusals.note(subject, wanted, 0x1C, "detail", PortState::active);
  }
  std::vector<std::string> table_texts() const {
    return texts(refusals.table_conditions(fabric, true));
  }
  std::vector<std::string> setting_texts() const {
    return texts(refusals.setting_conditions(fabric));
  }
  /// Returns the time after a sweep without a Set, when the first pause of this subject is over.
  mad::TimePoint after_pause(const Refusals::Subject& subject) {
    const mad::TimePoint later = start + sm::refusal_rule(subject.attribute).pause_first;
    refusals.begin(fabric, later);
    return later;
  }

  fabric::Fabric fabric;
  fabric::PortIndex port;
  Refusals refusals;
  Refusals::Subject setting, table;
  mad::SmpData wanted{};
  const mad::TimePoint start = mad::TimePoint() + 1h;
};

TEST_F(RefusalsTest, ASetIsDueAfterPausesThatGrow) {
  for (const Refusals::Subject& subject : {setting, table}) {
    const sm::RefusalRule& rule = sm::refusal_rule(subject.attribute);
    SCOPED_TRACE(subject == table ? "table" : "setting");
    EXPECT_EQ(rule.pause_first, subject == table ? 10s : 5s);
    EXPECT_EQ(rule.pause_last, 1h);
    refusals = {};
    mad::TimePoint now = start;
    mad::Duration pause = rule.pause_first;
    for (int attempt = 0; attempt < 12; ++attempt) {
      refusals.begin(fabric, now);
      EXPECT_FALSE(refusals.is_paused(subject, wanted));
      refuse(subject);
      EXPECT_TRUE(refusals.is_paused(subject, wanted));
      EXPECT_EQ(table_texts().size() + setting_texts().size(), 1U);
      EXPECT_THAT(refusals.due(now + pause - 1ms), IsEmpty());
      EXPECT_THAT(refusals.due(now + pause), ElementsAre(subject.node));
      now += pause;
      pause = std::min<mad::Duration>(2 * pause, rule.pause_last);
    }
    EXPECT_EQ(pause, rule.pause_last);
  }
}

/// A read has shown the table as desired, or no link needs it any more.
TEST_F(RefusalsTest, ATableThatWasDueAndIsNotRefusedAgainIsNeitherReportedNorDue) {
  refuse(table);
  refusals.begin(fabric, start + 1s);
  EXPECT_THAT(table_texts(), SizeIs(1));
  const mad::TimePoint later = after_pause(table);
  EXPECT_THAT(table_texts(), IsEmpty());
  EXPECT_THAT(refusals.due(later + 1h), IsEmpty());
  refusals.begin(fabric, later + 1s);
  EXPECT_THAT(table_texts(), IsEmpty());
  EXPECT_FALSE(refusals.contains(table));
}

/// A pass that writes other attributes does not send it.
TEST_F(RefusalsTest, ASettingThatWasDueStaysDueUntilTheNextSweep) {
  refuse(setting);
  const mad::TimePoint later = after_pause(setting);
  EXPECT_THAT(setting_texts(), SizeIs(1));
  EXPECT_THAT(refusals.due(later), ElementsAre(setting.node));
  refusals.begin(fabric, later + 1s);
  EXPECT_FALSE(refusals.has_settings());
}

TEST_F(RefusalsTest, OtherContentIsSentAtOnce) {
  refuse(setting);
  refuse(table);
  wanted[0] = 1;
  EXPECT_FALSE(refusals.is_paused(setting, wanted));
  EXPECT_FALSE(refusals.is_paused(table, wanted));
}

TEST_F(RefusalsTest, ASettingIsForgottenWhenItsLinkTrainsAgainAndATableWithTheTablesOfItsNode) {
  refuse(setting);
  refuse(table);
  refusals.forget_tables(mad::Guid{setting.node.value + 1});
  EXPECT_TRUE(refusals.contains(table));
  fabric.ports[port].info.set_port_state(PortState::init);
  refusals.begin(fabric, start + 1s);
  EXPECT_FALSE(refusals.contains(setting));
  EXPECT_TRUE(refusals.contains(table));
  refusals.forget_tables(table.node);
  EXPECT_FALSE(refusals.contains(table));
}

TEST_F(RefusalsTest, ADeferredSetIsNotDueAndADeferredTableIsNotReported) {
  for (const Refusals::Subject& subject : {setting, table}) {
    refuse(subject);
    refusals.defer(subject);
  }
  refusals.begin(fabric, start + 24h);
  EXPECT_THAT(refusals.due(start + 48h), IsEmpty());
  EXPECT_TRUE(refusals.is_paused(setting, wanted));
  EXPECT_TRUE(refusals.contains(table));
  EXPECT_THAT(setting_texts(), SizeIs(1));
  EXPECT_THAT(table_texts(), IsEmpty());
}

TEST_F(RefusalsTest, ConditionsNameTheAttributeTheStatusAndTheDetail) {
  refuse(setting);
  refusals.note(sm::subject_of(fabric, port, AttributeId::p_key_table), wanted, 0);
  refuse(table);
  const std::string node = fabric.name(fabric.ports[port].node);
  EXPECT_THAT(setting_texts(),
              ElementsAre(fabric.port_name(port) +
                          ": PortInfo rejected with status 0x001c: detail; P_KeyTable "
                          "acknowledged and not taken"));
  EXPECT_THAT(table_texts(),
              ElementsAre(node + " does not take 1 of its tables (SLtoVLMappingTable): it refuses "
                                 "them with status 0x001c; they are sent again with growing "
                                 "pauses"));
  EXPECT_THAT(refusals.table_conditions(fabric, false), IsEmpty());
}

}  // namespace refusals_test
