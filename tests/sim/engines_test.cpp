// Each routing engine with the files that it reads, from the text of a configuration to the tables
// in the hardware: the engine that is configured routes, or a condition says why not.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "config/check.h"
#include "config/engine_names.h"
#include "config/schema.h"
#include "routing/core/routing_conditions.h"
#include "routing/qos/path_sl.h"
#include "sim/laboratory.h"
#include "sm/ctl/topology/generators.h"
#include "support/check/checks.h"

namespace engines_test {

using fabric::ConditionId;
using testing::HasSubstr;

/// Returns the keys of the files that the engine reads.
std::vector<std::string> files_of(std::string_view engine) {
  std::vector<std::string> files;
  config::Options options;
  for (const config::Key& key : config::keys())
    if (config::engine_reads(engine, key.name) &&
        std::holds_alternative<std::string*>(key.ref(options)))
      files.emplace_back(key.name);
  return files;
}

/// Returns a fabric that the engine can route.
topology::Topology fabric_for(std::string_view engine) {
  const std::string_view plain = config::plain_engine(engine)->name;
  if (plain == "ftree" || plain == "dmodc" || plain == "updn" || plain == "minhop")
    return topology::xgft({.children = {3, 4}, .parents = {1, 3}, .cables = {}});
  if (plain == "dor") return topology::row({.switches = 3, .cables = 2});
  if (plain == "torus-2QoS" || plain == "auto")
    return topology::torus({.dimensions = {3, 3, 3}, .hosts_per_switch = 1});
  return topology::torus({.dimensions = {3, 3}, .hosts_per_switch = 2});
}

/// One manager that is started with a configuration file, on switches with adaptive routing.
class Configured : public laboratory::Solo {
 public:
  explicit Configured(const std::string& engine) : Solo(fabric_for(engine)), engine_(engine) {
    make_adaptive();
    for (const sim::NodeIndex index : model.nodes.indices())
      (model.nodes[index].is_switch() ? switches_ : hosts_).push_back(index);
  }

  /// Reads the configuration as the daemon does, and starts with it. `files` are those that exist.
  void configure(const std::vector<std::string>& files, const std::string& lines = {}) {
    std::string text = fmt::format("routing_engine {}\nconnect_roots TRUE\n{}", engine_, lines);
    for (const std::string& key : files_of(engine_)) text += fmt::format("{0} {0}\n", key);
    std::map<std::string, std::string> disk{{"heddle.conf", text}};
    for (const std::string& key : files) disk[key] = content(key);
    checked = config::check_config(
        "heddle.conf", [&](const std::string& path) -> tl::expected<std::string, std::error_code> {
          if (const auto found = disk.find(path); found != disk.end()) return found->second;
          return tl::unexpected(std::make_error_code(std::errc::no_such_file_or_directory));
        });
    ASSERT_FALSE(config::has_errors(checked.diagnostics)) << findings();
    options = checked.options;
    Solo::start();
    heddle().files = checked.files;
    heddle().start(options);
  }
  std::string findings() const {
    std::string all;
    for (const config::Diagnostic& finding : checked.diagnostics) all += finding.text() + "\n";
    return all;
  }
  std::string running_engine() const {
    const auto subnet = status().subnet;
    return subnet ? subnet->routing->engine : "none";
  }
  /// Returns the texts of active conditions of this kind.
  std::vector<std::string> texts(ConditionId id) const {
    std::vector<std::string> out;
    for (const auto& raised : status().conditions)
      if (raised.condition.id == id) out.push_back(raised.condition.text);
    return out;
  }
  std::size_t choosing_switches() const {
    return static_cast<std::size_t>(std::ranges::count_if(switches_, [&](sim::NodeIndex index) {
      return model.nodes[index].sw->adaptive->info.enable();
    }));
  }
  /// Returns the credit loops of packets between hosts with the service levels of their paths.
  std::string credit_loops() const {
    const auto subnet = status().subnet;
    const auto sl = [&](sim::PortIndex from, mad::Lid to) {
      const fabric::PortIndex sender = subnet->fabric.port_of_guid.at(model.ports[from].guid);
      return routing::path_sl(*subnet->routing,
                              {subnet->fabric.leaf_switch(sender), to,
                               subnet->fabric.leaf_switch(subnet->lids.owner(to))},
                              {});
    };
    return sim::first_complaint(
        sim::check_credit_loops(model, reachable(), sim::Traffic::between_hosts, sl));
  }

  config::CheckedConfig checked;

 private:
  std::string guid(const std::string& name) {
    return fmt::format("{}", node(name).info.node_guid());
  }
  std::string guid(sim::NodeIndex index) const {
    return fmt::format("{}", model.nodes[index].info.node_guid());
  }
  /// Returns the first port of a switch that leads to another switch.
  unsigned first_trunk(sim::NodeIndex sw) const {
    for (unsigned number = 1; number <= model.nodes[sw].port_count(); ++number)
      if (const sim::PortIndex port = model.port(sw, number);
          far(port) != sim::kNone && model.owning_node(far(port)).is_switch())
        return number;
    return 0;
  }
  bool has_hosts(sim::NodeIndex sw) const {
    for (unsigned number = 1; number <= model.nodes[sw].port_count(); ++number)
      if (const sim::PortIndex port = model.port(sw, number);
          far(port) != sim::kNone && !model.owning_node(far(port)).is_switch())
        return true;
    return false;
  }

