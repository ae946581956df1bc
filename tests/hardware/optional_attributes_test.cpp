// Devices that ignore, reject, or slowly answer an attribute that they need not have. They and all
// others are programmed nevertheless.

#include <gtest/gtest.h>

#include "sim/virtualized.h"
#include "sim/world/vendor_features.h"

namespace optional_attributes_test {

using laboratory::Virtualized;
using mad::AttributeId;
using namespace std::chrono_literals;

enum class Way { ignored, rejected, slow };
enum class Moment { bring_up, reboot };

/// Without VPortInfo, but not because of it: the physical function of a host whose vports are on is
/// one of them.
constexpr std::array kAttributes{
    AttributeId::general_info,
    AttributeId::adaptive_routing_info,
    AttributeId::ar_group_table,
    AttributeId::ar_group_table_copy,
    AttributeId::ar_linear_forwarding_table,
    AttributeId::pfrn_config,
    AttributeId::mlnx_ext_port_info,
    AttributeId::guid_info,
    AttributeId::virtualization_info,
    AttributeId::vnode_info,
    AttributeId::vport_state,
    AttributeId::vport_p_key_table,
    AttributeId::sm_info,
};

/// A fabric whose devices have all of these attributes, and a manager that uses them.
class Everything : public Virtualized {
 public:
  Everything()
      : Virtualized(topology::xgft({.children = {3, 4}, .parents = {1, 2}, .cables = {}}), 2) {
    make_adaptive();
    for (const sim::PortIndex port : model.ports.indices())
      if (far(port) != sim::kNone) sim::support_fdr10(world.model, port);
    for (sim::NodeModel& node : model.nodes)
      if (!node.is_switch()) node.info.set_device_id(0x1003);
    add_vports();
    options.routing_engine = {"ar_updn"};
    options.connect_roots = true;
  }

  /// A leaf switch, a spine, and a host of another leaf.
  std::vector<sim::NodeIndex> affected() const {
    return {neighbour(hosts[11]), model.find("S2-0"), owning_node(hosts[5])};
  }
  void afflict(AttributeId attribute, Way way) {
    for (const sim::NodeIndex node : affected()) {
      sim::Health& health = model.nodes[node].health;
      if (way == Way::slow) {
        health.slow_attribute = static_cast<std::uint16_t>(attribute);
        health.slow_min = health.slow_max = 3s;  // longer than all attempts together
        continue;
      }
      health.react = [attribute, way](mad::SmpView smp,
                                      mad::PortNum) -> std::optional<sim::Reaction> {
        if (smp.attribute_id() != attribute) return std::nullopt;
        if (way == Way::ignored) return sim::Reaction{.status = std::nullopt};
        return sim::Reaction{.status = mad::status::kMethodAttributeUnsupported};
      };
    }
  }
  /// Vports of other hosts than the affected one are Active, and what all need is in order.
  bool is_up() const {
    for (std::size_t host = 0; host < hosts.size(); ++host)
      for (std::uint16_t index = 0; host != 5 && index <= vfs; ++index)
        if (state(host, index) != mad::PortState::active) return false;
    return is_in_order();
  }
};

class OptionalAttributes : public testing::TestWithParam<AttributeId> {};

TEST_P(OptionalAttributes, KeepNoRequiredOneFromBeingWritten) {
  for (const Way way : {Way::ignored, Way::rejected, Way::slow}) {
    for (const Moment moment : {Moment::bring_up, Moment::reboot}) {
      SCOPED_TRACE(fmt::format("{} {}", static_cast<int>(way), static_cast<int>(moment)));
      Everything lab;
      if (moment == Moment::bring_up) lab.afflict(GetParam(), way);
      lab.start();
      const auto comes_up = [&] { return lab.is_up() && lab.status().subnet; };
      ASSERT_TRUE(lab.runtime.run_until(comes_up, laboratory::kSweepsWithErrors))
          << lab.complaint() << lab.tail();
      if (moment == Moment::bring_up) continue;
      lab.settle();
      lab.afflict(GetParam(), way);
      for (const sim::NodeIndex node : lab.affected()) lab.world.reboot(node);
      lab.let_nodes_boot();
      ASSERT_TRUE(lab.runtime.run_until(comes_up, laboratory::kSweepsWithErrors))
          << lab.complaint() << lab.tail();
      lab.settle();
      EXPECT_TRUE(lab.is_up()) << lab.complaint() << lab.tail();
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Each, OptionalAttributes, testing::ValuesIn(kAttributes),
                         [](const auto& each) { return std::string(mad::name(each.param)); });

}  // namespace optional_attributes_test
