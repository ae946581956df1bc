// Every record type of the snapshot: the contents of its records, and random combinations of
// components against a matcher that compares bit by bit.

#include <algorithm>
#include <map>

#include <gmock/gmock.h>

#include "fabric/topology/random_source.h"
#include "mad/attributes/class_port_info.h"
#include "mad/records/fabric_records.h"
#include "sm/sa/query/answer.h"
#include "sm/sa/records/record_types.h"
#include "support/fabrics.h"
#include "support/seeds.h"
#include "support/subnets.h"
#include "support/vports.h"
#include "unit/sm/sa/slices.h"

namespace sa {
namespace records_test {

using Bytes = std::vector<std::uint8_t>;
using mad::SaAttributeId;

/// Mask bit, offset and width of each component, as in the tables of IBTA Vol 1, 15.2.5. An
/// independent copy, so that the product's tables are not compared with themselves.
struct Row {
  unsigned mask_bit, bit, width;
};
const std::map<SaAttributeId, std::vector<Row>>& components() {
  static const std::map<SaAttributeId, std::vector<Row>> rows = [] {
    std::map<SaAttributeId, std::vector<Row>> out;
    out[SaAttributeId::node_record] = {{0, 0, 16},    {2, 32, 8},    {3, 40, 8},    {4, 48, 8},
                                       {5, 56, 8},    {6, 64, 64},   {7, 128, 64},  {8, 192, 64},
                                       {9, 256, 16},  {10, 272, 16}, {11, 288, 32}, {12, 320, 8},
                                       {13, 328, 24}, {14, 352, 512}};
    // Offsets of PortInfo.
    const std::vector<Row> port_info{
        {3, 0, 64},    {4, 64, 64},   {5, 128, 16},  {6, 144, 16},  {7, 160, 32},  {8, 192, 16},
        {9, 208, 16},  {10, 224, 8},  {11, 232, 8},  {12, 240, 8},  {13, 248, 8},  {14, 256, 4},
        {15, 260, 4},  {16, 264, 4},  {17, 268, 4},  {18, 272, 2},  {20, 277, 3},  {21, 280, 4},
        {22, 284, 4},  {23, 288, 4},  {24, 292, 4},  {25, 296, 4},  {26, 300, 4},  {27, 304, 8},
        {28, 312, 8},  {29, 320, 8},  {30, 328, 4},  {31, 332, 4},  {32, 336, 3},  {33, 339, 5},
        {34, 344, 4},  {35, 348, 1},  {36, 349, 1},  {37, 350, 1},  {38, 351, 1},  {39, 352, 16},
        {40, 368, 16}, {41, 384, 16}, {42, 400, 8},  {43, 408, 1},  {45, 411, 5},  {47, 419, 5},
        {48, 424, 4},  {49, 428, 4},  {50, 432, 16}, {52, 456, 24}, {53, 480, 16}, {54, 496, 4},
        {55, 500, 4},  {57, 507, 5}};
    auto& port_record = out[SaAttributeId::port_info_record] = {{0, 0, 16}, {1, 16, 8}};
    for (const Row& row : port_info) port_record.push_back({row.mask_bit, row.bit + 32, row.width});
    out[SaAttributeId::sl_to_vl_table_record] = {{0, 0, 16}, {1, 16, 8}, {2, 24, 8}};
    out[SaAttributeId::switch_info_record] = {{0, 0, 16}};
    out[SaAttributeId::linear_forwarding_table_record] = {{0, 0, 16}, {1, 16, 16}};
    out[SaAttributeId::random_forwarding_table_record] = {{0, 0, 16}, {1, 16, 16}};
    out[SaAttributeId::multicast_forwarding_table_record] = {{0, 0, 16}, {1, 16, 4}, {3, 23, 9}};
    out[SaAttributeId::sm_info_record] = {{0, 0, 16},   {2, 32, 64}, {3, 96, 64},
                                          {4, 160, 32}, {5, 192, 4}, {6, 196, 4}};
    out[SaAttributeId::link_record] = {{0, 0, 16}, {1, 16, 8}, {2, 24, 8}, {3, 32, 16}};
    auto& guids = out[SaAttributeId::guid_info_record] = {{0, 0, 16}, {1, 16, 8}};
    for (unsigned i = 0; i < 8; ++i) guids.push_back({4 + i, 64 + 64 * i, 64});
    out[SaAttributeId::p_key_table_record] = {{0, 0, 16}, {1, 16, 16}, {2, 32, 8}};
    out[SaAttributeId::vl_arbitration_table_record] = {{0, 0, 16}, {1, 16, 8}, {2, 24, 8}};
    out[SaAttributeId::class_port_info] = {};
    return out;
  }();
  return rows;
}

/// The mask bits that are ignored for this record: the port number of a CA or router port.
std::uint64_t ignored_mask_bits(const subnets::Site& site, mad::SaAttributeId attribute,
                                const Bytes& record) {
  const fabric::PortIndex port =
      site.subnet->lids.owner({static_cast<std::uint16_t>(record[0] << 8 | record[1])});
  if (port != fabric::kNoIndex && site.subnet->fabric.owning_node(port).is_switch()) return 0;
  if (attribute == mad::SaAttributeId::p_key_table_record) return 1u << 2;
  return attribute == mad::SaAttributeId::vl_arbitration_table_record ? 1u << 1 : 0u;
}

bool bit_of(const Bytes& bytes, unsigned bit) { return (bytes[bit / 8] >> (7 - bit % 8) & 1) != 0; }
bool matches(const std::vector<Row>& rows, std::uint64_t mask, const Bytes& requested,
             const Bytes& record) {
  for (const Row& row : rows) {
    if ((mask >> row.mask_bit & 1) == 0) continue;
    for (unsigned bit = row.bit; bit < row.bit + row.width; ++bit)
      if (bit_of(requested, bit) != bit_of(record, bit)) return false;
  }
  return true;
}

struct Response {
  std::uint16_t status;
  std::vector<Bytes> records;
};
Response send_query(subnets::Site& site, const RecordType& type, std::uint64_t mask = 0,
                    const Bytes& record = Bytes(kRecordBytesMax), bool trusted = true,
                    mad::Method method = mad::Method::get_table, std::uint32_t modifier = 0) {
  const Query query{
      .method = method,
      .attribute = type.attribute,
      .modifier = modifier,
      .component_mask = mask,
      .record = record,
      .from = {.port = site.subnet->fabric.sm_port, .lid = {}, .qpn = 1, .trusted = trusted}};
  ResponseBuffer out;
  Response response{answer(site.view(), query, type, out), {}};
  expect_same_in_slices(site.view(), query, type, out, kResponseBytesMax, response.status);
  for (std::size_t i = 0; i < out.records(); ++i)
    response.records.emplace_back(out.record(i).begin(), out.record(i).end());
  return response;
}

subnets::Site random_site(std::uint64_t seed) {
  fabric::Fabric fabric = fabrics::random_fabric(seed);
  subnets::randomize_attributes(fabric, seed);
  subnets::Site site(subnets::bring_up(std::move(fabric)));
  topology::Random random(seed);
  const auto& ends = site.subnet->fabric.end_ports;
  for (unsigned i = 0; i < 4 && !ends.empty(); ++i) {
    fabric::OtherSm other;
    other.port =
        random.percent(80)
            ? ends[fabric::EndPortIndex(random.below(static_cast<std::uint32_t>(ends.size())))]
            : fabric::kNoIndex;
    other.info.set_guid({random.below(3)});
    other.info.set_sm_key(random.below(2));
    other.info.set_priority(static_cast<std::uint8_t>(random.below(3)));
    site.subnet->sms.push_back(other);
  }
  auto groups = std::make_shared<fabric::MulticastTables>(site.subnet->fabric.switches.size(),
                                                          13);  // 200 ports
  groups->grow(3);
  for (std::size_t unit = 0; unit < groups->units(); ++unit)
    groups->bytes(groups->unit(unit))[unit % fabric::kMftBytes] =
        static_cast<std::uint8_t>(1 + random.below(200));
  site.subnet->mfts = std::move(groups);
  return site;
}

TEST(Records, EveryCombinationOfComponents) {
  std::map<SaAttributeId, std::size_t> hits;
  seeds::for_each(30, [&](std::uint64_t seed) {
    subnets::Site site = random_site(seed);
    if (site.subnet->fabric.sm_port == fabric::kNoIndex) return;
    topology::Random random(seed * 7);
    for (const RecordType* type : record_types()) {
      if (type->attribute == SaAttributeId::class_port_info) continue;  // has no components
      // Switches of 200 ports have 40,401 pairs of them.
      const bool pairs = type->attribute == SaAttributeId::sl_to_vl_table_record;
      if (pairs && seed % 10 != 3) continue;
      const std::vector<Row>& rows = components().at(type->attribute);
      const Response all = send_query(site, *type);
      ASSERT_EQ(all.status, mad::status::kOk);
      for (int round = 0; round < (pairs ? 4 : 30); ++round) {
        Bytes requested(kRecordBytesMax);
        if (!all.records.empty())
          std::ranges::copy(
              all.records[random.below(static_cast<std::uint32_t>(all.records.size()))],
              requested.begin());
        std::uint64_t mask = 0;
        const unsigned share = random.below(101u);  // from "almost nothing" to "almost everything"
        for (const Row& row : rows)
          if (random.percent(share)) mask |= std::uint64_t{1} << row.mask_bit;
        if (random.percent(30) && !rows.empty()) {  // one field differs
          const Row& row = rows[random.below(static_cast<std::uint32_t>(rows.size()))];
          const unsigned bit = row.bit + random.below(row.width);
          requested[bit / 8] = static_cast<std::uint8_t>(requested[bit / 8] ^ (0x80u >> bit % 8));
        }
        Bytes meant = requested;
        // BlockNum of P_Key tables is little-endian, and accepted in both orders.
        if (type->attribute == mad::SaAttributeId::p_key_table_record && meant[2] == 0)
          std::swap(meant[2], meant[3]);
        std::vector<Bytes> expected;
        std::ranges::copy_if(all.records, std::back_inserter(expected), [&](const Bytes& record) {
          return matches(rows, mask & ~ignored_mask_bits(site, type->attribute, record), meant,
                         record);
        });
        const Response got = send_query(site, *type, mask, requested);
        ASSERT_EQ(got.status, mad::status::kOk);
        ASSERT_EQ(got.records, expected) << name(type->attribute) << " mask " << std::hex << mask;
        const std::uint16_t one = expected.empty()      ? mad::sa_status::kNoRecords
                                  : expected.size() > 1 ? mad::sa_status::kTooManyRecords
                                                        : mad::status::kOk;
        ASSERT_EQ(send_query(site, *type, mask, requested, true, mad::Method::get).status, one);
        hits[type->attribute] += expected.size();
      }
    }
  });
  if (!seeds::are_default()) return;
  for (const RecordType* type : record_types()) {
    if (type->attribute == SaAttributeId::class_port_info ||
        type->attribute == SaAttributeId::random_forwarding_table_record)
      continue;
    EXPECT_GT(hits[type->attribute], 100u) << name(type->attribute);
  }
}

TEST(Records, LayoutsAsInTheStandard) {
  EXPECT_EQ(kNodeRecord.bytes, 108u);
  EXPECT_EQ(kPortInfoRecord.bytes, 68u);
  EXPECT_EQ(kClassPortInfo.bytes, 72u);
  for (const RecordType* type : record_types())
    EXPECT_TRUE(components().contains(type->attribute)) << name(type->attribute);
}

/// A switch, LID 3, with two hosts, LIDs 1 and 2, on ports 1 and 2.
struct Small {
  Small() : site(make()) {}
  static subnets::Site make(unsigned lmc = 0) {
    fabrics::Maker maker;
    const fabric::NodeIndex sw = maker.sw(3, "leaf");
    maker.host(sw);
    maker.host(sw);
    fabric::Fabric fabric = maker.build();
    for (fabric::Port& port : fabric.ports) {
      port.info.set_m_key({0x77});
      port.info.set_guid_cap(9);
    }
    return subnets::Site(subnets::bring_up(std::move(fabric), lmc));
  }
  subnets::Site site;
};
Bytes with_lid(unsigned lid) {
  Bytes bytes(kRecordBytesMax);
  bytes[0] = static_cast<std::uint8_t>(lid >> 8);
  bytes[1] = static_cast<std::uint8_t>(lid);
  return bytes;
}
template <class R>
R as(const Bytes& bytes) {
  return R(std::span<const std::uint8_t>(bytes).template first<R::kBytes>());
}

TEST(Records, NodeRecordIsAboutOnePort) {
  Small small;
  const Response host =
      send_query(small.site, kNodeRecord, 1, with_lid(2), false, mad::Method::get);
  ASSERT_EQ(host.status, mad::status::kOk);
  const auto record = as<mad::NodeRecord>(host.records[0]);
  const fabric::Port& port =
      small.site.subnet->fabric.ports[small.site.subnet->lids.owner(mad::Lid{2})];
  EXPECT_EQ((record.get<mad::Guid, "PortGUID">()), port.guid);
  EXPECT_EQ((record.get<mad::PortNum, "LocalPortNum">()), mad::PortNum{1});
  const Response sw = send_query(small.site, kNodeRecord, 1, with_lid(3), false, mad::Method::get);
  ASSERT_EQ(sw.status, mad::status::kOk);
  EXPECT_EQ((as<mad::NodeRecord>(sw.records[0]).get<mad::PortNum, "LocalPortNum">()),
            mad::PortNum{0});
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(sw.records[0].data()) + 44), "leaf");
  EXPECT_EQ(sw.records[0].size(), 112u);
}

