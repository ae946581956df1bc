// The vendor specific class (0x0A) and the node to node class (0x0C): ClassPortInfo, and the key of
// the class by analogy with the CC_Key: protection, lease, violations and their trap.

#include "mad/attributes/keyed_class.h"

#include <algorithm>

#include "sim/world/agents/agents.h"

namespace sim {
namespace {

using mad::KeyedClassAttribute;
using mad::Method;
namespace status = mad::status;
constexpr std::uint32_t kQp1 = 1;

std::span<std::uint8_t, mad::kGmpDataBytes> keyed_data(mad::MadView mad) {
  return mad.bytes().subspan<mad::kKeyedClassDataByte, mad::kGmpDataBytes>();
}

ClassKeyState& state_of(const Arrival& arrival, mad::MadView mad) {
  return arrival.world.model.extras(arrival.management_port())
      .class_keys[static_cast<std::uint8_t>(mad.mgmt_class())];
}

void start_class_lease(const Arrival& arrival, mad::MadView request) {
  ClassKeyState& state = state_of(arrival, request);
  if (state.lease_s == 0 || state.lease_runs) return;
  state.lease_runs = true;
  World& world = arrival.world;
  world.events().after(std::chrono::seconds(state.lease_s),
                       [&world, port = arrival.management_port(), lease = ++state.leases,
                        mgmt_class = static_cast<std::uint8_t>(request.mgmt_class())] {
                         ClassKeyState& later = world.model.extras(port).class_keys[mgmt_class];
                         if (!later.lease_runs || later.leases != lease) return;
                         later.lease_runs = false;
                         later.is_protected = false;
                       });
}

/// Sends trap 0 to the trap destination, once.
void send_violation(const Arrival& arrival, mad::MadView request, mad::Lid from) {
  using Fields = mad::ClassKeyNoticeFields;
  const ClassKeyState& state = state_of(arrival, request);
  const mad::Lid to =
      mad::get_field<mad::Lid, mad::ClassPortInfoFields, "TrapLID">(std::span(state.trap));
  if (!mad::is_unicast(to)) return;
  mad::MadBytes bytes{};
  mad::MadView trap{std::span<std::uint8_t, mad::kMadSizeBytes>(bytes)};
  trap.set_base_version(mad::kBaseVersion);
  trap.set_mgmt_class(request.mgmt_class());
  trap.set_class_version(request.class_version());
  trap.set_method(Method::trap);
  trap.set_attribute_id(
      static_cast<mad::AttributeId>(static_cast<std::uint16_t>(KeyedClassAttribute::notice)));
  const auto data = keyed_data(trap);
  constexpr unsigned kSecurity = 2;
  mad::set_field<Fields, "IsGeneric">(data, true);
  mad::set_field<Fields, "Type">(data, static_cast<std::uint8_t>(kSecurity));
  mad::set_field<Fields, "TrapNumber">(data, mad::class_key_trap::kViolation);
  mad::set_field<Fields, "IssuerLID">(
      data, arrival.world.model.ports[arrival.management_port()].info.lid());
  mad::set_field<Fields, "SLID">(data, from);
  mad::set_field<Fields, "Method">(data, static_cast<std::uint8_t>(request.method()));
  mad::set_field<Fields, "AttributeID">(data, static_cast<std::uint16_t>(request.attribute_id()));
  mad::set_field<Fields, "AttributeModifier">(data, request.attribute_modifier());
  mad::set_field<Fields, "QP">(data, kQp1);
  arrival.world.send_class_trap(arrival.management_port(), bytes, to);
}

/// A device without a key accepts every request. With a key, a Set needs it; with the protect bit,
/// so does a Get.
bool class_key_allows(const Arrival& arrival, mad::MadView request, mad::Lid from) {
  ClassKeyState& state = state_of(arrival, request);
  if (state.key == 0) return true;
  const auto shown =
      mad::get_field<std::uint64_t, mad::KeyedClassHeaderFields, "Key">(request.bytes());
  if (shown == state.key) {
    state.lease_runs = false;
    return true;
  }
  if (request.method() == Method::get && !state.is_protected) return true;
  if (state.violations != 0xFFFF) ++state.violations;
  start_class_lease(arrival, request);
  send_violation(arrival, request, from);
  return false;
}

Verdict serve_key_info(const Arrival& arrival, mad::MadView request, ClassKeyState& state) {
  using Fields = mad::ClassKeyInfoFields;
  static_cast<void>(arrival);
  const auto data = keyed_data(request);
  if (request.method() == Method::set) {
    state.key = mad::get_field<std::uint64_t, Fields, "Key">(data);
    state.is_protected = mad::get_field<bool, Fields, "ProtectBit">(data);
    state.lease_s = mad::get_field<std::uint16_t, Fields, "LeasePeriod">(data);
  }
  std::ranges::fill(data, std::uint8_t{0});
  mad::set_field<Fields, "Key">(data, state.key);
  mad::set_field<Fields, "ProtectBit">(data, state.is_protected);
  mad::set_field<Fields, "LeasePeriod">(data, state.lease_s);
  mad::set_field<Fields, "Violations">(data, state.violations);
  return status::kOk;
}

Verdict serve_keyed_class_port_info(mad::MadView request, ClassKeyState& state) {
  using Fields = mad::ClassPortInfoFields;
  const auto data = keyed_data(request);
  if (request.method() == Method::set)
    std::copy_n(data.begin() + Fields::kTrapByte, Fields::kBytes - Fields::kTrapByte,
                state.trap.begin() + Fields::kTrapByte);
  std::ranges::fill(data, std::uint8_t{0});
  std::ranges::copy(state.trap, data.begin());
  mad::set_field<Fields, "BaseVersion">(data, mad::kBaseVersion);
  mad::set_field<Fields, "ClassVersion">(data, request.class_version());
  mad::set_field<Fields, "CapabilityMask">(data, request.mgmt_class() == mad::MgmtClass::vendor_0a
                                                     ? mad::class_key_capability::kVendorSpecific
                                                     : std::uint16_t{0});
  return status::kOk;
}

}  // namespace

Verdict serve_keyed_class(const Arrival& arrival, mad::MadView request, mad::Lid from) {
  if (request.class_version() != mad::kKeyedClassVersion) return status::kBadVersion;
  if (!class_key_allows(arrival, request, from)) return std::nullopt;
  ClassKeyState& state = state_of(arrival, request);
  const auto attribute = static_cast<std::uint16_t>(request.attribute_id());
  if (attribute == static_cast<std::uint16_t>(KeyedClassAttribute::class_port_info))
    return serve_keyed_class_port_info(request, state);
  if (attribute == static_cast<std::uint16_t>(KeyedClassAttribute::key_info))
    return serve_key_info(arrival, request, state);
  return status::kMethodAttributeUnsupported;
}

}  // namespace sim
