// M_Keys: takeover, rotation, leases, and ports whose key is not known.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <map>
#include <set>

#include "fabric/fabric_conditions.h"
#include "hostile/quiet.h"
#include "sm/conditions/manager_conditions.h"
#include "sm/ctl/topology/generators.h"
#include "sm/store/m_key_policy.h"
#include "sm/sweep/devices/m_keys.h"

namespace keys_test {

using laboratory::Folder;
using laboratory::Quiet;
using laboratory::Solo;
using laboratory::two_switches;
using mad::MKey;
using mad::PortInfo;
using testing::ElementsAre;
using namespace std::chrono_literals;
namespace fs = std::filesystem;

constexpr std::uint64_t kOld = 0xA1A1A1A1, kNew = 0xB2B2B2B2;

/// A manager with m_key kNew and level 2, whose files are in a directory of the test.
struct Keys : Solo {
  explicit Keys(const topology::Topology& topology = two_switches()) : Solo(topology) {
    options.m_key = kNew;
    options.m_key_protection_level = 2;
    options.cache_files_dir = folder.text();
  }

  /// CA ports with a link, and port 0 of switches.
  std::vector<sim::PortIndex> end_ports() const {
    std::vector<sim::PortIndex> ports;
    for (const sim::PortIndex port : model.ports.indices()) {
      const bool of_switch = model.owning_node(port).is_switch();
      if (model.ports[port].number == 0 ? of_switch : !of_switch && far(port) != sim::kNone)
        ports.push_back(port);
    }
    return ports;
  }
  void protect(sim::PortIndex port, std::uint64_t key, unsigned level, std::uint16_t lease_s = 0) {
    info(port).set_m_key({key});
    info(port).set_m_key_protect_bits(static_cast<std::uint8_t>(level));
    info(port).set_m_key_lease_period(lease_s);
  }
  void protect_all(std::uint64_t key, unsigned level, std::uint16_t lease_s = 0) {
    for (const sim::PortIndex port : end_ports()) protect(port, key, level, lease_s);
  }
  std::uint64_t violations() const { return world.statistics.m_key_violations; }
  mad::Guid guid(sim::PortIndex port) const { return model.ports[port].guid; }
  fs::path file(std::string_view name) const { return fs::path(folder.text()) / name; }
  /// A line of guid2mkey, as an operator adds it.
  void add_line(sim::PortIndex port, std::uint64_t key) const {
    std::ofstream(file("guid2mkey"), std::ios::app)
        << fmt::format("0x{:016x} 0x{:016x}\n\n", guid(port).value, key);
  }
  /// Each port has a key of its own, level 1, which guid2mkey has, too.
  void protect_each_with_its_own() {
    for (std::uint64_t key = kOld; const sim::PortIndex port : end_ports()) {
      protect(port, ++key, 1);
      add_line(port, key);
    }
  }
  std::size_t raised(fabric::ConditionId id) const {
    return static_cast<std::size_t>(std::ranges::count(
        status().conditions, id,
        [](const sm::ConditionLog::Raised& entry) { return entry.condition.id; }));
  }
  std::map<std::string, std::string> files() const {
    std::map<std::string, std::string> contents;
    for (const auto& entry : fs::directory_iterator(folder.text())) {
      std::ifstream in(entry.path());
      contents[entry.path().filename()] = {std::istreambuf_iterator<char>(in), {}};
    }
    return contents;
  }
  void restore(const std::map<std::string, std::string>& contents) const {
    for (const auto& entry : fs::directory_iterator(folder.text())) fs::remove(entry.path());
    for (const auto& [name, text] : contents) std::ofstream(file(name)) << text;
  }

