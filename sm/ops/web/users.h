#pragma once
// Users of the API, from http_users_file.

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "config/diagnostic.h"
#include "config/file_reader.h"
#include "sm/ops/web/exchange.h"
#include "sm/ops/web/password.h"

namespace sm::web {

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
