#pragma once
// One connection of a client: requests one after another, each answered before the next is read.

#include <atomic>
#include <boost/asio/awaitable.hpp>
#include <memory>

#include "sm/ops/web/connection.h"
#include "sm/ops/web/dispatcher.h"

namespace sm::web {

/// What sessions share. Any thread.
struct SessionShare {
  explicit SessionShare(Dispatcher& what) : dispatcher(what) {}
  Dispatcher& dispatcher;
  std::atomic<std::size_t> body_bytes = 0;  // of bodies that are being read and held
  std::atomic<std::size_t> streams = 0;     // answers without a length
  std::atomic<bool> ends = false;           // no further request is read
};

/// Returns when the connection has ended. On the connection's executor.
boost::asio::awaitable<void> run_session(SessionShare& share, Connection& connection, Peer peer);

}  // namespace sm::web
