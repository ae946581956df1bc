// heddle-topo: makes, changes and draws cabling plans.
//
//   heddle-topo fat-tree --hosts 324 > fabric.net
//   ibsim -s -N 14000 -S 1700 -P 80000 fabric.net

#include <cstdio>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include "config/control_characters.h"
#include "fabric/topology/read.h"
#include "mad/format.h"
#include "sm/ctl/topology/topo_options.h"
#include "sm/ctl/topology/topology.h"

namespace {

using topology::topo::Change;
using topology::topo::Format;
using topology::topo::Options;

std::optional<topology::Topology> read(const std::string& path) {
  topology::TopologyFile file = topology::read_topology(path);
  for (const config::Diagnostic& finding : file.findings)
    fmt::print(stderr, "{}\n", finding.text());
  if (!file.ok()) return std::nullopt;
  return std::move(file.topology);
}

topology::Topology changed(topology::Topology topology, const Options& options) {
  for (const Change& change : options.changes) topology = change(topology);
  if (options.ports_per_host)
    topology = topology::add_host_ports(topology, *options.ports_per_host);
  if (options.parallel) topology = topology::multiply_cables(topology, *options.parallel);
  if (options.degrade) {
    topology = topology::degrade(
        topology, *options.degrade, options.seed,
        options.may_break ? topology::Connectivity::may_break : topology::Connectivity::keep);
  }
  if (options.rails)
    topology =
        topology::rails(topology, {.rails = *options.rails, .multi_port = options.multi_port});
  if (options.routers) topology = topology::add_routers(topology, *options.routers);
  for (topology::Link& link : topology.links) {
    link.width = options.width.value_or(link.width);
    link.speed = options.speed.value_or(link.speed);
  }
  return topology;
}

void write(const topology::Topology& topology, const Options& options) {
  switch (options.format) {
    case Format::ibnetdiscover:
      topology::write_ibsim(topology, std::cout);
      break;
    case Format::yaml:
      topology::write_yaml(topology, std::cout);
      break;
    case Format::dot:
      topology::write_dot(topology, std::cout);
      break;
    case Format::svg:
      topology::write_svg(topology, std::cout, options.layout);
      break;
  }
  std::cout.flush();
  if (!std::cout.good()) throw std::runtime_error("writing to standard output failed");
}

void print_stats(const topology::Topology& topology) {
  const std::vector<topology::Subnet> subnets = topology::subnets(topology);
  std::size_t lids = 0;
  for (const topology::Subnet& subnet : subnets) lids = std::max(lids, subnet.lids());
  fmt::print(
      stderr,
      "{} hosts, {} switches, {} routers, {} cables, {} subnet{}, up to {} LIDs in a subnet\n",
      topology.count(topology::NodeType::ca), topology.count(topology::NodeType::switch_),
      topology.count(topology::NodeType::router), topology.links.size(), subnets.size(),
      subnets.size() == 1 ? "" : "s", lids);
}

int run(const Options& options) {
  std::optional<topology::Topology> topology =
      options.read.empty() ? options.make() : read(options.read);
  if (!topology) return 1;
  const topology::Topology result = changed(std::move(*topology), options);
  write(result, options);
  if (options.stats) print_stats(result);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const auto options = topology::topo::parse_options(argc, argv);
    return options ? run(*options) : options.error();
  } catch (const std::exception& error) {
    fmt::print(stderr, "heddle-topo: {}\n", config::escape_lines(error.what()));
    return 1;
  }
}
