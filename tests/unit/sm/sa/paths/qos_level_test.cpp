// The level of a path, against a matcher that writes every condition out, on random policies and
// fabrics.

#include "config/qos_policy_reader.h"
#include "mad/format.h"
#include "sm/sa/paths/path_finder.h"

#include <algorithm>
#include <set>

#include <gmock/gmock.h>

#include "support/fabrics.h"
#include "support/seeds.h"
#include "support/subnets.h"

namespace sa {
namespace qos_level_test {

using config::NumberRanges;
using config::QosPolicy;
using config::QosPortGroup;

struct Hosts {
  fabric::Subnet subnet;
  fabric::PortIndex first, second, switch_port, router_port;
};
/// Two hosts and a router at a switch; the SM is on the first host. Partitions: both hosts in 0x10
/// (Storage), the second in 0x20.
Hosts hosts() {
  fabrics::Maker maker;
  const fabric::NodeIndex one = maker.ca(2, "vs1 HCA-1"), two = maker.ca(1, "vs2 HCA-1"),
                          sw = maker.sw(4, "leaf"), router = maker.router(1, "router");
  for (const fabric::NodeIndex node : {one, two, router}) maker.cable(node, sw);
  fabric::Subnet subnet = subnets::bring_up(maker.build());
  const fabric::Fabric& fabric = subnet.fabric;
  const auto port = [&](fabric::NodeIndex node, std::uint8_t number) {
    return fabric.port(node, mad::PortNum{number});
  };
  Hosts made{.subnet = {},
             .first = port(one, 1),
             .second = port(two, 1),
             .switch_port = port(sw, 0),
             .router_port = port(router, 1)};
  std::vector<std::vector<mad::PKey>> keys(fabric.end_ports.size(), {mad::kDefaultPKeyFull});
  keys[subnet.end_port_index[made.first]] = {mad::PKey{0x8010}, mad::kDefaultPKeyFull};
  keys[subnet.end_port_index[made.second]] = {mad::PKey{0x10}, mad::PKey{0x8020}};
  subnet.partitions = subnets::make_partitions(keys);
  for (fabric::Partition& partition : subnet.partitions.partitions)
    if (partition.key == 0x10) partition.name = "Storage";
  made.subnet = std::move(subnet);
  return made;
}

QosPolicy parsed(const std::string& text) {
  config::Diagnostics found;
  const auto policy = config::parse_qos_policy({"qos", text}, found);
  EXPECT_TRUE(policy) << (found.empty() ? "" : found.front().text());
  return policy.value_or(QosPolicy{.port_groups = {}, .levels = {{}}, .rules = {}});
}

TEST(QosGroups, EveryFormOfAPortGroup) {
  const Hosts site = hosts();
  struct Case {
    const char* line;
    std::array<bool, 4> in;  // first, second, switch, router
  };
  const std::string guid = fmt::format("port-guid: {}", site.subnet.fabric.ports[site.second].guid);
  const Case cases[] = {
      {"use: unknown", {false, false, false, false}},
      {guid.c_str(), {false, true, false, false}},
      {"port-guid: 0x0-0xffffffffffffffff", {true, true, true, true}},
      {"port-name: vs1 HCA-1/P1", {true, false, false, false}},
      {"port-name: vs1 HCA-1/P2, vs2 HCA-1/p1", {false, true, false, false}},
      {"port-name: vs1 HCA-/P1, vs1 HCA-10/P1, VS1 HCA-1/P1", {false, false, false, false}},
      {"port-name: leaf/P3, router/P1", {false, false, true, true}},
      {"partition: storage", {true, true, false, false}},
      {"partition: Stor", {false, false, false, false}},
      {"pkey: 0x8020", {false, true, false, false}},
      {"pkey: 0x7fff", {true, false, true, true}},
      {"node-type: CA", {true, true, false, false}},
      {"node-type: SWITCH, ROUTER", {false, false, true, true}},
      {"node-type: SELF", {true, false, false, false}},
      {"node-type: ALL", {true, true, true, true}},
      {"node-type: ROUTER\npkey: 0x20", {false, true, false, true}},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.line);
    const QosPolicy policy = parsed(
        std::string("qos-ulps\ndefault: 0\nend-qos-ulps\nport-groups\nport-group\nname: g\n") +
        c.line + "\nend-port-group\nend-port-groups\n");
    const fabric::PortIndex ports[] = {site.first, site.second, site.switch_port, site.router_port};
    for (std::size_t i = 0; i < 4; ++i)
      EXPECT_EQ(is_in(site.subnet, {.port = ports[i]}, policy.port_groups.at(0)), c.in[i]) << i;
  }
}

TEST(QosLevels, FirstRuleWhoseConditionsAllHold) {
  const Hosts site = hosts();
  const QosPolicy policy = parsed(
      "port-groups\nport-group\nname: one\nport-name: vs1 "
      "HCA-1/P1\nend-port-group\nport-group\nname: two\nport-name: vs2 "
      "HCA-1/P1\nend-port-group\nend-port-groups\n"
      "qos-levels\nqos-level\nname: DEFAULT\nsl: 0\nend-qos-level\nqos-level\nname: 1\nsl: "
      "1\nend-qos-level\nqos-level\nname: 2\nsl: 2\nend-qos-level\nend-qos-levels\n"
      "qos-match-rules\n"
      "qos-match-rule\nqos-class: 7-9\nsource: one\nservice-id: 100\nqos-level-name: "
      "1\nend-qos-match-rule\n"
      "qos-match-rule\nqos-class: 7\ndestination: one, two\nqos-level-name: 2\nend-qos-match-rule\n"
      "end-qos-match-rules\n"
      "qos-ulps\nany, service-id 100: 3\nipoib: 4\nend-qos-ulps\n");
  const auto sl = [&](fabric::PortIndex from, fabric::PortIndex to, const QosTraffic& traffic) {
    return find_qos_level(policy, site.subnet, {.port = from}, {.port = to}, traffic).sl;
  };
  EXPECT_EQ(sl(site.first, site.second, {.qos_class = 8, .service_id = 100, .p_key = {}}), 1u);
  EXPECT_EQ(sl(site.second, site.first, {.qos_class = 8, .service_id = 100, .p_key = {}}), 3u);
  EXPECT_EQ(sl(site.first, site.second, {.qos_class = 8, .service_id = {}, .p_key = {}}),
            0u);  // a component that the query lacks satisfies no condition
  EXPECT_EQ(sl(site.second, site.first, {.qos_class = 7, .service_id = {}, .p_key = {}}), 2u);
  EXPECT_EQ(sl(site.second, site.second, {.qos_class = 7, .service_id = {}, .p_key = {}}), 2u);
  EXPECT_EQ(sl(site.second, site.switch_port, {.qos_class = 7, .service_id = {}, .p_key = {}}), 0u);
  EXPECT_EQ(
      sl(site.second, site.first, {.qos_class = {}, .service_id = {}, .p_key = mad::PKey{0xffff}}),
      4u);
  EXPECT_EQ(
      sl(site.second, site.first, {.qos_class = {}, .service_id = 100, .p_key = mad::PKey{0x7fff}}),
      3u);
  EXPECT_EQ(sl(site.second, site.first, {}), 0u);
}

// ---- Random policies over few numbers, so that conditions hold often.

NumberRanges random_ranges(topology::Random& random, std::uint64_t base, std::uint32_t span,
                           unsigned percent) {
  NumberRanges ranges;
  while (random.percent(percent)) {
    const std::uint64_t first = random.below(span);
    ranges.add(
        {base + first, base + first + random.below(static_cast<std::uint32_t>(span - first))});
  }
  return ranges;
}

QosPolicy random_policy(const fabric::Subnet& subnet, topology::Random& random) {
  QosPolicy policy;
  const std::size_t groups = 1 + random.below(5), levels = 1 + random.below(5);
  for (std::size_t i = 0; i < groups; ++i) {
    QosPortGroup group;
    group.name = fmt::format("group {}", i);
    for (const fabric::PortIndex port : subnet.fabric.end_ports) {
      const std::uint64_t guid = subnet.fabric.ports[port].guid.value;
      if (random.percent(10)) group.port_guids.add({guid, guid + random.below(3)});
      if (random.percent(10)) {
        const auto number =
            static_cast<std::uint8_t>(subnet.fabric.ports[port].number.value + random.below(2));
        group.port_names.push_back({subnet.fabric.owning_node(port).description.text(), number});
      }
    }
    if (random.percent(20)) group.p_keys = random_ranges(random, 1, 6, 50);
    for (const fabric::Partition& partition : subnet.partitions.partitions)
      if (random.percent(10)) group.partitions.push_back(partition.name);
    group.cas = random.percent(10);
    group.switches = random.percent(20);
    group.routers = random.percent(20);
    group.self = random.percent(10);
    policy.port_groups.push_back(std::move(group));
  }
  for (std::size_t i = 0; i < levels; ++i) {
    policy.levels.push_back({.name = fmt::format("{}", i),
                             .sl = static_cast<std::uint8_t>(i),
                             .mtu_limit = {},
                             .rate_limit = {},
                             .packet_life = {},
                             .path_bits = {},
                             .p_keys = {}});
  }
  const auto some_groups = [&] {
    std::vector<std::size_t> some;
    while (random.percent(40)) some.push_back(random.below(static_cast<std::uint32_t>(groups)));
    return some;
  };
  while (random.percent(80)) {
    policy.rules.push_back({.level = random.below(static_cast<std::uint32_t>(levels)),
                            .sources = some_groups(),
                            .destinations = some_groups(),
                            .qos_classes = random_ranges(random, 0, 8, 30),
                            .service_ids = random_ranges(random, 0x10000, 8, 30),
                            .p_keys = random_ranges(random, 1, 6, 30)});
  }
  policy.default_level = random.below(static_cast<std::uint32_t>(levels));
  return policy;
}

/// Range by range, name by name, key by key.
bool naive_contains(const NumberRanges& ranges, std::uint64_t number) {
  bool found = false;
  for (const auto& [first, last] : ranges.ranges())
    for (std::uint64_t n = first; n <= last; ++n) found = found || n == number;
  return found;
}
bool naive_is_in(const fabric::Subnet& subnet, fabric::PortIndex port, const QosPortGroup& group) {
  const fabric::Node& node = subnet.fabric.owning_node(port);
  std::set<std::string> names;  // by which a group could list the port
  for (unsigned number = 0; number < 300; ++number)
    if (node.is_switch() || number == subnet.fabric.ports[port].number.value)
      names.insert(fmt::format("{}/P{}", node.description.text(), number));
  bool in = naive_contains(group.port_guids, subnet.fabric.ports[port].guid.value);
  for (const config::QosPortName& name : group.port_names)
    in = in || names.contains(fmt::format("{}/P{}", name.description, name.port));
  for (const mad::PKey key : subnet.find_p_keys(port)) {
    in = in || naive_contains(group.p_keys, key.value & 0x7fff);
    for (const fabric::Partition& partition : subnet.partitions.partitions)
      for (const std::string& name : group.partitions)
        in = in || (partition.key == (key.value & 0x7fff) && partition.name == name);
  }
  if (node.type == mad::NodeType::ca) in = in || group.cas;
  if (node.type == mad::NodeType::switch_) in = in || group.switches;
  if (node.type == mad::NodeType::router) in = in || group.routers;
  return in || (group.self && port == subnet.fabric.sm_port);
}
std::size_t naive_level(const QosPolicy& policy, const fabric::Subnet& subnet,
                        fabric::PortIndex from, fabric::PortIndex to, const QosTraffic& traffic) {
  for (const config::QosRule& rule : policy.rules) {
    bool source = rule.sources.empty(), destination = rule.destinations.empty();
    for (const std::size_t group : rule.sources)
      source = source || naive_is_in(subnet, from, policy.port_groups[group]);
    for (const std::size_t group : rule.destinations)
      destination = destination || naive_is_in(subnet, to, policy.port_groups[group]);
    if (!source || !destination) continue;
    if (!rule.qos_classes.empty() &&
        (!traffic.qos_class || !naive_contains(rule.qos_classes, *traffic.qos_class)))
      continue;
    if (!rule.service_ids.empty() &&
        (!traffic.service_id || !naive_contains(rule.service_ids, *traffic.service_id)))
      continue;
    if (!rule.p_keys.empty() &&
        (!traffic.p_key || !naive_contains(rule.p_keys, traffic.p_key->value & 0x7fff)))
      continue;
    return rule.level;
  }
  return policy.default_level;
}

TEST(QosLevels, AgreeWithAnIndependentMatcher) {
  std::size_t by_rule = 0, by_default = 0;
  seeds::for_each(150, [&](std::uint64_t seed) {
    fabric::Fabric fabric = fabrics::random_fabric(seed);
    subnets::randomize_attributes(fabric, seed);
    fabric::Subnet subnet = subnets::bring_up(std::move(fabric));
    const auto& ends = subnet.fabric.end_ports;
    if (ends.empty()) return;
    subnet.partitions = subnets::random_partitions(ends.size(), seed);
    for (fabric::Partition& partition : subnet.partitions.partitions)
      partition.name = fmt::format("p{}", partition.key);
    topology::Random random(seed);
    const QosPolicy policy = random_policy(subnet, random);
    for (const fabric::PortIndex from : ends) {
      const fabric::PortIndex to =
          ends[fabric::EndPortIndex(random.below(static_cast<std::uint32_t>(ends.size())))];
      QosTraffic traffic;
      if (random.percent(60)) traffic.qos_class = static_cast<std::uint16_t>(random.below(8));
      if (random.percent(60)) traffic.service_id = 0x10000 + random.below(8);
      if (random.percent(60))
        traffic.p_key = mad::PKey{
            static_cast<std::uint16_t>((random.percent(50) ? 0x8000 : 0) | random.below(7))};
      const std::size_t expected = naive_level(policy, subnet, from, to, traffic);
      ASSERT_EQ(&find_qos_level(policy, subnet, {.port = from}, {.port = to}, traffic),
                &policy.levels[expected])
          << subnet.fabric.port_name(from) << " to " << subnet.fabric.port_name(to);
      ++(expected == policy.default_level ? by_default : by_rule);
    }
  });
  if (!seeds::are_default()) return;
  EXPECT_GT(by_rule, 300u);
  EXPECT_GT(by_default, 300u);
}

}  // namespace qos_level_test
}  // namespace sa
