// Groups against a simple model, and the journal against a crash at every byte.
#include <gtest/gtest.h>

#include "fabric/topology/random_source.h"
#include "sm/sa/registrations/alias_guids.h"
#include "sm/sa/registrations/persistence.h"
#include "sm/sa/registrations/replicated.h"
#include "sm/sa/registrations/requests.h"
#include "support/seeds.h"
#include "unit/sm/sa/registrations/fixture.h"
#include "unit/sm/temporary_directory.h"

namespace sa::test {
namespace registrations_property_test {

using Mask = mad::McMemberRecord;
constexpr std::uint64_t kJoin = bits(Mask::kMgid, Mask::kPortGid, Mask::kJoinState);
constexpr std::uint64_t kCreate =
    kJoin | bits(Mask::kQKey, Mask::kTClass, Mask::kPKey, Mask::kFlowLabel, Mask::kSl);

/// A subnet per seed, with random requests.
struct World : Clients {
  explicit World(std::uint64_t seed) : Clients(8), random(seed) {
    options.consolidate_ipv6_snm_req = random.chance(0.5);
    subnet.fabric.switches[fabric::SwitchIndex{0}].info.set_multicast_fdb_cap(
        random.chance(0.3) ? 4 : 1024);
    reconcile();
  }
  void TestBody() override {}

  mad::Gid any_mgid() {
    switch (random.below(3)) {
      case 0:
        return kBroadcast;
      case 1:
        return {0xff12601bffff0000, {0x00000001ff000000 + std::uint64_t{random.below(4u)}}};
      default:
        return {0xff12000000000000, {random.below(5u) + 1}};
    }
  }
  Outcome change_membership(mad::Method method, mad::Gid mgid, unsigned host, std::uint8_t state) {
    mad::McMemberRecord r;
    r.set_mgid(mgid);
    r.set_port_gid(gid(host));
    r.set_join_state(state);
    r.set_p_key(mad::kDefaultPKeyFull);
    r.set_q_key(0x0b1b);
    return request(method, r, random.chance(0.8) ? kCreate : kJoin, from(host));
  }

