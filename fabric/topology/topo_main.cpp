// heddle-topo: generates, changes and draws topologies.
//
//   heddle-topo fat-tree --hosts 324 > fabric.net
//   ibsim -s -N 14000 -S 1700 -P 80000 fabric.net

#include <getopt.h>

#include <cstdio>
#include <functional>
#include <iostream>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "fabric/topology/read.h"
#include "fabric/topology/topo_kinds.h"
#include "fabric/topology/topology.h"
#include "mad/format.h"

namespace {

using sim::topo::UsageError;

constexpr std::string_view kHelpHead =
    R"(usage: heddle-topo KIND [numbers] [--option N ...] > FILE.net
       heddle-topo --read FILE [--option N ...] > FILE.net

Prints the topology of an InfiniBand fabric: a generated one, or one from a file (output of ibnetdiscover, input of ibsim, or YAML if
the name ends in .yaml), with changes. Changes are applied in the order of this list.

)";

constexpr std::string_view kHelpTail = R"(
changes
  --drop-node NAME                    remove a node; may be given more than once, as the next two
  --drop-link NAME:PORT               remove the link at this port
  --add-host SWITCH                   a new host on this switch
  --ports-per-host N                  hosts with one link get N, to as many leaf switches
  --parallel N                        every link between switches becomes N
  --degrade FRACTION                  remove this fraction (0 to 1) of the links between switches; subnets stay connected
  --may-break                         ... or may fall apart: --stats prints the number of subnets
  --rails N                           N copies as subnets of their own; every host has an HCA in each
  --multi-port                        ... or one HCA with a port in each
  --routers N                         N routers, with a port in each subnet
  --width 1x|2x|4x|8x|12x, --speed SDR|DDR|QDR|FDR10|FDR|EDR|HDR|NDR|XDR
                                      of all links

options of every kind
  --seed N                            seed of random choices (default 1)
  --format ibnetdiscover|yaml|dot|svg (default ibnetdiscover, which ibsim reads, too)
  --layout automatic|layers|grid|groups|circle
                                      of the SVG picture
  --stats                             print the numbers of hosts, switches, routers, links and subnets on stderr
  --help                              this text

Exit codes: 0 done; 1 the parameters or the file are invalid (with file:line:column); 2 the command line is invalid.

The first host of the file is where ibsim attaches a program unless SIM_HOST names another one.
Large fabrics need larger ibsim tables: ibsim -s -N <nodes> -S <switches> -P <ports> FILE.net

examples
  heddle-topo fat-tree --hosts 324 --format svg > fabric.svg
  heddle-topo fat-tree --hosts 648 --degrade 0.1 --seed 7 > degraded.net
  heddle-topo torus 4,4 --rails 2 --routers 1 > rails.net
  ibnetdiscover > real.net; heddle-topo --read real.net --degrade 0.05 --stats > worse.net
)";

using Change = std::function<sim::Topology(const sim::Topology&)>;

struct Options {
  bool help = false, stats = false, may_break = false, multi_port = false;
  std::optional<std::string> read;
  std::uint64_t seed = 1;
  std::string format = "ibnetdiscover";
  sim::Layout layout = sim::Layout::automatic;
  std::vector<Change> changes;  // those of single nodes, in the order given
  std::optional<unsigned> ports_per_host, parallel, rails, routers;
  std::optional<double> degrade;
  std::optional<sim::LinkWidth> width;
  std::optional<sim::LinkSpeed> speed;
};

unsigned small_number(const std::string& text, const char* what) {
  const std::uint64_t value = sim::topo::parse_number(text, what);
  if (value > 100'000) throw UsageError(fmt::format("{}: {} is too large", what, value));
  return static_cast<unsigned>(value);
}

double fraction(const std::string& text) {
  std::istringstream in(text);
  in.imbue(std::locale::classic());
  double value = -1;
  if (!(in >> value) || !in.eof() || !(value >= 0 && value <= 1))
    throw UsageError(fmt::format("--degrade: '{}' is not a number from 0 to 1", text));
  return value;
}

sim::Layout layout_of(const std::string& text) {
  if (text == "automatic") return sim::Layout::automatic;
  if (text == "layers") return sim::Layout::layers;
  if (text == "grid") return sim::Layout::grid;
  if (text == "groups") return sim::Layout::groups;
  if (text == "circle") return sim::Layout::circle;
  throw UsageError(
      fmt::format("--layout: '{}' is not automatic, layers, grid, groups or circle", text));
}

Change drop_link(const std::string& text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos)
    throw UsageError(fmt::format("--drop-link: '{}' is not NAME:PORT", text));
  const std::uint64_t port = sim::topo::parse_number(text.substr(colon + 1), "--drop-link");
  if (port < 1 || port > mad::kPortNumMax)
    throw UsageError(fmt::format("--drop-link: there is no port {}", port));
  return [name = text.substr(0, colon), port](const sim::Topology& t) {
    return sim::drop_link(t, name, {static_cast<std::uint8_t>(port)});
  };
}

