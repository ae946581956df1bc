#pragma once
// Contents of the records of the socket protocol (sim/wire/ibsim_protocol.h).

#include <cstring>
#include <optional>

#include "mad/transport.h"
#include "sim/wire/ibsim_protocol.h"

namespace sim::server {

/// Replaces the data of a control record.
template <class T>
void put(wire::Control& record, const T& value) {
  static_assert(sizeof value <= sizeof record.data);
  record.data = {};
  std::memcpy(record.data.data(), &value, sizeof value);
}
/// As a program reads it: the prefix in network order, the GUID in host order.
void put_gid(wire::Control& record, mad::Gid gid);

/// The GRH of a packet that a program sends; nullopt: it has none.
std::optional<mad::GlobalRoute> grh_of(const wire::PacketRoute& route);
/// Returns the route that a program gets with a packet from that address.
wire::PacketRoute route_of(const mad::MadAddress& from);

}  // namespace sim::server
