#pragma once
// The data and commands of the API, as functions that its composer passes in. Each may be called on
// any thread of the server; functions that need the control thread switch to it and back.

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "sm/ops/live_read.h"
#include "sm/ops/operator_commands.h"
#include "sm/ops/view.h"
#include "sm/ops/web/exchange.h"
#include "sm/sa/registrations/groups.h"
#include "sm/sa/registrations/services.h"

namespace sm::api {

/// A command with its arguments.
using CommandCall = std::function<OperatorCommands::Done(OperatorCommands& commands)>;

template <class Value>
using Asked = std::function<boost::asio::awaitable<Value>()>;

struct Sources {
  Views views;
  /// Returns the group with its members; nullopt if there is no such group.
  std::function<boost::asio::awaitable<std::optional<sa::Group>>(mad::Gid mgid)> group;
  /// Returns, by MGID, the JoinState bits of the members with this GUID in their PortGIDs.
  std::function<boost::asio::awaitable<std::map<mad::Gid, std::uint8_t>>(mad::Guid guid)>
      join_states;
  Asked<std::vector<sa::Service>> services;
  /// Returns groups as routing has them; if empty, plans do not change multicast tables.
  std::function<boost::asio::awaitable<std::vector<routing::MulticastGroup>>(
      std::shared_ptr<const Subnet> subnet)>
      routed_groups = {};

  /// Makes the call on the control thread. Returns when what it ordered is in force, or after some
  /// seconds (OrderProgress says which). Errors: the reason why the command is not carried out.
  std::function<boost::asio::awaitable<OperatorCommands::Done>(CommandCall call)> command = {};
  /// Acts as read_attributes().
  std::function<boost::asio::awaitable<tl::expected<nlohmann::json, std::string>>(
      LiveReadRequest what)>
      attributes = {};

  /// Identifies this start of the daemon in identifiers of snapshots and events; no earlier start
  /// had it.
  std::string start;
  std::function<std::chrono::system_clock::time_point()> wall_clock = [] {
    return std::chrono::system_clock::now();
  };
};

}  // namespace sm::api
