#include "sm/health/expected_topology.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mad/format.h"
#include "sm/health/health_conditions.h"
#include "support/fabrics.h"

namespace expected_topology_test {

using fabric::ConditionId;
using fabric::Fabric;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

config::SharedSource file(std::string name, std::string text) {
  return {.file = std::move(name), .text = std::make_shared<const std::string>(std::move(text))};
}

/// The links of a fabric as a list, each from both ends.
std::string list_of(const Fabric& fabric) {
  std::string text = "# links\n";
  for (const fabric::PortIndex port : fabric.ports.indices()) {
    const fabric::PortIndex peer = fabric.ports[port].peer;
    if (peer == fabric::kNoIndex) continue;
    text += fmt::format("{},{},{},{},Any,Active\n", fabric.owning_node(port).guid,
                        fabric.ports[port].number, fabric.owning_node(peer).guid,
                        fabric.ports[peer].number);
  }
  return text;
}

/// Two leaves with a host each, two links between them. What a test changes is not as expected.
struct Plan {
  bool link_8 = true, host_b = true, extra_link = false, extra_host = false, swapped = false;
  bool host_b_at_a = false;
  unsigned lanes_mask = 2;  // 4X

  Fabric build() const {
    fabrics::Maker maker;
    const auto a = maker.add(mad::NodeType::switch_, 8, "leaf-a", mad::Guid{0xa0});
    const auto b = maker.add(mad::NodeType::switch_, 8, "leaf-b", mad::Guid{0xb0});
    maker.cable(a, 1, maker.add(mad::NodeType::ca, 1, "host-a", mad::Guid{0xa1}), 1);
    if (host_b)
      maker.cable(host_b_at_a ? a : b, host_b_at_a ? 5 : 1,
                  maker.add(mad::NodeType::ca, 1, "host-b", mad::Guid{0xb1}), 1);
    maker.cable(a, 7, b, swapped ? 8 : 7);
    if (link_8) maker.cable(a, 8, b, swapped ? 7 : 8);
    if (extra_link) maker.cable(a, 6, b, 6);
    if (extra_host)
      maker.cable(b, 3, maker.add(mad::NodeType::ca, 1, "host-c", mad::Guid{0xc1}), 1);
    Fabric fabric = maker.build();
    for (fabric::Port& port : fabric.ports) {
      if (port.peer == fabric::kNoIndex) continue;
      port.info.set_link_width_active(static_cast<std::uint8_t>(lanes_mask));
      port.info.set_link_speed_active(4);  // QDR
    }
    return fabric;
  }
};

std::vector<ConditionId> ids(const std::vector<fabric::Condition>& conditions) {
  std::vector<ConditionId> found;
  for (const fabric::Condition& condition : conditions) found.push_back(condition.id);
  return found;
}

/// The output of ibnetdiscover for the plan.
constexpr const char* kIbnetdiscover =
    R"(switchguid=0xa0(a0)
Switch 8 "S-00000000000000a0" # "leaf-a" base port 0 lid 1 lmc 0
[1] "H-00000000000000a1"[1] # "host-a" lid 2 4xQDR
[7] "S-00000000000000b0"[7] # "leaf-b" lid 3 4xQDR
[8] "S-00000000000000b0"[8] # "leaf-b" lid 3 4xQDR

switchguid=0xb0(b0)
Switch 8 "S-00000000000000b0" # "leaf-b" base port 0 lid 3 lmc 0
[1] "H-00000000000000b1"[1] # "host-b" lid 4 4xQDR
[7] "S-00000000000000a0"[7] # "leaf-a" lid 1 4xQDR
[8] "S-00000000000000a0"[8] # "leaf-a" lid 1 4xQDR

caguid=0xa1
Ca 1 "H-00000000000000a1" # "host-a"
[1](a2) "S-00000000000000a0"[1] # lid 2 lmc 0 "leaf-a" lid 1 4xQDR

caguid=0xb1
Ca 1 "H-00000000000000b1" # "host-b"
[1](b2) "S-00000000000000b0"[1] # lid 4 lmc 0 "leaf-b" lid 3 4xQDR
)";

std::vector<config::SharedSource> files() {
  return {file("links.cfg", list_of(Plan{}.build())), file("fabric.topo", kIbnetdiscover)};
}

