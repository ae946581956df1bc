#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "mad/link_speed.h"

namespace sm::ctl {

/// Reads "4X,HDR", "4X" or "hdr": width, speed or both, in either order. A part that is left out is
/// none, which every link fulfils. Errors: what is not a width or speed, in words.
tl::expected<mad::LinkRate, std::string> parse_expected_rate(std::string_view text);
/// "4X HDR", "4X", "HDR".
std::string expected_rate_text(const mad::LinkRate& rate);
/// A link of /v1/links is narrower or slower than expected, or its rate is not known.
bool is_below(const nlohmann::ordered_json& link, const mad::LinkRate& expected);

}  // namespace sm::ctl
