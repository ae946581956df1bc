#include "sm/ops/web/client_shares.h"

#include <fmt/format.h>

#include "config/diagnostic.h"

namespace sm::web {

namespace {

std::size_t count(const std::map<std::string, std::size_t>& counts, const std::string& key) {
  const auto found = counts.find(key);
  return found == counts.end() ? 0 : found->second;
}

void remove(std::map<std::string, std::size_t>& counts, const std::string& key) {
  if (key.empty()) return;
  const auto found = counts.find(key);
  if (--found->second == 0) counts.erase(found);
}

}  // namespace

tl::expected<ClientShares::Place, std::string> ClientShares::take(const Caller& caller) {
  const std::lock_guard lock(mutex_);
  if (all_ >= bounds_.all)
    return tl::unexpected(fmt::format("all clients together have {} already", bounds_.all));
  if (count(of_user_, caller.user) >= bounds_.of_user)
    return tl::unexpected(
        fmt::format("user {} has {} already", config::in_quotes(caller.user), bounds_.of_user));
  if (count(of_address_, caller.limited_as) >= bounds_.of_address)
    return tl::unexpected(
        fmt::format("address {} has {} already", caller.limited_as, bounds_.of_address));
  ++all_;
  if (!caller.user.empty()) ++of_user_[caller.user];
  if (!caller.limited_as.empty()) ++of_address_[caller.limited_as];
  return Place(*this, caller.user, caller.limited_as);
}

void ClientShares::give_back(const std::string& user, const std::string& address) {
  const std::lock_guard lock(mutex_);
  --all_;
  remove(of_user_, user);
  remove(of_address_, address);
}

}  // namespace sm::web
