#pragma once
// This file has the base of managers that exchange MADs with agents independently of the sweeps.

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
  /// Holds what the subnet manager publishes.
  struct Published {
    /// Returns the latest subnet; null unless this manager is MASTER.
    std::function<std::shared_ptr<const Subnet>()> subnet;
    std::function<SharedContext()> context;
  };
  /// The loop owns none of the references.
  AgentLoop(mad::Runtime& runtime, mad::MadTransport& transport, spdlog::logger& log,
            ConditionLog& conditions, Published published);
  AgentLoop(const AgentLoop&) = delete;
  AgentLoop& operator=(const AgentLoop&) = delete;
  virtual ~AgentLoop() = default;

  /// Starts rounds, which run until end(). Each round reads the options again.
  void begin();
  /// Stops rounds, and returns when the last one has ended.
  boost::asio::awaitable<void> end();
  /// Wakes the loop: a subnet was published, a sweep has ended, or the state of the manager or its
  /// options changed.
  void wake();
  /// Receives a MAD of the management class. Returns false if it belongs to no request.
  bool on_mad(const mad::ReceivedMad& received) { return client_.on_mad(received); }

 protected:
  virtual bool is_enabled(const config::Options& options) const = 0;
  /// Runs a round, or waits for the next one.
  virtual boost::asio::awaitable<void> step() = 0;
  /// Withdraws results and conditions, which do not apply now. May be called again.
  virtual void withdraw() = 0;
  /// Marks everything that is known as stale from now on; called after withdraw(), between two
  /// steps.
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
