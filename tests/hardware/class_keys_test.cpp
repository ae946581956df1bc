// Keys of the vendor specific and the node to node class: vs_key_enable, n2n_key_enable.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <map>
#include <set>

#include "hostile/quiet.h"
#include "sm/keys/class_key_conditions.h"
#include "sm/keys/class_keys.h"
#include "sm/store/cache_files.h"
#include "sm/store/key_version.h"
#include "support/class_key_requests.h"

namespace class_keys_test {

using laboratory::Folder;
using laboratory::kKeyedClasses;
using laboratory::send_to_agent;
using laboratory::Solo;
using laboratory::two_switches;
using mad::MgmtClass;
using testing::HasSubstr;
using namespace std::chrono_literals;
namespace fs = std::filesystem;

constexpr std::uint64_t kSeed = 0x5EED5EED5EED5EED, kForeign = 0xF0F0F0F0;
constexpr std::chrono::minutes kPeriod{10};
constexpr std::chrono::seconds kUntilChange{20};
constexpr std::chrono::sys_seconds kChange{kPeriod * 3'000'000};
constexpr std::uint64_t kVersion = 30'000'000;

std::string_view purpose(MgmtClass mgmt_class) {
  return mgmt_class == MgmtClass::vendor_0a ? "heddle vs_key" : "heddle n2n_key";
}
std::string_view file_of(MgmtClass mgmt_class) {
  return mgmt_class == MgmtClass::vendor_0a ? "guid2vskey" : "guid2_m2n_key";
}

struct ClassKeys : Solo {
  ClassKeys() : Solo(two_switches()) {
    options.key_mgr_seed = kSeed;
    options.vs_key_enable = options.n2n_key_enable = 2;
    options.cache_files_dir = folder.text();
  }
  std::vector<sim::PortIndex> end_ports() const {
    std::vector<sim::PortIndex> ports;
    for (const sim::PortIndex port : model.ports.indices())
      if (model.ports[port].number == 0 ? model.owning_node(port).is_switch()
                                        : model.is_end_port(port) && far(port) != sim::kNone)
        ports.push_back(port);
    return ports;
  }
  sim::ClassKeyState& state(sim::PortIndex port, MgmtClass mgmt_class) const {
    return model.extras(port).class_keys[static_cast<std::uint8_t>(mgmt_class)];
  }
  std::uint64_t derived(sim::PortIndex port, MgmtClass mgmt_class, std::uint64_t version) const {
    return sm::derive_key(purpose(mgmt_class), kSeed, version, model.ports[port].guid);
  }
  /// "" or the first port without its key.
  std::string complaint_of_keys(std::uint64_t version = 0) const {
    for (const MgmtClass mgmt_class : kKeyedClasses)
      for (const sim::PortIndex port : end_ports()) {
        const sim::ClassKeyState& has = state(port, mgmt_class);
        if (has.key != derived(port, mgmt_class, version))
          return fmt::format("{} has another key", model.name(port));
        if (!has.is_protected || has.lease_s != options.vs_key_lease_period)
          return fmt::format("{}: protection or lease", model.name(port));
      }
    return "";
  }
  bool has_keys(mad::Duration limit = 5s, std::uint64_t version = 0) {
    return runtime.run_until([&] { return complaint_of_keys(version).empty(); }, limit);
  }
  std::uint64_t violations() const {
    std::uint64_t sum = 0;
    for (const MgmtClass mgmt_class : kKeyedClasses)
      for (const sim::PortIndex port : end_ports()) sum += state(port, mgmt_class).violations;
    return sum;
  }
  const sm::ClassKeyStatus& status_of(MgmtClass mgmt_class) {
    latest_ = status().class_keys;
    return *std::ranges::find(latest_, static_cast<std::uint8_t>(mgmt_class),
                              &sm::ClassKeyStatus::mgmt_class);
  }
  fs::path file(std::string_view name) const { return fs::path(folder.text()) / name; }
  void start_with_clock() {
    start();
    heddle().wall_clock_begin = kChange - kUntilChange -
                                std::chrono::floor<std::chrono::seconds>(began_.time_since_epoch());
  }

