#pragma once

#include "config/diagnostic.h"
#include "config/options.h"

namespace config {

/// Reads an opensm.conf into `options`, over the present values. Errors: all of the file go to
/// `out`; valid lines have been applied, so use the result only without errors. Source: OpenSM
/// 3.3.23. `key value` per line of up to 1022 characters; `#` starts a comment, in quotes too; one
/// pair of quotes around a value is dropped; of several lines with one key the last is used.
void parse_opensm_conf(const Source& source, Options& options, Diagnostics& out);

}  // namespace config
