// Properties of every attribute's table of fields, and of the functions that use it.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "mad/attributes/all.h"
#include "mad/format.h"
#include "mad/smp.h"
#include "unit/mad/attributes/attr_random.h"

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

/// The functions of an attribute's class that the tests below use. Type-erased, so that each test
/// is compiled once instead of fifty times.
struct Described {
  std::string_view name;
  std::span<const Field> fields;
  std::array<std::uint8_t, kAttributeBytes> initial;  // of a default-constructed one
  std::string (*dump)(std::span<const std::uint8_t, kAttributeBytes> bytes);
  bool has_text;  // dumped as one line
};
std::vector<Described> every_attribute() {
  std::vector<Described> out;
  for_each_attribute_type([&]<class A>() {
    static_assert(AttributeType<A>);
    static_assert(std::is_nothrow_copy_constructible_v<A>);
    Described& attribute = out.emplace_back();
    attribute.name = name(A::kId);
    attribute.fields = A::kFields;
    std::ranges::copy(A{}.bytes(), attribute.initial.begin());
    attribute.dump = [](std::span<const std::uint8_t, kAttributeBytes> bytes) {
      return dump(A(bytes));
    };
    attribute.has_text = requires(const A& a) { a.text(); };
  });
  return out;
}

TEST(EveryAttribute, StartsWithZerosAndHasAName) {
  for (const Described& attribute : every_attribute()) {
    EXPECT_NE(attribute.name, "");
    EXPECT_TRUE(std::ranges::all_of(attribute.initial, [](std::uint8_t byte) { return byte == 0; }))
        << attribute.name;
  }
}

TEST(EveryAttribute, HasFieldsThatDoNotOverlap) {
  for (const Described& attribute : every_attribute())
    EXPECT_EQ(table_problem(attribute.fields, 512), "") << attribute.name;
}

TEST(EveryAttribute, WritingOneFieldChangesNoOther) {
  for (const auto& [name, fields, initial, dump, has_text] : every_attribute()) {
    SCOPED_TRACE(name);
    Random random(3);
    for (unsigned round = 0; round < kRounds; ++round)
      for (std::size_t i = 0; i < fields.size(); ++i) {
        const Field& field = fields[i];
        const auto before = random.attribute();
        auto after = before;
        const std::uint64_t value = random.number(field.width);
        write(after, field, value);
        ASSERT_EQ(read(after, field), value) << field.name;
        for (const FieldChange& change : diff(fields, before, after))
          ASSERT_EQ(change.name, field_label(fields, i));
        write(after, field, read(before, field));
        ASSERT_EQ(after, before) << field.name;  // nor a reserved bit
        if (i >= 8 && field.name == fields[i - 8].name)
          ++i;  // many equal fields: every other one is enough
      }
  }
}

TEST(EveryAttribute, DumpsOneLinePerField) {
  for (const auto& [name, fields, initial, dump, has_text] : every_attribute()) {
    Random random(4);
    const std::string text = dump(random.attribute());
    EXPECT_EQ(std::ranges::count(text, '\n'),
              static_cast<std::ptrdiff_t>(has_text ? 1 : fields.size()))
        << name << "\n"
        << text;
  }
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

TEST(Dump, NumbersFieldsOfEqualName) {
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

TEST(Diff, ComparesFieldsOfEqualNameOneByOne) {
  PKeyTable before, after;
  after.set_p_key(3, kDefaultPKeyFull);
  EXPECT_EQ(diff(before, after), (std::vector<FieldChange>{{"P_Key[3]", 0, 0xFFFF}}));
}

TEST(Names, ListEachIdOnceAndEveryIdWithAClass) {
  for_each_attribute_type([]<class A>() { EXPECT_NE(name(A::kId), "") << sizeof(A); });
  for (const AttributeName& row : kAttributeNames) {
    EXPECT_EQ(std::ranges::count(kAttributeNames, row.id, &AttributeName::id), 1) << row.name;
    EXPECT_EQ(std::ranges::count(kAttributeNames, row.name, &AttributeName::name), 1) << row.name;
  }
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
