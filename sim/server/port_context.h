#pragma once
// Attributes that a client reads of its end port by control records, and that the driver of a
// function reads of its own vport: not by SMPs, which a function cannot send, but from its
// firmware. Programs get those as attributes of the function's only port.

#include "mad/attributes/node_info.h"
#include "mad/attributes/port_info.h"
#include "mad/smp.h"
#include "sim/wire/ibsim_protocol.h"
#include "sim/world/model.h"

namespace sim::server {

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
