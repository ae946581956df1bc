// Congestion control (IBTA Vol 1, annex A10): settings are checked and kept; congestion is not
// simulated.

#include "mad/attributes/congestion_control.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "sim/world/agents/agents.h"

namespace sim {
namespace {

using mad::CongestionControlAttribute;
using mad::Method;
namespace status = mad::status;
using Data = std::span<std::uint8_t, mad::kGmpDataBytes>;

constexpr std::uint8_t kControlTableBlocks = 2;  // of a CA
constexpr std::uint16_t make_key(CongestionControlAttribute attribute) {
  return raw_key(mad::MgmtClass::congestion_control, static_cast<std::uint16_t>(attribute));
}

/// Stores the attribute for a Set, and returns it for a Get.
Verdict keep(const Arrival& arrival, mad::MadView request, std::uint32_t modifier) {
  const Data data = mad::gmp_data(request);
  if (request.method() == Method::set) {
    std::ranges::copy(data, kept_of(arrival, request, modifier).begin());
  } else if (const auto* const kept = find_kept(
                 arrival,
                 raw_key(request.mgmt_class(), static_cast<std::uint16_t>(request.attribute_id())),
                 modifier)) {
    std::ranges::copy(*kept, data.begin());
  } else {
    std::ranges::fill(data, std::uint8_t{0});
  }
  return status::kOk;
}

std::uint64_t key_in(mad::MadView request) {
  return mad::get_field<std::uint64_t, mad::CongestionControlHeaderFields, "CC_Key">(
      request.bytes());
}

/// Starts a lease, by analogy with the M_Key: CC_KeyLeasePeriod seconds after the first violation
/// anyone can read the key, unless a request with the key arrives before.
void start_lease(const Arrival& arrival, std::uint16_t seconds) {
  PortExtras& extras = arrival.world.model.extras(arrival.management_port());
  if (seconds == 0 || std::exchange(extras.cc_key_lease_runs, true)) return;
  World& world = arrival.world;
  world.events().after(std::chrono::seconds(seconds), [&world, port = arrival.management_port(),
                                                       lease = ++extras.cc_key_leases] {
    using Fields = mad::CongestionKeyInfoFields;
    PortExtras& later = world.model.extras(port);
    if (!later.cc_key_lease_runs || later.cc_key_leases != lease) return;
    later.cc_key_lease_runs = false;
    const auto info =
        later.raw.find({make_key(CongestionControlAttribute::congestion_key_info), 0});
    if (info == later.raw.end()) return;
    mad::set_field<Fields, "CC_KeyProtectBit">(std::span(info->second), false);
  });
}

/// Applies rules by analogy with the M_Key. A port without a key accepts every Set. With a key, a
/// Set needs it; with the protect bit, so does a Get.
bool key_allows(const Arrival& arrival, mad::MadView request) {
  using Fields = mad::CongestionKeyInfoFields;
  const auto* const info =
      find_kept(arrival, make_key(CongestionControlAttribute::congestion_key_info));
  if (!info) return true;
  const auto key = mad::get_field<std::uint64_t, Fields, "CC_Key">(*info);
  if (key == 0) return true;
  if (key == key_in(request)) {
    arrival.world.model.extras(arrival.management_port()).cc_key_lease_runs = false;
    return true;
  }
  if (request.method() == Method::get && !mad::get_field<bool, Fields, "CC_KeyProtectBit">(*info))
    return true;
  auto& kept = arrival.world.model.extras(arrival.management_port())
                   .raw.at({make_key(CongestionControlAttribute::congestion_key_info), 0});
  const auto violations = mad::get_field<std::uint16_t, Fields, "CC_KeyViolations">(kept);
  if (violations != 0xFFFF)
    mad::set_field<Fields, "CC_KeyViolations">(std::span(kept),
                                               static_cast<std::uint16_t>(violations + 1));
  start_lease(arrival, mad::get_field<std::uint16_t, Fields, "CC_KeyLeasePeriod">(kept));
  return false;
}

Verdict serve_info(const Arrival& arrival, mad::MadView request) {
  if (request.method() != Method::get) return status::kMethodAttributeUnsupported;
  const Data data = mad::gmp_data(request);
  std::ranges::fill(data, std::uint8_t{0});
  mad::set_field<mad::CongestionInfoFields, "ControlTableCap">(
      data, arrival.at().is_switch() ? std::uint8_t{0} : kControlTableBlocks);
  return status::kOk;
}

Verdict serve_key_info(const Arrival& arrival, mad::MadView request) {
  using Fields = mad::CongestionKeyInfoFields;
  const Data data = mad::gmp_data(request), kept = kept_of(arrival, request);
  if (request.method() == Method::set) {
    mad::set_field<Fields, "CC_Key">(kept, mad::get_field<std::uint64_t, Fields, "CC_Key">(data));
    mad::set_field<Fields, "CC_KeyProtectBit">(
        kept, mad::get_field<bool, Fields, "CC_KeyProtectBit">(data));
    mad::set_field<Fields, "CC_KeyLeasePeriod">(
        kept, mad::get_field<std::uint16_t, Fields, "CC_KeyLeasePeriod">(data));
    if (mad::get_field<std::uint16_t, Fields, "CC_KeyViolations">(data) == 0)
      mad::set_field<Fields, "CC_KeyViolations">(kept, std::uint16_t{0});
  }
  std::ranges::copy(kept, data.begin());
  return status::kOk;
}

std::uint32_t now(const Arrival& arrival) {
  constexpr std::uint64_t kTickNs = 1024;
  const auto elapsed =
      std::chrono::duration_cast<std::chrono::nanoseconds>(arrival.world.events().elapsed())
          .count();
  return static_cast<std::uint32_t>(static_cast<std::uint64_t>(elapsed) / kTickNs);
}

Verdict serve_log(const Arrival& arrival, mad::MadView request) {
  if (request.method() != Method::get) return status::kMethodAttributeUnsupported;
  const auto log = request.bytes().subspan<mad::kCongestionLogByte, mad::kCongestionLogBytes>();
  std::ranges::fill(log, std::uint8_t{0});
  if (arrival.at().is_switch()) {
    mad::set_field<mad::SwitchCongestionLogFields, "LogType">(
        log, mad::SwitchCongestionLogFields::kLogType);
    mad::set_field<mad::SwitchCongestionLogFields, "CurrentTimeStamp">(log, now(arrival));
  } else {
    mad::set_field<mad::CaCongestionLogFields, "LogType">(log,
                                                          mad::CaCongestionLogFields::kLogType);
    mad::set_field<mad::CaCongestionLogFields, "CurrentTimeStamp">(log, now(arrival));
  }
  return status::kOk;
}

Verdict serve_switch_ports(const Arrival& arrival, mad::MadView request) {
  const std::uint32_t block = request.attribute_modifier();
  if (block > arrival.at().port_count() / mad::SwitchPortCongestionElementFields::kElements)
    return status::kInvalidValue;
  return keep(arrival, request, block);
}

Verdict serve_control_table(const Arrival& arrival, mad::MadView request) {
  const std::uint32_t block = request.attribute_modifier();
  if (block >= kControlTableBlocks) return status::kInvalidValue;
  const auto limit = mad::get_field<std::uint16_t, mad::CongestionControlTableFields, "CCTILimit">(
      mad::gmp_data(request));
  if (request.method() == Method::set &&
      limit >= kControlTableBlocks * mad::CongestionControlTableFields::kEntries)
    return status::kInvalidValue;
  return keep(arrival, request, block);
}

Verdict serve_time_stamp(const Arrival& arrival, mad::MadView request) {
  if (request.method() != Method::get) return status::kMethodAttributeUnsupported;
  const Data data = mad::gmp_data(request);
  std::ranges::fill(data, std::uint8_t{0});
  mad::set_field<mad::CongestionTimeStampFields, "TimeStamp">(data, now(arrival));
  return status::kOk;
}

}  // namespace

Verdict serve_congestion_control(const Arrival& arrival, mad::MadView request) {
  if (request.class_version() != mad::kCongestionControlClassVersion) return status::kBadVersion;
  if (!key_allows(arrival, request)) return std::nullopt;
  const bool is_switch = arrival.at().is_switch();
  switch (static_cast<CongestionControlAttribute>(request.attribute_id())) {
    case CongestionControlAttribute::class_port_info:
      return serve_class_port_info(arrival, request, 0, 0);
    case CongestionControlAttribute::congestion_info:
      return serve_info(arrival, request);
    case CongestionControlAttribute::congestion_key_info:
      return serve_key_info(arrival, request);
    case CongestionControlAttribute::congestion_log:
      return serve_log(arrival, request);
    case CongestionControlAttribute::switch_congestion_setting:
      return is_switch ? keep(arrival, request, 0) : status::kMethodAttributeUnsupported;
    case CongestionControlAttribute::switch_port_congestion_setting:
      return is_switch ? serve_switch_ports(arrival, request) : status::kMethodAttributeUnsupported;
    case CongestionControlAttribute::ca_congestion_setting:
      return is_switch ? status::kMethodAttributeUnsupported : keep(arrival, request, 0);
    case CongestionControlAttribute::congestion_control_table:
      return is_switch ? status::kMethodAttributeUnsupported
                       : serve_control_table(arrival, request);
    case CongestionControlAttribute::time_stamp:
      return serve_time_stamp(arrival, request);
  }
  return status::kMethodAttributeUnsupported;
}

}  // namespace sim
