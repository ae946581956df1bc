// Congestion control by whole managers: what devices get, how often, and what faults of theirs do.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mad/attributes/congestion_control.h"
#include "sim/laboratory.h"
#include "sim/world/named_counters.h"
#include "sm/congestion/congestion_conditions.h"
#include "sm/congestion/congestion_settings.h"
#include "sm/ctl/topology/generators.h"

namespace congestion_test {

using namespace laboratory;
using mad::CongestionControlAttribute, mad::Method;
using sm::CongestionState;
using testing::HasSubstr, testing::Not;

constexpr std::uint64_t kKey = 0x1122334455667788, kNewKey = 0x99;

/// Two leaves with two hosts each below two spines; settings that differ from those after power-on.
class Lab : public Solo {
 public:
  Lab() : Solo(topology::xgft({.children = {2, 2}, .parents = {1, 2}, .cables = {}})) {
    options.congestion_control = true;
    options.cc_sw_cong_setting_control_map = 0x15;
    options.cc_sw_cong_setting_threshold = 15;
    options.cc_sw_cong_setting_marking_rate = 3;
    options.cc_ca_cong_setting_control_map = 0x0001;
    options.cc_ca_cong_setting_ccti_timer[0] = 150;
    options.cc_ca_cong_setting_ccti_increase[0] = 1;
    for (std::uint16_t entry = 0; entry < 100; ++entry)
      options.cc_cct.push_back({.shift = 1, .multiplier = entry});
    // Time passes on the virtual clock only when something happens: less of that.
    options.sweep_interval = 300;
    options.audit_interval = 0;
    options.standby_read_rate = 0;
  }

  /// Counts congestion control requests from now on, attempts included.
  void watch() {
    heddle().tap().on_request = [this](mad::ConstSmpView mad) {
      if (mad.mgmt_class() != mad::MgmtClass::congestion_control) return;
      ++(mad.method() == Method::set ? sets_sent : gets_sent);
      keys_sent.insert(
          mad::get_field<std::uint64_t, mad::CongestionControlHeaderFields, "CC_Key">(mad.bytes()));
    };
  }
  bool start_and_wait() {
    if (!instances.empty()) return Solo::start(), watch(), waits_for_all();
    Solo::start();
    watch();
    return waits_for_all();
  }
  sm::SharedCongestion table() const { return status().congestion; }
  const sm::CongestionDevice* device(const std::string& name) {
    const auto now = table();
    if (!now) return nullptr;
    held_ = now;
    const auto guid = model.ports[end(name)].guid;
    const auto found = std::ranges::find(now->devices, guid, &sm::CongestionDevice::guid);
    return found == now->devices.end() ? nullptr : &*found;
  }
  CongestionState state(const std::string& name) {
    const auto* const of = device(name);
    return of == nullptr ? CongestionState::pending : of->state;
  }
  /// No device is pending, and all but so many have what they are to have.
  bool waits_for_all(std::size_t but = 0) {
    return runtime.run_until(
        [&] {
          const auto now = table();
          return now && now->devices.size() == 8 &&
                 std::ranges::count(now->devices, CongestionState::pending,
                                    &sm::CongestionDevice::state) == 0 &&
                 std::ranges::count(now->devices, CongestionState::configured,
                                    &sm::CongestionDevice::state) == 8 - std::ptrdiff_t(but);
        },
        60s);
  }
  sim::PortIndex end(const std::string& name) { return port(name, node(name).is_switch() ? 0 : 1); }
  /// What the device holds; zeroes if nothing was written.
  mad::GmpData& held(const std::string& name, CongestionControlAttribute attribute,
                     std::uint32_t modifier = 0) {
    return model.extras(end(name)).raw[{
        sim::raw_key(mad::MgmtClass::congestion_control, static_cast<std::uint16_t>(attribute)),
        modifier}];
  }
  std::uint64_t key_of(const std::string& name) {
    return mad::get_field<std::uint64_t, mad::CongestionKeyInfoFields, "CC_Key">(
        held(name, CongestionControlAttribute::congestion_key_info));
  }
  bool is_complete(const std::string& name) {
    const sm::CongestionPlan plan = sm::decide_congestion(options);
    return std::ranges::all_of(node(name).is_switch() ? plan.of_switch : plan.of_ca_port,
                               [&](const sm::CongestionSetting& setting) {
                                 return held(name, setting.attribute, setting.modifier) ==
                                        setting.data;
                               });
  }
  void forget_requests() {
    gets_sent = sets_sent = 0;
    keys_sent.clear();
  }

