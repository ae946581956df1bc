#pragma once

#include "config/diagnostic.h"
#include "config/file_reader.h"
#include "config/options.h"
#include "partitions/configuration.h"

namespace partitions {

/// Loads the partition configuration: from partition_config_file, or from `partitions:` in
/// heddle.yaml.
/// Shape:  without a file, every port is a full member of the default partition.
/// Errors: go to `out`; use the result only without errors. A file that exists and cannot be read
///         is an error, since partitions would be less isolated than configured; so is a file
///         together with `partitions:`.
Configuration load(const config::Options& options, const config::FileReader& reader,
                   config::Diagnostics& out);

}  // namespace partitions
