// OpenSM and infiniband-diags on heddle-sim, compared with upstream's ibsim.
//
// Intended differences, removed before the comparison:
//  - heddle-sim's nodes know more attributes, speeds and capabilities (CapabilityMask, extended
//  speeds, P_Key and GUID table sizes, VLs);
//  - SystemImageGUID, vendor, device and revision of nodes without them in the topology file;
//  - the LID table of heddle-sim's switches has 49,152 entries, ibsim's 30,720;
//  - counters of agents' activity (SMInfo's ActCount).

#include <algorithm>
#include <regex>
#include <sstream>

#include "ibsim/fixture.h"
#include "mad/format.h"

namespace harness {
namespace same_as_ibsim_test {

class SameAsIbsim : public OnIbsim, public ::testing::WithParamInterface<std::string> {
 protected:
  void SetUp() override {
    OnIbsim::SetUp();
    if (has_ended()) return;
    start_fabric(sample_net(GetParam()));
    heddle_.emplace(sample_net(GetParam()), HEDDLE_SIM_PROGRAM);
  }
  void TearDown() override {
    if (HasFailure() && heddle_) heddle_->keep_files();
    if (HasFailure() && heddle_)
      std::cerr << "heddle-sim: files kept in " << heddle_->dir() << '\n'
                << heddle_->simulator_log();
    sms_.clear();
    heddle_.reset();
    OnIbsim::TearDown();
  }
  IbsimFabric& ibsim() { return fabric(); }
  IbsimFabric& heddle() { return *heddle_; }

  void bring_up(IbsimFabric& on) {
    SubnetManager& sm = sms_.emplace_back(on, SmOptions{.kind = SmKind::opensm});
    ASSERT_TRUE(sm.wait_subnet_up()) << sm.tail();
  }
  static std::string run(IbsimFabric& on, const std::vector<std::string>& argv) {
    const Finished tool = on.run(argv);
    EXPECT_TRUE(tool.ok()) << argv[0] << ": " << tool.err;
    return tool.out;
  }

  std::optional<IbsimFabric> heddle_;
  std::list<SubnetManager> sms_;
};

std::string without(std::string text, const std::string& lines) {
  return std::regex_replace(text, std::regex("(^|\n)(?:" + lines + ")[^\n]*(?=\n)"), "$1");
}

TEST_P(SameAsIbsim, OpenSmWritesTheSameTables) {
  bring_up(ibsim());
  bring_up(heddle());
  const Problems problems = check_fabric(heddle());
  EXPECT_TRUE(problems.empty()) << text_of(problems);
  const ForwardingTables there = parse_dump_fts(run(ibsim(), {"dump_fts"})),
                         here = parse_dump_fts(run(heddle(), {"dump_fts"}));
  ASSERT_FALSE(here.empty());
  ASSERT_EQ(there.size(), here.size());
  for (const auto& [guid, table] : there) {
    const auto other = here.find(guid);
    ASSERT_NE(other, here.end()) << std::hex << guid;
    EXPECT_EQ(table, other->second) << "switch " << std::hex << guid;
  }
}

TEST_P(SameAsIbsim, ToolsPrintTheSame) {
  bring_up(ibsim());
  bring_up(heddle());
  const Cabling there = parse_cabling(run(ibsim(), {"ibnetdiscover"})),
                here = parse_cabling(run(heddle(), {"ibnetdiscover"}));
  EXPECT_EQ(there.cables, ibsim().cabling().cables) << "the whole topology file";
  EXPECT_EQ(there.cables, here.cables);
  ASSERT_FALSE(here.end_ports.empty());
  ASSERT_EQ(there.end_ports.size(), here.end_ports.size());
  for (const auto& [id, port] : there.end_ports) {
    ASSERT_TRUE(here.end_ports.contains(id)) << id.text();
    EXPECT_EQ(port.lid, here.end_ports.at(id).lid) << id.text();
    EXPECT_EQ(port.lmc, here.end_ports.at(id).lmc) << id.text();
  }
  EXPECT_EQ(there.nodes.size(), here.nodes.size());
  for (const auto& [guid, node] : there.nodes) EXPECT_EQ(node.name, here.nodes.at(guid).name);

  // Ports, states and peers; not the speeds (the same here, but named by other attributes).
  const auto links = [](const std::string& text) {
    std::set<std::string> lines;
    std::istringstream in(text);
    static const std::regex kLine(
        R"((0x[0-9a-f]+) .* (\d+) +(\d+)\[.*(Active|Init\w*|Down|Armed).*)"
        R"(==> *(0x[0-9a-f]+) .* (\d+)\[)");
    for (std::string line; std::getline(in, line);) {
      if (std::smatch m; std::regex_search(line, m, kLine))
        lines.insert(m.format("$1[$3] lid $2 $4 - $5[$6]"));
    }
    return lines;
  };
  const auto links_there = links(run(ibsim(), {"iblinkinfo", "-l"})),
             links_here = links(run(heddle(), {"iblinkinfo", "-l"}));
  EXPECT_FALSE(links_here.empty());
  EXPECT_EQ(links_there, links_here);

  const auto sm = [](const std::string& text) {
    return std::regex_replace(text, std::regex("activity count [0-9]+"), "activity count");
  };
  EXPECT_EQ(sm(run(ibsim(), {"sminfo"})), sm(run(heddle(), {"sminfo"})));
  const std::string node_differences = "SystemGuid|PartCap|DevId|Revision|VendorId";
  EXPECT_EQ(without(run(ibsim(), {"smpquery", "nodeinfo", "1"}), node_differences),
            without(run(heddle(), {"smpquery", "nodeinfo", "1"}), node_differences));
  EXPECT_EQ(run(ibsim(), {"smpquery", "nodedesc", "1"}),
            run(heddle(), {"smpquery", "nodedesc", "1"}));
  const std::string port_info = run(heddle(), {"smpquery", "portinfo", "1"});
  for (const char* field :
       {"Lid", "SMLid", "LinkState", "PhysLinkState", "LocalPort", "LMC", "GidPrefix"}) {
    const std::regex row("(^|\n)" + std::string(field) + ":[^\n]*");
    const std::string other = run(ibsim(), {"smpquery", "portinfo", "1"});
    std::smatch a, b;
    ASSERT_TRUE(std::regex_search(other, a, row)) << field;
    ASSERT_TRUE(std::regex_search(port_info, b, row)) << field;
    EXPECT_EQ(a.str(), b.str());
  }
}

INSTANTIATE_TEST_SUITE_P(Topologies, SameAsIbsim,
                         ::testing::Values("fattree2-16h", "fattree3-64h", "torus-3x3x3",
                                           "dragonfly-4-2-2", "random-20s-40h"),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

}  // namespace same_as_ibsim_test
}  // namespace harness
