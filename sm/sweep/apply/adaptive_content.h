#pragma once
// The content of the tables of adaptive routing.

#include <array>
#include <cstdint>

#include "mad/smp_client.h"
#include "sm/sweep/devices/adaptive_devices.h"
#include "sm/sweep/devices/table_memory.h"

namespace sm {

using StaticPorts = std::array<std::uint8_t, kArBlockLids>;

/// An ARLinearForwardingTable block.
mad::SmpData entry_block(const FormBlock& forms, const StaticPorts& static_ports);
/// An ARGroupTable block.
mad::SmpData group_block(const fabric::PortSet& even, const fabric::PortSet& odd);
/// The static ports of an ARLinearForwardingTable block, as the LinearForwardingTable has them;
/// 0xFF where nothing is known.
StaticPorts held_static_ports(const TableMemory& lfts, fabric::SwitchIndex sw, std::size_t block);

}  // namespace sm