TEST(Records, AnyLidOfAPortSelectsIt) {
  subnets::Site site = Small::make(2);
  const fabric::LidMap::Range range = site.subnet->lid_range(site.subnet->fabric.sm_port);
  ASSERT_EQ(range.count(), 4u);
  for (unsigned i = 0; i < 4; ++i) {
    for (const RecordType* type : {&kNodeRecord, &kPortInfoRecord, &kLinkRecord}) {
      const Response response =
          send_query(site, *type, 1, with_lid(range.base.value + i), false, mad::Method::get);
      ASSERT_EQ(response.status, mad::status::kOk) << name(type->attribute) << i;
      EXPECT_EQ(response.records[0][1], range.base.value & 0xFF);
    }
  }
  EXPECT_EQ(send_query(site, kNodeRecord, 1, with_lid(0), false, mad::Method::get).status,
            mad::sa_status::kNoRecords);
  EXPECT_EQ(send_query(site, kNodeRecord, 1, with_lid(0xFFFF), false, mad::Method::get).status,
            mad::sa_status::kNoRecords);
}

TEST(Records, MKeyOnlyForTrustedRequesters) {
  Small small;
  for (const bool trusted : {false, true}) {
    const Response all =
        send_query(small.site, kPortInfoRecord, 0, Bytes(kRecordBytesMax), trusted);
    ASSERT_EQ(all.records.size(), 6u);
    for (const Bytes& record : all.records)
      EXPECT_EQ((as<mad::PortInfoRecord>(record).get<std::uint64_t, "M_Key">()),
                trusted ? 0x77u : 0u);
  }
  // A query with the right M_Key must not reveal it either.
  Bytes guess(kRecordBytesMax);
  guess[11] = 0x77;
  EXPECT_EQ(send_query(small.site, kPortInfoRecord, 1u << 3, guess, false).records.size(), 0u);
  EXPECT_EQ(send_query(small.site, kPortInfoRecord, 1u << 3, guess, true).records.size(), 6u);
}

