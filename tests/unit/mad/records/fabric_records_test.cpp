// Layouts of records: against libibmad where it has them, else against the sizes of IBTA Vol 1,
// 15.2.5.

#include <gtest/gtest.h>

#include <infiniband/mad.h>

#include "mad/records/fabric_records.h"
#include "mad/records/path_records.h"

namespace mad {
namespace fabric_records_test {

template <class Layout>
void check_fields(std::size_t bytes) {
  EXPECT_EQ(Layout::kBytes, bytes);
  unsigned end = 0;
  for (const Field& field : Layout::kFields) {
    EXPECT_GE(field.bit, end) << field.name << " overlaps the field before it";
    end = field.end_bit();
  }
  EXPECT_LE(end, 8 * bytes);
}

TEST(Records, FieldsFollowEachOtherInsideTheRecord) {
  check_fields<PathRecordFields>(64);
  check_fields<MultiPathRecordFields>(24);
  check_fields<TraceRecordFields>(46);
  check_fields<NodeRecordFields>(108);
  check_fields<PortInfoRecordFields>(68);
  check_fields<SlToVlTableRecordFields>(16);
  check_fields<SwitchInfoRecordFields>(24);
  check_fields<LinearForwardingTableRecordFields>(72);
  check_fields<MulticastForwardingTableRecordFields>(72);
  check_fields<SmInfoRecordFields>(25);
  check_fields<LinkRecordFields>(6);
  check_fields<PKeyTableRecordFields>(72);
  check_fields<VlArbitrationTableRecordFields>(72);
}

TEST(Records, PathRecordAsLibibmadReadsIt) {
  PathRecord path;
  path.set<"DGID.prefix">(0x1111111111111111u);
  path.set<"DGID.guid">(Guid{0x2222222222222222u});
  path.set<"SGID.prefix">(0x3333333333333333u);
  path.set<"SGID.guid">(Guid{0x4444444444444444u});
  path.set<"DLID">(Lid{0x5566});
  path.set<"SLID">(Lid{0x7788});
  path.set<"NumbPath">(0x5Bu);
  path.set<"SL">(Sl{9});
  std::array<std::uint8_t, PathRecord::kBytes> bytes{};
  std::copy(path.bytes().begin(), path.bytes().end(), bytes.begin());
  EXPECT_EQ(mad_get_field(bytes.data(), 0, IB_SA_PR_DLID_F), 0x5566u);
  EXPECT_EQ(mad_get_field(bytes.data(), 0, IB_SA_PR_SLID_F), 0x7788u);
  EXPECT_EQ(mad_get_field(bytes.data(), 0, IB_SA_PR_NPATH_F), 0x5Bu);
  EXPECT_EQ(mad_get_field(bytes.data(), 0, IB_SA_PR_SL_F), 9u);
  std::array<std::uint8_t, 16> gid{};
  mad_get_array(bytes.data(), 0, IB_SA_PR_DGID_F, gid.data());
  EXPECT_EQ(gid, (std::array<std::uint8_t, 16>{0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x22,
                                               0x22, 0x22, 0x22, 0x22, 0x22, 0x22, 0x22}));
  mad_get_array(bytes.data(), 0, IB_SA_PR_SGID_F, gid.data());
  EXPECT_EQ(gid, (std::array<std::uint8_t, 16>{0x33, 0x33, 0x33, 0x33, 0x33, 0x33, 0x33, 0x33, 0x44,
                                               0x44, 0x44, 0x44, 0x44, 0x44, 0x44, 0x44}));
}

TEST(Records, WrappedAttributesAreReadThroughTheRecord) {
  NodeInfo info;
  info.set_vendor_id(0x2c9);
  NodeDescription description;
  description.set_text("last");
  NodeRecord record;
  record.set_attribute<NodeRecordFields::kInfoByte>(info.bytes());
  record.set_attribute<NodeRecordFields::kDescriptionByte>(description.bytes());
  record.set<"LID">(Lid{0x102});
  EXPECT_EQ((record.get<unsigned, "VendorID">()), 0x2c9u);
  EXPECT_EQ(record.bytes()[0], 1);
  EXPECT_EQ(record.bytes()[44], 'l');
}

}  // namespace fabric_records_test
}  // namespace mad
