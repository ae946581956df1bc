#pragma once
// gzip (RFC 1952) of answers.

#include <boost/asio/awaitable.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace sm::web {

/// Whether header Accept-Encoding allows gzip: it is named, or "*", with a weight above 0.
bool accepts_gzip(std::string_view accept_encoding);
/// Whether text of that type gets shorter, and is long enough for that to matter.
bool is_worth_gzip(std::string_view content_type, std::size_t bytes);
/// Lets other work of the thread pass between pieces. Nothing: there is no memory.
boost::asio::awaitable<std::optional<std::string>> gzipped(const std::string& text);

}  // namespace sm::web
