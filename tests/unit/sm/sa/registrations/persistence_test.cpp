// Registrations on disk: written, read, damaged; and OpenSM's dump.
#include "sm/sa/registrations/persistence.h"

#include <fstream>
#include <sstream>

#include "fixture.h"
#include "mad/format.h"
#include "sm/sa/registrations/replicated.h"
#include "sm/sa/registrations/sa_db.h"
#include "sm/store/atomic_file.h"
#include "unit/sm/temporary_directory.h"

namespace sa::test {
namespace persistence_test {

class Persistence : public Clients {
 protected:
  /// One registration of each kind.
  void fill() {
    reconcile();
    registrations.groups.join(
        kBroadcast,
        {.port_gid = gid(0), .join_state = 3, .proxy_join = true, .registered_by = guid(1)});
    registrations.groups.create({.mgid = {0xff12601bffff0000, {0x1ff000001}},
                                 .mlid = {0xC005},
                                 .p_key = {0x8010},
                                 .q_key = 0xFFFFFFFF,
                                 .mtu = 4,
                                 .rate = 26,
                                 .packet_life = 63,
                                 .sl = {15},
                                 .t_class = 255,
                                 .flow_label = 0xFFFFF,
                                 .hop_limit = 255});
    registrations.groups.join({0xff12601bffff0000, {0x1ff000001}},
                              {.port_gid = gid(2), .join_state = 8, .registered_by = guid(2)});
    mad::ServiceRecord record;
    for (std::size_t i = 0; i < mad::ServiceRecord::kBytes; ++i)
      record.bytes()[i] = static_cast<std::uint8_t>(i);
    registrations.services.set({record, UnixTime(std::chrono::seconds(5000)), guid(0)});
    record.set_service_id(9);
    record.set_lease(mad::ServiceRecord::kForever);
    registrations.services.set({record, std::nullopt, guid(0)});
    mad::InformInfo inform_info;
    inform_info.set_trap_number(64);
    registrations.subscriptions.set({guid(3), 4}, {inform_info, true});
    registrations.alias_guids.set({guid(0), 1}, {0xA1});
    registrations.alias_guids.set({guid(0), 9}, {0xA9});
    registrations.groups.next_mgid = 7;
    registrations.alias_guids.next_assigned = 8;
  }
  RegistrationStore::Loaded load() {
    auto loaded = RegistrationStore::load(directory.path(), true);
    EXPECT_TRUE(loaded) << loaded.error();
    return std::move(*loaded);
  }
  std::filesystem::path path() const { return directory.path() / kRegistrationsFile; }
  std::string file() const { return sm::read_file(path(), 1 << 24)->value_or(""); }

