// Dump files compared with OpenSM's byte for byte, except for the order of switches, which is not
// defined in OpenSM.

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/table_files.h"
#include "fabric/forwarding_tables.h"
#include "fabric/topology/read.h"
#include "sm/dumps/dumps.h"
#include "support/fabrics.h"
#include "unit/sm/ops/api/published.h"
#include "unit/sm/temporary_directory.h"

namespace sm {
namespace dumps_test {

std::string recorded(const std::string& name) {
  std::ifstream file(HEDDLE_TEST_DATA "/opensm_dumps/" + name);
  std::stringstream text;
  text << file.rdbuf();
  EXPECT_TRUE(file) << name;
  return text.str();
}

/// Splits the text at lines with this prefix.
std::multiset<std::string> sections(const std::string& text, std::string_view head) {
  std::multiset<std::string> parts;
  std::string part;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(head) && !part.empty()) parts.insert(std::exchange(part, {}));
    part += line + '\n';
  }
  parts.insert(part);
  return parts;
}

/// A fabric with the LIDs and tables of a recorded opensm-lfts.dump.
struct Recorded {
  fabrics::Subnet subnet;
  ForwardingTables lfts;

  Recorded(const std::string& fabric, const std::string& run)
      : Recorded(fabric, parse(fabric + "." + run + ".opensm-lfts.dump")) {}
  dumps::Tables tables() const { return {subnet.fabric, subnet.graph, subnet.lids, lfts}; }

 private:
  static config::ForwardingDump parse(const std::string& file) {
    config::Diagnostics findings;
    auto dump = config::parse_forwarding_dump({file, recorded(file)}, findings);
    EXPECT_TRUE(findings.empty());
    return dump;
  }
  static LidMap lid_range(const Fabric& fabric, const config::ForwardingDump& dump) {
    LidMap lids;
    lids.of_end_port.resize(fabric.end_ports.size());
    lids.lid_top = mad::Lid{static_cast<std::uint16_t>(dump.owner_of_lid.size() - 1)};
    lids.port_of_lid.assign(dump.owner_of_lid.size(), kNoIndex);
    for (std::size_t lid = 1; lid < dump.owner_of_lid.size(); ++lid) {
      if (dump.owner_of_lid[lid] == 0) continue;
      const PortIndex port = fabric.port_of_guid.at(mad::Guid{dump.owner_of_lid[lid]});
      lids.port_of_lid[lid] = port;
      LidMap::Range& range = lids.of_end_port[fabric::EndPortIndex(static_cast<std::size_t>(
          std::ranges::find(fabric.end_ports, port) - fabric.end_ports.begin()))];
      if (range.base == mad::Lid{}) range.base = mad::Lid{static_cast<std::uint16_t>(lid)};
    }
    return lids;
  }
  Recorded(const std::string& fabric, const config::ForwardingDump& dump)
      : Recorded(fabrics::from_topology(
                     topology::read_topology(HEDDLE_TEST_DATA "/topologies/" + fabric + ".net")
                         .topology),
                 dump) {}
  Recorded(const Fabric& fabric, const config::ForwardingDump& dump)
      : subnet(fabric, lid_range(fabric, dump)),
        lfts(subnet.graph.switches(), subnet.lids.lid_top) {
    for (const auto& row : dump.rows)
      std::ranges::copy(
          row.out,
          lfts.writable_row(
                  subnet.fabric.nodes[subnet.fabric.node_of_guid.at(mad::Guid{row.switch_guid})]
                      .switch_index)
              .begin());
  }
};

using Writer = void (*)(std::ostream&, const dumps::Tables&);
struct Case {
  const char *fabric, *run, *file, *head;
  Writer write;
};
void PrintTo(const Case& of, std::ostream* out) {
  *out << of.fabric << ' ' << of.run << ' ' << of.file;
}

class UnicastDumps : public ::testing::TestWithParam<Case> {};

