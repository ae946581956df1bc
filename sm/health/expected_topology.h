#pragma once
// This file compares the links that topo_config_file expects with those of the fabric.

#include <cstddef>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include <tl/expected.hpp>

#include "config/diagnostic.h"
#include "config/health_files.h"
#include "fabric/condition.h"
#include "fabric/fabric.h"
#include "sm/health/compared_topology.h"
#include "sm/health/link_health.h"

namespace sm {

/// Holds the content of a topo_config_file.
struct ExpectedLinks {
  ComparedTopology topology;
  std::set<PortPlace> any;            // ends of links that may be there or not
  bool has_nodes = false;             // types, descriptions and rates are stated, not only links
  config::Diagnostics warnings = {};  // about the file
};

/// Reads a topo_config_file in one of three forms: a list of links as NVIDIA's OpenSM has it
/// (`guid,port,guid,port,type, state` in each line), the output of ibnetdiscover, or YAML as of
/// heddle-topo if the file's name ends in .yaml or .yml. A list may have a link twice, once from
/// each end. State is Active, or No-discover: such a link may be present or not. Type is Any, or
/// the type of the second node: it is not compared. Errors: at least one finding with line and
/// column, also for a port that has two different links.
tl::expected<ExpectedLinks, config::Diagnostics> read_expected(const config::SharedSource& source);

/// Adds the findings in the file, if there is one, as warnings: the daemon manages the fabric
/// without the file.
void check_expected(const config::SharedSource& source, config::Diagnostics& out);

/// Returns the differences from the expected topology as conditions; the first hundred of each
/// kind, and one that counts the others. Links and nodes at isolated ports are not reported as
/// missing. A GUID of the file may be that of an end port instead of its node's. Pure.
std::vector<Condition> compare_expected(const ExpectedLinks& expected, const Fabric& fabric);

/// Compares with the file as above and keeps the latest result, so that a call costs little while
/// neither file nor links change.
class ExpectedTopology {
 public:
  std::vector<Condition> conditions(const config::SharedSource& source, const Fabric& fabric);

 private:
  std::shared_ptr<const std::string> text_;  // that expected_ was read from
  std::optional<ExpectedLinks> expected_;
  ComparedTopology now_;
  std::vector<bool> isolated_;  // ports of that fabric
  std::vector<Condition> found_;
};

}  // namespace sm