  Folder folder;
};

// ------------------------------------------------------------------------------------------
// takeover

TEST(MKeyTakeover, OfPortsThatShowTheirKeyNeedsNoGuess) {
  Keys lab;
  lab.protect_all(kOld, 0);
  lab.start();
  EXPECT_TRUE(lab.comes_up(laboratory::kComesUp)) << lab.complaint() << lab.tail();
  EXPECT_EQ(lab.violations(), 0u);
  EXPECT_FALSE(lab.says("Errors during initialization")) << lab.tail();
}

TEST(MKeyTakeover, OfReadablePortsUsesTheirManagersGuid2mkey) {
  Keys lab;
  lab.protect_each_with_its_own();
  lab.start();
  EXPECT_TRUE(lab.comes_up(laboratory::kComesUp)) << lab.complaint() << lab.tail();
  EXPECT_EQ(lab.violations(), 0u);
}

TEST(MKeyTakeover, OfProtectedPortsUsesNeighborsToo) {
  Keys lab;
  lab.options.m_key = kOld;
  ASSERT_TRUE(lab.start_and_settle()) << lab.complaint() << lab.tail();
  lab.heddle().stop();
  lab.options.m_key = kNew;
  lab.start();
  EXPECT_TRUE(lab.comes_up(laboratory::kComesUp)) << lab.complaint() << lab.tail();
  EXPECT_EQ(lab.violations(), 0u) << "the key is that of the port which neighbors has there";
}

TEST(MKeyTakeover, WithoutLookupPortsThatNeedTheFileAreNotManaged) {
  Keys lab;
  lab.options.m_key_lookup = false;
  const sim::PortIndex host = lab.port("H5");
  lab.protect(host, kOld, 1);
  lab.add_line(host, kOld);
  lab.start();
  lab.runtime.run_for(30s);
  EXPECT_EQ(lab.info(host).m_key(), MKey{kOld});
  EXPECT_EQ(lab.raised(fabric::kFabricConditions.m_key_unknown), 1u) << lab.tail();
}

TEST(MKeyTakeover, OfAPortWithProtectionAndWithoutKey) {
  Keys lab;
  lab.protect_all(0, 1);
  lab.start();
  EXPECT_TRUE(lab.comes_up(laboratory::kComesUp)) << lab.complaint() << lab.tail();
  EXPECT_EQ(lab.raised(fabric::kFabricConditions.m_key_unknown), 0u);
}

TEST(MKeys, OfAMultiPortCaAreThoseOfThePortByWhichARequestEnters) {
  Keys lab(topology::row({.switches = 2, .cables = 1, .hosts_per_switch = 2, .ports_per_host = 2}));
  lab.protect_each_with_its_own();
  lab.start();
  EXPECT_TRUE(lab.comes_up(laboratory::kComesUp)) << lab.complaint() << lab.tail();
  EXPECT_EQ(lab.violations(), 0u);
}

// ------------------------------------------------------------------------------------------
// rotation

TEST(MKeyRotation, BySighupAndBack) {
  Keys lab;
  lab.options.m_key = kOld;
  ASSERT_TRUE(lab.start_and_settle()) << lab.complaint() << lab.tail();
  for (const std::uint64_t key : {kNew, kOld, std::uint64_t{0}, kNew}) {
    lab.options.m_key = key;
    lab.heddle().reload(lab.options);
    EXPECT_TRUE(lab.heals(laboratory::kComesUp)) << lab.complaint() << lab.tail();
    lab.settle();
    const sm::Guid2MKey stored = sm::load_guid2mkey(lab.folder.text()).value;
    EXPECT_EQ(stored.size(), key == 0 ? 0 : lab.end_ports().size());
    for (const auto& [port, its] : stored) EXPECT_EQ(its, MKey{key}) << port.value;
    EXPECT_TRUE(sm::load_guid2mkey(lab.folder.text(), sm::MKeys::kNextFile).value.empty());
  }
  EXPECT_EQ(lab.violations(), 0u);
  struct stat status{};
  for (const std::string_view name : {sm::kGuid2MKeyFile, sm::MKeys::kNextFile}) {
    ASSERT_EQ(::stat(lab.file(name).c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777u, 0600u) << name;
  }
}

TEST(MKeyRotation, SurvivesLostRequestsAndResponses) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    SCOPED_TRACE(seed);
    Keys lab;
    lab.options.m_key = kOld;
    ASSERT_TRUE(lab.start_and_settle()) << lab.complaint() << lab.tail();
    lab.set_wire({.lost = 0.2});
    lab.options.m_key = kNew;
    lab.heddle().reload(lab.options);
    lab.runtime.run_for(20s);
    lab.set_wire({});
    EXPECT_TRUE(lab.settles()) << lab.complaint() << lab.tail();
  }
}

/// The manager ends without another write when `sets` ports were sent the new key; no response to
/// these arrives.
void kill_in_rotation(Keys& lab, unsigned sets) {
  lab.options.max_wire_smps = 2;
  lab.options.origins["max_wire_smps"] = {"opensm.conf", 1, 1};
  lab.options.m_key = kOld;
  ASSERT_TRUE(lab.start_and_settle()) << lab.complaint() << lab.tail();
  unsigned sent = 0;
  lab.heddle().tap().on_request = [&](mad::ConstSmpView smp) {
    sent += smp.method() == mad::Method::set && smp.attribute_id() == mad::AttributeId::port_info &&
            PortInfo(smp.data()).m_key() == MKey{kNew};
  };
  lab.options.m_key = kNew;
  lab.heddle().reload(lab.options);
  ASSERT_TRUE(lab.runtime.run_until([&] { return sent >= sets; }, 5s)) << lab.tail();
  const auto as_killed = lab.files();
  // The requests arrive; the wire is cut before the agents have answered.
  lab.runtime.run_for(3us);
  lab.set_wire({.lost = 1});
  lab.heddle().tap().on_request = {};
  lab.heddle().stop();
  lab.restore(as_killed);
  lab.set_wire({});
}

TEST(MKeyRotation, SurvivesTheEndOfTheManagerBetweenSetAndResponse) {
  for (const unsigned sets : {1u, 3u, 6u}) {
    for (const std::uint64_t next_key : {kNew, kOld, std::uint64_t{0xC3C3}}) {
      SCOPED_TRACE(fmt::format("{} Sets, m_key {:#x} at the next start", sets, next_key));
      Keys lab;
      kill_in_rotation(lab, sets);
      std::size_t changed = 0;
      for (const sim::PortIndex port : lab.end_ports())
        changed += lab.info(port).m_key() == MKey{kNew};
      EXPECT_GT(changed, 0u);
      EXPECT_LT(changed, lab.end_ports().size());
      lab.options.m_key = next_key;
      lab.start();
      EXPECT_TRUE(lab.settles()) << lab.complaint() << lab.tail();
    }
  }
}

// ------------------------------------------------------------------------------------------
// leases

TEST(MKeyLease, IsStoppedWhereTheManagerRunsAndTheSenderIsNamed) {
  Keys lab;
  lab.options.m_key_lease_period = 15;
  ASSERT_TRUE(lab.start_and_settle()) << lab.complaint() << lab.tail();
  // A host reads another one by directed route, without the key.
  const auto stranger = lab.world.attach(lab.port("H4"));
  mad::MadBytes bytes;
  for (unsigned i = 0; i < 30; ++i, lab.runtime.run_for(2s)) {
    const std::uint8_t number = lab.model.ports[lab.far(lab.port("H5"))].number;
    mad::make_dr_smp(bytes, mad::Method::get, mad::AttributeId::port_info, 0,
                     *mad::DirectedRoute::of({1, number}), {}, 0x100 + i);
    stranger->send(bytes, {}, 0);
  }
  EXPECT_EQ(lab.info(lab.port("H5")).m_key_protect_bits(), 2) << "the lease did not expire";
  EXPECT_EQ(lab.occurred(sm::kManagerConditions.m_key_violation), 1u) << lab.tail();
  EXPECT_TRUE(lab.says("wrong M_Key: \"H5")) << lab.tail();
  EXPECT_TRUE(lab.says("received SubnGet(PortInfo) from \"H4")) << lab.tail();
  EXPECT_LE(lab.heddle().count("SM-M-KEY-VIOLATION"), 6u);
  EXPECT_LE(lab.status().sweeps, 2u);
}

