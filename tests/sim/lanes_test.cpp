// A sweeper's virtual lanes on a simulated fabric: SL to VL tables and VL arbitration as the
// hardware then has them.

#include <gmock/gmock.h>
#include <spdlog/logger.h>
#include <spdlog/sinks/ostream_sink.h>

#include <filesystem>
#include <sstream>

#include "mad/attributes/sl_to_vl.h"
#include "routing/registry.h"
#include "sim/surveys.h"
#include "sm/sweep/lane_targets.h"
#include "sm/sweep/sweeper.h"
#include "support/seeds.h"

namespace {

using namespace std::chrono_literals;
using mad::AttributeId, mad::Method;
using testing::HasSubstr;

sim::Topology tree() { return sim::xgft({.children = {3, 4}, .parents = {1, 3}, .cables = {}}); }
sim::Topology torus() { return sim::torus({.dimensions = {4, 4}, .hosts_per_switch = 1}); }

class Lab : public surveys::Observer {
 public:
  explicit Lab(const sim::Topology& topology, std::uint64_t seed = 1)
      : Observer(topology, seed, {.timeout = 50ms, .retries = 2}) {
    logger = std::make_shared<spdlog::logger>(
        "lanes", std::make_shared<spdlog::sinks::ostream_sink_st>(log));
    logger->set_pattern("%v");
    folder = std::filesystem::temp_directory_path() /
             fmt::format("heddle-lanes-{}-{}", ::getpid(), static_cast<const void*>(this));
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
  void restart() {
    sweeper = std::make_unique<sm::Sweeper>(client, *logger, settings, files, partitioning,
                                            sm::Sweeper::Progress{});
  }
  void set_wildcards(bool able) {
    settings.use_optimized_slvl = able;
    for (sim::NodeModel& node : model.nodes) {
      if (node.is_switch())
        node.sw->info.set_optimized_sl_to_vl_mapping_programming(
            able ? mad::OptimizedSlToVl::wildcard : mad::OptimizedSlToVl::none);
    }
  }

  sm::SweepEnd sweep(bool trust_tables = true) {
    attachment->forget_counts();
    log.str("");
    const auto both = [this, trust_tables]() -> boost::asio::awaitable<sm::SweepResult> {
      const sm::SweepOrder order{
          .everything = true, .changed = {}, .trust_tables = trust_tables, .why = "test"};
      sm::Survey survey = co_await sweeper->observe(order, true);
      co_return co_await sweeper->program(std::move(survey), order);
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

  sim::PortIndex real(const sm::Fabric& fabric, sm::PortIndex index) const {
    const sm::Port& its = fabric.ports[index];
    for (sim::NodeIndex node = 0; node < model.nodes.size(); ++node) {
      if (model.nodes[node].info.node_guid() == fabric.nodes[its.node].guid)
        return port(node, its.number.value);
    }
    return sim::kNone;
  }
  /// What of the hardware is not as it should be; "" if all is.
  std::string complaint() {
    const std::shared_ptr<const sm::Subnet> published = sweeper->subnet();
    const sm::Subnet& subnet = *published;
    const sm::LaneTargets targets(subnet.fabric, settings, subnet.routing->routing);
    for (sm::PortIndex index = 0; index < subnet.fabric.ports.size(); ++index) {
      const sim::PortIndex port = real(subnet.fabric, index);
      const sim::NodeModel& node = model.node_of(port);
      const sim::PortExtras* extras = model.ports[port].extras.get();
      for (unsigned in = 0; in <= (node.is_switch() ? node.port_count() : 0u); ++in) {
        const auto wanted = targets.sl_to_vl(index, mad::PortNum{static_cast<std::uint8_t>(in)});
        for (std::uint8_t sl = 0; wanted && sl < 16; ++sl) {
          const unsigned pair = extras != nullptr ? extras->sl_to_vl[sl / 2u] : 0u;
          const unsigned held = node.is_switch()
                                    ? model.vl(node, in, model.ports[port].number, {sl}).value
                                : sl % 2 == 0 ? pair >> 4
                                              : pair & 15u;
          if (held != sm::vl_of(*wanted, sl))
            return fmt::format("{} from {}: SL {} has VL {}", model.name(port), in, sl, held);
        }
      }
      for (unsigned block = 1; block <= 4; ++block) {
        const auto wanted = targets.arbitration(index, block);
        if (wanted && (extras == nullptr ||
                       !std::ranges::equal(extras->vl_arbitration[block - 1].bytes(), *wanted))) {
          return fmt::format("{}: arbitration block {}", model.name(port), block);
        }
      }
    }
    return "";
  }

  config::Options settings;
  config::InputFiles files;
  partitions::Configuration partitioning = partitions::default_configuration();
  std::ostringstream log;
  std::shared_ptr<spdlog::logger> logger;
  std::filesystem::path folder;
  std::unique_ptr<sm::Sweeper> sweeper;
};

TEST(SweepLanes, NobodyCaresAndNothingIsSent) {
  Lab lab(tree());
  lab.settings.qos = false;
  ASSERT_EQ(lab.sweep(), sm::SweepEnd::subnet_up);
  EXPECT_EQ(lab.count(Method::get) + lab.count(Method::set), 0u);
  ASSERT_EQ(lab.sweep(false), sm::SweepEnd::subnet_up);
  EXPECT_EQ(lab.count(Method::get) + lab.count(Method::set), 0u);
  EXPECT_EQ(lab.sweeper->subnet()->lanes, nullptr);
}

TEST(SweepLanes, WrittenOnceReadBackByWhoComesLater) {
  Lab lab(tree());
  ASSERT_EQ(lab.sweep(), sm::SweepEnd::subnet_up) << lab.log.str();
  EXPECT_EQ(lab.complaint(), "");
  EXPECT_LE(lab.count(Method::get), 3u)
      << "only the own port's node had a link that carries data: nobody else has anything to read";
  const std::uint64_t tables = lab.count(Method::set);
  EXPECT_GT(tables, 100u);

  ASSERT_EQ(lab.sweep(), sm::SweepEnd::subnet_up);
  EXPECT_EQ(lab.attachment->sets(), 0u);
  EXPECT_EQ(lab.count(Method::get), 0u);

  lab.restart();
  ASSERT_EQ(lab.sweep(), sm::SweepEnd::subnet_up);
  EXPECT_EQ(lab.count(Method::set), 0u);
  EXPECT_EQ(lab.count(Method::get), tables);

  // Somebody else has meddled: found when nothing is taken on trust.
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
  ASSERT_EQ(lab.sweep(), sm::SweepEnd::subnet_up);
  EXPECT_EQ(lab.attachment->sets(), 0u);
  // Nothing is known of them: a write is less than the many reads.
  ASSERT_EQ(lab.sweep(false), sm::SweepEnd::subnet_up);
  EXPECT_EQ(lab.attachment->sent(Method::set, AttributeId::sl_to_vl_mapping_table), 7u);
  EXPECT_EQ(lab.attachment->sent(Method::get, AttributeId::sl_to_vl_mapping_table), 12u);
  // By output port, where these differ.
  lab.settings.qos_sets[0].sl2vl = "0,1,2,3,4,5,6,7,0,1,2,3,4,5,6,7";
  sim::NodeIndex host = 0;
  for (sim::NodeIndex node = 0; node < lab.model.nodes.size(); ++node)
    host = lab.model.nodes[node].is_switch() ? host : node;
  lab.info(lab.port(host)).set_vl_cap(2);
  ASSERT_EQ(lab.sweep(), sm::SweepEnd::subnet_up);
  EXPECT_EQ(lab.complaint(), "");
}

TEST(SweepLanes, ASwitchThatSaysItTakesWildcardsAndDoesNot) {
  Lab lab(tree());
  lab.settings.use_optimized_slvl = true;
  const sim::NodeIndex sw = lab.neighbour(lab.own());
  lab.model.nodes[sw].health.last_word = [](mad::SmpView smp) {
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

TEST(SweepLanes, WhatADeviceDoesNotTakeIsToldOnceAndNotSentAgain) {
  for (const bool refuses : {false, true}) {
    SCOPED_TRACE(refuses ? "refuses" : "lies");
    Lab lab(tree());
    const sim::NodeIndex sw = lab.neighbour(lab.own());
    lab.model.nodes[sw].health.last_word = [refuses](mad::SmpView smp) {
      if (smp.attribute_id() != AttributeId::sl_to_vl_mapping_table) return;
      if (refuses) return smp.set_status(0x1C);
      smp.data()[0] = 0x55;
    };
    ASSERT_EQ(lab.sweep(), sm::SweepEnd::subnet_up) << lab.log.str();
    EXPECT_TRUE(lab.says(lab.model.nodes[sw].description)) << lab.log.str();
    EXPECT_TRUE(lab.says(refuses ? "refuses them with status 0x001c"
                                 : "acknowledges them and holds something else"))
        << lab.log.str();
    ASSERT_EQ(lab.sweep(), sm::SweepEnd::subnet_up);
    EXPECT_FALSE(lab.says("does not take")) << "told once";
    EXPECT_EQ(lab.count(Method::set), 0u);
    EXPECT_EQ(lab.count(Method::get), 0u);

    lab.model.nodes[sw].health.last_word = {};
    lab.world.timing.boot = 10ms;
    lab.reboot(sw);
    ASSERT_EQ(lab.sweep(), sm::SweepEnd::subnet_up) << lab.log.str();
    EXPECT_EQ(lab.complaint(), "") << "a restart is worth another try";
  }
}

TEST(SweepLanes, LostAnswersMakeAnotherSweepWorthIt) {
  Lab lab(tree());
  const sim::NodeIndex sw = lab.neighbour(lab.own());
  lab.model.nodes[sw].health.unheard = 1;
  lab.model.nodes[sw].health.unheard_attribute =
      static_cast<std::uint16_t>(AttributeId::vl_arbitration_table);
  EXPECT_EQ(lab.sweep(), sm::SweepEnd::errors);
  EXPECT_TRUE(lab.says("VLArbitrationTable")) << lab.log.str();
  lab.model.nodes[sw].health.unheard = 0;
  EXPECT_EQ(lab.sweep(), sm::SweepEnd::subnet_up) << lab.log.str();
  EXPECT_EQ(lab.complaint(), "");
}

TEST(SweepLanes, AnyFaultHealsInTheEnd) {
  seeds::for_each(12, [](std::uint64_t seed) {
    Lab lab(seed % 2 == 0 ? tree() : torus(), seed);
    sim::Random dice(seed);
    lab.set_wildcards(dice.percent(50));
    lab.world.timing.boot = 10ms;
    for (unsigned step = 0; step < 4; ++step) {
      for (sim::NodeModel& node : lab.model.nodes) {
        node.health.unheard = dice.percent(30) ? 0.6 : 0;
        node.health.unheard_attribute =
            static_cast<std::uint16_t>(dice.percent(50) ? AttributeId::vl_arbitration_table
                                                        : AttributeId::sl_to_vl_mapping_table);
      }
      lab.settings.qos_sets[0].sl2vl = step % 2 == 0 ? "" : "0,0,1,1,2,2,3,3,0,0,1,1,2,2,3,3";
      const auto node = static_cast<sim::NodeIndex>(dice.below(lab.model.nodes.size()));
      if (node != lab.node_of(lab.own())) lab.reboot(node);
      lab.sweep();
    }
    for (sim::NodeModel& node : lab.model.nodes) node.health.unheard = 0;
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
  lab.settings.qos_sets[0].sl2vl = "0,0,1,1,2,2,3,3,0,0,1,1,2,2,3,3";
  lab.attachment->forget_counts();
  const auto end = lab.runtime.run(lab.sweeper->remap());
  ASSERT_TRUE(end.has_value());
  EXPECT_EQ(end->end, sm::SweepEnd::subnet_up);
  EXPECT_EQ(lab.complaint(), "");
  EXPECT_EQ(lab.attachment->sets(), 7u + 12u);
  EXPECT_EQ(lab.attachment->gets(), 0u);
}

/// The hardware's own tables, lanes and service levels, and a walker that knows nothing of ours.
TEST(SweepLanes, DfssspKeepsATorusFromDeadlocksAndMinhopDoesNot) {
  for (const bool lanes : {true, false}) {
    SCOPED_TRACE(lanes ? "dfsssp" : "minhop");
    Lab lab(torus());
    lab.settings.qos = false;
    lab.settings.routing_engine = {lanes ? "dfsssp" : "minhop"};
    ASSERT_EQ(lab.sweep(), sm::SweepEnd::subnet_up) << lab.log.str();
    const std::shared_ptr<const sm::Subnet> published = lab.sweeper->subnet();
    const sm::Subnet& subnet = *published;
    ASSERT_EQ(subnet.routing->engine, lanes ? "dfsssp" : "minhop") << lab.log.str();
    if (lanes) {
      EXPECT_EQ(lab.complaint(), "");
    }
    const auto sl = [&](sim::PortIndex from, mad::Lid to) {
      const sm::PortIndex sender = subnet.fabric.port_of_guid.at(lab.model.ports[from].guid);
      return routing::path_sl(
          subnet.routing->routing,
          {subnet.fabric.leaf_of(sender), to, subnet.fabric.leaf_of(subnet.lids.owner(to))}, {});
    };
    const sim::Complaints loops =
        sim::check_credit_loops(lab.model, lab.reachable(), sim::Traffic::between_hosts, sl);
    EXPECT_EQ(loops.empty(), lanes) << sim::first_complaint(loops);
    ASSERT_EQ(lab.sweep(), sm::SweepEnd::subnet_up);
    EXPECT_EQ(lab.attachment->sets(), 0u);
    EXPECT_FALSE(lab.says("does not keep fabrics like this one from deadlocks")) << "told once";
    for (const sm::PortIndex end : subnet.fabric.end_ports) {
      const auto sm_sl =
          sl(lab.real(subnet.fabric, end), subnet.lids_of(subnet.fabric.sm_port).base);
      EXPECT_EQ(subnet.fabric.ports[end].info.master_sm_sl(), sm_sl);
    }
  }
}

TEST(SweepLanes, MulticastOnTheLanesOfUnicastIsLookedAt) {
  Lab lab(torus());
  lab.settings.qos = false;
  lab.settings.routing_engine = {"dfsssp"};
  lab.settings.max_op_vls = 2;  // two lanes, and unicast needs both
  lab.sweeper->set_groups([](const sm::Subnet& subnet) {
    routing::MulticastGroup all{.mlid = mad::kMlidMin, .receivers = {}, .senders = {}};
    for (const sm::PortIndex port : subnet.fabric.end_ports)
      if (!subnet.fabric.node_of(port).is_switch()) all.receivers.push_back(port);
    return std::vector{all};
  });
  ASSERT_EQ(lab.sweep(), sm::SweepEnd::subnet_up) << lab.log.str();
  EXPECT_TRUE(lab.says("multicast and unicast share virtual lanes") ||
              lab.says("all multicast groups share one tree"))
      << lab.log.str();
  ASSERT_EQ(lab.sweep(), sm::SweepEnd::subnet_up);
  EXPECT_FALSE(lab.says("multicast and unicast share virtual lanes") ||
               lab.says("all multicast groups share one tree"));
  EXPECT_EQ(lab.attachment->sets(), 0u);
}

}  // namespace
