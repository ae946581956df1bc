#pragma once

#include <functional>

#include "fabric/subnet.h"
#include "sm/ops/metrics/samples.h"

namespace sm::metrics {

/// Chooses the ports and their names.
struct PortSelection {
  bool switches = false, hcas = false;
  bool guilbaults = false;
  bool operator==(const PortSelection&) const = default;
};
/// Returns the ports and names that metrics_ports and metrics_compat select.
PortSelection selection(std::string_view ports, std::string_view compat);

/// Gets one family.
using TakeFamily = std::function<void(FamilyText family)>;

/// Counters, links and names of the ports of a subnet, in the names of the exporters: a family
/// after the other, in the order of all_metrics(). Ports whose counters were never read have no
/// counters; a counter that a port does not have is left out. A GUID and port number occur once in
/// each family, whatever GUIDs devices claim. Pure. `table` may be null: nothing was polled. Cost:
/// about 0.1 us for each sample.
void port_families(const Subnet& subnet, const PortCounterTable* table,
                   const PortSelection& selection, const TakeFamily& take);

}  // namespace sm::metrics
