#include "mad/attribute_rows.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "mad/attributes/adaptive_routing.h"
#include "mad/attributes/all.h"
#include "mad/attributes/sm_info.h"
#include "mad/attributes/vendor.h"

namespace mad {
namespace {

TEST(AttributeRows, AreOneForEachAttributeAndHaveItsFieldsAndName) {
  for (const AttributeRow& row : attribute_rows()) {
    EXPECT_EQ(&attribute_row(row.id), &row) << name(row.id);
    EXPECT_NE(name(row.id), "");
    EXPECT_FALSE(row.fields.empty()) << name(row.id);
    EXPECT_EQ(row.step == ReadStep::none, row.places == 0) << name(row.id);
  }
  EXPECT_TRUE(attribute_row(AttributeId{0x7777}).fields.empty());
}

TEST(AttributeRows, CountBlocksByCapacities) {
  PortFacts port;
  port.node.set_node_type(NodeType::switch_);
  port.node.set_partition_cap(40);
  port.switch_info.set_partition_enforcement_cap(32);
  port.info.set_vl_arbitration_low_cap(40);
  port.inputs = {PortNum{0}, PortNum{3}};
  const auto modifiers = [&](AttributeId id) { return attribute_row(id).modifiers(port); };
  using Modifiers = std::vector<std::uint32_t>;
  EXPECT_EQ(modifiers(AttributeId::p_key_table), (Modifiers{0, 1}));
  port.number = PortNum{3};
  EXPECT_EQ(modifiers(AttributeId::p_key_table), (Modifiers{0x3'0000}));
  EXPECT_EQ(modifiers(AttributeId::sl_to_vl_mapping_table), (Modifiers{0x003, 0x303}));
  EXPECT_EQ(modifiers(AttributeId::vl_arbitration_table), (Modifiers{0x1'0003, 0x2'0003}));
  EXPECT_EQ(modifiers(AttributeId::general_info), (Modifiers{GeneralInfo::kCapabilityMask}));
}

TEST(AttributeRows, OfVendorsAreAnnouncedByTheVendorAlone) {
  NodeInfo node;
  PortInfo info;
  const auto is_made = [&](AttributeId id) {
    return attribute_row(id).announced.is_made(node, info);
  };
  EXPECT_TRUE(is_made(AttributeId::guid_info));
  EXPECT_FALSE(is_made(AttributeId::general_info));
  node.set_vendor_id(kNvidia);
  EXPECT_TRUE(is_made(AttributeId::general_info));
  info.set_capability_mask2(capability2::kPortInfoExtended);
  EXPECT_FALSE(is_made(AttributeId::port_info_extended)) << "CapabilityMask2 is not valid";
  info.set_capability_mask(capability::kCapabilityMask2);
  EXPECT_TRUE(is_made(AttributeId::port_info_extended));
}

TEST(AttributeRows, CompareTheFieldsThatNoDeviceChanges) {
  SwitchInfo before, after;
  after.set_port_state_change(true);
  const AttributeRow& row = attribute_row(AttributeId::switch_info);
  EXPECT_TRUE(same_constant(row, before.bytes(), after.bytes()));
  after.set_linear_fdb_top(7);
  EXPECT_FALSE(same_constant(row, before.bytes(), after.bytes()));
}

TEST(AttributeRows, NameConstantFieldsThatDiffer) {
  SwitchInfo before, after;
  before.set_linear_fdb_top(5);
  after.set_linear_fdb_top(7);
  after.set_port_state_change(true);
  const auto changes =
      constant_changes(attribute_row(AttributeId::switch_info), before.bytes(), after.bytes());
  EXPECT_EQ(difference_text(changes), "LinearFDBTop 7, not 5");
}

TEST(AttributeRows, ArePortsOrEndPorts) {
  EXPECT_TRUE(attribute_row(AttributeId::mlnx_ext_port_info).is_of_port());
  EXPECT_FALSE(attribute_row(AttributeId::mlnx_ext_port_info).is_of_end_port());
  EXPECT_FALSE(attribute_row(AttributeId::guid_info).is_of_port());
  EXPECT_TRUE(attribute_row(AttributeId::guid_info).is_of_end_port());
  EXPECT_FALSE(attribute_row(AttributeId::general_info).is_of_port());
}

TEST(AttributeLists, HaveDifferentNamesAndAttributesWithThem) {
  std::map<std::string_view, std::size_t> attributes, names;
  for (const AttributeRow& row : attribute_rows())
    for (const std::string_view list : row.lists)
      if (!list.empty()) ++attributes[list];
  for (const AttributeList& list : attribute_lists()) {
    EXPECT_GT(attributes[list.name], 0u) << list.name;
    EXPECT_NE(list.title, "") << list.name;
    for (const std::string_view name :
         std::set<std::string_view>{list.name, list.smpquery_name, list.short_name})
      EXPECT_EQ(++names[name], 1u) << name;
  }
  EXPECT_EQ(attributes.size(), attribute_lists().size()) << "a row names an unknown list";
}

TEST(AttributeRows, ClearKeysAndNothingElse) {
  PortInfo info;
  info.set_lid(Lid{7});
  EXPECT_FALSE(clear_keys(AttributeId::port_info, info.bytes()));
  info.set_m_key(MKey{5});
  EXPECT_TRUE(clear_keys(AttributeId::port_info, info.bytes()));
  EXPECT_EQ(info.m_key(), MKey{});
  EXPECT_EQ(info.lid(), Lid{7});
  ArGroupTable groups;
  groups.set_port(1, PortNum{3});
  EXPECT_FALSE(clear_keys(AttributeId::ar_group_table, groups.bytes()));
}

}  // namespace
}  // namespace mad
