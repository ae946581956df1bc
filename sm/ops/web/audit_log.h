#pragma once
// The audit log: who has changed what, and who has tried to log in.

#include <atomic>
#include <functional>
#include <string>
#include <string_view>

#include "sm/ops/web/exchange.h"
#include "sm/ops/web/token_buckets.h"

namespace sm::web {

/// One line a change that was authorised and a failed login. Never header Authorization, bodies or
/// queries, which may hold secrets. What clients send is escaped: no line can be forged. Failed
/// logins are at most ten lines a second, with the number of those left out. Any thread.
class AuditLog {
 public:
  using Write = std::function<void(const std::string& line)>;
  explicit AuditLog(Write write) : write_(std::move(write)) {}

  void change(const Caller& caller, std::string_view method, std::string_view path,
              unsigned status);
  void failed_login(std::string_view user, std::string_view address, std::string_view why);

 private:
  Write write_;
  TokenBuckets pace_{{.per_second = 10, .burst = 10}, 1};
  std::atomic<unsigned> left_out_ = 0;
};

}  // namespace sm::web
