#pragma once
// The command line of heddle-topo.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "sm/ctl/topology/topology.h"

namespace topology::topo {

enum class Format : std::uint8_t { ibnetdiscover, yaml, dot, svg };

using Change = std::function<Topology(const Topology&)>;

struct Options {
  std::string read;                // a file; empty: `make` it
  std::function<Topology()> make;  // throws TopologyError
  std::vector<Change> changes;     // those of single nodes, in the order given
  std::optional<unsigned> ports_per_host, parallel, rails, routers;
  bool multi_port = false;  // with rails
  std::optional<double> degrade;
  bool may_break = false;  // with degrade
  std::optional<LinkWidth> width;
  std::optional<LinkSpeed> speed;
  std::uint64_t seed = 1;
  Format format = Format::ibnetdiscover;
  Layout layout = Layout::automatic;
  bool stats = false;
};

/// Errors: the exit code of the program: 0 after --help, 2 after a message on standard error. What
/// the result holds refers to nothing of the caller's.
tl::expected<Options, int> parse_options(int argc, const char* const* argv);

}  // namespace topology::topo
