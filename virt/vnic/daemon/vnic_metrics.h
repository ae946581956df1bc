#pragma once

#include <string>

#include "virt/vnic/vnic_status.h"

namespace vnic {

/// Metrics in the text format 0.0.4 of Prometheus; heddle-vnic(8) lists them.
std::string metrics_text(const Status& status);

}  // namespace vnic
