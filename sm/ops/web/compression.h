#pragma once
// gzip (RFC 1952) of answers.

#include <boost/asio/awaitable.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace sm::web {

/// Returns whether header Accept-Encoding allows gzip: it is named, or "*", with a weight above 0.
bool accepts_gzip(std::string_view accept_encoding);
/// Returns whether text of that type gets shorter, and is long enough for that to matter.
bool is_worth_gzip(std::string_view content_type, std::size_t bytes);
/// Lets other work of the thread pass between pieces. Nothing: there is no memory.
boost::asio::awaitable<std::optional<std::string>> gzipped(const std::string& text);

/// A part of a text, compressed by itself: it is made once for texts that are sent again and again,
/// between others that change.
struct GzipPart {
  std::string bytes;
  std::uint32_t crc = 0;
  std::size_t size = 0;  // of the text
};
/// Returns nothing if there is no memory.
std::optional<GzipPart> gzip_part(std::string_view text);

/// One gzip member of parts: begin(), the bytes of each part that was added, end().
class GzipJoined {
 public:
  static std::string_view begin();
  void add(const GzipPart& part);
  std::string end() const;

 private:
  std::uint32_t crc_ = 0;
  std::uint64_t size_ = 0;
};

}  // namespace sm::web
