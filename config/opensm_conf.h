#pragma once

#include "config/diagnostic.h"
#include "config/options.h"

namespace config {

/// Reads an opensm.conf into `options`, on top of what is there.
/// Errors: all of the file go to `out`; the lines that are right have been taken over, so use the
/// result only without errors. Source: OpenSM 3.3.23. `key value` per line of up to 1022
/// characters; `#` starts a comment, in quotes too; one pair of quotes around a value is dropped;
/// the last line of a key counts.
void parse_opensm_conf(const Source& source, Options& options, Diagnostics& out);

}  // namespace config
