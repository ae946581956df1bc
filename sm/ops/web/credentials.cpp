#include "sm/ops/web/credentials.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>

#include <algorithm>
#include <stdexcept>

#include "config/base64.h"
#include "config/value.h"

namespace sm::web {
namespace {

constexpr std::size_t kTokenBytesMax = 4096;

bool is_basic(std::string_view scheme) {
  return std::ranges::equal(scheme, std::string_view("basic"), [](char a, char b) {
    return (a >= 'A' && a <= 'Z' ? a - 'A' + 'a' : a) == b;
  });
}

}  // namespace

std::optional<Credentials> basic_credentials(std::string_view authorization) {
  const std::size_t blank = authorization.find(' ');
  if (blank == std::string_view::npos || !is_basic(authorization.substr(0, blank)))
    return std::nullopt;
  std::string token(config::trim(authorization.substr(blank + 1)));
  if (token.empty() || token.size() > kTokenBytesMax) return std::nullopt;
  std::ranges::replace(token, '-', '+');
  std::ranges::replace(token, '_', '/');
  token.resize((token.find_last_not_of('=') + 4) / 4 * 4, '=');
  const auto decoded = config::from_base64(token);
  if (!decoded) return std::nullopt;
  const std::size_t colon = decoded->find(':');
  if (colon == std::string::npos) return std::nullopt;
  return Credentials{decoded->substr(0, colon), decoded->substr(colon + 1)};
}

CredentialCache::CredentialCache(std::chrono::milliseconds life, std::size_t entries_max)
    : life_(life), recent_(entries_max) {
  if (RAND_bytes(secret_.data(), static_cast<int>(secret_.size())) != 1)
    throw std::runtime_error("there are no random numbers");
}

CredentialCache::Key CredentialCache::make_key(const Credentials& credentials) const {
  // The name has no NUL, so that different pairs give different texts.
  const std::string text = credentials.user + '\0' + credentials.password;
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  HMAC(EVP_sha256(), secret_.data(), static_cast<int>(secret_.size()),
       reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest.data(), &size);
  return {reinterpret_cast<const char*>(digest.data()), size};
}

std::optional<CredentialCache::Verified> CredentialCache::find(const Credentials& credentials,
                                                               Clock::time_point now) {
  const Key key = make_key(credentials);
  const std::lock_guard lock(mutex_);
  Entry* const known = recent_.find(key);
  if (known == nullptr || known->until <= now) return std::nullopt;
  known->until = now + life_;
  return known->verified;
}

void CredentialCache::add(const Credentials& credentials, Verified verified,
                          Clock::time_point now) {
  const Key key = make_key(credentials);
  const std::lock_guard lock(mutex_);
  Entry* const known = recent_.find(key);
  (known != nullptr ? *known : recent_.add(key, {})) = Entry{std::move(verified), now + life_};
}

void CredentialCache::clear() {
  const std::lock_guard lock(mutex_);
  recent_.clear();
}

std::size_t CredentialCache::size() const {
  const std::lock_guard lock(mutex_);
  return recent_.size();
}

}  // namespace sm::web
