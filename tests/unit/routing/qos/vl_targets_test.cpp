#include "routing/qos/vl_targets.h"
#include "mad/format.h"

#include <gmock/gmock.h>

#include "mad/attributes/port_tables.h"
#include "routing/qos/operational_vls.h"
#include "sm/sweep/devices/link_settings.h"
#include "support/conditions.h"
#include "support/fabrics.h"
#include "support/seeds.h"

namespace lane_targets_test {

using config::QosScope;
using fabric::PortIndex;
using routing::VlTargets;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr mad::PortNum num(unsigned number) { return {static_cast<std::uint8_t>(number)}; }

/// Host - switch - switch - host; 8 data VLs everywhere, arbitration tables of 40 entries.
struct DesiredVlTables : testing::Test {
  DesiredVlTables() {
    fabrics::Maker maker;
    const fabric::NodeIndex left = maker.sw(4), right = maker.sw(4);
    host = maker.host(left);
    maker.cable(left, right);
    far_host = maker.host(right);
    fabric = maker.build();
    sw_node = left;
    for (fabric::Port& port : fabric.ports) {
      port.info.set_capability_mask(mad::capability::kSlMapping);
      port.info.set_vl_arbitration_low_cap(40);
      port.info.set_vl_arbitration_high_cap(40);
    }
  }
  PortIndex sw(unsigned port) const { return fabric.port(sw_node, num(port)); }
  config::QosSet& set(QosScope scope) { return options.qos_sets[static_cast<std::size_t>(scope)]; }
  VlTargets targets() const { return {fabric, options, routing}; }
  std::vector<unsigned> mapping(PortIndex out, unsigned in = 1) const {
    const auto bits = targets().sl_to_vl(out, num(in));
    std::vector<unsigned> vls;
    for (unsigned sl = 0; bits && sl < 16; ++sl) vls.push_back(fabric::mapped_vl(*bits, sl));
    return vls;
  }
  /// "vl:weight" of the entries up to the last with a weight; "none" if there is no such block.
  std::string weights(PortIndex port, unsigned block) const {
    const auto bytes = targets().arbitration(port, block);
    if (!bytes) return "none";
    const mad::VlArbitrationTable table(*bytes);
    std::string text, pending;
    for (std::size_t i = 0; i < mad::VlArbitrationTable::kEntries; ++i) {
      pending += fmt::format("{}:{} ", table.entry(i).vl.value, table.entry(i).weight);
      if (table.entry(i).weight != 0) text += std::exchange(pending, "");
    }
    return text;
  }

  fabric::Fabric fabric;
  config::Options options;
  fabric::PublishedRouting routing;
  fabric::NodeIndex sw_node{0};
  PortIndex host{0}, far_host = fabric::PortIndex{0};
};

TEST_F(DesiredVlTables, NoTablesWithoutQosAndRouting) {
  set(QosScope::all).sl2vl = "0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0";
  EXPECT_FALSE(targets().any());
  for (const PortIndex port : fabric.ports.indices()) {
    EXPECT_FALSE(targets().sl_to_vl(port, num(0)));
    for (unsigned block = 1; block <= 4; ++block) EXPECT_FALSE(targets().arbitration(port, block));
  }
}

TEST_F(DesiredVlTables, BuiltInListsAreModuloTheVlsOfTheLink) {
  options.qos = true;
  EXPECT_THAT(mapping(sw(1)), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7));
  EXPECT_EQ(mapping(host), mapping(sw(1)));
  EXPECT_EQ(weights(host, 3), "0:4 ");
  EXPECT_EQ(weights(host, 4), "");
  EXPECT_EQ(weights(host, 1), "0:0 1:4 2:4 3:4 4:4 5:4 6:4 7:4 0:4 1:4 2:4 3:4 4:4 5:4 6:4 ");
  options.max_op_vls = 2;
  EXPECT_THAT(mapping(sw(1)), ElementsAre(0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1));
  options.max_op_vls = 5;
  for (const PortIndex port : {sw(1), host}) fabric.ports[port].info.set_vl_cap(5);
  EXPECT_THAT(mapping(host), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 7));
}

