#pragma once
// Attributes that a client reads of its end port by control records, and that the driver of a
// function reads of its own vport: not by SMPs, which a function cannot send, but from its
// firmware. Programs get those as attributes of the function's only port.

#include <cstring>
#include <optional>

#include "mad/attributes/node_info.h"
#include "mad/attributes/port_info.h"
#include "mad/smp.h"
#include "mad/transport.h"
#include "sim/wire/ibsim_protocol.h"
#include "sim/world/model.h"

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

/// Fills in the answer of a control record. False if there is none.
bool answer_from_port_context(const Model& model, PortIndex at, wire::Control& record);

// Precondition: the port has the vport.
mad::NodeInfo vport_node_info(const Model& model, PortIndex port, std::uint16_t index);
/// State, LID and capabilities are the vport's, the rest is the physical port's.
mad::PortInfo vport_port_info(const Model& model, PortIndex port, std::uint16_t index);

/// Writes the answer to a Get of NodeInfo, NodeDescription, PortInfo, P_KeyTable or GUIDInfo over
/// the request. Others, and those about a vport that is gone, get a status.
void answer_from_vport_context(const Model& model, PortIndex port, std::uint16_t index,
                               mad::SmpView smp);

/// Fills in the answer of a control record of a client on the vport. False if there is none.
bool answer_from_vport_context(const Model& model, PortIndex port, std::uint16_t index,
                               wire::Control& record);

}  // namespace sim::server
