// Records that clients write, against libibumad's struct and libibmad's fields where they have
// them, and against literal bytes where not.
#include <gtest/gtest.h>
#include <infiniband/mad.h>
#include <infiniband/umad_sa_mcm.h>

#include <bit>
#include <cstring>
#include <set>

#include "mad/records/fabric_records.h"
#include "mad/records/inform_info.h"
#include "mad/records/mc_member_record.h"
#include "mad/records/service_record.h"
#include "unit/mad/attributes/attr_random.h"

namespace mad {
namespace records_test {

using test::Random;

McMemberRecord random_mc_member(Random& random) {
  McMemberRecord out;
  random.fill(out.bytes());
  return out;
}

TEST(McMemberRecord, HasTheLayoutOfLibibumadsStruct) {
  Random random(1);
  for (unsigned round = 0; round < test::kRounds; ++round) {
    const McMemberRecord record = random_mc_member(random);
    umad_sa_mcmember_record raw{};
    static_assert(offsetof(umad_sa_mcmember_record, reserved) == 50);
    std::memcpy(&raw, record.bytes().data(), record.bytes().size());
    std::uint8_t sl = 0, hop = 0, scope = 0, state = 0;
    std::uint32_t flow_label = 0;
    umad_sa_mcm_get_sl_flow_hop(raw.sl_flow_hop, &sl, &flow_label, &hop);
    umad_sa_mcm_get_scope_state(raw.scope_state, &scope, &state);
    EXPECT_EQ(record.q_key(), be32toh(raw.qkey));
    EXPECT_EQ(record.mlid().value, be16toh(raw.mlid));
    EXPECT_EQ(record.mtu_selector() << 6 | record.mtu(), raw.mtu);
    EXPECT_EQ(record.t_class(), raw.tclass);
    EXPECT_EQ(record.p_key().value, be16toh(raw.pkey));
    EXPECT_EQ(record.rate_selector() << 6 | record.rate(), raw.rate);
    EXPECT_EQ(record.packet_life_selector() << 6 | record.packet_life(), raw.pkt_life);
    EXPECT_EQ(record.sl().value, sl);
    EXPECT_EQ(record.flow_label(), flow_label);
    EXPECT_EQ(record.hop_limit(), hop);
    EXPECT_EQ(record.scope(), scope);
    EXPECT_EQ(record.join_state(), state);
    EXPECT_EQ(record.proxy_join(), umad_sa_mcm_get_proxy_join(&raw) != 0);
  }
}

TEST(McMemberRecord, SettersWriteWhatLibibmadReads) {
  Random random(2);
  for (unsigned round = 0; round < test::kRounds; ++round) {
    McMemberRecord record = random_mc_member(random);
    const McMemberRecord other = random_mc_member(random);
    record.set_q_key(other.q_key());
    record.set_mlid(other.mlid());
    record.set_mtu(other.mtu());
    record.set_rate(other.rate());
    record.set_t_class(other.t_class());
    record.set_p_key(other.p_key());
    record.set_sl(other.sl());
    record.set_flow_label(other.flow_label());
    record.set_join_state(other.join_state());
    record.set_proxy_join(other.proxy_join());
    std::array<std::uint8_t, 64> raw{};
    std::copy(record.bytes().begin(), record.bytes().end(), raw.begin());
    EXPECT_EQ(mad_get_field(raw.data(), 0, IB_SA_MCM_QKEY_F), other.q_key());
    EXPECT_EQ(mad_get_field(raw.data(), 0, IB_SA_MCM_MLID_F), other.mlid().value);
    EXPECT_EQ(mad_get_field(raw.data(), 0, IB_SA_MCM_MTU_F), other.mtu());
    EXPECT_EQ(mad_get_field(raw.data(), 0, IB_SA_MCM_RATE_F), other.rate());
    EXPECT_EQ(mad_get_field(raw.data(), 0, IB_SA_MCM_TCLASS_F), other.t_class());
    EXPECT_EQ(mad_get_field(raw.data(), 0, IB_SA_MCM_PKEY_F), other.p_key().value);
    EXPECT_EQ(mad_get_field(raw.data(), 0, IB_SA_MCM_SL_F), other.sl().value);
    EXPECT_EQ(mad_get_field(raw.data(), 0, IB_SA_MCM_FLOW_LABEL_F), other.flow_label());
    EXPECT_EQ(mad_get_field(raw.data(), 0, IB_SA_MCM_JOIN_STATE_F), other.join_state());
    EXPECT_EQ(mad_get_field(raw.data(), 0, IB_SA_MCM_PROXY_JOIN_F), other.proxy_join() ? 1u : 0u);
  }
}

TEST(McMemberRecord, MaskBitsAreLibibumads) {
  using R = McMemberRecord;
  EXPECT_EQ(1ull << R::kMgid, UMAD_SA_MCM_COMP_MASK_MGID);
  EXPECT_EQ(1ull << R::kMtuSelector, UMAD_SA_MCM_COMP_MASK_MTU_SEL);
  EXPECT_EQ(1ull << R::kPKey, UMAD_SA_MCM_COMP_MASK_PKEY);
  EXPECT_EQ(1ull << R::kLife, UMAD_SA_MCM_COMP_MASK_LIFE_TIME);
  EXPECT_EQ(1ull << R::kSl, UMAD_SA_MCM_COMP_MASK_SL);
  EXPECT_EQ(1ull << R::kFlowLabel, UMAD_SA_MCM_COMP_MASK_FLOW_LABEL);
  EXPECT_EQ(1ull << R::kScope, UMAD_SA_MCM_COMP_MASK_SCOPE);
  EXPECT_EQ(1ull << R::kJoinState, UMAD_SA_MCM_COMP_MASK_JOIN_STATE);
  EXPECT_EQ(1ull << R::kProxyJoin, UMAD_SA_MCM_COMP_MASK_PROXY_JOIN);
}

/// A record whose byte n is n.
template <class Record>
Record counting() {
  Record out;
  for (std::size_t i = 0; i < Record::kBytes; ++i) out.bytes()[i] = static_cast<std::uint8_t>(i);
  return out;
}

TEST(Records, FieldsHaveTheOffsetsOfTheStandard) {
  const auto service = counting<ServiceRecord>();
  EXPECT_EQ(service.service_id(), 0x0001020304050607u);
  EXPECT_EQ(service.service_gid(), (Gid{0x08090a0b0c0d0e0f, {0x1011121314151617}}));
  EXPECT_EQ(service.p_key(), PKey{0x1819});
  EXPECT_EQ(service.lease(), 0x1c1d1e1fu);
  EXPECT_EQ(service.key()[0], 0x20);
  EXPECT_EQ(service.name()[0], 0x30);
  EXPECT_EQ(service.data()[0], 0x70);
  EXPECT_EQ(service.data()[63], 0xaf);
  const auto inform = counting<InformInfo>();
  EXPECT_EQ(inform.gid(), (Gid{0x0001020304050607, {0x08090a0b0c0d0e0f}}));
  EXPECT_EQ(inform.lid_range_begin(), Lid{0x1011});
  EXPECT_EQ(inform.lid_range_end(), Lid{0x1213});
  EXPECT_EQ(inform.is_generic(), 0x16);
  EXPECT_EQ(inform.subscribe(), 0x17);
  EXPECT_EQ(inform.type(), 0x1819);
  EXPECT_EQ(inform.trap_number(), 0x1a1b);
  EXPECT_EQ(inform.qpn(), 0x1c1d1eu);
  EXPECT_EQ(inform.resp_time_value(), 0x1f);
  EXPECT_EQ(inform.producer_type(), 0x212223u);
  const auto subscription = counting<InformInfoRecord>();
  EXPECT_EQ(subscription.subscriber_gid().guid, Guid{0x08090a0b0c0d0e0f});
  EXPECT_EQ(subscription.enumeration(), 0x1011);
  EXPECT_EQ(subscription.inform_info().lid_range_begin(), Lid{0x2829});
  const auto guids = counting<GuidInfoRecord>();
  EXPECT_EQ(guids.lid(), Lid{0x0001});
  EXPECT_EQ(guids.block(), 0x02);
  EXPECT_EQ(guids.guid_info().guid(7), Guid{0x4041424344454647});
}

/// Every setter changes its own bits only, and its getter gives the value back.
template <class Record, class T>
void check_setter(T (Record::*get)() const, void (Record::*set)(T), unsigned bits) {
  Random random(3);
  Record ones;
  (ones.*set)(from_raw<T>(~std::uint64_t{0}));
  unsigned set_bits = 0;
  for (const std::uint8_t byte : ones.bytes())
    set_bits += static_cast<unsigned>(std::popcount(byte));
  EXPECT_EQ(set_bits, bits);
  for (unsigned round = 0; round < 20; ++round) {
    Record before;
    random.fill(before.bytes());
    Record after = before;
    const T value = from_raw<T>(random.number(bits));
    (after.*set)(value);
    EXPECT_EQ((after.*get)(), value);
    for (std::size_t i = 0; i < Record::kBytes; ++i)
      EXPECT_EQ((before.bytes()[i] ^ after.bytes()[i]) & ~ones.bytes()[i] & 0xFF, 0);
  }
}

TEST(Records, SettersChangeOnlyTheirField) {
  using S = ServiceRecord;
  check_setter(&S::service_id, &S::set_service_id, 64);
  check_setter(&S::p_key, &S::set_p_key, 16);
  check_setter(&S::lease, &S::set_lease, 32);
  using I = InformInfo;
  check_setter(&I::lid_range_begin, &I::set_lid_range_begin, 16);
  check_setter(&I::lid_range_end, &I::set_lid_range_end, 16);
  check_setter(&I::is_generic, &I::set_is_generic, 8);
  check_setter(&I::subscribe, &I::set_subscribe, 8);
  check_setter(&I::type, &I::set_type, 16);
  check_setter(&I::trap_number, &I::set_trap_number, 16);
  check_setter(&I::qpn, &I::set_qpn, 24);
  check_setter(&I::resp_time_value, &I::set_resp_time_value, 5);
  check_setter(&I::producer_type, &I::set_producer_type, 24);
  using M = McMemberRecord;
  check_setter(&M::mtu_selector, &M::set_mtu_selector, 2);
  check_setter(&M::rate_selector, &M::set_rate_selector, 2);
  check_setter(&M::packet_life_selector, &M::set_packet_life_selector, 2);
  check_setter(&M::packet_life, &M::set_packet_life, 6);
  check_setter(&M::hop_limit, &M::set_hop_limit, 8);
  check_setter(&M::scope, &M::set_scope, 4);
  using G = GuidInfoRecord;
  check_setter(&G::lid, &G::set_lid, 16);
  check_setter(&G::block, &G::set_block, 8);
}

}  // namespace records_test
}  // namespace mad
