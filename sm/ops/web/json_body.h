#pragma once
// JSON that a client sent: one parser with bounds for every resource.

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

namespace sm::web {

/// No sensible body comes near these: it has depth 4, 15 members an object and two values a GUID.
struct JsonBounds {
  std::size_t bytes = std::size_t{1} << 20;
  std::size_t depth = 32;        // of objects and lists, the outermost included
  std::size_t members = 256;     // of one object
  std::size_t values = 200'000;  // of the whole body
};

/// Why a body is refused, and what would be right. `status`: 400, 413 or, for JSON that is not
/// suitable here, 422. `pointer` (RFC 6901): the member at fault, if it is one of the outermost
/// object.
struct JsonFault {
  unsigned status = 400;
  std::string detail, remedy, pointer;
};

/// One JSON object (RFC 8259, UTF-8) without a name twice in any object, since a client and this
/// program might mean different ones. Parsing stops at the first bound that is exceeded; neither
/// this nor the result's destruction recurses.
tl::expected<nlohmann::json, JsonFault> parse_json_body(std::string_view text,
                                                        const JsonBounds& bounds = {});

/// `parent` and one more step of a JSON pointer (RFC 6901): ~ and / in names are escaped. Of a name
/// the first 100 bytes: a client may choose any.
std::string json_pointer(std::string_view parent, std::string_view name);

/// The first 40 bytes of what a client sent, for messages; others than printable ASCII are '?'.
std::string shown(std::string_view text);

}  // namespace sm::web