TEST(Records, ExtendedSpeedsOnlyForClientsThatSupportThem) {
  Small small;
  for (fabric::Port& port : small.site.subnet->fabric.ports) {
    port.info.set_link_speed_active(mad::link_speed::kExtended);
    port.info.set_link_speed_ext_active(mad::link_speed_ext::kEdr);
  }
  Bytes requested = with_lid(1);
  requested[3] = 0x80;
  const Response knows =
      send_query(small.site, kPortInfoRecord, 1u | 1u << 2, requested, false, mad::Method::get);
  ASSERT_EQ(knows.status, mad::status::kOk);
  EXPECT_EQ((as<mad::PortInfoRecord>(knows.records[0]).get<std::uint8_t, "LinkSpeedActive">()), 0);
  EXPECT_EQ((as<mad::PortInfoRecord>(knows.records[0]).get<std::uint8_t, "Options">()), 0x80);
  const Response does_not =
      send_query(small.site, kPortInfoRecord, 1u, requested, false, mad::Method::get);
  ASSERT_EQ(does_not.status, mad::status::kOk);
  EXPECT_EQ((as<mad::PortInfoRecord>(does_not.records[0]).get<std::uint8_t, "LinkSpeedActive">()),
            mad::link_speed::kQdr);
}

TEST(Records, CapabilityBitsByModifier) {
  Small small;
  for (fabric::Port& port : small.site.subnet->fabric.ports)
    port.info.set_capability_mask(port.number.value == 1 ? 0x6u : 0x2u);
  const auto found = [&](std::uint8_t requested, std::uint32_t modifier) {
    Bytes record(kRecordBytesMax);
    record[4 + 23] = requested;
    return send_query(small.site, kPortInfoRecord, 1u << 7, record, false, mad::Method::get_table,
                      modifier)
        .records.size();
  };
  EXPECT_EQ(found(2, 0), 3u);         // equal
  EXPECT_EQ(found(2, 1u << 31), 6u);  // at least
  EXPECT_EQ(found(6, 1u << 31), 3u);
  EXPECT_EQ(found(4, 0), 0u);
  EXPECT_EQ(found(4, 1u << 30), 0u);  // that is for CapabilityMask2
}

