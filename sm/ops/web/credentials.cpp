#include "sm/ops/web/credentials.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>

#include <algorithm>
#include <stdexcept>

namespace sm::web {
namespace {

constexpr std::size_t kTokenBytesMax = 4096;

/// The six bits of a character, of both alphabets; nothing: it is in neither.
std::optional<unsigned> base64_value(char c) {
  if (c >= 'A' && c <= 'Z') return static_cast<unsigned>(c - 'A');
  if (c >= 'a' && c <= 'z') return static_cast<unsigned>(c - 'a' + 26);
  if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0' + 52);
  if (c == '+' || c == '-') return 62U;
  if (c == '/' || c == '_') return 63U;
  return std::nullopt;
}

std::optional<std::string> base64_decoded(std::string_view text) {
  while (text.ends_with('=')) text.remove_suffix(1);
  if (text.size() % 4 == 1) return std::nullopt;
  std::string decoded;
  std::uint32_t bits = 0;
  unsigned count = 0;
  for (const char c : text) {
    const auto value = base64_value(c);
    if (!value) return std::nullopt;
    bits = (bits << 6 | *value) & 0xFFFF;
    count += 6;
    if (count < 8) continue;
    count -= 8;
    decoded += static_cast<char>(bits >> count & 0xFF);
  }
  return decoded;
}

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
  std::string_view token = authorization.substr(blank + 1);
  token.remove_prefix(std::min(token.find_first_not_of(' '), token.size()));
  if (token.empty() || token.size() > kTokenBytesMax) return std::nullopt;
  const auto decoded = base64_decoded(token);
  if (!decoded) return std::nullopt;
  const std::size_t colon = decoded->find(':');
  if (colon == std::string::npos) return std::nullopt;
  return Credentials{decoded->substr(0, colon), decoded->substr(colon + 1)};
}

CredentialCache::CredentialCache(std::chrono::milliseconds life, std::size_t entries_max)
    : life_(life), entries_max_(entries_max) {
  if (RAND_bytes(secret_.data(), static_cast<int>(secret_.size())) != 1)
    throw std::runtime_error("there are no random numbers");
}

CredentialCache::Key CredentialCache::make_key(const Credentials& credentials) const {
  // The name has no NUL, so that no two pairs are one text.
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
  const auto known = by_key_.find(key);
  if (known == by_key_.end() || known->second->until <= now) return std::nullopt;
  recent_.splice(recent_.begin(), recent_, known->second);
  recent_.front().until = now + life_;
  return recent_.front().verified;
}

void CredentialCache::add(const Credentials& credentials, Verified verified,
                          Clock::time_point now) {
  Key key = make_key(credentials);
  const std::lock_guard lock(mutex_);
  if (const auto known = by_key_.find(key); known != by_key_.end()) {
    known->second->verified = std::move(verified);
    known->second->until = now + life_;
    return;
  }
  if (recent_.size() >= entries_max_) {
    by_key_.erase(recent_.back().key);
    recent_.pop_back();
  }
  recent_.push_front(
      {.key = std::move(key), .verified = std::move(verified), .until = now + life_});
  by_key_.emplace(recent_.front().key, recent_.begin());
}

void CredentialCache::clear() {
  const std::lock_guard lock(mutex_);
  by_key_.clear();
  recent_.clear();
}

std::size_t CredentialCache::size() const {
  const std::lock_guard lock(mutex_);
  return recent_.size();
}

}  // namespace sm::web
