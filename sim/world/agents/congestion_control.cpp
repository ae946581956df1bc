// Congestion control (IBTA Vol 1, annex A10): settings are checked and kept; nothing in the
// simulation is congested.

#include "mad/attributes/congestion_control.h"

#include <algorithm>

#include "sim/world/agents/gmp.h"

namespace sim {
namespace {

using mad::CongestionControlAttribute;
using mad::Method;
namespace status = mad::status;
using Data = std::span<std::uint8_t, mad::kGmpDataBytes>;

constexpr std::uint8_t kControlTableBlocks = 2;  // of a CA
constexpr std::uint16_t key_of(CongestionControlAttribute attribute) {
  return raw_key(mad::MgmtClass::congestion_control, static_cast<std::uint16_t>(attribute));
}

/// Keeps what a Set brings, shows what is kept.
Verdict keep(const Place& place, mad::MadView request, std::uint32_t modifier) {
  const Data data = mad::gmp_data(request);
  if (request.method() == Method::set) {
    std::ranges::copy(data, kept_of(place, request, modifier).begin());
  } else if (const auto* const kept = find_kept(
                 place,
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

/// By analogy with the M_Key: a port without a key takes everything; a Set needs the key, with the
/// protect bit a Get, too.
bool key_allows(const Place& place, mad::MadView request) {
  using Fields = mad::CongestionKeyInfoFields;
  const auto* const info =
      find_kept(place, key_of(CongestionControlAttribute::congestion_key_info));
  if (!info) return true;
  const auto key = mad::get_field<std::uint64_t, Fields, "CC_Key">(*info);
  if (key == 0 || key == key_in(request)) return true;
  if (request.method() == Method::get && !mad::get_field<bool, Fields, "CC_KeyProtectBit">(*info))
    return true;
  auto& kept = place.world.model.extras(place.management_port())
                   .raw.at({key_of(CongestionControlAttribute::congestion_key_info), 0});
  const auto violations = mad::get_field<std::uint16_t, Fields, "CC_KeyViolations">(kept);
  if (violations != 0xFFFF)
    mad::set_field<Fields, "CC_KeyViolations">(std::span(kept),
                                               static_cast<std::uint16_t>(violations + 1));
  return false;
}

Verdict serve_info(const Place& place, mad::MadView request) {
  if (request.method() != Method::get) return status::kMethodAttributeUnsupported;
  const Data data = mad::gmp_data(request);
  std::ranges::fill(data, std::uint8_t{0});
  mad::set_field<mad::CongestionInfoFields, "ControlTableCap">(
      data, place.at().is_switch() ? std::uint8_t{0} : kControlTableBlocks);
  return status::kOk;
}

Verdict serve_key_info(const Place& place, mad::MadView request) {
  using Fields = mad::CongestionKeyInfoFields;
  const Data data = mad::gmp_data(request), kept = kept_of(place, request);
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

std::uint32_t now(const Place& place) {
  constexpr std::uint64_t kTickNs = 1024;
  const auto elapsed =
      std::chrono::duration_cast<std::chrono::nanoseconds>(place.world.events().elapsed()).count();
  return static_cast<std::uint32_t>(static_cast<std::uint64_t>(elapsed) / kTickNs);
}

Verdict serve_log(const Place& place, mad::MadView request) {
  if (request.method() != Method::get) return status::kMethodAttributeUnsupported;
  const auto log = request.bytes().subspan<mad::kCongestionLogByte, mad::kCongestionLogBytes>();
  std::ranges::fill(log, std::uint8_t{0});
  if (place.at().is_switch()) {
    mad::set_field<mad::SwitchCongestionLogFields, "LogType">(
        log, mad::SwitchCongestionLogFields::kLogType);
    mad::set_field<mad::SwitchCongestionLogFields, "CurrentTimeStamp">(log, now(place));
  } else {
    mad::set_field<mad::CaCongestionLogFields, "LogType">(log,
                                                          mad::CaCongestionLogFields::kLogType);
    mad::set_field<mad::CaCongestionLogFields, "CurrentTimeStamp">(log, now(place));
  }
  return status::kOk;
}

Verdict serve_switch_ports(const Place& place, mad::MadView request) {
  const std::uint32_t block = request.attribute_modifier();
  if (block > place.at().port_count() / mad::SwitchPortCongestionElementFields::kElements)
    return status::kInvalidValue;
  return keep(place, request, block);
}

Verdict serve_control_table(const Place& place, mad::MadView request) {
  const std::uint32_t block = request.attribute_modifier();
  if (block >= kControlTableBlocks) return status::kInvalidValue;
  const auto limit = mad::get_field<std::uint16_t, mad::CongestionControlTableFields, "CCTILimit">(
      mad::gmp_data(request));
  if (request.method() == Method::set &&
      limit >= kControlTableBlocks * mad::CongestionControlTableFields::kEntries)
    return status::kInvalidValue;
  return keep(place, request, block);
}

Verdict serve_time_stamp(const Place& place, mad::MadView request) {
  if (request.method() != Method::get) return status::kMethodAttributeUnsupported;
  const Data data = mad::gmp_data(request);
  std::ranges::fill(data, std::uint8_t{0});
  mad::set_field<mad::CongestionTimeStampFields, "TimeStamp">(data, now(place));
  return status::kOk;
}

}  // namespace

Verdict serve_congestion_control(const Place& place, mad::MadView request) {
  if (request.class_version() != mad::kCongestionControlClassVersion) return status::kBadVersion;
  if (!key_allows(place, request)) return std::nullopt;
  const bool is_switch = place.at().is_switch();
  switch (static_cast<CongestionControlAttribute>(request.attribute_id())) {
    case CongestionControlAttribute::class_port_info:
      return serve_class_port_info(place, request, 0, 0);
    case CongestionControlAttribute::congestion_info:
      return serve_info(place, request);
    case CongestionControlAttribute::congestion_key_info:
      return serve_key_info(place, request);
    case CongestionControlAttribute::congestion_log:
      return serve_log(place, request);
    case CongestionControlAttribute::switch_congestion_setting:
      return is_switch ? keep(place, request, 0) : status::kMethodAttributeUnsupported;
    case CongestionControlAttribute::switch_port_congestion_setting:
      return is_switch ? serve_switch_ports(place, request) : status::kMethodAttributeUnsupported;
    case CongestionControlAttribute::ca_congestion_setting:
      return is_switch ? status::kMethodAttributeUnsupported : keep(place, request, 0);
    case CongestionControlAttribute::congestion_control_table:
      return is_switch ? status::kMethodAttributeUnsupported : serve_control_table(place, request);
    case CongestionControlAttribute::time_stamp:
      return serve_time_stamp(place, request);
  }
  return status::kMethodAttributeUnsupported;
}

}  // namespace sim
