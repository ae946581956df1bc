#include "sim/world/agents/agents.h"

#include <algorithm>

namespace sim {
namespace {

constexpr std::uint8_t kRespTimeValue = 18;  // about a second; agents are faster

std::uint16_t make_key(mad::MadView request) {
  return raw_key(request.mgmt_class(), static_cast<std::uint16_t>(request.attribute_id()));
}

}  // namespace

std::span<std::uint8_t, mad::kGmpDataBytes> kept_of(const Arrival& arrival, mad::MadView request,
                                                    std::uint32_t modifier) {
  return arrival.world.model.extras(arrival.management_port()).raw[{make_key(request), modifier}];
}

const std::array<std::uint8_t, mad::kGmpDataBytes>* find_kept(const Arrival& arrival,
                                                              std::uint16_t key,
                                                              std::uint32_t modifier) {
  const auto& extras = arrival.world.model.ports[arrival.management_port()].extras;
  if (!extras) return nullptr;
  const auto kept = extras->raw.find({key, modifier});
  return kept == extras->raw.end() ? nullptr : &kept->second;
}

Verdict serve_class_port_info(const Arrival& arrival, mad::MadView request,
                              std::uint16_t capability_mask, std::uint32_t capability_mask2) {
  using Fields = mad::ClassPortInfoFields;
  const auto data = mad::gmp_data(request);
  constexpr std::size_t first = Fields::kTrapByte, count = Fields::kBytes - Fields::kTrapByte;
  if (request.method() == mad::Method::set)
    std::ranges::copy(data.subspan<first, count>(), kept_of(arrival, request).begin() + first);
  std::ranges::fill(data, std::uint8_t{0});
  if (const auto* const kept = find_kept(arrival, make_key(request)))
    std::copy_n(kept->begin() + first, count, data.begin() + first);
  mad::set_field<Fields, "BaseVersion">(data, mad::kBaseVersion);
  mad::set_field<Fields, "ClassVersion">(data, request.class_version());
  mad::set_field<Fields, "CapabilityMask">(data, capability_mask);
  mad::set_field<Fields, "CapabilityMask2">(data, capability_mask2);
  mad::set_field<Fields, "RespTimeValue">(data, kRespTimeValue);
  return mad::status::kOk;
}

}  // namespace sim
