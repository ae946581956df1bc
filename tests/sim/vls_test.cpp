// A sweeper's virtual lanes on a simulated fabric: SL to VL tables and VL arbitration as the
// hardware then has them.

#include <gmock/gmock.h>
#include <spdlog/logger.h>
#include <spdlog/sinks/ostream_sink.h>

#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <sstream>
#include <utility>
#include <vector>

#include "mad/attributes/port_tables.h"
#include "mad/format.h"
#include "routing/qos/path_sl.h"
#include "routing/registry.h"
#include "sim/surveys.h"
#include "sm/ctl/topology/generators.h"
#include "sm/sweep/sweeper.h"
#include "support/check/checks.h"
#include "support/check/used_pairs.h"
#include "support/scratch.h"
#include "support/seeds.h"
#include "support/sweep_clients.h"

namespace lanes_test {

using namespace std::chrono_literals;
using mad::AttributeId, mad::Method;
using testing::HasSubstr;

topology::Topology tree() {
  return topology::xgft({.children = {3, 4}, .parents = {1, 3}, .cables = {}});
}
topology::Topology torus() {
  return topology::torus({.dimensions = {4, 4}, .hosts_per_switch = 1});
}

class Lab : public surveys::Observer {
 public:
  explicit Lab(const topology::Topology& topology, std::uint64_t seed = 1)
      : Observer(topology, seed, {.timeout = 50ms, .retries = 2}) {
    logger = std::make_shared<spdlog::logger>(
        "vls", std::make_shared<spdlog::sinks::ostream_sink_st>(log));
    logger->set_pattern("%v");
    folder = support::parent_of_scratch() /
             fmt::format("heddle-vls-{}-{}", ::getpid(), static_cast<const void*>(this));
    std::filesystem::create_directory(folder);
    settings.cache_files_dir = settings.dump_files_dir = folder.string();
    settings.enable_subnet_lst = false;
    settings.fsync_high_avail_files = false;
    settings.qos = true;
    set_wildcards(false);
    restart();
  }
  ~Lab() {
    std::error_code ignored;
    std::filesystem::remove_all(folder, ignored);
  }
  /// What is configured now.
  sm::SharedContext context() const { return sm::make_context(settings, files, partitioning); }
  void restart() {
    conditions.emplace([this] { return runtime.now(); }, *logger);
    sweeper = std::make_unique<sm::Sweeper>(client, *logger, *conditions, clients);
  }
  void set_wildcards(bool able) {
    settings.use_optimized_slvl = able;
    settings.origins.insert_or_assign("use_optimized_slvl", config::Origin{});
    for (sim::NodeModel& node : model.nodes) {
      if (node.is_switch())
        node.sw->info.set_optimized_sl_to_vl_mapping_programming(
            able ? mad::OptimizedSlToVl::wildcard : mad::OptimizedSlToVl::none);
    }
  }

  sm::SweepEnd sweep(bool trust_tables = true) {
    attachment->forget_counts();
    log.str("");
    const auto both = [this, trust_tables]() -> boost::asio::awaitable<sm::PassResult> {
      const sm::PassRequest order{.everything = true, .trust_tables = trust_tables, .why = "test"};
      sm::Survey survey = co_await sweeper->observe(context(), order, true);
      co_return co_await sweeper->pass(context(), order, std::move(survey));
    };
    const auto result = runtime.run(both());
    EXPECT_TRUE(result.has_value());
    return result ? result->end : sm::SweepEnd::errors;
  }
  std::uint64_t count(Method method) const {
    return attachment->sent(method, AttributeId::sl_to_vl_mapping_table) +
           attachment->sent(method, AttributeId::vl_arbitration_table);
  }
  bool says(std::string_view text) const { return log.view().find(text) != std::string_view::npos; }

