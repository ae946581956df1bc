#pragma once
// Compares answers of subnet administration with the paths that packets really take.

#include <set>

#include "mad/records/mc_member_record.h"
#include "mad/records/path_records.h"
#include "sim/check/checks.h"

namespace sim {

/// A packet from `from` with the record's SL, P_Key and DLID arrives at `to`, and back if the path
/// is reversible; LIDs and GIDs are those of the ports; MTU and Rate are those of the slowest link
/// on the path (a query without a lower limit).
Complaints check_path_record(const Model& model, PortIndex from, PortIndex to,
                             const mad::PathRecord& record);

/// The record of a join: the port is the one that joined, holds the record's P_Key, and packets by
/// the record's MLID, SL and P_Key pass between all `members` (the port among them), exactly once.
/// No link on the path has a smaller MTU than the record says.
Complaints check_member_record(const Model& model, PortIndex member,
                               const mad::McMemberRecord& record,
                               const std::set<PortIndex>& members);

}  // namespace sim