TEST_F(DesiredVlTables, ListsOfTheClassOverrideThoseOfAll) {
  options.qos = true;
  set(QosScope::all).sl2vl = "1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,15";
  set(QosScope::ca).sl2vl = "2,2,2,2,2,2,2,2,2,2,2,2,2,2,9,2";
  set(QosScope::swe).vlarb_low = "3:7,11:8";
  EXPECT_THAT(mapping(sw(1)), ElementsAre(1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 15))
      << "VL 15 is not changed";
  EXPECT_THAT(mapping(host), ElementsAre(2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1, 2));
  EXPECT_EQ(weights(sw(1), 1), "3:7 3:8 ");
  EXPECT_EQ(weights(host, 1).substr(0, 8), "0:0 1:4 ");
  set(QosScope::ca).sl2vl = "2,2";
  EXPECT_THAT(mapping(host), ElementsAre(2, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
      << "behind a short list is VL 0, as with OpenSM";
  set(QosScope::ca).sl2vl = "2,x";
  EXPECT_THAT(mapping(host), mapping(sw(1))) << "an invalid list is ignored";
}

TEST_F(DesiredVlTables, MaxVlsOfAClassLimitsBothEnds) {
  options.qos = true;
  set(QosScope::ca).max_vls = 3;
  EXPECT_EQ(routing::desired_operational_vls(fabric, host, options), 2);
  EXPECT_EQ(routing::desired_operational_vls(fabric, fabric.ports[host].peer, options), 2)
      << "both ends of a link have the same VLs";
  EXPECT_EQ(routing::desired_operational_vls(fabric, sw(2), options), 4);
  EXPECT_THAT(mapping(host), ElementsAre(0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1));
  set(QosScope::all).high_limit = 9;
  EXPECT_EQ(sm::desired_port_info(fabric, host, options, {}).vl_high_limit(), 9);
  options.qos = false;
  EXPECT_EQ(routing::desired_operational_vls(fabric, host, options), 4);
  EXPECT_EQ(sm::desired_port_info(fabric, host, options, {}).vl_high_limit(),
            fabric.ports[host].info.vl_high_limit());
}

TEST_F(DesiredVlTables, TablesOfTheRoutingOverrideOptions) {
  routing.sl_to_vl = fabric::SlToVl::by_class(fabric.switches.size(), 2);
  routing.sl_to_vl.set_port_class(fabric::SwitchIndex{0}, num(1), 1);  // towards the host
  routing.sl_to_vl.row(1, 0).fill(3);
  routing.sl_to_vl.row(0, 1).fill(9);
  routing.sl_to_vl.of_end_ports.fill(5);
  routing.vls = 3;
  EXPECT_EQ(mapping(sw(2), 1), std::vector<unsigned>(16, 3));
  EXPECT_EQ(mapping(sw(1), 2), std::vector<unsigned>(16, 1)) << "8 VLs";
  EXPECT_EQ(mapping(sw(1), 0), std::vector<unsigned>(16, 1)) << "from the switch itself";
  EXPECT_EQ(mapping(host), std::vector<unsigned>(16, 5));
  EXPECT_EQ(weights(host, 1), "0:64 1:64 2:64 ");
  EXPECT_EQ(weights(host, 3), "");
  routing.vl_weights = {64, 0, 7};
  EXPECT_EQ(weights(host, 1), "0:64 1:1 2:7 ") << "every VL has a weight";
  EXPECT_TRUE(targets().conditions("lash").empty());

  options.qos = true;
  EXPECT_EQ(weights(host, 1), "0:64 1:1 2:7 ");
  set(QosScope::ca).sl2vl = "0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0";
  set(QosScope::all).vlarb_low = "0:1,1:1";
  set(QosScope::all).vlarb_high = "0:1";
  EXPECT_EQ(mapping(host), std::vector<unsigned>(16, 5));
  EXPECT_EQ(weights(host, 1), "0:1 1:1 ") << "the operator configured it";
  EXPECT_THAT(
      texts(targets().conditions("lash")),
      ElementsAre(
          HasSubstr("uses VL 2, to which qos_vlarb_high and qos_vlarb_low give no weight"),
          HasSubstr("lash maps service levels to virtual lanes itself: qos_ca_sl2vl is not used")));
}

TEST_F(DesiredVlTables, NoTablesForPortsWithoutCapabilityOrLink) {
  options.qos = true;
  EXPECT_TRUE(mapping(sw(4)).empty()) << "no link";
  EXPECT_TRUE(mapping(sw(1), 4).empty()) << "from a port without a link";
  EXPECT_TRUE(mapping(sw(0), 0).empty()) << "a base switch port 0";
  fabric.switches[fabric::SwitchIndex{0}].info.set_enhanced_port_0(true);
  EXPECT_FALSE(mapping(sw(0), 0).empty());
  EXPECT_TRUE(mapping(sw(0), 1).empty());
  fabric.ports[host].info.set_capability_mask(0);
  EXPECT_TRUE(mapping(host).empty());
  fabric.ports[host].info.set_vl_arbitration_low_cap(0);
  EXPECT_EQ(weights(host, 1), "none");
  EXPECT_EQ(weights(host, 3), "0:4 ");
  fabric.ports[host].info.set_vl_arbitration_high_cap(32);
  EXPECT_EQ(weights(host, 4), "none");
  fabric.ports[far_host].info.set_vl_arbitration_low_cap(3);
  EXPECT_EQ(weights(far_host, 1), "0:0 1:4 2:4 ");
  fabric.ports[far_host].info.set_vl_cap(1);
  EXPECT_EQ(weights(far_host, 1), "none");
  EXPECT_EQ(mapping(far_host), std::vector<unsigned>(16, 0));
  fabric.ports[far_host].info.set_port_state(mad::PortState::down);
  EXPECT_TRUE(mapping(far_host).empty());
}

TEST(VlTargetsOfAnyFabric, AreInTheRangeOfEachPort) {
  seeds::for_each(200, [](std::uint64_t seed) {
    fabric::Fabric fabric = fabrics::random_fabric(seed);
    topology::Random random(seed);
    for (fabric::Port& port : fabric.ports) {
      port.info.set_capability_mask(mad::capability::kSlMapping);
      port.info.set_vl_cap(static_cast<std::uint8_t>(random.below(8)));
      port.info.set_vl_arbitration_low_cap(static_cast<std::uint8_t>(random.below(256)));
    }
    config::Options options;
    options.qos = true;
    const fabric::PublishedRouting routing{};
    const VlTargets targets(fabric, options, routing);
    for (const PortIndex port : fabric.ports.indices()) {
      const unsigned vls = mad::data_vls(routing::desired_operational_vls(fabric, port, options));
      const auto bits = targets.sl_to_vl(port, num(0));
      for (unsigned sl = 0; bits && sl < 16; ++sl) EXPECT_LT(fabric::mapped_vl(*bits, sl), vls);
      for (unsigned block = 1; block <= 4; ++block) {
        const auto bytes = targets.arbitration(port, block);
        for (std::size_t i = 0; bytes && i < 32; ++i)
          EXPECT_LT(mad::VlArbitrationTable(*bytes).entry(i).vl.value, vls);
      }
    }
  });
}

TEST(VlTables, TablesOfRemainingNodesStayKnown) {
  fabrics::Maker maker;
  const fabric::NodeIndex sw = maker.sw(3);
  maker.host(sw);
  maker.host(sw);
  const fabric::Fabric before = maker.build();
  fabric::VlTables tables;
  tables.update_from(before);
  const auto at = [](const fabric::Fabric& fabric, mad::Guid guid, unsigned port) {
    return fabric.port(fabric.node_of_guid.at(guid), num(port));
  };
  const mad::Guid sw_guid = before.nodes[fabric::NodeIndex{0}].guid,
                  ca_guid = before.nodes[fabric::NodeIndex{2}].guid;
  EXPECT_FALSE(tables.sl_to_vl(at(before, sw_guid, 2), num(1)));
  tables.learn_sl_to_vl(at(before, sw_guid, 2), num(1), 0x0123456789abcdef);
  tables.learn_sl_to_vl(at(before, ca_guid, 1), num(0), 7);
  const fabric::ArbitrationBlock block{1, 2, 3};
  tables.learn_arbitration(at(before, ca_guid, 1), 4, block);
  EXPECT_EQ(tables.dropped_sls(), 1u << 15);

  fabrics::Maker other;  // the CA is node 0 now
  const fabric::NodeIndex ca = other.add(mad::NodeType::ca, 1, "", ca_guid);
  other.cable(ca, other.add(mad::NodeType::switch_, 3, "", sw_guid));
  const fabric::Fabric after = other.build();
  tables.update_from(after);
  EXPECT_EQ(tables.sl_to_vl(at(after, sw_guid, 2), num(1)), 0x0123456789abcdef);
  EXPECT_FALSE(tables.sl_to_vl(at(after, sw_guid, 1), num(2)));
  EXPECT_EQ(tables.sl_to_vl(at(after, ca_guid, 1), num(0)), 7u);
  ASSERT_NE(tables.arbitration(at(after, ca_guid, 1), 4), nullptr);
  EXPECT_EQ(*tables.arbitration(at(after, ca_guid, 1), 4), block);
  EXPECT_EQ(tables.arbitration(at(after, ca_guid, 1), 3), nullptr);
  tables.forget(after.node_of_guid.at(sw_guid));
  EXPECT_FALSE(tables.sl_to_vl(at(after, sw_guid, 2), num(1)));
  EXPECT_TRUE(tables.sl_to_vl(at(after, ca_guid, 1), num(0)));
}

}  // namespace lane_targets_test