std::vector<fabric::Condition> compare(const config::SharedSource& source, const Fabric& fabric) {
  const auto expected = sm::read_expected(source);
  if (!expected) {
    for (const config::Diagnostic& finding : expected.error()) ADD_FAILURE() << finding.text();
    return {};
  }
  return sm::compare_expected(*expected, fabric);
}

TEST(ExpectedTopology, OfTheSameFabricHasNoDifferenceInAnyFormat) {
  for (const auto& source : files())
    EXPECT_THAT(compare(source, Plan{}.build()), IsEmpty()) << source.file;
}

TEST(ExpectedTopology, EachKindOfDifferenceIsAConditionOfItsOwn) {
  for (const auto& source : files()) {
    SCOPED_TRACE(source.file);
    const auto found = [&](const Plan& plan) { return ids(compare(source, plan.build())); };
    EXPECT_THAT(found({.link_8 = false}),
                ElementsAre(ConditionId(sm::kTopologyConditions.topology_link_missing)));
    EXPECT_THAT(found({.extra_link = true}),
                ElementsAre(ConditionId(sm::kTopologyConditions.topology_link_extra)));
    EXPECT_THAT(found({.host_b = false}),
                ElementsAre(ConditionId(sm::kTopologyConditions.topology_node_missing)));
    EXPECT_THAT(found({.extra_host = true}),
                ElementsAre(ConditionId(sm::kTopologyConditions.topology_node_extra)));
    EXPECT_THAT(found({.swapped = true}),
                ElementsAre(ConditionId(sm::kTopologyConditions.topology_miscabled)));
    EXPECT_THAT(found({.host_b_at_a = true}),
                ElementsAre(ConditionId(sm::kTopologyConditions.topology_node_moved)));
  }
  EXPECT_THAT(ids(compare(files()[1], Plan{.lanes_mask = 1}.build())),
              testing::Each(ConditionId(sm::kTopologyConditions.topology_link_slow)))
      << "only where rates are stated";
  EXPECT_THAT(compare(files()[1], Plan{.lanes_mask = 1}.build()), SizeIs(4));
}

TEST(ExpectedTopology, NamesBothEndsAndTheOperatorsNames) {
  Fabric fabric = Plan{.link_8 = false}.build();
  fabric.node_names = std::make_shared<const fabric::NodeNames>(
      fabric::NodeNames{{mad::Guid{0xa0}, "rack 1 leaf"}});
  const auto found = compare(files()[0], fabric);
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].text,
            "link missing: \"rack 1 leaf\" (0x00000000000000a0) port 8 <-> \"leaf-b\" "
            "(0x00000000000000b0) port 8");
  EXPECT_EQ(found[0].guid, mad::Guid{0xa0});
  EXPECT_EQ(found[0].port, mad::PortNum{8});
}

TEST(ExpectedTopology, AHostMayBeNamedByItsPortGuid) {
  std::string text = list_of(Plan{}.build());
  for (std::size_t at; (at = text.find("0x00000000000000b1")) != std::string::npos;)
    text.replace(at, 18, "0x00000000000000b2");
  EXPECT_THAT(compare(file("links.cfg", text), Plan{}.build()), IsEmpty());
}

TEST(ExpectedTopology, NoDiscoverLinksMayBeThereOrNot) {
  const auto source =
      file("links.cfg", list_of(Plan{}.build()) + "0xa0,6,0xb0,6,Any,No-discover\n");
  EXPECT_THAT(compare(source, Plan{}.build()), IsEmpty());
  EXPECT_THAT(compare(source, Plan{.extra_link = true}.build()), IsEmpty());
}

TEST(ExpectedTopology, WhatIsBehindAnIsolatedPortIsNotMissed) {
  Fabric fabric = Plan{.host_b = false}.build();
  fabric.ports[sm::find_place(fabric, {mad::Guid{0xb0}, mad::PortNum{1}})].isolated = true;
  EXPECT_THAT(compare(files()[0], fabric), IsEmpty());
}

