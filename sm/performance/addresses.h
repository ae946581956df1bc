#pragma once
// Where queries about performance go.

#include <optional>
#include <string>

#include <tl/expected.hpp>

#include "fabric/subnet.h"
#include "mad/attributes/performance.h"
#include "mad/transport.h"

namespace sm {

/// Of the general service interface at the end port of `port` (of a switch: port 0). nullopt: it
/// has no LID. `requested`: the SL, as far as the routing leaves it free.
std::optional<mad::MadAddress> agent_address(const Subnet& subnet, PortIndex port,
                                             mad::Sl requested);

/// Whether a ClassPortInfo names another agent than the one at `current`.
bool redirects_from(const mad::MadAddress& current,
                    std::span<const std::uint8_t, mad::kGmpDataBytes> class_port_info);

/// The agent that a ClassPortInfo redirects to. Errors: why no query can go there; one part of a
/// sentence. Source: IBTA Vol 1, 13.4.8.1 and 13.5.2.
tl::expected<mad::MadAddress, std::string> redirect_target(
    const Subnet& subnet, std::span<const std::uint8_t, mad::kGmpDataBytes> class_port_info);

}  // namespace sm
