#include "sm/ops/target.h"

#include <arpa/inet.h>

#include <array>
#include <charconv>

#include "mad/format.h"

namespace sm {

namespace {

constexpr std::string_view kPlain =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~:";

}  // namespace

std::string in_target(std::string_view name) {
  std::string part;
  for (const char character : name) {
    if (kPlain.find(character) != std::string_view::npos) {
      part += character;
    } else {
      part += fmt::format("%{:02X}", static_cast<unsigned char>(character));
    }
  }
  return part;
}

std::optional<std::string> from_target(std::string_view part) {
  std::string name;
  for (std::size_t i = 0; i < part.size(); ++i) {
    if (part[i] != '%') {
      name += part[i];
      continue;
    }
    unsigned value = 0;
    const std::string digits(part.substr(i + 1, 2));
    const char* const end = digits.data() + digits.size();
    if (digits.size() != 2 ||
        std::from_chars(digits.data(), end, value, 16) != std::from_chars_result{end, std::errc()})
      return std::nullopt;
    name += static_cast<char>(value);
    i += 2;
  }
  return name;
}

std::optional<mad::Gid> read_gid(const std::string& text) {
  std::array<std::uint8_t, 16> bytes{};
  if (inet_pton(AF_INET6, text.c_str(), bytes.data()) != 1) return std::nullopt;
  mad::Gid gid;
  for (std::size_t i = 0; i < 8; ++i) {
    gid.prefix = gid.prefix << 8 | bytes[i];
    gid.guid.value = gid.guid.value << 8 | bytes[i + 8];
  }
  return gid;
}

}  // namespace sm
