#pragma once

#include <string>
#include <string_view>

namespace sim {

/// What a NodeDescription may hold: at most 64 bytes of UTF-8 (IBTA Vol 1, 14.2.5.2). Bytes that
/// are none, and noncharacters of Unicode, become '?'.
std::string node_description(std::string_view bytes);

}  // namespace sim
