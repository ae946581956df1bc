#include "sm/ops/target.h"

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

}  // namespace sm
