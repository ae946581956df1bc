#include "sm/manager/master_links.h"

#include <gtest/gtest.h>

#include "mad/attributes/node_info.h"
#include "mad/records/fabric_records.h"

namespace master_links_test {

using mad::Guid;
using mad::Lid;
using mad::PortNum;

template <class Record>
mad::SaTable make_table(const std::vector<Record>& records) {
  constexpr std::size_t kPitch = (Record::kBytes + 7) / 8 * 8;
  mad::MadBytes header{};
  mad::SaView(std::span<std::uint8_t, mad::kMadBytes>(header)).set_attribute_offset(kPitch / 8);
  std::vector<std::uint8_t> message(header.begin(),
                                    header.begin() + mad::rmpp_header_bytes(mad::MgmtClass::sa));
  for (const Record& record : records) {
    const std::size_t end = message.size();
    message.resize(end + kPitch);
    std::ranges::copy(record.bytes(), message.begin() + static_cast<std::ptrdiff_t>(end));
  }
  return mad::SaTable(std::move(message));
}

mad::NodeRecord node(std::uint16_t lid, std::uint64_t port) {
  mad::NodeRecord record;
  record.set<"LID">(Lid{lid});
  record.set<"PortGUID">(Guid{port});
  return record;
}
mad::LinkRecord link(std::uint16_t from, std::uint8_t from_port, std::uint16_t to,
                     std::uint8_t to_port) {
  mad::LinkRecord record;
  record.set<"FromLID">(Lid{from});
  record.set<"FromPort">(PortNum{from_port});
  record.set<"ToLID">(Lid{to});
  record.set<"ToPort">(PortNum{to_port});
  return record;
}

TEST(MasterLinks, RecordsOfNodesAndLinksNameThePortsAtBothEnds) {
  const mad::SaTable nodes =
      make_table<mad::NodeRecord>({node(1, 0x100), node(2, 0x200), node(3, 0x300), node(4, 0)});
  const mad::SaTable links = make_table<mad::LinkRecord>({
      link(2, 1, 1, 7), link(1, 7, 2, 1), link(1, 8, 9, 1),  // no node has this LID
      link(1, 9, 4, 1),                                      // a node without a GUID
  });
  EXPECT_EQ(sm::read_links(nodes, links),
            (std::vector<sm::NeighborLink>{
                {.guid = {0x100}, .port = {7}, .peer = {0x200}, .peer_port = {1}},
                {.guid = {0x200}, .port = {1}, .peer = {0x100}, .peer_port = {7}}}));
  EXPECT_TRUE(sm::read_links(links, nodes).empty()) << "tables of other records";
}

TEST(MasterLinks, TheOwnPortNamesSubnetAdministrationOfItsMaster) {
  mad::PortInfo own;
  own.set_port_state(mad::PortState::active);
  own.set_lid(Lid{5});
  own.set_master_sm_lid(Lid{6});
  own.set_master_sm_sl(mad::Sl{3});
  mad::PKeyTable keys;
  keys.set_p_key(0, mad::PKey{0x8001});
  keys.set_p_key(2, mad::kDefaultPKeyLimited);
  const auto address = sm::sa_of_master(own, keys);
  ASSERT_TRUE(address);
  EXPECT_EQ(address->lid, Lid{6});
  EXPECT_EQ(address->qpn, 1u);
  EXPECT_EQ(address->sl, mad::Sl{3});
  EXPECT_EQ(address->pkey_index, 2u);

  EXPECT_FALSE(sm::sa_of_master(own, {})) << "no member of the default partition";
  mad::PortInfo other = own;
  other.set_master_sm_lid(Lid{5});
  EXPECT_FALSE(sm::sa_of_master(other, keys)) << "it names itself";
  other.set_master_sm_lid(Lid{0});
  EXPECT_FALSE(sm::sa_of_master(other, keys));
  other.set_master_sm_lid(Lid{0xC000});
  EXPECT_FALSE(sm::sa_of_master(other, keys)) << "a multicast LID";
  other = own;
  other.set_port_state(mad::PortState::armed);
  EXPECT_FALSE(sm::sa_of_master(other, keys)) << "it cannot send";
}

}  // namespace master_links_test