/// H5 has a key that this manager does not know, and is where H2 was. Traced in the fabric as it
/// was before, the route of the manager's own requests begins at H3.
TEST(MKeyUnknown, OwnRequestsOverAMovedCableAreNoViolationOfAnotherHost) {
  Keys lab;
  lab.options.sweep_interval = 0;
  ASSERT_TRUE(lab.start_and_settle()) << lab.complaint() << lab.tail();
  const sim::PortIndex host = lab.port("H5"), other = lab.port("H2");
  const sim::PortIndex place = lab.far(host), new_place = lab.far(other);
  lab.withhold_traps(true);
  lab.world.cut(host);
  lab.world.cut(other);
  lab.world.connect(host, new_place);
  lab.world.connect(other, place);
  lab.let_links_train();
  lab.protect(host, kOld, 2);
  lab.withhold_traps(false);
  lab.heddle().reload(lab.options);
  lab.runtime.run_for(10s);
  EXPECT_GT(lab.violations(), 0u) << lab.tail();
  EXPECT_EQ(lab.occurred(sm::kManagerConditions.m_key_violation), 0u) << lab.tail();
  EXPECT_EQ(lab.raised(fabric::kFabricConditions.m_key_unknown), 1u) << lab.tail();
  // It ends when the port takes the key.
  lab.options.sweep_interval = 10;
  lab.heddle().reload(lab.options);
  lab.settle();
  EXPECT_EQ(lab.raised(fabric::kFabricConditions.m_key_unknown), 1u) << lab.tail();
  lab.protect(host, kNew, 2);
  EXPECT_TRUE(lab.heals()) << lab.complaint() << lab.tail();
  lab.settle();
  EXPECT_EQ(lab.raised(fabric::kFabricConditions.m_key_unknown), 0u) << lab.tail();
}

/// The operator has lost the key, and writes it back. Ports have refused what the manager sent
/// without it, the own port among them, to which a directed route has no hops.
TEST(MKeyUnknown, OwnRequestsWithALostKeyAreNoViolationOfAHost) {
  Keys lab;
  lab.options.sweep_interval = 10;
  ASSERT_TRUE(lab.start_and_settle()) << lab.complaint() << lab.tail();
  lab.heddle().stop();
  lab.restore({});
  lab.options.m_key = kOld;
  lab.start();
  lab.runtime.run_for(1min);
  EXPECT_GT(lab.violations(), 0u) << lab.tail();
  EXPECT_EQ(lab.occurred(sm::kManagerConditions.m_key_violation), 0u) << lab.tail();
  lab.options.m_key = kNew;
  lab.heddle().reload(lab.options);
  EXPECT_TRUE(lab.heals()) << lab.complaint() << lab.tail();
  lab.settle();
  EXPECT_EQ(lab.occurred(sm::kManagerConditions.m_key_violation), 0u) << lab.tail();
}

TEST(MKeyLease, ThatExpiredWhileTheManagerWasAwayIsRenewed) {
  Keys lab;
  lab.options.m_key_lease_period = 15;
  ASSERT_TRUE(lab.start_and_settle()) << lab.complaint() << lab.tail();
  lab.heddle().stop();
  for (const sim::PortIndex port : lab.end_ports()) lab.info(port).set_m_key_protect_bits(0);
  lab.start();
  EXPECT_TRUE(lab.comes_up(laboratory::kComesUp)) << lab.complaint() << lab.tail();
}

TEST(MKeyLease, LetsAManagerWithoutAnyKeyTakeOverInTheEnd) {
  for (const unsigned level : {1u, 2u}) {
    SCOPED_TRACE(level);
    Keys lab;
    lab.protect_all(kOld, level, 10);
    lab.start();
    EXPECT_TRUE(lab.settles(180s)) << lab.complaint() << lab.tail();
    EXPECT_EQ(lab.raised(fabric::kFabricConditions.m_key_unknown), 0u) << lab.tail();
  }
}

// ------------------------------------------------------------------------------------------
// keys that are not known

