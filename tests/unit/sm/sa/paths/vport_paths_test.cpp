// Paths from and to vports, by GID and by LID.

#include <gmock/gmock.h>

#include <optional>
#include <utility>

#include "mad/records/path_records.h"
#include "sm/sa/paths/path_types.h"
#include "sm/sa/query/answer.h"
#include "support/fabrics.h"
#include "support/subnets.h"
#include "support/vports.h"

namespace sa {
namespace vport_paths_test {

using testing::IsEmpty;
using testing::SizeIs;
using Mask = mad::PathRecordFields::Mask;

constexpr mad::PKey kTen{0x8010}, kTenLimited{0x0010}, kTwenty{0x8020};
constexpr mad::Guid kA1{0xA1}, kA2{0xA2}, kA3{0xA3}, kB1{0xB1}, kHeld{0xB2};
constexpr mad::Lid kOwnLid{20};

/// Hosts a and b at one switch, LIDs 1 and 2. At a: vports A1 and A2 in partition 0x10, A3 in 0x20;
/// at b: B1 in 0x10 with LID 20, and one that is not served.
class VPortPaths : public testing::Test {
 protected:
  VPortPaths() : site_(make()), a_(owner(1)), b_(owner(2)) {}

  static subnets::Site make() {
    fabrics::Maker maker;
    const fabric::NodeIndex sw = maker.sw(4);
    maker.host(sw);
    maker.host(sw);
    subnets::Site site(subnets::bring_up(maker.build()));
    const auto at = [&](unsigned lid) {
      return site.subnet->lids.owner({static_cast<std::uint16_t>(lid)});
    };
    vports::give(
        *site.subnet,
        {{.port = at(1), .guid = kA1, .keys = {kTen}},
         {.port = at(1), .guid = kA2, .keys = {kTenLimited}},
         {.port = at(1), .guid = kA3, .keys = {kTwenty}},
         {.port = at(2), .guid = kB1, .keys = {kTen}, .own_lid = kOwnLid},
         {.port = at(2), .guid = kHeld, .keys = {kTen}, .hold = fabric::VPortHold::tables}});
    return site;
  }
  fabric::PortIndex owner(unsigned lid) const {
    return site_.subnet->lids.owner({static_cast<std::uint16_t>(lid)});
  }
  mad::Gid gid(mad::Guid guid) const { return {site_.options.subnet_prefix, guid}; }
  mad::Gid gid(fabric::PortIndex port) const { return gid(site_.subnet->fabric.ports[port].guid); }
  fabric::EndPoint end(mad::Guid guid) const { return site_.subnet->find(guid); }

  struct Ends {
    std::optional<mad::Gid> from, to;
    std::optional<mad::Lid> slid, dlid;
  };
  template <class Record>
  Query query(const Record& record, std::uint64_t mask, fabric::EndPoint requester,
              mad::SaAttributeId attribute, mad::Method method) const {
    return {.method = method,
            .attribute = attribute,
            .component_mask = mask,
            .record = record.bytes(),
            .from = {.port = requester.port, .lid = {}, .vport = requester.vport}};
  }
  static std::pair<mad::PathRecord, std::uint64_t> request(const Ends& ends) {
    mad::PathRecord record;
    std::uint64_t mask = 0;
    const auto has = [&](unsigned bit) { mask |= std::uint64_t{1} << bit; };
    if (ends.from) {
      record.set<"SGID.prefix">(ends.from->prefix);
      record.set<"SGID.guid">(ends.from->guid);
      has(Mask::kSgid);
    }
    if (ends.to) {
      record.set<"DGID.prefix">(ends.to->prefix);
      record.set<"DGID.guid">(ends.to->guid);
      has(Mask::kDgid);
    }
    if (ends.slid) record.set<"SLID">(*ends.slid), has(Mask::kSlid);
    if (ends.dlid) record.set<"DLID">(*ends.dlid), has(Mask::kDlid);
    return {record, mask};
  }
  std::vector<mad::PathRecord> ask(fabric::EndPoint requester, const Ends& ends) {
    const auto [record, mask] = request(ends);
    ResponseBuffer out;
    EXPECT_EQ(answer(site_.view(),
                     query(record, mask, requester, mad::SaAttributeId::path_record,
                           mad::Method::get_table),
                     kPathRecord, out),
              mad::status::kOk);
    std::vector<mad::PathRecord> paths;
    for (std::size_t i = 0; i < out.records(); ++i)
      paths.emplace_back(out.record(i).first<mad::PathRecord::kBytes>());
    return paths;
  }
  std::optional<mad::PathRecord> path(mad::Guid from, mad::Guid to) {
    const auto paths = ask(end(from), {.from = gid(from), .to = gid(to), .slid = {}, .dlid = {}});
    EXPECT_LE(paths.size(), 1u);
    return paths.empty() ? std::nullopt : std::optional(paths.front());
  }
  static void expect_path(const std::optional<mad::PathRecord>& path, unsigned slid, unsigned dlid,
                          unsigned hop_limit, mad::PKey p_key) {
    ASSERT_TRUE(path);
    EXPECT_EQ((path->get<unsigned, "SLID">()), slid);
    EXPECT_EQ((path->get<unsigned, "DLID">()), dlid);
    EXPECT_EQ((path->get<unsigned, "HopLimit">()), hop_limit);
    EXPECT_EQ((path->get<mad::PKey, "P_Key">()), p_key);
    EXPECT_TRUE((path->get<bool, "Reversible">()));
  }

