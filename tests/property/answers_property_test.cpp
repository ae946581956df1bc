// No query holds the control thread: whatever it asks for, each slice of its answer has a bounded
// number of steps, and the slices together are the answer at once.

#include <algorithm>
#include <array>
#include <ctime>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "fabric/topology/random_source.h"
#include "mad/path_units.h"
#include "mad/records/path_records.h"
#include "property/registered_world.h"
#include "sm/sa/paths/path_types.h"
#include "sm/sa/query/answer.h"
#include "sm/sa/records/record_types.h"
#include "sm/sa/registrations/registration_limits.h"
#include "sm/sa/registrations/registrations.h"
#include "sm/sa/registrations/requests.h"
#include "sm/sa/registrations/services.h"
#include "sm/sa/registrations/subscriptions.h"
#include "support/seeds.h"

namespace sa {
namespace answers_property_test {

using registered_world::kHosts;
using registered_world::kLeaves;
using registered_world::kServiceCount;
using registered_world::kSubscriptionsPerHost;
using registered_world::World;

std::vector<const RecordType*> all_types() {
  std::vector<const RecordType*> types;
  for (const auto some : {record_types(), path_types()})
    types.insert(types.end(), some.begin(), some.end());
  for (const RecordType* type : {&kMcMemberRecordType, &kServiceRecordType, &kInformInfoRecordType})
    types.push_back(type);
  return types;
}

/// A request as a client may send it.
struct Request {
  const RecordType* type = nullptr;
  mad::Method method{};
  std::uint64_t mask = 0;
  std::uint32_t modifier = 0;
  std::vector<std::uint8_t> record{};
  fabric::PortIndex from = fabric::kNoIndex;
  bool trusted = false;

  Query query() const {
    return {.method = method,
            .attribute = type->attribute,
            .modifier = modifier,
            .component_mask = mask,
            .record = record,
            .from = {.port = from, .lid = {}, .qpn = 1, .trusted = trusted}};
  }
};

void put(std::vector<std::uint8_t>& bytes, std::size_t at, std::uint64_t value, unsigned width) {
  for (unsigned i = 0; i < width && at + i < bytes.size(); ++i)
    bytes[at + i] = static_cast<std::uint8_t>(value >> (8 * (width - 1 - i)));
}
void put(std::vector<std::uint8_t>& bytes, std::size_t at, mad::Gid gid) {
  put(bytes, at, gid.prefix, 8);
  put(bytes, at + 8, gid.guid.value, 8);
}

/// Draws requests whose components are often those of something that exists.
struct Client {
  World& world;
  topology::Random random;

