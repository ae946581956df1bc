#pragma once
// The base of managers that exchange MADs with agents beside the sweeps.

#include <spdlog/logger.h>

#include <boost/asio/awaitable.hpp>
#include <functional>
#include <memory>

#include "fabric/subnet.h"
#include "mad/gmp_client.h"
#include "sm/conditions/condition_log.h"
#include "sm/context/sweep_context.h"

namespace sm {

/// Runs rounds of requests between begin() and end(), while they are enabled and this manager is
/// MASTER. All on the runtime's thread.
class AgentLoop {
 public:
  /// The subnet manager publishes it.
  struct Published {
    /// The latest one; null unless this manager is MASTER.
    std::function<std::shared_ptr<const Subnet>()> subnet;
    std::function<SharedContext()> context;
  };
  /// None of the references is owned.
  AgentLoop(mad::Runtime& runtime, mad::MadTransport& transport, spdlog::logger& log,
            ConditionLog& conditions, Published published);
  AgentLoop(const AgentLoop&) = delete;
  AgentLoop& operator=(const AgentLoop&) = delete;
  virtual ~AgentLoop() = default;

  /// Starts, until end(). Options are read again for each round.
  void begin();
  /// Returns when nothing is under way any more.
  boost::asio::awaitable<void> end();
  /// A subnet was published, a sweep has ended, or the state of the manager or its options changed.
  void wake();
  /// Receives a MAD of the management class. False: it belongs to no request.
  bool on_mad(const mad::ReceivedMad& received) { return client_.on_mad(received); }

 protected:
  virtual bool is_enabled(const config::Options& options) const = 0;
  /// A round, or a wait for the next one.
  virtual boost::asio::awaitable<void> step() = 0;
  /// Takes back results and conditions: they are not wanted now. May be called again.
  virtual void withdraw() = 0;
  /// After withdraw(), between two steps: what is known becomes stale from now on.
  virtual void forget() = 0;

  bool is_wanted() const;
  std::shared_ptr<const Subnet> subnet_if_wanted() const {
    return is_wanted() ? latest_subnet() : nullptr;
  }
  SharedContext latest_context() const { return published_.context(); }
  std::shared_ptr<const Subnet> latest_subnet() const { return published_.subnet(); }

  mad::Runtime& runtime_;
  spdlog::logger& log_;
  ConditionLog& conditions_;
  mad::GmpClient client_;
  mad::WakeUp wake_;
  bool stopping_ = false;
  bool woken_ = false;  // since the step began

 private:
  boost::asio::awaitable<void> run();

  Published published_;
  mad::WakeUp ended_;
  bool running_ = false;
};

}  // namespace sm
