// What holds for the table of fields of every attribute, and for what is driven by it.
#include <gtest/gtest.h>

#include <vector>

#include "attr_random.h"
#include "mad/attributes/all.h"
#include "mad/smp.h"

namespace mad {
namespace {

using test::kRounds;
using test::Random;

/// Empty if the fields lie within `bits` and no two of them share a bit.
std::string table_problem(std::span<const Field> fields, unsigned bits) {
  std::vector<const Field*> owner(bits, nullptr);
  for (const Field& field : fields) {
    if (field.name.empty() || field.width < 1 || field.width > 64 || field.end_bit() > bits)
      return fmt::format("bad row '{}' {}/{}", field.name, field.bit, field.width);
    for (unsigned bit = field.bit; bit < field.end_bit(); ++bit) {
      if (owner[bit] != nullptr)
        return fmt::format("'{}' and '{}' share bit {}", owner[bit]->name, field.name, bit);
      owner[bit] = &field;
    }
  }
  return "";
}

template <class A>
class EveryAttribute : public testing::Test {};
template <class Tuple>
struct TypesOf;
template <class... A>
struct TypesOf<std::tuple<A...>> {
  using type = testing::Types<A...>;
};
TYPED_TEST_SUITE(EveryAttribute, TypesOf<AllAttributes>::type);

TYPED_TEST(EveryAttribute, IsATypedValueOf64Bytes) {
  static_assert(AttributeType<TypeParam>);
  static_assert(std::is_nothrow_copy_constructible_v<TypeParam>);
  const TypeParam attribute;
  for (std::uint8_t byte : attribute.bytes()) EXPECT_EQ(byte, 0);
  EXPECT_NE(name(TypeParam::kId), "");
}

TYPED_TEST(EveryAttribute, HasFieldsThatDoNotOverlap) {
  EXPECT_EQ(table_problem(TypeParam::kFields, 512), "");
}

TYPED_TEST(EveryAttribute, WritingOneFieldDisturbsNoOther) {
  Random random(3);
  for (unsigned round = 0; round < kRounds; ++round)
    for (std::size_t i = 0; i < TypeParam::kFields.size(); ++i) {
      const Field& field = TypeParam::kFields[i];
      const TypeParam before(random.attribute());
      TypeParam after = before;
      const std::uint64_t value = random.number(field.width);
      write(after.bytes(), field, value);
      ASSERT_EQ(read(after.bytes(), field), value) << field.name;
      for (const FieldChange& change : diff(before, after))
        ASSERT_EQ(change.name, field_label(TypeParam::kFields, i));
      write(after.bytes(), field, read(before.bytes(), field));
      ASSERT_EQ(after, before) << field.name;  // nor a reserved bit
      if (i >= 8 && field.name == TypeParam::kFields[i - 8].name)
        ++i;  // long rows of equal fields: every other one will do
    }
}

TYPED_TEST(EveryAttribute, DumpsOneLineAField) {
  Random random(4);
  const TypeParam attribute(random.attribute());
  const std::string text = dump(attribute);
  const auto lines = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  EXPECT_EQ(lines, (requires { attribute.text(); } ? 1u : TypeParam::kFields.size())) << text;
}

TEST(HeaderTables, DoNotOverlap) {
  EXPECT_EQ(table_problem(MadHeaderFields::kFields, 2048), "");
  EXPECT_EQ(table_problem(SmpFields::kFields, 2048), "");
}

TEST(Dump, PrintsNarrowFieldsInDecimalAndWideOnesInHexadecimal) {
  SmInfo info;
  info.set_guid({0xABC});
  info.set_act_count(16);
  info.set_priority(14);
  info.set_sm_state(SmState::master);
  EXPECT_EQ(dump(info),
            "GUID: 0x0000000000000abc\n"
            "SM_Key: 0x0000000000000000\n"
            "ActCount: 0x00000010\n"
            "Priority: 14\n"
            "SMState: 3\n");
}

TEST(Dump, NumbersTheRowsOfATable) {
  GuidInfo info;
  info.set_guid(1, {5});
  EXPECT_NE(dump(info).find("GUID[1]: 0x0000000000000005\n"), std::string::npos) << dump(info);
}

TEST(Dump, ByIdShowsTheDetailsOfTheTrap) {
  LinkStateNotice notice;
  notice.set_is_generic(true);
  notice.set_trap_number(TrapNumber::link_state_change);
  notice.set_lid({7});
  EXPECT_EQ(dump(AttributeId::notice, notice.bytes()), dump(notice));
  notice.set_is_generic(false);
  EXPECT_EQ(dump(AttributeId::notice, notice.bytes()), dump(Notice::of(notice)));
}

TEST(Dump, ByIdKnowsEveryIdWithAClassAndNoOther) {
  const std::array<std::uint8_t, 64> zero{};
  for_each_attribute_type([&]<class A>() { EXPECT_NE(dump(A::kId, zero), "") << name(A::kId); });
  EXPECT_EQ(dump(AttributeId{0x1234}, zero), "");
}

TEST(Diff, NamesTheFieldsThatDiffer) {
  PortInfo before, after;
  before.set_lid({3});
  after.set_lid({4});
  after.set_client_reregister(true);
  EXPECT_EQ(diff(before, after),
            (std::vector<FieldChange>{{"LID", 3, 4}, {"ClientReregister", 0, 1}}));
  EXPECT_TRUE(diff(after, after).empty());
}

TEST(Diff, SeesRowsOfATableOneByOne) {
  PKeyTable before, after;
  after.set_p_key(3, kDefaultPKeyFull);
  EXPECT_EQ(diff(before, after), (std::vector<FieldChange>{{"P_Key[3]", 0, 0xFFFF}}));
}

TEST(Names, AreTheSpecifications) {
  EXPECT_EQ(name(AttributeId::port_info), "PortInfo");
  EXPECT_EQ(name(AttributeId{0x7777}), "");
  EXPECT_EQ(name(Method::trap_repress), "TrapRepress");
  EXPECT_EQ(name(Method{0x44}), "");
  EXPECT_EQ(name(NodeType::switch_), "Switch");
  EXPECT_EQ(name(PortState::armed), "Armed");
  EXPECT_EQ(name(PortState{9}), "");
  EXPECT_EQ(name(PortPhysicalState::link_up), "LinkUp");
  EXPECT_EQ(name(SmState::standby), "Standby");
  EXPECT_EQ(name(SmControl::handover), "HANDOVER");
}

}  // namespace
}  // namespace mad