TEST_P(UnicastDumps, EqualThoseOfOpenSm) {
  const Case& of = GetParam();
  const Recorded opensm(of.fabric, of.run);
  std::ostringstream ours;
  of.write(ours, opensm.tables());
  EXPECT_EQ(sections(ours.str(), of.head),
            sections(recorded(std::string(of.fabric) + "." + of.run + "." + of.file), of.head));
}

constexpr const char *kTree = "fattree2-16h", *kRandom = "random-20s-40h", *kPlain = "minhop",
                     *kLmc = "minhop-lmc1";
INSTANTIATE_TEST_SUITE_P(
    Files, UnicastDumps,
    ::testing::Values(
        Case{kTree, kPlain, "opensm-lfts.dump", "Unicast", dumps::write_lfts},
        Case{kTree, kPlain, "opensm.fdbs", "dump_ucast", dumps::write_fdbs},
        Case{kTree, kPlain, "opensm-lid-matrix.dump", "Switch", dumps::write_lid_matrix},
        Case{kRandom, kLmc, "opensm-lfts.dump", "Unicast", dumps::write_lfts},
        Case{kRandom, kLmc, "opensm.fdbs", "dump_ucast", dumps::write_fdbs},
        Case{kRandom, kLmc, "opensm-lid-matrix.dump", "Switch", dumps::write_lid_matrix}));

TEST(Dumps, MarkDetoursAndUnreachableLids) {
  // S0 reaches S1's host by S2 instead of directly, and S2's host not at all.
  fabrics::Maker maker;
  const auto s0 = maker.sw(8), s1 = maker.sw(8), s2 = maker.sw(8);
  maker.cable(s0, 1, s1, 1);
  maker.cable(s0, 2, s2, 1);
  maker.cable(s1, 2, s2, 2);
  maker.host(s1);
  maker.host(s2);
  const fabrics::Subnet subnet(maker.build());
  ASSERT_EQ(subnet.lids.lid_top.value, 5);
  ForwardingTables lfts(3, subnet.lids.lid_top);
  lfts.writable_row(fabric::SwitchIndex{0})[1] = 2;
  lfts.writable_row(fabric::SwitchIndex{2})[1] = 2;
  lfts.writable_row(fabric::SwitchIndex{1})[1] = 3;
  std::ostringstream out;
  dumps::write_fdbs(out, {subnet.fabric, subnet.graph, subnet.lids, lfts});
  EXPECT_THAT(
      out.str(),
      ::testing::HasSubstr(
          "0x0001 : 002  : 03   : No 2 hop path possible via port 1!\n0x0002 : UNREACHABLE\n"));
}

TEST(Dumps, MulticastTablesAreReadBack) {
  for (const std::string name : {"fattree2-16h.minhop", "random-20s-40h.minhop-lmc1"}) {
    const std::string text = recorded(name + ".opensm.mcfdbs");
    const Recorded opensm(name.substr(0, name.find('.')), name.substr(name.find('.') + 1));
    MulticastTables tables(opensm.subnet.fabric.switches.size(), 1);
    std::istringstream lines(text);
    std::size_t sw = 0;
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with("Switch "))
        sw = opensm.subnet.fabric
                 .nodes[opensm.subnet.fabric.node_of_guid.at(
                     mad::Guid{std::stoull(line.substr(7), nullptr, 16)})]
                 .switch_index;
      if (!line.starts_with("0xC")) continue;
      const mad::Mlid mlid{static_cast<std::uint16_t>(std::stoul(line.substr(0, 6), nullptr, 16))};
      tables.grow(MulticastTables::block_index(mlid) + 1);
      std::istringstream ports(line.substr(9));
      for (std::string port; ports >> port;)
        tables.set(fabric::SwitchIndex{sw}, mlid,
                   mad::PortNum{static_cast<std::uint8_t>(std::stoul(port, nullptr, 16))});
    }
    std::ostringstream out;
    dumps::write_mcfdbs(out, opensm.subnet.fabric, tables);
    EXPECT_EQ(sections(out.str(), "Switch"), sections(text, "Switch")) << name;
  }
}

