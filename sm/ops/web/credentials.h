#pragma once
// Parses the header Authorization (RFC 7617), and caches verified credentials.

#include <array>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "sm/ops/web/exchange.h"
#include "sm/ops/web/recent.h"
#include "sm/ops/web/token_buckets.h"

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

}  // namespace sm::web
