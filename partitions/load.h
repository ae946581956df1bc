#pragma once

#include "config/diagnostic.h"
#include "config/file_reader.h"
#include "config/options.h"
#include "partitions/configuration.h"

namespace partitions {

/// The partitions that options ask for: of partition_config_file, or of `partitions:` in
/// heddle.yaml. Shape:  a file that does not exist is none, and every port is a full member of the
/// default partition. Errors: go to `out`; use the result only without errors. A file that exists
/// and cannot be read is an error, since the fabric would be more open
///         than its writer wanted; so are both at once.
Configuration load(const config::Options& options, const config::FileReader& reader,
                   config::Diagnostics& out);

}  // namespace partitions
