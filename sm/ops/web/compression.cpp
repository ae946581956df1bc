#include "sm/ops/web/compression.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <charconv>

namespace sm::web {
namespace asio = boost::asio;

namespace {

constexpr std::size_t kWorthBytes = 1400;                  // one packet
constexpr std::size_t kPieceBytes = std::size_t{1} << 18;  // some milliseconds
constexpr int kLevel = 1;  // a scrape of a large fabric: a third of the time of the default
constexpr int kGzipWindow = 15 + 16, kBareWindow = -15;  // the latter: without head and end

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

/// True for "q=0", "q=0.0", "q=0.000".
bool is_zero_weight(std::string_view parameter) {
  if (!parameter.starts_with("q=") && !parameter.starts_with("Q=")) return false;
  parameter.remove_prefix(2);
  return !parameter.empty() && parameter.find_first_not_of("0.") == std::string_view::npos;
}

class Deflater {
 public:
  explicit Deflater(int window = kGzipWindow) {
    usable_ = deflateInit2(&stream_, kLevel, Z_DEFLATED, window, 8, Z_DEFAULT_STRATEGY) == Z_OK;
  }
  ~Deflater() {
    if (usable_) deflateEnd(&stream_);
  }
  Deflater(const Deflater&) = delete;
  Deflater& operator=(const Deflater&) = delete;
  bool usable() const { return usable_; }

  void add(std::string_view piece, bool last, std::string& out) {
    add_until(piece, last ? Z_FINISH : Z_NO_FLUSH, out);
  }
  /// Flushes, so that the data after `piece` begins at a byte boundary.
  void add_and_flush(std::string_view piece, std::string& out) {
    add_until(piece, Z_SYNC_FLUSH, out);
  }

 private:
  void add_until(std::string_view piece, int flush, std::string& out) {
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(piece.data()));
    stream_.avail_in = static_cast<uInt>(piece.size());
    std::array<char, 16384> part{};
    do {
      stream_.next_out = reinterpret_cast<Bytef*>(part.data());
      stream_.avail_out = part.size();
      deflate(&stream_, flush);
      out.append(part.data(), part.size() - stream_.avail_out);
    } while (stream_.avail_out == 0);
  }

  z_stream stream_{};
  bool usable_ = false;
};

}  // namespace

bool accepts_gzip(std::string_view accept_encoding) {
  bool star = false;
  while (!accept_encoding.empty()) {
    const std::size_t end = accept_encoding.find(',');
    const std::string_view item = accept_encoding.substr(0, end);
    accept_encoding.remove_prefix(end == std::string_view::npos ? accept_encoding.size() : end + 1);
    const std::size_t semicolon = item.find(';');
    const std::string_view coding = trimmed(item.substr(0, semicolon));
    const bool allowed =
        semicolon == std::string_view::npos || !is_zero_weight(trimmed(item.substr(semicolon + 1)));
    if (coding == "gzip" || coding == "x-gzip") return allowed;
    if (coding == "*") star = allowed;
  }
  return star;
}

bool is_worth_gzip(std::string_view content_type, std::size_t bytes) {
  if (bytes < kWorthBytes) return false;
  return content_type.starts_with("text/") || content_type.find("json") != std::string_view::npos ||
         content_type.find("javascript") != std::string_view::npos ||
         content_type.find("xml") != std::string_view::npos ||
         content_type.starts_with("application/openmetrics-text");
}

asio::awaitable<std::optional<std::string>> gzipped(const std::string& text) {
  Deflater deflater;
  if (!deflater.usable()) co_return std::nullopt;
  std::string out;
  std::string_view rest = text;
  const auto executor = co_await asio::this_coro::executor;
  while (true) {
    const std::string_view piece = rest.substr(0, kPieceBytes);
    rest.remove_prefix(piece.size());
    deflater.add(piece, rest.empty(), out);
    if (rest.empty()) co_return out;
    co_await asio::post(executor, asio::use_awaitable);
  }
}

std::optional<GzipPart> gzip_part(std::string_view text) {
  Deflater deflater(kBareWindow);
  if (!deflater.usable()) return std::nullopt;
  GzipPart part{.bytes = {}, .crc = 0, .size = text.size()};
  deflater.add_and_flush(text, part.bytes);
  const auto* const bytes = reinterpret_cast<const Bytef*>(text.data());
  part.crc = static_cast<std::uint32_t>(crc32_z(0, bytes, text.size()));
  return part;
}

std::string_view GzipJoined::begin() {
  // RFC 1952, 2.3: magic, deflate, no flags, no time, fastest, unknown operating system.
  static constexpr char kHead[]{'\x1f', '\x8b', 8, 0, 0, 0, 0, 0, 4, '\xff'};
  return {kHead, sizeof kHead};
}

void GzipJoined::add(const GzipPart& part) {
  crc_ = static_cast<std::uint32_t>(crc32_combine(crc_, part.crc, static_cast<z_off_t>(part.size)));
  size_ += part.size;
}

std::string GzipJoined::end() const {
  std::string text{3, 0};  // RFC 1951, 3.2.6: a last block that is empty
  for (const std::uint32_t word : {crc_, static_cast<std::uint32_t>(size_)})
    for (unsigned shift = 0; shift < 32; shift += 8)
      text += static_cast<char>(word >> shift & 0xFF);
  return text;
}

}  // namespace sm::web
