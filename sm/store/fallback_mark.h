#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

namespace sm {

/// The routing engine that wrote the switches' tables in place of one that comes before it in
/// routing_engine and had refused the fabric; empty if none did. A start does not take such tables
/// for those of another manager that are to be kept.
/// File: the first line has the version (file_version.h), the second one the name.
inline constexpr std::string_view kFallbackFile = "routing-fallback";

/// Errors: one line with file and reason; then nothing is known of it.
tl::expected<std::string, std::string> load_fallback_mark(const std::filesystem::path& folder);
/// Without an engine the file says so. Errors: one line with file and reason.
tl::expected<void, std::string> save_fallback_mark(const std::filesystem::path& folder,
                                                   std::string_view engine, bool fsync);

}  // namespace sm
