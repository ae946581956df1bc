#include "sm/sweep/decide/adaptive_settings.h"

#include <algorithm>

#include "config/schema.h"

namespace sm {
namespace {

constexpr std::uint8_t kAllTransports = 0xF;

}  // namespace

AdaptiveSettings adaptive_settings(const config::Options& options) {
  AdaptiveSettings settings;
  if (std::ranges::none_of(options.routing_engine, config::routes_adaptively)) return settings;
  settings.choose = options.ar_mode != 0;
  settings.recover = options.shield_mode != 0;
  settings.only_capable = options.enable_ar_by_device_cap;
  settings.copy = options.enable_ar_group_copy;
  settings.sl_mask = options.ar_sl_mask;
  settings.transport_mask = options.ar_transport_mask;
  settings.ageing_time_us = options.ar_ageing_time;
  // With N2N keys switches would need records of their neighbours, whose order is not public.
  constexpr unsigned kNotifies = 3, kSetKeys = 2;
  settings.notify = options.shield_mode == kNotifies && options.n2n_key_enable != kSetKeys;
  settings.notification.set_sl(mad::Sl{options.pfrn_sl});
  settings.notification.set_mask_clear_timeout(options.pfrn_mask_clear_timeout);
  settings.notification.set_mask_force_clear_timeout(options.pfrn_mask_force_clear_timeout);
  return settings;
}

mad::AdaptiveRoutingInfo wanted_info(const mad::AdaptiveRoutingInfo& now,
                                     const AdaptiveSettings& settings, std::uint16_t top,
                                     bool notifies) {
  mad::AdaptiveRoutingInfo wanted = now;
  wanted.set_enable(settings.choose);
  wanted.set_fr_en(settings.recover && now.fr_sup());
  wanted.set_pfrn_en(notifies && wanted.fr_en());
  wanted.set_by_sl_en(now.by_sl_cap());
  if (now.by_sl_cap()) wanted.set_enable_by_sl_mask(settings.sl_mask);
  if (now.by_transport_cap())
    wanted.set_by_transport_disable(
        static_cast<std::uint8_t>(~settings.transport_mask & kAllTransports));
  wanted.set_group_top(top);
  wanted.set_ageing_time(settings.ageing_time_us);
  return wanted;
}

mad::AdaptiveRoutingInfo switched_off(const mad::AdaptiveRoutingInfo& now) {
  mad::AdaptiveRoutingInfo wanted = now;
  wanted.set_enable(false);
  wanted.set_fr_en(false);
  wanted.set_rn_xmit_en(false);
  wanted.set_pfrn_en(false);
  return wanted;
}

bool same_settings(const mad::AdaptiveRoutingInfo& a, const mad::AdaptiveRoutingInfo& b) {
  return a.enable() == b.enable() && a.fr_en() == b.fr_en() && a.rn_xmit_en() == b.rn_xmit_en() &&
         a.pfrn_en() == b.pfrn_en() && a.by_sl_en() == b.by_sl_en() &&
         a.enable_by_sl_mask() == b.enable_by_sl_mask() &&
         a.by_transport_disable() == b.by_transport_disable() && a.group_top() == b.group_top() &&
         a.ageing_time() == b.ageing_time();
}

}  // namespace sm
