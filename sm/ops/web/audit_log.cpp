#include "sm/ops/web/audit_log.h"

#include <fmt/format.h>

#include "config/diagnostic.h"

namespace sm::web {
namespace {

std::string audited_user(std::string_view user) {
  return user.empty() ? "nobody" : config::in_quotes(user);
}

}  // namespace

void AuditLog::change(const Caller& caller, std::string_view method, std::string_view path,
                      unsigned status) {
  if (!write_) return;
  write_(fmt::format("http: user {} at {}: {} {}: {}", audited_user(caller.user), caller.address,
                     method, config::printable(path), status));
}

void AuditLog::failed_login(std::string_view user, std::string_view address, std::string_view why) {
  if (!write_) return;
  if (pace_.take("", Clock::now()) > std::chrono::milliseconds(0)) {
    ++left_out_;
    return;
  }
  const unsigned left_out = left_out_.exchange(0);
  write_(fmt::format("http: login of {} at {} failed: {}{}", audited_user(user), address, why,
                     left_out == 0 ? "" : fmt::format(" ({} lines left out)", left_out)));
}

}  // namespace sm::web
