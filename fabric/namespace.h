#pragma once
// The names of the model without a prefix for the subnet manager.

/// Nodes, ports, links, tables: what a fabric is.
namespace fabric {}

/// Nearly every line of the subnet manager is about the model, so its namespace sees the model's
/// names. Other modules (routing, partitions, virt, the simulator) write fabric::Port.
namespace sm {
using namespace fabric;
}
