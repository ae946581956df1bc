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

/// Reads a partitions.conf.
/// Shape:  `name=P_Key,flag,flag=value : member=membership,member ;` on one line up to the `:`,
/// then members and `mgid=` lines up to the `;`;
///         `#` starts a comment. Keywords may be abbreviated. A file without definitions counts as
///         none, with a warning.
/// Errors: all of the file go to `out`, with line and column; use the result only without errors.
/// Source: OpenSM 3.3.23, whose meaning every file has that it accepts; GUID ranges and ALL_VCAS
/// are NVIDIA's.
Configuration parse_partitions_conf(const config::Source& source, config::Diagnostics& out);

/// Reads the list `partitions` of a heddle.yaml; other keys of the file are ignored.
/// Shape:  a list of maps: `name`, `key`, the flags of partitions.conf by their names there (ipoib
/// and indx0 are true or false, scope may be a list),
///         `members` (a list of members, or a map of member to membership), `groups` (a list of
///         maps: `mgid` and flags).
/// Errors: all of the list go to `out`, with line and column; use the result only without errors.
Configuration parse_partitions_yaml(const config::Source& source, config::Diagnostics& out);

}  // namespace partitions
