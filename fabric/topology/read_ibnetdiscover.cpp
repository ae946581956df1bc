
#include "fabric/topology/graph.h"
#include "fabric/topology/ibnetdiscover_cabling.h"
#include "fabric/topology/ibnetdiscover_parser.h"
#include "fabric/topology/read.h"
#include "mad/format.h"

namespace topology {

TopologyFile read_ibnetdiscover(const config::Source& source, const config::FileReader& files) {
  TopologyFile file;
  Findings findings(file.findings);
  ibnetdiscover::Records records;
  ibnetdiscover::Parser(records, file.console_lines, findings, files).read(source);
  const Position start{source.file, 1, 1};
  if (records.nodes.empty())
    findings.error(start, "there is no node in this file",
                   R"(Switch 36 "name", Ca 1 "name" or Rt 2 "name")");
  ibnetdiscover::Cabling(records, findings).check(file.topology.links, file.links_without_rate);
  if (findings.full() || !file.ok()) return file;
  for (std::size_t node = 0; node < records.nodes.size(); ++node) {
    const ibnetdiscover::Record& record = records.nodes[node];
    const auto state = [&](unsigned port, const std::optional<ibnetdiscover::CommentLid>& of) {
      if (of)
        file.lids.push_back(
            {{node, {static_cast<std::uint8_t>(port)}}, mad::Lid{of->lid}, of->lmc});
    };
    state(0, record.lid);
    if (record.node.type == NodeType::switch_) continue;
    for (const ibnetdiscover::Plug& plug : record.plugs) state(plug.port, plug.own_lid);
  }
  for (ibnetdiscover::Record& record : records.nodes) {
    if (record.node.id == record.node.name) record.node.id.clear();
    file.topology.nodes.push_back(std::move(record.node));
  }
  try {
    require_lid_space(file.topology);
  } catch (const TopologyError& error) {
    findings.error(start, error.what());
  }
  return file;
}

TopologyFile read_topology(const std::string& path, const config::FileReader& files) {
  const auto text = files(path);
  if (!text) {
    TopologyFile file;
    file.findings.push_back({config::Severity::error,
                             path,
                             0,
                             0,
                             fmt::format("cannot be read: {}", text.error().message()),
                             {}});
    return file;
  }
  const bool yaml = path.ends_with(".yaml") || path.ends_with(".yml");
  return yaml ? read_yaml({path, *text}) : read_ibnetdiscover({path, *text}, files);
}

}  // namespace topology