  fabric::PortIndex any_port() { return world.ports[random.below(world.ports.size())]; }
  std::uint64_t any_mask() {
    switch (random.below(4u)) {
      case 0:
        return 0;
      case 1:
        return std::uint64_t{1} << random.below(64u);
      case 2:
        return random.next() & random.next() & random.next();
      default:
        return random.next();
    }
  }
  /// LIDs and GIDs where most records have them; elsewhere mostly small numbers.
  void fill(std::vector<std::uint8_t>& bytes) {
    for (std::uint8_t& byte : bytes)
      byte = static_cast<std::uint8_t>(random.percent(70) ? 0u : random.below(256u));
    const fabric::LidMap::Range lids = world.site.subnet->lid_range(any_port());
    put(bytes, 0, lids.base.value + random.below(std::max(lids.count(), 1u)), 2);
  }
  void fill_path(std::vector<std::uint8_t>& bytes) {
    put(bytes, 8, world.gid(any_port()));   // DGID
    put(bytes, 24, world.gid(any_port()));  // SGID
    put(bytes, 40, world.site.subnet->lid_range(any_port()).base.value, 2);
    put(bytes, 42, world.site.subnet->lid_range(any_port()).base.value, 2);
  }
  /// 1 to 255 ends at each side, often the same one again and again.
  void make_multi_path(Request& request) {
    using Mask = mad::MultiPathRecordFields::Mask;
    const unsigned sources = 1 + random.below(255u), destinations = 1 + random.below(255u);
    mad::MultiPathRecord record(
        std::span<const std::uint8_t>(request.record).first<mad::MultiPathRecord::kBytes>());
    record.set<"SGIDCount">(sources);
    record.set<"DGIDCount">(destinations);
    record.set<"IndependenceSelector">(random.below(2u));
    request.record.assign(record.bytes().begin(), record.bytes().end());
    request.record.resize(request.record.size() + (sources + destinations) * 16u);
    const unsigned kinds = 1 + random.below(255u);
    for (unsigned i = 0; i < sources + destinations; ++i)
      put(request.record, mad::MultiPathRecord::kBytes + i * 16u,
          world.gid(world.ports[random.below(kinds) % world.ports.size()]));
    request.mask &= ~(std::uint64_t{1} << Mask::kPKey | std::uint64_t{1} << Mask::kServiceIdLow |
                      std::uint64_t{1} << Mask::kServiceIdHigh);
    request.mask |= std::uint64_t{1} << Mask::kSgidCount | std::uint64_t{1} << Mask::kDgidCount;
  }
  Request draw(const RecordType& type, mad::Method method) {
    Request request{.type = &type,
                    .method = method,
                    .mask = any_mask(),
                    .modifier = random.percent(20) ? static_cast<std::uint32_t>(random.next()) : 0,
                    .from = any_port(),
                    .trusted = random.percent(70)};
    request.record.resize(std::max<std::size_t>(type.bytes_in_request(), 200));
    fill(request.record);
    if (&type == &kPathRecord || &type == &kTraceRecord) fill_path(request.record);
    if (&type == &kMcMemberRecordType) put(request.record, 0, world.mgid(random.below(9u)));
    if (&type == &kServiceRecordType) put(request.record, 0, random.below(kServiceCount / 4), 8);
    if (&type == &kInformInfoRecordType) put(request.record, 0, world.gid(any_port()));
    if (&type == &kMultiPathRecord) make_multi_path(request);
    return request;
  }
};

constexpr std::size_t kUnlimited = std::numeric_limits<std::size_t>::max();

struct Sliced {
  std::uint16_t status = mad::status::kOk;
  bool is_complete = false;
  std::size_t steps = 0, slices = 0;
  std::vector<std::uint8_t> bytes{};
};

/// Up to `slices_max` slices of `steps` each; all of them have these bounds.
Sliced send(World& world, const Request& request, std::size_t steps, std::size_t slices_max) {
  Sliced out;
  ResponseBuffer buffer;
  AnswerPosition position;
  const View view = world.site.view();
  const Query query = request.query();
  while (out.status == mad::status::kOk && !position.at_end && out.slices < slices_max) {
    const AnswerPlace before = position.next;
    const std::size_t records_before = out.slices == 0 ? 0 : buffer.records();
    out.status = answer_slice(view, query, *request.type, buffer, position, kStreamBytesMax, steps);
    ++out.slices;
    out.steps += position.steps;
    if (out.status != mad::status::kOk) break;
    EXPECT_TRUE(position.at_end || position.next != before || out.slices == 1);
    if (steps == kUnlimited) continue;
    EXPECT_LE(position.steps, steps + kStepsBeyondSlice);
    if (request.type->finish == nullptr) {
      EXPECT_LE(buffer.records() - records_before, steps + kStepsBeyondSlice);
    }
  }
  out.is_complete = position.at_end;
  out.bytes.assign(buffer.bytes().begin(), buffer.bytes().end());
  return out;
}

/// Slices of one request that are produced: an answer for all pairs of hosts with LMC 7 has
/// 100,000.
constexpr std::size_t kSlicesMax = 12;

TEST(AnswersProperty, EverySliceOfEveryQueryIsBounded) {
  std::size_t long_answers = 0;
  std::set<const RecordType*> answered;
  for (unsigned lmc = 0; lmc <= 7; ++lmc) {
    World world(lmc);
    for (const RecordType* type : all_types()) {
      for (const mad::Method method : type->methods) {
        seeds::for_each(4, [&](std::uint64_t seed) {
          Client client{world, topology::Random(seed * 1000 + lmc * 100 +
                                                static_cast<unsigned>(type->attribute))};
          const Request request = client.draw(*type, method);
          SCOPED_TRACE(testing::Message() << "LMC " << lmc << ", " << mad::name(type->attribute)
                                          << ", mask " << request.mask);
          const Sliced sliced = send(world, request, kStepsPerSlice, kSlicesMax);
          long_answers += sliced.slices > 1 ? 1 : 0;
          if (sliced.bytes.size() > ResponseBuffer::kHeaderBytes) answered.insert(type);
          if (!sliced.is_complete && sliced.status == mad::status::kOk) return;
          const Sliced whole = send(world, request, kUnlimited, 1);
          EXPECT_EQ(whole.status, sliced.status);
          EXPECT_EQ(whole.bytes, sliced.bytes);
          if (seed > 1) return;
          const Sliced small = send(world, request, 97, kUnlimited);
          EXPECT_EQ(small.status, sliced.status);
          EXPECT_EQ(small.bytes, sliced.bytes);
        });
      }
    }
  }
  EXPECT_GT(long_answers, 20u);
  if (seeds::are_default()) {
    for (const RecordType* type : {&kPathRecord, &kMultiPathRecord, &kTraceRecord,
                                   &kMcMemberRecordType, &kServiceRecordType, &kNodeRecord})
      EXPECT_TRUE(answered.contains(type)) << mad::name(type->attribute);
  }
}

/// The worst that a MultiPathRecord can ask for: 255 by 255 ends, and a rate that the hosts have
/// and no path between leaves has, so that no pair of LIDs ends the search.
Request worst_multi_path(const World& world, bool same_ends, bool independent) {
  using Mask = mad::MultiPathRecordFields::Mask;
  mad::MultiPathRecord record;
  record.set<"SGIDCount">(255u);
  record.set<"DGIDCount">(255u);
  record.set<"RateSelector">(static_cast<unsigned>(mad::Selector::exactly));
  record.set<"Rate">(16u);  // 100 Gb/s
  record.set<"IndependenceSelector">(independent ? 1u : 0u);
  Request request{.type = &kMultiPathRecord,
                  .method = mad::Method::get_multi,
                  .record = {record.bytes().begin(), record.bytes().end()},
                  .from = world.hosts[0]};
  request.record.resize(mad::MultiPathRecord::kBytes + 510u * 16u);
  for (unsigned i = 0; i < 510; ++i) {
    const unsigned side = i < 255 ? 0 : 1;  // hosts of two leaves
    put(request.record, mad::MultiPathRecord::kBytes + i * 16u,
        world.gid(world.host(same_ends ? side : i * kLeaves + side)));
  }
  for (const unsigned bit :
       {Mask::kSgidCount, Mask::kDgidCount, Mask::kRateSelector, Mask::kRate, Mask::kIndependence})
    request.mask |= std::uint64_t{1} << bit;
  return request;
}

TEST(AnswersProperty, AMultiPathRequestIsDividedAndBounded) {
  constexpr std::size_t kStepsMax = 80'000;
  std::size_t steps = 0;
  std::clock_t spent = 0;
  for (unsigned lmc = 0; lmc <= 7; ++lmc) {
    World world(lmc);
    const std::size_t lid_pairs = std::size_t{1} << (2 * lmc);
    world.site.view();  // makes what answers need
    for (const bool independent : {false, true}) {
      const std::clock_t begin = std::clock();
      // A GID that is named 255 times is one end: each pair of its LIDs is a step.
      const Sliced one =
          send(world, worst_multi_path(world, true, independent), kStepsPerSlice, kUnlimited);
      EXPECT_EQ(one.status, mad::status::kOk);
      EXPECT_EQ(one.bytes.size(), ResponseBuffer::kHeaderBytes);
      EXPECT_GE(one.steps, lid_pairs);
      EXPECT_LE(one.steps, lid_pairs + lid_pairs / 100 + 100);
      EXPECT_GE(one.slices, one.steps / (kStepsPerSlice + kStepsBeyondSlice));
      // 18 hosts at each leaf: 324 pairs.
      const Sliced many =
          send(world, worst_multi_path(world, false, independent), kStepsPerSlice, kUnlimited);
      EXPECT_EQ(many.status, mad::status::kOk);
      EXPECT_GE(many.steps, 324 * std::min<std::size_t>(lid_pairs, 65536 / 324) * 9 / 10);
      EXPECT_LE(many.steps, kStepsMax) << "LMC " << lmc;
      steps += one.steps + many.steps;
      spent += std::clock() - begin;
    }
  }
  testing::Test::RecordProperty(
      "ns_per_step",
      std::to_string(spent * (1'000'000'000 / CLOCKS_PER_SEC) / static_cast<std::clock_t>(steps)));
}

TEST(AnswersProperty, ARateThatTheHostsLackCostsNoPairsOfLids) {
  World world(7);
  for (const unsigned code : {17u /* 200 Gb/s */, 16u}) {
    for (const auto selector : {mad::Selector::greater_than, mad::Selector::exactly}) {
      if (code == 16 && selector == mad::Selector::exactly) continue;  // the hosts have it
      using Mask = mad::PathRecordFields::Mask;
      mad::PathRecord record;
      record.set<"RateSelector">(static_cast<unsigned>(selector));
      record.set<"Rate">(code);
      Request request{
          .type = &kPathRecord,
          .method = mad::Method::get_table,
          .mask = std::uint64_t{1} << Mask::kRateSelector | std::uint64_t{1} << Mask::kRate,
          .record = {record.bytes().begin(), record.bytes().end()},
          .from = world.hosts[0]};
      const Sliced all = send(world, request, kStepsPerSlice, kUnlimited);
      EXPECT_EQ(all.bytes.size(), ResponseBuffer::kHeaderBytes);
      EXPECT_LE(all.steps, world.ports.size() * world.ports.size() * 11 / 10);
    }
  }
}

/// All pairs of LIDs of two hosts, and of all hosts as long as the test looks.
TEST(AnswersProperty, TablesOfPathsAreDividedByPairsOfLids) {
  using Mask = mad::PathRecordFields::Mask;
  World world(7);
  Request request{.type = &kPathRecord,
                  .method = mad::Method::get_table,
                  .record = std::vector<std::uint8_t>(mad::PathRecord::kBytes),
                  .from = world.hosts[0]};
  EXPECT_FALSE(send(world, request, kStepsPerSlice, 20).is_complete);
  put(request.record, 8, world.gid(world.hosts[1]));   // DGID
  put(request.record, 24, world.gid(world.hosts[0]));  // SGID
  request.mask = std::uint64_t{1} << Mask::kDgid | std::uint64_t{1} << Mask::kSgid;
  const Sliced two = send(world, request, kStepsPerSlice, kUnlimited);
  EXPECT_EQ(two.bytes.size(), ResponseBuffer::kHeaderBytes + 128u * 128u * 64u);
  EXPECT_GE(two.slices, 16u);
}

/// Registered between two slices, or dropped: what was there all the time is in the table once.
TEST(AnswersProperty, TablesOfRegistrationsThatChangeBetweenSlices) {
  seeds::for_each(5, [](std::uint64_t seed) {
    World world(0);
    topology::Random random(seed);
    Services& services = world.site.registrations.services;
    std::vector<ServiceRid> all;
    for (const auto& [rid, service] : services.all()) all.push_back(rid);
    std::set<ServiceRid> dropped;
    const Request request{.type = &kServiceRecordType,
                          .method = mad::Method::get_table,
                          .record = std::vector<std::uint8_t>(mad::ServiceRecord::kBytes),
                          .from = world.hosts[0],
                          .trusted = true};
    ResponseBuffer buffer;
    AnswerPosition position;
    const View view = world.site.view();
    const Query query = request.query();
    for (std::uint64_t slice = 0; !position.at_end; ++slice) {
      ASSERT_EQ(answer_slice(view, query, kServiceRecordType, buffer, position, kResponseBytesMax,
                             1 + random.below(400u)),
                mad::status::kOk);
      for (int i = 0; i < 40; ++i) {
        const ServiceRid rid = all[random.below(all.size())];
        services.erase(rid);
        dropped.insert(rid);
        mad::ServiceRecord record;
        record.set_service_id(random.next() % kServiceCount);
        record.set_service_gid({1, mad::Guid{slice * 100 + static_cast<unsigned>(i)}});
        services.set({.record = record});
      }
    }
    std::multiset<ServiceRid> shown;
    for (std::size_t i = 0; i < buffer.records(); ++i)
      shown.insert(
          rid_of(mad::ServiceRecord(buffer.record(i).first<mad::ServiceRecord::kBytes>())));
    for (const ServiceRid& rid : all) {
      EXPECT_LE(shown.count(rid), 1u);
      if (!dropped.contains(rid)) {
        EXPECT_EQ(shown.count(rid), 1u);
      }
    }
  });
}

/// Full scans for a record that no key finds, by Get as well.
TEST(AnswersProperty, ScansOfRegistrationsAreSliced) {
  World world(0);
  for (const RecordType* type :
       {&kMcMemberRecordType, &kServiceRecordType, &kInformInfoRecordType}) {
    for (const mad::Method method : {mad::Method::get, mad::Method::get_table}) {
      Request request{.type = type,
                      .method = method,
                      .record = std::vector<std::uint8_t>(200),
                      .from = world.hosts[0],
                      .trusted = true};
      if (type == &kMcMemberRecordType) {  // JoinState 0, which no member has
        request.mask = std::uint64_t{1} << mad::McMemberRecord::kJoinState;
      } else if (type == &kServiceRecordType) {
        request.mask = std::uint64_t{1} << mad::ServiceRecord::kName;
        request.record[48] = 1;
      } else {
        request.mask = std::uint64_t{1} << mad::InformInfoRecord::kEnum;
        request.record[16] = request.record[17] = 0xFF;
      }
      const Sliced sliced = send(world, request, kStepsPerSlice, kUnlimited);
      EXPECT_EQ(sliced.status,
                method == mad::Method::get ? mad::sa_status::kNoRecords : mad::status::kOk);
      EXPECT_GT(sliced.slices, 1u) << mad::name(type->attribute);
    }
  }
}

/// By ServiceID or SubscriberGID the rest is not visited.
TEST(AnswersProperty, AKeyFindsRegistrationsWithoutAScan) {
  World world(0);
  Request service{.type = &kServiceRecordType,
                  .method = mad::Method::get_table,
                  .mask = std::uint64_t{1} << mad::ServiceRecord::kServiceId,
                  .record = std::vector<std::uint8_t>(mad::ServiceRecord::kBytes),
                  .from = world.hosts[0],
                  .trusted = true};
  put(service.record, 0, 500, 8);
  const Sliced four = send(world, service, kStepsPerSlice, 1);
  EXPECT_EQ(four.bytes.size(), ResponseBuffer::kHeaderBytes + 4 * 176u);
  EXPECT_LE(four.steps, 5u);
  Request subscription{.type = &kInformInfoRecordType,
                       .method = mad::Method::get_table,
                       .mask = std::uint64_t{1} << mad::InformInfoRecord::kSubscriberGid,
                       .record = std::vector<std::uint8_t>(mad::InformInfoRecord::kBytes),
                       .from = world.hosts[0],
                       .trusted = true};
  put(subscription.record, 0, world.gid(world.hosts[5]));
  const Sliced own = send(world, subscription, kStepsPerSlice, 1);
  EXPECT_TRUE(own.is_complete);
  EXPECT_GT(own.bytes.size(), ResponseBuffer::kHeaderBytes);
  EXPECT_LE(own.steps, kSubscriptionsPerHost + 1u);
}

}  // namespace answers_property_test
}  // namespace sa
