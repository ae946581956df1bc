#pragma once
// SLtoVLMappingTables and VLArbitrationTables: what is read before they are compared, and what is
// written.

#include <memory>

#include "config/options.h"
#include "fabric/published_routing.h"
#include "sm/sweep/held.h"
#include "sm/sweep/stage.h"

namespace sm {

/// Reads of tables of which nothing is known, as far as that may spare a write. A switch of which
/// nothing can be kept (it has no forwarding table yet), or that takes all its tables in a few
/// writes with wildcards, is not read. The references must outlive the stages.
std::unique_ptr<StageSource> vl_reads(const Fabric& fabric, Held& held,
                                      const config::Options& options,
                                      const PublishedRouting& routing);

/// Writes of the tables that differ from routing::VlTargets, mapping before arbitration; with
/// wildcards where SwitchInfo says that the switch takes them and options.use_optimized_slvl is
/// set. Tables that a device is known not to take are left out. The references must outlive the
/// stages. Source: IBTA Vol 1, 14.2.5.4 (OptimizedSLtoVLMappingProgramming), 14.2.5.8, 14.2.5.9.
std::unique_ptr<StageSource> vl_stages(const Fabric& fabric, Held& held,
                                       const config::Options& options,
                                       const PublishedRouting& routing);

/// The content of a SLtoVLMappingTable as on the wire.
SlToVlBits sl_to_vl_bits(std::span<const std::uint8_t, 64> data);
/// The entries of block 1..4 of a port's VLArbitrationTable: without reserved bits, and without
/// what lies behind the end of the table (VLArbitrationLowCap, VLArbitrationHighCap).
ArbitrationBlock arbitration_entries(const mad::PortInfo& info, unsigned block,
                                     std::span<const std::uint8_t, 64> data);

}  // namespace sm
