#pragma once

#include "config/diagnostic.h"
#include "partitions/configuration.h"

namespace partitions {

/// Reads the list `partitions` of a heddle.yaml; other keys of the file are ignored.
/// Shape:  a list of maps: `name`, `key`, the flags of partitions.conf by their names there (ipoib
/// and indx0 are true or false, scope may be a list),
///         `members` (a list of members, or a map of member to membership), `groups` (a list of
///         maps: `mgid` and flags).
/// Errors: all of the list go to `out`, with line and column; use the result only without errors.
Configuration parse_partitions_yaml(const config::Source& source, config::Diagnostics& out);

}  // namespace partitions
