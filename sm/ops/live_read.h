#pragma once
// Reads present attributes from one node, for `heddlectl show`. Sends SubnGet only, by the
// manager's own window, routes and M_Keys.

#include <boost/asio/awaitable.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "fabric/subnet.h"
#include "mad/smp_client.h"

namespace sm {

struct LiveReadRequest {
  std::string_view list;  // of mad::attribute_lists()
  std::string node;       // as of find_node()
};

/// Returns one JSON object: node_guid, description, node_type, lid, port (the given number, else
/// 0), attributes[] (attribute, modifier, data: 64 bytes in hexadecimal). M_Key is shown as 0. An
/// optional attribute that the node rejects, or does not answer, has "error" instead of data:
/// firmware without it does so. `subnet` gives the number of blocks; null means that
/// nothing was read yet. Errors, as text: there is no such node or port; the first request that
/// failed.
boost::asio::awaitable<tl::expected<nlohmann::json, std::string>> read_attributes(
    mad::SmpClient& client, std::shared_ptr<const Subnet> subnet, LiveReadRequest what);

}  // namespace sm
