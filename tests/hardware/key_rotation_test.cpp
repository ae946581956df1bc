// periodic_key_update: M_Keys of their own that change at the end of each period.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>

#include "hostile/quiet.h"
#include "sim/world/forwarding.h"
#include "sm/store/key_version.h"
#include "sm/store/m_key_policy.h"
#include "sm/sweep/devices/m_keys.h"

namespace rotation_test {

using laboratory::Folder;
using laboratory::Instance;
using laboratory::Laboratory;
using mad::MKey;
using mad::PortInfo;
using namespace std::chrono_literals;
namespace fs = std::filesystem;

constexpr std::uint64_t kSeed = 0x5EED5EED5EED5EED;
constexpr std::chrono::minutes kPeriod{10};
/// A period ends this long after the start.
constexpr std::chrono::seconds kUntilChange{20};
constexpr std::chrono::sys_seconds kChange{kPeriod * 3'000'000};
constexpr std::uint64_t kVersion = 30'000'000;

using Files = std::map<std::string, std::string>;

Files read_all(const Folder& folder) {
  Files contents;
  for (const auto& entry : fs::directory_iterator(folder.text())) {
    std::ifstream in(entry.path());
    contents[entry.path().filename()] = {std::istreambuf_iterator<char>(in), {}};
  }
  return contents;
}

void write_all(const Folder& folder, const Files& contents) {
  for (const auto& entry : fs::directory_iterator(folder.text())) fs::remove(entry.path());
  for (const auto& [name, text] : contents) std::ofstream(fs::path(folder.text()) / name) << text;
}

/// Managers at "H0" and, as its standby, "H5", on two switches with three hosts each.
struct Rotation : Laboratory {
  explicit Rotation(unsigned level, std::uint16_t lease_s = 0)
      : Laboratory(laboratory::two_switches()) {
    options.m_key_per_port = true;
    options.key_mgr_seed = kSeed;
    options.m_key_protection_level = static_cast<std::uint8_t>(level);
    options.m_key_lease_period = lease_s;
    options.sm_key = 0x1234;
    options.periodic_key_update = kPeriod.count();
  }
  /// `ahead`: of the clock of the first one.
  Instance& start_at(const std::string& host, const Folder& files,
                     std::chrono::seconds ahead = {}) {
    config::Options its = options;
    its.cache_files_dir = files.text();
    its.sm_priority = instances.empty() ? 2 : 1;
    Instance& instance = start(host, its);
    instance.wall_clock_begin = kChange - kUntilChange + ahead -
                                std::chrono::floor<std::chrono::seconds>(began_.time_since_epoch());
    return instance;
  }
  bool start_first() {
    start_at("H0", folder);
    const bool up = runtime.run_until([&] { return complaint().empty(); }, kUntilChange / 2);
    runtime.run_for(2s);
    return up;
  }
  bool is_changed() const {
    return std::ranges::all_of(end_ports(), [this](sim::PortIndex port) {
      return model.ports[port].info.m_key() == new_key(port);
    });
  }
  MKey new_key(sim::PortIndex port) const {
    return sm::MKeyPolicy(options, kVersion).key(model.ports[port].guid);
  }
  std::vector<sim::PortIndex> end_ports() const {
    std::vector<sim::PortIndex> ports;
    for (const sim::PortIndex port : model.ports.indices())
      if (model.ports[port].number == 0 ? model.owning_node(port).is_switch()
                                        : model.is_end_port(port) && far(port) != sim::kNone)
        ports.push_back(port);
    return ports;
  }
  std::map<sim::PortIndex, MKey> keys() const {
    std::map<sim::PortIndex, MKey> all;
    for (const sim::PortIndex port : end_ports()) all[port] = model.ports[port].info.m_key();
    return all;
  }
  /// Counts Sets of PortInfo that have a key of the new version.
  void count_sets() {
    instances.front().tap().on_request = [this](mad::ConstSmpView smp) {
      if (smp.method() != mad::Method::set || smp.attribute_id() != mad::AttributeId::port_info)
        return;
      const PortInfo info(smp.data());
      for (const sim::PortIndex port : end_ports())
        if (info.m_key() == new_key(port)) ++sets[port];
      if (on_set) on_set();
    };
  }
  std::size_t all_sets() const {
    std::size_t sum = 0;
    for (const auto& [port, count] : sets) sum += count;
    return sum;
  }
  /// Packets between all hosts arrive.
  bool forwards() const {
    for (unsigned from = 0; from < 6; ++from)
      for (unsigned to = 0; to < 6; ++to) {
        const sim::PortIndex end = port(fmt::format("H{}", to));
        const mad::Lid lid = model.ports[end].info.lid();
        if (from != to &&
            !sim::walk_unicast(model, port(fmt::format("H{}", from)), {.dlid = lid}).delivered())
          return false;
      }
    return true;
  }
  std::size_t unknown_keys() const {
    std::size_t count = 0;
    for (const Instance& instance : instances) count += instance.count("SM-M-KEY-UNKNOWN");
    return count;
  }
  std::string all_tails() const {
    std::string text;
    for (const Instance& instance : instances) text += instance.tail() + "\n";
    return text;
  }

