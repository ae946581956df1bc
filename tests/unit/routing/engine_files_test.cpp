// The files of routing engines. The table of config/ says which engine reads which: the loader and
// the engines themselves show whether that is so.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <variant>

#include "config/check.h"
#include "config/engine_names.h"
#include "config/schema.h"
#include "mad/format.h"
#include "routing/core/routing_conditions.h"
#include "routing/registry.h"
#include "routing/topology_kind.h"
#include "sm/ctl/topology/generators.h"
#include "sm/sweep/decide/engine_options.h"
#include "support/fabrics.h"
#include "support/tori.h"

namespace engine_files_test {

using fabrics::Subnet;
using routing::Engine;
using testing::HasSubstr;

/// Returns the keys of files that some engines read and others do not.
std::vector<std::string_view> file_keys() {
  std::vector<std::string_view> files;
  config::Options options;
  for (const config::Key& key : config::keys())
    if (!config::engines_that_read(key.name).empty() &&
        std::holds_alternative<std::string*>(key.ref(options)))
      files.push_back(key.name);
  return files;
}

/// A fabric, and files that name its nodes.
class Site {
 public:
  explicit Site(fabric::Fabric fabric, std::string torus = "torus 3 1 1\nxp_link 1 2\n")
      : subnet_(std::move(fabric)), torus_(std::move(torus)) {
    for (const auto& end : subnet_.graph.end_ports)
      if (end.out != mad::PortNum{0})
        hosts_.emplace_back(subnet_.fabric.ports[end.port].guid, end.sw);
    std::ranges::sort(hosts_);
  }

  const Subnet& subnet() const { return subnet_; }
  std::string content(std::string_view key) const {
    if (key == "root_guid_file") return fmt::format("{}\n", guid(hosts_.front().second));
    if (key == "cn_guid_file") return ports(0);
    if (key == "io_guid_file") return ports(1);
    if (key == "guid_routing_order_file") return fmt::format("{}\n", hosts_.back().first);
    if (key == "torus_config") return torus_;
    if (key == "rch_policy_file") return "unicast-step\nid: 1\nengine: updn\nend-unicast-step\n";
    if (key == "topo_policy_file")
      return "topology\nid: 7\nsw-grp: ALL_SWITCHES\nhca-grp: ALL_CAS\nend-topology\n";
    std::string text;
    for (const fabric::SwitchIndex sw : subnet_.graph.all_switches()) {
      const auto out = subnet_.graph.out_ports(sw);
      const unsigned first = out.front().value;
      if (key == "hop_weights_file") text += fmt::format("{} {} 5\n", guid(sw), first);
      if (key == "port_prof_ignore_file") text += fmt::format("{} {}\n", guid(sw), first);
      if (key == "ids_guid_file") text += fmt::format("{} {}\n", guid(sw), 1000 - sw.value);
      if (key == "port_search_ordering_file") {
        text += fmt::format("{}", guid(sw));
        for (auto port = out.rbegin(); port != out.rend(); ++port)
          text += fmt::format(" {}", unsigned{port->value});
        text += '\n';
      }
      // A LID that no port has: all others are routed by minhop.
      if (key == "lfts_file") text += fmt::format("Unicast lids guid {}:\n0xbfff 1\n", guid(sw));
      if (key == "lid_matrix_dump_file")
        text += fmt::format("Switch: guid {}\n0xbfff: 00 01\n", guid(sw));
    }
    return text;
  }

 private:
  mad::Guid guid(fabric::SwitchIndex sw) const {
    return subnet_.fabric.nodes[subnet_.fabric.switches[sw].node].guid;
  }
  std::string ports(std::size_t first) const {
    std::string text;
    for (std::size_t i = first; i < hosts_.size(); i += 2)
      text += fmt::format("{}\n", hosts_[i].first);
    return text;
  }

