#pragma once

#include <cstdint>
#include <vector>

#include "config/input_files.h"
#include "fabric/fabric.h"
#include "routing/core/routing_options.h"

namespace sm {

/// Adds to the options what port groups of the configuration (pgrp_policy_file) stand for in this
/// fabric: the parts of steps of routing chains, and GUIDs in lists that name groups. Groups in
/// `roots` and the like give NodeGUIDs of switches and PortGUIDs of others. Pure.
void add_port_groups(const config::InputFiles& files, const Fabric& fabric,
                     routing::RoutingOptions& options);

/// Returns what port groups read of a fabric besides the facts of engines (routing_facts.h): the
/// descriptions of nodes. Empty without groups.
std::vector<std::uint8_t> port_group_facts(const config::InputFiles& files, const Fabric& fabric);

}  // namespace sm