TEST(Records, SmKeyOnlyForTrustedRequesters) {
  Small small;
  small.site.own_sm.set_guid({5});
  small.site.own_sm.set_sm_key(9);
  for (const bool trusted : {false, true}) {
    const Response all = send_query(small.site, kSmInfoRecord, 0, Bytes(kRecordBytesMax), trusted);
    ASSERT_EQ(all.records.size(), 1u);
    const auto record = as<mad::SmInfoRecord>(all.records[0]);
    EXPECT_EQ((record.get<mad::Guid, "GUID">()), mad::Guid{5});
    EXPECT_EQ((record.get<std::uint64_t, "SM_Key">()), trusted ? 9u : 0u);
    EXPECT_EQ((record.get<unsigned, "LID">()),
              small.site.subnet->lid_range(small.site.subnet->fabric.sm_port).base.value);
  }
}

TEST(Records, AliasesAreInTheirBlocks) {
  Small small;
  const mad::Guid port =
      small.site.subnet->fabric.ports[small.site.subnet->lids.owner(mad::Lid{1})].guid;
  small.site.registrations.alias_guids.set({.port_guid = port, .index = 8}, mad::Guid{0x77});
  const Response blocks = send_query(small.site, kGuidInfoRecord, 1, with_lid(1));
  ASSERT_EQ(blocks.records.size(), 2u);
  const auto guid = [](const Bytes& record, unsigned index) {
    return mad::read(record, {64 + 64 * index, 64, "GUID"});
  };
  EXPECT_EQ(guid(blocks.records[0], 0), port.value);
  EXPECT_EQ(guid(blocks.records[0], 1), 0u);
  EXPECT_EQ(guid(blocks.records[1], 0), 0x77u);
}