  Subnet subnet_;
  std::string torus_;
  std::vector<std::pair<mad::Guid, fabric::SwitchIndex>> hosts_;
};

std::vector<Site> sites() {
  const tori::Lattice torus{.radix = {3, 3, 3}, .cables = 2};
  std::vector<Site> all;
  all.emplace_back(fabrics::from_topology(
      topology::xgft({.children = {3, 4}, .parents = {1, 3}, .cables = {1, 2}})));
  all.emplace_back(torus.fabric(),
                   fmt::format("torus 3 3 3\nxp_link {0} {1}\nyp_link {0} {2}\nzp_link {0} {3}\n",
                               torus.guid({0, 0, 0}), torus.guid({1, 0, 0}), torus.guid({0, 1, 0}),
                               torus.guid({0, 0, 1})));
  return all;
}

/// Holds what an engine makes of a fabric, notes excepted.
struct Outcome {
  std::string refusal;
  fabric::ForwardingTables lfts;
  decltype(routing::RoutingResult::ca_order) ca_order;
  bool operator==(const Outcome&) const = default;
};

routing::RoutingOptions options_of(std::string_view engine, const std::set<std::string>& files,
                                   const Site& site) {
  std::string text = fmt::format("routing_engine {}\n", engine);
  for (const std::string& key : files) text += fmt::format("{0} {0}\n", key);
  const config::CheckedConfig checked = config::check_config(
      "x.conf", [&](const std::string& path) -> tl::expected<std::string, std::error_code> {
        if (path == "x.conf") return text;
        if (files.contains(path)) return site.content(path);
        return tl::unexpected(std::make_error_code(std::errc::no_such_file_or_directory));
      });
  for (const config::Diagnostic& finding : checked.diagnostics)
    EXPECT_EQ(finding.severity, config::Severity::warning) << finding.text();
  return sm::routing_options(checked.options, checked.files);
}

Outcome outcome(const Engine& engine, const routing::RoutingOptions& options, const Site& site) {
  const Subnet& subnet = site.subnet();
  auto routed = engine.route({subnet.fabric, subnet.graph, subnet.lids, options});
  if (!routed) return {.refusal = routed.error().why, .lfts = {}, .ca_order = {}};
  return {.refusal = {}, .lfts = std::move(routed->lfts), .ca_order = std::move(routed->ca_order)};
}

/// Returns the files without which the key's file would change nothing.
std::set<std::string> files_beside(std::string_view engine, std::string_view key) {
  std::set<std::string> files;
  const auto needed = config::files_needed(engine);
  if (!needed.empty() && std::ranges::find(needed, key) == needed.end())
    files.emplace(needed.front());
  if (key == "ids_guid_file" && config::engine_reads(engine, "root_guid_file"))
    files.emplace("root_guid_file");
  return files;
}

TEST(EngineFiles, TheTableSaysWhichEngineReadsWhichFile) {
  const std::vector<Site> all = sites();
  std::size_t read = 0;
  for (const Engine& engine : routing::engines()) {
    if (engine.groups != routing::GroupRule::none || engine.name == "chain") continue;
    for (const std::string_view key : file_keys()) {
      SCOPED_TRACE(fmt::format("{} {}", engine.name, key));
      const bool is_read = config::engine_reads(engine.name, key);
      bool makes_a_difference = false;
      for (const Site& site : all) {
        const std::set<std::string> before = files_beside(engine.name, key);
        std::set<std::string> after = before;
        after.emplace(key);
        const auto without = options_of(engine.name, before, site),
                   with = options_of(engine.name, after, site);
        if (is_read) {
          EXPECT_FALSE(with == without) << "the file is not read";
        }
        makes_a_difference |= outcome(engine, with, site) != outcome(engine, without, site);
      }
      EXPECT_EQ(makes_a_difference, is_read);
      read += is_read ? 1u : 0u;
    }
  }
  EXPECT_GT(read, 30u);
}

/// Each row of the table is an engine of the registry, and `auto` names no engine of its own.
TEST(EngineFiles, EachRowOfTheTableComputesWhatItDeclares) {
  std::vector<std::string_view> computing;
  for (const Engine& engine : routing::engines()) {
    computing.push_back(engine.name);
    ASSERT_NE(engine.route, nullptr) << engine.name;
    const config::EngineRow* const row = config::plain_engine(engine.name);
    ASSERT_NE(row, nullptr) << engine.name;
    const Engine* const plain = routing::find_engine(row->name);
    EXPECT_EQ(plain->route, engine.route) << engine.name;
    EXPECT_EQ(plain->groups, routing::GroupRule::none) << engine.name;
    EXPECT_EQ(config::routes_adaptively(engine.name), engine.groups != routing::GroupRule::none);
    EXPECT_TRUE(row->assigns_vls || engine.choose_vls == nullptr) << engine.name;
  }
  std::vector<std::string_view> declared;
  for (const config::EngineRow& row : config::engine_rows())
    if (row.name != config::kAutoEngine) declared.push_back(row.name);
  EXPECT_EQ(computing, declared);
}

TEST(EngineFiles, AutoTriesEnginesInTheOrderOfTheirRanks) {
  using testing::ElementsAre;
  const auto tried = [](routing::TopologyKind kind, std::uint8_t radix) {
    routing::RoutingOptions options;
    options.torus.dimensions[0].radix = radix;
    return routing::engines_for({.kind = kind, .what = {}}, options);
  };
  using enum routing::TopologyKind;
  EXPECT_THAT(tried(one_switch, 0), ElementsAre("minhop"));
  EXPECT_THAT(tried(tree, 0), ElementsAre("dmodc", "updn", "dfsssp", "nue"));
  EXPECT_THAT(tried(torus, 5), ElementsAre("torus-2QoS", "dfsssp", "nue", "lash"));
  for (const routing::TopologyKind kind : {torus, hypercube, dragonfly, other})
    EXPECT_THAT(tried(kind, 0), ElementsAre("dfsssp", "nue", "lash", "updn", "dnup"));
}

/// A text that names one of the engines that it concerns names all of them.
TEST(EngineFiles, TextsNameTheEnginesThatTheyConcern) {
  for (const config::Key& key : config::keys()) {
    const auto readers = config::engines_that_read(key.name);
    const auto is_named = [&](std::string_view engine) {
      return key.help.find(engine) != std::string_view::npos;
    };
    if (std::ranges::any_of(readers, is_named)) {
      EXPECT_TRUE(std::ranges::all_of(readers, is_named)) << key.name << ": " << key.help;
    }
  }
  const std::string cause(routing::kRoutingConditions.routing_limit.cause);
  for (const Engine& engine : routing::engines())
    if (!engine.promises_no_credit_loops && engine.groups == routing::GroupRule::none) {
      EXPECT_THAT(cause, HasSubstr(std::string(engine.name)));
    }
}

TEST(EngineFiles, ChainsTakeTheEnginesOfTheTable) {
  const Subnet subnet(fabrics::from_topology(topology::row({.switches = 3})));
  const auto steps = config::step_engines();
  for (const Engine& engine : routing::engines()) {
    routing::RoutingOptions options;
    options.chain_steps = {{.id = 1, .engine = std::string(engine.name)}};
    const auto routed =
        routing::find_engine("chain")->route({subnet.fabric, subnet.graph, subnet.lids, options});
    const bool is_unfit =
        !routed && routed.error().why.find("this engine cannot route a part") != std::string::npos;
    EXPECT_EQ(is_unfit, std::ranges::find(steps, engine.name) == steps.end()) << engine.name;
  }
}

TEST(EngineFiles, AnEngineWithoutItsFileLeavesTheFabricToTheNext) {
  const Site site = sites().back();
  const Subnet& subnet = site.subnet();
  for (const std::string engine : {"torus-2QoS", "ar_torus", "file"}) {
    const std::string file(config::files_needed(engine).front());
    for (const bool is_there : {true, false}) {
      SCOPED_TRACE(fmt::format("{} {}", engine, is_there));
      const auto options =
          options_of(engine, is_there ? std::set{file} : std::set<std::string>{}, site);
      const auto routed =
          routing::route_with_chain(std::vector<std::string>{engine, "nue"}, true,
                                    {subnet.fabric, subnet.graph, subnet.lids, options});
      ASSERT_TRUE(routed) << routed.error().why;
      EXPECT_EQ(routed->routing.engine, is_there ? engine : "nue");
      EXPECT_EQ(routed->refusals.size(), is_there ? 0u : 1u);
      if (!is_there) {
        EXPECT_THAT(routed->refusals.front(), testing::AllOf(HasSubstr(engine), HasSubstr(file)));
      }
    }
  }
}

}  // namespace engine_files_test
