#pragma once
// Authenticates the sender of a request by the header Authorization.

#include <array>
#include <atomic>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/thread_pool.hpp>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <unordered_map>

#include "sm/ops/web/exchange.h"
#include "sm/ops/web/http_limits.h"
#include "sm/ops/web/token_buckets.h"
#include "sm/ops/web/users.h"

namespace sm::web {

struct Credentials {
  std::string user, password;
};

/// Reads "Basic <token>", where the token is the base64 of "user:password", with padding or
/// without, also in the alphabet for URLs. Returns nothing for anything else.
std::optional<Credentials> basic_credentials(std::string_view authorization);

/// Caches verified credentials, so that argon2 runs once for many requests. Holds no password: keys
/// are a keyed hash. Any thread.
class CredentialCache {
 public:
  struct Verified {
    std::string user;
    Role role = Role::none;
  };
  CredentialCache(std::chrono::milliseconds life, std::size_t entries_max);

  /// Finds an entry. Each use renews its lifetime.
  std::optional<Verified> find(const Credentials& credentials, Clock::time_point now);
  void add(const Credentials& credentials, Verified verified, Clock::time_point now);
  void clear();
  std::size_t size() const;
  /// A keyed hash of credentials, valid in this process; equal credentials have equal hashes.
  using Key = std::string;
  Key make_key(const Credentials& credentials) const;

 private:
  struct Entry {
    Verified verified;
    Clock::time_point until;
  };

  const std::chrono::milliseconds life_;
  std::array<unsigned char, 32> secret_{};  // of this process
  mutable std::mutex mutex_;
  Recent<Entry> recent_;
};

struct Login {
  enum class Result : std::uint8_t {
    ok,
    malformed,  // the header is no "Basic <token>"
    wrong,      // no such user, or another password
    too_often,  // wrong ones from there lately, or too many for this user: nothing was verified
    busy,       // too many wait to be verified
  };
  Result result = Result::malformed;
  std::string user;  // the name that was given; may be any text
  Role role = Role::none;
  std::chrono::milliseconds retry_after{0};
};

/// Verifies passwords on a separate thread, one at a time, since argon2 is slow by design; verified
/// credentials are cached. A guess takes its tokens before it is verified, so that concurrent
/// guesses have the limit of sequential ones, and returns them if it was right. Tokens are counted
/// by address and user: wrong guesses do not lock out another user behind a proxy. Beyond a limit
/// for one user from all addresses, guesses wait. Any thread.
class Authenticator {
 public:
  explicit Authenticator(const Limits& limits);
  ~Authenticator();
  Authenticator(const Authenticator&) = delete;
  Authenticator& operator=(const Authenticator&) = delete;

  /// Forgets the verified credentials of the previous users, unless the users are equal. Null means
  /// that there are no users.
  void set_users(std::shared_ptr<const Users> users);
  bool has_users() const;
  /// Returns a number that changes when set_users() brings other users.
  unsigned generation() const;

  /// `from` is the address that limits count.
  boost::asio::awaitable<Login> login(std::string_view authorization, std::string from);

 private:
  /// Concurrent logins with equal credentials count as one guess.
  struct Guess {
    Clock::time_point not_before;
    std::optional<bool> is_right;  // on the thread that verifies
  };
  struct Attempt {
    std::shared_ptr<Guess> guess;
    bool is_first = false;  // has taken the tokens
  };
  using Guesses = std::unordered_map<std::string, std::shared_ptr<Guess>>;

  /// Errors: the time until there are tokens.
  tl::expected<Attempt, std::chrono::milliseconds> reserve(const Guesses::key_type& key,
                                                           const std::string& from,
                                                           const std::string& as);
  void finish(const Guesses::key_type& key, const std::string& from, const std::string& as,
              bool is_right);
  boost::asio::awaitable<bool> verified(std::shared_ptr<Guess> guess, Credentials credentials,
                                        std::string hash, unsigned generation);
  std::shared_ptr<const Users> users(unsigned& generation) const;

  const Limits limits_;
  mutable std::mutex mutex_;  // of the next two
  std::shared_ptr<const Users> users_;
  unsigned generation_ = 0;  // of users_
  CredentialCache cache_;
  TokenBuckets failed_from_as_, failed_from_, failed_as_;
  std::mutex guesses_mutex_;
  Guesses guesses_;  // that are being verified
  std::atomic<std::size_t> waiting_ = 0;
  std::atomic<bool> ends_ = false;
  boost::asio::thread_pool verifier_{1};
};

}  // namespace sm::web
