// A host knows all keys of its own port, and records what it can see while they change.

#include <gtest/gtest.h>

#include <set>

#include "hostile/quiet.h"
#include "support/class_key_requests.h"

namespace hostile_keys_test {

using laboratory::kKeyedClasses;
using laboratory::Quiet;
using laboratory::send_to_agent;
using mad::MgmtClass;
using namespace std::chrono_literals;

constexpr std::chrono::minutes kPeriod{10};

struct Attacked : laboratory::Solo {
  Attacked() : Solo(laboratory::two_switches()) {
    options.m_key_per_port = true;
    options.key_mgr_seed = 0x5EED5EED5EED5EED;
    options.m_key_protection_level = 1;
    options.sm_key = 0x1234;
    options.periodic_key_update = kPeriod.count();
    options.vs_key_enable = options.n2n_key_enable = 2;
  }
  std::uint64_t class_key(sim::PortIndex port, MgmtClass mgmt_class) const {
    return model.extras(port).class_keys[static_cast<std::uint8_t>(mgmt_class)].key;
  }
  /// All that the firmware of its own port shows to root there, and what responses to its traps and
  /// requests have.
  void record(sim::PortIndex port) {
    recorded.insert(info(port).m_key().value);
    for (const MgmtClass mgmt_class : kKeyedClasses) recorded.insert(class_key(port, mgmt_class));
    for (const mad::MadBytes& bytes : heddle().tap().responses)
      recorded.insert(mad::ConstSmpView(std::span<const std::uint8_t, mad::kMadSizeBytes>(bytes))
                          .m_key()
                          .value);
  }
  /// Changes nothing at any other port, with any of the keys.
  std::string attack(sim::PortIndex from) {
    const auto attacker = world.attach(from);
    std::uint64_t transaction = 0x9000;
    for (const sim::PortIndex victim : model.ports.indices()) {
      if (victim == from || !model.is_end_port(victim) || !is_unicast(info(victim).lid())) continue;
      const mad::PortInfo before = info(victim);
      for (const std::uint64_t key : recorded) {
        mad::MadBytes bytes;
        mad::PortInfo changed = before;
        changed.set_m_key({0xBAD});
        changed.set_m_key_protect_bits(0);
        mad::make_lid_smp(bytes, mad::Method::set, mad::AttributeId::port_info,
                          model.ports[victim].number, {key}, ++transaction)
            .set_data(std::as_const(changed).bytes());
        attacker->send(bytes, {.lid = before.lid()}, 0);
        for (const MgmtClass mgmt_class : kKeyedClasses) {
          const std::uint64_t has = class_key(victim, mgmt_class);
          send_to_agent(*attacker, laboratory::set_class_key(mgmt_class, key, 0xBAD, ++transaction),
                        before.lid());
          send_to_agent(*attacker,
                        laboratory::class_key_request(mgmt_class, mad::Method::set,
                                                      mad::KeyedClassAttribute::class_port_info,
                                                      key, ++transaction),
                        before.lid());
          runtime.run_for(1ms);
          const auto& state =
              model.extras(victim).class_keys[static_cast<std::uint8_t>(mgmt_class)];
          const auto trap_lid = mad::get_field<mad::Lid, mad::ClassPortInfoFields, "TrapLID">(
              std::span<const std::uint8_t>(state.trap));
          if (state.key != has || trap_lid != info(own()).lid())
            return fmt::format("{} took a class key {:#x}", model.name(victim), key);
        }
        if (info(victim).m_key() != before.m_key() || info(victim).m_key_protect_bits() == 0)
          return fmt::format("{} took M_Key {:#x}", model.name(victim), key);
      }
    }
    return "";
  }

  std::set<std::uint64_t> recorded{0};
};

TEST(HostileKeys, KeysOfOnePortOpenNoOtherBeforeAndAfterAChange) {
  Attacked lab;
  const auto began = lab.runtime.now().time_since_epoch();
  lab.start();
  lab.heddle().wall_clock_begin = std::chrono::sys_seconds(kPeriod * 3'000'000 - 20s) -
                                  std::chrono::floor<std::chrono::seconds>(began);
  ASSERT_TRUE(lab.comes_up()) << lab.complaint() << lab.tail();
  lab.settle();
  const sim::PortIndex host = lab.port("H4");
  lab.raise_link_state_change(lab.far(host));
  lab.runtime.run_for(1s);
  lab.record(host);
  EXPECT_EQ(lab.attack(host), "");
  const std::size_t before = lab.recorded.size();
  lab.runtime.run_for(25s);
  EXPECT_TRUE(lab.says("M_Keys have version 30000000: 8 of 8 end ports")) << lab.tail();
  lab.record(host);
  EXPECT_GE(lab.recorded.size(), before + 3) << "all keys of the port are others";
  EXPECT_EQ(lab.attack(host), "");
  EXPECT_EQ(lab.complaint(), "") << lab.tail();
}

/// The host names itself as the sender of requests of others, or claims violations that were none.
TEST(HostileKeys, ForgedTrapsOfAClassChangeNothingAndShowNoOtherKey) {
  Attacked lab;
  lab.options.periodic_key_update = 0;
  lab.start();
  ASSERT_TRUE(lab.comes_up()) << lab.complaint() << lab.tail();
  lab.settle();
  const sim::PortIndex host = lab.port("H4");
  lab.heddle().tap().responses.clear();
  const auto attacker = lab.world.attach(host);
  for (unsigned i = 0; i < 200; ++i) {
    mad::MadBytes trap = laboratory::class_key_request(
        MgmtClass::vendor_0a, mad::Method::trap, mad::KeyedClassAttribute::notice, 0, 0x8800 + i);
    const auto data = std::span(trap).subspan<mad::kKeyedClassDataByte, mad::kGmpDataBytes>();
    mad::set_field<mad::ClassKeyNoticeFields, "TrapNumber">(data,
                                                            static_cast<std::uint16_t>(i % 3));
    mad::set_field<mad::ClassKeyNoticeFields, "SLID">(data, lab.info(lab.port("H1")).lid());
    send_to_agent(*attacker, trap, lab.info(lab.own()).lid());
    lab.runtime.run_for(10ms);
  }
  const std::uint64_t own_key = lab.class_key(host, MgmtClass::vendor_0a);
  for (const mad::MadBytes& bytes : lab.heddle().tap().responses) {
    const mad::ConstMadView mad{std::span<const std::uint8_t, mad::kMadSizeBytes>(bytes)};
    if (mad.mgmt_class() != MgmtClass::vendor_0a) continue;
    EXPECT_EQ((mad::get_field<std::uint64_t, mad::KeyedClassHeaderFields, "Key">(mad.bytes())),
              own_key);
  }
  EXPECT_LE(lab.heddle().count("SM-CLASS-KEY-VIOLATION"), 6u) << lab.tail();
  lab.settle();
  EXPECT_EQ(lab.complaint(), "") << lab.tail();
}

}  // namespace hostile_keys_test
