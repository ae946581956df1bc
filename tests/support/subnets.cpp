#include "support/subnets.h"

#include <algorithm>

#include "routing/engines/distance/distance_engines.h"
#include "support/fabrics.h"

namespace subnets {

fabric::PartitionMap make_partitions(const std::vector<std::vector<mad::PKey>>& keys) {
  fabric::PartitionMap map;
  for (const auto& own : keys) {
    map.offsets.push_back(static_cast<std::uint32_t>(map.keys.size()));
    for (const mad::PKey key : own) {
      map.keys.push_back(key);
      if (map.find(key) == nullptr)
        map.partitions.push_back({.key = mad::p_key_base(key), .name = {}, .sl = {}});
    }
  }
  map.offsets.push_back(static_cast<std::uint32_t>(map.keys.size()));
  std::ranges::sort(map.partitions, {}, &fabric::Partition::key);
  return map;
}

fabric::PartitionMap default_partition(std::size_t end_ports) {
  return make_partitions(std::vector<std::vector<mad::PKey>>(end_ports, {mad::kDefaultPKeyFull}));
}

fabric::PartitionMap random_partitions(std::size_t end_ports, std::uint64_t seed) {
  topology::Random random(seed);
  std::vector<std::vector<mad::PKey>> keys(end_ports);
  for (auto& own : keys) {
    for (std::uint16_t partition = 1; partition <= 5; ++partition) {
      if (random.percent(30)) own.push_back(mad::PKey{partition});
      if (random.percent(25))
        own.push_back(mad::PKey{static_cast<std::uint16_t>(0x8000u | partition)});
    }
    if (random.percent(50))
      own.push_back(random.percent(60) ? mad::kDefaultPKeyFull : mad::kDefaultPKeyLimited);
  }
  fabric::PartitionMap map = make_partitions(keys);
  for (fabric::Partition& partition : map.partitions)
    partition.sl = mad::Sl{static_cast<std::uint8_t>(random.below(4))};
  return map;
}

void randomize_attributes(fabric::Fabric& fabric, std::uint64_t seed) {
  topology::Random random(seed);
  const auto one_of = [&](std::initializer_list<unsigned> values) {
    return static_cast<std::uint8_t>(
        values.begin()[random.below(static_cast<std::uint32_t>(values.size()))]);
  };
  for (fabric::Node& node : fabric.nodes) {
    node.info.set_base_version(1);
    node.info.set_class_version(1);
    node.info.set_partition_cap(one_of({1, 32, 40}));
    node.info.set_device_id(one_of({7, 8}));
    node.info.set_revision(one_of({0, 0xA1}));
    node.info.set_vendor_id(0x2c9u + random.below(2));
  }
  for (fabric::Port& port : fabric.ports) {
    mad::PortInfo& info = port.info;
    const mad::PortState state = info.port_state();
    for (const mad::Field& field : mad::PortInfo::kFields)
      mad::write(info.bytes(), field, random.below(2));  // few values, so that queries match
    info.set_port_state(state);
    info.set_m_key({random.below(2) * 0x1122334455u});
    info.set_mtu_cap(static_cast<mad::Mtu>(random.percent(5) ? 0u : 3 + random.below(3)));
    info.set_neighbor_mtu(static_cast<mad::Mtu>(random.percent(5) ? 0u : 3 + random.below(3)));
    info.set_link_width_active(one_of({1, 2, 2, 8, 16, 0}));
    info.set_link_speed_active(one_of({1, 2, 4, 0}));
    info.set_link_speed_ext_active(info.link_speed_active() == 0 ? one_of({1, 2, 4, 8})
                                                                 : std::uint8_t{0});
    info.set_link_speed_ext_active2(0);
    info.set_guid_cap(one_of({0, 1, 8, 9, 17}));
    info.set_capability_mask(random.below(8) | mad::capability::kCapabilityMask2);
    info.set_capability_mask2(static_cast<std::uint16_t>(random.below(8)));
    if (!port.known) continue;
    port.first_p_key_block = static_cast<std::uint32_t>(fabric.p_key_blocks.size());
    port.p_key_blocks = static_cast<std::uint16_t>(random.below(3));
    for (unsigned block = 0; block < port.p_key_blocks; ++block) {
      mad::PKeyTable table;
      for (unsigned i = 0; i < mad::PKeyTable::kEntries; ++i)
        table.set_p_key(i, mad::PKey{static_cast<std::uint16_t>(random.below(0x10000))});
      fabric.p_key_blocks.push_back(table);
    }
  }
}

fabric::Subnet bring_up(fabric::Fabric fabric, unsigned lmc) {
  fabrics::Subnet routed(std::move(fabric), lmc);
  const routing::RoutingOptions options;
  auto tables = routing::minhop({routed.fabric, routed.graph, routed.lids, options, nullptr});
  fabric::Subnet subnet;
  subnet.lfts = std::make_shared<const fabric::ForwardingTables>(
      tables ? std::move(tables->lfts)
             : fabric::ForwardingTables(routed.fabric.switches.size(), routed.lids.lid_top));
  subnet.lids = std::move(routed.lids);
  subnet.fabric = std::move(routed.fabric);
  subnet.index();
  return subnet;
}

}  // namespace subnets
