// Hosts and managers that send a Set(SMInfo) which is not theirs to send.

#include <gtest/gtest.h>

#include <set>

#include "hostile/quiet.h"
#include "mad/format.h"
#include "support/hand_made_subnet.h"
#include "support/scripted_sm.h"

namespace smp_test {

using laboratory::ScriptedSm;
using laboratory::Solo;
using laboratory::two_switches;
using namespace std::chrono_literals;

void let_it_answer(Solo& lab) { lab.runtime.run_for(1ms); }

/// A program at a host's QP 0 that claims to be the manager `claimed`. Nothing answers there when
/// SMInfo is read.
class Stranger {
 public:
  Stranger(sim::World& world, sim::PortIndex port) : program_(world.attach(port)) {
    program_->set_receiver([this](std::span<const mad::ReceivedMad> mads) {
      for (const mad::ReceivedMad& received : mads) {
        if (mad::ConstMadView{std::span<const std::uint8_t, mad::kMadSizeBytes>(received.bytes)}
                .is_response())
          responses.push_back(received.bytes);
      }
    });
  }
  void send_control(mad::Lid to, mad::SmControl control) {
    mad::MadBytes bytes;
    mad::make_lid_smp(bytes, mad::Method::set, mad::AttributeId::sm_info,
                      mad::SmInfo::modifier(control), {}, ++transaction_id_)
        .set_data(claimed.bytes());
    program_->send(bytes, {.lid = to}, 0);
  }
  void send_control(const mad::DirectedRoute& route, mad::SmControl control) {
    mad::MadBytes bytes;
    mad::make_dr_smp(bytes, mad::Method::set, mad::AttributeId::sm_info,
                     mad::SmInfo::modifier(control), route, {}, ++transaction_id_)
        .set_data(claimed.bytes());
    program_->send(bytes, {}, 0);
  }
  std::uint16_t last_status() const {
    return mad::ConstSmpView{std::span<const std::uint8_t, mad::kMadSizeBytes>(responses.back())}
        .status();
  }

  mad::SmInfo claimed;
  std::vector<mad::MadBytes> responses;

