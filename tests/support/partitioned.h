#pragma once
// P_Key tables for fabrics in memory, and partitions read from text.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "fabric/fabric.h"
#include "partitions/load.h"
#include "partitions/membership.h"
#include "partitions/p_key_tables.h"

namespace partitioned {

struct Capacities {
  std::uint16_t host = 128, switch0 = 8, external = 32;  // keys
};

/// Every port gets a table, with 0xffff at index 0 as after power-on; switches enforce in both
/// directions.
inline void give_tables(fabric::Fabric& fabric, const Capacities& capacities = {}) {
  for (fabric::Node& node : fabric.nodes)
    node.info.set_partition_cap(node.is_switch() ? capacities.switch0 : capacities.host);
  for (fabric::Switch& sw : fabric.switches) {
    sw.info.set_partition_enforcement_cap(capacities.external);
    sw.info.set_inbound_enforcement_cap(true);
    sw.info.set_outbound_enforcement_cap(true);
  }
  fabric.p_key_blocks.clear();
  for (const fabric::PortIndex index : fabric.ports.indices()) {
    fabric::Port& port = fabric.ports[index];
    port.first_p_key_block = static_cast<std::uint32_t>(fabric.p_key_blocks.size());
    port.p_key_blocks = port.known ? static_cast<std::uint16_t>(mad::PKeyTable::blocks(
                                         partitions::p_key_capacity(fabric, index)))
                                   : std::uint16_t{0};
    for (unsigned block = 0; block < port.p_key_blocks; ++block) {
      mad::PKeyTable table;
      if (block == 0) table.set_p_key(0, mad::kDefaultPKeyFull);
      fabric.p_key_blocks.push_back(table);
    }
  }
}

inline partitions::Configuration read(std::string_view text) {
  config::Diagnostics found;
  partitions::Configuration configuration =
      partitions::parse_partitions_conf({"partitions.conf", text}, found);
  for (const config::Diagnostic& diagnostic : found) {
    EXPECT_NE(diagnostic.severity, config::Severity::error) << diagnostic.text();
  }
  return configuration;
}

/// Entries 0..count-1 of a port's table.
inline std::vector<std::uint16_t> table(const fabric::Fabric& fabric,
                                        const fabric::PKeyBlocks& blocks, fabric::PortIndex port,
                                        unsigned count = 8) {
  std::vector<std::uint16_t> keys;
  for (unsigned i = 0; i < count; ++i) {
    const unsigned block = i / mad::PKeyTable::kEntries;
    keys.push_back(block < fabric.ports[port].p_key_blocks
                       ? blocks[fabric.ports[port].first_p_key_block + block]
                             .p_key(i % mad::PKeyTable::kEntries)
                             .value
                       : std::uint16_t{0});
  }
  return keys;
}

}  // namespace partitioned
