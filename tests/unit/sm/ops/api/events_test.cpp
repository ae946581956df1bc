// Events: differences of what is published, and the stream and list of them.

#include <gmock/gmock.h>

#include <chrono>
#include <thread>

#include "fabric/fabric_conditions.h"
#include "mad/format.h"
#include "routing/core/routing_conditions.h"
#include "sm/ops/api/event.h"
#include "sm/ops/api/event_log.h"
#include "sm/sweep/devices/sweep_conditions.h"
#include "unit/sm/ops/api/published.h"

namespace api_events_test {

using api_client::Client;
using api_client::Json;
using sm::api::Event;
using sm::api::EventKind;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::vector<std::string> kinds(const std::vector<Event>& events) {
  std::vector<std::string> names;
  for (const Event& event : events) names.emplace_back(name(event.kind));
  return names;
}

/// The port at which the link between these nodes begins.
fabric::PortIndex link_between(const fabric::Fabric& fabric, std::string_view a,
                               std::string_view b) {
  for (const fabric::PortIndex port : fabric.ports.indices()) {
    const fabric::PortIndex peer = fabric.ports[port].peer;
    if (peer != fabric::kNoIndex && fabric.description(fabric.ports[port].node) == a &&
        fabric.description(fabric.ports[peer].node) == b)
      return port;
  }
  ADD_FAILURE() << "no link " << a << " to " << b;
  return fabric::kNoIndex;
}

void set_down(fabric::Fabric& fabric, fabric::PortIndex port) {
  fabric.ports[port].info.set_port_state(mad::PortState::down);
  fabric.ports[fabric.ports[port].peer].info.set_port_state(mad::PortState::down);
}

class Differences : public testing::Test {
 protected:
  published::Manager before, after;

