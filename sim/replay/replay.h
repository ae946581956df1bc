#pragma once
// A world made of a recording (fabric/recording): its nodes, links and their state, and devices
// that answer as they did.

#include "fabric/recording/recording.h"
#include "fabric/topology/topology_model.h"
#include "sim/world/world.h"

namespace sim {

/// Nodes in the order of the recording. A node that did not answer NodeInfo is a CA with one port,
/// after all others. Ids are ibnetdiscover's ("S-0002c90300000001").
Topology make_topology(const fabric::Recording& recording);

struct ReplayOptions {
  /// The M_Key of ports whose M_Key was masked.
  mad::MKey m_key = {};
};

/// Brings `world`, newly made of make_topology(recording), into the state of the recording.
/// - Contents are the state from which Sets go on, as in any simulated device. Of attributes that
///   the simulation does not model, Get answers the recorded content until the first Set.
/// - A status is repeated for Get and Set of that attribute and modifier, silence likewise; of all
///   modifiers, if each recorded one had the same outcome.
/// - A node that did not answer NodeInfo is silent, or answers everything with that status.
/// - Answers take as much longer than those of the fastest node as they did.
/// Not replayed: subnet managers. IsSM is cleared, SMInfo is that of a node without one.
/// After a reboot a device is an ordinary one with the same link widths, speeds, MTU and VLs.
void restore(World& world, const fabric::Recording& recording, const ReplayOptions& options = {});

}  // namespace sim
