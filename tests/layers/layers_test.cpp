#include "layers/includes.h"

#include <gmock/gmock.h>

#include "layers/tree.h"

namespace {

using layers::Source;
using layers::Table;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Table table_of(std::string_view text) {
  const auto table = layers::parse_table(text);
  EXPECT_TRUE(table) << (table ? "" : table.error());
  return table.value_or(Table{});
}

std::vector<std::string> findings(const std::vector<Source>& sources) {
  return layers::check(table_of("4    sm/sweep      sm       writes\n"
                                "3    routing       routing  registry\n"
                                "3    routing/core  routing  interface\n"
                                "2    fabric        sm       model\n"
                                "side sim/check     sim      checks\n"
                                "side sim/world     sim      simulation\n"),
                       sources)
      .findings;
}

TEST(Layers, IncludesOfTheProductLeadDown) {
  const Table table = table_of(layers::content(HEDDLE_LAYERS_TABLE));
  const std::vector<Source> sources = layers::read_tree(HEDDLE_SOURCE_DIR, table);
  EXPECT_GT(sources.size(), 400u) << "files are missing";
  const layers::Report report = layers::check(table, sources);
  EXPECT_THAT(report.findings, IsEmpty());
  EXPECT_GT(report.includes.size(), 100u) << "includes are missing";
}

TEST(Layers, EachModuleOfTheTableIsADirectory) {
  for (const layers::Module& module : table_of(layers::content(HEDDLE_LAYERS_TABLE)))
    EXPECT_TRUE(
        std::filesystem::is_directory(std::filesystem::path(HEDDLE_SOURCE_DIR) / module.path))
        << module.path;
}

TEST(Layers, AnUpwardIncludeInAFileIsFound) {
  const Table table = table_of(layers::content(HEDDLE_LAYERS_TABLE));
  EXPECT_THAT(
      layers::check(table, layers::read_tree(HEDDLE_LAYERS_FIXTURE, table)).findings,
      ElementsAre(
          "fabric/subnet.h:4: fabric (layer 2) includes routing (layer 3): includes only lead "
          "to lower layers",
          "fabric/subnet, routing/registry: these files include each other in a cycle"));
}

TEST(Layers, FilesOfOneModuleThatIncludeEachOtherAreFound) {
  EXPECT_THAT(findings({{"fabric/a.h", ""},
                        {"fabric/a.cpp", "#include \"fabric/a.h\"\n#include \"fabric/b.h\"\n"},
                        {"fabric/b.h", "#include \"fabric/a.h\"\n"},
                        {"fabric/c.h", "#include \"fabric/b.h\"\n"}}),
              ElementsAre("fabric/a, fabric/b: these files include each other in a cycle"));
  EXPECT_THAT(findings({{"fabric/a.h", ""},
                        {"fabric/a.cpp", "#include \"fabric/a.h\"\n"},
                        {"fabric/b.h", "#include \"fabric/a.h\"\n"}}),
              IsEmpty());
}

TEST(Layers, LowerLayersAndOwnModuleMayBeIncluded) {
  EXPECT_THAT(findings({{"sm/sweep/sweeper.h",
                         "#include \"fabric/fabric.h\"\n"
                         "  #  include \"routing/core/engine.h\"\n"
                         "#include \"routing/registry.h\"\n"
                         "#include \"sm/sweep/apply/plan.h\"\n"
                         "#include <vector>\n"}}),
              IsEmpty());
}

TEST(Layers, AnUpwardIncludeIsFoundWithFileAndLine) {
  EXPECT_THAT(
      findings({{"routing/core/engine.h", "#pragma once\n#include \"sm/sweep/apply/plan.h\"\n"}}),
      ElementsAre("routing/core/engine.h:2: routing/core (layer 3) includes sm/sweep (layer "
                  "4): includes only lead to lower layers"));
}

TEST(Layers, WithinALayerTheOrderOfTheTableHolds) {
  EXPECT_THAT(findings({{"routing/registry.cpp", "#include \"routing/core/engine.h\"\n"}}),
              IsEmpty());
  EXPECT_THAT(findings({{"routing/core/engine.cpp", "#include \"routing/registry.h\"\n"}}),
              ElementsAre(HasSubstr("routing/core/engine.cpp:1: routing/core (layer 3) includes "
                                    "routing (layer 3): in the same layer")));
}

TEST(Layers, SideModulesIncludeTheLowestLayersAndAreIncludedByNone) {
  EXPECT_THAT(findings({{"sim/check/checks.h",
                         "#include \"fabric/fabric.h\"\n#include \"sim/world/world.h\"\n"}}),
              IsEmpty());
  EXPECT_THAT(findings({{"sim/world/world.h", "#include \"routing/core/engine.h\"\n"}}),
              ElementsAre(HasSubstr("side modules may include layers 1 to 2")));
  EXPECT_THAT(findings({{"sim/world/world.h", "#include \"sim/check/checks.h\"\n"}}),
              ElementsAre(HasSubstr("sim/world (side) includes sim/check (side)")));
  EXPECT_THAT(findings({{"sm/sweep/sweeper.cpp", "#include \"sim/world/world.h\"\n"}}),
              ElementsAre(HasSubstr("no layer includes a side module")));
}

TEST(Layers, FilesAndIncludesOutsideOfModulesAreFound) {
  EXPECT_THAT(findings({{"sm/other/x.h", ""}}),
              ElementsAre("sm/other/x.h: in no module of layers.txt"));
  EXPECT_THAT(findings({{"routing/core/engine.h", "#include \"options.h\"\n"}}),
              ElementsAre(HasSubstr("\"options.h\" is in no module of layers.txt")));
}

TEST(Layers, AForwardDeclarationCountsAsAnInclude) {
  EXPECT_THAT(
      findings(
          {{"fabric/subnet.h", "namespace routing {\n// Above.\nstruct Result;  // there\n}\n"}}),
      ElementsAre(HasSubstr("fabric/subnet.h:1: fabric (layer 2) declares types of namespace "
                            "routing")));
  EXPECT_THAT(findings({{"routing/core/engine.h", "namespace sm {\nstruct Fabric;\n}\n"}}),
              IsEmpty());
  EXPECT_THAT(findings({{"fabric/subnet.h", "namespace routing {\nstruct Result {};\n}\n"}}),
              IsEmpty());
}

TEST(Layers, TheMapCountsIncludesByDirection) {
  const Table table = table_of("2 a x one\n1 b y two\n");
  const layers::Report report = layers::check(
      table,
      {{"a/1.h", "#include \"b/1.h\"\n#include \"b/2.h\"\n"}, {"b/1.h", "#include \"a/1.h\"\n"}});
  EXPECT_EQ(layers::map_text(table, report),
            "a (layer 2)\n"
            "      2  -> b (layer 1)\n"
            "b (layer 1)\n"
            "      1  !! a (layer 2): includes only lead to lower layers\n");
}

TEST(Layers, AnEmptyOrContradictoryTableIsRefused) {
  EXPECT_EQ(layers::parse_table("# nothing\n").error(), "there is no module");
  EXPECT_EQ(layers::parse_table("x a n\n").error(), "line 1: 'x' is neither a layer nor 'side'");
  EXPECT_EQ(layers::parse_table("2 a\n").error(),
            "line 1: a layer, a module and its namespaces are needed");
  EXPECT_EQ(layers::parse_table("2 a n\n\n1 a n\n").error(), "line 3: a is listed twice");
  EXPECT_EQ(layers::parse_table("1 a n\n2 b n\n").error(), "line 2: layer 2 is below layer 1");
}

}  // namespace
