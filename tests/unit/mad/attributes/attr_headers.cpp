// MAD and SMP headers against libibmad's tables and libibumad's structs; requests, and the answers
// to them.
#include <gtest/gtest.h>
#include <infiniband/mad.h>
#include <infiniband/umad_sm.h>

#include <bit>
#include <cstring>

#include "mad/smp.h"
#include "unit/mad/attributes/attr_random.h"

namespace mad {
namespace {

using test::kRounds;
using test::Random;
using Bytes = std::array<std::uint8_t, kMadBytes>;

Bytes random_mad(Random& random) {
  Bytes out{};
  random.fill(out);
  return out;
}

/// One pair of accessors against one field of libibmad. `View` selects the header; `prepare` may
/// set bytes that it depends on.
template <class View, class T, class Base>
void check(
    MAD_FIELDS oracle, T (Base::*get)() const, void (Base::*set)(T),
    void (*prepare)(Bytes&) = [](Bytes&) {}) {
  Random random(11);
  Bytes zero{};
  prepare(zero);
  Bytes ones = zero;
  View ones_view{std::span(ones)};
  (ones_view.*set)(from_raw<T>(~std::uint64_t{0}));
  unsigned width = 0;
  for (std::size_t i = 0; i < kMadBytes; ++i)
    width += static_cast<unsigned>(std::popcount(static_cast<unsigned>(ones[i] ^ zero[i])));
  for (unsigned round = 0; round < kRounds; ++round) {
    Bytes bytes = random_mad(random);
    prepare(bytes);
    View ours{std::span(bytes)};
    const std::uint64_t value = random.number(width);
    Bytes expected = bytes;
    if (width > 32) {
      ASSERT_EQ(to_raw((ours.*get)()), mad_get_field64(bytes.data(), 0, oracle)) << oracle;
      mad_set_field64(expected.data(), 0, oracle, value);
    } else {
      ASSERT_EQ(to_raw((ours.*get)()), mad_get_field(bytes.data(), 0, oracle)) << oracle;
      mad_set_field(expected.data(), 0, oracle, static_cast<std::uint32_t>(value));
    }
    (ours.*set)(from_raw<T>(value));
    ASSERT_EQ(bytes, expected) << oracle;
  }
}

TEST(LibibmadOracle, MadHeader) {
  using V = MadView;
  check<V>(IB_MAD_BASEVER_F, &V::base_version, &V::set_base_version);
  check<V>(IB_MAD_MGMTCLASS_F, &V::mgmt_class, &V::set_mgmt_class);
  check<V>(IB_MAD_CLASSVER_F, &V::class_version, &V::set_class_version);
  check<V>(IB_MAD_STATUS_F, &V::status, &V::set_status);
  check<V>(IB_MAD_TRID_F, &V::transaction_id, &V::set_transaction_id);
  check<V>(IB_MAD_ATTRID_F, &V::attribute_id, &V::set_attribute_id);
  check<V>(IB_MAD_ATTRMOD_F, &V::attribute_modifier, &V::set_attribute_modifier);
}

TEST(LibibmadOracle, MethodIsRBitAndMethodTogether) {
  Random random(12);
  for (unsigned round = 0; round < kRounds; ++round) {
    Bytes bytes = random_mad(random);
    const ConstMadView view{std::span<const std::uint8_t, kMadBytes>(bytes)};
    const std::uint32_t r = mad_get_field(bytes.data(), 0, IB_MAD_RESPONSE_F),
                        method = mad_get_field(bytes.data(), 0, IB_MAD_METHOD_F);
    ASSERT_EQ(to_raw(view.method()), r << 7 | method);
    ASSERT_EQ(view.is_response(), r == 1 || method == IB_MAD_METHOD_TRAP_REPRESS);
  }
}

TEST(LibibmadOracle, Smp) {
  using V = SmpView;
  check<V>(IB_MAD_MKEY_F, &V::m_key, &V::set_m_key);
  check<V>(IB_DRSMP_HOPPTR_F, &V::hop_pointer, &V::set_hop_pointer);
  check<V>(IB_DRSMP_HOPCNT_F, &V::hop_count, &V::set_hop_count);
  check<V>(IB_DRSMP_DIRECTION_F, &V::is_returning, &V::set_returning);
  check<V>(IB_DRSMP_DRSLID_F, &V::dr_slid, &V::set_dr_slid);
  check<V>(IB_DRSMP_DRDLID_F, &V::dr_dlid, &V::set_dr_dlid);
  check<V>(IB_DRSMP_STATUS_F, &V::status, &V::set_status, [](Bytes& bytes) { bytes[1] = 0x81; });
  check<V>(IB_MAD_STATUS_F, &V::status, &V::set_status, [](Bytes& bytes) { bytes[1] = 0x01; });
}

TEST(LibibmadOracle, SmpPathsAndData) {
  Random random(13);
  Bytes bytes = random_mad(random);
  const ConstSmpView smp{std::span<const std::uint8_t, kMadBytes>(bytes)};
  std::array<std::uint8_t, 64> out{};
  mad_get_array(bytes.data(), 0, IB_DRSMP_PATH_F, out.data());
  EXPECT_TRUE(std::equal(out.begin(), out.end(), smp.initial_path().begin()));
  mad_get_array(bytes.data(), 0, IB_DRSMP_RPATH_F, out.data());
  EXPECT_TRUE(std::equal(out.begin(), out.end(), smp.return_path().begin()));
  mad_get_array(bytes.data(), IB_SMP_DATA_OFFS, IB_NODE_DESC_F, out.data());
  EXPECT_TRUE(std::equal(out.begin(), out.end(), smp.data().begin()));
}

TEST(LibibumadOracle, SmpStruct) {
  static_assert(sizeof(umad_smp) == kMadBytes);
  Bytes bytes{};
  SmpView smp = make_dr_smp(bytes, Method::set, AttributeId::port_info, 0x80000007,
                            *DirectedRoute::of({1, 4}), {0x1122334455667788}, 0x99AABBCCDDEEFF00);
  smp.set_hop_pointer(1);
  smp.data()[63] = 5;
  smp.return_path()[2] = 6;
  umad_smp theirs{};
  std::memcpy(&theirs, bytes.data(), sizeof theirs);
  EXPECT_EQ(theirs.base_version, UMAD_BASE_VERSION);
  EXPECT_EQ(theirs.mgmt_class, UMAD_CLASS_SUBN_DIRECTED_ROUTE);
  EXPECT_EQ(theirs.class_version, 1);
  EXPECT_EQ(theirs.method, UMAD_METHOD_SET);
  EXPECT_EQ(theirs.status, 0);
  EXPECT_EQ(theirs.hop_ptr, 1);
  EXPECT_EQ(theirs.hop_cnt, 2);
  EXPECT_EQ(be64toh(theirs.tid), 0x99AABBCCDDEEFF00u);
  EXPECT_EQ(be16toh(theirs.attr_id), UMAD_SM_ATTR_PORT_INFO);
  EXPECT_EQ(be32toh(theirs.attr_mod), 0x80000007u);
  EXPECT_EQ(be64toh(theirs.mkey), 0x1122334455667788u);
  EXPECT_EQ(theirs.dr_slid, 0xFFFF);
  EXPECT_EQ(theirs.dr_dlid, 0xFFFF);
  EXPECT_EQ(theirs.initial_path[0], 0);
  EXPECT_EQ(theirs.initial_path[1], 1);
  EXPECT_EQ(theirs.initial_path[2], 4);
  EXPECT_EQ(theirs.data[63], 5);
  EXPECT_EQ(theirs.return_path[2], 6);
}

TEST(Request, OverwritesTheWholeBuffer) {
  Random random(14);
  Bytes bytes = random_mad(random), zero{};
  make_dr_smp(bytes, Method::get, AttributeId::node_info, 0, DirectedRoute(), {}, 1);
  make_dr_smp(zero, Method::get, AttributeId::node_info, 0, DirectedRoute(), {}, 1);
  EXPECT_EQ(bytes, zero);
}

TEST(Request, LidRoutedHasNoDirectedRoute) {
  Bytes bytes{};
  const ConstSmpView smp = make_lid_smp(bytes, Method::get, AttributeId::sm_info, 3, {7}, 9);
  EXPECT_FALSE(smp.is_directed());
  EXPECT_EQ(smp.mgmt_class(), MgmtClass::sm_lid);
  EXPECT_EQ(smp.attribute_modifier(), 3u);
  EXPECT_EQ(smp.m_key(), MKey{7});
  EXPECT_EQ(smp.transaction_id(), 9u);
  EXPECT_EQ(smp.dr_slid(), Lid{0});
  EXPECT_EQ(smp.hop_count(), 0);
}

TEST(Request, CarriesAttributeAndRoute) {
  Bytes bytes{};
  const DirectedRoute route = *DirectedRoute::of({9, 8, 7});
  SmpView smp = make_dr_smp(bytes, Method::set, AttributeId::sm_info, 0, route, {}, 1);
  std::array<std::uint8_t, 64> data{};
  data.fill(0xA5);
  smp.set_data(data);
  EXPECT_TRUE(std::equal(data.begin(), data.end(), bytes.begin() + 64));
  EXPECT_EQ(bytes[63], 0);
  EXPECT_EQ(bytes[128], 0);
  EXPECT_EQ(smp.route(), route);
  smp.set_hop_count(64);
  EXPECT_EQ(smp.route(), std::nullopt);
}

TEST(Response, ToADirectedGetStartsTheReturnPath) {
  Bytes bytes{};
  SmpView smp = make_dr_smp(bytes, Method::get, AttributeId::port_info, 7,
                            *DirectedRoute::of({1, 4}), {5}, 77);
  smp.set_hop_pointer(3);
  smp.set_dr_slid({10});
  const Bytes request = bytes;
  ASSERT_TRUE(make_response(smp, status::kInvalidValue));
  EXPECT_EQ(smp.method(), Method::get_resp);
  EXPECT_TRUE(smp.is_response());
  EXPECT_TRUE(smp.is_returning());
  EXPECT_EQ(smp.status(), status::kInvalidValue);
  EXPECT_EQ(smp.MadView::status(), 0x801C);
  EXPECT_EQ(smp.hop_pointer(), 3);
  EXPECT_EQ(smp.hop_count(), 2);
  EXPECT_EQ(smp.dr_slid(), Lid{10});
  EXPECT_EQ(smp.dr_dlid(), kPermissiveLid);
  EXPECT_EQ(smp.attribute_modifier(), 7u);
  EXPECT_EQ(smp.transaction_id(), 77u);
  EXPECT_TRUE(std::equal(bytes.begin() + 8, bytes.end(), request.begin() + 8));
}

TEST(Response, ToALidRoutedSetChangesMethodAndStatusOnly) {
  Bytes bytes{};
  SmpView smp = make_lid_smp(bytes, Method::set, AttributeId::sm_info, 1, {5}, 77);
  Bytes expected = bytes;
  ASSERT_TRUE(make_response(smp, status::kBusy));
  expected[3] = 0x81;
  expected[5] = 0x01;
  EXPECT_EQ(bytes, expected);
}

TEST(Response, ToATrapIsTrapRepressWithTheNotice) {
  Bytes bytes{};
  SmpView smp = make_lid_smp(bytes, Method::trap, AttributeId::notice, 0xFFFF, {5}, 77);
  smp.data()[10] = 9;
  ASSERT_TRUE(make_response(smp));
  EXPECT_EQ(smp.method(), Method::trap_repress);
  EXPECT_EQ(smp.attribute_modifier(), 0u);
  EXPECT_EQ(smp.transaction_id(), 77u);
  EXPECT_EQ(smp.data()[10], 9);
}

TEST(Response, IsRefusedForOtherThanRequests) {
  const auto refused = [](auto spoil) {
    Bytes bytes{};
    SmpView smp =
        make_dr_smp(bytes, Method::get, AttributeId::node_info, 0, DirectedRoute(), {}, 1);
    spoil(smp);
    const Bytes before = bytes;
    return !make_response(smp) && bytes == before;
  };
  EXPECT_FALSE(refused([](SmpView&) {}));
  EXPECT_TRUE(refused([](SmpView& smp) { smp.set_method(Method::get_resp); }));
  EXPECT_TRUE(refused([](SmpView& smp) { smp.set_method(Method::trap_repress); }));
  EXPECT_TRUE(refused([](SmpView& smp) { smp.set_method(Method::send); }));
  EXPECT_TRUE(refused([](SmpView& smp) { smp.set_mgmt_class(MgmtClass::sa); }));
  EXPECT_TRUE(refused([](SmpView& smp) { smp.set_returning(true); }));
  EXPECT_TRUE(refused([](SmpView& smp) { smp.set_hop_count(64); }));
}

}  // namespace
}  // namespace mad
