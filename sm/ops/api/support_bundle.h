#pragma once
// GET /v1/support-bundle: what one attaches to a report of a fault, in one document.

#include <chrono>
#include <functional>
#include <string>

#include "sm/ops/web/exchange.h"

namespace sm::api {

/// The answers of those resources in `all` that read the subnet, one behind the other, produced
/// while they are sent: {"made_at", "version", "resources": {PATH: {"status", "body"}}}. `body` is
/// the resource's JSON, or its text as a string. Options have no secrets.
web::Resources support_bundle(
    const web::Resources& all, std::string version,
    std::function<std::chrono::system_clock::time_point()> wall_clock = [] {
      return std::chrono::system_clock::now();
    });

}  // namespace sm::api
