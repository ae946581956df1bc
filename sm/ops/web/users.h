#pragma once
// Users of the API, from http_users_file.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "config/diagnostic.h"
#include "config/file_reader.h"
#include "sm/ops/web/exchange.h"

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

struct User {
  std::string name;
  Role role = Role::read;
  std::string hash;  // argon2id, encoded

  friend bool operator==(const User&, const User&) = default;
};

/// The users of a file, one a line: `name:role:$argon2id$...`. Roles are read, partitions, admin; #
/// begins a comment.
class Users {
 public:
  /// Parses a users file. Errors go to `out`, by line and column; users of valid lines are
  /// returned.
  static Users parse(const config::Source& source, config::Diagnostics& out);

  /// Returns null if there is no user of that name.
  const User* find(std::string_view name) const;
  std::vector<User> all() const;
  bool empty() const { return by_name_.empty(); }
  /// The password for an unknown name is verified against this hash, so that the response time does
  /// not reveal that the name is unknown.
  const std::string& dummy() const { return dummy_; }

  friend bool operator==(const Users&, const Users&) = default;

 private:
  std::map<std::string, User, std::less<>> by_name_;
  std::string dummy_ = dummy_hash({});
};

inline constexpr std::size_t kUserNameBytesMax = 64;
/// True for letters, digits and ._@- ; at most 64.
bool is_user_name(std::string_view name);
/// Returns nullopt if it is not a role that a user can have.
std::optional<Role> role_named(std::string_view name);

/// Reads and parses the file. Errors, besides the errors of its lines: the file cannot be read, or
/// other users may read it (its mode should be 0600).
Users read_users(const std::string& path, config::Diagnostics& out);

/// Returns the text of a users file with this line for this user; the other lines are unchanged. An
/// empty `line` removes the user.
std::string with_user(std::string_view text, std::string_view name, std::string_view line);

}  // namespace sm::web
