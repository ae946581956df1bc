#pragma once
// This file has the addresses of agents on queue pair 1.

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include <tl/expected.hpp>

#include "fabric/subnet.h"
#include "mad/attributes/performance.h"
#include "mad/transport.h"

namespace sm {

/// Returns the address of the general service interface at the end port of `port` (of a switch:
/// port 0). nullopt: it has no LID. `requested`: the SL, as far as the routing leaves it free.
std::optional<mad::MadAddress> agent_address(const Subnet& subnet, PortIndex port,
                                             mad::Sl requested);

/// Returns whether a ClassPortInfo names another agent than the one at `current`.
bool redirects_from(const mad::MadAddress& current,
                    std::span<const std::uint8_t, mad::kGmpDataBytes> class_port_info);

/// To which nodes an agent may redirect queries.
enum class RedirectScope : std::uint8_t { same_node, any_node };
/// The agent that a ClassPortInfo of `node` redirects to. Errors: why no query goes there; one part
/// of a sentence. Source: IBTA Vol 1, 13.4.8.1 and 13.5.2.
tl::expected<mad::MadAddress, std::string> redirect_target(
    const Subnet& subnet, NodeIndex node, RedirectScope scope,
    std::span<const std::uint8_t, mad::kGmpDataBytes> class_port_info);

}  // namespace sm
