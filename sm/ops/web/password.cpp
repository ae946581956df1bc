#include "sm/ops/web/password.h"

#include <argon2.h>
#include <fmt/format.h>
#include <openssl/rand.h>

#include <algorithm>
#include <array>
#include <vector>

#include "mad/number.h"

namespace sm::web {
namespace {

constexpr std::size_t kSaltBytes = 16, kHashBytes = 32;
// RFC 9106, 3.1 requires at least 8 blocks per lane.
constexpr std::uint32_t kMemoryKibMin = 8;

using Salt = std::array<std::uint8_t, kSaltBytes>;

/// Returns the length of a base64 text without padding; 0 if it has other characters.
std::size_t base64_characters(std::string_view text) {
  const auto is_one = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '+' ||
           c == '/';
  };
  return std::ranges::all_of(text, is_one) ? text.size() : 0;
}

/// Removes "name=number" up to `end` from the beginning.
bool take_number(std::string_view& text, std::string_view before, char end, std::uint32_t& number) {
  if (!text.starts_with(before)) return false;
  text.remove_prefix(before.size());
  const auto value = mad::take_number<std::uint32_t>(text);
  if (!value || !text.starts_with(end)) return false;
  number = *value;
  text.remove_prefix(1);
  return true;
}

}  // namespace

tl::expected<std::string, std::string> make_hash(std::string_view password, HashCost cost) {
  Salt salt{};
  if (RAND_bytes(salt.data(), static_cast<int>(salt.size())) != 1)
    return tl::unexpected(std::string("there are no random numbers for a salt"));
  std::vector<char> encoded(argon2_encodedlen(cost.passes, cost.memory_kib, cost.lanes, kSaltBytes,
                                              kHashBytes, Argon2_id));
  const int error = argon2id_hash_encoded(cost.passes, cost.memory_kib, cost.lanes, password.data(),
                                          password.size(), salt.data(), salt.size(), kHashBytes,
                                          encoded.data(), encoded.size());
  if (error != ARGON2_OK) return tl::unexpected(std::string(argon2_error_message(error)));
  return std::string(encoded.data());
}

bool is_password_of(std::string_view password, const std::string& hash) {
  if (password.size() > kPasswordBytesMax) return false;
  return argon2id_verify(hash.c_str(), password.data(), password.size()) == ARGON2_OK &&
         !password.empty();
}

tl::expected<HashCost, std::string> cost_of(const std::string& hash) {
  HashCost cost;
  std::string_view rest = hash;
  std::uint32_t version = 0;
  const bool numbers = take_number(rest, "$argon2id$v=", '$', version) && version == 19 &&
                       take_number(rest, "m=", ',', cost.memory_kib) &&
                       take_number(rest, "t=", ',', cost.passes) &&
                       take_number(rest, "p=", '$', cost.lanes);
  const std::size_t dollar = rest.find('$');
  if (!numbers || dollar == std::string_view::npos ||
      base64_characters(rest.substr(0, dollar)) < 11 ||
      base64_characters(rest.substr(dollar + 1)) < 22 || rest.size() > 256)
    return tl::unexpected(std::string("the hash is none of argon2id in its encoded form"));
  if (cost.passes == 0 || cost.lanes == 0 || cost.memory_kib < kMemoryKibMin * cost.lanes)
    return tl::unexpected(std::string("the parameters of the hash are too small for argon2id"));
  if (cost.memory_kib > kHashCostMax.memory_kib || cost.passes > kHashCostMax.passes ||
      cost.lanes > kHashCostMax.lanes)
    return tl::unexpected(fmt::format("the hash costs more than m={},t={},p={}",
                                      kHashCostMax.memory_kib, kHashCostMax.passes,
                                      kHashCostMax.lanes));
  return cost;
}

std::string dummy_hash(HashCost cost) {
  // Salt and hash are zeros: finding a password with this hash means breaking argon2id.
  return fmt::format("$argon2id$v=19$m={},t={},p={}${}${}", cost.memory_kib, cost.passes,
                     cost.lanes, std::string(22, 'A'), std::string(43, 'A'));
}

}  // namespace sm::web
