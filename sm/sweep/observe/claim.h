#pragma once
// The first writes of a manager that has just become master: PortStateChange of the switches that
// it surveyed before it was allowed to write.

#include <boost/asio/awaitable.hpp>

#include "mad/smp_client.h"
#include "sm/sweep/observe/discovery.h"

namespace sm {

/// Clears PortStateChange of every switch that raised it, before anything else is written: what
/// changes from here on raises it again, and the next light sweep sees that. What a switch says now
/// is taken into the fabric. One that shows other tables (it was restarted, or another manager
/// wrote to it) is added to Survey::unread; so is one where another node, none, or other hardware
/// answers, of which nothing else is taken or cleared. Cost: two Gets and one Set for each of these
/// switches.
boost::asio::awaitable<void> claim_switches(mad::SmpClient& client, Survey& survey);

}  // namespace sm
