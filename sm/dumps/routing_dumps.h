#pragma once
// The routing dumps that OpenSM writes with log flag 0x40.

#include <tl/expected.hpp>

#include "config/options.h"
#include "fabric/subnet.h"

namespace sm {

/// Bit of log_flags that enables them.
inline constexpr std::uint8_t kLogRouting = 0x40;

/// With kLogRouting: opensm-lfts.dump, opensm-lid-matrix.dump, opensm.fdbs, opensm.mcfdbs, and
/// those that the engine provides (opensm-updn-roots.dump, opensm-ftree-ca-order.dump,
/// opensm-sl2vl.dump) in dump_files_dir, each replaced as a whole. Errors: one line with the file
/// and the reason; the others are still written.
tl::expected<void, std::string> write_routing_dumps(const config::Options& options,
                                                    const Subnet& subnet);

}  // namespace sm