  config::Options options;
  Folder folder, other_folder;
  std::map<sim::PortIndex, std::size_t> sets;
  std::function<void()> on_set;

 private:
  const mad::TimePoint began_ = runtime.now();
};

class RotationAt : public testing::TestWithParam<unsigned> {};
INSTANTIATE_TEST_SUITE_P(Levels, RotationAt, testing::Values(0u, 1u, 2u, 3u),
                         [](const auto& test) { return std::to_string(test.param); });

TEST_P(RotationAt, EachPortGetsAnotherKeyByOneSetAndKeepsForwarding) {
  Rotation lab(GetParam());
  ASSERT_TRUE(lab.start_first()) << lab.complaint() << lab.all_tails();
  const auto before = lab.keys();
  std::size_t broken = 0;
  lab.on_set = [&] { broken += lab.forwards() ? 0 : 1; };
  lab.count_sets();
  const std::size_t sweeps = lab.instances.front().count("sweep begins");
  ASSERT_TRUE(lab.runtime.run_until([&] { return lab.is_changed(); }, kUntilChange))
      << lab.all_tails();
  lab.runtime.run_for(1s);
  for (const auto& [port, key] : lab.keys()) {
    EXPECT_NE(key, before.at(port));
    EXPECT_EQ(lab.sets[port], 1u) << lab.model.name(port);
  }
  EXPECT_EQ(broken, 0u);
  EXPECT_EQ(lab.complaint(), "") << lab.all_tails();
  EXPECT_EQ(lab.instances.front().count("sweep begins"), sweeps) << "it needs no sweep";
  EXPECT_EQ(lab.world.statistics.m_key_violations, 0u);
  const sm::Guid2MKey stored = sm::load_guid2mkey(lab.folder.text()).value;
  for (const auto& [port, key] : lab.keys()) EXPECT_EQ(stored.at(lab.model.ports[port].guid), key);
  EXPECT_TRUE(sm::load_guid2mkey(lab.folder.text(), sm::MKeys::kNextFile).value.empty());
  EXPECT_EQ(sm::load_key_version(lab.folder.text())->current, kVersion);
}

TEST_P(RotationAt, LosesNoPortIfRequestsAndResponsesAreLost) {
  Rotation lab(GetParam(), GetParam() > 1 ? 60 : 0);
  ASSERT_TRUE(lab.start_first()) << lab.complaint() << lab.all_tails();
  lab.count_sets();
  lab.set_wire({.lost = 0.2});
  lab.runtime.run_for(kUntilChange + 5s);
  lab.set_wire({});
  EXPECT_TRUE(lab.settles()) << lab.complaint() << lab.all_tails();
  EXPECT_TRUE(lab.is_changed()) << lab.all_tails();
}

/// The manager ends after each number of Sets: they arrive, their responses do not, and it writes
/// no file any more. Its next start has the files, or another machine has the seed and the time.
TEST_P(RotationAt, LosesNoPortWhereverTheManagerEnds) {
  for (const bool has_files : {true, false}) {
    // Without files a manager cannot read ports of levels 2 and 3 before their leases expire.
    if (!has_files && GetParam() > 1) continue;
    for (std::size_t last = 0; last <= 8; ++last) {
      SCOPED_TRACE(fmt::format("{} Sets, {}", last, has_files ? "with files" : "without"));
      Rotation lab(GetParam());
      lab.options.max_wire_smps = 2;
      lab.options.origins["max_wire_smps"] = {"opensm.conf", 1, 1};
      ASSERT_TRUE(lab.start_first()) << lab.complaint() << lab.all_tails();
      lab.count_sets();
      Instance& heddle = lab.instances.front();
      const auto begun = [&] {
        return last == 0 ? heddle.says("periodic_key_update: version") : lab.all_sets() >= last;
      };
      ASSERT_TRUE(lab.runtime.run_until(begun, kUntilChange)) << lab.all_tails();
      const Files as_killed = read_all(lab.folder);
      lab.runtime.run_for(3us);
      lab.set_wire({.lost = 1});
      heddle.tap().on_request = {};
      heddle.stop();
      lab.instances.clear();
      write_all(lab.folder, has_files ? as_killed : Files{});
      lab.set_wire({});
      lab.start_at(has_files ? "H0" : "H5", lab.folder);
      EXPECT_TRUE(lab.settles()) << lab.complaint() << lab.all_tails();
      EXPECT_TRUE(lab.is_changed()) << lab.all_tails();
      EXPECT_EQ(lab.unknown_keys(), 0u) << lab.all_tails();
    }
  }
}

/// Its clock is behind by less than the skew that is allowed for, or ahead.
TEST_P(RotationAt, StandbyReadsOnAndTakesOverAtAnyStep) {
  for (const std::chrono::seconds ahead : {0s, -60s, 60s}) {
    for (const std::size_t last : {std::size_t{1}, std::size_t{4}, std::size_t{8}}) {
      SCOPED_TRACE(fmt::format("{} Sets, clock {} s ahead", last, ahead.count()));
      Rotation lab(GetParam());
      ASSERT_TRUE(lab.start_first()) << lab.complaint() << lab.all_tails();
      lab.start_at("H5", lab.other_folder, ahead);
      lab.count_sets();
      ASSERT_TRUE(lab.runtime.run_until([&] { return lab.all_sets() >= last; }, kUntilChange))
          << lab.all_tails();
      lab.runtime.run_for(3us);
      lab.instances.front().tap().on_request = {};
      lab.instances.pop_front();
      EXPECT_TRUE(lab.settles(laboratory::kTakeover + 60s)) << lab.complaint() << lab.all_tails();
      EXPECT_EQ(lab.unknown_keys(), 0u) << lab.all_tails();
      EXPECT_GE(lab.instances.front().manager().status().key_version.current, kVersion);
    }
  }
}

TEST(Rotation, OfAStandbyThatReadsOnCausesFewViolations) {
  Rotation lab(2);
  ASSERT_TRUE(lab.start_first()) << lab.complaint() << lab.all_tails();
  write_all(lab.other_folder, read_all(lab.folder));
  lab.start_at("H5", lab.other_folder);
  lab.runtime.run_for(kUntilChange);
  ASSERT_TRUE(lab.is_changed()) << lab.all_tails();
  lab.runtime.run_for(3min);
  EXPECT_EQ(lab.complaint(), "") << lab.all_tails();
  EXPECT_LE(lab.world.statistics.m_key_violations, lab.end_ports().size())
      << "reads while the keys changed";
}

/// It was absent during the change, and kept its key.
TEST(Rotation, PortThatReturnsGetsItsKey) {
  Rotation lab(1);
  ASSERT_TRUE(lab.start_first()) << lab.complaint() << lab.all_tails();
  const sim::PortIndex host = lab.port("H4");
  const sim::PortIndex end = lab.far(host);
  const MKey before = lab.info(host).m_key();
  lab.world.cut(host);
  lab.runtime.run_for(kUntilChange + 2 * kPeriod);
  lab.plug(host, end);
  EXPECT_EQ(lab.info(host).m_key(), before);
  EXPECT_TRUE(lab.settles()) << lab.complaint() << lab.all_tails();
  EXPECT_NE(lab.info(host).m_key(), before);
}

TEST(Rotation, IsNotBegunWithoutADiskAndTriedAgain) {
  Rotation lab(1);
  ASSERT_TRUE(lab.start_first()) << lab.complaint() << lab.all_tails();
  const auto before = lab.keys();
  lab.count_sets();
  const Files kept = read_all(lab.folder);
  fs::remove_all(lab.folder.text());
  std::ofstream(lab.folder.text()) << "no directory";
  lab.runtime.run_for(kUntilChange + 5s);
  EXPECT_EQ(lab.all_sets(), 0u) << lab.all_tails();
  EXPECT_EQ(lab.keys(), before);
  EXPECT_TRUE(lab.instances.front().says("SM-STORE-FAILED")) << lab.all_tails();
  fs::remove(lab.folder.text());
  fs::create_directory(lab.folder.text());
  write_all(lab.folder, kept);
  EXPECT_TRUE(lab.runtime.run_until([&] { return lab.is_changed(); }, 2min)) << lab.all_tails();
}

/// Versions never return to one that was before, whatever the clock says.
TEST(Rotation, GoesOnAfterAClockThatWasAhead) {
  Rotation lab(1);
  sm::KeyVersion ahead{.current = 2 * kVersion, .previous = kVersion};
  ASSERT_TRUE(sm::save_key_version(lab.folder.text(), ahead, false));
  ASSERT_TRUE(lab.start_first()) << lab.complaint() << lab.all_tails();
  ahead = {.current = 2 * kVersion + 1, .previous = 2 * kVersion};
  EXPECT_EQ(lab.instances.front().manager().status().key_version, ahead);
  lab.runtime.run_for(kPeriod);
  ahead = {.current = 2 * kVersion + 2, .previous = 2 * kVersion + 1};
  EXPECT_EQ(lab.instances.front().manager().status().key_version, ahead);
  EXPECT_EQ(lab.complaint(), "") << lab.all_tails();
}

/// The own port has a key that neither the clock nor the old files name.
TEST(Rotation, AWrongClockWithOldFilesIsNamed) {
  for (const std::chrono::seconds ahead : {-600s, -86'400s, 86'400s}) {
    SCOPED_TRACE(ahead.count());
    Rotation lab(2);
    ASSERT_TRUE(lab.start_first()) << lab.complaint() << lab.all_tails();
    const Files old = read_all(lab.folder);
    ASSERT_TRUE(lab.runtime.run_until([&] { return lab.is_changed(); }, kUntilChange));
    lab.runtime.run_for(1s);
    lab.instances.clear();
    write_all(lab.folder, old);
    Instance& heddle = lab.start_at("H0", lab.folder, ahead);
    lab.runtime.run_for(10s);
    EXPECT_TRUE(heddle.says("SM-PORT-DOWN")) << heddle.tail();
    EXPECT_TRUE(heddle.says("correct the clock")) << heddle.tail();
    EXPECT_TRUE(heddle.says("key-version")) << heddle.tail();
    EXPECT_TRUE(heddle.says(lab.folder.text())) << heddle.tail();
    EXPECT_FALSE(heddle.says("another program")) << heddle.tail();
    EXPECT_EQ(heddle.manager().status().state, mad::SmState::discovering);
    // The clock is set: the old files and the time name all keys.
    heddle.wall_clock_begin -= ahead;
    EXPECT_TRUE(lab.settles()) << lab.complaint() << lab.all_tails();
  }
}

/// A host that knows each key that its own port has had changes nothing elsewhere.
TEST(Rotation, KeysOfOnePortAndVersionSayNothingOfOthers) {
  Rotation lab(1);
  ASSERT_TRUE(lab.start_first()) << lab.complaint() << lab.all_tails();
  const sim::PortIndex host = lab.port("H4"), victim = lab.port("H1");
  std::vector<MKey> recorded{MKey{}, lab.info(host).m_key()};
  const MKey of_victim = lab.info(victim).m_key();
  lab.runtime.run_for(kUntilChange + 2s);
  ASSERT_TRUE(lab.is_changed()) << lab.all_tails();
  recorded.push_back(lab.info(host).m_key());
  const auto attacker = lab.world.attach(host);
  const PortInfo before = lab.info(victim);
  std::uint64_t transaction = 0x9000;
  for (const MKey key : recorded) {
    mad::MadBytes bytes;
    PortInfo info = before;
    info.set_m_key({0xBAD});
    info.set_port_state(mad::PortState::down);
    mad::make_lid_smp(bytes, mad::Method::set, mad::AttributeId::port_info, 1, key, ++transaction)
        .set_data(std::as_const(info).bytes());
    attacker->send(bytes, {.lid = before.lid()}, 0);
    lab.runtime.run_for(1s);
    EXPECT_EQ(lab.info(victim).m_key(), before.m_key());
    EXPECT_EQ(lab.info(victim).port_state(), mad::PortState::active);
  }
  EXPECT_EQ(lab.world.statistics.m_key_violations, recorded.size());
  // The key of the version before, which a recording may show, is no proof any more.
  EXPECT_NE(of_victim, lab.info(victim).m_key());
}

// ------------------------------------------------------------------------------------------
// the objects

TEST(KeyVersion, TextAndFile) {
  const sm::KeyVersion version{.current = 7, .previous = 3};
  EXPECT_EQ(sm::parse_key_version(sm::to_text(version)), version);
  for (const char* const wrong : {"", "version 3 7", "version 7", "version 7 x", "keys 7 3"})
    EXPECT_EQ(sm::parse_key_version(wrong), std::nullopt) << wrong;
  const Folder folder;
  EXPECT_EQ(*sm::load_key_version(folder.text()), sm::KeyVersion{});
  ASSERT_TRUE(sm::save_key_version(folder.text(), version, false));
  EXPECT_EQ(*sm::load_key_version(folder.text()), version);
  std::ofstream(fs::path(folder.text()) / sm::kKeyVersionFile) << "version -1 0\n";
  EXPECT_FALSE(sm::load_key_version(folder.text()));
}

TEST(KeyVersion, ComparisonWithTheClockNamesBoth) {
  constexpr std::chrono::minutes kHour{60};
  constexpr std::chrono::sys_seconds now{kHour * 500'000};
  constexpr std::uint64_t kNow = 30'000'000;
  using testing::HasSubstr;
  const auto text = [&](std::uint64_t version) {
    return sm::compare_with_clock({.current = version, .previous = 0}, now, kHour);
  };
  EXPECT_EQ(text(kNow - 1440),
            "key-version (2027-01-14 08:00:00 UTC) is 1440 minutes older than the clock "
            "(2027-01-15 08:00:00 UTC)");
  EXPECT_EQ(text(kNow + 10),
            "the clock (2027-01-15 08:00:00 UTC) is 10 minutes behind key-version "
            "(2027-01-15 08:10:00 UTC)");
  EXPECT_THAT(text(kNow - 60), HasSubstr("agrees with it"));
  EXPECT_THAT(text(0), HasSubstr("there is no key-version"));
  EXPECT_THAT(text(~std::uint64_t{0}), HasSubstr("has version 18446744073709551615"));
}

// The values are fixed: other managers of the subnet, of other versions, derive the same ones.
TEST(KeyVersion, KeysOfAnotherVersionAreOthers) {
  config::Options options;
  options.m_key_per_port = true;
  options.key_mgr_seed = 0x0123456789abcdef;
  const mad::Guid port{0x0002c90300000001};
  EXPECT_EQ(sm::MKeyPolicy(options, 0).key(port), MKey{0xaf900dff899cabcb});
  EXPECT_NE(sm::MKeyPolicy(options, 1).key(port), sm::MKeyPolicy(options, 0).key(port));
  EXPECT_NE(sm::MKeyPolicy(options, 1).key(port), sm::MKeyPolicy(options, 2).key(port));
}

}  // namespace rotation_test