  TemporaryDirectory directory;
};

TEST_F(Persistence, RestoresAllRegistrations) {
  auto loaded = load();
  fill();
  ASSERT_TRUE(loaded.store.commit(registrations));
  const auto again = load();
  EXPECT_TRUE(again.messages.empty());
  EXPECT_EQ(all_lines(again.registrations), all_lines(registrations));
  EXPECT_EQ(again.registrations.groups.all(), registrations.groups.all());
  EXPECT_EQ(again.registrations.services.all(), registrations.services.all());
  EXPECT_EQ(again.registrations.subscriptions.all(), registrations.subscriptions.all());
  EXPECT_EQ(again.registrations.alias_guids.all(), registrations.alias_guids.all());
  EXPECT_EQ(again.registrations.alias_guids.owner({0xA9}), guid(0));
  EXPECT_EQ(again.registrations.groups.quota().of(guid(1)), 1u) << "quotas, too";
  const std::size_t before = file().size();
  ASSERT_TRUE(loaded.store.commit(registrations));
  EXPECT_EQ(file().size(), before) << "nothing new";
}

TEST_F(Persistence, WritesOnlyChangesInTheirLastState) {
  auto loaded = load();
  fill();
  ASSERT_TRUE(loaded.store.commit(registrations));
  const std::size_t before = file().size();
  const mad::Gid mgid{0xff12601bffff0000, {0x1ff000001}};
  Group reborn = *registrations.groups.find(mgid);
  registrations.groups.erase(
      mgid);  // deleted and created again with another MLID before the commit
  reborn.mlid = {0xC00A};
  registrations.groups.create(reborn);
  registrations.groups.join(mgid, {.port_gid = gid(4), .join_state = 1, .registered_by = guid(4)});
  registrations.alias_guids.set({guid(0), 1}, {});  // two aliases are exchanged
  registrations.alias_guids.set({guid(0), 9}, {0xA1});
  registrations.alias_guids.set({guid(0), 1}, {0xA9});
  registrations.subscriptions.clear();
  registrations.services.expire(UnixTime(std::chrono::seconds(6000)));
  ASSERT_TRUE(loaded.store.commit(registrations));
  EXPECT_LT(file().size() - before, before);
  const auto again = load();
  EXPECT_TRUE(again.messages.empty()) << again.messages[0];
  EXPECT_EQ(all_lines(again.registrations), all_lines(registrations));
}

TEST_F(Persistence, ReportsDamagedLinesWithTheirPosition) {
  {
    auto loaded = load();
    fill();
    ASSERT_TRUE(loaded.store.commit(registrations));
  }
  std::ofstream(path(), std::ios::app) << sm::journal_batch(
      "member 1 2 3 4 1 0 5\nalias 1 2 zz\nnonsense 1\ngroup ff12000000000000 1 bfff\nalias 5 300 "
      "1\nalias 5 3 "
      "7 8\n");
  auto again = load();
  ASSERT_EQ(again.messages.size(), 6u);
  EXPECT_NE(again.messages[0].find("no line before this one has its group"), std::string::npos)
      << again.messages[0];
  EXPECT_NE(again.messages[1].find(":20: 'zz' should be a hexadecimal number"), std::string::npos)
      << again.messages[1];
  EXPECT_NE(again.messages[2].find(":10: 'nonsense' is not a line type"), std::string::npos)
      << again.messages[2];
  EXPECT_NE(again.messages[3].find("from c000 to fffe"), std::string::npos) << again.messages[3];
  EXPECT_EQ(all_lines(again.registrations), all_lines(registrations));
  ASSERT_TRUE(again.store.commit(again.registrations));
  EXPECT_TRUE(load().messages.empty()) << "the next commit rewrites the journal";
}

/// A line of a group, as another program could write it.
std::string group_line(const std::string& mgid, const std::string& p_key, const std::string& mtu,
                       const std::string& rate, const std::string& life) {
  return fmt::format("group {} 5 c005 {} 1 {} {} {} 0 0 0 0 0", mgid, p_key, mtu, rate, life);
}

TEST_F(Persistence, NumbersThatNoRequestCanLeaveAreRefused) {
  ASSERT_TRUE(apply_line(registrations, group_line("ff12000000000000", "8010", "5", "10", "3f")));
  for (const std::string& line : {
           group_line("fe80000000000000", "8010", "4", "3", "12"),
           group_line("ff12000000000001", "8000", "4", "3", "12"),
           group_line("ff12000000000001", "0", "4", "3", "12"),
           group_line("ff12000000000001", "8010", "0", "3", "12"),
           group_line("ff12000000000001", "8010", "6", "3", "12"),
           group_line("ff12000000000001", "8010", "4", "1", "12"),
           group_line("ff12000000000001", "8010", "4", "ff", "12"),
           group_line("ff12000000000001", "8010", "4", "3", "40"),
       })
    EXPECT_FALSE(apply_line(registrations, line)) << line;
  EXPECT_EQ(registrations.groups.all().size(), 1u);
  const std::string record(2 * mad::ServiceRecord::kBytes, '0');
  for (const char* expires : {"8000000000000000", "7fffffffffffffff", "400000001"})
    EXPECT_FALSE(apply_line(registrations, fmt::format("service 5 {} {}", expires, record)))
        << expires;
  EXPECT_TRUE(apply_line(registrations, fmt::format("service 5 400000000 {}", record)));
  EXPECT_EQ(registrations.services.expire(UnixTime{}), kLastExpiry);
}

// A newer version was installed, and this one again.
TEST_F(Persistence, OfANewerVersionWhatIsKnownIsRead) {
  {
    auto loaded = load();
    fill();
    ASSERT_TRUE(loaded.store.commit(registrations));
  }
  std::string text = file();
  const std::string first = "heddle-journal 1";
  ASSERT_EQ(text.substr(0, first.size() + 1), first + "\n");
  text.insert(first.size(), ".9");
  std::ofstream(path()) << text;
  EXPECT_TRUE(load().messages.empty()) << "all of it is known";

  std::ofstream(path(), std::ios::app) << sm::journal_batch(
      "quorum 5 of 7\nalias 1 2 3 newer\nmember ff12601bffff0000 1ff000001 fe80000000000000 77 1 0 "
      "77 0 newer\n");
  auto again = load();
  ASSERT_EQ(again.messages.size(), 1u) << again.messages[1];
  EXPECT_NE(again.messages[0].find("format 1.9, this one writes 1): 3 lines have"),
            std::string::npos)
      << again.messages[0];
  EXPECT_EQ(again.registrations.alias_guids.owner({3}), mad::Guid{1});
  const Member* const member = again.registrations.groups.find({0xff12601bffff0000, {0x1ff000001}},
                                                               {0xfe80000000000000, {0x77}});
  ASSERT_NE(member, nullptr);
  EXPECT_EQ(member->registered_at, mad::Guid{});
  ASSERT_TRUE(again.store.commit(again.registrations));
  EXPECT_EQ(file().substr(0, first.size() + 1), first + "\n") << "of this version from now on";
  EXPECT_TRUE(load().messages.empty());
}

TEST_F(Persistence, OfAVersionWithAnotherMeaningNothingIsRead) {
  {
    auto loaded = load();
    fill();
    ASSERT_TRUE(loaded.store.commit(registrations));
  }
  std::string text = file();
  text[std::string_view("heddle-journal ").size()] = '2';
  std::ofstream(path()) << text;
  const auto again = load();
  EXPECT_FALSE(again.messages.empty()) << "clients are asked to register again";
  EXPECT_EQ(all_lines(again.registrations), all_lines(Registrations()));
}

/// Wherever a crash cuts the journal, a port that counts as acknowledged has its membership.
TEST_F(Persistence, APortThatIsGoneIsNotAcknowledgedFromTheBatchOnThatDropsItsMemberships) {
  auto loaded = load();
  reconcile();
  for (const unsigned host : {0u, 1u}) {
    registrations.groups.join(
        kBroadcast, {.port_gid = gid(host), .join_state = 1, .registered_by = guid(host)});
    registrations.acknowledged.add(guid(host));
  }
  ASSERT_TRUE(loaded.store.commit(registrations));
  const std::size_t before = file().size();
  subnet.fabric.port_of_guid.erase(guid(0));
  PurgePosition position;
  while (!position.is_done()) {  // one step at a time, each on disk before the next one
    forget_absent_slice(registrations, subnet, options, Absent::between_sweeps, position, 1);
    ASSERT_TRUE(loaded.store.commit(registrations));
  }
  const std::string journal = file();
  ASSERT_GT(journal.size(), before);
  std::size_t asked = 0;
  for (std::size_t length = before; length <= journal.size(); ++length) {
    const auto left = read_registrations(std::string_view(journal).substr(0, length), "cut");
    ASSERT_TRUE(left.messages.empty());
    const Registrations& now = left.registrations;
    EXPECT_TRUE(now.acknowledged.contains(guid(1)));
    asked += now.acknowledged.contains(guid(0)) ? 0u : 1u;
    EXPECT_TRUE(now.groups.find(kBroadcast, gid(0)) != nullptr ||
                !now.acknowledged.contains(guid(0)))
        << "cut after " << length << " bytes";
  }
  EXPECT_GT(asked, 0u);
  EXPECT_EQ(all_lines(load().registrations), all_lines(registrations));
}

/// A registration may be missing, of whichever port. The journal is repaired at once; a manager
/// that ends then must find that, too.
TEST_F(Persistence, OfADamagedJournalNoPortIsAcknowledged) {
  {
    auto loaded = load();
    fill();
    registrations.acknowledged.add(guid(1));
    ASSERT_TRUE(loaded.store.commit(registrations));
  }
  EXPECT_TRUE(load().registrations.acknowledged.contains(guid(1)));
  const std::string good = file();
  std::string damaged = good;
  const std::size_t member = damaged.find(" member ");
  ASSERT_NE(member, std::string::npos);
  damaged[member + 8] = '0';
  std::ofstream(path()) << damaged;
  EXPECT_FALSE(load().messages.empty());
  const auto repaired = load();
  EXPECT_TRUE(repaired.messages.empty());
  EXPECT_TRUE(repaired.registrations.acknowledged.is_empty());

  std::ofstream(path()) << good << sm::journal_batch("member 1 2 3 4 1 0 5\n");
  EXPECT_TRUE(load().registrations.acknowledged.is_empty());
  auto again = load();
  EXPECT_TRUE(again.registrations.acknowledged.is_empty()) << "until a commit rewrites it";
  ASSERT_TRUE(again.store.commit(again.registrations));
  EXPECT_TRUE(load().registrations.acknowledged.is_empty());
}

/// Registers what an earlier version did with both forms of the GIDs of hosts 0 and 1: GIDs have
/// the default prefix, that of the subnet, or one that the subnet had before.
void register_by_all_forms(Registrations& registrations, mad::Guid host, mad::Guid proxy,
                           std::uint64_t subnet_prefix) {
  constexpr std::uint64_t kFormerPrefix = 0xfec0000000000006;
  Groups& groups = registrations.groups;
  groups.join(kBroadcast,
              {.port_gid = {kDefaultPrefix, host}, .join_state = 1, .registered_by = host});
  groups.join(kBroadcast,
              {.port_gid = {subnet_prefix, host}, .join_state = 2, .registered_by = host});
  groups.join(kBroadcast, {.port_gid = {kFormerPrefix, proxy},
                           .join_state = 4,
                           .proxy_join = true,
                           .registered_by = host});
  groups.join(kBroadcast,
              {.port_gid = {kDefaultPrefix, proxy}, .join_state = 8, .registered_by = proxy});
  mad::ServiceRecord service;
  service.set_service_gid({kDefaultPrefix, host});
  registrations.services.set({service, std::nullopt, host});
  service.set_service_gid({subnet_prefix, host});
  registrations.services.set({service, UnixTime(std::chrono::seconds(5000)), host});
  service.set_service_id(9);
  service.set_service_gid({kDefaultPrefix, host});
  registrations.services.set({service, std::nullopt, proxy});
  service.set_service_gid({subnet_prefix, host});
  registrations.services.set({service, UnixTime(std::chrono::seconds(5000)), host});
  mad::InformInfo inform_info;
  for (const std::uint64_t prefix : {kDefaultPrefix, subnet_prefix}) {
    inform_info.set_gid({prefix, proxy});
    registrations.subscriptions.add(host, {inform_info, false});
  }
}

void expect_one_of_each(const Registrations& registrations, mad::Guid host, mad::Guid proxy,
                        std::uint64_t subnet_prefix) {
  const auto& members = registrations.groups.find(kBroadcast)->members;
  ASSERT_EQ(members.size(), 2u);
  EXPECT_EQ(members.at({subnet_prefix, host}).join_state, 3);
  EXPECT_EQ(members.at({subnet_prefix, proxy}).join_state, 12);
  EXPECT_FALSE(members.at({subnet_prefix, proxy}).proxy_join) << "one of them was its own";
  EXPECT_EQ(registrations.groups.quota().of(host), 1u);
  EXPECT_EQ(registrations.groups.quota().of(proxy), 1u);
  ASSERT_EQ(registrations.services.all().size(), 2u);
  const mad::Gid gid{subnet_prefix, host};
  EXPECT_FALSE(registrations.services.find({0, gid, {}})->expires) << "it ends later";
  EXPECT_EQ(registrations.services.find({9, gid, {}})->registered_by, host) << "not a proxy's";
  ASSERT_EQ(registrations.subscriptions.all().size(), 1u);
  EXPECT_EQ(registrations.subscriptions.all().begin()->second.inform_info.gid(),
            (mad::Gid{subnet_prefix, proxy}));
}

TEST_F(Persistence, EntriesOfEarlierVersionsByBothFormsOfAGidBecomeOne) {
  constexpr std::uint64_t kPrefix = 0xfec0000000000007;
  options.subnet_prefix = kPrefix;
  reconcile();
  register_by_all_forms(registrations, guid(0), guid(1), kPrefix);
  {
    auto earlier = load();
    ASSERT_TRUE(earlier.store.commit(registrations));
  }
  auto loaded = load();
  ASSERT_EQ(loaded.registrations.groups.find(kBroadcast)->members.size(), 4u);
  const sm::Records replicated = all_records(all_lines(loaded.registrations));
  make_gids_canonical(loaded.registrations, kPrefix);
  expect_one_of_each(loaded.registrations, guid(0), guid(1), kPrefix);
  ASSERT_TRUE(loaded.store.commit(loaded.registrations));
  const auto again = load();
  EXPECT_TRUE(again.messages.empty());
  expect_one_of_each(again.registrations, guid(0), guid(1), kPrefix);

  ReplicatedRegistrations read = read_records(replicated);
  EXPECT_TRUE(read.rejected.empty());
  make_gids_canonical(read.registrations, kPrefix);
  EXPECT_EQ(all_lines(read.registrations), all_lines(again.registrations));
  EXPECT_NE(take_changes(read.registrations), "");
  make_gids_canonical(read.registrations, kPrefix);
  EXPECT_EQ(take_changes(read.registrations), "") << "nothing changes the second time";
}

TEST_F(Persistence, AFailedCommitIsRepeated) {
  auto loaded = load();
  fill();
  std::filesystem::remove_all(directory.path());
  std::ofstream(directory.path()) << "a file in place of the directory";
  // The file is still open, so that only its replacement can fail.
  const std::string line(100000, 'x');
  for (unsigned i = 0; i < 2000; ++i)
    registrations.groups.join(
        kBroadcast, {.port_gid = {1, {i + 1}}, .join_state = 1, .registered_by = {i + 1}});
  ASSERT_TRUE(loaded.store.commit(registrations));  // appends to the unlinked file
  registrations.groups.leave(kBroadcast, {1, {1}}, 1);
  EXPECT_FALSE(loaded.store.commit(registrations));
  std::filesystem::remove(directory.path());
  std::filesystem::create_directory(directory.path());
  ASSERT_TRUE(loaded.store.commit(registrations)) << "no new change, but one that was not written";
  EXPECT_EQ(all_lines(load().registrations), all_lines(registrations));
}

std::string slurp(const std::string& name) {
  std::ifstream in(std::string(HEDDLE_TEST_DATA) + "/sa/" + name, std::ios::binary);
  std::stringstream out;
  out << in.rdbuf();
  return out.str();
}

class Dumps : public testing::TestWithParam<const char*> {};
TEST_P(Dumps, OfOpenSmAreReproduced) {
  const std::string text = slurp(GetParam());
  ASSERT_FALSE(text.empty());
  const ParsedSaDb parsed = parse_sa_db(text);
  for (const auto& error : parsed.errors) ADD_FAILURE() << error.text(GetParam());
  EXPECT_EQ(to_text(parsed.value), text);
}
INSTANTIATE_TEST_SUITE_P(Files, Dumps,
                         testing::Values("all-kinds.dump", "fattree3-64h.dump", "torus-3x3x3.dump",
                                         "random-20s-40h.dump"),
                         [](const auto& file) {
                           return std::string(file.param, 0, 3) + std::to_string(file.index);
                         });

TEST_F(Persistence, ADumpIsReadBack) {
  fill();
  registrations.services.set_time(UnixTime(std::chrono::seconds(4000)));
  const SaDb db = sa_db_of(registrations, subnet, options);
  EXPECT_EQ(db.services[1].lease_period, 1000u);
  EXPECT_EQ(db.aliases.size(), 2u) << "two blocks";
  const ParsedSaDb parsed = parse_sa_db(to_text(db));
  ASSERT_TRUE(parsed.errors.empty()) << parsed.errors[0].what;
  Registrations other;
  std::vector<std::string> log;
  reconcile_groups(other, subnet, options, log);
  EXPECT_TRUE(restore(parsed.value, other, subnet, UnixTime(std::chrono::seconds(4000))).empty());
  EXPECT_EQ(other.alias_guids.all(), registrations.alias_guids.all());
  ASSERT_EQ(other.groups.all().size(), 2u);
  EXPECT_EQ(other.groups.find(kBroadcast)->members.at(gid(0)).join_state, 3);
  EXPECT_EQ(other.groups.find({0xff12601bffff0000, {0x1ff000001}})->mlid, mad::Mlid{0xC005});
  EXPECT_EQ(other.groups.find({0xff12601bffff0000, {0x1ff000001}})->flow_label, 0xFFFFFu);
  EXPECT_EQ(other.subscriptions.all().begin()->second.inform_info,
            registrations.subscriptions.all().begin()->second.inform_info);
  for (const auto& [rid, service] : registrations.services.all())
    EXPECT_EQ(other.services.find(rid)->expires, service.expires);
}

TEST_F(Persistence, ExistingGroupsHavePrecedenceOverTheDump) {
  reconcile();
  registrations.groups.create(
      {.mgid = {0xff12000000000000, {5}}, .mlid = {0xC003}, .p_key = mad::kDefaultPKeyFull});
  const ParsedSaDb parsed = parse_sa_db(slurp("all-kinds.dump"));
  restore(parsed.value, registrations, subnet, UnixTime{});
  EXPECT_EQ(registrations.groups.find(kBroadcast)->members.size(), 1u);
  EXPECT_EQ(registrations.groups.find({0xff12601bffff0000, {0x1ff000001}})->mlid, mad::Mlid{0xC001})
      << "0xc003 is taken";
  EXPECT_EQ(registrations.services.all().size(), 4u);
}

TEST(SaDbText, ReportsDefectsWithTheirPosition) {
  const ParsedSaDb parsed = parse_sa_db(
      "# comment\n"
      "mcm_port: port_gid=0x1:0x2 scope_state=0x21 proxy_join=0x0\n"
      "rubbish\n"
      "MC Group 0xc000 : mgid=0x1:0x2 port_gid=0x0:0x0 qkey=0x1ffffffff\n"
      "GUIDInfo Record: base_guid=0x1 block_num=0x0\n"
      "Service Record: id=0x1 gid=0x1:0x2 pkey=0x0 lease=0x0 key=0x0:0x0 name='x\n");
  ASSERT_EQ(parsed.errors.size(), 5u);
  EXPECT_EQ(parsed.errors[0].line, 2);
  EXPECT_NE(parsed.errors[0].what.find("follow its 'MC Group' line"), std::string::npos);
  EXPECT_EQ(parsed.errors[1].text("f").substr(0, 6), "f:3:1:");
  EXPECT_EQ(parsed.errors[2].what, "qkey should be a hexadecimal number up to 0xffffffff");
  EXPECT_EQ(parsed.errors[2].column, 56);
  EXPECT_EQ(parsed.errors[3].what, "'lid=0x' should follow");
  EXPECT_EQ(parsed.errors[4].what, "name should end with ' in front of data8=");
  EXPECT_EQ(parsed.value, SaDb{});
}

TEST(SaDbText, NamesOfServicesCannotForgeLines) {
  SaDb db;
  constexpr std::string_view evil = "a\n\nMC Group 0xc000 ' data8=0x0";
  std::copy(evil.begin(), evil.end(), db.services.emplace_back().record.name().begin());
  const ParsedSaDb parsed = parse_sa_db(to_text(db));
  EXPECT_TRUE(parsed.errors.empty());
  EXPECT_TRUE(parsed.value.groups.empty());
  ASSERT_EQ(parsed.value.services.size(), 1u);
  EXPECT_EQ(
      std::string(reinterpret_cast<const char*>(parsed.value.services[0].record.name().data())),
      "a??MC Group 0xc000 ? data8=0x0");
}

}  // namespace persistence_test
}  // namespace sa::test
