#pragma once
// The target of a request (RFC 9112, 3.2) in its parts.

#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "sm/ops/web/exchange.h"

namespace sm::web {

struct Target {
  std::vector<std::string> segments;  // decoded; "/v1/nodes/" has three, the last one is empty
  std::string path;                   // decoded
  Fields query;                       // decoded
};

/// Text with %XX decoded; with `form`, "+" is a space. Errors: what is wrong with it, also for
/// bytes that are no UTF-8 and for control characters, which could forge lines of logs and headers.
tl::expected<std::string, std::string> percent_decoded(std::string_view text, bool form = false);
std::string percent_encoded(std::string_view text);

/// In origin form ("/v1/nodes?limit=10"), or in absolute form, of which the beginning is left out.
/// Errors: one sentence, as status 400 says it.
/// "." and ".." as a part of the path are errors, encoded or not: no resource has such a name.
tl::expected<Target, std::string> parse_target(std::string_view text);

}  // namespace sm::web
