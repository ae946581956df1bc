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

/// The users of a file: one a line, `name:role:$argon2id$...`; roles are read, partitions, admin;
/// what follows # is a comment.
class Users {
 public:
  /// Errors go to `out`, all of them, by line and column; the users of other lines are returned.
  static Users parse(const config::Source& source, config::Diagnostics& out);

  /// Null: there is none with that name.
  const User* find(std::string_view name) const;
  std::vector<User> all() const;
  bool empty() const { return by_name_.empty(); }
  /// A password of an unknown name is verified against this, so that the time does not show that it
  /// is unknown.
  const std::string& dummy() const { return dummy_; }

  friend bool operator==(const Users&, const Users&) = default;

 private:
  std::map<std::string, User, std::less<>> by_name_;
  std::string dummy_ = dummy_hash({});
};

inline constexpr std::size_t kUserNameBytesMax = 64;
/// Letters, digits and ._@- ; at most 64.
bool is_user_name(std::string_view name);
/// Nothing: it is no role that a user can have.
std::optional<Role> role_named(std::string_view name);

/// Reads and parses the file. Errors, besides those of its lines: it cannot be read, or others may
/// read it (its mode should be 0600).
Users read_users(const std::string& path, config::Diagnostics& out);

/// The text of a users file in which this user has this line; the other lines stay as they are.
/// An empty `line`: without the user.
std::string with_user(std::string_view text, std::string_view name, std::string_view line);

}  // namespace sm::web
