#pragma once

#include <string>

#include "sm/health/topology_differences.h"

namespace sm {

/// One line, without an end of line: what differs, with both ends of links by name, GUID and port.
std::string describe(const Difference& difference);

}  // namespace sm