  std::uint64_t gets_sent = 0, sets_sent = 0;
  std::set<std::uint64_t> keys_sent;
  const std::vector<std::string> hosts{"H0", "H1", "H2", "H3"},
      switches{"S1-0", "S1-1", "S2-0", "S2-1"};

 private:
  sm::SharedCongestion held_;
};

TEST(CongestionControl, DevicesGetTheSettingsAndASecondStartWritesNothing) {
  Lab lab;
  ASSERT_TRUE(lab.start_and_wait()) << lab.tail();
  for (const std::string& name : lab.hosts) EXPECT_TRUE(lab.is_complete(name)) << name;
  for (const std::string& name : lab.switches) EXPECT_TRUE(lab.is_complete(name)) << name;
  // A Set for each switch; for each host CACongestionSetting and two blocks of the table.
  EXPECT_EQ(lab.sets_sent, 4u + 4u * 3u);
  const auto& data = lab.held("S1-0", CongestionControlAttribute::switch_congestion_setting);
  EXPECT_EQ((mad::get_field<unsigned, mad::SwitchCongestionSettingFields, "Threshold">(data)), 15u);
  EXPECT_EQ(lab.device("S2-1")->threshold, 15);
  EXPECT_EQ(lab.device("H3")->table_limit, 99);
  lab.heddle().stop();
  lab.forget_requests();
  ASSERT_TRUE(lab.start_and_wait()) << lab.tail();
  EXPECT_EQ(lab.sets_sent, 0u) << "a second start reads";
  EXPECT_GT(lab.gets_sent, 0u);
}

TEST(CongestionControl, AManagerThatEndsAfterItsFirstSweepSetsDevices) {
  Lab lab;
  lab.Solo::start(true);
  EXPECT_TRUE(lab.heddle().exit_code());
  for (const std::string& name : lab.hosts) EXPECT_TRUE(lab.is_complete(name)) << name;
  for (const std::string& name : lab.switches) EXPECT_TRUE(lab.is_complete(name)) << name;
}

TEST(CongestionControl, AReloadChangesSettingsAndFalseLeavesThem) {
  Lab lab;
  ASSERT_TRUE(lab.start_and_wait()) << lab.tail();
  lab.forget_requests();
  lab.options.cc_sw_cong_setting_marking_rate = 77;
  lab.heddle().reload(lab.options);
  ASSERT_TRUE(lab.runtime.run_until(
      [&] { return lab.is_complete("S2-0") && lab.is_complete("S1-1"); }, 30s));
  lab.settle();
  EXPECT_EQ(lab.sets_sent, 4u) << "the switches alone";
  lab.forget_requests();
  config::Options off = lab.options;
  off.congestion_control = false;
  lab.heddle().reload(off);
  lab.runtime.run_for(60s);
  EXPECT_EQ(lab.sets_sent + lab.gets_sent, 0u);
  EXPECT_TRUE(lab.is_complete("S2-0"));
  EXPECT_FALSE(lab.table());
}

TEST(CongestionControl, TheAuditMendsWhatAnotherProgramSet) {
  Lab lab;
  lab.options.audit_interval = 120;
  ASSERT_TRUE(lab.start_and_wait()) << lab.tail();
  lab.held("S1-0", CongestionControlAttribute::switch_congestion_setting).fill(0);
  lab.held("H2", CongestionControlAttribute::congestion_control_table, 1)[9] ^= 1;
  lab.forget_requests();
  ASSERT_TRUE(lab.runtime.run_until(
      [&] { return lab.is_complete("S1-0") && lab.is_complete("H2"); }, 150s));
  lab.settle();
  EXPECT_EQ(lab.sets_sent, 2u);
  EXPECT_EQ(lab.table()->mended, 2u);
  EXPECT_THAT(lab.log(), HasSubstr("was changed by another program; it is set again"));
}

TEST(CongestionControl, ARestartedHostGetsItsSettingsAgainWithoutAnAudit) {
  Lab lab;
  ASSERT_TRUE(lab.start_and_wait()) << lab.tail();
  lab.reboot(lab.model.find("H2"));
  ASSERT_TRUE(lab.runtime.run_until([&] { return lab.is_complete("H2"); }, 30s)) << lab.tail();
  EXPECT_THAT(lab.log(), Not(HasSubstr("another program")));
}

TEST(CongestionControl, ADeviceWithoutTheClassIsQueriedOnceUntilItReturns) {
  Lab lab;
  lab.options.audit_interval = 60;
  unsigned requests = 0;
  for (const char* name : {"H1", "S2-0"})
    lab.node(name).health.react_general = [&](mad::MadView, mad::PortNum) {
      ++requests;
      return std::optional(sim::Reaction{mad::status::kMethodAttributeUnsupported});
    };
  lab.start();
  lab.watch();
  ASSERT_TRUE(lab.waits_for_all(2)) << lab.tail();
  lab.runtime.run_for(10min);
  EXPECT_EQ(requests, 2u) << "one each, audits included";
  EXPECT_EQ(lab.state("H1"), CongestionState::unsupported);
  EXPECT_EQ(lab.raised(sm::kCongestionConditions.congestion_control_missing), 1u);
  EXPECT_THAT(lab.log(), HasSubstr("1 of 4 switches and 1 of 4 CA ports have no congestion"));
  lab.node("H1").health.react_general = {};  // another firmware
  lab.reboot(lab.model.find("H1"));
  EXPECT_TRUE(lab.runtime.run_until([&] { return lab.is_complete("H1"); }, 30s)) << lab.tail();
}

TEST(CongestionControl, ARejectedValueIsOneConditionAndTriedAgainRarely) {
  Lab lab;
  unsigned sets = 0;
  lab.node("S1-1").health.react_general = [&](mad::MadView mad, mad::PortNum) {
    const bool set = mad.method() == Method::set;
    sets += set ? 1 : 0;
    return set ? std::optional(sim::Reaction{mad::status::kInvalidValue}) : std::nullopt;
  };
  lab.start();
  ASSERT_TRUE(lab.waits_for_all(1)) << lab.tail();
  EXPECT_EQ(lab.raised(sm::kCongestionConditions.congestion_control_refused), 1u);
  EXPECT_THAT(lab.log(), HasSubstr("SwitchCongestionSetting 0 is rejected with status 0x001c"));
  lab.runtime.run_for(1h);
  EXPECT_GE(sets, 6u) << "after 10, 20, 40, ... s";
  EXPECT_LE(sets, 10u);
  lab.node("S1-1").health.react_general = {};
  EXPECT_TRUE(lab.runtime.run_until([&] { return lab.is_complete("S1-1"); }, 1h + 1min));
  lab.settle();
  EXPECT_EQ(lab.raised(sm::kCongestionConditions.congestion_control_refused), 0u);
}

TEST(CongestionControl, AValueThatADeviceRoundsIsWrittenOnce) {
  Lab lab;
  lab.options.audit_interval = 60;
  unsigned sets = 0;
  mad::GmpData rounded{};
  lab.node("S1-1").health.react_general = [&](mad::MadView mad, mad::PortNum) {
    if (static_cast<CongestionControlAttribute>(mad.attribute_id()) !=
        CongestionControlAttribute::switch_congestion_setting)
      return std::optional<sim::Reaction>();
    const auto data = mad::gmp_data(mad);
    if (mad.method() == Method::set) {
      ++sets;
      std::ranges::copy(data, rounded.begin());
      mad::set_field<mad::SwitchCongestionSettingFields, "MarkingRate">(std::span(rounded),
                                                                        std::uint16_t{4});
    }
    std::ranges::copy(rounded, data.begin());
    return std::optional(sim::Reaction{mad::status::kOk});
  };
  lab.start();
  ASSERT_TRUE(lab.waits_for_all(1)) << lab.tail();
  lab.runtime.run_for(10min);
  EXPECT_EQ(sets, 1u);
  EXPECT_THAT(lab.log(), HasSubstr("SwitchCongestionSetting 0 keeps other values"));
}

TEST(CongestionControl, ASilentDeviceDelaysNoOtherDevice) {
  Lab lab;
  lab.node("S2-1").health.react_general = [](mad::MadView, mad::PortNum) {
    return std::optional(sim::Reaction{});
  };
  lab.options.cc_max_outstanding_mads = 2;
  lab.start();
  ASSERT_TRUE(lab.runtime.run_until(
      [&] {
        return std::ranges::all_of(lab.hosts,
                                   [&](const auto& name) { return lab.is_complete(name); });
      },
      kComesUp));
  EXPECT_TRUE(lab.waits_for_all(1));
  EXPECT_EQ(lab.state("S2-1"), CongestionState::silent);
}

TEST(CongestionControl, AKeyIsSetAndRotatedWhateverResponseIsLost) {
  Lab lab;
  lab.options.cc_key = kKey;
  lab.options.cc_key_enable = 2;
  ASSERT_TRUE(lab.start_and_wait()) << lab.tail();
  for (const std::string& name : lab.hosts) EXPECT_EQ(lab.key_of(name), kKey) << name;
  EXPECT_EQ(lab.key_of("S2-0"), kKey);
  // H1 takes the new key, and all responses to the Set are lost; S1-0 does not get the Set at all.
  using Fields = mad::CongestionKeyInfoFields;
  const auto is_key_set = [](mad::MadView mad) {
    return mad.method() == Method::set &&
           static_cast<CongestionControlAttribute>(mad.attribute_id()) ==
               CongestionControlAttribute::congestion_key_info;
  };
  lab.node("H1").health.react_general = [&](mad::MadView mad, mad::PortNum) {
    if (is_key_set(mad))
      mad::set_field<Fields, "CC_Key">(
          std::span(lab.held("H1", CongestionControlAttribute::congestion_key_info)), kNewKey);
    return std::optional<sim::Reaction>();
  };
  lab.node("S1-0").health.react_general = [&](mad::MadView mad, mad::PortNum) {
    return is_key_set(mad) ? std::optional(sim::Reaction{}) : std::nullopt;
  };
  lab.options.cc_key = kNewKey;
  lab.options.cc_sw_cong_setting_marking_rate = 5;
  lab.heddle().reload(lab.options);
  ASSERT_TRUE(lab.waits_for_all(1)) << lab.tail();
  for (const std::string& name : lab.hosts) EXPECT_EQ(lab.key_of(name), kNewKey) << name;
  EXPECT_EQ(lab.key_of("S1-0"), kKey);
  lab.node("S1-0").health.react_general = {};
  ASSERT_TRUE(lab.waits_for_all()) << lab.tail();
  EXPECT_EQ(lab.key_of("S1-0"), kNewKey);
  EXPECT_TRUE(lab.is_complete("S1-0")) << "it takes settings with the new key";
}

TEST(CongestionControl, AnUnknownKeyIsReplacedWhenItsLeaseHasEnded) {
  Lab lab;
  lab.options.cc_key = kKey;
  lab.options.cc_key_enable = 2;
  ASSERT_TRUE(lab.start_and_wait()) << lab.tail();
  lab.heddle().stop();
  lab.options.cc_key = kNewKey;  // and nobody remembers the other one
  lab.Solo::start();
  lab.watch();
  ASSERT_TRUE(
      lab.runtime.run_until([&] { return lab.state("H1") == CongestionState::silent; }, 60s));
  EXPECT_TRUE(lab.runtime.run_until(
      [&] { return lab.key_of("H1") == kNewKey && lab.key_of("S2-1") == kNewKey; }, 5min))
      << lab.tail();
}

TEST(CongestionControl, AKeyThatIsOnlySentIsNotSet) {
  Lab lab;
  lab.options.cc_key = kKey;
  ASSERT_TRUE(lab.start_and_wait()) << lab.tail();
  EXPECT_EQ(lab.key_of("H1"), 0u);
  EXPECT_EQ(lab.keys_sent, std::set<std::uint64_t>{kKey});
}

TEST(CongestionControl, AnUnknownKeyIsACondition) {
  Lab lab;
  mad::set_field<mad::CongestionKeyInfoFields, "CC_Key">(
      std::span(lab.held("H1", CongestionControlAttribute::congestion_key_info)),
      std::uint64_t{0x4711});
  lab.start();
  ASSERT_TRUE(lab.waits_for_all(1)) << lab.tail();
  EXPECT_EQ(lab.state("H1"), CongestionState::other_key);
  EXPECT_THAT(lab.log(), HasSubstr("it has another CC_Key than cc_key"));
}

}  // namespace congestion_test
