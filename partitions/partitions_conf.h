#pragma once

#include "config/diagnostic.h"
#include "partitions/configuration.h"

namespace partitions {

/// Reads a partitions.conf.
/// Shape:  `name=P_Key,flag,flag=value : member=membership,member ;` on one line up to the `:`,
/// then members and `mgid=` lines up to the `;`;
///         `#` starts a comment. Keywords may be abbreviated. A file without definitions counts as
///         none, with a warning.
/// Errors: all of the file go to `out`, with line and column; use the result only without errors.
/// Source: OpenSM 3.3.23, whose meaning every file has that it accepts; GUID ranges and ALL_VCAS
/// are NVIDIA's.
Configuration parse_partitions_conf(const config::Source& source, config::Diagnostics& out);

}  // namespace partitions
