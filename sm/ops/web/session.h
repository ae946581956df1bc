#pragma once
// One connection of a client: requests one after another, each answered before the next is read.

#include <atomic>
#include <boost/asio/awaitable.hpp>
#include <memory>

#include "sm/ops/web/client_shares.h"
#include "sm/ops/web/connection.h"
#include "sm/ops/web/dispatcher.h"

namespace sm::web {

/// Sessions share this. Any thread.
struct SessionShare {
  explicit SessionShare(Dispatcher& what) : dispatcher(what), streams(what.limits().streams) {}
  Dispatcher& dispatcher;
  std::atomic<std::size_t> body_bytes = 0;    // of bodies that are being read and held
  std::atomic<std::size_t> answer_bytes = 0;  // of answers that are being sent
  ClientShares streams;                       // answers without a length
  std::atomic<bool> ends = false;             // no further request is read
};

/// Holds what the server knows of a connection: written by its session, read by any thread.
struct Activity {
  static constexpr Clock::rep kBusy = 0;
  /// Since when no request is read or answered (a head that is not complete is none); kBusy.
  std::atomic<Clock::rep> idle_since = Clock::now().time_since_epoch().count();
  std::atomic<bool> logged_in = false;  // at least once
};

/// Returns when the connection has ended. On the connection's executor.
boost::asio::awaitable<void> run_session(SessionShare& share, Connection& connection,
                                         Activity& activity, Peer peer);

}  // namespace sm::web
