#include "sm/ops/web/authenticator.h"

#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "sm/ops/web/low_priority.h"

namespace sm::web {
namespace asio = boost::asio;

namespace {

// Short, since nothing else notices that a password has changed without a reload.
constexpr std::chrono::minutes kVerifiedLife{5};
constexpr std::size_t kVerifiedMax = 1024, kFailedMax = 8192;

}  // namespace

Authenticator::Authenticator(const Limits& limits)
    : limits_(limits),
      cache_(kVerifiedLife, kVerifiedMax),
      failed_from_(limits.failed_logins, kFailedMax),
      failed_as_(limits.failed_logins_of_user, kFailedMax) {
  asio::post(verifier_, [] { lower_priority_of_this_thread(); });
}

Authenticator::~Authenticator() {
  ends_ = true;
  verifier_.join();
}

void Authenticator::set_users(std::shared_ptr<const Users> users) {
  const std::lock_guard lock(mutex_);
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

asio::awaitable<bool> Authenticator::verified(Credentials credentials, std::string hash,
                                              unsigned generation) {
  return asio::async_initiate<const asio::use_awaitable_t<>&, void(bool)>(
      [this](auto handler, Credentials given, std::string against, unsigned of) {
        asio::post(verifier_, [this, handler = std::move(handler), given = std::move(given),
                               against = std::move(against), of]() mutable {
          unsigned now_of = 0;
          users(now_of);
          // Clients that begin together send the same: the first one is verified.
          bool is_right = now_of == of && cache_.find(given, Clock::now()).has_value();
          if (!is_right && !ends_) is_right = is_password_of(given.password, against);
          const auto back = asio::get_associated_executor(handler);
          asio::post(back, [handler = std::move(handler), is_right]() mutable {
            std::move(handler)(is_right);
          });
        });
      },
      asio::use_awaitable, std::move(credentials), std::move(hash), generation);
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
  // As a bucket's key it is bounded, whatever was sent.
  const std::string as = credentials->user.substr(0, kUserNameBytesMax);
  const auto now = Clock::now();
  if (!failed_from_.has(from, now) || !failed_as_.has(as, now)) {
    login.result = Login::Result::too_often;
    login.retry_after = std::chrono::seconds(2);
    co_return login;
  }
  if (waiting_.fetch_add(1) >= limits_.logins_waiting) {
    --waiting_;
    login.result = Login::Result::busy;
    login.retry_after = std::chrono::seconds(1);
    co_return login;
  }
  const User* const user = all ? all->find(credentials->user) : nullptr;
  const std::string hash = user != nullptr ? user->hash : all ? all->dummy() : dummy_hash({});
  const bool is_right = co_await verified(*credentials, hash, generation);
  --waiting_;
  unsigned generation_now = 0;
  users(generation_now);
  if (user == nullptr || !is_right) {
    failed_from_.take(from, Clock::now());
    failed_as_.take(as, Clock::now());
    co_return login;
  }
  login.result = Login::Result::ok;
  login.role = user->role;
  // Not of users that were replaced meanwhile.
  if (generation_now == generation)
    cache_.add(*credentials, {.user = user->name, .role = user->role}, Clock::now());
  co_return login;
}

}  // namespace sm::web