  std::vector<Event> events() const { return sm::api::events_between(before.view, after.view); }
};

TEST_F(Differences, TheSameViewHasNone) {
  EXPECT_TRUE(sm::api::events_between(before.view, before.view).empty());
}

TEST_F(Differences, AnEqualSubnetIsASnapshotAndNothingElse) {
  EXPECT_THAT(kinds(events()), ElementsAre("snapshot"));
}

TEST_F(Differences, ALinkIsReportedOnceWithBothEnds) {
  fabric::Fabric fabric = published::small_tree();
  const fabric::PortIndex port = link_between(fabric, "leaf-0", "spine-1");
  set_down(fabric, port);
  after.view.status.subnet = published::routed(std::move(fabric));
  const auto down = events();
  ASSERT_THAT(kinds(down), ElementsAre("link_down", "snapshot"));
  EXPECT_THAT(down[0].text, testing::AllOf(StartsWith("link down: "), HasSubstr("\"leaf-0\""),
                                           HasSubstr("\"spine-1\"")));
  ASSERT_TRUE(down[0].subject && down[0].peer);
  EXPECT_LT(down[0].subject->node, down[0].peer->node);
  const auto up = sm::api::events_between(after.view, before.view);
  ASSERT_THAT(kinds(up), ElementsAre("link_up", "snapshot"));
  EXPECT_EQ(up[0].subject, down[0].subject);
  EXPECT_EQ(up[0].peer, down[0].peer);
}

TEST_F(Differences, ANodeThatDisappearsTakesItsLinksAlong) {
  fabrics::Maker maker;
  const fabric::NodeIndex sw = maker.sw(4, "leaf");
  maker.host(sw);
  before.view.status.subnet = published::routed(maker.build());
  maker.host(sw);
  after.view.status.subnet = published::routed(maker.build());
  EXPECT_THAT(kinds(events()),
              ElementsAre("node_appeared", "link_up", "partition_changed", "snapshot"));
  EXPECT_THAT(kinds(sm::api::events_between(after.view, before.view)),
              ElementsAre("node_disappeared", "link_down", "partition_changed", "snapshot"));
}

TEST_F(Differences, WhatFollowsFromALostSwitchNamesIt) {
  fabrics::Maker maker;
  const fabric::NodeIndex spine = maker.sw(4, "spine");
  maker.host(spine);
  after.view.status.subnet = published::routed(maker.build());
  const fabric::NodeIndex leaf = maker.sw(4, "leaf");
  maker.cable(spine, leaf);
  maker.host(leaf);
  const fabric::Fabric whole = maker.build();
  before.view.status.subnet = published::routed(whole);
  const mad::Guid switch_guid = whole.nodes[leaf].guid;
  const fabric::Condition lost{
      .id = sm::kSweepConditions.node_lost, .text = "leaf", .guid = switch_guid},
      caused{.id = sm::kSweepConditions.node_lost,
             .text = "host",
             .guid = whole.nodes.back().guid,
             .caused_by = fabric::find_subject(lost)};
  after.view.status.conditions = {{.condition = lost, .since = {}},
                                  {.condition = caused, .since = {}}};
  after.view.status.lost =
      std::make_shared<const std::vector<sm::LostThing>>(std::vector<sm::LostThing>{
          {.node = switch_guid, .name = "leaf", .is_switch = true},
          {.node = whole.nodes.back().guid, .name = "host", .cause = switch_guid}});
  std::map<std::string, int> causes;
  for (const Event& event : events()) {
    const Json row = sm::api::event_row(event);
    ++causes[row["kind"].get<std::string>() + " " + row.value("caused_by", "")];
  }
  const std::string guid = fmt::format("{}", switch_guid);
  EXPECT_EQ(causes["node_disappeared "], 1) << "the switch";
  EXPECT_EQ(causes["node_disappeared " + guid], 1);
  EXPECT_EQ(causes["link_down " + guid], 2) << "of the switch, and of its host";
  EXPECT_EQ(causes["condition_raised "], 1) << "the cause alone";
  // The host does not return with its switch: it has a condition of its own.
  std::swap(before.view.status, after.view.status);
  after.view.status.conditions = {{.condition = caused, .since = {}}};
  after.view.status.conditions.front().condition.caused_by.reset();
  EXPECT_THAT(kinds(events()), testing::IsSupersetOf({"condition_raised", "condition_cleared"}));
  std::swap(before.view.status.conditions, after.view.status.conditions);
  std::vector<std::string> cleared;
  for (const Event& event : events())
    if (event.kind == EventKind::condition_cleared) cleared.push_back(event.text);
  EXPECT_THAT(cleared, testing::IsEmpty()) << "the host's is caused by the switch from now on";
}

TEST_F(Differences, WidthStatesAndNames) {
  fabric::Fabric fabric = published::small_tree();
  const fabric::PortIndex port = link_between(fabric, "leaf-0", "spine-0");
  for (const fabric::PortIndex end : {port, fabric.ports[port].peer})
    fabric.ports[end].info.set_link_width_active(mad::link_width::k1x);
  const fabric::PortIndex host = link_between(fabric, "n1 mlx5_0", "leaf-0");
  fabric.ports[host].info.set_port_state(mad::PortState::init);
  fabric.nodes[fabric.ports[host].node].description.set_text("renamed");
  after.view.status.subnet = published::routed(std::move(fabric));
  const auto found = events();
  EXPECT_THAT(kinds(found), testing::UnorderedElementsAre("node_renamed", "link_changed",
                                                          "port_changed", "snapshot"));
  EXPECT_THAT(found[0].text, HasSubstr("was \"n1 mlx5_0\""));
  for (const Event& event : found)
    if (event.kind == EventKind::link_changed) {
      EXPECT_EQ(event.severity, fabric::Severity::warning);
      EXPECT_THAT(event.text, StartsWith("link runs 1X NDR, was 4X NDR: "));
    }
}

TEST_F(Differences, Partitions) {
  auto subnet = published::routed(published::small_tree());
  auto& partitions = subnet->partitions;
  partitions.partitions.insert(partitions.partitions.begin(),
                               {.key = 5, .name = "blue", .sl = mad::Sl{1}});
  after.view.status.subnet = subnet;
  const auto created = events();
  ASSERT_THAT(kinds(created), ElementsAre("partition_created", "snapshot"));
  EXPECT_EQ(sm::api::event_row(created[0])["p_key"], "0x0005");
  EXPECT_THAT(kinds(sm::api::events_between(after.view, before.view)),
              ElementsAre("partition_deleted", "snapshot"));
  auto limited = published::routed(published::small_tree());
  limited->partitions.keys[0] = mad::kDefaultPKeyLimited;
  after.view.status.subnet = limited;
  EXPECT_THAT(kinds(events()), ElementsAre("partition_changed", "snapshot"));
}

TEST_F(Differences, OnlyAMasterInPlaceOfAnotherIsAWarning) {
  after.view.status.subnet = before.view.status.subnet;
  const auto severity = [&](mad::Guid was, mad::Guid is) {
    const auto managers = [](mad::Guid guid) {
      return guid == mad::Guid{}
                 ? std::vector<sm::KnownManager>{}
                 : std::vector<sm::KnownManager>{
                       {.guid = guid, .name = "n", .priority = 9, .state = mad::SmState::master}};
    };
    before.view.status.managers = managers(was);
    after.view.status.managers = managers(is);
    const auto found = events();
    EXPECT_EQ(found.size(), 1u);
    return fabric::name(found.front().severity);
  };
  before.view.status.state = after.view.status.state = mad::SmState::standby;
  EXPECT_EQ(severity({}, {0x99}), "info") << "a start";
  EXPECT_EQ(severity({0x99}, {0x98}), "warning");
  EXPECT_EQ(severity({0x99}, {}), "critical");
}

TEST_F(Differences, ConditionsSweepsAndStates) {
  after.view.status.subnet = before.view.status.subnet;
  before.view.status.conditions = {
      {.condition = {.id = sm::kSweepConditions.link_lost, .text = "one"}, .since = {}},
      {.condition = {.id = fabric::kFabricConditions.node_silent, .text = "both"}, .since = {}}};
  after.view.status.conditions = {
      {.condition = {.id = fabric::kFabricConditions.node_silent, .text = "both"},
       .since = {},
       .times = 9},
      {.condition = {.id = sm::kSweepConditions.node_lost,
                     .text = "two",
                     .guid = mad::Guid{0x42},
                     .port = mad::PortNum{3}},
       .since = {}}};
  // New figures of a condition that lasts are no event.
  before.view.status.conditions.push_back(
      {.condition = {.id = routing::kRoutingConditions.routing_adopted, .text = "7 paths"},
       .since = {}});
  after.view.status.conditions.push_back(
      {.condition = {.id = routing::kRoutingConditions.routing_adopted, .text = "9 paths"},
       .since = {}});
  after.view.status.sweeps = 4;
  after.view.status.state = mad::SmState::standby;
  after.view.status.managers = {
      {.guid = mad::Guid{0x99}, .name = "n9", .priority = 9, .state = mad::SmState::master}};
  const auto found = events();
  ASSERT_THAT(kinds(found), ElementsAre("condition_cleared", "condition_raised", "sweep",
                                        "state_changed", "master_changed"));
  EXPECT_EQ(found[0].text, "cleared: one");
  EXPECT_EQ(sm::api::event_row(found[1]),
            Json({{"kind", "condition_raised"},
                  {"severity", fabric::name(sm::kSweepConditions.node_lost.severity)},
                  {"text", "two"},
                  {"condition", "SM-NODE-LOST"},
                  {"node_guid", "0x0000000000000042"},
                  {"port", 3}}));
  EXPECT_THAT(found[4].text, HasSubstr("0x0000000000000099"));
}

/// An occurrence is an event with its time; that it is not listed any more is none.
TEST_F(Differences, OccurrencesAreEventsThatAreNeverCleared) {
  after.view.status.subnet = before.view.status.subnet;
  const mad::TimePoint at = mad::TimePoint{} + std::chrono::minutes(7);
  const sm::ConditionLog::Occurred lost{.condition = {.id = sm::kSweepConditions.tables_lost,
                                                      .text = "leaf-3 lost its tables",
                                                      .guid = mad::Guid{0x42}},
                                        .first = at,
                                        .last = at};
  after.view.status.occurrences = {lost};
  const auto found = events();
  ASSERT_THAT(kinds(found), ElementsAre("condition_occurred"));
  EXPECT_EQ(found[0].noticed, at);
  EXPECT_EQ(found[0].severity, fabric::Severity::warning);
  EXPECT_EQ(found[0].text, "leaf-3 lost its tables");
  EXPECT_EQ(found[0].condition, sm::kSweepConditions.tables_lost);
  before.view.status.occurrences = {lost};
  after.view.status.occurrences.front().times = 2;
  EXPECT_THAT(events(), testing::IsEmpty()) << "the same again";
  after.view.status.occurrences.front().condition.text = "leaf-3 lost its tables in another way";
  EXPECT_THAT(kinds(events()), ElementsAre("condition_occurred"));
  after.view.status.occurrences.clear();
  EXPECT_THAT(events(), testing::IsEmpty());
}

TEST_F(Differences, EventsOfOneKindAreBounded) {
  after.view.status.subnet = before.view.status.subnet;
  for (unsigned i = 0; i < sm::api::kEventsOfKindMax + 50; ++i)
    after.view.status.conditions.push_back(
        {.condition = {.id = sm::kSweepConditions.link_lost, .text = std::to_string(i)},
         .since = {}});
  const auto found = events();
  EXPECT_EQ(found.size(), sm::api::kEventsOfKindMax + 1);
  EXPECT_EQ(found.back().text, "50 more events condition_raised");
}

/// Events with the texts "1", "2", ...
std::vector<Event> numbered(unsigned from, unsigned to) {
  std::vector<Event> events;
  for (unsigned i = from; i <= to; ++i)
    events.push_back({.kind = EventKind::sweep, .text = std::to_string(i)});
  return events;
}

sm::api::Snapshot first_snapshot() {
  sm::api::Snapshot snapshot;
  snapshot.id = "a1-1";
  return snapshot;
}

TEST(EventLog, KeepsTheLatestAndReportsGaps) {
  sm::api::EventLog log("a1", 5);
  const sm::api::Snapshot snapshot = first_snapshot();
  EXPECT_FALSE(log.behind(0, 10).gap);
  log.add(numbered(1, 8), {}, snapshot);
  EXPECT_TRUE(log.behind(0, 10).gap);
  EXPECT_TRUE(log.behind(2, 10).gap);
  const auto part = log.behind(3, 2);
  EXPECT_FALSE(part.gap);
  ASSERT_EQ(part.events.size(), 2u);
  EXPECT_EQ(part.events[0]->id, "a1-4");
  EXPECT_TRUE(log.behind(8, 10).events.empty());
  EXPECT_EQ(log.number_from("a1-8"), 8u);
  for (const char* const id :
       {"a1-9", "a2-3", "a1", "a1-", "a1-x", "", "8", "a1-18446744073709551616"})
    EXPECT_FALSE(log.number_from(id)) << id;
}

TEST(EventLog, TextsAndMemoryAreBounded) {
  sm::api::EventLog log("a1");
  const std::string long_text(1'000'000, 'x');
  log.add({{.kind = EventKind::sweep, .text = long_text}}, {}, first_snapshot());
  const auto part = log.behind(0, 1);
  ASSERT_EQ(part.events.size(), 1u);
  const std::string text = Json::parse(part.events[0]->data)["text"];
  EXPECT_LE(text.size(), sm::api::kEventTextBytesMax);
  EXPECT_THAT(text, testing::EndsWith(" more bytes]"));

  // Control characters need six bytes each in JSON.
  const std::string escaped(4000, '\x01');
  std::vector<Event> many(3'000);
  for (Event& event : many) event = {.kind = EventKind::sweep, .text = escaped};
  log.add(many, {}, first_snapshot());
  std::size_t bytes = 0;
  for (const auto& event : log.behind(0, 2 * many.size()).events) bytes += event->data.size();
  EXPECT_LE(bytes, sm::api::EventLog::kBytesMax);
  EXPECT_GT(bytes, sm::api::EventLog::kBytesMax / 2);
  EXPECT_EQ(log.last(), many.size() + 1);
  EXPECT_TRUE(log.behind(0, 1).gap);
}

/// A sweep of many nodes ends long after the trap that it follows.
TEST(EventLog, ChangesOfTheFabricHaveTheTimeOfTheTrap) {
  using namespace std::chrono_literals;
  published::Manager before, after;
  fabric::Fabric fabric = published::small_tree();
  set_down(fabric, link_between(fabric, "leaf-0", "spine-1"));
  after.view.status.subnet = published::routed(std::move(fabric));
  const mad::TimePoint now{100s};
  after.view.status.now = now;
  after.view.status.last_sweep_noticed = now - 600ms;
  const auto events = sm::api::events_between(before.view, after.view);
  ASSERT_THAT(kinds(events), ElementsAre("link_down", "snapshot"));
  sm::api::EventLog log("a1");
  log.add(events, {.wall = std::chrono::system_clock::time_point(10s), .steady = now},
          first_snapshot());
  const auto part = log.behind(0, 10);
  EXPECT_EQ(Json::parse(part.events[0]->data)["time"], "1970-01-01T00:00:09.400Z");
  EXPECT_EQ(Json::parse(part.events[1]->data)["time"], "1970-01-01T00:00:10.000Z");
}

TEST(EventLog, AWaiterIsWokenByAnEventOfAnotherThread) {
  sm::api::EventLog log("a1");
  const sm::api::Snapshot snapshot = first_snapshot();
  for (unsigned round = 1; round <= 200; ++round) {
    std::thread other([&] { log.add(numbered(round, round), {}, snapshot); });
    const auto begin = std::chrono::steady_clock::now();
    const bool done =
        api_client::run([](sm::api::EventLog& of, unsigned seen) -> boost::asio::awaitable<bool> {
          co_await of.wait(seen, std::chrono::seconds(100));
          co_return true;
        }(log, round - 1));
    other.join();
    EXPECT_TRUE(done);
    ASSERT_EQ(log.last(), round);
    ASSERT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(50));
  }
}

class Stream : public testing::Test {
 protected:
  published::Manager manager;
  sm::Api api{manager.sources()};
  Client client{api.resources()};