TEST(ExpectedTopology, ConditionsOfAKindAreBounded) {
  std::string text = list_of(Plan{}.build());
  for (unsigned i = 0; i < 500; ++i)
    text += fmt::format("{:#x},1,{:#x},2,Any,Active\n", 0x1000 + 2 * i, 0x1001 + 2 * i);
  const auto found = compare(file("links.cfg", text), Plan{}.build());
  EXPECT_THAT(found, SizeIs(101));
  EXPECT_EQ(found.back().text, "and 900 more of this kind");
}

TEST(ExpectedTopology, LinesThatAreSkippedAreWarnings) {
  config::Diagnostics found;
  sm::check_expected(file("t.net", "root@n1:~$ ibnetdiscover\nSwitch 4 \"S\"\n"), found);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_THAT(found.front().text(), HasSubstr("t.net:1:1: warning: skipped before the first"));
}

TEST(ExpectedTopology, BadLinesAreNamedByLineAndColumn) {
  const auto errors = [](const std::string& text) {
    const auto read = sm::read_expected(file("t.cfg", text));
    std::vector<std::string> all;
    if (!read)
      for (const config::Diagnostic& finding : read.error()) all.push_back(finding.text());
    return all;
  };
  EXPECT_THAT(errors("0xa0,1,0xa1,1,Any\n"),
              ElementsAre(AllOf(HasSubstr("t.cfg:1:1: "), HasSubstr("6 fields"))));
  EXPECT_THAT(errors("# x\n0xa0,1,zz,1,Any,Active\n"),
              ElementsAre(AllOf(HasSubstr("t.cfg:2:8: "), HasSubstr("is not a GUID"))));
  EXPECT_THAT(errors("0xa0,255,0xa1,1,Any,Active\n"), ElementsAre(HasSubstr("t.cfg:1:6: ")));
  EXPECT_THAT(errors("0xa0,0,0xa1,1,Any,Active\n"), ElementsAre(HasSubstr("write a port number")));
  EXPECT_THAT(errors("0xa0,1,0xa1,1,Toaster,Active\n"), ElementsAre(HasSubstr("type")));
  EXPECT_THAT(errors("0xa0,1,0xa1,1,Any,Activ\n"), ElementsAre(HasSubstr("t.cfg:1:19: ")));
  EXPECT_THAT(errors("0xa0,1,0xa0,1,Any,Active\n"), ElementsAre(HasSubstr("the same port")));
  EXPECT_THAT(errors("0xa0,1,0xa1,1,Any,Active\n0xa0,1,0xa2,1,Any,Active\n"),
              ElementsAre(AllOf(HasSubstr("t.cfg:2:1: "), HasSubstr("line 1"))));
  EXPECT_THAT(errors("Switch 8 \"S-1\" # \"x\"\n[1] \"S-2\"[1]\n"), testing::Not(IsEmpty()));
  EXPECT_THAT(errors(""), IsEmpty());
  EXPECT_THAT(errors(" 0xa0 , 1 , 0xa1 , 1 , any , ACTIVE \n"), IsEmpty());
}

TEST(ExpectedTopology, IsComparedAgainOnlyWhenFileOrLinksChange) {
  sm::ExpectedTopology expected;
  const config::SharedSource source = files()[0];
  EXPECT_THAT(expected.conditions(source, Plan{}.build()), IsEmpty());
  EXPECT_THAT(expected.conditions(source, Plan{.link_8 = false}.build()), SizeIs(1));
  EXPECT_THAT(expected.conditions(source, Plan{.link_8 = false}.build()), SizeIs(1));
  EXPECT_THAT(expected.conditions(file("empty.cfg", ""), Plan{}.build()), SizeIs(4));
  EXPECT_THAT(expected.conditions({}, Plan{}.build()), IsEmpty());
}

TEST(ExpectedTopologyFile, MistakesInItAreWarnings) {
  config::Diagnostics found;
  sm::check_expected(file("t.cfg", "0xa,1,0xb,1,Any,Active\nnonsense\n"), found);
  ASSERT_FALSE(found.empty());
  EXPECT_FALSE(config::has_errors(found));
  EXPECT_THAT(found.front().text(), AllOf(HasSubstr("t.cfg:2:"), HasSubstr("warning"),
                                          HasSubstr("links are not compared with this file")));
}

}  // namespace expected_topology_test