TEST(MKeyUnknown, PortIsNamedTheRestIsManagedAndAKeyInTheFileHelps) {
  for (const unsigned level : {1u, 2u, 3u}) {
    SCOPED_TRACE(level);
    Keys lab;
    const sim::PortIndex host = lab.port("H5");
    lab.protect(host, kOld, level);
    lab.start();
    ASSERT_TRUE(lab.runtime.run_until([&] { return lab.says("SUBNET UP"); }, 20s)) << lab.tail();
    lab.settle();
    EXPECT_EQ(lab.raised(fabric::kFabricConditions.m_key_unknown), 1u) << lab.tail();
    EXPECT_EQ(lab.raised(fabric::kFabricConditions.node_silent), 0u) << lab.tail();
    EXPECT_TRUE(
        lab.says(level == 1 ? "M_Key unknown: \"H5" : "M_Key unknown: the node behind \"S1"))
        << lab.tail();
    EXPECT_TRUE(lab.says("route 0,1,")) << lab.tail();
    for (const char* name : {"H1", "H2", "H3", "H4"}) {
      EXPECT_EQ(lab.info(lab.port(name)).port_state(), mad::PortState::active) << name;
      EXPECT_EQ(lab.info(lab.port(name)).m_key(), MKey{kNew}) << name;
    }
    // It is tried with growing pauses, and costs no sweeps of everything.
    const std::uint64_t violations = lab.violations();
    const std::size_t everything = lab.heddle().count("sweep started: everything");
    lab.runtime.run_for(120s);
    EXPECT_EQ(lab.heddle().count("sweep started: everything"), everything) << lab.tail();
    EXPECT_LE(lab.violations() - violations, 120u);
    EXPECT_EQ(lab.raised(fabric::kFabricConditions.m_key_unknown), 1u) << lab.tail();

    lab.add_line(host, kOld);
    lab.heddle().reload(lab.options);
    EXPECT_TRUE(lab.settles()) << lab.complaint() << lab.tail();
    EXPECT_EQ(lab.raised(fabric::kFabricConditions.m_key_unknown), 0u) << lab.tail();
  }
}

TEST(MKeyUnknown, AKeyGivenAsMKeyHelps) {
  for (const unsigned level : {1u, 2u}) {
    Keys lab;
    lab.protect(lab.port("H5"), kOld, level);
    lab.start();
    lab.runtime.run_for(20s);
    EXPECT_EQ(lab.raised(fabric::kFabricConditions.m_key_unknown), 1u) << lab.tail();
    lab.options.m_key = kOld;
    lab.heddle().reload(lab.options);
    EXPECT_TRUE(lab.settles()) << lab.complaint() << lab.tail();
    EXPECT_EQ(lab.raised(fabric::kFabricConditions.m_key_unknown), 0u) << lab.tail();
  }
}

TEST(MKeyUnknown, NewSwitchWithAnUnknownKeyIsLeftOut) {
  Keys lab;
  const sim::PortIndex trunk = [&] {
    for (unsigned number = 1;; ++number) {
      const sim::PortIndex port = lab.port("S0", number);
      if (lab.far(port) != sim::kNone && lab.model.owning_node(lab.far(port)).is_switch())
        return port;
    }
  }();
  const sim::PortIndex end = lab.far(trunk);
  lab.world.cut(trunk);
  lab.start();
  ASSERT_TRUE(lab.comes_up()) << lab.complaint() << lab.tail();
  lab.protect(lab.port("S1", 0), kOld, 1);
  lab.plug(trunk, end);
  lab.runtime.run_for(20s);
  EXPECT_EQ(lab.raised(fabric::kFabricConditions.m_key_unknown), 1u) << lab.tail();
  EXPECT_EQ(lab.info(lab.port("H1")).port_state(), mad::PortState::active);
  lab.add_line(lab.port("S1", 0), kOld);
  lab.heddle().reload(lab.options);
  EXPECT_TRUE(lab.settles()) << lab.complaint() << lab.tail();
}

TEST(MKeyUnknown, KnownSwitchWhoseKeyChangesIsLeftOut) {
  Keys lab;
  ASSERT_TRUE(lab.start_and_settle()) << lab.complaint() << lab.tail();
  lab.protect(lab.port("S1", 0), kOld, 1);
  lab.raise_link_state_change(lab.port("S1", 0));
  lab.runtime.run_for(20s);
  EXPECT_EQ(lab.raised(fabric::kFabricConditions.m_key_unknown), 1u) << lab.tail();
  EXPECT_TRUE(lab.says("switch lost: \"S1\"")) << lab.tail();
  EXPECT_FALSE(lab.says("Errors during initialization")) << lab.tail();
}

TEST(MKeyUnknown, KeyThatAnotherManagerChangesWhileThisOneRunsIsNotTakenForAHungPort) {
  for (const bool traps : {true, false}) {
    SCOPED_TRACE(traps ? "trap 256 says so" : "another port of the device answers");
    Keys lab(topology::row(
        {.switches = 2, .cables = 1, .hosts_per_switch = 2, .ports_per_host = traps ? 1u : 2u}));
    ASSERT_TRUE(lab.start_and_settle()) << lab.complaint() << lab.tail();
    const sim::PortIndex host = lab.port("H3"), hung = lab.port("H2");
    lab.withhold_traps(!traps);
    lab.protect(host, kOld, 2);
    lab.heddle().reload(lab.options);
    lab.runtime.run_for(30s);
    EXPECT_EQ(lab.raised(fabric::kFabricConditions.m_key_unknown), 1u) << lab.tail();
    EXPECT_EQ(lab.raised(fabric::kFabricConditions.node_silent), 0u) << lab.tail();
    EXPECT_TRUE(lab.says(fmt::format("let guid2mkey have \"{} <M_Key>\"", lab.guid(host))))
        << lab.tail();

    lab.model.owning_node(hung).health.silent = true;
    lab.heddle().reload(lab.options);
    lab.runtime.run_for(30s);
    EXPECT_EQ(lab.raised(fabric::kFabricConditions.m_key_unknown), 1u) << lab.tail();
    EXPECT_EQ(lab.raised(fabric::kFabricConditions.node_silent), traps ? 1u : 2u) << lab.tail();

    lab.model.owning_node(hung).health.silent = false;
    sm::Guid2MKey keys = sm::load_guid2mkey(lab.folder.text()).value;
    keys[lab.guid(host)] = MKey{kOld};
    ASSERT_TRUE(sm::save_guid2mkey(lab.folder.text(), keys, false));
    lab.heddle().reload(lab.options);
    EXPECT_TRUE(lab.settles()) << lab.complaint() << lab.tail();
    EXPECT_EQ(lab.raised(fabric::kFabricConditions.m_key_unknown), 0u) << lab.tail();
  }
}

