#pragma once
// This file writes forwarding tables as text, in the formats of OpenSM's dumps, which scripts,
// `lfts_file` and ibdmchk read. It writes one switch at a time, in the order of the fabric: the
// tables of a large fabric are a gigabyte of text.

#include <ostream>
#include <span>
#include <string>

#include <tl/expected.hpp>

#include "config/options.h"
#include "fabric/fabric.h"
#include "fabric/forwarding_tables.h"
#include "fabric/lid_map.h"
#include "fabric/multicast_tables.h"
#include "fabric/path_sls.h"
#include "fabric/sl_to_vl.h"
#include "fabric/subnet.h"
#include "fabric/switch_graph.h"
#include "mad/ids.h"

namespace sm::dumps {

/// Holds the input of the dumps. Nothing is owned.
struct Tables {
  const Fabric& fabric;
  const SwitchGraph& graph;  // of this fabric
  const LidMap& lids;        // of this fabric
  const ForwardingTables& lfts;
};

/// Writes opensm-lfts.dump: per switch each LID that has an entry and an owner, with output port
/// and owner. `lfts_file` reads it.
void write_lfts(std::ostream& out, const Tables& tables);

/// Writes opensm-lid-matrix.dump: per switch and LID of a switch the least hops by each port (0: by
/// any of them), as two hexadecimal digits; ff: none. Distances in the graph, independent of the
/// tables. `lid_matrix_dump_file` reads it.
void write_lid_matrix(std::ostream& out, const Tables& tables);

/// Writes opensm.fdbs: per switch and LID 1 .. top the port, the hops that the tables take to the
/// LID's port, and whether that is the least number. ibdmchk reads it.
void write_fdbs(std::ostream& out, const Tables& tables);

/// Writes opensm.mcfdbs: per switch the ports of each MLID, for switches that have any. ibdmchk
/// reads it.
void write_mcfdbs(std::ostream& out, const Fabric& fabric, const MulticastTables& tables);

/// Writes opensm-sl2vl.dump: per node, per input and output port with a link, the VL of each SL;
/// hosts have their own tables. Empty tables are left out.
void write_sl_to_vl(std::ostream& out, const Fabric& fabric, const LidMap& lids,
                    const SlToVl& sl_to_vl);

/// Writes opensm-updn-roots.dump: one GUID per line.
void write_roots(std::ostream& out, std::span<const mad::Guid> roots);

/// Writes opensm-ftree-ca-order.dump: LID and description of each host in an order in which shift
/// permutations have no contention; GUID 0 is a gap.
void write_ca_order(std::ostream& out, const Fabric& fabric, const LidMap& lids,
                    std::span<const mad::Guid> port_guids);

/// Writes opensm.far: per switch that routes adaptively its groups of ports, and the static port,
/// state and group of each LID. Precondition: the subnet has adaptive routing and tables.
/// Shape:  as ibdiagnet's file of that ending, as far as programs that read it show: "File
///         version", then for each switch "Groups Definition:" (group, sub-group, weight, ports,
///         each with a comma behind it) and "LFT Definition:" (LID in hexadecimal, static port,
///         Static or Free, group). With no adaptive SL all are static: groups serve fast recovery.
void write_far(std::ostream& out, const Subnet& subnet);

/// Writes the input of ibdmchk -c: GUID of the source's node, LID and SL of each path between
/// hosts.
void write_path_sls(std::ostream& out, const Tables& tables, const PathSls& sls);
/// Writes the input of ibdmchk -d: per switch, input and output port the VLs of all SLs. Empty
/// tables are left out.
void write_switch_sl_to_vl(std::ostream& out, const Fabric& fabric, const SlToVl& sl_to_vl);

}  // namespace sm::dumps

namespace sm {

// These functions write the list of links in the format of OpenSM's opensm-subnet.lst.

/// Returns one line per end of a link, so that every link has two, in order of the fabric's ports;
/// ports without a link are left out.
/// Shape: `{ CA-SM Ports:01 SystemGUID:.. NodeGUID:.. PortGUID:.. VenID:.. DevID:.. Rev:..
///   {description} LID:.. PN:.. } { peer } PHY=4x LOG=ACT SPD=2.5`, numbers in hexadecimal. A
///   switch's ports have the GUID and LID of its port 0. The peer's VenID has 8 digits and its
///   DevID four zeros after it, as in OpenSM's file. States, widths and speeds are those of the
///   snapshot: pass the fabric as read (or updated) after activation.
std::string subnet_lst(const Fabric& fabric, const LidMap& lids);

/// Writes the list to the path of the options (subnet_lst_file, in dump_files_dir unless absolute),
/// unless enable_subnet_lst is off. Errors: one line with the file and the reason.
tl::expected<void, std::string> write_subnet_lst(const config::Options& options,
                                                 const Fabric& fabric, const LidMap& lids);

// These functions write the routing dumps that OpenSM writes with log flag 0x40.

/// This bit of log_flags enables the dumps.
inline constexpr std::uint8_t kLogRouting = 0x40;

/// Writes, with kLogRouting, opensm-lfts.dump, opensm-lid-matrix.dump, opensm.fdbs, opensm.mcfdbs,
/// and the dumps of the engine (opensm-updn-roots.dump, opensm-ftree-ca-order.dump,
/// opensm-sl2vl.dump) to dump_files_dir, each replaced as a whole. Errors: one line with the file
/// and the reason; the other files are still written.
tl::expected<void, std::string> write_routing_dumps(const config::Options& options,
                                                    const Subnet& subnet);

/// Writes opensm.far to dump_files_dir, replaced as a whole, if the option dump_ar is set and the
/// subnet has adaptive routing. Errors: one line with the file and the reason.
tl::expected<void, std::string> write_far_dump(const config::Options& options,
                                               const Subnet& subnet);

/// Writes virt_dump_file: per physical port that can have vports its capacity, then each vport with
/// state, GUIDs, LID, P_Keys and VNodeDescription. Replaces the file as a whole; writes nothing
/// without the option or without such ports. Errors: one line with the file and the reason.
tl::expected<void, std::string> write_vports_dump(const config::Options& options,
                                                  const Subnet& subnet);
/// Returns the text of that dump.
std::string vports_text(const Subnet& subnet);

}  // namespace sm
