#pragma once
// The map of the fabric: a page for a browser, which shows what the native API answers.

#include "sm/ops/web/exchange.h"

namespace sm {

/// GET / (to the map), /map (the page), /map/app.js, /map/app.css, /map/licences.txt: for users who
/// may read. They are part of the program and stay the same as long as it runs; their ETag is a
/// hash of their bytes. The page may load from this server only (Content-Security-Policy), and none
/// of it is inline.
web::Resources map_resources();

}  // namespace sm
