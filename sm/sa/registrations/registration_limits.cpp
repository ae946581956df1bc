#include "sm/sa/registrations/registration_limits.h"

#include "mad/format.h"

namespace sa {

std::string usage_text(const PortQuota& quota, const Client& client, const Bounds& bounds,
                       std::string_view what) {
  if (!client.is_vport())
    return fmt::format(
        "{} {}, all ports together {}; the limits are {} and {}; logged once per port",
        quota.at(client.port), what, quota.total(), bounds.own, bounds.all);
  return fmt::format(
      "{} {}, its port with all vports {}, all ports together {}; the limits are {}, {} and {}; "
      "logged once per vport",
      quota.of(client.end), what, quota.at(client.port), quota.total(), bounds.own, bounds.port,
      bounds.all);
}

}  // namespace sa
