// A host that answers directed routes with nodes that do not exist.

#include <gtest/gtest.h>

#include "fabric/fabric_conditions.h"
#include "hostile/quiet.h"
#include "support/inventor.h"

namespace invented_nodes_test {

using laboratory::Quiet;
using namespace std::chrono_literals;

/// From start(), H5's port answers as a switch with ever more switches behind it.
struct Invented : Quiet {
  explicit Invented(unsigned ports_of_the_first, unsigned ports_of_others)
      : inventor(runtime, [=](const mad::DirectedRoute& route) {
          return laboratory::Inventor::Invented{
              .guid = mad::Guid{std::hash<mad::DirectedRoute>{}(route) << 8 | 1},
              .ports = static_cast<std::uint8_t>(
                  route.hop_count() == prefix_hops ? ports_of_the_first : ports_of_others)};
        }) {}
  void begin() {
    const mad::DirectedRoute prefix = laboratory::route_to(*this, "H5");
    inventor.set_receiver(
        [this](std::span<const mad::ReceivedMad> mads) { heddle().tap().deliver(mads); });
    heddle().tap().divert = [this, prefix](mad::ConstSmpView smp) -> mad::MadTransport* {
      const auto route = smp.is_directed() ? smp.route() : std::nullopt;
      const bool behind = route && route->hop_count() >= prefix_hops &&
                          std::ranges::equal(route->hops().first(prefix_hops), prefix.hops());
      return behind ? &inventor : nullptr;
    };
  }
  /// The rest is managed, and one condition names the port.
  void expect_managed() {
    runtime.run_for(10s);
    EXPECT_EQ(status().state, mad::SmState::master);
    const fabric::Fabric& fabric = status().subnet->fabric;
    EXPECT_EQ(fabric.switches.size(), 2u) << tail();
    EXPECT_EQ(fabric.nodes.size(), 7u) << "all but H5";
    EXPECT_EQ(heddle().count("SM-SUBTREE-TOO-LARGE"), 1u) << tail();
    EXPECT_EQ(heddle().count("SM-NODE-TOO-FAR") + heddle().count("SM-FABRIC-TOO-LARGE"), 0u);
    for (const sm::ConditionLog::Raised& raised : status().conditions) {
      if (raised.condition.id != fabric::kFabricConditions.subtree_too_large) continue;
      EXPECT_EQ(raised.condition.guid, node("S1").info.node_guid());
      EXPECT_EQ(raised.condition.port->value, model.ports[far(port("H5"))].number);
    }
  }
  static constexpr unsigned prefix_hops = 3;
  laboratory::Inventor inventor;
};

TEST(InventedNodes, BehindOnePortAreOneConditionAndTheRestIsManaged) {
  // A tree without end, and 253 chains without end.
  for (const unsigned ports : {254u, 2u}) {
    for (const bool at_start : {false, true}) {
      SCOPED_TRACE(fmt::format("switches of {} ports, at start: {}", ports, at_start));
      Invented lab(254, ports);
      lab.options.sweep_interval = 10;
      lab.start();
      lab.heddle().survey_bounds = {.nodes_max = 40'000, .ports_max = 20'000};
      lab.heddle().start(lab.options);
      if (at_start) {
        lab.begin();
      } else {
        ASSERT_TRUE(lab.comes_up());
        lab.begin();
        lab.heddle().reload(lab.options);
      }
      lab.expect_managed();
      // It is remembered: light sweeps and sweeps of other nodes read nothing there.
      const std::uint64_t invented = lab.inventor.smps;
      lab.world.cut(lab.port("H2"));
      lab.runtime.run_for(1min);
      EXPECT_FALSE(lab.knows("H2"));
      EXPECT_EQ(lab.inventor.smps, invented);
      // The host behaves again, and its link comes up anew.
      lab.heddle().tap().divert = {};
      lab.reboot(lab.owning_node(lab.port("H5")));
      lab.runtime.run_for(15s);
      EXPECT_TRUE(lab.knows("H5")) << lab.tail();
      EXPECT_TRUE(lab.says("cleared: nodes without end")) << lab.tail();
    }
  }
}

}  // namespace invented_nodes_test