  sim::PortIndex real(const fabric::Fabric& fabric, fabric::PortIndex index) const {
    const fabric::Port& its = fabric.ports[index];
    for (const sim::NodeIndex node : model.nodes.indices()) {
      if (model.nodes[node].info.node_guid() == fabric.nodes[its.node].guid)
        return port(node, its.number.value);
    }
    return sim::kNone;
  }
  /// What of the hardware is not as it should be; "" if all is. Expectations are those of `wanted`,
  /// `high` and `low`, which each test writes by hand: nothing is taken from the sweeper.
  std::string complaint() const {
    if (std::string text = complaint_of_mapping(); !text.empty()) return text;
    const std::vector<bool> reach = reachable();
    for (const sim::PortIndex port : model.ports.indices()) {
      if (!reach[owning_node(port)] || !leads_somewhere(port, reach)) continue;
      for (const auto& [first_block, list] : {std::pair{1u, &low}, std::pair{3u, &high}}) {
        if (std::string text = arbitration(port, first_block), right = in_range(*list, port);
            text != right) {
          return fmt::format("{}: {} priority is \"{}\", not \"{}\"", model.name(port),
                             first_block == 1 ? "low" : "high", text, right);
        }
      }
    }
    return "";
  }
  /// Of OperationalVLs and SLtoVLMappingTables alone.
  std::string complaint_of_mapping() const {
    const std::vector<bool> reach = reachable();
    const std::string vls = sim::first_complaint(sim::check_operational_vls(model, reach, wanted));
    return !vls.empty() ? vls : sim::first_complaint(sim::check_sl_to_vl(model, reach, wanted));
  }
  /// "VL:weight ..." of the entries of both blocks of a VLArbitrationTable, as the port has them.
  /// Simulated ports have 8 entries of each priority.
  std::string arbitration(sim::PortIndex port, unsigned first_block) const {
    const sim::PortExtras* extras = model.ports[port].extras.get();
    if (extras == nullptr) return "never written";
    std::string text;
    for (std::size_t entry = 0; entry < kArbitrationEntries; ++entry) {
      const auto [vl, weight] = extras->vl_arbitration[first_block - 1].entry(entry);
      text += fmt::format("{}:{} ", vl.value, weight);
    }
    for (std::size_t entry = 0; entry < 2 * mad::VlArbitrationTable::kEntries; ++entry) {
      const auto& block =
          extras->vl_arbitration[first_block - 1 + entry / mad::VlArbitrationTable::kEntries];
      const auto [vl, weight] = block.entry(entry % mad::VlArbitrationTable::kEntries);
      if (entry >= kArbitrationEntries && weight != 0) text += "more than it has entries";
    }
    return text;
  }
  /// As much of the list as the port has entries for, VLs modulo the number that it runs (IBTA Vol
  /// 1, 7.6.9: an entry of a VL that is not configured would be skipped).
  std::string in_range(const std::vector<std::pair<unsigned, unsigned>>& list,
                       sim::PortIndex port) const {
    const unsigned vls = 1u << (model.ports[port].info.operational_vls() - 1u);  // codes 1..4
    std::string text;
    for (std::size_t entry = 0; entry < kArbitrationEntries; ++entry) {
      const auto [vl, weight] = entry < list.size() ? list[entry] : std::pair{0u, 0u};
      text += fmt::format("{}:{} ", vl % vls, weight);
    }
    return text;
  }
  /// qos_sl2vl, and what ports should have because of it.
  void map(const sim::ExpectedSlToVl& vls) {
    settings.qos_sets[0].sl2vl = fmt::format("{}", fmt::join(vls, ","));
    wanted.sl_to_vl = vls;
  }