 private:
  std::unique_ptr<sim::Attachment> program_;
  std::uint64_t transaction_id_ = 0x5000;
};

/// A subnet of another master at H4, and a stranger at H5 that claims to be it.
struct Ruled : Solo {
  explicit Ruled(std::uint8_t priority = 5)
      : Solo(two_switches()),
        other(world, port("H4"), mad::SmState::master, priority),
        stranger(world, port("H5")) {
    hand_made::bring_up(model, port("H4"));
    stranger.claimed = other.info;
  }
  mad::Lid own_lid() { return info(own()).lid(); }
  std::uint64_t refused() const {
    std::uint64_t times = 0;
    for (const sm::ConditionLog::Occurred& occurred : status().occurrences)
      if (occurred.condition.id->name == "SM-SMINFO-REFUSED") times += occurred.times;
    return times;
  }
  ScriptedSm other;
  Stranger stranger;
};

constexpr std::array kControls{mad::SmControl::handover, mad::SmControl::disable,
                               mad::SmControl::standby, mad::SmControl::discover};

TEST(SmInfoOfStrangers, InactiveManagerStaysInactive) {
  Ruled lab;
  lab.options.sm_inactive = true;
  lab.start();
  lab.other.answers = false;  // the worst case: there is no master
  for (unsigned i = 0; i < 20; ++i) {
    for (const mad::SmControl control : {mad::SmControl::standby, mad::SmControl::handover}) {
      lab.stranger.send_control(lab.own_lid(), control);
      lab.runtime.run_for(1s);
    }
  }
  lab.runtime.run_for(5min);
  EXPECT_EQ(lab.status().state, mad::SmState::not_active) << lab.tail();
  EXPECT_EQ(lab.sets(), 0u);
  EXPECT_LT(lab.gets(), 500u) << "a few surveys at most";
  EXPECT_EQ(lab.refused(), 39u) << "the first one is answered BUSY";
}

TEST(SmInfoOfStrangers, StandbyAcceptsControlOnlyFromItsMaster) {
  Ruled lab;
  lab.start();
  lab.runtime.run_for(25s);
  ASSERT_EQ(lab.status().state, mad::SmState::standby);
  for (const mad::SmControl control : kControls) {
    lab.stranger.send_control(lab.own_lid(), control);
    let_it_answer(lab);
    EXPECT_EQ(lab.stranger.last_status(), mad::status::kInvalidValue);
    lab.stranger.send_control(laboratory::route_from_s1(lab), control);
    let_it_answer(lab);
    EXPECT_EQ(lab.stranger.last_status(), mad::status::kInvalidValue);
  }
  EXPECT_EQ(lab.stranger.responses.size(), 8u) << "directed routes of the test lead to the manager";
  lab.runtime.run_for(1min);
  EXPECT_EQ(lab.status().state, mad::SmState::standby) << lab.tail();
  EXPECT_EQ(lab.sets(), 0u);
  EXPECT_EQ(lab.refused(), 8u);
  EXPECT_LE(lab.heddle().count("SM-SMINFO-REFUSED"), 2u) << lab.log();
}

TEST(SmInfoOfStrangers, HandoverByDirectedRouteIsTakenFromTheMaster) {
  Ruled lab;
  lab.options.sm_priority = 9;
  lab.start();
  lab.runtime.run_for(25s);
  ASSERT_EQ(lab.status().state, mad::SmState::standby);
  // As some OpenSM send it: by directed route, with SM_Key 0.
  lab.other.info.set_sm_key(0);
  const mad::DirectedRoute route = laboratory::route_from_s1(lab);
  lab.other.send_control(route, mad::SmControl::handover);
  lab.other.info.set_sm_state(mad::SmState::standby);
  let_it_answer(lab);
  ASSERT_EQ(lab.other.responses.size(), 1u);
  lab.settle();
  EXPECT_EQ(lab.status().state, mad::SmState::master) << lab.tail();
}

TEST(SmInfoOfStrangers, SmKeyIsShownOnlyToARequesterThatKnowsAKey) {
  for (const bool m_keys : {true, false}) {
    Solo lab(two_switches());
    lab.options.sm_key = 0x1234;
    lab.options.m_key = m_keys ? 0x77 : 0;
    ASSERT_TRUE(lab.start_and_settle());
    const auto key_shown = [&](std::uint64_t sm_key, mad::MKey m_key) {
      mad::SmInfo proof;
      proof.set_sm_key(sm_key);
      mad::MadBytes bytes;
      mad::make_lid_smp(bytes, mad::Method::get, mad::AttributeId::sm_info, 0, m_key, 0x55)
          .set_data(proof.bytes());
      lab.heddle().tap().responses.clear();
      lab.heddle().tap().inject(bytes, lab.info(lab.port("H4")).lid());
      return mad::SmInfo(mad::ConstSmpView{std::span<const std::uint8_t, mad::kMadSizeBytes>(
                                               lab.heddle().tap().responses.at(0))}
                             .data())
          .sm_key();
    };
    const std::uint64_t to_others = m_keys ? 0 : 0x1234;
    EXPECT_EQ(key_shown(0, {}), to_others) << "OpenSM becomes MASTER, too, if it is not shown";
    EXPECT_EQ(key_shown(1, {}), to_others);
    EXPECT_EQ(key_shown(0, mad::MKey{0x78}), to_others);
    EXPECT_EQ(key_shown(0, mad::MKey{0x77}), 0x1234u) << "of a manager that uses M_Keys";
    EXPECT_EQ(key_shown(0x1234, mad::MKey{0x78}), 0x1234u);
  }
}

TEST(SmInfoOfStrangers, ControlWithAWrongKeyOrFromAManagerThatIsNotMasterIsRefused) {
  Ruled lab;
  lab.options.sm_key = 0x1234;
  lab.other.info.set_sm_key(0x1234);
  lab.start();
  lab.runtime.run_for(25s);
  ASSERT_EQ(lab.status().state, mad::SmState::standby);
  const auto read_status = [&](mad::SmControl control) {
    lab.other.responses.clear();
    lab.other.send_control(lab.own_lid(), control);
    let_it_answer(lab);
    return mad::ConstSmpView{
        std::span<const std::uint8_t, mad::kMadSizeBytes>(lab.other.responses.at(0))}
        .status();
  };
  lab.other.info.set_sm_key(0x4321);
  EXPECT_EQ(read_status(mad::SmControl::disable), mad::status::kInvalidValue);
  lab.other.info.set_sm_key(0x1234);
  lab.other.info.set_sm_state(mad::SmState::standby);
  EXPECT_EQ(read_status(mad::SmControl::disable), mad::status::kInvalidValue);
  EXPECT_EQ(read_status(mad::SmControl::acknowledge), mad::status::kOk) << "changes nothing";
  EXPECT_EQ(lab.status().state, mad::SmState::standby);
  lab.other.info.set_sm_state(mad::SmState::master);
  EXPECT_EQ(read_status(mad::SmControl::disable), mad::status::kOk);
  EXPECT_EQ(lab.status().state, mad::SmState::not_active);
}

TEST(SmInfoOfStrangers, WrongMKeyIsNotAnswered) {
  Ruled lab;
  lab.options.m_key = 0x77;
  lab.start();
  lab.runtime.run_for(25s);
  ASSERT_EQ(lab.status().state, mad::SmState::standby);
  lab.other.send_control(lab.own_lid(), mad::SmControl::disable);
  let_it_answer(lab);
  EXPECT_TRUE(lab.other.responses.empty());
  EXPECT_EQ(lab.status().state, mad::SmState::standby);
  EXPECT_EQ(lab.refused(), 1u);
}

TEST(SmInfoOfStrangers, InactiveManagerIsWokenByTheMasterOfTheSubnet) {
  Ruled lab;
  lab.options.sm_inactive = true;
  lab.start();
  lab.runtime.run_for(1s);
  // It knows no manager yet: it answers BUSY, and reads the fabric.
  lab.other.send_control(lab.own_lid(), mad::SmControl::standby);
  let_it_answer(lab);
  ASSERT_EQ(lab.other.responses.size(), 1u);
  lab.runtime.run_for(1s);
  EXPECT_EQ(lab.status().state, mad::SmState::not_active);
  lab.other.send_control(lab.own_lid(), mad::SmControl::standby);
  let_it_answer(lab);
  EXPECT_EQ(lab.status().state, mad::SmState::standby) << lab.tail();
  lab.runtime.run_for(5min);
  EXPECT_EQ(lab.status().state, mad::SmState::standby) << lab.tail();
  EXPECT_EQ(lab.sets(), 0u);
  lab.other.answers = false;
  EXPECT_TRUE(lab.runtime.run_until([&] { return lab.status().state == mad::SmState::master; },
                                    laboratory::kTakeover))
      << lab.tail();
}

/// The sweep under way has decided without it, and ends without errors.
TEST(OtherMasters, ClientsRegisterAgainAfterAHandoverInTheMiddleOfASweep) {
  Solo lab(two_switches());
  lab.options.sm_priority = 5;
  ASSERT_TRUE(lab.start_and_settle());
  ScriptedSm other(lab.world, lab.port("H4"), mad::SmState::master, 4);
  lab.heddle().reload(lab.options);
  lab.settle();
  other.info.set_sm_state(mad::SmState::standby);
  lab.settle();
  std::set<sim::PortIndex> asked;
  lab.world.on_client_reregister = [&](sim::PortIndex port) { asked.insert(port); };
  bool sent = false;
  const mad::Lid own = lab.info(lab.own()).lid();
  lab.heddle().tap().on_request = [&](mad::ConstSmpView smp) {
    // Tables are read back after LIDs, and what clients need, were decided.
    if (sent || smp.attribute_id() != mad::AttributeId::linear_forwarding_table) return;
    sent = true;
    other.info.set_sm_state(mad::SmState::master);
    other.send_control(own, mad::SmControl::handover);
    other.info.set_sm_state(mad::SmState::standby);
  };
  lab.heddle().reload(lab.options);
  lab.settle();
  lab.heddle().tap().on_request = {};
  lab.world.on_client_reregister = nullptr;
  ASSERT_TRUE(sent);
  ASSERT_TRUE(lab.says("HANDOVER from the subnet manager")) << lab.tail();
  for (const char* host : {"H1", "H2", "H3", "H4", "H5"})
    EXPECT_TRUE(asked.contains(lab.port(host))) << host << lab.tail();
}

TEST(OtherMasters, RunningMasterStaysMasterBesideOneOfLowerRank) {
  Solo lab(two_switches());
  lab.options.sm_priority = 5;
  ASSERT_TRUE(lab.start_and_settle());
  ScriptedSm other(lab.world, lab.port("H4"), mad::SmState::master, 4);
  lab.heddle().reload(lab.options);
  lab.settle();
  const std::uint64_t sweeps = lab.status().sweeps;
  for (unsigned i = 0; i < 100; ++i) {
    other.send_control(lab.info(lab.own()).lid(), mad::SmControl::handover);
    lab.runtime.run_for(600ms);
  }
  EXPECT_EQ(lab.status().state, mad::SmState::master) << lab.tail();
  EXPECT_LE(lab.status().sweeps, sweeps + 7) << "one in ten seconds";
  EXPECT_LE(lab.heddle().count("HANDOVER"), 20u) << lab.log();
  EXPECT_TRUE(lab.says("SM-OTHER-MASTER")) << lab.tail();
  other.info.set_sm_state(mad::SmState::standby);
  lab.runtime.run_for(30s);
  EXPECT_TRUE(lab.says("cleared: ")) << lab.tail();
  EXPECT_EQ(lab.complaint(), "");
}

TEST(OtherMasters, ManagerWithAnotherSmKeyOrAForeignGuidIsTreatedAsAbsent) {
  for (const bool key : {true, false}) {
    Ruled lab(15);
    if (key) lab.other.info.set_sm_key(0x99);
    if (!key) lab.other.info.set_guid(mad::Guid{1});
    lab.start();
    lab.runtime.run_for(25s);
    EXPECT_EQ(lab.status().state, mad::SmState::master) << lab.tail();
    EXPECT_TRUE(lab.says(key ? "SM-KEY-MISMATCH" : "SM-RESPONSE-MALFORMED")) << lab.log();
  }
}

}  // namespace smp_test
