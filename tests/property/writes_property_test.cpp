// No request that writes holds the control thread, and neither does what follows when leases end or
// a port leaves: each visits a bounded number of elements at a time.

#include <algorithm>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "fabric/topology/random_source.h"
#include "mad/records/inform_info.h"
#include "mad/records/mc_member_record.h"
#include "property/registered_world.h"
#include "sm/sa/query/answer.h"
#include "sm/sa/registrations/group_parameters.h"
#include "sm/sa/registrations/registration_limits.h"
#include "sm/sa/registrations/requests.h"
#include "support/seeds.h"

namespace sa {
namespace writes_property_test {

using registered_world::World;

constexpr UnixTime kNow{std::chrono::seconds{1'000'000}};

/// A write costs the most with these: leases that all have ended, and numbers that are all in use.
void load(World& world) {
  Registrations& all = world.site.registrations;
  for (unsigned i = 0; i < 20'000; ++i) {
    mad::ServiceRecord record;
    record.set_service_id(1'000'000 + i);
    record.set_service_gid(world.gid(world.host(i)));
    all.services.set({.record = record,
                      .expires = kNow - std::chrono::seconds(1),
                      .registered_by = world.guid(world.host(i))});
  }
  for (unsigned i = 0; i < 8000; ++i) {
    const mad::Gid made{0xFF12A01B00000000 | world.site.options.subnet_prefix >> 32,
                        mad::Guid{world.site.options.subnet_prefix << 32 | i}};
    all.groups.create({.mgid = made,
                       .mlid = {static_cast<std::uint16_t>(mad::kMlidMin.value + 4000 + i)},
                       .p_key = mad::kDefaultPKeyFull});
  }
  for (unsigned i = 0; i < 6000; ++i)
    all.alias_guids.set(
        {.port_guid = world.guid(world.host(i)), .index = 8 + i / 72},
        mad::Guid{std::uint64_t{0x001405} << 40 |
                  std::uint64_t{world.site.options.sm_assigned_guid} << 32 | (i + 1)});
  const fabric::PortIndex host = world.host(3);
  for (std::uint16_t number = 0; number < kSubscriptionsPerPort - 1; ++number)
    all.subscriptions.set({world.guid(host), number}, {});
}

/// A Set or Delete whose fields are often those of something that exists.
struct Request {
  Query query;
  std::vector<std::uint8_t> record;
};
Request draw(World& world, const WritableRecord& type, topology::Random& random) {
  const fabric::PortIndex from = world.host(static_cast<unsigned>(random.below(72u)));
  Request request{
      .query = {.method = type.method,
                .attribute = type.attribute,
                .component_mask = random.percent(30) ? random.next() : ~std::uint64_t{0},
                .record = {},
                .from = {.port = from, .lid = {}, .qpn = 1, .trusted = random.percent(30)}},
      .record = std::vector<std::uint8_t>(200)};
  const auto put = [&](std::size_t at, std::uint64_t value, unsigned width) {
    for (unsigned i = 0; i < width; ++i)
      request.record[at + i] = static_cast<std::uint8_t>(value >> (8 * (width - 1 - i)));
  };
  for (std::uint8_t& byte : request.record)
    if (random.percent(10)) byte = static_cast<std::uint8_t>(random.below(256u));
  const mad::Gid gid = world.gid(from);
  switch (type.attribute) {
    case mad::SaAttributeId::mc_member_record: {
      const mad::Gid mgid =
          random.percent(50) ? mad::Gid{} : World::mgid(static_cast<unsigned>(random.below(9u)));
      put(0, mgid.prefix, 8);
      put(8, mgid.guid.value, 8);
      put(16, gid.prefix, 8);
      put(24, gid.guid.value, 8);
      put(40, mad::kDefaultPKeyFull.value, 2);
      request.record[48] = random.percent(80) ? 1 : request.record[48];
      break;
    }
    case mad::SaAttributeId::service_record:
      put(0, random.below(1'020'000u), 8);
      put(8, gid.prefix, 8);
      put(16, gid.guid.value, 8);
      break;
    case mad::SaAttributeId::guid_info_record:
      put(0, world.site.subnet->lid_range(from).base.value, 2);
      request.record[2] = 0;
      break;
    default:
      break;
  }
  request.query.record = request.record;
  return request;
}

TEST(WritesProperty, EveryWriteIsBounded) {
  std::uint64_t most = 0;
  seeds::for_each(3, [&](std::uint64_t seed) {
    World world(0);
    load(world);
    Registrations& all = world.site.registrations;
    topology::Random random(seed);
    for (unsigned round = 0; round < 300; ++round) {
      for (const WritableRecord& type : writable_records()) {
        Request request = draw(world, type, random);
        request.query.record = request.record;
        const std::uint64_t before = all.steps;
        const View view = world.site.view();
        const Outcome outcome = type.write(all, view, request.query, kNow);
        if (outcome.alias_write) alias_written(all, outcome);
        const std::uint64_t steps = all.steps - before;
        EXPECT_LE(steps, kStepsPerWrite) << mad::name(type.attribute);
        most = std::max(most, steps);
      }
    }
  });
  EXPECT_GE(most, Services::kExpireAtOnce) << "the load is visited";
}

/// Eight thousand MGIDs in a row are in use: some repetitions find one behind them.
TEST(WritesProperty, ANumberThatIsNotInUseIsFoundByRepetitions) {
  World world(0);
  load(world);
  Groups& groups = world.site.registrations.groups;
  unsigned calls = 1;
  while (!unused_mgid(groups, 2, world.site.options.subnet_prefix)) ++calls;
  EXPECT_GT(calls, 1u);
  EXPECT_LE(calls, 8000 / kNumbersTried + 2);
}

/// Half of the ports leave, with all that they have registered.
TEST(WritesProperty, APurgeComesInSlicesAndForgetsTheSameAsAtOnce) {
  for (const Absent absent : {Absent::between_sweeps, Absent::after_load}) {
    World sliced(0), whole(0);
    fabric::Subnet after = *sliced.site.subnet;
    for (std::size_t i = 0; i < sliced.hosts.size(); i += 2)
      after.fabric.port_of_guid.erase(sliced.guid(sliced.hosts[i]));
    PurgePosition position;
    std::size_t slices = 0;
    std::vector<GroupNotice> notices;
    while (!position.is_done()) {
      for (const GroupNotice& notice : forget_absent_slice(sliced.site.registrations, after,
                                                           sliced.site.options, absent, position)) {
        notices.push_back(notice);
      }
      EXPECT_LE(position.steps, kStepsPerSlice + kStepsBeyondSlice);
      ASSERT_LT(++slices, 1000u);
    }
    EXPECT_GT(slices, 1u);
    EXPECT_EQ(notices,
              purge_absent_ports(whole.site.registrations, after, whole.site.options, absent));
    const Registrations &a = sliced.site.registrations, &b = whole.site.registrations;
    EXPECT_EQ(a.groups.all(), b.groups.all());
    EXPECT_EQ(a.services.all(), b.services.all());
    EXPECT_EQ(a.subscriptions.all(), b.subscriptions.all());
    for (const auto& [id, subscription] : a.subscriptions.all())
      EXPECT_NE(after.find(id.subscriber).port, fabric::kNoIndex);
    for (const auto& [guid, key] : a.groups.memberships())
      EXPECT_NE(after.find(guid).port, fabric::kNoIndex);
  }
}

TEST(WritesProperty, LeasesThatEndTogetherAreDroppedInParts) {
  World world(0);
  load(world);
  Services& services = world.site.registrations.services;
  const std::size_t before = services.all().size();
  std::size_t parts = 0;
  for (std::optional<UnixTime> next = kNow; next && *next <= kNow; ++parts) {
    const std::size_t had = services.all().size();
    next = services.expire(kNow);
    EXPECT_LE(had - services.all().size(), Services::kExpireAtOnce);
  }
  EXPECT_EQ(before - services.all().size(), 20'000u);
  EXPECT_GE(parts, 20'000u / Services::kExpireAtOnce);
}

}  // namespace writes_property_test
}  // namespace sa