TEST(Dumps, SlToVlWithOneTableForAllPorts) {
  const std::string text = recorded("random-20s-40h.minhop-qos.opensm-sl2vl.dump");
  const Fabric fabric = fabrics::from_topology(
      topology::read_topology(HEDDLE_TEST_DATA "/topologies/random-20s-40h.net").topology);
  SlToVlRow row{};
  for (std::size_t sl = 0; sl < row.size(); ++sl) row[sl] = static_cast<std::uint8_t>(sl % 8);
  LidMap lids;
  lids.of_end_port.resize(fabric.end_ports.size());
  for (std::istringstream lines(text); !lines.eof();) {  // LIDs as in the file
    std::string line;
    std::getline(lines, line);
    const std::size_t guid = line.find(" 0x"), lid = line.find("base LID ");
    if (lid == std::string::npos) continue;
    const PortIndex port =
        fabric.port_of_guid.at(mad::Guid{std::stoull(line.substr(guid + 1), nullptr, 16)});
    lids.of_end_port[fabric::EndPortIndex(static_cast<std::size_t>(
                         std::ranges::find(fabric.end_ports, port) - fabric.end_ports.begin()))]
        .base = mad::Lid{static_cast<std::uint16_t>(std::stoul(line.substr(lid + 9)))};
  }
  std::ostringstream out;
  dumps::write_sl_to_vl(out, fabric, lids, SlToVl::uniform(row));
  const auto nodes = [](const std::string& all) {
    std::multiset<std::string> parts;
    for (std::size_t at = 0, end = 0; (end = all.find("\n\n", at)) != std::string::npos;
         at = end + 2)
      parts.insert(all.substr(at, end - at));
    return parts;
  };
  EXPECT_EQ(nodes(out.str()), nodes(text));
  EXPECT_EQ(nodes(text).size(), 60u);
}

TEST(Dumps, RootsAndOrderOfHosts) {
  std::ostringstream roots;
  dumps::write_roots(roots, std::vector{mad::Guid{0x2c90200000140}, mad::Guid{0x2c90200000150},
                                        mad::Guid{0x2c90200000160}, mad::Guid{0x2c90200000170}});
  EXPECT_EQ(roots.str(), recorded("fattree2-16h.updn.opensm-updn-roots.dump"));

  const Recorded opensm("fattree2-16h", "minhop");
  std::vector<mad::Guid> order;
  for (const unsigned host : {0u, 4u, 8u, 12u, 1u, 5u, 9u, 13u, 2u, 6u, 10u, 14u, 3u, 7u, 11u, 15u})
    order.push_back(mad::Guid{0x2c90000000001u + std::uint64_t{host} * 0x10});
  std::ostringstream hosts;
  dumps::write_ca_order(hosts, opensm.subnet.fabric, opensm.subnet.lids, order);
  EXPECT_EQ(hosts.str(), recorded("fattree2-16h.ftree.opensm-ftree-ca-order.dump"));
  std::ostringstream gap;
  dumps::write_ca_order(gap, opensm.subnet.fabric, opensm.subnet.lids, std::vector{mad::Guid{}});
  EXPECT_EQ(gap.str(), "0xFFFF\tDUMMY\n");
}

// ---- opensm.far, by a reader of its own

