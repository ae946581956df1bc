#pragma once
// Reads and writes SLtoVLMappingTables and VLArbitrationTables.

#include <memory>
#include <span>
#include <vector>

#include "config/options.h"
#include "fabric/published_routing.h"
#include "sm/sweep/devices/device_state.h"
#include "sm/sweep/devices/stage.h"

namespace sm {

// SLtoVLMappingTables count for pairs of ports that packets can use (routing::PairsInUse); the
// others may hold anything. A pair that a table brings into use is written before that table, in
// the same plan. Wildcards write all pairs of a switch.
//
// SwitchInfo announces wildcards, and devices may refuse them, or apply them in part. So one pair
// of each output port is read back after them, each time with another input port. A switch that
// fails gets its tables one by one, before forwarding tables depend on them, and no wildcard until
// it restarts. The audit finds what a sample cannot show (a single pair that differs).

/// Reads unknown tables, as far as that may spare a write. It does not read a node that has just
/// started: a switch without a forwarding table, a CA without an Active link. Of a switch that
/// takes wildcards it reads a sample, as above; if the sample matches, the rest counts as read.
/// `only`: mapping tables of these switches, no arbitration; null: everything. The references must
/// outlive the stages.
std::unique_ptr<StageSource> vl_reads(const Fabric& fabric, DeviceState& devices,
                                      const config::Options& options,
                                      const PublishedRouting& routing,
                                      const std::vector<SwitchIndex>* only = nullptr);

/// Writes the tables that differ from routing::VlTargets, mapping before arbitration. It uses
/// wildcards if SwitchInfo announces them, unless use_optimized_slvl is FALSE. Leaves out tables
/// that a device is known not to take. `only` as above. The references must outlive the stages.
/// VLArbitrationTable has no wildcards. Source: IBTA Vol 1, 14.2.5.4
/// (OptimizedSLtoVLMappingProgramming), 14.2.5.8, 14.2.5.9.
std::unique_ptr<StageSource> vl_stages(const Fabric& fabric, DeviceState& devices,
                                       const config::Options& options,
                                       const PublishedRouting& routing,
                                       const std::vector<SwitchIndex>* only = nullptr);

/// Returns the content of a SLtoVLMappingTable as on the wire.
SlToVlBits sl_to_vl_bits(std::span<const std::uint8_t, 64> data);
/// Returns the entries of block 1..4 of a port's VLArbitrationTable, without reserved bits and
/// without entries beyond the end of the table (VLArbitrationLowCap, VLArbitrationHighCap).
ArbitrationBlock arbitration_entries(const mad::PortInfo& info, unsigned block,
                                     std::span<const std::uint8_t, 64> data);

}  // namespace sm
