#include "sm/sa/registrations/services.h"

#include <vector>

namespace sa {

void Services::set(Service service) {
  const ServiceRid key = rid_of(service.record);
  erase(key);
  quota_.take(service.client());
  if (service.expires) ends_.emplace(*service.expires, key);
  touched_.insert(key);
  all_.emplace(key, std::move(service));
}

void Services::erase(const ServiceRid& key) {
  const auto found = all_.find(key);
  if (found == all_.end()) return;
  quota_.give_back(found->second.client());
  if (found->second.expires) ends_.erase({*found->second.expires, key});
  touched_.insert(key);
  all_.erase(found);
}

void Services::forget(const std::function<bool(mad::Gid)>& gone) {
  std::vector<ServiceRid> keys;
  for (const auto& [key, service] : all_)
    if (gone(key.gid)) keys.push_back(key);
  for (const ServiceRid& key : keys) erase(key);
}

std::optional<UnixTime> Services::expire(UnixTime now) {
  now_ = now;
  for (unsigned dropped = 0;
       dropped < kExpireAtOnce && !ends_.empty() && ends_.begin()->first <= now; ++dropped) {
    const ServiceRid key = ends_.begin()->second;  // a copy: erase() removes the entry
    erase(key);
  }
  return ends_.empty() ? std::nullopt : std::optional(ends_.begin()->first);
}

void Services::expire(const ServiceRid& key, UnixTime now) {
  if (const Service* service = find(key); service != nullptr && service->has_ended(now)) erase(key);
}

}  // namespace sa