  Stream() { list("0"); }  // the first View is what later ones are compared with

  Json list(const std::string& since) { return client.json("/v1/events?since=" + since); }
  static std::string part(const sm::web::Response& stream) {
    return api_client::run(stream.chunks()).value_or("the end");
  }
  void condition(const std::string& text) {
    manager.view.status.now += std::chrono::seconds(1);
    manager.view.status.conditions = {
        {.condition = {.id = fabric::kFabricConditions.node_silent, .text = text}, .since = {}}};
    api.observe(manager.show());
  }
};

TEST_F(Stream, AListHasWhatHappenedSince) {
  condition("first");
  const Json first = list("0");
  ASSERT_EQ(first["events"].size(), 1u);
  EXPECT_EQ(first["events"][0],
            Json({{"id", "5f3a1c00-1"},
                  {"time", "2026-05-01T12:00:00.123Z"},
                  {"kind", "condition_raised"},
                  {"severity", fabric::name(fabric::kFabricConditions.node_silent.severity)},
                  {"text", "first"},
                  {"condition", "SM-NODE-SILENT"},
                  {"snapshot", "5f3a1c00-1"},
                  {"fabric_id", first["fabric_id"]}}));
  EXPECT_EQ(first["last_id"], "5f3a1c00-1");
  EXPECT_EQ(first["gap"], false);
  condition("second");
  const Json more = list(first["last_id"]);
  EXPECT_EQ(more["events"].size(), 2u);  // cleared, raised
  EXPECT_EQ(list(more["last_id"])["events"].size(), 0u);
  EXPECT_EQ(client.json("/v1/events?since=0&limit=1")["events"][0]["text"], "second");
  EXPECT_EQ(list("77777777-3")["gap"], true);
}

TEST_F(Stream, AStreamBeginsNowAndIsWoken) {
  condition("before");
  list("0");
  const auto stream = client.get("/v1/events");
  EXPECT_EQ(stream.content_type, "text/event-stream");
  EXPECT_EQ(part(stream), "retry: 2000\n\n");
  condition("behind");
  const std::string text = part(stream);
  EXPECT_THAT(text, StartsWith("id: 5f3a1c00-2\nevent: condition_cleared\ndata: {"));
  EXPECT_THAT(text, HasSubstr("\n\nid: 5f3a1c00-3\nevent: condition_raised\ndata: {"));
  EXPECT_TRUE(text.ends_with("}\n\n"));
}

TEST_F(Stream, AStreamReadsViewsWhereNoneAreShown) {
  const auto stream = client.get("/v1/events");
  part(stream);
  manager.view.status.now += std::chrono::seconds(1);
  manager.view.status.state = mad::SmState::standby;
  EXPECT_THAT(part(stream), HasSubstr("event: state_changed"));
}

TEST_F(Stream, ItIsResumedBehindTheLastEventThatAClientHas) {
  condition("one");
  list("0");  // both are compared: a View that waits is replaced by a later one
  condition("two");
  list("0");
  const auto resumed = client.get("/v1/events", {{"last-event-id", "5f3a1c00-1"}});
  EXPECT_EQ(part(resumed), "retry: 2000\n\n");
  EXPECT_THAT(part(resumed), StartsWith("id: 5f3a1c00-2\n"));
  EXPECT_EQ(part(client.get("/v1/events?last_event_id=5f3a1c00-0")), "retry: 2000\n\n");
}

TEST_F(Stream, AClientOfAnEarlierStartIsShownAGap) {
  condition("one");
  list("0");
  const auto stream = client.get("/v1/events", {{"last-event-id", "5f000000-812"}});
  EXPECT_THAT(part(stream), HasSubstr("id: 5f3a1c00-1\nevent: gap\ndata: {"));
}

TEST_F(Stream, ClientsAreBounded) {
  std::vector<sm::web::Response> streams;
  for (unsigned i = 0; i < 64; ++i) {
    client.caller.user = fmt::format("user-{}", i / 16);
    client.caller.limited_as = fmt::format("192.0.2.{}", i / 32);
    streams.push_back(client.get("/v1/events"));
    ASSERT_EQ(streams.back().status, 200u);
  }
  client.caller.user = "another";
  client.caller.limited_as = "192.0.2.99";
  EXPECT_THAT(client.problem(client.get("/v1/events"), 503).dump(),
              HasSubstr("all clients together have 64 already"));
  streams.pop_back();
  EXPECT_EQ(client.get("/v1/events").status, 200u);
}

TEST_F(Stream, NoUserAndNoAddressTakesAllOfThem) {
  std::vector<sm::web::Response> streams;
  const auto follow = [&](unsigned user, unsigned address) {
    client.caller.user = fmt::format("user-{}", user);
    client.caller.limited_as = fmt::format("192.0.2.{}", address);
    streams.push_back(client.get("/v1/events"));
    return streams.back().status;
  };
  for (unsigned i = 0; i < 16; ++i) ASSERT_EQ(follow(0, i), 200u);
  EXPECT_EQ(follow(0, 99), 503u);
  EXPECT_THAT(streams.back().body, HasSubstr("user 'user-0' has 16 already"));
  for (unsigned i = 0; i < 32; ++i) ASSERT_EQ(follow(1 + i, 200), 200u);
  EXPECT_EQ(follow(90, 200), 503u);
  EXPECT_THAT(streams.back().body, HasSubstr("address 192.0.2.200 has 32 already"));
  EXPECT_EQ(follow(90, 201), 200u) << "there is room for others";
  streams.erase(streams.begin());
  EXPECT_EQ(follow(0, 99), 200u) << "whose stream has ended";
}

TEST_F(Stream, WhatArrivesLateIsNotComparedBackwards) {
  const auto old = manager.show();
  condition("one");
  list("0");
  api.observe(old);
  EXPECT_EQ(list("0")["events"].size(), 1u);
}

}  // namespace api_events_test