// ------------------------------------------------------------------------------------------
// keys of their own

constexpr std::uint64_t kSeed = 0x5EED5EED5EED5EED;

struct OwnKeys : Keys {
  OwnKeys() {
    options.m_key = 0;
    options.m_key_protection_level = 1;
    per_port(true);
  }
  void per_port(bool value) {
    options.m_key_per_port = value;
    options.key_mgr_seed = kSeed;
  }
  /// That of the TrapRepress for a trap of the host.
  MKey key_shown_to(const std::string& host) {
    const mad::Lid lid = info(port(host)).lid();
    mad::MadBytes bytes;
    mad::make_lid_smp(bytes, mad::Method::trap, mad::AttributeId::notice, 0, {}, 0x7001)
        .set_data(Quiet::link_state(lid).bytes());
    heddle().tap().inject(bytes, lid);
    const mad::ConstSmpView response{
        std::span<const std::uint8_t, mad::kMadSizeBytes>(heddle().tap().responses.back())};
    EXPECT_EQ(response.method(), mad::Method::trap_repress);
    return response.m_key();
  }
};

TEST(OwnMKeys, EachPortHasAnotherOneAndIsShownNoOther) {
  OwnKeys lab;
  ASSERT_TRUE(lab.start_and_settle()) << lab.complaint() << lab.tail();
  std::set<std::uint64_t> keys;
  for (const sim::PortIndex port : lab.end_ports()) keys.insert(lab.info(port).m_key().value);
  EXPECT_EQ(keys.size(), lab.end_ports().size());
  for (const std::uint64_t key : {std::uint64_t{0}, kSeed}) EXPECT_FALSE(keys.contains(key));
  for (const std::string host : {"H4", "H5"})
    EXPECT_EQ(lab.key_shown_to(host), lab.info(lab.port(host)).m_key()) << host;
  EXPECT_EQ(lab.violations(), 0u);
}

TEST(OwnMKeys, AreTheSameForAManagerWithoutTheFiles) {
  OwnKeys lab;
  ASSERT_TRUE(lab.start_and_settle()) << lab.complaint() << lab.tail();
  lab.heddle().stop();
  lab.restore({});
  lab.start();
  EXPECT_TRUE(lab.comes_up(laboratory::kComesUp)) << lab.complaint() << lab.tail();
  EXPECT_EQ(lab.raised(fabric::kFabricConditions.m_key_unknown), 0u);
}

TEST(OwnMKeys, ReplaceOneForAllAndAreReplacedByIt) {
  for (const bool has_files : {true, false}) {
    SCOPED_TRACE(has_files ? "by reload" : "by a start without the files");
    OwnKeys lab;
    lab.options.m_key = kOld;
    lab.per_port(false);
    ASSERT_TRUE(lab.start_and_settle()) << lab.complaint() << lab.tail();
    EXPECT_EQ(lab.info(lab.port("H5")).m_key(), MKey{kOld});
    for (const bool per_port : {true, false}) {
      lab.per_port(per_port);
      if (has_files) {
        lab.heddle().reload(lab.options);
      } else {
        lab.heddle().stop();
        lab.restore({});
        lab.start();
      }
      EXPECT_TRUE(lab.heals(laboratory::kComesUp)) << lab.complaint() << lab.tail();
      EXPECT_EQ(lab.info(lab.port("H5")).m_key() == MKey{kOld}, !per_port);
    }
  }
}

// ------------------------------------------------------------------------------------------
// keys that are not the port's

TEST(MKeyLies, KeysThatADeviceMakesUpAreNotWrittenToIt) {
  for (const bool also_gets : {false, true}) {
    SCOPED_TRACE(also_gets ? "in all responses" : "in responses to Sets");
    Keys lab;
    const sim::PortIndex host = lab.port("H5");
    std::uint64_t made_up = 0xDEAD0000;
    lab.model.owning_node(host).health.edit_response = [&](mad::SmpView smp) {
      if (smp.attribute_id() != mad::AttributeId::port_info) return;
      if (!also_gets && lab.info(host).m_key() == MKey{}) return;
      PortInfo info(smp.data());
      info.set_m_key(MKey{++made_up});
      info.set_m_key_protect_bits(2);
      smp.set_data(info.bytes());
    };
    lab.start();
    std::vector<MKey> written;
    lab.heddle().tap().on_request = [&](mad::ConstSmpView smp) {
      if (smp.method() == mad::Method::set && smp.attribute_id() == mad::AttributeId::port_info)
        written.push_back(PortInfo(smp.data()).m_key());
    };
    lab.runtime.run_for(20s);
    EXPECT_THAT(written, testing::Each(testing::AnyOf(MKey{}, MKey{kNew}))) << lab.tail();
    EXPECT_EQ(lab.info(lab.port("H4")).m_key(), MKey{kNew});
    lab.model.owning_node(host).health.edit_response = {};
    EXPECT_TRUE(lab.settles()) << lab.complaint() << lab.tail();
  }
}

// ------------------------------------------------------------------------------------------
// the object

struct MKeysTest : testing::Test {
  void configure(std::uint64_t m_key, bool lookup = true) {
    config::Options options;
    options.m_key = m_key;
    options.m_key_lookup = lookup;
    options.cache_files_dir = folder.text();
    options.fsync_high_avail_files = false;
    EXPECT_TRUE(keys.configure(options).empty());
  }
  std::vector<MKey> of(mad::Guid guid) const {
    const mad::MKeyCandidates candidates = keys.m_keys(guid);
    return {candidates.keys().begin(), candidates.keys().end()};
  }
  void port_info(MKey carried, MKey shown, unsigned level) {
    PortInfo info;
    info.set_m_key(shown);
    info.set_m_key_protect_bits(static_cast<std::uint8_t>(level));
    mad::SmpRequest request;
    request.attribute = mad::AttributeId::port_info;
    request.port = port;
    keys.answered(request, carried, {.data = std::as_const(info).bytes()});
  }
  Folder folder;
  sm::MKeys keys;
  const mad::Guid port{0x11};
};

