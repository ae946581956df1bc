#pragma once

#include <functional>
#include <string>
#include <system_error>
#include <tl/expected.hpp>

namespace config {

/// How this module reads files: the whole content, or why not. Handed in, so that tests need no
/// disk.
using FileReader =
    std::function<tl::expected<std::string, std::error_code>(const std::string& path)>;

/// The FileReader of the daemon. Errors: errno of open or read; a folder is EISDIR.
tl::expected<std::string, std::error_code> read_file(const std::string& path);

}  // namespace config
