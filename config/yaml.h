#pragma once

#include "config/diagnostic.h"
#include "config/options.h"

namespace config {

/// Reads a heddle.yaml into `options`, over the present values: one flat map with the keys of
/// opensm.conf. Shape:  booleans are true or false; lists may be sequences; per-SL keys are maps of
/// SL to value; null unsets a text or list. A list `partitions` is kept as text
/// (Options::partitions). Errors: all of the file go to `out` (a syntax error is the only one
/// reported); use the result only without errors.
void parse_yaml(const Source& source, Options& options, Diagnostics& out);

}  // namespace config
