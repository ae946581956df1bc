#include "sm/ops/web/authenticator.h"

#include <fmt/format.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>
#include <algorithm>
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <stdexcept>

#include "config/base64.h"
#include "config/value.h"
#include "sm/ops/web/worker.h"

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

namespace asio = boost::asio;

namespace {

// This time is short, because a changed password is not noticed earlier without a reload.
constexpr std::chrono::minutes kVerifiedLife{5};
constexpr std::size_t kVerifiedMax = 1024, kFailedMax = 8192;

/// Returns the bucket's key of an address as one user; no address has a newline.
std::string both(const std::string& from, const std::string& as) { return from + '\n' + as; }

}  // namespace

Authenticator::Authenticator(const Limits& limits)
    : limits_(limits),
      cache_(kVerifiedLife, kVerifiedMax),
      failed_from_as_(limits.failed_logins, kFailedMax),
      failed_from_(limits.failed_logins_of_address, kFailedMax),
      failed_as_(limits.failed_logins_of_user, kFailedMax) {
  asio::post(verifier_, [] { lower_priority_of_this_thread(); });
}

Authenticator::~Authenticator() {
  ends_ = true;
  verifier_.join();
}

void Authenticator::set_users(std::shared_ptr<const Users> users) {
  const std::lock_guard lock(mutex_);
  // A reload that changes no users ends no stream.
  const bool is_same = users && users_ ? *users == *users_ : users == users_;
  if (is_same) return;
  users_ = std::move(users);
  ++generation_;
  cache_.clear();
}

bool Authenticator::has_users() const {
  const std::lock_guard lock(mutex_);
  return users_ != nullptr;
}

unsigned Authenticator::generation() const {
  const std::lock_guard lock(mutex_);
  return generation_;
}

std::shared_ptr<const Users> Authenticator::users(unsigned& generation) const {
  const std::lock_guard lock(mutex_);
  generation = generation_;
  return users_;
}

tl::expected<Authenticator::Attempt, std::chrono::milliseconds> Authenticator::reserve(
    const Guesses::key_type& key, const std::string& from, const std::string& as) {
  const std::lock_guard lock(guesses_mutex_);
  if (const auto known = guesses_.find(key); known != guesses_.end())
    return Attempt{.guess = known->second, .is_first = false};
  const auto now = Clock::now();
  constexpr std::chrono::milliseconds kNone{0};
  if (const auto wait = failed_from_as_.take(both(from, as), now); wait != kNone)
    return tl::unexpected(wait);
  if (const auto wait = failed_from_.take(from, now); wait != kNone) {
    failed_from_as_.give_back(both(from, as), now);
    return tl::unexpected(wait);
  }
  const auto delay = failed_as_.take_ahead(as, now, limits_.login_delay);
  if (!delay) {
    failed_from_as_.give_back(both(from, as), now);
    failed_from_.give_back(from, now);
    return tl::unexpected(limits_.login_delay);
  }
  auto guess = std::make_shared<Guess>(Guess{.not_before = now + *delay, .is_right = {}});
  guesses_.emplace(key, guess);
  return Attempt{.guess = std::move(guess), .is_first = true};
}

/// Called by the first login of a guess.
void Authenticator::finish(const Guesses::key_type& key, const std::string& from,
                           const std::string& as, bool is_right) {
  const std::lock_guard lock(guesses_mutex_);
  guesses_.erase(key);
  if (!is_right) return;
  const auto now = Clock::now();
  failed_from_as_.give_back(both(from, as), now);
  failed_from_.give_back(from, now);
  failed_as_.give_back(as, now);
}

asio::awaitable<bool> Authenticator::verified(std::shared_ptr<Guess> guess, Credentials credentials,
                                              std::string hash, unsigned generation) {
  return asio::async_initiate<const asio::use_awaitable_t<>&, void(bool)>(
      [this](auto handler, std::shared_ptr<Guess> same, Credentials given, std::string against,
             unsigned of) {
        asio::post(
            verifier_, [this, handler = std::move(handler), same = std::move(same),
                        given = std::move(given), against = std::move(against), of]() mutable {
              if (!same->is_right) {
                unsigned now_of = 0;
                users(now_of);
                // Another login may have verified it since this one began to wait.
                const bool is_known = now_of == of && cache_.find(given, Clock::now()).has_value();
                same->is_right = is_known || (!ends_ && is_password_of(given.password, against));
              }
              const bool is_right = *same->is_right;
              const auto back = asio::get_associated_executor(handler);
              asio::post(back, [handler = std::move(handler), is_right]() mutable {
                std::move(handler)(is_right);
              });
            });
      },
      asio::use_awaitable, std::move(guess), std::move(credentials), std::move(hash), generation);
}

asio::awaitable<Login> Authenticator::login(std::string_view authorization, std::string from) {
  auto credentials = basic_credentials(authorization);
  if (!credentials) co_return Login{};
  Login login{.result = Login::Result::wrong, .user = credentials->user};
  if (const auto known = cache_.find(*credentials, Clock::now())) {
    login.result = Login::Result::ok;
    login.role = known->role;
    co_return login;
  }
  unsigned generation = 0;
  const std::shared_ptr<const Users> all = users(generation);
  // The name is truncated, since it becomes a bucket's key.
  const std::string as = credentials->user.substr(0, kUserNameBytesMax);
  const std::string key = fmt::format("{}\n{}\n", generation, from) + cache_.make_key(*credentials);
  const auto attempt = reserve(key, from, as);
  if (!attempt) {
    login.result = Login::Result::too_often;
    login.retry_after = attempt.error();
    co_return login;
  }
  if (attempt->guess->not_before > Clock::now()) {
    const asio::any_io_executor executor = co_await asio::this_coro::executor;
    asio::steady_timer timer(executor, attempt->guess->not_before);
    boost::system::error_code ignored;
    co_await timer.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
  }
  if (waiting_.fetch_add(1) >= limits_.logins_waiting) {
    --waiting_;
    if (attempt->is_first) finish(key, from, as, false);
    login.result = Login::Result::busy;
    login.retry_after = std::chrono::seconds(1);
    co_return login;
  }
  const User* const user = all ? all->find(credentials->user) : nullptr;
  const std::string hash = user != nullptr ? user->hash : all ? all->dummy() : dummy_hash({});
  const bool is_password = co_await verified(attempt->guess, *credentials, hash, generation);
  --waiting_;
  const bool is_right = user != nullptr && is_password;
  if (attempt->is_first) finish(key, from, as, is_right);
  if (!is_right) co_return login;
  unsigned generation_now = 0;
  users(generation_now);
  login.result = Login::Result::ok;
  login.role = user->role;
  // Users that were replaced since then are not cached.
  if (generation_now == generation)
    cache_.add(*credentials, {.user = user->name, .role = user->role}, Clock::now());
  co_return login;
}

}  // namespace sm::web
