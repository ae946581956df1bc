#pragma once
// The partition of a path.

#include <optional>
#include <span>

#include "config/qos_policy.h"
#include "mad/ids.h"

namespace sa {

/// The P_Key by which two ends may communicate: `wanted`, or that of their lowest common
/// partition, with the membership bit of `from`. Nothing if there is none. Lists as in
/// fabric::PartitionMap. `allowed`: the partitions that count, all if it is empty.
std::optional<mad::PKey> common_p_key(std::span<const mad::PKey> from,
                                      std::span<const mad::PKey> to,
                                      std::optional<mad::PKey> wanted,
                                      const config::NumberRanges& allowed = {});

}  // namespace sa