TEST_F(MKeysTest, TheSeedOfDerivedKeysIsNeverACandidate) {
  config::Options options;
  options.cache_files_dir = folder.text();
  options.m_key = kSeed;
  options.m_key_per_port = true;
  EXPECT_TRUE(keys.configure(options).empty());
  const MKey own = sm::MKeyPolicy(options).key(port);
  EXPECT_NE(own, MKey{kSeed});
  EXPECT_NE(own, sm::MKeyPolicy(options).key({0x12}));
  EXPECT_THAT(of(port), ElementsAre(own));
  EXPECT_THAT(of(mad::Guid{}), ElementsAre(MKey{0}));
  options.key_mgr_seed = kSeed + 1;
  EXPECT_TRUE(keys.configure(options).empty());
  EXPECT_THAT(of(port), ElementsAre(sm::MKeyPolicy(options).key(port), MKey{kSeed}))
      << "m_key is what the port had before";
  EXPECT_NE(of(port).front(), own);
  EXPECT_TRUE(keys.proves(port, of(port).front()));
  EXPECT_FALSE(keys.proves(port, MKey{0}));
  EXPECT_FALSE(keys.proves(port, MKey{kSeed})) << "hosts may know m_key";
  port_info(MKey{kSeed}, MKey{kSeed}, 1);
  EXPECT_TRUE(keys.proves(port, MKey{kSeed})) << "the port still has it";
}

/// Both ends of a link are known from either record, and what a standby has learned is newer than
/// the file.
TEST_F(MKeysTest, LinksNameThePortsBehindPorts) {
  constexpr mad::Guid kSwitch{0x100}, kHost{0x200}, kOther{0x300};
  constexpr mad::PortNum kOne{1}, kTwo{2}, kFive{5};
  const std::vector<sm::NeighborLink> file{
      {.guid = kSwitch, .port = kFive, .peer = kOther, .peer_port = kOne},
      {.guid = kSwitch, .port = kTwo, .peer = kOther, .peer_port = kTwo}};
  ASSERT_TRUE(sm::save_neighbors(folder.text(), file, false));
  const std::vector<sm::NeighborLink> learned{
      {.guid = kSwitch, .port = kFive, .peer = kHost, .peer_port = kOne}};
  EXPECT_TRUE(keys.note_links(learned));
  configure(4);
  EXPECT_EQ(keys.behind(kSwitch, kFive), kHost);
  EXPECT_EQ(keys.behind(kHost, kOne), kSwitch);
  EXPECT_EQ(keys.behind(kSwitch, kTwo), kOther);
  EXPECT_FALSE(keys.note_links(learned)) << "nothing new";
  sm::MKeys other;
  other.note_links_of(keys);
  EXPECT_EQ(other.behind(kHost, kOne), kSwitch);
}

/// Behind a port where the expected one does not answer: first the ports of its neighbours at that
/// switch, then those that were seen latest.
TEST_F(MKeysTest, GuessesAreFewAndTheLikeliestComeFirst) {
  constexpr mad::Guid kSwitch{0x100}, kElsewhere{0x101};
  std::vector<sm::NeighborLink> links;
  for (std::uint8_t number = 1; number <= 20; ++number) {
    const mad::Guid place = number <= 18 ? kElsewhere : kSwitch;
    links.push_back(
        {.guid = place, .port = {number}, .peer = {0x200u + number}, .peer_port = mad::PortNum{1}});
  }
  keys.note_links(links);
  port_info(MKey{9}, MKey{9}, 0);
  fabric::Fabric fabric;
  fabric.port_of_guid[port] = fabric::PortIndex(fabric.ports.size());
  fabric.ports.emplace_back().guid = port;
  fabric.end_ports.push_back(fabric.port_of_guid[port]);
  configure(4);
  keys.expected(fabric);
  const std::vector<mad::Guid> missing =
      keys.missing({kSwitch, kElsewhere, mad::Guid{0x201}, mad::Guid{0x202}});
  ASSERT_EQ(missing.size(), 19u) << "18 ports that links name, and one that has answered";
  EXPECT_EQ(missing.front(), port) << "it was in the fabric";
  EXPECT_THAT(keys.guesses(kSwitch, mad::Guid{0x204}, missing),
              ElementsAre(mad::Guid{0x213}, mad::Guid{0x214}, port, mad::Guid{0x203},
                          mad::Guid{0x205}, mad::Guid{0x206}));
  EXPECT_THAT(keys.guesses(kSwitch, port, {}), ElementsAre());
}

TEST_F(MKeysTest, PortGuidsAreNeededWhereEachPortHasItsKeyForGets) {
  config::Options options;
  options.cache_files_dir = folder.text();
  options.key_mgr_seed = kSeed;
  for (const bool per_port : {false, true})
    for (std::uint8_t level = 0; level <= 3; ++level) {
      options.m_key_per_port = per_port;
      options.m_key_protection_level = level;
      EXPECT_TRUE(keys.configure(options).empty());
      EXPECT_EQ(keys.needs_guids(), per_port && level > 1) << per_port << unsigned{level};
    }
}

