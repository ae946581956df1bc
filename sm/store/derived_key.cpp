#include "sm/store/derived_key.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <array>
#include <string>

namespace sm {
namespace {

constexpr std::uint64_t kAllOnes = ~std::uint64_t{0};
constexpr unsigned kNumberBytes = 8;

void append_number(std::string& text, std::uint64_t value) {
  for (unsigned i = kNumberBytes; i-- > 0;) text += static_cast<char>(value >> (8 * i) & 0xFF);
}

std::uint64_t key_of_text(std::string_view secret, std::string_view text) {
  std::array<std::uint8_t, EVP_MAX_MD_SIZE> sum{};
  unsigned length = 0;
  HMAC(EVP_sha256(), secret.data(), static_cast<int>(secret.size()),
       reinterpret_cast<const unsigned char*>(text.data()), text.size(), sum.data(), &length);
  std::uint64_t key = 0;
  for (unsigned i = 0; i < kNumberBytes; ++i) key = key << 8 | sum[i];
  return key;
}

}  // namespace

std::uint64_t derive_key(std::string_view purpose, std::uint64_t seed, std::uint64_t version,
                         mad::Guid port) {
  if (seed == 0 || port == mad::Guid{}) return 0;
  std::string secret;
  append_number(secret, seed);
  std::uint64_t key = 0;
  for (char counter = 0; key == 0 || key == kAllOnes; ++counter) {
    std::string text(purpose);
    text += counter;
    append_number(text, port.value);
    if (version != 0) append_number(text, version);
    key = key_of_text(secret, text);
  }
  return key;
}

}  // namespace sm
