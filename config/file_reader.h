#pragma once

#include <functional>
#include <string>
#include <system_error>
#include <tl/expected.hpp>

namespace config {

/// Reads a whole file, or returns the error. Passed in, so that tests need no disk.
using FileReader =
    std::function<tl::expected<std::string, std::error_code>(const std::string& path)>;

/// The FileReader of the daemon. Errors: errno of open or read; a directory is EISDIR.
tl::expected<std::string, std::error_code> read_file(const std::string& path);

}  // namespace config