struct FarEntry {
  unsigned static_port = 0, group = 0;
  std::string state;
};
struct FarSwitch {
  std::map<unsigned, std::set<unsigned>> groups;  // ports
  std::map<unsigned, FarEntry> entries;           // by LID
};
/// By GUID. As programs read ibdiagnet's file: headings, a line of dashes, rows that begin with a
/// digit.
std::map<std::uint64_t, FarSwitch> read_far(const std::string& text) {
  std::map<std::uint64_t, FarSwitch> all;
  FarSwitch* sw = nullptr;
  enum { none, groups, entries } part = none;
  std::istringstream lines(text);
  std::string line;
  std::getline(lines, line);
  EXPECT_EQ(line, "File version: 1");
  while (std::getline(lines, line)) {
    if (line.starts_with("Switch 0x")) sw = &all[std::stoull(line.substr(7), nullptr, 16)];
    if (line == "Groups Definition:") part = groups;
    if (line == "LFT Definition:") part = entries;
    if (line.empty() || line[0] < '0' || line[0] > '9' || sw == nullptr) continue;
    std::istringstream words(line);
    if (part == groups) {
      unsigned group = 0, sub_group = 0, weight = 0;
      words >> group >> sub_group >> weight;
      EXPECT_EQ(sub_group + weight, 0u);
      unsigned port = 0;
      for (char comma = 0; words >> port >> comma && comma == ',';) sw->groups[group].insert(port);
    } else {
      unsigned lid = 0;
      FarEntry entry;
      words >> std::hex >> lid >> std::dec >> entry.static_port >> entry.state >> entry.group;
      EXPECT_TRUE(words) << line;
      EXPECT_TRUE(sw->entries.emplace(lid, entry).second) << line;
    }
  }
  return all;
}

TEST(FarDump, IsReadBack) {
  const auto subnet = published::routed(published::small_tree());
  const auto adaptive = published::adaptive_tree(*subnet);
  const SwitchIndex plain = published::find_switch(*subnet, "spine-1");
  adaptive->switches[plain].state = AdaptiveState::unsupported;
  subnet->adaptive = adaptive;
  std::ostringstream out;
  dumps::write_far(out, *subnet);
  const auto read = read_far(out.str());
  ASSERT_EQ(read.size(), 3u) << "without the switch that does not route adaptively";
  for (const SwitchIndex sw : subnet->fabric.switches.indices()) {
    if (sw == plain) continue;
    const FarSwitch& of =
        read.at(subnet->fabric.nodes[subnet->fabric.switches[sw].node].guid.value);
    EXPECT_EQ(of.entries.size(), subnet->lids.lid_top.value);
    for (const auto& [lid, entry] : of.entries) {
      const mad::Lid value{static_cast<std::uint16_t>(lid)};
      EXPECT_EQ(entry.static_port, subnet->lfts->at(sw, value).value);
      const GroupId group = adaptive->groups->find_group(value);
      const PortSet& ports = adaptive->groups->ports(sw, group);
      EXPECT_EQ(entry.state, ports.any() ? "Free" : "Static");
      EXPECT_EQ(entry.group, ports.any() ? group : 0u);
      if (ports.none()) continue;
      std::set<unsigned> expected;
      for (unsigned port = 0; port < 256; ++port)
        if (ports[port]) expected.insert(port);
      EXPECT_EQ(of.groups.at(group), expected);
      EXPECT_TRUE(expected.contains(entry.static_port));
    }
  }
  adaptive->sl_mask = 0;
  std::ostringstream recovery;
  dumps::write_far(recovery, *subnet);
  EXPECT_EQ(recovery.str().find("Free"), std::string::npos);
}

TEST(FarDump, IsWrittenIfTheOptionSaysSo) {
  const TemporaryDirectory directory;
  const auto subnet = published::routed(published::small_tree());
  config::Options options = config::default_options(nullptr, nullptr);
  options.dump_files_dir = directory.path().string();
  const auto file = directory.path() / "opensm.far";
  options.dump_ar = true;
  EXPECT_TRUE(write_far_dump(options, *subnet));
  EXPECT_FALSE(std::filesystem::exists(file)) << "no adaptive routing";
  subnet->adaptive = published::adaptive_tree(*subnet);
  options.dump_ar = false;
  EXPECT_TRUE(write_far_dump(options, *subnet));
  EXPECT_FALSE(std::filesystem::exists(file));
  options.dump_ar = true;
  EXPECT_TRUE(write_far_dump(options, *subnet));
  EXPECT_TRUE(std::filesystem::exists(file));
}

}  // namespace dumps_test
}  // namespace sm