/// Only a port at level 0 or 1, or one that has answered with its key, is silent for another
/// reason.
TEST_F(MKeysTest, TheSilenceOfTheOwnPortIsExplained) {
  keys.set_own_port(port);
  configure(0);
  EXPECT_THAT(keys.explain_own_silence(), testing::HasSubstr("is another program using"));
  config::Options options;
  options.cache_files_dir = folder.text();
  options.key_mgr_seed = kSeed;
  options.m_key_per_port = true;
  options.m_key_protection_level = 2;
  EXPECT_TRUE(keys.configure(options).empty());
  EXPECT_THAT(keys.explain_own_silence(),
              testing::AllOf(testing::HasSubstr("key_mgr_seed"),
                             testing::Not(testing::HasSubstr("another program"))));
  port_info(keys.key(port), keys.key(port), 2);
  EXPECT_THAT(keys.explain_own_silence(), testing::HasSubstr("is another program using"));
}

// The values are fixed: other managers of the subnet, of other versions, derive the same ones.
TEST(MKeyPolicy, IsAnHmacOfThePortGuid) {
  config::Options options;
  options.m_key_per_port = true;
  options.key_mgr_seed = 0x0123456789abcdef;
  EXPECT_EQ(sm::MKeyPolicy(options).key({0x0002c90300000001}), MKey{0xaf900dff899cabcb});
}

TEST_F(MKeysTest, CandidatesInOrder) {
  ASSERT_TRUE(sm::save_guid2mkey(folder.text(), {{port, MKey{2}}}, false));
  ASSERT_TRUE(sm::save_guid2mkey(folder.text(), {{port, MKey{3}}}, false, sm::MKeys::kNextFile));
  configure(4);
  EXPECT_THAT(of(port), ElementsAre(MKey{2}, MKey{3}, MKey{4}));
  EXPECT_THAT(of(mad::Guid{0x12}), ElementsAre(MKey{4})) << "never the key of another port";
  EXPECT_THAT(of(mad::Guid{}), ElementsAre(MKey{4}, MKey{2})) << "of what was not met yet";
  port_info(MKey{2}, MKey{1}, 0);
  EXPECT_THAT(of(port), ElementsAre(MKey{1}, MKey{2}, MKey{3}, MKey{4}));
  EXPECT_EQ(keys.standing(port), sm::MKeys::Standing::confirmed);
  EXPECT_THAT(of(mad::Guid{}), ElementsAre(MKey{4}));
  configure(4, false);
  EXPECT_THAT(of(port), ElementsAre(MKey{1}, MKey{4})) << "m_key_lookup FALSE";
}

TEST_F(MKeysTest, Level1ShowsWhichKeysAreWrong) {
  ASSERT_TRUE(sm::save_guid2mkey(folder.text(), {{port, MKey{2}}}, false));
  configure(4);
  port_info(MKey{2}, MKey{}, 1);
  EXPECT_EQ(keys.standing(port), sm::MKeys::Standing::open);
  EXPECT_THAT(of(port), ElementsAre(MKey{4}));
  port_info(MKey{4}, MKey{}, 1);
  EXPECT_EQ(keys.standing(port), sm::MKeys::Standing::hidden);
  configure(5);
  EXPECT_EQ(keys.standing(port), sm::MKeys::Standing::open) << "there is another key to try";
  configure(4);
  EXPECT_THAT(of(port), ElementsAre(MKey{2}, MKey{4})) << "all are tried again after SIGHUP";
}

TEST_F(MKeysTest, ProtectionWithoutAKeyRefutesNothing) {
  configure(4);
  port_info(MKey{4}, MKey{}, 0);
  port_info(MKey{}, MKey{}, 1);
  EXPECT_EQ(keys.standing(port), sm::MKeys::Standing::confirmed);
  EXPECT_EQ(keys.key(port), MKey{});
}

/// It showed another key than it has: each Get would cost a timeout.
TEST_F(MKeysTest, GetsBeginWithTheKeyThatAPortAnswersTo) {
  configure(4);
  port_info(MKey{4}, MKey{9}, 0);
  mad::SmpRequest request;
  request.attribute = mad::AttributeId::linear_forwarding_table;
  request.port = port;
  const auto first = [&] { return keys.m_keys_of(request).of_attempt(0); };
  const mad::SmpData data{};
  for (int answer = 0; answer < 3; ++answer) {
    EXPECT_EQ(first(), MKey{9}) << answer;
    keys.answered(request, MKey{4}, {.data = data});
  }
  EXPECT_EQ(first(), MKey{4});
  EXPECT_THAT(of(port), ElementsAre(MKey{9}, MKey{4})) << "none is given up";
  request.method = mad::Method::set;
  EXPECT_EQ(first(), MKey{9}) << "a port that answers Gets without a key may be closed to Sets";
  request.method = mad::Method::get;
  port_info(MKey{4}, MKey{5}, 0);
  EXPECT_EQ(first(), MKey{5}) << "it has shown another one since";
}

/// It answered Gets that were under way with key 0 while another manager gave it one; at level 0 it
/// answers any. SM_Keys are not shown to 0.
TEST_F(MKeysTest, GetOfSmInfoProvesAKeyWhateverThePortAnswersTo) {
  configure(4);
  mad::SmpRequest request;
  request.attribute = mad::AttributeId::linear_forwarding_table;
  request.port = port;
  port_info(MKey{}, MKey{}, 0);
  const auto carried = [&] {
    const mad::MKeyCandidates candidates = keys.m_keys_of(request);
    return std::vector(candidates.keys().begin(), candidates.keys().end());
  };
  request.attribute = mad::AttributeId::sm_info;
  EXPECT_THAT(carried(), ElementsAre(MKey{4}));
  port_info(MKey{}, MKey{4}, 0);
  request.attribute = mad::AttributeId::linear_forwarding_table;
  const mad::SmpData data{};
  for (int answer = 0; answer < 3; ++answer) keys.answered(request, MKey{}, {.data = data});
  EXPECT_THAT(carried(), ElementsAre(MKey{}, MKey{4}));
  request.attribute = mad::AttributeId::sm_info;
  EXPECT_THAT(carried(), ElementsAre(MKey{4}));
  port_info(MKey{}, MKey{9}, 0);
  EXPECT_THAT(carried(), ElementsAre(MKey{9}, MKey{4})) << "its manager may have another m_key";
}

