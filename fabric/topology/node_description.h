#pragma once

#include <string>
#include <string_view>

namespace topology {

/// The valid part of a NodeDescription: at most 64 bytes of UTF-8 (IBTA Vol 1, 14.2.5.2). Bytes
/// that are not UTF-8, and noncharacters of Unicode, become '?'.
std::string node_description(std::string_view bytes);

}  // namespace topology