TEST(Records, LinksOnlyBetweenPortsVisibleToTheRequester) {
  Small small;
  EXPECT_EQ(send_query(small.site, kLinkRecord).records.size(), 4u);
  const auto& fabric = small.site.subnet->fabric;
  std::vector<std::vector<mad::PKey>> keys(fabric.end_ports.size(), {mad::PKey{0x8001}});
  for (std::size_t i = 0; i < keys.size(); ++i)
    if (fabric.end_ports[fabric::EndPortIndex{i}] != fabric.sm_port &&
        !fabric.owning_node(fabric.end_ports[fabric::EndPortIndex{i}]).is_switch())
      keys[i] = {mad::PKey{0x8002}};
  small.site.subnet->partitions = subnets::make_partitions(keys);
  EXPECT_EQ(send_query(small.site, kLinkRecord).records.size(), 2u);
  EXPECT_EQ(send_query(small.site, kNodeRecord).records.size(), 2u);
  // Another subnet manager sees all links.
  fabric::OtherSm manager;
  manager.port = fabric.sm_port;
  manager.info.set_guid(fabric.ports[manager.port].guid);
  manager.info.set_sm_key(small.site.options.sm_key);
  small.site.subnet->sms = {manager};
  EXPECT_EQ(send_query(small.site, kLinkRecord).records.size(), 4u);
  EXPECT_EQ(send_query(small.site, kNodeRecord).records.size(), 3u);
}