// Takes one option that all kinds have; false if it is one of the kind's numbers.
bool take(Options& options, const std::string& name, const std::string& value) {
  if (name == "help")
    options.help = true;
  else if (name == "stats")
    options.stats = true;
  else if (name == "may-break")
    options.may_break = true;
  else if (name == "multi-port")
    options.multi_port = true;
  else if (name == "read")
    options.read = value;
  else if (name == "seed")
    options.seed = sim::topo::parse_number(value, "--seed");
  else if (name == "format")
    options.format = value;
  else if (name == "layout")
    options.layout = layout_of(value);
  else if (name == "drop-node")
    options.changes.push_back([value](const sim::Topology& t) { return sim::drop_node(t, value); });
  else if (name == "drop-link")
    options.changes.push_back(drop_link(value));
  else if (name == "add-host")
    options.changes.push_back([value](const sim::Topology& t) { return sim::add_host(t, value); });
  else if (name == "ports-per-host")
    options.ports_per_host = small_number(value, "--ports-per-host");
  else if (name == "parallel")
    options.parallel = small_number(value, "--parallel");
  else if (name == "rails")
    options.rails = small_number(value, "--rails");
  else if (name == "routers")
    options.routers = small_number(value, "--routers");
  else if (name == "degrade")
    options.degrade = fraction(value);
  else if (name == "width") {
    sim::LinkWidth width{};
    if (!sim::parse_width(value, width))
      throw UsageError(fmt::format("--width: '{}' is not 1x, 2x, 4x, 8x or 12x", value));
    options.width = width;
  } else if (name == "speed") {
    sim::LinkSpeed speed{};
    if (!sim::parse_speed(value, speed))
      throw UsageError(fmt::format(
          "--speed: '{}' is not SDR, DDR, QDR, FDR10, FDR, EDR, HDR, NDR or XDR", value));
    options.speed = speed;
  } else {
    return false;
  }
  return true;
}

Options parse(int argc, char** argv, sim::topo::Arguments& kind_arguments) {
  std::vector<option> table;
  for (const char* name : {"help", "stats", "may-break", "multi-port"})
    table.push_back({name, no_argument, nullptr, 0});
  for (const char* name :
       {"read", "seed", "format", "layout", "drop-node", "drop-link", "add-host", "ports-per-host",
        "parallel", "rails", "routers", "degrade", "width", "speed"}) {
    table.push_back({name, required_argument, nullptr, 0});
  }
  for (const char* name : sim::topo::kind_options())
    table.push_back({name, required_argument, nullptr, 0});
  table.push_back({nullptr, 0, nullptr, 0});

  Options options;
  std::set<std::string> seen;
  opterr = 0;  // one line of ours instead
  int index = 0;
  for (int result; (result = getopt_long(argc, argv, "-:h", table.data(), &index)) != -1;) {
    if (result == 1) {
      kind_arguments.add_word(optarg);
    } else if (result == 'h') {
      options.help = true;
    } else if (result == ':') {
      throw UsageError(fmt::format("{} needs a value", argv[optind - 1]));
    } else if (result != 0) {
      throw UsageError(optopt != 0
                           ? fmt::format("there is no option -{}", static_cast<char>(optopt))
                           : fmt::format("there is no option {}", argv[optind - 1]));
    } else {
      const std::string name = table[static_cast<std::size_t>(index)].name,
                        value = optarg == nullptr ? "" : optarg;
      const bool many = name == "drop-node" || name == "drop-link" || name == "add-host";
      if (!seen.insert(name).second && !many)
        throw UsageError(fmt::format("--{} is there twice", name));
      if (!take(options, name, value)) kind_arguments.add_option(name, value);
    }
  }
  while (optind < argc) kind_arguments.add_word(argv[optind++]);  // after "--"
  for (const char* format : {"ibnetdiscover", "yaml", "dot", "svg"}) {
    if (options.format == format) return options;
  }
  throw UsageError(
      fmt::format("--format: '{}' is not ibnetdiscover, yaml, dot or svg", options.format));
}

