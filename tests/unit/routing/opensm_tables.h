#pragma once
// Fabrics with the LIDs and tables of OpenSM 3.3.23.

#include <fstream>
#include <sstream>
#include <string>

#include "config/table_files.h"
#include "fabric/forwarding_tables.h"
#include "fabric/topology/read.h"
#include "support/fabrics.h"

namespace opensm_tables {

inline std::string read_data(const std::string& name) {
  std::ifstream file(std::string(HEDDLE_TEST_DATA "/") + name);
  std::stringstream text;
  text << file.rdbuf();
  if (!file) throw std::runtime_error("cannot read " + name);
  return text.str();
}

inline fabric::LidMap lid_range(const fabric::Fabric& fabric, const config::ForwardingDump& dump) {
  fabric::LidMap map;
  map.of_end_port.resize(fabric.end_ports.size());
  map.port_of_lid.assign(dump.owner_of_lid.size(), fabric::kNoIndex);
  map.lid_top = mad::Lid{static_cast<std::uint16_t>(dump.owner_of_lid.size() - 1)};
  for (std::size_t lid = 1; lid < dump.owner_of_lid.size(); ++lid) {
    const auto port = fabric.port_of_guid.find(mad::Guid{dump.owner_of_lid[lid]});
    if (port == fabric.port_of_guid.end()) continue;
    map.port_of_lid[lid] = port->second;
    const auto index = std::ranges::find(fabric.end_ports, port->second) - fabric.end_ports.begin();
    fabric::LidMap::Range& range = map.of_end_port[fabric::EndPortIndex(index)];
    if (range.base.value == 0)
      range.base.value = static_cast<std::uint16_t>(lid);
    else
      for (range.lmc = 0; range.base.value + (1u << range.lmc) <= lid;) ++range.lmc;
  }
  return map;
}

/// One recorded run: `fabric` is a file of tests/data/topologies, `engine` the configured routing
/// engine.
struct Recorded {
  config::ForwardingDump dump;
  fabrics::Subnet subnet;
  fabric::ForwardingTables lfts;

  Recorded(const std::string& fabric, const std::string& engine)
      : Recorded(fabrics::from_topology(topology(fabric)), read_dump(fabric, engine)) {}

 private:
  static topology::Topology topology(const std::string& fabric) {
    return topology::read_topology(HEDDLE_TEST_DATA "/topologies/" + fabric + ".net").topology;
  }
  static config::ForwardingDump read_dump(const std::string& fabric, const std::string& engine) {
    config::Diagnostics findings;
    auto dump = config::parse_forwarding_dump(
        {fabric, read_data("opensm_tables/" + fabric + "." + engine + ".lfts")}, findings);
    if (!findings.empty()) throw std::runtime_error(findings.front().text());
    return dump;
  }
  Recorded(fabric::Fabric fabric, config::ForwardingDump from)
      : dump(std::move(from)),
        subnet(fabric, lid_range(fabric, dump)),
        lfts(subnet.graph.switches(), subnet.lids.lid_top) {
    for (const auto& row : dump.rows) {
      const auto sw = subnet.fabric.nodes[subnet.fabric.node_of_guid.at(mad::Guid{row.switch_guid})]
                          .switch_index;
      std::ranges::copy(row.out, lfts.writable_row(sw).begin());
    }
  }
};

}  // namespace opensm_tables
