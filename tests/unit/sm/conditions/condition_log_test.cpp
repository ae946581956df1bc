#include "sm/conditions/condition_log.h"

#include <gmock/gmock.h>
#include <spdlog/sinks/ostream_sink.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <set>
#include <sstream>

#include "fabric/fabric_conditions.h"
#include "mad/format.h"
#include "routing/core/routing_conditions.h"
#include "sm/conditions/manager_conditions.h"
#include "sm/election/election_conditions.h"
#include "sm/keys/class_key_conditions.h"
#include "sm/ops/condition_kinds.h"
#include "sm/sa/sa_conditions.h"
#include "sm/store/replica/replica_conditions.h"
#include "sm/sweep/devices/sweep_conditions.h"

namespace condition_log_test {

using namespace std::chrono_literals;
using fabric::Condition;
using fabric::ConditionId;
using sm::ConditionLog;
using sm::ConditionSource;
using testing::ElementsAre;
using testing::IsEmpty;

class ConditionLogTest : public testing::Test {
 protected:
  ConditionLogTest() { logger.set_pattern("%l %v"); }
  /// Returns the lines that were logged since the last call.
  std::vector<std::string> lines() {
    std::vector<std::string> result;
    std::istringstream in(text.str());
    for (std::string line; std::getline(in, line);) result.push_back(line);
    text.str({});
    return result;
  }
  std::vector<std::string> raised() const {
    std::vector<std::string> result;
    for (const ConditionLog::Raised& raised : log.raised())
      result.push_back(fmt::format("{} x{}", raised.condition.text, raised.times));
    return result;
  }
  std::vector<std::string> occurred() const {
    std::vector<std::string> result;
    for (const ConditionLog::Occurred& of : log.occurrences())
      result.push_back(fmt::format("{} x{}", of.condition.text, of.times));
    return result;
  }