TEST_F(MKeysTest, ProofOfAKey) {
  configure(4);
  EXPECT_TRUE(keys.proves(port, MKey{4}));
  port_info(MKey{4}, MKey{}, 0);
  EXPECT_FALSE(keys.proves(port, MKey{})) << "0 proves nothing where keys are used";
}

TEST_F(MKeysTest, AContradictionCountsOnlyIfItIsRepeated) {
  configure(kNew);
  for (const unsigned level : {1u, 2u}) {
    port_info(MKey{kNew}, MKey{kNew}, level);
    port_info(MKey{kNew}, MKey{kOld}, level);
    EXPECT_EQ(keys.key(port), MKey{kNew});
    EXPECT_TRUE(keys.is_unconfirmed(port, MKey{kOld}));
    port_info(MKey{kNew}, MKey{kOld + 1}, level);
    EXPECT_EQ(keys.key(port), MKey{kNew}) << "random";
    port_info(MKey{kNew}, MKey{kOld + 1}, level);
    EXPECT_EQ(keys.key(port), MKey{kOld + 1});
    EXPECT_FALSE(keys.is_unconfirmed(port, MKey{kOld + 1}));
  }
  port_info(MKey{kNew}, MKey{kOld}, 0);
  EXPECT_EQ(keys.key(port), MKey{kOld}) << "level 0 answers whatever the key";
}

/// The file is full of ports that are absent: the one that was seen least recently makes room.
TEST_F(MKeysTest, OfAFullFileTheLeastRecentlySeenPortsAreGivenUp) {
  constexpr std::uint64_t kFirst = 0x1000;
  sm::Guid2MKey full;
  for (std::uint64_t guid = kFirst; guid < kFirst + sm::MKeys::kPortsMax; ++guid)
    full[mad::Guid{guid}] = MKey{kOld};
  ASSERT_TRUE(sm::save_guid2mkey(folder.text(), full, false));
  configure(kNew);
  // A sweep sees the first of them, and a port that is new.
  fabric::Fabric fabric;
  for (const mad::Guid guid : {mad::Guid{kFirst}, port}) {
    const fabric::PortIndex index(fabric.ports.size());
    fabric.ports.emplace_back().guid = guid;
    fabric.end_ports.push_back(index);
    fabric.port_of_guid[guid] = index;
    mad::SmpRequest request;
    request.attribute = mad::AttributeId::port_info;
    request.port = guid;
    PortInfo info;
    info.set_m_key({kNew});
    keys.answered(request, {kNew}, {.data = std::as_const(info).bytes()});
  }
  EXPECT_TRUE(keys.expected(fabric).empty()) << "both have shown it";
  sm::MKeys::Files files = keys.acknowledged();
  ASSERT_TRUE(files.write());
  keys.keep(std::move(files));
  EXPECT_TRUE(keys.acknowledged().empty());
  const sm::Guid2MKey stored = sm::load_guid2mkey(folder.text()).value;
  EXPECT_EQ(stored.size(), sm::MKeys::kPortsMax);
  EXPECT_EQ(stored.at(port), MKey{kNew});
  EXPECT_EQ(stored.at({kFirst}), MKey{kNew});
  EXPECT_FALSE(stored.contains({kFirst + 1}));
  EXPECT_TRUE(stored.contains({kFirst + 2}));
}

TEST_F(MKeysTest, WrittenKeysAreKeptUnlessTheFilesWereReadAgain) {
  configure(kNew);
  fabric::Fabric fabric;
  const fabric::PortIndex index(fabric.ports.size());
  fabric.ports.emplace_back().guid = port;
  fabric.end_ports.push_back(index);
  fabric.port_of_guid[port] = index;
  sm::MKeys::Files files = keys.expected(fabric);
  ASSERT_TRUE(files.next);
  EXPECT_FALSE(files.stored);
  ASSERT_TRUE(files.write());
  EXPECT_EQ(sm::load_guid2mkey(folder.text(), sm::MKeys::kNextFile).value.at(port), MKey{kNew});
  // The operator's edit, read after the file was written and before that is noted.
  ASSERT_TRUE(sm::save_guid2mkey(folder.text(), {{port, MKey{2}}}, false));
  ASSERT_TRUE(sm::save_guid2mkey(folder.text(), {}, false, sm::MKeys::kNextFile));
  configure(kNew);
  keys.keep(std::move(files));
  EXPECT_THAT(of(port), ElementsAre(MKey{2}, MKey{kNew}));
  EXPECT_TRUE(keys.expected(fabric).next) << "to be written again";

  port_info(MKey{kNew}, MKey{kNew}, 2);
  sm::MKeys::Files acknowledged = keys.acknowledged();
  ASSERT_TRUE(acknowledged.stored);
  ASSERT_TRUE(acknowledged.write());
  keys.adopt({{mad::Guid{0x12}, MKey{3}}});  // of another manager
  keys.keep(std::move(acknowledged));
  EXPECT_EQ(keys.acknowledged().stored->at(port), MKey{kNew});
  EXPECT_EQ(keys.acknowledged().stored->at(mad::Guid{0x12}), MKey{3});
}

}  // namespace keys_test
