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

void expect_places(const sim::TopologyFile& file, std::string_view text) {
  const auto line_count = std::ranges::count(text, '\n') + 1;
  for (const config::Diagnostic& d : file.findings) {
    expect(d.line >= 1 && d.line <= line_count && d.column >= 1 &&
           d.text().find('\n') == std::string::npos);
  }
}

void expect_survival(const sim::Topology& topology) {
  std::ostringstream yaml, text, dot, svg;
  sim::write_yaml(topology, yaml);
  const std::string yaml_text = yaml.str();
  const sim::TopologyFile from_yaml = sim::read_yaml({"again.yaml", yaml_text});
  expect(from_yaml.ok() && from_yaml.topology == topology);
  sim::write_ibsim(topology, text);
  const std::string plain_text = text.str();
  const bool writable = std::ranges::all_of(
      topology.nodes, [](const sim::Node& node) { return node.port_count > 0; });
  if (writable) {
    const sim::TopologyFile from_text = sim::read_ibnetdiscover({"again.net", plain_text});
    expect(from_text.ok() && from_text.topology.nodes.size() == topology.nodes.size());
    expect(from_text.topology.links.size() == topology.links.size());
  }
  if (topology.nodes.size() > 50) return;
  sim::write_dot(topology, dot);
  sim::write_svg(topology, svg);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const sim::TopologyFile net = sim::read_ibnetdiscover({"fuzz.net", text});
  expect_places(net, text);
  if (net.ok()) expect_survival(net.topology);
  if (text.find('\0') != std::string_view::npos) return 0;
  const sim::TopologyFile yaml = sim::read_yaml({"fuzz.yaml", text});
  expect_places(yaml, text);
  if (yaml.ok()) expect_survival(yaml.topology);
  return 0;
}
