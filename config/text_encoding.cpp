#include "config/text_encoding.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

namespace config {
namespace {

using namespace std::string_view_literals;

constexpr std::string_view kUtf8Mark = "\xEF\xBB\xBF"sv, kGzipMagic = "\x1F\x8B"sv;
constexpr char32_t kReplacement = 0xFFFD;

/// A format of which the text is not read, and what the operator does with the file.
struct UnreadFormat {
  std::string_view magic, name, remedy;
};
constexpr UnreadFormat kUnreadFormats[] = {
    {"\xFD\x37zXZ\0"sv, "compressed with xz", "decompress it first: xz -d FILE"},
    {"BZh91AY&SY"sv, "compressed with bzip2", "decompress it first: bunzip2 FILE"},
    {"\x28\xB5\x2F\xFD"sv, "compressed with zstd", "decompress it first: zstd -d FILE"},
    {"PK\x03\x04"sv, "a zip archive", "unpack it first: unzip FILE"},
    {"\xFF\xFE\0\0"sv, "UTF-32", "convert it first: iconv -f UTF-32 -t UTF-8 FILE"},
    {"\0\0\xFE\xFF"sv, "UTF-32", "convert it first: iconv -f UTF-32 -t UTF-8 FILE"},
};

constexpr int kGzipDamaged = -1, kTooLong = -2;  // other values are indices of kUnreadFormats

/// Describes why the bytes of a file are not read as text.
class TextFaults final : public std::error_category {
 public:
  const char* name() const noexcept override { return "decode_text"; }
  std::string message(int fault) const override {
    if (fault == kGzipDamaged)
      return "compressed with gzip, and damaged or cut off: check it with gzip -t FILE";
    if (fault == kTooLong) return "compressed with gzip, and too long: decompress it first";
    const UnreadFormat& format = kUnreadFormats[fault - 1];
    return fmt::format("it is {}; {}", format.name, format.remedy);
  }
};

std::error_code make_text_error(int fault) {
  static const TextFaults faults;
  return {fault, faults};
}

class Inflater {
 public:
  explicit Inflater(std::string_view bytes) : rest_(bytes) {
    usable_ = inflateInit2(&stream_, kWindow) == Z_OK;
  }
  ~Inflater() {
    if (usable_) inflateEnd(&stream_);
  }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  /// Returns the content of all members of the file, which gzip itself joins, too.
  tl::expected<std::string, std::error_code> read(std::size_t bytes_max) {
    std::string text;
    std::array<char, 16384> part{};
    while (usable_) {
      feed();
      stream_.next_out = reinterpret_cast<Bytef*>(part.data());
      stream_.avail_out = part.size();
      const int result = inflate(&stream_, Z_NO_FLUSH);
      if (result != Z_OK && result != Z_STREAM_END) break;
      text.append(part.data(), part.size() - stream_.avail_out);
      if (text.size() > bytes_max) return tl::unexpected(make_text_error(kTooLong));
      if (result == Z_OK) continue;
      unfeed();
      // Padding may follow the last member.
      if (!rest_.starts_with(kGzipMagic)) return text;
      if (inflateReset(&stream_) != Z_OK) break;
    }
    return tl::unexpected(make_text_error(kGzipDamaged));
  }

 private:
  static constexpr int kWindow = 15 + 16;  // of gzip, not of bare zlib

  void feed() {
    if (stream_.avail_in > 0) return;
    const std::size_t count =
        std::min<std::size_t>(rest_.size(), std::numeric_limits<uInt>::max() / 2);
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(rest_.data()));
    stream_.avail_in = static_cast<uInt>(count);
    rest_.remove_prefix(count);
  }
  /// Takes back the bytes that follow the end of a member.
  void unfeed() {
    rest_ = {reinterpret_cast<const char*>(stream_.next_in), stream_.avail_in + rest_.size()};
    stream_.avail_in = 0;
  }

  std::string_view rest_;
  z_stream stream_{};
  bool usable_ = false;
};

enum class ByteOrder : std::uint8_t { little, big };

struct Utf16 {
  ByteOrder order;
  std::size_t mark_bytes;
};

/// Recognizes UTF-16 by its byte order mark, or by ASCII in its first two characters.
std::optional<Utf16> find_utf16(std::string_view bytes) {
  if (bytes.starts_with("\xFF\xFE"sv)) return Utf16{ByteOrder::little, 2};
  if (bytes.starts_with("\xFE\xFF"sv)) return Utf16{ByteOrder::big, 2};
  if (bytes.size() < 4) return std::nullopt;
  const auto is_ascii = [&](std::size_t at) { return static_cast<signed char>(bytes[at]) > 0; };
  const auto is_null = [&](std::size_t at) { return bytes[at] == 0; };
  if (is_ascii(0) && is_null(1) && is_ascii(2) && is_null(3)) return Utf16{ByteOrder::little, 0};
  if (is_null(0) && is_ascii(1) && is_null(2) && is_ascii(3)) return Utf16{ByteOrder::big, 0};
  return std::nullopt;
}

void append_utf8(char32_t code, std::string& out) {
  const auto follower = [&](unsigned shift) {
    out += static_cast<char>(0x80 | (code >> shift & 0x3F));
  };
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xC0 | code >> 6);
    follower(0);
  } else if (code < 0x10000) {
    out += static_cast<char>(0xE0 | code >> 12);
    follower(6);
    follower(0);
  } else {
    out += static_cast<char>(0xF0 | code >> 18);
    follower(12);
    follower(6);
    follower(0);
  }
}

std::string utf8_from_utf16(std::string_view bytes, ByteOrder order) {
  const auto unit = [&](std::size_t at) -> char32_t {
    const auto first = static_cast<unsigned char>(bytes[at]),
               second = static_cast<unsigned char>(bytes[at + 1]);
    return order == ByteOrder::little ? first | char32_t{second} << 8
                                      : second | char32_t{first} << 8;
  };
  const auto is_high = [](char32_t code) { return code >= 0xD800 && code < 0xDC00; };
  const auto is_low = [](char32_t code) { return code >= 0xDC00 && code < 0xE000; };
  std::string out;
  out.reserve(bytes.size() / 2);
  std::size_t at = 0;
  for (; at + 1 < bytes.size(); at += 2) {
    const char32_t code = unit(at);
    if (is_high(code) && at + 3 < bytes.size() && is_low(unit(at + 2))) {
      append_utf8(0x10000 + ((code - 0xD800) << 10) + (unit(at + 2) - 0xDC00), out);
      at += 2;
    } else {
      append_utf8(is_high(code) || is_low(code) ? kReplacement : code, out);
    }
  }
  if (at < bytes.size()) append_utf8(kReplacement, out);
  return out;
}

}  // namespace

tl::expected<std::string, std::error_code> decode_text(std::string bytes, std::size_t bytes_max) {
  if (bytes.starts_with(kGzipMagic)) {
    auto content = Inflater(bytes).read(bytes_max);
    if (!content) return content;
    bytes = std::move(*content);
  }
  for (std::size_t i = 0; i < std::size(kUnreadFormats); ++i)
    if (bytes.starts_with(kUnreadFormats[i].magic))
      return tl::unexpected(make_text_error(static_cast<int>(i) + 1));
  if (bytes.starts_with(kUtf8Mark)) bytes.erase(0, kUtf8Mark.size());
  if (const auto utf16 = find_utf16(bytes))
    return utf8_from_utf16(std::string_view(bytes).substr(utf16->mark_bytes), utf16->order);
  return bytes;
}

}  // namespace config