  std::ostringstream text;
  spdlog::logger logger{"test", std::make_shared<spdlog::sinks::ostream_sink_st>(text)};
  mad::TimePoint now{1h};
  ConditionLog log{[this] { return now; }, logger};
};

const Condition kSilent{.id = fabric::kFabricConditions.node_silent,
                        .text = "\"n1\" does not answer"};
const Condition kDuplicate{.id = fabric::kFabricConditions.guid_duplicate,
                           .text = "duplicate GUID 0x1"};
const Condition kNote{.id = routing::kRoutingConditions.routing_note,
                      .text = "hop weights do not count"};

/// A text may have what a program or a host says.
Condition refused_of(std::uint64_t guid, std::string_view why = "why") {
  return {.id = sa::kSaConditions.sa_requests_refused,
          .text = fmt::format("refused: {}", why),
          .guid = mad::Guid{guid}};
}

TEST_F(ConditionLogTest, TextsAreBounded) {
  const std::string long_text(1'000'000, 'x');
  log.set_active(ConditionSource::event_command,
                 {{.id = sm::kOutputConditions.event_command_failed, .text = long_text}});
  log.occurred(refused_of(1, long_text));
  ASSERT_EQ(log.raised().size(), 1u);
  ASSERT_EQ(log.occurrences().size(), 1u);
  for (const std::string& bounded :
       {log.raised()[0].condition.text, log.occurrences()[0].condition.text}) {
    EXPECT_LE(bounded.size(), ConditionLog::kTextBytesMax);
    EXPECT_TRUE(bounded.ends_with(" more bytes]")) << bounded.size();
  }
  for (const std::string& line : lines())
    EXPECT_LT(line.size(), ConditionLog::kTextBytesMax + 100) << line.substr(0, 100);
  log.set_active(ConditionSource::event_command,
                 {{.id = sm::kOutputConditions.event_command_failed, .text = long_text}});
  EXPECT_THAT(lines(), IsEmpty()) << "it is the same condition";
}

TEST_F(ConditionLogTest, NewFiguresAreNoNewCondition) {
  const auto adopted = [](unsigned paths) {
    return Condition{.id = routing::kRoutingConditions.routing_adopted,
                     .text = fmt::format("{} paths", paths)};
  };
  log.set_active(ConditionSource::adoption, {adopted(7)});
  EXPECT_EQ(lines().size(), 1u);
  now += 1min;
  log.set_active(ConditionSource::adoption, {adopted(9)});
  EXPECT_THAT(lines(), IsEmpty());
  EXPECT_THAT(raised(), ElementsAre("9 paths x1"));
  EXPECT_EQ(log.raised().front().since, now - 1min);
  log.set_active(ConditionSource::adoption, {});
  EXPECT_THAT(lines(), ElementsAre("info cleared: 9 paths [SM-ROUTING-ADOPTED]"));
}

Condition lost_node(std::uint64_t guid, std::string text, fabric::Severity severity,
                    std::uint64_t cause = 0) {
  Condition condition{.id = sm::kSweepConditions.node_lost,
                      .text = std::move(text),
                      .guid = mad::Guid{guid},
                      .severity = severity};
  if (cause != 0)
    condition.caused_by =
        fabric::ConditionSubject{.id = sm::kSweepConditions.node_lost, .guid = mad::Guid{cause}};
  return condition;
}

TEST_F(ConditionLogTest, TheSeverityOfALineIsThatOfTheCondition) {
  using enum fabric::Severity;
  log.set_active(ConditionSource::losses, {lost_node(1, "a", info), lost_node(2, "b", critical)});
  EXPECT_THAT(lines(), ElementsAre("info a [SM-NODE-LOST]", "critical b [SM-NODE-LOST]"));
  EXPECT_THAT(raised(), ElementsAre("b x1", "a x1")) << "worst first";
}

TEST_F(ConditionLogTest, ACauseSpeaksForWhatItHasCaused) {
  using enum fabric::Severity;
  const Condition leaf = lost_node(1, "leaf, 2 hosts", critical);
  const Condition host_a = lost_node(2, "a", info, 1), host_b = lost_node(3, "b", info, 1);
  log.set_active(ConditionSource::losses, {leaf, host_a, host_b});
  EXPECT_THAT(lines(), ElementsAre("critical leaf, 2 hosts [SM-NODE-LOST]"));
  EXPECT_EQ(log.raised().size(), 3u);
  now += 1min;
  // One of them does not return with it.
  log.set_active(ConditionSource::losses, {lost_node(3, "b", info)});
  EXPECT_THAT(lines(),
              ElementsAre("info cleared: leaf, 2 hosts [SM-NODE-LOST]", "info b [SM-NODE-LOST]"));
  now += 1min;
  log.set_active(ConditionSource::losses, {});
  EXPECT_THAT(lines(), ElementsAre("info cleared: b [SM-NODE-LOST]"));
}

TEST_F(ConditionLogTest, ACauseThatIsFoundLaterTakesOver) {
  using enum fabric::Severity;
  log.set_active(ConditionSource::losses, {lost_node(2, "a", info)});
  EXPECT_EQ(lines().size(), 1u);
  log.set_active(ConditionSource::losses,
                 {lost_node(1, "leaf", critical), lost_node(2, "a", info, 1)});
  EXPECT_THAT(lines(), ElementsAre("critical leaf [SM-NODE-LOST]"));
  ASSERT_EQ(log.raised().size(), 2u);
  EXPECT_TRUE(log.raised().back().condition.caused_by);
}

TEST_F(ConditionLogTest, AConditionThatBecomesMoreSevereIsLoggedAgain) {
  using enum fabric::Severity;
  log.set_active(ConditionSource::losses, {lost_node(1, "switch", warning)});
  now += 1min;
  log.set_active(ConditionSource::losses, {lost_node(1, "switch, 1 host", critical)});
  EXPECT_THAT(lines(), ElementsAre("warning switch [SM-NODE-LOST]",
                                   "critical switch, 1 host [SM-NODE-LOST]"));
  now += 1min;
  log.set_active(ConditionSource::losses, {lost_node(1, "switch", warning)});
  EXPECT_THAT(lines(), IsEmpty());
  EXPECT_THAT(raised(), ElementsAre("switch x1"));
}

TEST_F(ConditionLogTest, OnlyTheMasterReportsTheFabric) {
  const Condition full{.id = sm::kManagerConditions.store_failed, .text = "the disk is full"};
  log.set_active(ConditionSource::discovery, {kSilent});
  log.set_active(ConditionSource::lid_store, {full});
  EXPECT_EQ(log.set_leads(false), 1u);
  EXPECT_THAT(raised(), ElementsAre("the disk is full x1"));
  EXPECT_EQ(log.set_leads(false), 0u);
  EXPECT_EQ(log.set_leads(true), 1u);
  EXPECT_THAT(raised(),
              testing::UnorderedElementsAre("the disk is full x1", "\"n1\" does not answer x1"));
}

TEST_F(ConditionLogTest, OnlyTheMasterComparesGuidsOfTheConfigurationWithTheFabric) {
  const Condition node_guid{.id = sm::kNamedGuidConditions.guid_misplaced,
                            .text = "0x1 is a NodeGUID"};
  log.set_active(ConditionSource::named_guids, {node_guid});
  log.set_leads(false);
  EXPECT_THAT(raised(), IsEmpty());
}

TEST_F(ConditionLogTest, RaisedAndClearedAreLoggedOnce) {
  log.set_active(ConditionSource::discovery, {kSilent, kDuplicate});
  EXPECT_THAT(lines(), ElementsAre("error \"n1\" does not answer [SM-NODE-SILENT]",
                                   "critical duplicate GUID 0x1 [SM-GUID-DUPLICATE]"));
  log.set_active(ConditionSource::discovery, {kDuplicate, kSilent});
  EXPECT_THAT(lines(), IsEmpty());
  log.set_active(ConditionSource::discovery, {kDuplicate});
  EXPECT_THAT(lines(), ElementsAre("info cleared: \"n1\" does not answer [SM-NODE-SILENT]"));
  EXPECT_THAT(raised(), ElementsAre("duplicate GUID 0x1 x1"));
}

TEST_F(ConditionLogTest, SourcesAreIndependent) {
  log.set_active(ConditionSource::discovery, {kSilent});
  log.set_active(ConditionSource::routing, {kNote});
  log.set_active(ConditionSource::partitions, {});
  EXPECT_THAT(raised(), ElementsAre("\"n1\" does not answer x1", "hop weights do not count x1"));
}

TEST_F(ConditionLogTest, WhatComesAndGoesIsLoggedWithGrowingPauses) {
  std::size_t raised_lines = 0, all_lines = 0;
  for (int round = 0; round < 3600; ++round, now += 1s) {
    log.set_active(ConditionSource::discovery, {kSilent});
    log.set_active(ConditionSource::discovery, {});
    for (const std::string& line : lines()) {
      ++all_lines;
      raised_lines += line.starts_with("error");
    }
  }
  EXPECT_EQ(raised_lines, 9u) << "after 0, 10, 30, 70, ... s";
  EXPECT_EQ(all_lines, 18u) << "each is followed by its clearing";
  log.set_active(ConditionSource::discovery, {kSilent});
  EXPECT_THAT(lines(), IsEmpty());
  EXPECT_THAT(raised(), ElementsAre("\"n1\" does not answer x3601"))
      << "status shows it all the same";
}

TEST_F(ConditionLogTest, TheNextLineSaysHowOftenItWasRaisedSinceTheLast) {
  for (int round = 0; round < 4; ++round) {
    log.set_active(ConditionSource::discovery, {kSilent});
    log.set_active(ConditionSource::discovery, {});
  }
  lines();
  now += 11s;
  log.set_active(ConditionSource::discovery, {kSilent});
  EXPECT_THAT(lines(),
              ElementsAre("error \"n1\" does not answer (raised 3 more times since the last "
                          "such line) [SM-NODE-SILENT]"));
}

TEST_F(ConditionLogTest, AQuietConditionStartsAgain) {
  log.set_active(ConditionSource::discovery, {kSilent});
  log.set_active(ConditionSource::discovery, {});
  now += 1h;
  log.set_active(ConditionSource::discovery, {});
  log.set_active(ConditionSource::discovery, {kSilent});
  EXPECT_THAT(raised(), ElementsAre("\"n1\" does not answer x1"));
}

TEST_F(ConditionLogTest, OccurrencesAreThrottledForEachHost) {
  for (int round = 0; round < 100; ++round) log.occurred(refused_of(1), 3);
  log.occurred(refused_of(2), 3);
  EXPECT_EQ(lines().size(), 4u);
  now += 10s;
  log.occurred(refused_of(1, "other"), 3);
  EXPECT_THAT(lines(), ElementsAre("error refused: other (97 more since the last such line) "
                                   "[SA-REQUEST-REFUSED]"));
  EXPECT_THAT(occurred(), ElementsAre("refused: other x101", "refused: why x1"));
  now += ConditionLog::kOccurrencesKept;
  EXPECT_THAT(occurred(), IsEmpty());
}

/// Nothing is wrong any more when it is shown.
TEST_F(ConditionLogTest, AnOccurrenceIsNeverActiveAndHasItsTime) {
  const mad::TimePoint first = now;
  log.occurred(refused_of(1));
  now += 3min;
  log.occurred(refused_of(2));
  now += 1min;
  log.occurred(refused_of(1, "again"));
  EXPECT_THAT(raised(), IsEmpty());
  EXPECT_THAT(occurred(), ElementsAre("refused: again x2", "refused: why x1"))
      << "the latest first";
  EXPECT_EQ(log.occurrences().front().first, first);
  EXPECT_EQ(log.occurrences().front().last, now);
  EXPECT_EQ(log.occurrences().back().last, now - 1min);
  for (const std::string& line : lines())
    EXPECT_THAT(line, testing::Not(testing::HasSubstr("cleared")));
  const auto count = [this](ConditionId id) {
    const auto found = log.occurrence_counts().find(id);
    return found == log.occurrence_counts().end() ? 0 : found->second;
  };
  now += ConditionLog::kOccurrencesKept;
  EXPECT_THAT(lines(), IsEmpty()) << "its end is no event";
  EXPECT_EQ(count(sa::kSaConditions.sa_requests_refused), 3u);
  EXPECT_EQ(count(sm::kSweepConditions.tables_lost), 0u);
}

/// A condition that comes and goes between two reads of the active ones shows in these counts.
TEST_F(ConditionLogTest, ConditionsThatEndAreCountedBySeverity) {
  const auto count = [this](ConditionId id, fabric::Severity severity) {
    const auto found = log.cleared_counts().find({id, severity});
    return found == log.cleared_counts().end() ? 0 : found->second;
  };
  using enum fabric::Severity;
  for (int round = 0; round < 3; ++round) {
    log.set_active(ConditionSource::discovery, {kSilent, kDuplicate});
    log.set_active(ConditionSource::discovery, {kDuplicate});
  }
  EXPECT_EQ(count(fabric::kFabricConditions.node_silent, error), 3u)
      << "also those without a line in the log";
  EXPECT_EQ(count(fabric::kFabricConditions.guid_duplicate, critical), 0u) << "it is active";
}

TEST_F(ConditionLogTest, ConditionsThatChangeOrAreCausedByAnotherAreNotCountedAsEnded) {
  const auto count = [this](ConditionId id) {
    std::uint64_t sum = 0;
    for (const auto& [key, ended] : log.cleared_counts())
      if (key.first == id) sum += ended;
    return sum;
  };
  Condition condition{.id = sm::kSweepConditions.link_degraded, .text = "1X", .guid = {7}};
  log.set_active(ConditionSource::link_rates, {condition});
  condition.text = "2X";
  log.set_active(ConditionSource::link_rates, {condition});
  EXPECT_EQ(count(sm::kSweepConditions.link_degraded), 0u) << "only its text changed";
  const Condition root{.id = sm::kSweepConditions.node_lost, .text = "leaf", .guid = {1}};
  log.set_active(ConditionSource::losses, {root,
                                           {.id = sm::kSweepConditions.node_lost,
                                            .text = "host",
                                            .guid = {2},
                                            .caused_by = find_subject(root)}});
  log.set_active(ConditionSource::losses, {});
  EXPECT_EQ(count(sm::kSweepConditions.node_lost), 1u) << "its cause counts the host";
  log.set_leads(false);
  log.set_active(ConditionSource::link_rates, {});
  EXPECT_EQ(count(sm::kSweepConditions.link_degraded), 0u) << "a standby did not report it";
}

TEST_F(ConditionLogTest, ManyHostsDoNotFillTheMemory) {
  for (std::uint64_t guid = 1; guid <= 3 * ConditionLog::kOccurrencesMax; ++guid, now += 1ms)
    log.occurred(refused_of(guid));
  EXPECT_EQ(log.occurrences().size(), ConditionLog::kOccurrencesMax);
  std::vector<Condition> many;
  for (std::size_t i = 0; i < 2 * ConditionLog::kConditionsMax; ++i)
    many.push_back({.id = fabric::kFabricConditions.node_silent, .text = std::to_string(i)});
  log.set_active(ConditionSource::discovery, many);
  EXPECT_EQ(log.raised().size(), ConditionLog::kConditionsMax);
}

TEST(Conditions, TheRegistryIsCompleteAndItsTextsAreSentences) {
  std::set<std::string_view> names;
  for (const ConditionId kind : sm::condition_kinds()) {
    SCOPED_TRACE(kind->name);
    EXPECT_TRUE(names.insert(kind->name).second);
    EXPECT_THAT(std::string(kind->name), testing::MatchesRegex("(SM|SA)(-[A-Z]+)+"));
    for (const std::string_view text : {kind->meaning, kind->cause, kind->effect, kind->remedy}) {
      EXPECT_GT(text.size(), 10u);
      EXPECT_EQ(text.back(), '.');
    }
    EXPECT_TRUE(sm::find_condition_kind(kind->name) == kind);
  }
  EXPECT_TRUE(sm::find_condition_kind("sm-node-silent") ==
              ConditionId(fabric::kFabricConditions.node_silent));
  EXPECT_FALSE(sm::find_condition_kind("SM-NODE").has_value());
}

/// A state has a cause that lasts; the log and all counts treat occurrences differently.
TEST(Conditions, TheRegistryKnowsStatesFromOccurrences) {
  for (const ConditionId id : std::to_array<ConditionId>(
           {sm::kManagerConditions.trap_storm, sm::kSweepConditions.mass_change,
            fabric::kFabricConditions.m_key_unknown, sm::kReplicaConditions.store_behind,
            fabric::kFabricConditions.node_silent}))
    EXPECT_FALSE(id->is_occurrence()) << id->name;
  for (const ConditionId id : std::to_array<ConditionId>(
           {sm::kSweepConditions.tables_lost, sm::kSweepConditions.audit_difference,
            sm::kManagerConditions.trap_refused, sm::kManagerConditions.m_key_violation,
            sm::kManagerConditions.p_key_violation, sa::kSaConditions.sa_busy,
            sm::kMastershipConditions.handover_failed,
            sm::kClassKeyConditions.class_key_violation}))
    EXPECT_TRUE(id->is_occurrence()) << id->name;
  EXPECT_THAT(sm::explain(sm::kSweepConditions.tables_lost),
              testing::StartsWith("SM-TABLES-LOST (warning, an occurrence)\n"));
}

TEST(Conditions, IdentifiersAreOrderedByName) {
  EXPECT_LT(ConditionId(fabric::kFabricConditions.guid_duplicate),
            ConditionId(fabric::kFabricConditions.node_silent));
  EXPECT_LT(ConditionId(), ConditionId(fabric::kFabricConditions.guid_duplicate))
      << "no kind comes first";
  EXPECT_FALSE(ConditionId() == fabric::kFabricConditions.node_silent);
  EXPECT_TRUE(ConditionId() == ConditionId());
}

struct TwoKinds : fabric::ConditionSet {
  fabric::ConditionRow state_kind{{*this, "SM-A", warning, "m", "c", "e", "r"}};
  fabric::ConditionRow occurrence_kind{
      {*this, "SM-B", error, "m", "c", "e", "r", occurrence | has_figures}};
};
constexpr TwoKinds kTwoKinds;

TEST(Conditions, ASetHasItsRowsInTheOrderOfTheirDeclaration) {
  ASSERT_EQ(kTwoKinds.ids().size(), 2u);
  EXPECT_TRUE(kTwoKinds.ids()[0] == kTwoKinds.state_kind);
  EXPECT_TRUE(kTwoKinds.ids()[1] == kTwoKinds.occurrence_kind);
  EXPECT_EQ(kTwoKinds.ids()[1]->name, "SM-B");
  EXPECT_TRUE(kTwoKinds.ids()[1]->is_occurrence());
  EXPECT_TRUE(kTwoKinds.ids()[1]->has(fabric::ConditionKind::has_figures));
  EXPECT_FALSE(kTwoKinds.ids()[1]->has(fabric::ConditionKind::is_of_link));
}

TEST(Conditions, AListCountsWhatItDoesNotShow) {
  fabric::ConditionList list(routing::kRoutingConditions.routing_note, 2);
  for (const char* text : {"a", "b", "c", "d"}) list.add(text);
  std::vector<std::string> texts;
  for (const Condition& condition : list.take()) texts.push_back(condition.text);
  EXPECT_THAT(texts, ElementsAre("a", "b", "and 2 more of this kind"));
}

TEST(Conditions, TheTableForReadersIsTheRegistry) {
  std::ifstream file(CONDITIONS_TABLE);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  EXPECT_THAT(text, testing::EndsWith(sm::table_of_conditions(sm::condition_kinds())))
      << "write what heddlectl explain --table prints into " << CONDITIONS_TABLE;
}

TEST(Conditions, ExplanationsHaveShortLines) {
  for (const ConditionId kind : sm::condition_kinds()) {
    std::istringstream in(sm::explain(*kind));
    for (std::string line; std::getline(in, line);) EXPECT_LE(line.size(), 80u) << line;
  }
  EXPECT_EQ(sm::explain(fabric::kFabricConditions.link_loopback),
            "SM-LINK-LOOPBACK (error)\n"
            "Meaning:\n  A cable connects two ports of the same node.\n"
            "Cause:\n  A cabling error, or a loopback plug.\n"
            "What Heddle does:\n  The link is not used.\n"
            "What to do:\n  Remove the cable.\n");
}

}  // namespace condition_log_test