  subnets::Site site_;
  fabric::PortIndex a_, b_;
};

TEST_F(VPortPaths, NeedAGlobalRouteAndUseTheLidsOfTheVports) {
  const auto there = path(kA1, kB1);
  expect_path(there, 1, kOwnLid.value, 2, kTen);
  EXPECT_EQ((there->get<mad::Guid, "DGID.guid">()), kB1);
  EXPECT_EQ((there->get<mad::Guid, "SGID.guid">()), kA1);
  expect_path(path(kB1, kA2), kOwnLid.value, 1, 2, kTen);
  expect_path(path(kA2, kB1), 1, kOwnLid.value, 2, kTenLimited);
}

TEST_F(VPortPaths, HaveTheHopLimitOfTheOption) {
  site_.options.virt_default_hop_limit = 64;
  expect_path(path(kA1, kB1), 1, kOwnLid.value, 64, kTen);
}

TEST_F(VPortPaths, OfVportsOfOnePortCrossNoLink) {
  const auto inside = path(kA1, kA2);
  expect_path(inside, 1, 1, 2, kTen);
  EXPECT_EQ((inside->get<unsigned, "PacketLifeTime">()), 0u);
  vports::give(*site_.subnet, {{.port = a_, .guid = kA1}});
  const auto from_port =
      ask({.port = a_}, {.from = gid(a_), .to = gid(kA1), .slid = {}, .dlid = {}});
  ASSERT_THAT(from_port, SizeIs(1)) << "the physical function to its virtual one";
  expect_path(from_port.front(), 1, 1, 2, mad::kDefaultPKeyFull);
}

TEST_F(VPortPaths, BetweenPhysicalPortsAreAsEver) {
  const auto paths = ask({.port = a_}, {.from = gid(a_), .to = gid(b_), .slid = {}, .dlid = {}});
  ASSERT_THAT(paths, SizeIs(1));
  expect_path(paths.front(), 1, 2, 0, mad::kDefaultPKeyFull);
}

TEST_F(VPortPaths, NeedAPartitionInCommonWhateverThePortsHave) {
  EXPECT_FALSE(path(kA3, kB1)) << "another partition on another port";
  EXPECT_FALSE(path(kA3, kA1)) << "another partition on the same port";
  const Ends to_port{.from = gid(kA1), .to = gid(b_), .slid = {}, .dlid = {}};
  EXPECT_THAT(ask(end(kA1), to_port), IsEmpty()) << "the physical port is in the default partition";
  const Ends of_others{.from = gid(kA1), .to = gid(kB1), .slid = {}, .dlid = {}};
  EXPECT_THAT(ask({.port = a_}, of_others), IsEmpty())
      << "its physical port sees as little of them as any other";
}

TEST_F(VPortPaths, ToOneThatIsNotServedDoNotExist) { EXPECT_FALSE(path(kA1, kHeld)); }

TEST_F(VPortPaths, AreFoundByItsOwnLidToo) {
  const auto paths = ask(end(kA1), {.from = gid(kA1), .to = {}, .slid = {}, .dlid = kOwnLid});
  ASSERT_THAT(paths, SizeIs(1));
  expect_path(paths.front(), 1, kOwnLid.value, 2, kTen);
  EXPECT_EQ((paths.front().get<mad::Guid, "DGID.guid">()), kB1);
  // GID and LID of two ends at one port name no end; of two ports, they contradict each other.
  EXPECT_THAT(ask(end(kA1), {.from = gid(kA1), .to = gid(kB1), .slid = {}, .dlid = mad::Lid{2}}),
              IsEmpty());
  EXPECT_THAT(ask({.port = a_}, {.from = gid(a_), .to = gid(b_), .slid = {}, .dlid = kOwnLid}),
              IsEmpty());
}

TEST_F(VPortPaths, AreNotInTablesOfAllPaths) {
  for (const mad::PathRecord& path :
       ask({.port = a_}, {.from = gid(a_), .to = {}, .slid = {}, .dlid = {}}))
    EXPECT_LE((path.get<unsigned, "DLID">()), 3u);
  EXPECT_THAT(ask(end(kA1), {.from = gid(kA1), .to = {}, .slid = {}, .dlid = {}}), IsEmpty())
      << "no physical port is in partition 0x10";
}

TEST_F(VPortPaths, OfMultiPathRecordsAreTheSame) {
  std::array<std::uint8_t, mad::MultiPathRecord::kBytes + 3 * 16> bytes{};
  mad::MultiPathRecord fixed;
  fixed.set<"SGIDCount">(1u);
  fixed.set<"DGIDCount">(2u);
  std::ranges::copy(fixed.bytes(), bytes.begin());
  const std::array gids{gid(kA1), gid(kA2), gid(kB1)};
  for (std::size_t i = 0; i < gids.size(); ++i) {
    const auto place = static_cast<unsigned>(mad::MultiPathRecordFields::kBytes + 16 * i);
    mad::write(bytes, mad::Field{8 * place, 64, "prefix"}, gids[i].prefix);
    mad::write(bytes, mad::Field{8 * place + 64, 64, "guid"}, gids[i].guid.value);
  }
  using Bits = mad::MultiPathRecordFields::Mask;
  const fabric::EndPoint requester = end(kA1);
  const Query query{
      .method = mad::Method::get_multi,
      .attribute = mad::SaAttributeId::multi_path_record,
      .component_mask = std::uint64_t{1} << Bits::kSgidCount | std::uint64_t{1} << Bits::kDgidCount,
      .record = bytes,
      .from = {.port = requester.port, .lid = {}, .vport = requester.vport}};
  ResponseBuffer out;
  ASSERT_EQ(answer(site_.view(), query, kMultiPathRecord, out), mad::status::kOk);
  ASSERT_EQ(out.records(), 2u);
  expect_path(mad::PathRecord(out.record(0).first<mad::PathRecord::kBytes>()), 1, 1, 2, kTen);
  expect_path(mad::PathRecord(out.record(1).first<mad::PathRecord::kBytes>()), 1, kOwnLid.value, 2,
              kTen);
}

TEST_F(VPortPaths, AreTracedThroughThePhysicalPorts) {
  const auto trace = [&](mad::Guid from, mad::Guid to) {
    const auto [record, mask] = request({.from = gid(from), .to = gid(to), .slid = {}, .dlid = {}});
    ResponseBuffer out;
    EXPECT_EQ(answer(site_.view(),
                     query(record, mask, end(from), mad::SaAttributeId::trace_record,
                           mad::Method::get_trace_table),
                     kTraceRecord, out),
              mad::status::kOk);
    std::vector<mad::Guid> nodes;
    for (std::size_t i = 0; i < out.records(); ++i)
      nodes.push_back(mad::TraceRecord(out.record(i).first<mad::TraceRecord::kBytes>())
                          .get<mad::Guid, "NodeID">());
    return nodes;
  };
  const fabric::Fabric& fabric = site_.subnet->fabric;
  EXPECT_THAT(trace(kA1, kB1),
              testing::ElementsAre(fabric.owning_node(a_).guid, fabric.owning_node(b_).guid))
      << "the switch is in another partition";
  EXPECT_THAT(trace(kA1, kA2), testing::ElementsAre(fabric.owning_node(a_).guid));
  EXPECT_THAT(trace(kA1, kA3), IsEmpty());
}

}  // namespace vport_paths_test
}  // namespace sa
