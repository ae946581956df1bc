#include "fabric/topology/write.h"
#include "sm/ctl/topology/draw.h"

#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sm/ctl/topology/generators.h"
#include "unit/fabric/topology/sound.h"

namespace topology {
namespace write_test {

using ::testing::HasSubstr;
using ::testing::Not;

std::size_t occurrences(const std::string& text, std::string_view part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++count;
  return count;
}

std::string svg(const Topology& topology, Layout layout = Layout::automatic) {
  std::ostringstream out;
  write_svg(topology, out, layout);
  return out.str();
}

TEST(WriteIbsim, WritesWidthAndSpeedOnlyIfNotTheDefault) {
  Topology topology = row({.switches = 1, .cables = 0, .hosts_per_switch = 1});
  topology.nodes[0].system_guid = mad::Guid{0x77};
  topology.nodes[1].vendor_id = 0x15b3;
  topology.nodes[1].device_id = 0xd2f0;
  topology.nodes[1].enhanced_port0 = true;
  std::ostringstream out;
  write_ibsim(with_links(topology, LinkWidth::x4, LinkSpeed::hdr), out);
  EXPECT_EQ(out.str(),
            "sysimgguid=0x77\ncaguid=0x2c90000000000\nCa\t1 \"H0\"\t\t# "
            "\"H0\"\n[1]\t\"S0\"[1]\t\t# lid 0 lmc 0 \"S0\" lid 0 4xHDR\n\n"
            "vendid=0x15b3\ndevid=0xd2f0\nswitchguid=0x2c90200000000\nSwitch\t1 \"S0\"\t\t# \"S0\" "
            "enhanced port 0 lid 0 lmc 0\n"
            "[1]\t\"H0\"[1]\t\t# \"H0\" lid 0 4xHDR\n\n");
}

TEST(WriteIbsim, NamesThatIbsimCannotReadAreReplaced) {
  Topology topology = row({.switches = 2, .cables = 1, .hosts_per_switch = 0});
  topology.nodes[0].name = "a#\"\n";
  topology.nodes[1].name = "a@__";
  std::ostringstream out;
  write_ibsim(topology, out);
  EXPECT_THAT(out.str(), HasSubstr("Switch\t1 \"a___\"\t\t# \"a#'_\"\n"));
  EXPECT_THAT(out.str(), HasSubstr("Switch\t1 \"S-0002c90200000010\""))
      << "the replaced name is in use";
}

TEST(WriteDot, HasEveryNodeAndEveryPairOnce) {
  std::ostringstream out;
  write_dot(row({.switches = 2, .cables = 3, .hosts_per_switch = 2}), out);
  EXPECT_EQ(occurrences(out.str(), " [label=\"H"), 4u);
  EXPECT_EQ(occurrences(out.str(), " -- "), 5u);
  EXPECT_THAT(out.str(), HasSubstr("\"S0\" -- \"S1\" [label=\"3\", penwidth=3];"));
}

TEST(WriteDot, NamesAreQuotedWhateverTheyEndWith) {
  Topology topology = row({.switches = 1, .cables = 1, .hosts_per_switch = 1});
  topology.nodes.front().name = R"(a "b\)";
  std::ostringstream out;
  write_dot(topology, out);
  EXPECT_THAT(out.str(), HasSubstr(R"(label="a \"b\\",)"));
}

TEST(WriteSvg, SmallFabricsHaveLabelledHosts) {
  const std::string picture = svg(row({.switches = 2, .cables = 3, .hosts_per_switch = 10}));
  EXPECT_THAT(picture, HasSubstr(">H19</text>"));
  EXPECT_THAT(picture, HasSubstr("20 hosts, 2 switches, 23 links"));
  EXPECT_THAT(picture,
              HasSubstr("<title>S0 - S1: 3 links 4xQDR, ports 11-11, 12-12, 13-13</title>"));
  EXPECT_EQ(occurrences(picture, "<title>"), 22u + 21);
}

TEST(WriteSvg, LargeFabricsHaveHostsAsDots) {
  const std::string picture = svg(fat_tree({.hosts = 324, .radix = 36}));
  EXPECT_EQ(occurrences(picture, "<circle "), 324u);
  EXPECT_EQ(occurrences(picture, "class=\"leaf\""), 18u + 1);  // and the legend
  EXPECT_EQ(occurrences(picture, "<line "), 18u * 9);
  EXPECT_THAT(picture, Not(HasSubstr(">H0</text>")));
}

TEST(WriteSvg, EveryFamilyInEveryLayoutHasEveryNode) {
  for (const Topology& topology :
       {back_to_back(), row({}), torus({.dimensions = {3, 4}}), torus({}), hypercube({}),
        dragonfly({}), slim_fly({.q = 3}), random_graph({}),
        add_routers(rails(fat_tree({.hosts = 16, .radix = 8}), {.rails = 2}), 2),
        degrade(torus({}), 1, 1, Connectivity::may_break)}) {
    for (const Layout layout :
         {Layout::automatic, Layout::layers, Layout::grid, Layout::groups, Layout::circle}) {
      const std::string picture = svg(topology, layout);
      EXPECT_EQ(occurrences(picture, " ports, ") + occurrences(picture, " ports)</title>"),
                topology.nodes.size());
      EXPECT_EQ(occurrences(picture, "\"nan") + occurrences(picture, "\"-nan") +
                    occurrences(picture, "\"inf"),
                0u);
    }
  }
}

TEST(WriteSvg, NamesAreEscaped) {
  Topology topology = back_to_back();
  topology.nodes[0].name = "<a&\"b\">";
  EXPECT_THAT(svg(topology), HasSubstr("<title>&lt;a&amp;&quot;b&quot;&gt; (ca"));
}

}  // namespace write_test
}  // namespace topology
