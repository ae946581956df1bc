#pragma once
// What must be true of a fabric after a converged sweep, read from the simulated hardware itself
// and never from what a manager says of it. Every check returns what is wrong, one line a fault in
// terms of nodes and ports; nothing if all is well.

#include <functional>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "sim/world/model.h"

namespace sim {

using Complaints = std::vector<std::string>;

/// Nodes that a manager at the end port `from` can reach over trained cables and through living
/// nodes, by index.
std::vector<bool> reachable(const Model& model, PortIndex from);

/// Both ends of every cable between reachable nodes are Active.
Complaints check_links(const Model& model, const std::vector<bool>& reach);

/// Every linked end port has unicast LIDs that nobody else has, virtual ports with a LID of their
/// own included.
Complaints check_lids(const Model& model, const std::vector<bool>& reach);

/// From every switch, and so from every host, each LID of every linked end port leads there,
/// without a circle, whatever the packet's SL is.
Complaints check_paths(const Model& model, const std::vector<bool>& reach);

/// The SL of the packets from one end port to a LID.
using ServiceLevel = std::function<mad::Sl(PortIndex from, mad::Lid to)>;
/// Whose packets count: of all end ports, or only of hosts and routers. Packets to and between
/// switches turn upwards again in a tree, so that few routings are free of loops with them.
enum class Traffic : std::uint8_t { all, between_hosts };
/// No set of packets can wait for each other in a circle: the channel dependency graph over (cable
/// direction, VL), of all pairs of these end ports, has no cycle. `sl` empty: all packets have SL
/// 0.
Complaints check_credit_loops(const Model& model, const std::vector<bool>& reach,
                              Traffic traffic = Traffic::all, const ServiceLevel& sl = {});

/// Keys of end ports by port GUID, in any order and at any index; ports that are not named are not
/// looked at.
using ExpectedPKeys = std::map<mad::Guid, std::set<std::uint16_t>>;
Complaints check_p_keys(const Model& model, const ExpectedPKeys& expected);

/// A group and the end ports that shall receive its packets; senders are all of them.
struct ExpectedGroup {
  mad::Mlid mlid;
  mad::PKey p_key = mad::kDefaultPKeyFull;
  mad::Sl sl{};
  std::set<PortIndex> members;
};
/// A packet from any member reaches every other member exactly once, nobody else, and never
/// circulates.
Complaints check_multicast(const Model& model, std::span<const ExpectedGroup> groups);

/// All linked end ports name the same master, and it is a port with IsSM.
Complaints check_master(const Model& model, const std::vector<bool>& reach);

/// Links, LIDs, paths and the master, as seen by a manager at `from`.
Complaints check_subnet(const Model& model, PortIndex from);
/// The first complaint, or "".
std::string first_complaint(const Complaints& complaints);

}  // namespace sim