  topology::Random random;
};

TEST(RegistrationsProperty, GroupsEqualThoseOfASimpleModel) {
  seeds::for_each(300, [](std::uint64_t seed) {
    World world(seed);
    std::map<mad::Gid, std::map<fabric::PortIndex, unsigned>> model{{kBroadcast, {}}};
    std::map<mad::Mlid, routing::MulticastGroup> routed;  // as last passed to routing
    const auto full_members = [&](mad::Gid mgid) {
      unsigned count = 0;
      for (const auto& [port, state] : model[mgid]) count += (state & 9u) != 0 ? 1 : 0;
      return count;
    };
    /// Deletes a group from the model after a leave if it has no full members.
    const auto delete_if_empty = [&](mad::Gid mgid) {
      if (mgid != kBroadcast && full_members(mgid) == 0) model.erase(mgid);
    };
    for (unsigned step = 0; step < 200; ++step) {
      const mad::Gid mgid = world.any_mgid();
      const unsigned host = world.random.below(8u);
      const fabric::PortIndex port = world.hosts[host];
      const auto state = static_cast<std::uint8_t>(world.random.below(16u));
      const bool was_there = model.contains(mgid);
      const unsigned old_full_members = was_there ? full_members(mgid) : 0;
      if (world.random.chance(0.05)) {  // the port disappears, and reappears
        std::set<mad::Gid> expected, reported;
        for (const auto& [group, members] : std::map(model)) {
          const bool was_kept = full_members(group) != 0;
          model[group].erase(port);
          if (was_kept && full_members(group) == 0) expected.insert(group);
          delete_if_empty(group);
        }
        const mad::Guid guid = world.guid(host);
        world.subnet.fabric.port_of_guid.erase(guid);
        for (const GroupNotice& notice : purge_absent_ports(world.registrations, world.subnet,
                                                            world.options, Absent::between_sweeps))
          reported.insert(notice.mgid);
        world.subnet.fabric.port_of_guid.emplace(guid, port);
        ASSERT_EQ(reported, expected);
      } else if (world.random.chance(0.5)) {
        const Outcome out = world.change_membership(mad::Method::set, mgid, host, state);
        ASSERT_TRUE(state != 0 || !out.is_ok());
        if (out.is_ok()) {
          model[mgid][port] |= state;
          ASSERT_EQ(out.notice.has_value(), old_full_members == 0 && full_members(mgid) != 0);
          ASSERT_EQ(World::reply<mad::McMemberRecord>(out).join_state(), model[mgid][port]);
        } else {
          ASSERT_FALSE(was_there && state != 0) << out.log;
        }
      } else {
        const Outcome out = world.change_membership(mad::Method::delete_, mgid, host, state);
        const bool holds = state != 0 && was_there && model[mgid].contains(port) &&
                           (model[mgid][port] & state) == state;
        ASSERT_EQ(out.is_ok(), holds) << out.log;
        if (holds) {
          if ((model[mgid][port] &= ~unsigned{state}) == 0) model[mgid].erase(port);
          ASSERT_EQ(out.notice.has_value(), old_full_members != 0 && full_members(mgid) == 0);
          delete_if_empty(mgid);
        }
        if (!was_there) model.erase(mgid);
      }

      const Groups& groups = world.registrations.groups;
      ASSERT_EQ(groups.all().size(), model.size());
      std::uint32_t members_total = 0;
      std::map<mad::Mlid, routing::MulticastGroup> expected;
      for (const auto& [gid, members] : model) {
        const Group* group = groups.find(gid);
        ASSERT_NE(group, nullptr);
        ASSERT_EQ(group->members.size(), members.size());
        ASSERT_EQ(group->full_members, full_members(gid));
        ASSERT_LE(group->mlid, last_mlid(world.subnet.fabric));
        members_total += static_cast<std::uint32_t>(members.size());
        routing::MulticastGroup& of_mlid = expected[group->mlid];
        for (const auto& [p, s] : members) {
          ASSERT_EQ(
              group->members.at({world.options.subnet_prefix, world.subnet.fabric.ports[p].guid})
                  .join_state,
              s);
          ((s & 3u) != 0 ? of_mlid.receivers : of_mlid.senders).push_back(p);
        }
        for (const auto& [other, ignored] : model) {
          if (other == gid || groups.find(other)->mlid != group->mlid) continue;
          ASSERT_TRUE(is_solicited_node(gid) && is_solicited_node(other) &&
                      world.options.consolidate_ipv6_snm_req)
              << "two groups share an MLID";
        }
      }
      ASSERT_EQ(groups.quota().total(), members_total);
      // Routing that follows take_changed_mlids() alone has the present groups.
      const auto changed = world.registrations.groups.take_changed_mlids();
      for (routing::MulticastGroup& group :
           groups.for_routing(world.subnet, world.registrations.alias_guids, changed)) {
        const bool is_empty = group.receivers.empty() && group.senders.empty();
        is_empty ? static_cast<void>(routed.erase(group.mlid))
                 : static_cast<void>(routed[group.mlid] = group);
      }
      std::erase_if(expected, [](const auto& entry) {
        return entry.second.receivers.empty() && entry.second.senders.empty();
      });
      ASSERT_EQ(routed.size(), expected.size());
      for (auto& [mlid, group] : expected) {
        std::set<fabric::PortIndex> receivers(group.receivers.begin(), group.receivers.end()),
            senders(group.senders.begin(), group.senders.end());
        for (const fabric::PortIndex p : receivers) senders.erase(p);
        ASSERT_EQ(routed.at(mlid).receivers, std::vector(receivers.begin(), receivers.end()));
        ASSERT_EQ(routed.at(mlid).senders, std::vector(senders.begin(), senders.end()));
      }
    }
  });
}

/// A random request of any kind; most are valid.
void change_something(World& world, UnixTime now) {
  const unsigned host = world.random.below(8u);
  const auto method = world.random.chance(0.6) ? mad::Method::set : mad::Method::delete_;
  switch (world.random.below(4)) {
    case 0: {
      mad::ServiceRecord r;
      r.set_service_id(world.random.below(4u));
      r.set_service_gid(world.gid(host));
      r.set_lease(world.random.below(100u));
      world.request(method, r,
                    bits(mad::ServiceRecord::kServiceId, mad::ServiceRecord::kServiceGid,
                         mad::ServiceRecord::kLease),
                    world.from(host), now);
      break;
    }
    case 1: {
      mad::InformInfo r;
      r.set_lid_range_begin({0xFFFF});
      r.set_is_generic(1);
      r.set_subscribe(method == mad::Method::set ? std::uint8_t{1} : std::uint8_t{0});
      r.set_trap_number(static_cast<std::uint16_t>(64 + world.random.below(4u)));
      world.request(mad::Method::set, r, 0, world.from(host), now);
      break;
    }
    case 2: {
      mad::GuidInfoRecord r;
      r.set_lid(world.lid(host));
      r.set_block(static_cast<std::uint8_t>(world.random.below(2u)));
      const unsigned entry = 1 + world.random.below(3u);
      mad::GuidInfo info;
      info.set_guid(entry, {world.random.below(10u)});
      r.set_guid_info(info);
      const Outcome out =
          world.request(method, r,
                        bits(mad::GuidInfoRecord::kLid, mad::GuidInfoRecord::kBlockNum,
                             mad::GuidInfoRecord::kGuid0 + entry),
                        world.from(host), now);
      world.random.chance(0.9) ? alias_written(world.registrations, out)
                               : alias_failed(world.registrations, out);
      break;
    }
    default:
      world.change_membership(method, world.any_mgid(), host,
                              static_cast<std::uint8_t>(1 + world.random.below(15u)));
  }
  if (world.random.chance(0.1)) world.registrations.acknowledged.add(world.guid(host));
  if (world.random.chance(0.03)) {
    const mad::Guid guid = world.guid(host);
    world.subnet.fabric.port_of_guid.erase(guid);
    purge_absent_ports(world.registrations, world.subnet, world.options, Absent::between_sweeps);
    world.subnet.fabric.port_of_guid.emplace(guid, world.hosts[host]);
  }
}

TEST(RegistrationsProperty, CrashAtAnyByteRestoresTheStateOfACommit) {
  seeds::for_each(6, [](std::uint64_t seed) {
    World world(seed);
    const TemporaryDirectory directory;
    auto loaded = RegistrationStore::load(directory.path(), false);
    ASSERT_TRUE(loaded);
    const auto path = directory.path() / kRegistrationsFile;
    std::map<std::size_t, std::string> states{
        {0, all_lines(Registrations())}};  // by the length of the file when they were committed
    for (unsigned commit = 0; commit < 40; ++commit) {
      for (unsigned i = world.random.below(6u); i > 0; --i)
        change_something(world, UnixTime(std::chrono::seconds(1000 + 10 * commit)));
      ASSERT_TRUE(loaded->store.commit(world.registrations));
      states[std::filesystem::file_size(path)] = all_lines(world.registrations);
    }
    const std::string journal = text_of(path);
    ASSERT_EQ(states.rbegin()->first, journal.size()) << "the journal was not compacted meanwhile";
    // Every byte with the default seeds; a share of the seeds takes a share of the bytes, too.
    const std::size_t step =
        seeds::are_default() ? 1 + (journal.size() > 20000 ? seed % 7 : 0) : 11;
    for (std::size_t length = 0; length <= journal.size(); length += step) {
      Registrations left;
      const sm::JournalText parsed = sm::parse_journal(std::string_view(journal).substr(0, length));
      ASSERT_TRUE(parsed.errors.empty()) << length;
      for (const sm::JournalLine& line : parsed.lines) {
        const auto applied = apply_line(left, line.text);
        ASSERT_TRUE(applied) << line.text << ": " << applied.error().what;
      }
      ASSERT_EQ(all_lines(left), std::prev(states.upper_bound(length))->second)
          << "cut after " << length << " of " << journal.size() << " bytes";
    }
  });
}

TEST(RegistrationsProperty, RestoresAnyHistoryAfterManyCompactions) {
  seeds::for_each(15, [](std::uint64_t seed) {
    World world(seed);
    const TemporaryDirectory directory;
    auto loaded = RegistrationStore::load(directory.path(), false);
    ASSERT_TRUE(loaded);
    std::size_t shrank = 0, before = 0;
    sm::Records records;  // as a replicated state keeps them
    for (unsigned commit = 0; commit < 3000; ++commit) {
      change_something(world, UnixTime(std::chrono::seconds(1000 + commit)));
      const auto written = loaded->store.commit(world.registrations);
      ASSERT_TRUE(written);
      if (written->everything) records.clear();
      for (const RecordChange& change : record_changes(written->lines)) {
        if (change.text)
          records.insert_or_assign(change.key, *change.text);
        else
          records.erase(change.key);
      }
      const std::size_t bytes = std::filesystem::file_size(directory.path() / kRegistrationsFile);
      shrank += bytes < before ? 1 : 0;
      before = bytes;
      if (commit % 500 != 499) continue;
      const auto again = RegistrationStore::load(directory.path(), false);
      ASSERT_TRUE(again && again->messages.empty());
      ASSERT_EQ(all_lines(again->registrations), all_lines(world.registrations));
      ASSERT_EQ(records, all_records(all_lines(world.registrations)));
      const ReplicatedRegistrations read = read_records(records);
      ASSERT_TRUE(read.rejected.empty()) << read.rejected.front();
      ASSERT_EQ(all_lines(read.registrations), all_lines(world.registrations));
    }
    EXPECT_GT(shrank, 0u) << "the journal was compacted";
  });
}

TEST(RegistrationsProperty, InvariantsHoldAfterAnyRequest) {
  seeds::for_each(200, [](std::uint64_t seed) {
    World world(seed);
    for (unsigned i = 0; i < 500; ++i) {
      std::array<std::uint8_t, 200> record{};
      for (std::uint8_t& byte : record)
        byte = world.random.chance(0.5) ? 0 : static_cast<std::uint8_t>(world.random.next());
      const WritableRecord& row = writable_records()[world.random.below(writable_records().size())];
      const unsigned host = world.random.below(8u);
      // Sometimes a valid source and valid GIDs, so that requests pass the first check.
      if (row.attribute == mad::SaAttributeId::guid_info_record && world.random.chance(0.9)) {
        record[0] = 0;
        record[1] = static_cast<std::uint8_t>(world.lid(world.random.below(8u)).value);
        record[2] &= 1;
      }
      if (row.attribute == mad::SaAttributeId::mc_member_record && world.random.chance(0.9)) {
        mad::McMemberRecord r(std::span<const std::uint8_t, mad::McMemberRecord::kBytes>(
            record.data(), mad::McMemberRecord::kBytes));
        r.set_port_gid(world.gid(world.random.below(8u)));
        if (world.random.chance(0.8)) r.set_mgid(world.any_mgid());
        if (world.random.chance(0.8)) r.set_p_key(mad::kDefaultPKeyFull);
        std::copy(r.bytes().begin(), r.bytes().end(), record.begin());
      }
      const std::uint64_t mask = world.random.chance(0.5) ? ~std::uint64_t{0} : world.random.next();
      const Query query{.method = row.method,
                        .attribute = row.attribute,
                        .modifier = static_cast<std::uint32_t>(world.random.next()),
                        .component_mask = mask,
                        .record = std::span(record).first(row.bytes),
                        .from = world.from(host, world.random.chance(0.2))};
      const Outcome out =
          row.write(world.registrations, world.view(), query, UnixTime(std::chrono::seconds(i)));
      ASSERT_TRUE(out.is_ok() ? out.bytes == row.bytes : out.bytes == 0);
      if (out.alias_write && world.random.chance(0.8)) alias_written(world.registrations, out);
      for (const RecordType* type :
           {&kMcMemberRecordType, &kServiceRecordType, &kInformInfoRecordType}) {
        std::array<std::uint8_t, 200> asked = record;
        Collector sink;
        ASSERT_EQ(type->produce(world.view(),
                                {.component_mask = mask,
                                 .record = std::span(asked).first(type->bytes),
                                 .from = world.from(host)},
                                sink),
                  mad::status::kOk);
        for (const auto& shown : sink.rows) ASSERT_EQ(shown.record.size(), type->bytes);
      }
    }
    // All changes are in the journal and are restored.
    Registrations again;
    const std::string lines = all_lines(world.registrations),
                      batch = "heddle-journal 1\n" + sm::journal_batch(lines);
    for (const sm::JournalLine& line : sm::parse_journal(batch).lines)
      ASSERT_TRUE(apply_line(again, line.text)) << line.text;
    ASSERT_EQ(all_lines(again), lines);
  });
}

}  // namespace registrations_property_test
}  // namespace sa::test