std::optional<sim::Topology> read(const std::string& path) {
  sim::TopologyFile file = sim::read_topology(path);
  for (const config::Diagnostic& finding : file.findings)
    fmt::print(stderr, "{}\n", finding.text());
  if (!file.ok()) return std::nullopt;
  return std::move(file.topology);
}

sim::Topology changed(sim::Topology topology, const Options& options) {
  for (const Change& change : options.changes) topology = change(topology);
  if (options.ports_per_host) topology = sim::add_host_ports(topology, *options.ports_per_host);
  if (options.parallel) topology = sim::multiply_cables(topology, *options.parallel);
  if (options.degrade) {
    topology =
        sim::degrade(topology, *options.degrade, options.seed,
                     options.may_break ? sim::Connectivity::may_break : sim::Connectivity::keep);
  }
  if (options.rails)
    topology = sim::rails(topology, {.rails = *options.rails, .multi_port = options.multi_port});
  if (options.routers) topology = sim::add_routers(topology, *options.routers);
  for (sim::Link& link : topology.links) {
    link.width = options.width.value_or(link.width);
    link.speed = options.speed.value_or(link.speed);
  }
  return topology;
}

void write(const sim::Topology& topology, const Options& options) {
  if (options.format == "ibnetdiscover") sim::write_ibsim(topology, std::cout);
  if (options.format == "yaml") sim::write_yaml(topology, std::cout);
  if (options.format == "dot") sim::write_dot(topology, std::cout);
  if (options.format == "svg") sim::write_svg(topology, std::cout, options.layout);
  std::cout.flush();
  if (!std::cout.good()) throw std::runtime_error("writing to standard output failed");
}

void print_stats(const sim::Topology& topology) {
  const std::vector<sim::Subnet> subnets = sim::subnets(topology);
  std::size_t lids = 0;
  for (const sim::Subnet& subnet : subnets) lids = std::max(lids, subnet.lids());
  fmt::print(
      stderr,
      "{} hosts, {} switches, {} routers, {} links, {} subnet{}, up to {} LIDs in a subnet\n",
      topology.count(sim::NodeType::ca), topology.count(sim::NodeType::switch_),
      topology.count(sim::NodeType::router), topology.links.size(), subnets.size(),
      subnets.size() == 1 ? "" : "s", lids);
}

int run(int argc, char** argv) {
  sim::topo::Arguments arguments;
  Options options = parse(argc, argv, arguments);
  if (options.help) {
    std::cout << kHelpHead << sim::topo::kinds_help() << kHelpTail;
    return 0;
  }
  if (options.multi_port && !options.rails) throw UsageError("--multi-port needs --rails");
  if (options.may_break && !options.degrade) throw UsageError("--may-break needs --degrade");
  std::optional<sim::Topology> topology;
  if (options.read) {
    arguments.expect_empty();
    topology = read(*options.read);
    if (!topology) return 1;
  } else {
    const std::optional<std::string> kind = arguments.word();
    if (!kind) throw UsageError("a kind of fabric, or --read FILE, is missing");
    if (kind == "row" && options.ports_per_host) {  // its own option
      arguments.add_option("ports-per-host", std::to_string(*options.ports_per_host));
      options.ports_per_host.reset();
    }
    topology = sim::topo::make(*kind, arguments, options.seed);
    arguments.expect_empty();
  }
  const sim::Topology result = changed(std::move(*topology), options);
  write(result, options);
  if (options.stats) print_stats(result);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const UsageError& error) {
    fmt::print(stderr, "heddle-topo: {} (try heddle-topo --help)\n", error.what());
    return 2;
  } catch (const std::exception& error) {
    fmt::print(stderr, "heddle-topo: {}\n", error.what());
    return 1;
  }
}
