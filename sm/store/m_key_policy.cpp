#include "sm/store/m_key_policy.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <string_view>

namespace sm {
namespace {

constexpr std::string_view kPurpose = "heddle m_key";
constexpr std::uint64_t kAllOnes = ~std::uint64_t{0};
constexpr std::size_t kNumberBytes = 8;

void put_number(std::span<std::uint8_t> out, std::uint64_t value) {
  for (std::size_t i = 0; i < kNumberBytes; ++i)
    out[i] = static_cast<std::uint8_t>(value >> (8 * (kNumberBytes - 1 - i)));
}

std::uint64_t derive(std::uint64_t seed, mad::Guid port, std::uint8_t counter) {
  std::array<std::uint8_t, kNumberBytes> secret{};
  put_number(secret, seed);
  std::array<std::uint8_t, kPurpose.size() + 1 + kNumberBytes> text{};
  std::copy(kPurpose.begin(), kPurpose.end(), text.begin());
  text[kPurpose.size()] = counter;
  put_number(std::span(text).subspan(kPurpose.size() + 1), port.value);
  std::array<std::uint8_t, EVP_MAX_MD_SIZE> sum{};
  unsigned length = 0;
  HMAC(EVP_sha256(), secret.data(), static_cast<int>(secret.size()), text.data(), text.size(),
       sum.data(), &length);
  std::uint64_t key = 0;
  for (std::size_t i = 0; i < kNumberBytes; ++i) key = key << 8 | sum[i];
  return key;
}

}  // namespace

mad::MKey MKeyPolicy::derived_key(mad::Guid port) const {
  if (seed_ == 0 || port == mad::Guid{}) return {};
  std::uint64_t key = 0;
  for (std::uint8_t counter = 0; key == 0 || key == kAllOnes; ++counter)
    key = derive(seed_, port, counter);
  return {key};
}

mad::MKey MKeyPolicy::key(mad::Guid port) const {
  return per_port_ ? derived_key(port) : mad::MKey{key_};
}

mad::MKey MKeyPolicy::former_key(mad::Guid port) const {
  if (!per_port_) return derived_key(port);
  return seed_ == key_ ? mad::MKey{} : mad::MKey{key_};
}

}  // namespace sm
