#pragma once
// This file says when nothing may be written on trial to a fabric.

#include <boost/asio/awaitable.hpp>
#include <optional>
#include <string>

#include "fabric/namespace.h"
#include "fabric/recording/recording.h"
#include "mad/gmp_client.h"
#include "mad/smp_client.h"

namespace sm::ctl {

/// Names a subnet manager that runs on a port of the fabric (IsSM, and not NotActive), read now
/// from the recorded end ports; or says where one may run: at a device that does not answer, or
/// behind a switch port that was Down in the recording. nullopt if there is no manager.
boost::asio::awaitable<std::optional<std::string>> running_manager(mad::SmpClient& client,
                                                                   const Recording& recording);

/// Names a host that sends or receives data, by the counters of its switch port in two seconds; or
/// says why that cannot be read. nullopt: hosts without an Active link, and links at rest.
boost::asio::awaitable<std::optional<std::string>> traffic_of_hosts(mad::GmpClient& client,
                                                                    mad::Runtime& runtime,
                                                                    const Recording& recording);

/// Bounds what a link at rest carries in two seconds: ARP, subnet administration, keep-alives.
inline constexpr std::uint64_t kBytesAtRest = 262'144;

}  // namespace sm::ctl
