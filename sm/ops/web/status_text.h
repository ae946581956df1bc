#pragma once

#include <string_view>

namespace sm::web {

/// The reason phrase of an HTTP status (RFC 9110, 15): "Not Found".
std::string_view status_text(unsigned status);

}  // namespace sm::web
