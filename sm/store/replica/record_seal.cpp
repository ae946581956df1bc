#include "sm/store/replica/record_seal.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <span>

namespace sm {
namespace {

constexpr std::string_view kFormat = "heddle ";
constexpr std::string_view kVersion = "1 ";
constexpr std::string_view kPurpose = "heddle state store";
constexpr std::size_t kSumDigits = 64;

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

std::string RecordSeal::seal(std::string_view key, std::string_view text) const {
  std::string out;
  out.reserve(kFormat.size() + kVersion.size() + kSumDigits + 1 + text.size());
  ((out += kFormat) += kVersion) += hex(sum(key, text));
  (out += ' ') += text;
  return out;
}

tl::expected<std::string, std::string> RecordSeal::open(std::string_view key,
                                                        std::string_view value) const {
  if (!value.starts_with(kFormat)) return tl::unexpected(std::string("it is no record of Heddle"));
  value.remove_prefix(kFormat.size());
  if (!value.starts_with(kVersion)) return tl::unexpected(std::string("it has an unknown version"));
  value.remove_prefix(kVersion.size());
  if (value.size() <= kSumDigits || value[kSumDigits] != ' ')
    return tl::unexpected(std::string("it is truncated"));
  const std::string_view text = value.substr(kSumDigits + 1);
  const std::string expected = hex(sum(key, text));
  if (CRYPTO_memcmp(expected.data(), value.data(), kSumDigits) != 0)
    return tl::unexpected(std::string("it does not authenticate (another key, or it was changed)"));
  return std::string(text);
}

std::string RecordSeal::digest(std::string_view key, std::string_view text) const {
  const Sum all = sum(key, text);
  return hex(std::span(all).first(8));
}

}  // namespace sm
