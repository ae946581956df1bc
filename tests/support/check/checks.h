#pragma once
// Invariants of a fabric after a converged sweep, read from the simulated hardware and never from
// the state of a manager. Every check returns one line per violation, which names nodes and ports;
// no line if the invariant holds.

#include <functional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "mad/records/mc_member_record.h"
#include "mad/records/path_records.h"
#include "sim/world/forwarding.h"
#include "sim/world/model.h"
#include "support/check/expected.h"

namespace sim {

using Complaints = std::vector<std::string>;

/// Nodes that a manager at the end port `from` can reach over trained links and through nodes that
/// run, by index.
std::vector<bool> reachable(const Model& model, PortIndex from);

/// Both ends of every link between reachable nodes are Active.
Complaints check_links(const Model& model, const std::vector<bool>& reach);

/// Every linked end port has unicast LIDs that no other end port has, virtual ports with a LID of
/// their own included.
Complaints check_lids(const Model& model, const std::vector<bool>& reach);

/// From every switch, and so from every host, each LID of every linked end port leads there,
/// without a forwarding loop, whatever the packet's SL is, by the forwarding tables (with adaptive
/// routing: by static ports, as SMPs go). `switch_lids_may_be_withheld`: switches
/// may drop packets to a switch (port 255), as Expected has it.
Complaints check_paths(const Model& model, const std::vector<bool>& reach,
                       bool switch_lids_may_be_withheld = false);

/// Data packets of every linked end port arrive at each LID of every other one, whatever switches
/// with adaptive routing choose, or are dropped for their P_Key. Packets have the SLs of which bits
/// are set, and are of the service `transport`.
Complaints check_choices(const Model& model, const std::vector<bool>& reach,
                         bool switch_lids_may_be_withheld = false, std::uint16_t sls = 1,
                         Transport transport = Transport::rc);

/// The SL of the packets from one end port to a LID.
using ServiceLevel = std::function<mad::Sl(PortIndex from, mad::Lid to)>;
/// Which packets count: those of all end ports, or only those of hosts and routers. Packets to and
/// between switches can turn from down to up in a tree, so that few routings are free of credit
/// loops with them.
enum class Traffic : std::uint8_t { all, between_hosts };
/// Whether packets to multicast groups count, too: of any sender, and on any VL, since no table
/// shows which P_Key and service level a group has.
enum class Multicast : std::uint8_t { none, on_any_vl };
/// No credit loop is possible: the channel dependency graph over (link direction, VL), of all pairs
/// of these end ports, has no cycle. `sl` empty: all packets have SL 0.
Complaints check_credit_loops(const Model& model, const std::vector<bool>& reach,
                              Traffic traffic = Traffic::all, const ServiceLevel& sl = {},
                              Multicast multicast = Multicast::none);

/// A packet from any member reaches every other member exactly once and no other end port, without
/// a forwarding loop.
Complaints check_multicast(const Model& model, std::span<const ExpectedGroup> groups);

/// All linked end ports name the same master, and it is a port with IsSM; if `master` is given, it
/// is this one.
Complaints check_master(const Model& model, const std::vector<bool>& reach,
                        PortIndex master = kNone);

// ---- Settings: by the capabilities of both ends of each link, and by the configuration
// (settings.cpp).
/// NeighborMTU is the smaller MTUCap of both ends; enhanced switch ports 0 have their own.
Complaints check_mtus(const Model& model, const std::vector<bool>& reach, const Expected& expected);
/// OperationalVLs are the fewest that both ends and the configuration allow.
Complaints check_operational_vls(const Model& model, const std::vector<bool>& reach,
                                 const Expected& expected);
Complaints check_lmcs(const Model& model, const std::vector<bool>& reach, const Expected& expected);
/// M_Key, M_KeyProtectBits and M_KeyLeasePeriod of end ports.
Complaints check_m_keys(const Model& model, const std::vector<bool>& reach,
                        const Expected& expected);
Complaints check_gid_prefixes(const Model& model, const std::vector<bool>& reach,
                              const Expected& expected);
/// SL to VL, of every output port with a link and every input port from which packets go there.
Complaints check_sl_to_vl(const Model& model, const std::vector<bool>& reach,
                          const Expected& expected);
Complaints check_p_keys(const Model& model, const ExpectedPKeys& expected);
/// Switch ports in front of CAs and routers check P_Keys as configured, with the partitions of
/// their neighbour; those between switches do not.
Complaints check_enforcement(const Model& model, const std::vector<bool>& reach,
                             const Expected& expected);

// ---- Virtual ports (vports.cpp).
/// Virtualization is enabled at all ports that can have vports (or disabled at all); vport 0 and
/// all vports that their hosts let come up are Active, but those in `vports_left_alone`, and no two
/// of one GUID; each that requires a LID has one, which all switches forward as they do the port's;
/// P_Keys are as expected; the manager has seen the last change.
Complaints check_vports(const Model& model, const std::vector<bool>& reach,
                        const Expected& expected);
/// A packet of any member reaches the port of every other member exactly once, which is Active and
/// has the key, and no port without members.
Complaints check_vport_multicast(const Model& model, std::span<const ExpectedVPortGroup> groups);

/// All of the above but credit loops, as seen by a manager at `from`; each complaint begins with
/// the name of its check and a colon.
Complaints check_subnet(const Model& model, PortIndex from, const Expected& expected = {});
/// The first complaint, or "".
std::string first_complaint(const Complaints& complaints);

// Compares answers of subnet administration with the paths that packets really take.

/// A packet from `from` with the record's SL, P_Key and DLID arrives at `to`, and back if the path
/// is reversible; LIDs and GIDs are those of the ports; MTU and Rate are those of the slowest link
/// on the path (a query without a lower limit).
Complaints check_path_record(const Model& model, PortIndex from, PortIndex to,
                             const mad::PathRecord& record);
/// Checks a record between vports as above: packets carry a GRH if HopLimit is not 0, which it must
/// not be where an end shares the LID of its port.
Complaints check_path_record(const Model& model, VPortPlace from, VPortPlace to,
                             const mad::PathRecord& record);

/// The record of a join: the port is the one that joined, holds the record's P_Key, and packets by
/// the record's MLID, SL and P_Key pass between all `members` (the port among them), exactly once.
/// The ends of all links on the path support the MTU of the record.
Complaints check_member_record(const Model& model, PortIndex member,
                               const mad::McMemberRecord& record,
                               const std::set<PortIndex>& members);

}  // namespace sim
