#pragma once
// Logins: who sends a request, by header Authorization.

#include <atomic>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/thread_pool.hpp>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "sm/ops/web/credentials.h"
#include "sm/ops/web/limits.h"
#include "sm/ops/web/users.h"

namespace sm::web {

struct Login {
  enum class Result : std::uint8_t {
    ok,
    malformed,  // the header is no "Basic <token>"
    wrong,      // no such user, or another password
    too_often,  // wrong ones from there, or for this user, lately: nothing was verified
    busy,       // too many wait to be verified
  };
  Result result = Result::malformed;
  std::string user;  // the name that was given; may be any text
  Role role = Role::none;
  std::chrono::milliseconds retry_after{0};
};

/// Verifies passwords on a thread of its own, one at a time, since argon2 is made to be slow; what
/// was verified lately is not verified again. Any thread.
class Authenticator {
 public:
  explicit Authenticator(const Limits& limits);
  ~Authenticator();
  Authenticator(const Authenticator&) = delete;
  Authenticator& operator=(const Authenticator&) = delete;

  /// Forgets what was verified by the users before. Null: there are no users.
  void set_users(std::shared_ptr<const Users> users);
  bool has_users() const;
  /// Changes with each set_users().
  unsigned generation() const;

  /// `from`: the address, as limits count it.
  boost::asio::awaitable<Login> login(std::string_view authorization, std::string from);

 private:
  boost::asio::awaitable<bool> verified(Credentials credentials, std::string hash,
                                        unsigned generation);
  std::shared_ptr<const Users> users(unsigned& generation) const;

  const Limits limits_;
  mutable std::mutex mutex_;  // of the next two
  std::shared_ptr<const Users> users_;
  unsigned generation_ = 0;  // of users_
  CredentialCache cache_;
  TokenBuckets failed_from_, failed_as_;
  std::atomic<std::size_t> waiting_ = 0;
  std::atomic<bool> ends_ = false;
  boost::asio::thread_pool verifier_{1};
};

}  // namespace sm::web
