#pragma once

#include <boost/asio/awaitable.hpp>
#include <memory>
#include <vector>

#include "fabric/subnet.h"
#include "mad/smp_client.h"
#include "sm/sweep/observe/audit.h"

namespace sm {

struct AuditAnswer {
  AuditItem item;
  mad::SmpAnswer answer;
};

/// Reads these attributes, several at a time as the client's limits allow. Returns the answers in
/// the order of the items; an item to whose port no route leads has none.
boost::asio::awaitable<std::vector<AuditAnswer>> read_audit_items(
    mad::SmpClient& client, std::shared_ptr<const Subnet> subnet, std::vector<AuditItem> items);

}  // namespace sm
