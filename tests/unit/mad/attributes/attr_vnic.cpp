// Attributes of Ethernet management, against the order and widths of the members of the structures
// that Linux declares in drivers/infiniband/ulp/opa_vnic/opa_vnic_encap.h and
// include/rdma/ib_mad.h.

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "mad/attributes/vnic.h"

namespace attr_vnic {

struct Member {
  std::string name;  // as kFields has it; empty: reserved, or not used
  unsigned bytes;
};

/// Places members one after the other, as a packed structure of big-endian numbers has them.
std::multimap<std::string, unsigned> place(const std::vector<Member>& members, std::size_t total) {
  std::multimap<std::string, unsigned> at;
  unsigned offset = 0;
  for (const Member& member : members) {
    if (!member.name.empty()) at.emplace(member.name, offset * 8);
    offset += member.bytes;
  }
  EXPECT_EQ(offset, total);
  return at;
}

template <class A>
void expect_layout(const std::vector<Member>& members) {
  const auto at = place(members, A::kBytes);
  std::size_t found = 0;
  for (const mad::Field& field : A::kFields) {
    const auto [first, last] = at.equal_range(std::string(field.name));
    found += std::any_of(first, last, [&](const auto& one) { return one.second == field.bit; });
    EXPECT_NE(first, last) << field.name;
  }
  EXPECT_EQ(found, at.size());
  EXPECT_EQ(found, A::kFields.size());
}

std::vector<Member> repeated(const std::string& name, unsigned bytes, unsigned count) {
  return std::vector<Member>(count, Member{name, bytes});
}
std::vector<Member> operator+(std::vector<Member> a, const std::vector<Member>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

TEST(VnicAttributes, VeswPortInfoHasTheMembersOfTheKernelsStructure) {
  using List = std::vector<Member>;
  expect_layout<mad::VeswPortInfo>(
      List{{"FabricID", 2},
           {"VESWID", 2},
           {"", 6},
           {"DefaultPortMask", 2},
           {"", 2},
           {"P_Key", 2},
           {"", 4},
           {"UnknownMulticastDLID", 4}} +
      repeated("UnknownUnicastDLID", 4, 16) +
      List{{"RoutingControl", 4},
           {"", 56},
           {"EthernetMTU", 2},
           {"", 2},
           {"PortNum", 4},
           {"EthernetLinkStatus", 1},
           {"", 3},
           {"BaseMAC", 6},
           {"ConfigState", 1},
           {"OperState", 1},
           {"MACTableEntriesMax", 2},
           {"SourceMACsMax", 2},
           {"MACTableDigest", 4},
           {"", 4},
           {"EncapSLID", 4}} +
      repeated("PCPtoSC.unicast", 1, 8) + repeated("PCPtoVL.unicast", 1, 8) +
      repeated("PCPtoSC.multicast", 1, 8) + repeated("PCPtoVL.multicast", 1, 8) +
      List{{"UntaggedSC.unicast", 1},
           {"UntaggedVL.unicast", 1},
           {"UntaggedSC.multicast", 1},
           {"UntaggedVL.multicast", 1},
           {"", 48},
           {"UnicastMACsGeneration", 2},
           {"MulticastMACsGeneration", 2},
           {"", 8}});
}

TEST(VnicAttributes, CountersHaveTheMembersOfTheKernelsStructures) {
  const auto grouped = [](const std::string& way) {
    std::vector<Member> list;
    for (const char* const name : {"Unicast", "Multicast", "Untagged", "Vlan", "64", "65To127",
                                   "128To255", "256To511", "512To1023", "1024To1518", "1519ToMax"})
      list.push_back({way + name, 8});
    return list;
  };
  using List = std::vector<Member>;
  expect_layout<mad::VnicSummaryCounters>(List{{"VNIC", 2},
                                               {"VESWID", 2},
                                               {"PortNum", 4},
                                               {"TxErrors", 8},
                                               {"RxErrors", 8},
                                               {"TxPackets", 8},
                                               {"RxPackets", 8},
                                               {"TxBytes", 8},
                                               {"RxBytes", 8}} +
                                          grouped("Tx") + grouped("Rx") + repeated("", 8, 16));
  expect_layout<mad::VnicErrorCounters>(List{{"VNIC", 2},
                                             {"VESWID", 2},
                                             {"PortNum", 4},
                                             {"TxErrors", 8},
                                             {"RxErrors", 8},
                                             {"", 8},
                                             {"TxSourceMAC", 8},
                                             {"", 24},
                                             {"TxDLIDZero", 8},
                                             {"", 8},
                                             {"TxLogic", 8},
                                             {"", 8},
                                             {"TxDropState", 8},
                                             {"RxBadVESWID", 8},
                                             {"", 8},
                                             {"RxRunt", 8},
                                             {"RxOversize", 8},
                                             {"", 8},
                                             {"RxLinkDown", 8},
                                             {"RxDropState", 8},
                                             {"RxLogic", 8},
                                             {"", 8}} +
                                        repeated("", 8, 16));
}

TEST(VnicAttributes, ClassPortInfoHasLidsOf32BitsAndTheTrapSlAtTheEnd) {
  mad::EthernetClassPortInfo info;
  info.set_trap_lid(0x00010203);
  info.set_trap_sl(mad::Sl{5});
  info.set<"CapabilityMask">(std::uint8_t{1});
  EXPECT_EQ(info.bytes()[3], 1);
  EXPECT_TRUE(info.sends_traps());
  const auto lid = info.bytes().subspan<60, 4>();  // after trap_gid at 40 and trap_tc_fl at 56
  EXPECT_TRUE(std::ranges::equal(lid, std::array<std::uint8_t, 4>{0, 1, 2, 3}));
  EXPECT_EQ(info.bytes()[76], 5 << 3) << "GET_TRAP_SL_FROM_CLASS_PORT_INFO";
}

TEST(VnicAttributes, EntriesOfMacTablesHaveTheDlidAboveTheSideData) {
  mad::MacTableEntry entry;
  entry.set<"MAC">(mad::Mac{0x020001050000});
  entry.set<"Mask">(mad::MacTableEntry::kFullMask);
  entry.set<"DLID">(std::uint32_t{0xABCDE});
  const std::array<std::uint8_t, 16> expected{0x02, 0x00, 0x01, 0x05, 0x00, 0x00, 0xFF, 0xFF,
                                              0xFF, 0xFF, 0xFF, 0xFF, 0x0A, 0xBC, 0xDE, 0x00};
  EXPECT_TRUE(std::ranges::equal(entry.bytes(), expected));
  entry.set<"IsSourceMAC">(true);
  EXPECT_EQ(entry.bytes()[15], 0x20) << "OPA_VNIC_DLID_SD_IS_SRC_MAC";
  EXPECT_EQ(mad::kMacTableEntriesPerMad, 125u);
  EXPECT_EQ(mad::kMacsPerMad, 333u);
}

TEST(VnicAttributes, HeadersNameClassVersionsAndOui) {
  std::vector<std::uint8_t> mad(mad::kOpaMadBytes);
  mad::write_ethernet_header(mad, mad::Method::set, mad::EthernetAttribute::vesw_port_info, 7);
  const std::array<std::uint8_t, 4> first{0x80, 0x34, 0x80, 0x02};
  EXPECT_TRUE(std::ranges::equal(std::span(mad).first<4>(), first));
  EXPECT_EQ(mad[17], 0x11) << "AttributeID";
  EXPECT_EQ(mad[23], 7) << "AttributeModifier";
  const std::array<std::uint8_t, 4> oui{0x00, 0x00, 0x06, 0x6A};
  EXPECT_TRUE(std::ranges::equal(std::span(mad).subspan<36, 4>(), oui));
  EXPECT_TRUE(mad::is_ethernet_management(mad));
  mad[38] = 0;
  EXPECT_FALSE(mad::is_ethernet_management(mad)) << "another vendor's class";
}

TEST(VnicAttributes, TrapsHaveTheirDetailsAfterTheIssuersGid) {
  mad::EthernetNotice notice;
  notice.bytes()[0] = 4 << 1;  // as the driver writes it: OPA_INTEL_EMA_NOTICE_TYPE_INFO << 1
  notice.bytes()[42] = 9;
  notice.bytes()[43] = 3;
  EXPECT_EQ(notice.vnic(), 9);
  EXPECT_EQ(notice.trap(), mad::VnicTrap::link);
}

}  // namespace attr_vnic
