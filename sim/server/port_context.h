#pragma once
// Attributes that a client reads of its end port by control records.

#include "sim/wire/ibsim_protocol.h"
#include "sim/world/model.h"

namespace sim::server {

/// Fills in the answer of a control record. False if there is none.
bool answer_from_port_context(const Model& model, PortIndex at, wire::Control& record);

}  // namespace sim::server
