#pragma once
// Requests of the management classes that have keys, as a program on a host makes them.

#include <cstdint>

#include "mad/attributes/class_port_info.h"
#include "mad/attributes/keyed_class.h"
#include "sim/world/world.h"

namespace laboratory {

inline constexpr mad::MgmtClass kKeyedClasses[] = {mad::MgmtClass::vendor_0a,
                                                   mad::MgmtClass::node_to_node};

inline mad::MadBytes class_key_request(mad::MgmtClass mgmt_class, mad::Method method,
                                       mad::KeyedClassAttribute attribute, std::uint64_t key,
                                       std::uint64_t transaction) {
  mad::MadBytes bytes{};
  mad::MadView request{std::span<std::uint8_t, mad::kMadSizeBytes>(bytes)};
  request.set_base_version(mad::kBaseVersion);
  request.set_mgmt_class(mgmt_class);
  request.set_class_version(mad::kKeyedClassVersion);
  request.set_method(method);
  request.set_attribute_id(static_cast<mad::AttributeId>(static_cast<std::uint16_t>(attribute)));
  request.set_transaction_id(transaction);
  mad::set_field<mad::KeyedClassHeaderFields, "Key">(request.bytes(), key);
  return bytes;
}

/// Set(KeyInfo) with `key` in the header, that gives the device `next` without protection.
inline mad::MadBytes set_class_key(mad::MgmtClass mgmt_class, std::uint64_t key, std::uint64_t next,
                                   std::uint64_t transaction) {
  mad::MadBytes bytes = class_key_request(mgmt_class, mad::Method::set,
                                          mad::KeyedClassAttribute::key_info, key, transaction);
  mad::set_field<mad::ClassKeyInfoFields, "Key">(
      std::span(bytes).subspan<mad::kKeyedClassDataByte, mad::kGmpDataBytes>(), next);
  return bytes;
}

inline void send_to_agent(sim::Attachment& from, const mad::MadBytes& bytes, mad::Lid to) {
  from.send(bytes, {.lid = to, .qpn = 1, .qkey = mad::kQp1QKey}, 0);
}

}  // namespace laboratory