TEST(Records, AsManyAsOpenSmReturns) {  // figures of OpenSM 3.3.23 on the same kind of nodes:
                                        // saquery GIR, SL2VL, VLAR with a LID
  Small small;
  EXPECT_EQ(send_query(small.site, kGuidInfoRecord, 1, with_lid(1)).records.size(),
            2u);  // GUIDCap 9
  EXPECT_EQ(send_query(small.site, kSlToVlTableRecord, 1, with_lid(1)).records.size(), 1u);
  EXPECT_EQ(send_query(small.site, kSlToVlTableRecord, 1, with_lid(3)).records.size(),
            16u);  // every pair of ports, 0 among them
  EXPECT_EQ(send_query(small.site, kVlArbitrationTableRecord, 1, with_lid(1)).records.size(), 4u);
  EXPECT_EQ(send_query(small.site, kVlArbitrationTableRecord, 1, with_lid(3)).records.size(), 16u);
  EXPECT_EQ(send_query(small.site, kRandomForwardingTableRecord).records.size(), 0u);
  EXPECT_EQ(send_query(small.site, kLinearForwardingTableRecord).records.size(), 1u);
  EXPECT_EQ(send_query(small.site, kPKeyTableRecord, 0, Bytes(kRecordBytesMax), false).status,
            mad::sa_status::kReqInvalid);
}

TEST(Records, VlTablesAsReadFromPorts) {
  Small small;
  const fabric::Fabric& fabric = small.site.subnet->fabric;
  const auto lanes = std::make_shared<fabric::VlTables>();
  lanes->update_from(fabric);
  const fabric::PortIndex host = small.site.subnet->lids.owner(mad::Lid{1}),
                          switch_port_0 = small.site.subnet->lids.owner(mad::Lid{3});
  lanes->learn_sl_to_vl(host, {}, 0x0123456789abcdef);
  lanes->learn_sl_to_vl(switch_port_0 + 2, mad::PortNum{1}, 0xfedcba9876543210);
  fabric::ArbitrationBlock block{};
  block[0] = 3, block[1] = 200;
  lanes->learn_arbitration(switch_port_0 + 1, 4, block);
  small.site.subnet->vl_tables = lanes;
  const auto table = [](const Bytes& record) { return mad::read(record, {64, 64, "table"}); };
  EXPECT_EQ(table(send_query(small.site, kSlToVlTableRecord, 1, with_lid(1)).records.at(0)),
            0x0123456789abcdefu);
  unsigned found = 0;
  for (const Bytes& record : send_query(small.site, kSlToVlTableRecord, 1, with_lid(3)).records) {
    const bool written =
        mad::read(record, {16, 8, "in"}) == 1 && mad::read(record, {24, 8, "out"}) == 2;
    EXPECT_EQ(table(record), written ? 0xfedcba9876543210u : 0u);
    found += written;
  }
  EXPECT_EQ(found, 1u);
  found = 0;
  for (const Bytes& record :
       send_query(small.site, kVlArbitrationTableRecord, 1, with_lid(3)).records) {
    const bool written =
        mad::read(record, {16, 8, "port"}) == 1 && mad::read(record, {24, 8, "block"}) == 4;
    EXPECT_EQ(mad::read(record, {64, 16, "first entry"}), written ? 0x03C8u : 0u);
    found += written;
  }
  EXPECT_EQ(found, 1u);
}

/// Vports of Small's first host: A1 with LID 20, and A2 that shares the host's.
struct SmallWithVports : Small {
  static constexpr mad::Guid kA1{0xA1}, kA2{0xA2};
  static constexpr mad::Lid kOwnLid{20};
  SmallWithVports() {
    vports::give(*site.subnet, {{.port = host(), .guid = kA1, .own_lid = kOwnLid},
                                {.port = host(), .guid = kA2}});
  }
  fabric::PortIndex host() const { return site.subnet->lids.owner(mad::Lid{1}); }
};

TEST(Records, OfNodesAndPortsListVportsWithALidByTheOptionOnly) {
  for (const bool listed : {false, true}) {
    SmallWithVports small;
    small.site.options.enable_virt_rec_ext = listed;
    for (const RecordType* const type : {&kNodeRecord, &kPortInfoRecord}) {
      const std::size_t physical = type == &kNodeRecord ? 3 : 6;
      EXPECT_EQ(send_query(small.site, *type).records.size(), physical + (listed ? 1 : 0));
      EXPECT_EQ(send_query(small.site, *type, 1, with_lid(20)).records.size(), listed ? 1u : 0u);
    }
  }
}