  std::string content(const std::string& key) {
    const sim::NodeIndex sw = switches_.front();
    const unsigned trunk = first_trunk(sw);
    if (key == "hop_weights_file") return fmt::format("{} {} 2\n", guid(sw), trunk);
    if (key == "port_search_ordering_file" || key == "port_prof_ignore_file")
      return fmt::format("{} {}\n", guid(sw), trunk);
    if (key == "ids_guid_file") return fmt::format("{} 7\n", guid(sw));
    if (key == "lfts_file") return fmt::format("Unicast lids guid {}:\n0xbfff 1\n", guid(sw));
    if (key == "lid_matrix_dump_file")
      return fmt::format("Switch: guid {}\n0xbfff: 00 01\n", guid(sw));
    if (key == "rch_policy_file") return "unicast-step\nid: 1\nengine: minhop\nend-unicast-step\n";
    if (key == "topo_policy_file")
      return "topology\nid: 7\nsw-grp: ALL_SWITCHES\nhca-grp: ALL_CAS\nend-topology\n";
    if (key == "torus_config")
      return fmt::format("torus 3 3 3\nxp_link {0} {1}\nyp_link {0} {2}\nzp_link {0} {3}\n",
                         guid("S0_0_0"), guid("S1_0_0"), guid("S0_1_0"), guid("S0_0_1"));
    std::string list;
    if (key == "root_guid_file") {
      for (const sim::NodeIndex each : switches_)
        if (!has_hosts(each)) list += guid(each) + "\n";
      return list.empty() ? guid(sw) + "\n" : list;
    }
    // The last host stores what the others compute.
    const bool is_storage = key == "io_guid_file";
    for (std::size_t i = 0; i < hosts_.size(); ++i)
      if ((i + 1 == hosts_.size()) == is_storage)
        list += fmt::format("{}\n", model.ports[port(hosts_[i])].guid);
    return list;
  }

  const std::string engine_;
  std::vector<sim::NodeIndex> switches_, hosts_;
};

std::vector<std::string> all_engines() {
  return {config::built_engines().begin(), config::built_engines().end()};
}

class EachEngine : public testing::TestWithParam<std::string> {};

TEST_P(EachEngine, RoutesWhereItsFilesAreThere) {
  const std::string engine = GetParam();
  Configured lab(engine);
  ASSERT_NO_FATAL_FAILURE(lab.configure(files_of(engine)));
  EXPECT_EQ(lab.findings(), "");
  ASSERT_TRUE(lab.comes_up()) << lab.complaint() << lab.tail();
  EXPECT_EQ(lab.running_engine(), engine == "auto" ? "torus-2QoS" : engine) << lab.tail();
  EXPECT_THAT(lab.texts(routing::kRoutingConditions.routing_refused), testing::IsEmpty());
  lab.settle();
  EXPECT_EQ(lab.choosing_switches() > 0, config::routes_adaptively(engine)) << lab.tail();
}

TEST_P(EachEngine, WithoutItsFilesItRoutesOrACheckAndAConditionSaySo) {
  const std::string engine = GetParam();
  Configured lab(engine);
  ASSERT_NO_FATAL_FAILURE(lab.configure({}));
  const auto needed = config::files_needed(engine);
  for (const std::string& key : files_of(engine))
    EXPECT_THAT(
        lab.findings(),
        testing::ContainsRegex(fmt::format(
            "heddle.conf:[0-9]+:{}: warning: {} {} cannot be read: ", key.size() + 2, key, key)));
  ASSERT_TRUE(lab.comes_up()) << lab.complaint() << lab.tail();
  const auto refusals = lab.texts(routing::kRoutingConditions.routing_refused);
  if (needed.empty()) {
    EXPECT_NE(lab.running_engine(), "none");
    if (engine != "auto") {
      EXPECT_EQ(lab.running_engine(), engine) << lab.tail();
    }
    return;
  }
  EXPECT_THAT(lab.findings(), HasSubstr(engine + " does not route without it"));
  EXPECT_EQ(lab.running_engine(), "minhop");
  EXPECT_THAT(refusals, testing::ElementsAre(testing::AllOf(testing::StartsWith(engine + ": "),
                                                            HasSubstr(needed.front()))));
}

INSTANTIATE_TEST_SUITE_P(Built, EachEngine, testing::ValuesIn(all_engines()), [](const auto& test) {
  std::string name = test.param;
  std::erase(name, '-');
  return name;
});

/// Paths over datelines have service levels of their own, with and without qos.
TEST(TorusWithAdaptiveRouting, ComesUpWithoutACreditLoop) {
  for (const std::string engine : {"ar_torus", "torus-2QoS"})
    for (const char* const lines : {"", "qos TRUE\nqos_max_vls 8\n"}) {
      SCOPED_TRACE(engine + " " + lines);
      Configured lab(engine);
      ASSERT_NO_FATAL_FAILURE(lab.configure(files_of(engine), lines));
      ASSERT_TRUE(lab.comes_up()) << lab.complaint() << lab.tail();
      lab.settle();
      EXPECT_EQ(lab.running_engine(), engine);
      EXPECT_EQ(lab.credit_loops(), "");
      EXPECT_THAT(lab.texts(routing::kRoutingConditions.routing_limit), testing::IsEmpty());
      EXPECT_EQ(lab.choosing_switches() > 0, engine == "ar_torus");
      lab.expect_all_choices_arrive();
    }
}

}  // namespace engines_test
