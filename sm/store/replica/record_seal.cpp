#include "sm/store/replica/record_seal.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <span>

#include <fmt/format.h>

#include "mad/number.h"

namespace sm {
namespace {

constexpr std::string_view kFormat = "heddle ";
constexpr std::string_view kVersion = "2 ";
constexpr std::string_view kPurpose = "heddle state store";
constexpr std::size_t kPositionDigits = 16, kSumDigits = 64;

std::array<std::uint8_t, 32> hmac(std::span<const std::uint8_t> key, std::string_view text) {
  std::array<std::uint8_t, 32> out{};
  unsigned length = 0;
  HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()),
       reinterpret_cast<const unsigned char*>(text.data()), text.size(), out.data(), &length);
  return out;
}

std::string hex(std::span<const std::uint8_t> bytes) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string out;
  out.reserve(2 * bytes.size());
  for (const std::uint8_t byte : bytes) (out += digits[byte >> 4]) += digits[byte & 0xF];
  return out;
}

}  // namespace

RecordSeal::RecordSeal(std::string_view secret)
    : key_(hmac({reinterpret_cast<const std::uint8_t*>(secret.data()), secret.size()}, kPurpose)) {}

RecordSeal::Sum RecordSeal::sum(std::string_view key, std::string_view text) const {
  std::string all;
  all.reserve(key.size() + 1 + text.size());
  (all += key) += '\0';  // no key contains it
  all += text;
  return hmac(key_, all);
}

RecordSeal::Sum RecordSeal::sum(std::string_view key, std::string_view position,
                                std::string_view text) const {
  std::string all;
  all.reserve(position.size() + 1 + text.size());
  ((all += position) += ' ') += text;
  return sum(key, all);
}

std::string RecordSeal::seal(std::string_view key, std::string_view text,
                             StoreRevision position) const {
  const std::string digits = fmt::format("{:016x}", static_cast<std::uint64_t>(position));
  std::string out;
  out.reserve(kFormat.size() + kVersion.size() + kPositionDigits + 1 + kSumDigits + 1 +
              text.size());
  (((out += kFormat) += kVersion) += digits) += ' ';
  ((out += hex(sum(key, digits, text))) += ' ') += text;
  return out;
}

tl::expected<RecordSeal::Opened, std::string> RecordSeal::open(std::string_view key,
                                                               std::string_view value) const {
  if (!value.starts_with(kFormat)) return tl::unexpected(std::string("it is no record of Heddle"));
  value.remove_prefix(kFormat.size());
  if (!value.starts_with(kVersion)) return tl::unexpected(std::string("it has an unknown version"));
  value.remove_prefix(kVersion.size());
  constexpr std::size_t kTextAt = kPositionDigits + 1 + kSumDigits + 1;
  if (value.size() < kTextAt || value[kPositionDigits] != ' ' || value[kTextAt - 1] != ' ')
    return tl::unexpected(std::string("it is truncated"));
  const std::string_view position = value.substr(0, kPositionDigits),
                         given = value.substr(kPositionDigits + 1, kSumDigits),
                         text = value.substr(kTextAt);
  const std::string expected = hex(sum(key, position, text));
  if (CRYPTO_memcmp(expected.data(), given.data(), kSumDigits) != 0)
    return tl::unexpected(std::string("it does not authenticate (another key, or it was changed)"));
  Opened out{.text = std::string(text)};
  out.position = mad::parse_number(position, 16).value_or(0);
  return out;
}

std::string_view RecordSeal::unverified_text(std::string_view value) {
  const std::size_t begin = kFormat.size() + kVersion.size() + kPositionDigits + 1 + kSumDigits + 1;
  return value.starts_with(kFormat) && value.size() >= begin ? value.substr(begin) : value;
}

std::string RecordSeal::digest(std::string_view key, std::string_view text) const {
  const Sum all = sum(key, text);
  return hex(std::span(all).first(8));
}

}  // namespace sm