TEST(Records, OfAVportHaveItsOwnValues) {
  SmallWithVports small;
  small.site.options.enable_virt_rec_ext = true;
  const fabric::Fabric& fabric = small.site.subnet->fabric;
  const Bytes by_lid = with_lid(20);
  const auto node =
      as<mad::NodeRecord>(send_query(small.site, kNodeRecord, 1, by_lid).records.at(0));
  EXPECT_EQ((node.get<mad::Guid, "PortGUID">()), small.kA1);
  EXPECT_EQ((node.get<mad::Guid, "NodeGUID">()).value, small.kA1.value + 0x1000);
  EXPECT_EQ((node.get<mad::Guid, "SystemImageGUID">()),
            fabric.owning_node(small.host()).info.system_image_guid());
  const auto port =
      as<mad::PortInfoRecord>(send_query(small.site, kPortInfoRecord, 1, by_lid).records.at(0));
  EXPECT_EQ((port.get<mad::Lid, "EndportLID">()), small.kOwnLid);
  EXPECT_EQ((port.get<mad::Lid, "LID">()), small.kOwnLid);
  EXPECT_EQ((port.get<std::uint64_t, "M_Key">()), 0u);
  EXPECT_EQ((port.get<unsigned, "GUIDCap">()), 8u);
  EXPECT_EQ((port.get<mad::PortState, "PortState">()), mad::PortState::active);
}

TEST(Records, OfPKeysAndGuidsAreThoseOfAVportByItsLid) {
  SmallWithVports small;
  const Response keys = send_query(small.site, kPKeyTableRecord, 1, with_lid(20));
  ASSERT_EQ(keys.records.size(), 1u);
  EXPECT_EQ(mad::read(keys.records[0], {64, 16, "first P_Key"}), 0xFFFFu);
  EXPECT_EQ(mad::read(keys.records[0], {80, 16, "second P_Key"}), 0u);
  const Response guids = send_query(small.site, kGuidInfoRecord, 1, with_lid(20));
  ASSERT_EQ(guids.records.size(), 1u);
  EXPECT_EQ(as<mad::GuidInfoRecord>(guids.records[0]).guid_info().guid(0), small.kA1);
  EXPECT_EQ(send_query(small.site, kGuidInfoRecord).records.size(), 6u)
      << "tables are those of physical ports";
}

TEST(Records, ClassPortInfoHasTheCapabilitiesOfTheOptions) {
  Small small;
  const auto info = [&] {
    return as<mad::SaRecord<mad::ClassPortInfoFields, mad::SaAttributeId::class_port_info>>(
        send_query(small.site, kClassPortInfo, 0, Bytes(kRecordBytesMax), false, mad::Method::get)
            .records.at(0));
  };
  EXPECT_EQ((info().get<std::uint16_t, "CapabilityMask">()), 0x2602);  // of OpenSM 3.3.23
  EXPECT_EQ((info().get<std::uint32_t, "CapabilityMask2">() & 0xFFFF), 0xB5E8u);
  EXPECT_EQ((info().get<unsigned, "RespTimeValue">()), 0x10u);
  EXPECT_EQ((info().get<unsigned, "RedirectQP">()), 1u);
  small.site.options.disable_multicast = true;
  small.site.options.use_mfttop = false;
  EXPECT_EQ((info().get<std::uint16_t, "CapabilityMask">()), 0x2402);
  EXPECT_EQ((info().get<std::uint32_t, "CapabilityMask2">() & 0xFFFF), 0xB5E0u);
  small.site.options.qos = true;
  EXPECT_EQ((info().get<std::uint32_t, "CapabilityMask2">() & 0xFFFF),
            0xB5E2u);  // OpenSM 3.3.23: 0xB5EA, with MulticastFDBTop
  EXPECT_EQ(send_query(small.site, kClassPortInfo).status, mad::sa_status::kReqInvalid);
  EXPECT_EQ(
      send_query(small.site, kClassPortInfo, 0, Bytes(kRecordBytesMax), false, mad::Method::get, 1)
          .status,
      mad::sa_status::kReqInvalid);
}

}  // namespace records_test
}  // namespace sa
