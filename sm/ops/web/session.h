#pragma once
// One connection of a client: requests one after another, each answered before the next is read.

#include <atomic>
#include <boost/asio/awaitable.hpp>
#include <memory>
#include <string>

#include "sm/ops/web/client_shares.h"
#include "sm/ops/web/connection.h"
#include "sm/ops/web/dispatcher.h"
#include "sm/ops/web/exchange.h"

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

struct Framing {
  bool keep_alive = true;
  bool chunked = false;    // of an answer without a length; HTTP/1.0 has it until the end
  bool has_length = true;  // Content-Length is sent
};

/// Status line and headers with the empty line behind them: those of the response, Date, Server,
/// length or coding, and those that keep browsers from guessing and from loading things from
/// elsewhere. A header with a control character is left out: it would begin another one.
std::string response_head(const Response& response, Framing framing);

}  // namespace sm::web