  static constexpr std::size_t kArbitrationEntries = 8;
  // opensm(8): the defaults of qos_sl2vl, qos_vlarb_high and qos_vlarb_low.
  sim::Expected wanted{
      .sl_to_vl = sim::ExpectedSlToVl{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 7}};
  std::vector<std::pair<unsigned, unsigned>>  // VL, weight
      high{{0, 4}, {1, 0}, {2, 0}, {3, 0}, {4, 0}, {5, 0}, {6, 0}, {7, 0}},
      low{{0, 0}, {1, 4}, {2, 4}, {3, 4}, {4, 4}, {5, 4}, {6, 4}, {7, 4}};
  config::Options settings;
  config::InputFiles files;
  partitions::Configuration partitioning = partitions::default_configuration();
  std::ostringstream log;
  std::shared_ptr<spdlog::logger> logger;
  std::filesystem::path folder;
  std::optional<sm::ConditionLog> conditions;
  support::SweepClients clients;
  std::unique_ptr<sm::Sweeper> sweeper;
};

TEST(SweepLanes, SendsNothingWithoutQos) {
  Lab lab(tree());
  lab.settings.qos = false;
  ASSERT_EQ(lab.sweep(), sm::SweepEnd::subnet_up);
  EXPECT_EQ(lab.count(Method::get) + lab.count(Method::set), 0u);
  ASSERT_EQ(lab.sweep(false), sm::SweepEnd::subnet_up);
  EXPECT_EQ(lab.count(Method::get) + lab.count(Method::set), 0u);
  EXPECT_EQ(lab.sweeper->subnet()->vl_tables, nullptr);
}

TEST(SweepLanes, WritesOnceAndReadsBackAfterRestart) {
  Lab lab(tree());
  ASSERT_EQ(lab.sweep(), sm::SweepEnd::subnet_up) << lab.log.str();
  EXPECT_EQ(lab.complaint(), "");
  EXPECT_LE(lab.count(Method::get), 3u)
      << "only the own port's node had an Active link: other nodes have no tables to read";
  const std::uint64_t tables = lab.count(Method::set);
  EXPECT_GT(tables, 100u);

  ASSERT_EQ(lab.sweep(), sm::SweepEnd::subnet_up);
  EXPECT_EQ(lab.attachment->sets(), 0u);
  EXPECT_EQ(lab.count(Method::get), 0u);

  lab.restart();
  ASSERT_EQ(lab.sweep(), sm::SweepEnd::subnet_up);
  EXPECT_EQ(lab.count(Method::set), 0u);
  EXPECT_EQ(lab.count(Method::get), tables);

  // A change by another SM is found when tables are read back.
  const sim::NodeIndex sw = lab.neighbour(lab.own());
  lab.model.nodes[sw].sw->sl_to_vl[1 * (lab.model.nodes[sw].port_count() + 1u) + 2].fill(0);
  ASSERT_EQ(lab.sweep(false), sm::SweepEnd::subnet_up);
  EXPECT_EQ(lab.count(Method::set), 1u);
  EXPECT_EQ(lab.complaint(), "");
}

TEST(SweepLanes, BeforeForwardingTablesAndBeforePortsAreArmed) {
  Lab lab(tree());
  bool late = false, others = false;
  lab.tap.on_request = [&](mad::ConstSmpView smp) {
    if (smp.method() != Method::set) return;
    const AttributeId attribute = smp.attribute_id();
    if (attribute == AttributeId::linear_forwarding_table || attribute == AttributeId::port_info)
      others = true;
    if (attribute == AttributeId::sl_to_vl_mapping_table ||
        attribute == AttributeId::vl_arbitration_table)
      late = late || others;
  };
  ASSERT_EQ(lab.sweep(), sm::SweepEnd::subnet_up);
  EXPECT_TRUE(others);
  EXPECT_FALSE(late);
}

TEST(SweepLanes, WildcardsWhereSwitchesTakeThem) {
  Lab lab(tree());
  lab.set_wildcards(true);
  ASSERT_EQ(lab.sweep(), sm::SweepEnd::subnet_up);
  EXPECT_EQ(lab.complaint(), "");
  EXPECT_EQ(lab.attachment->sent(Method::set, AttributeId::sl_to_vl_mapping_table), 7u + 12u)
      << "one a switch, one a host";
  constexpr std::uint64_t kOutputs = 4 * 6 + 3 * 4;  // of leaves and spines
  EXPECT_EQ(lab.attachment->sent(Method::get, AttributeId::sl_to_vl_mapping_table), kOutputs)
      << "a sample of what was written";
  ASSERT_EQ(lab.sweep(), sm::SweepEnd::subnet_up);
  EXPECT_EQ(lab.attachment->sets(), 0u);
  // Nothing is known of them: a sample is read, and nothing is written.
  ASSERT_EQ(lab.sweep(false), sm::SweepEnd::subnet_up);
  EXPECT_EQ(lab.attachment->sets(), 0u);
  EXPECT_EQ(lab.attachment->sent(Method::get, AttributeId::sl_to_vl_mapping_table), kOutputs + 12);
  // Where the sample is not as it should be, all tables of the switch are written.
  const sim::NodeIndex sw = lab.neighbour(lab.own());
  for (sim::SlToVl& table : lab.model.nodes[sw].sw->sl_to_vl) table.fill(0);
  ASSERT_EQ(lab.sweep(false), sm::SweepEnd::subnet_up);
  EXPECT_EQ(lab.attachment->sent(Method::set, AttributeId::sl_to_vl_mapping_table), 1u);
  EXPECT_EQ(lab.complaint(), "");
  // By output port, where these differ.
  lab.map({0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7});
  sim::NodeIndex host{0};
  for (const sim::NodeIndex node : lab.model.nodes.indices())
    host = lab.model.nodes[node].is_switch() ? host : node;
  lab.info(lab.port(host)).set_vl_cap(2);
  lab.world.bounce(lab.port(host));  // a link that runs keeps its VLs
  lab.let_links_train();
  ASSERT_EQ(lab.sweep(), sm::SweepEnd::subnet_up);
  EXPECT_EQ(lab.complaint(), "");
  for (const sim::PortIndex end : {lab.port(host), lab.far(lab.port(host))}) {
    EXPECT_EQ(lab.info(end).operational_vls(), 2) << "code 2: VL0 and VL1";
    EXPECT_EQ(lab.arbitration(end, 3), "0:4 1:0 0:0 1:0 0:0 1:0 0:0 1:0 ");
  }
  const sim::PortIndex leaf = lab.far(lab.port(host));
  EXPECT_EQ(lab.model.vl(lab.model.owning_node(leaf), 0, lab.model.ports[leaf].number, {7}).value,
            1);
}

TEST(SweepLanes, ASwitchThatSaysItTakesWildcardsAndDoesNot) {
  Lab lab(tree());
  lab.settings.use_optimized_slvl = true;
  const sim::NodeIndex sw = lab.neighbour(lab.own());
  lab.model.nodes[sw].health.edit_response = [](mad::SmpView smp) {
    if (smp.attribute_id() != AttributeId::switch_info) return;
    mad::SwitchInfo info(smp.data());
    info.set_optimized_sl_to_vl_mapping_programming(mad::OptimizedSlToVl::wildcard);
    smp.set_data(info.bytes());
  };
  ASSERT_EQ(lab.sweep(), sm::SweepEnd::subnet_up) << lab.log.str();
  EXPECT_EQ(lab.complaint(), "");
  EXPECT_FALSE(lab.says("does not take")) << lab.log.str();
  ASSERT_EQ(lab.sweep(), sm::SweepEnd::subnet_up);
  EXPECT_EQ(lab.attachment->sets(), 0u);
}

/// What a switch makes of a wildcard that it acknowledges.
struct PartialWildcard {
  const char* name;
  std::uint32_t modifier;  // of what it does instead; 0: nothing
};
void PrintTo(const PartialWildcard& fault, std::ostream* out) { *out << fault.name; }

class PartialWildcards : public testing::TestWithParam<PartialWildcard> {};
TEST_P(PartialWildcards, AreSeenAndTablesWrittenOneByOneBeforeForwardingTables) {
  Lab lab(tree());
  lab.set_wildcards(true);
  lab.map({0, 0, 1, 1, 2, 2, 3, 3, 0, 0, 1, 1, 2, 2, 3, 3});
  lab.world.timing.boot = 10ms;
  sim::NodeModel& sw = lab.model.nodes[lab.neighbour(lab.own())];
  std::uint32_t asked = 0;
  sw.health.edit_request = [&](mad::SmpView smp) {
    if (smp.attribute_id() != AttributeId::sl_to_vl_mapping_table ||
        smp.attribute_modifier() >> 16 == 0)
      return;
    asked = smp.attribute_modifier();
    smp.set_attribute_modifier(GetParam().modifier);
    if (GetParam().modifier == 0) smp.set_method(Method::get);
  };
  sw.health.edit_response = [&](mad::SmpView smp) {
    if (asked == 0 || smp.attribute_id() != AttributeId::sl_to_vl_mapping_table ||
        smp.attribute_modifier() != GetParam().modifier)
      return;
    smp.set_attribute_modifier(std::exchange(asked, 0u));
  };
  bool mapping_after_paths = false, paths = false;
  lab.tap.on_request = [&](mad::ConstSmpView smp) {
    if (smp.method() != Method::set) return;
    paths = paths || smp.attribute_id() == AttributeId::linear_forwarding_table;
    mapping_after_paths =
        mapping_after_paths || (paths && smp.attribute_id() == AttributeId::sl_to_vl_mapping_table);
  };
  ASSERT_EQ(lab.sweep(), sm::SweepEnd::subnet_up) << lab.log.str();
  EXPECT_EQ(lab.complaint(), "");
  EXPECT_TRUE(paths);
  EXPECT_FALSE(mapping_after_paths);
  EXPECT_TRUE(lab.says("acknowledges wildcards of SLtoVLMappingTable and holds something else"))
      << lab.log.str();
  EXPECT_TRUE(lab.says(sw.description));
  const std::uint64_t singles =
      lab.attachment->sent(Method::set, AttributeId::sl_to_vl_mapping_table) - 7 - 12;
  EXPECT_GT(singles, 20u);
  EXPECT_LT(singles, 6u * 7) << "of this switch alone";

  ASSERT_EQ(lab.sweep(), sm::SweepEnd::subnet_up);
  EXPECT_EQ(lab.attachment->sets(), 0u);
  // New contents: no wildcard again.
  lab.map({0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7});
  ASSERT_EQ(lab.sweep(), sm::SweepEnd::subnet_up);
  EXPECT_EQ(lab.attachment->sent(Method::set, AttributeId::sl_to_vl_mapping_table),
            singles + 6 + 12);
  EXPECT_EQ(lab.complaint(), "");

  sw.health.edit_request = {};
  sw.health.edit_response = {};
  unsigned wildcards = 0;
  lab.tap.on_request = [&](mad::ConstSmpView smp) {
    wildcards += smp.attribute_id() == AttributeId::sl_to_vl_mapping_table &&
                 smp.attribute_modifier() >> 16 != 0;
  };
  lab.reboot(lab.neighbour(lab.own()));
  ASSERT_EQ(lab.sweep(), sm::SweepEnd::subnet_up) << lab.log.str();
  EXPECT_EQ(lab.complaint(), "");
  EXPECT_EQ(wildcards, 1u) << "a restart is worth another try";
}
INSTANTIATE_TEST_SUITE_P(Faults, PartialWildcards,
                         testing::Values(PartialWildcard{"nothing", 0},
                                         PartialWildcard{"output_1_only", 1u << 17 | 1},
                                         PartialWildcard{"output_6_only", 1u << 17 | 6},
                                         PartialWildcard{"input_0_only", 1u << 16},
                                         PartialWildcard{"input_3_only", 1u << 16 | 3u << 8},
                                         PartialWildcard{"one_pair", 1u << 8 | 2}),
                         [](const auto& test) { return test.param.name; });

TEST(SweepLanes, WildcardsAreTheDefaultAndOffIfTheOptionIsSetToFalse) {
  for (const bool set : {false, true}) {
    SCOPED_TRACE(set);
    Lab lab(tree());
    lab.set_wildcards(true);
    lab.settings.use_optimized_slvl = false;  // OpenSM's default
    if (!set) lab.settings.origins.clear();
    unsigned wildcards = 0;
    lab.tap.on_request = [&](mad::ConstSmpView smp) {
      wildcards += smp.attribute_id() == AttributeId::sl_to_vl_mapping_table &&
                   smp.attribute_modifier() >> 16 != 0;
    };
    ASSERT_EQ(lab.sweep(), sm::SweepEnd::subnet_up) << lab.log.str();
    EXPECT_EQ(lab.complaint(), "");
    EXPECT_EQ(wildcards, set ? 0u : 7u);
  }
}

TEST(SweepLanes, OnlyPairsOfPortsThatPacketsUseHaveTables) {
  Lab lab(tree());
  lab.map({0, 0, 1, 1, 2, 2, 3, 3, 0, 0, 1, 1, 2, 2, 3, 3});
  ASSERT_EQ(lab.sweep(), sm::SweepEnd::subnet_up) << lab.log.str();
  EXPECT_EQ(lab.complaint(), "");
  // What a walk through the tables of the hardware finds.
  std::size_t used = 0, all = 0;
  for (const std::vector<bool>& pairs : sim::used_pairs(lab.model, lab.reachable())) {
    used += static_cast<std::size_t>(std::ranges::count(pairs, true));
    all += pairs.size();
  }
  const std::uint64_t hosts = 12;
  EXPECT_EQ(lab.attachment->sent(Method::set, AttributeId::sl_to_vl_mapping_table), used + hosts);
  EXPECT_LT(used, all * 3 / 4) << "no packet turns from up to up, or goes back";
}

/// Whatever part of a change has arrived: packets meet no table that was not written.
TEST(SweepLanes, APairHasItsTableBeforeAnEntryBringsItIntoUse) {
  std::size_t checked = 0;
  seeds::for_each(8, [&](std::uint64_t seed) {
    topology::Random dice(seed);
    Lab lab(seed % 2 == 0 ? topology::random_graph(
                                {.switches = 8, .hosts = 8, .extra_links = 8, .seed = seed})
                          : tree(),
            seed);
    // Not what tables have after power-on.
    lab.map({3, 2, 1, 0, 3, 2, 1, 0, 3, 2, 1, 0, 3, 2, 1, 0});
    lab.settings.routing_engine = {seed % 3 == 0 ? "updn" : "minhop"};
    std::vector<mad::Guid> members;
    for (const sim::NodeModel& node : lab.model.nodes)
      if (!node.is_switch()) members.push_back(node.info.node_guid());
    std::set<mad::Guid> joined;
    lab.clients.groups = [&](const fabric::Subnet& subnet) {
      routing::MulticastGroup group{.mlid = mad::kMlidMin, .receivers = {}, .senders = {}};
      for (const fabric::PortIndex port : subnet.fabric.end_ports)
        if (joined.contains(subnet.fabric.owning_node(port).guid)) group.receivers.push_back(port);
      return group.receivers.empty() ? std::vector<routing::MulticastGroup>{} : std::vector{group};
    };
    std::string complaint;
    lab.tap.on_request = [&](mad::ConstSmpView smp) {
      if (smp.method() != Method::set || !complaint.empty()) return;
      ++checked;
      complaint = sim::first_complaint(sim::check_sl_to_vl(lab.model, lab.reachable(), lab.wanted));
    };
    ASSERT_EQ(lab.sweep(), sm::SweepEnd::subnet_up) << lab.log.str();
    const auto links = [&] {
      std::vector<sim::PortIndex> between;
      for (const sim::PortIndex port : lab.model.ports.indices())
        if (lab.owning_node(port) != lab.owning_node(lab.own()) && lab.model.link_up(port) &&
            lab.model.owning_node(port).is_switch() &&
            lab.model.owning_node(lab.far(port)).is_switch())
          between.push_back(port);
      return between;
    };
    for (unsigned step = 0; step < 6; ++step) {
      complaint = "";
      if (dice.percent(50)) {
        const std::vector<sim::PortIndex> between = links();
        lab.world.cut(between[dice.below(static_cast<std::uint32_t>(between.size()))]);
        lab.sweep();
      } else {
        for (unsigned i = 0; i < 3; ++i)
          joined.insert(members[dice.below(static_cast<std::uint32_t>(members.size()))]);
        ASSERT_TRUE(
            lab.runtime.run(lab.sweeper->pass(lab.context(), {.groups = true})).has_value());
      }
      ASSERT_EQ(complaint, "");
      ASSERT_EQ(lab.complaint_of_mapping(), "") << lab.log.str();
    }
  });
  EXPECT_GT(checked, seeds::are_default() ? 200u : 0u);
}

TEST(SweepLanes, DfssspOnATreeWritesNoTables) {
  for (const bool spread : {false, true}) {
    SCOPED_TRACE(spread);
    Lab lab(tree());
    lab.settings.qos = false;
    lab.settings.routing_engine = {"dfsssp", "no_fallback"};
    lab.settings.spread_vls = spread;
    ASSERT_EQ(lab.sweep(), sm::SweepEnd::subnet_up) << lab.log.str();
    if (spread) {
      EXPECT_GT(lab.count(Method::set), 100u);
      continue;
    }
    EXPECT_EQ(lab.count(Method::get) + lab.count(Method::set), 0u);
    // Whatever tables devices happen to have: a VL for each pair adds no cycle to none.
    topology::Random dice(7);
    for (sim::NodeModel& node : lab.model.nodes) {
      if (!node.is_switch()) continue;
      const std::size_t side = node.port_count() + 1u;
      node.sw->sl_to_vl.resize(side * side);
      for (sim::SlToVl& table : node.sw->sl_to_vl)
        table.fill(static_cast<std::uint8_t>(dice.below(8u) << 4 | dice.below(8u)));
    }
    for (std::uint8_t sl = 0; sl < 16; ++sl)
      EXPECT_EQ(sim::first_complaint(
                    sim::check_credit_loops(lab.model, lab.reachable(), sim::Traffic::between_hosts,
                                            [&](sim::PortIndex, mad::Lid) { return mad::Sl{sl}; })),
                "");
  }
}

/// A switch that refuses SLtoVLMappingTables, or acknowledges them and shows something else.
std::function<void(mad::SmpView)> does_not_take_vls(bool refuses) {
  return [refuses](mad::SmpView smp) {
    if (smp.attribute_id() != AttributeId::sl_to_vl_mapping_table) return;
    if (refuses) return smp.set_status(0x1C);
    smp.data()[0] = 0x55;
  };
}

TEST(SweepLanes, WhatADeviceDoesNotTakeIsReportedOnceAndSentAgainAfterAPause) {
  const mad::Duration pause = sm::refusal_rule(AttributeId::sl_to_vl_mapping_table).pause_first;
  for (const bool refuses : {false, true}) {
    SCOPED_TRACE(refuses ? "refuses" : "lies");
    Lab lab(tree());
    const sim::NodeIndex sw = lab.neighbour(lab.own());
    lab.model.nodes[sw].health.edit_response = does_not_take_vls(refuses);
    ASSERT_EQ(lab.sweep(), sm::SweepEnd::subnet_up) << lab.log.str();
    EXPECT_TRUE(lab.says(lab.model.nodes[sw].description)) << lab.log.str();
    EXPECT_TRUE(lab.says(refuses ? "refuses them with status 0x001c"
                                 : "acknowledges them and holds something else"))
        << lab.log.str();
    ASSERT_EQ(lab.sweep(), sm::SweepEnd::subnet_up);
    EXPECT_FALSE(lab.says("does not take")) << "logged once";
    EXPECT_EQ(lab.count(Method::set), 0u);
    EXPECT_EQ(lab.count(Method::get), 0u);

    lab.runtime.run_for(pause);
    EXPECT_EQ(lab.sweeper->due().size(), 1u);
    ASSERT_EQ(lab.sweep(), sm::SweepEnd::subnet_up);
    EXPECT_GT(lab.count(Method::set), 0u) << "sent again";
    EXPECT_FALSE(lab.says("does not take")) << "logged once";
    EXPECT_TRUE(lab.sweeper->due().empty());
    lab.runtime.run_for(pause);
    EXPECT_TRUE(lab.sweeper->due().empty()) << "the pause grows";
    lab.model.nodes[sw].health.edit_response = {};
    lab.runtime.run_for(pause);
    EXPECT_EQ(lab.sweeper->due().size(), 1u);
    ASSERT_EQ(lab.sweep(), sm::SweepEnd::subnet_up) << lab.log.str();
    EXPECT_TRUE(lab.sweeper->due().empty()) << lab.log.str();
    EXPECT_EQ(lab.complaint(), "") << "what was refused for a while is written";
  }
}

TEST(SweepLanes, WhatADeviceDidNotTakeIsSentAgainAfterItsRestart) {
  for (const bool refuses : {false, true}) {
    SCOPED_TRACE(refuses ? "refuses" : "lies");
    Lab lab(tree());
    const sim::NodeIndex sw = lab.neighbour(lab.own());
    lab.model.nodes[sw].health.edit_response = does_not_take_vls(refuses);
    ASSERT_EQ(lab.sweep(), sm::SweepEnd::subnet_up) << lab.log.str();
    lab.model.nodes[sw].health.edit_response = {};
    lab.world.timing.boot = 10ms;
    lab.reboot(sw);
    ASSERT_EQ(lab.sweep(), sm::SweepEnd::subnet_up) << lab.log.str();
    EXPECT_EQ(lab.complaint(), "") << "a restart is worth another try";
  }
}

TEST(SweepLanes, LostAnswersMakeAnotherSweepWorthIt) {
  Lab lab(tree());
  const sim::NodeIndex sw = lab.neighbour(lab.own());
  lab.model.nodes[sw].health.ignored_probability = 1;
  lab.model.nodes[sw].health.ignored_attribute =
      static_cast<std::uint16_t>(AttributeId::vl_arbitration_table);
  EXPECT_EQ(lab.sweep(), sm::SweepEnd::errors);
  EXPECT_TRUE(lab.says("VLArbitrationTable")) << lab.log.str();
  lab.model.nodes[sw].health.ignored_probability = 0;
  EXPECT_EQ(lab.sweep(), sm::SweepEnd::subnet_up) << lab.log.str();
  EXPECT_EQ(lab.complaint(), "");
}

TEST(SweepLanes, AnyFaultHealsInTheEnd) {
  seeds::for_each(12, [](std::uint64_t seed) {
    Lab lab(seed % 2 == 0 ? tree() : torus(), seed);
    topology::Random dice(seed);
    lab.set_wildcards(dice.percent(50));
    lab.world.timing.boot = 10ms;
    for (unsigned step = 0; step < 4; ++step) {
      for (sim::NodeModel& node : lab.model.nodes) {
        node.health.ignored_probability = dice.percent(30) ? 0.6 : 0;
        node.health.ignored_attribute =
            static_cast<std::uint16_t>(dice.percent(50) ? AttributeId::vl_arbitration_table
                                                        : AttributeId::sl_to_vl_mapping_table);
      }
      lab.settings.qos_sets[0].sl2vl = "";
      if (step % 2 != 0) lab.map({0, 0, 1, 1, 2, 2, 3, 3, 0, 0, 1, 1, 2, 2, 3, 3});
      const sim::NodeIndex node(dice.below(static_cast<std::uint32_t>(lab.model.nodes.size())));
      if (node != lab.owning_node(lab.own())) lab.reboot(node);
      lab.sweep();
    }
    for (sim::NodeModel& node : lab.model.nodes) node.health.ignored_probability = 0;
    lab.sweep();
    ASSERT_EQ(lab.sweep(), sm::SweepEnd::subnet_up) << lab.log.str();
    ASSERT_EQ(lab.complaint(), "");
    ASSERT_EQ(lab.sweep(), sm::SweepEnd::subnet_up);
    ASSERT_EQ(lab.attachment->sets(), 0u) << lab.log.str();
  });
}

TEST(SweepLanes, NewListsAreWrittenWithoutASweep) {
  Lab lab(tree());
  lab.set_wildcards(true);
  ASSERT_EQ(lab.sweep(), sm::SweepEnd::subnet_up);
  lab.map({0, 0, 1, 1, 2, 2, 3, 3, 0, 0, 1, 1, 2, 2, 3, 3});
  lab.attachment->forget_counts();
  const auto end = lab.runtime.run(lab.sweeper->pass(lab.context(), {.vl_tables = true}));
  ASSERT_TRUE(end.has_value());
  EXPECT_EQ(end->end, sm::SweepEnd::subnet_up);
  EXPECT_EQ(lab.complaint(), "");
  EXPECT_EQ(lab.attachment->sets(), 7u + 12u);
  EXPECT_EQ(lab.attachment->gets(), 36u) << "the sample: one pair of each output port";
}

/// The hardware's own tables, lanes and service levels, and a walker that knows nothing of ours.
TEST(SweepLanes, DfssspKeepsATorusFromDeadlocksAndMinhopDoesNot) {
  for (const bool lanes : {true, false}) {
    SCOPED_TRACE(lanes ? "dfsssp" : "minhop");
    Lab lab(torus());
    lab.settings.qos = false;
    lab.settings.routing_engine = {lanes ? "dfsssp" : "minhop"};
    ASSERT_EQ(lab.sweep(), sm::SweepEnd::subnet_up) << lab.log.str();
    const std::shared_ptr<const fabric::Subnet> published = lab.sweeper->subnet();
    const fabric::Subnet& subnet = *published;
    ASSERT_EQ(subnet.routing->engine, lanes ? "dfsssp" : "minhop") << lab.log.str();
    const auto sl = [&](sim::PortIndex from, mad::Lid to) {
      const fabric::PortIndex sender = subnet.fabric.port_of_guid.at(lab.model.ports[from].guid);
      return routing::path_sl(
          *subnet.routing,
          {subnet.fabric.leaf_switch(sender), to, subnet.fabric.leaf_switch(subnet.lids.owner(to))},
          {});
    };
    const sim::Complaints loops =
        sim::check_credit_loops(lab.model, lab.reachable(), sim::Traffic::between_hosts, sl);
    EXPECT_EQ(loops.empty(), lanes) << sim::first_complaint(loops);
    if (lanes) {
      // SL n takes VL n for as many SLs as paths have, and each of these VLs gets a turn.
      unsigned used = 0;
      for (const fabric::PortIndex from : subnet.fabric.end_ports) {
        for (const fabric::PortIndex to : subnet.fabric.end_ports) {
          used = std::max<unsigned>(
              used, sl(lab.real(subnet.fabric, from), subnet.lid_range(to).base).value + 1u);
        }
      }
      EXPECT_GT(used, 1u);
      EXPECT_LE(used, 8u);
      lab.wanted.sl_to_vl = sim::ExpectedSlToVl{};
      for (std::uint8_t lane = 0; lane < used; ++lane) (*lab.wanted.sl_to_vl)[lane] = lane;
      EXPECT_EQ(lab.complaint_of_mapping(), "");
      const std::vector<bool> reach = lab.reachable();
      for (const sim::PortIndex port : lab.model.ports.indices()) {
        if (!lab.leads_somewhere(port, reach)) continue;
        ASSERT_NE(lab.model.ports[port].extras, nullptr) << lab.model.name(port);
        const auto& tables = lab.model.ports[port].extras->vl_arbitration;
        std::set<unsigned> with_turns;
        for (std::size_t entry = 0; entry < Lab::kArbitrationEntries; ++entry) {
          EXPECT_EQ(tables[2].entry(entry).weight, 0) << "no VL before the others";
          if (tables[0].entry(entry).weight > 0) with_turns.insert(tables[0].entry(entry).vl.value);
        }
        for (unsigned lane = 0; lane < used; ++lane)
          EXPECT_TRUE(with_turns.contains(lane)) << lab.model.name(port) << " VL " << lane;
      }
    }
    ASSERT_EQ(lab.sweep(), sm::SweepEnd::subnet_up);
    EXPECT_EQ(lab.attachment->sets(), 0u);
    EXPECT_FALSE(lab.says(" excludes it")) << "logged once";
    for (const fabric::PortIndex end : subnet.fabric.end_ports) {
      const auto sm_sl =
          sl(lab.real(subnet.fabric, end), subnet.lid_range(subnet.fabric.sm_port).base);
      EXPECT_EQ(subnet.fabric.ports[end].info.master_sm_sl(), sm_sl);
    }
  }
}

TEST(SweepLanes, MulticastOnTheLanesOfUnicastIsLookedAt) {
  Lab lab(torus());
  lab.settings.qos = false;
  lab.settings.routing_engine = {"dfsssp"};
  lab.settings.max_op_vls = 2;  // two lanes, and unicast needs both
  lab.clients.groups = [](const fabric::Subnet& subnet) {
    routing::MulticastGroup all{.mlid = mad::kMlidMin, .receivers = {}, .senders = {}};
    for (const fabric::PortIndex port : subnet.fabric.end_ports)
      if (!subnet.fabric.owning_node(port).is_switch()) all.receivers.push_back(port);
    return std::vector{all};
  };
  ASSERT_EQ(lab.sweep(), sm::SweepEnd::subnet_up) << lab.log.str();
  EXPECT_TRUE(lab.says("multicast and unicast share virtual lanes") ||
              lab.says("all multicast groups share one tree"))
      << lab.log.str();
  ASSERT_EQ(lab.sweep(), sm::SweepEnd::subnet_up);
  EXPECT_FALSE(lab.says("multicast and unicast share virtual lanes") ||
               lab.says("all multicast groups share one tree"));
  EXPECT_EQ(lab.attachment->sets(), 0u);
}

}  // namespace lanes_test
