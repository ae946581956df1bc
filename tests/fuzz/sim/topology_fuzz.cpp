// For any file: no crash, every finding has a position in it, and an accepted file is equal after
// it is written and read again.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <sstream>
#include <string>

#include "fabric/topology/read.h"
#include "sm/ctl/topology/topology.h"

namespace {

void expect(bool ok) {
  if (!ok) std::abort();
}

void expect_places(const topology::TopologyFile& file, std::string_view text) {
  const auto line_count = std::ranges::count(text, '\n') + 1;
  for (const config::Diagnostic& d : file.findings) {
    expect(d.line >= 1 && d.line <= line_count && d.column >= 1 &&
           d.text().find('\n') == std::string::npos);
  }
}

void expect_survival(const topology::Topology& topology) {
  std::ostringstream yaml, text, dot, svg;
  topology::write_yaml(topology, yaml);
  const std::string yaml_text = yaml.str();
  const topology::TopologyFile from_yaml = topology::read_yaml({"again.yaml", yaml_text});
  expect(from_yaml.ok() && from_yaml.topology == topology);
  topology::write_ibsim(topology, text);
  const std::string plain_text = text.str();
  const bool writable = std::ranges::all_of(
      topology.nodes, [](const topology::Node& node) { return node.port_count > 0; });
  if (writable) {
    const topology::TopologyFile from_text =
        topology::read_ibnetdiscover({"again.net", plain_text});
    expect(from_text.ok() && from_text.topology.nodes.size() == topology.nodes.size());
    expect(from_text.topology.links.size() == topology.links.size());
  }
  if (topology.nodes.size() > 50) return;
  topology::write_dot(topology, dot);
  topology::write_svg(topology, svg);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const topology::TopologyFile net = topology::read_ibnetdiscover({"fuzz.net", text});
  expect_places(net, text);
  if (net.ok()) expect_survival(net.topology);
  if (text.find('\0') != std::string_view::npos) return 0;
  const topology::TopologyFile yaml = topology::read_yaml({"fuzz.yaml", text});
  expect_places(yaml, text);
  if (yaml.ok()) expect_survival(yaml.topology);
  return 0;
}