  Folder folder;

 private:
  const mad::TimePoint began_ = runtime.now();
  std::vector<sm::ClassKeyStatus> latest_;
};

TEST(ClassKeys, EachDeviceHasOneOfItsOwnForEachClass) {
  ClassKeys lab;
  lab.start();
  ASSERT_TRUE(lab.has_keys()) << lab.complaint_of_keys() << lab.tail();
  lab.settle();
  std::set<std::uint64_t> keys;
  struct stat status{};
  for (const MgmtClass mgmt_class : kKeyedClasses) {
    const sm::Guid2MKey stored = sm::load_guid2mkey(lab.folder.text(), file_of(mgmt_class)).value;
    for (const sim::PortIndex port : lab.end_ports()) {
      const sim::ClassKeyState& state = lab.state(port, mgmt_class);
      keys.insert(state.key);
      EXPECT_EQ(stored.at(lab.model.ports[port].guid).value, state.key);
      EXPECT_EQ((mad::get_field<mad::Lid, mad::ClassPortInfoFields, "TrapLID">(
                    std::span<const std::uint8_t>(state.trap))),
                lab.info(lab.own()).lid());
    }
    ASSERT_EQ(::stat(lab.file(file_of(mgmt_class)).c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777u, 0600u);
    EXPECT_EQ(lab.status_of(mgmt_class).keyed, lab.end_ports().size());
  }
  EXPECT_EQ(keys.size(), 2 * lab.end_ports().size());
  EXPECT_EQ(lab.violations(), 0u);
}

TEST(ClassKeys, TrapDestinationIsThereBeforeTheKey) {
  ClassKeys lab;
  std::vector<std::uint16_t> sets;
  lab.node("H4").health.react_general = [&](mad::MadView mad,
                                            mad::PortNum) -> std::optional<sim::Reaction> {
    if (mad.mgmt_class() == MgmtClass::vendor_0a && mad.method() == mad::Method::set)
      sets.push_back(static_cast<std::uint16_t>(mad.attribute_id()));
    return std::nullopt;
  };
  lab.start();
  ASSERT_TRUE(lab.has_keys()) << lab.tail();
  EXPECT_THAT(sets, testing::ElementsAre(0x01, 0x0F));
}

TEST(ClassKeys, LeaseIsKeptAndTheSenderOfAWrongKeyIsNamed) {
  ClassKeys lab;
  lab.options.vs_key_lease_period = lab.options.n2n_key_lease_period = 15;
  lab.start();
  ASSERT_TRUE(lab.has_keys()) << lab.complaint_of_keys() << lab.tail();
  const auto stranger = lab.world.attach(lab.port("H4"));
  const sim::PortIndex victim = lab.port("H1");
  for (unsigned i = 0; i < 30; ++i, lab.runtime.run_for(2s))
    send_to_agent(*stranger, laboratory::set_class_key(MgmtClass::vendor_0a, 0xBAD, 1, 0x7700 + i),
                  lab.info(victim).lid());
  EXPECT_EQ(lab.complaint_of_keys(), "") << "the lease did not expire";
  EXPECT_TRUE(lab.says("wrong key of the vendor specific class: \"H1")) << lab.tail();
  EXPECT_TRUE(lab.says("received Set of attribute 0x000f from \"H4")) << lab.tail();
  EXPECT_EQ(lab.occurred(sm::kClassKeyConditions.class_key_violation), 1u);
  EXPECT_LE(lab.heddle().count("SM-CLASS-KEY-VIOLATION"), 6u);
}

/// Its trap was lost: the counter shows that there were some.
TEST(ClassKeys, ViolationsWithoutATrapAreFoundByTheCounter) {
  ClassKeys lab;
  lab.start();
  ASSERT_TRUE(lab.has_keys()) << lab.tail();
  lab.runtime.run_for(30s);
  lab.node("H1").health.withhold_traps = true;
  const auto stranger = lab.world.attach(lab.port("H4"));
  send_to_agent(*stranger, laboratory::set_class_key(MgmtClass::node_to_node, 1, 1, 0x7700),
                lab.info(lab.port("H1")).lid());
  lab.runtime.run_for(60s);
  EXPECT_TRUE(lab.says("wrong key of the node to node class: \"H1")) << lab.tail();
}

TEST(ClassKeys, AreRemovedByMode1AndLeftAloneByMode0) {
  ClassKeys lab;
  lab.start();
  ASSERT_TRUE(lab.has_keys()) << lab.tail();
  lab.options.vs_key_enable = 1;
  lab.options.n2n_key_enable = 0;
  lab.heddle().reload(lab.options);
  lab.runtime.run_for(5s);
  for (const sim::PortIndex port : lab.end_ports()) {
    EXPECT_EQ(lab.state(port, MgmtClass::vendor_0a).key, 0u) << lab.tail();
    EXPECT_FALSE(lab.state(port, MgmtClass::vendor_0a).is_protected);
    EXPECT_EQ(lab.state(port, MgmtClass::node_to_node).key,
              lab.derived(port, MgmtClass::node_to_node, 0));
  }
  EXPECT_TRUE(sm::load_guid2mkey(lab.folder.text(), "guid2vskey").value.empty());
}

TEST(ClassKeys, SilentDeviceIsGivenUpAfterThreeTimeOutsUntilItReturns) {
  ClassKeys lab;
  unsigned requests = 0;
  bool answers = false;
  lab.node("H4").health.react_general = [&](mad::MadView mad,
                                            mad::PortNum) -> std::optional<sim::Reaction> {
    if (answers || mad.mgmt_class() != MgmtClass::vendor_0a) return std::nullopt;
    ++requests;
    return sim::Reaction{};
  };
  lab.start();
  lab.runtime.run_for(60s);
  const unsigned until_given_up = requests;
  EXPECT_GE(requests, 3u);
  EXPECT_LE(requests, 20u);
  EXPECT_EQ(lab.raised(sm::kClassKeyConditions.class_key_unknown), 0u)
      << "it may not have the class at all";
  lab.runtime.run_for(5min);
  EXPECT_EQ(requests, until_given_up);
  EXPECT_EQ(lab.status_of(MgmtClass::vendor_0a).silent, 1u);
  answers = true;
  lab.reboot(lab.model.find("H4"));
  EXPECT_TRUE(lab.has_keys(30s)) << lab.complaint_of_keys() << lab.tail();
}

TEST(ClassKeys, DeviceWithoutTheClassIsQueriedOnce) {
  ClassKeys lab;
  unsigned requests = 0;
  lab.node("H4").health.react_general = [&](mad::MadView mad,
                                            mad::PortNum) -> std::optional<sim::Reaction> {
    if (mad.mgmt_class() != MgmtClass::node_to_node) return std::nullopt;
    ++requests;
    return sim::Reaction{.status = mad::status::kMethodAttributeUnsupported};
  };
  lab.start();
  lab.runtime.run_for(5min);
  EXPECT_EQ(requests, 1u);
  EXPECT_EQ(lab.status_of(MgmtClass::node_to_node).absent, 1u);
  EXPECT_EQ(lab.raised(sm::kClassKeyConditions.class_key_unknown), 0u);
}

TEST(ClassKeys, OfAnotherManagerAreNamedAndALineInTheFileHelps) {
  ClassKeys lab;
  const sim::PortIndex host = lab.port("H4");
  lab.start();
  ASSERT_TRUE(lab.has_keys()) << lab.tail();
  lab.state(host, MgmtClass::vendor_0a).key = kForeign;
  lab.runtime.run_for(3min);
  EXPECT_EQ(lab.raised(sm::kClassKeyConditions.class_key_unknown), 1u) << lab.tail();
  EXPECT_TRUE(lab.says("does not answer requests of the vendor specific class")) << lab.tail();
  sm::Guid2MKey keys = sm::load_guid2mkey(lab.folder.text(), "guid2vskey").value;
  keys[lab.model.ports[host].guid] = mad::MKey{kForeign};
  ASSERT_TRUE(sm::save_guid2mkey(lab.folder.text(), keys, false, "guid2vskey"));
  lab.heddle().reload(lab.options);
  EXPECT_TRUE(lab.has_keys(10s)) << lab.complaint_of_keys() << lab.tail();
  lab.settle();
  EXPECT_EQ(lab.raised(sm::kClassKeyConditions.class_key_unknown), 0u) << lab.tail();
}

TEST(ClassKeys, SurviveLostRequestsAndResponses) {
  ClassKeys lab;
  lab.start();
  lab.set_wire({.lost = 0.2});
  lab.runtime.run_for(60s);
  lab.set_wire({});
  EXPECT_TRUE(lab.has_keys(60s)) << lab.complaint_of_keys() << lab.tail();
}

TEST(ClassKeys, ChangeAtTheEndOfEachPeriod) {
  ClassKeys lab;
  lab.options.periodic_key_update = kPeriod.count();
  lab.start_with_clock();
  const auto first = sm::derive_key("heddle vs_key", kSeed, kVersion - kPeriod.count(),
                                    lab.model.ports[lab.port("H4")].guid);
  ASSERT_TRUE(lab.has_keys(5s, kVersion - kPeriod.count())) << lab.complaint_of_keys();
  lab.runtime.run_for(kUntilChange);
  EXPECT_EQ(lab.complaint_of_keys(kVersion), "") << lab.tail();
  EXPECT_NE(lab.state(lab.port("H4"), MgmtClass::vendor_0a).key, first);
  EXPECT_EQ(lab.violations(), 0u);
}

/// The manager ends after each number of Sets of a change: they arrive, their responses do not. Its
/// next start has the files, or the seed and the time alone.
TEST(ClassKeys, AreNotLostWhereverTheManagerEnds) {
  for (const bool has_files : {true, false}) {
    for (std::size_t last = 1; last <= 16; last += 3) {
      SCOPED_TRACE(fmt::format("{} Sets, {}", last, has_files ? "with files" : "without"));
      ClassKeys lab;
      lab.options.periodic_key_update = kPeriod.count();
      lab.options.vs_max_outstanding_mads = lab.options.n2n_max_outstanding_mads = 1;
      lab.start_with_clock();
      ASSERT_TRUE(lab.has_keys(10s, kVersion - kPeriod.count())) << lab.complaint_of_keys();
      std::size_t sets = 0;
      lab.heddle().tap().on_request = [&](mad::ConstSmpView mad) {
        sets += mad.method() == mad::Method::set && (mad.mgmt_class() == MgmtClass::vendor_0a ||
                                                     mad.mgmt_class() == MgmtClass::node_to_node);
      };
      ASSERT_TRUE(lab.runtime.run_until([&] { return sets >= last; }, kUntilChange)) << lab.tail();
      lab.runtime.run_for(3us);
      lab.set_wire({.lost = 1});
      lab.heddle().tap().on_request = {};
      lab.heddle().stop();
      if (!has_files)
        for (const auto& entry : fs::directory_iterator(lab.folder.text()))
          fs::remove(entry.path());
      lab.set_wire({});
      lab.start();
      EXPECT_TRUE(lab.has_keys(60s, kVersion)) << lab.complaint_of_keys(kVersion) << lab.tail();
      EXPECT_EQ(lab.raised(sm::kClassKeyConditions.class_key_unknown), 0u);
    }
  }
}

}  // namespace class_keys_test
