#pragma once
// Hashes of passwords: argon2id (RFC 9106) in its encoded form, "$argon2id$v=19$m=...".

#include <cstdint>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

namespace sm::web {

/// The cost of one verification.
struct HashCost {
  std::uint32_t memory_kib = 32 * 1024, passes = 3, lanes = 1;
};
inline constexpr HashCost kHashCostMax{.memory_kib = 256 * 1024, .passes = 16, .lanes = 8};
inline constexpr std::size_t kPasswordBytesMax = 1024;

/// With a salt of the operating system. Errors: of libargon2, or no memory.
tl::expected<std::string, std::string> make_hash(std::string_view password, HashCost cost = {});
/// Returns whether it is the hash's password, in a time that depends on the hash alone. False also
/// for an empty password, and where there is no memory.
bool is_password_of(std::string_view password, const std::string& hash);
/// The cost that an encoded hash says. Errors: what is wrong with it, as a phrase.
tl::expected<HashCost, std::string> cost_of(const std::string& hash);
/// A hash that costs as much as others, and is of no password that anybody knows.
std::string dummy_hash(HashCost cost);

}  // namespace sm::web
