// Notices: the details of each trap and their offsets (IBTA Vol 1, 13.4.8.2 and 14.2.5.1).
#include <gtest/gtest.h>

#include "mad/attributes/notice.h"
#include "unit/mad/attributes/attr_random.h"

namespace mad {
namespace {

using test::Random;

Notice make_notice(std::uint16_t trap) {
  Notice notice;
  notice.set_is_generic(true);
  notice.set_trap_number(TrapNumber{trap});
  return notice;
}

/// The number in bytes [first, first + count).
std::uint64_t number(const auto& notice, unsigned first, unsigned count) {
  std::uint64_t value = 0;
  for (unsigned i = first; i < first + count; ++i) value = value << 8 | notice.bytes()[i];
  return value;
}

template <class T>
void expect_only(std::initializer_list<std::uint16_t> traps) {
  for (unsigned trap = 0; trap < 0x10000; ++trap) {
    const Notice notice = make_notice(static_cast<std::uint16_t>(trap));
    const bool listed = std::find(traps.begin(), traps.end(), trap) != traps.end();
    ASSERT_EQ(notice.as<T>().has_value(), listed) << trap;
  }
}

TEST(Notice, ConvertsToTheViewOfItsTrapAndNoOther) {
  expect_only<GidNotice>({64, 65, 66, 67});
  expect_only<LinkStateNotice>({128});
  expect_only<LinkErrorNotice>({129, 130, 131});
  expect_only<LocalChangeNotice>({144});
  expect_only<SystemImageGuidNotice>({145});
  expect_only<BadMKeyNotice>({256});
  expect_only<BadKeyNotice>({257, 258});
  expect_only<SwitchBadPKeyNotice>({259});
}

TEST(Notice, OfAVendorIsNoTrapOfTheSpecification) {
  Notice notice = make_notice(128);
  notice.set_is_generic(false);
  EXPECT_FALSE(notice.as<LinkStateNotice>());
}

TEST(Notice, KeepsAllBytesInConversions) {
  Random random(8);
  Notice notice(random.attribute());
  notice.set_is_generic(true);
  notice.set_trap_number(TrapNumber::bad_q_key);
  EXPECT_EQ(Notice::of(*notice.as<BadKeyNotice>()), notice);
}

TEST(Notice, LidsAreAtTheOffsetsOfEachTrap) {
  Random random(9);
  const auto bytes = random.attribute();
  EXPECT_EQ(LinkStateNotice(bytes).lid().value, number(Notice(bytes), 10, 2));
  EXPECT_EQ(LinkErrorNotice(bytes).lid().value, number(Notice(bytes), 12, 2));
  EXPECT_EQ(LinkErrorNotice(bytes).port().value, number(Notice(bytes), 14, 1));
  EXPECT_EQ(LocalChangeNotice(bytes).lid().value, number(Notice(bytes), 12, 2));
  EXPECT_EQ(SystemImageGuidNotice(bytes).lid().value, number(Notice(bytes), 12, 2));
  EXPECT_EQ(SystemImageGuidNotice(bytes).system_image_guid().value, number(Notice(bytes), 16, 8));
  EXPECT_EQ(BadMKeyNotice(bytes).lid().value, number(Notice(bytes), 12, 2));
}

TEST(Notice, GidOfTraps64To67) {
  GidNotice notice;
  notice.set_gid({0xFE80000000000000, {0x1122334455667788}});
  EXPECT_EQ(number(notice, 16, 8), 0xFE80000000000000u);
  EXPECT_EQ(number(notice, 24, 8), 0x1122334455667788u);
  EXPECT_EQ(notice.gid(), (Gid{0xFE80000000000000, {0x1122334455667788}}));
}

TEST(Notice, DetailsOfTrap144) {
  LocalChangeNotice notice;
  notice.set_other_local_changes(true);
  EXPECT_EQ(notice.bytes()[15], 0x01);
  notice.set_capability_mask(0x01020304);
  notice.set_change_flags(LocalChangeNotice::kNodeDescription |
                          LocalChangeNotice::kLinkSpeedExtEnabled);
  notice.set_capability_mask2(0x0506);
  EXPECT_EQ(number(notice, 16, 8), 0x0102030400210506u);
  EXPECT_TRUE(notice.other_local_changes());
  EXPECT_EQ(notice.capability_mask2(), 0x0506);
}

TEST(Notice, DetailsOfTrap256) {
  BadMKeyNotice notice;
  notice.set_dr_slid({0x0102});
  EXPECT_EQ(number(notice, 14, 2), 0x0102u);
  notice.set_method(Method::set);
  EXPECT_EQ(notice.bytes()[16], 0x02);
  notice.set_attribute_id(AttributeId::port_info);
  EXPECT_EQ(number(notice, 18, 2), 0x15u);
  notice.set_attribute_modifier(0x80000007);
  EXPECT_EQ(number(notice, 20, 4), 0x80000007u);
  notice.set_m_key({0x1122334455667788});
  EXPECT_EQ(number(notice, 24, 8), 0x1122334455667788u);
  notice.set_dr_notice(true);
  EXPECT_EQ(notice.bytes()[33], 0x80);
  notice.set_dr_path_truncated(true);
  notice.set_dr_hop_count(0x3F);
  EXPECT_EQ(notice.bytes()[33], 0xFF);
  EXPECT_EQ(notice.dr_hop_count(), 63) << "more than the 30 bytes of the path: readers must check";
  EXPECT_EQ(notice.return_path().data(), notice.bytes().data() + 34);
  EXPECT_EQ(notice.return_path().size(), 30u);
}

TEST(Notice, DetailsOfTraps257And258) {
  BadKeyNotice notice;
  notice.set_lid1({0x0102});
  notice.set_lid2({0x0304});
  notice.set_key(0x80010000);
  notice.set_sl({9});
  notice.set_qp1(0x123456);
  notice.set_qp2(0x789ABC);
  notice.set_gid1({1, {2}});
  notice.set_gid2({3, {4}});
  EXPECT_EQ(number(notice, 12, 4), 0x01020304u);
  EXPECT_EQ(number(notice, 16, 4), 0x80010000u);
  EXPECT_EQ(notice.bytes()[20], 0x90);
  EXPECT_EQ(number(notice, 21, 3), 0x123456u);
  EXPECT_EQ(notice.bytes()[24], 0);
  EXPECT_EQ(number(notice, 25, 3), 0x789ABCu);
  EXPECT_EQ(number(notice, 28, 8), 1u);
  EXPECT_EQ(number(notice, 36, 8), 2u);
  EXPECT_EQ(number(notice, 44, 8), 3u);
  EXPECT_EQ(number(notice, 52, 8), 4u);
  EXPECT_EQ(notice.sl(), Sl{9});
  EXPECT_EQ(notice.gid2(), (Gid{3, {4}}));
}

TEST(Notice, DetailsOfTrap259) {
  SwitchBadPKeyNotice notice;
  notice.set_data_valid(0x0102);
  notice.set_lid1({0x0304});
  notice.set_lid2({0x0506});
  notice.set_p_key({0x8001});
  notice.set_sl({9});
  notice.set_qp1(0x123456);
  notice.set_qp2(0x789ABC);
  notice.set_gid1({1, {2}});
  notice.set_gid2({3, {4}});
  notice.set_switch_lid({0x0708});
  notice.set_port({36});
  EXPECT_EQ(number(notice, 10, 8), 0x0102030405068001u);
  EXPECT_EQ(notice.bytes()[18], 0x90);
  EXPECT_EQ(number(notice, 19, 3), 0x123456u);
  EXPECT_EQ(notice.bytes()[22], 0);
  EXPECT_EQ(number(notice, 23, 3), 0x789ABCu);
  EXPECT_EQ(number(notice, 26, 8), 1u);
  EXPECT_EQ(number(notice, 34, 8), 2u);
  EXPECT_EQ(number(notice, 42, 8), 3u);
  EXPECT_EQ(number(notice, 50, 8), 4u);
  EXPECT_EQ(number(notice, 58, 3), 0x070824u);
}

}  // namespace
}  // namespace mad
