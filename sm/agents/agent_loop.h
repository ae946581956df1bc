#pragma once
// This file has the base of managers that exchange MADs with agents independently of the sweeps.

#include <spdlog/logger.h>

#include <boost/asio/awaitable.hpp>
#include <functional>
#include <memory>
#include <string>

#include "fabric/subnet.h"
#include "mad/gmp_client.h"
#include "sm/conditions/condition_log.h"
#include "sm/context/sweep_context.h"

namespace sm {

/// Runs rounds of requests between begin() and end(), while they are enabled and this manager is
/// MASTER. All on the runtime's thread.
class AgentLoop {
 public:
  /// Holds what the loop uses of the subnet manager. The loop does not own these objects.
  struct Surroundings {
    mad::Runtime& runtime;
    mad::MadTransport& transport;
    spdlog::logger& log;
    ConditionLog& conditions;
    /// Returns the latest subnet; null unless this manager is MASTER.
    std::function<std::shared_ptr<const Subnet>()> subnet;
    std::function<SharedContext()> context;
  };
  explicit AgentLoop(Surroundings surroundings);
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
  /// Makes a round without begin(), if a manager that ends after its first sweep makes one.
  virtual boost::asio::awaitable<void> run_once();
  /// A sweep calls this for the ports that it has found, before it makes them Active. Ports in
  /// state Init have restarted, or were absent.
  virtual void note_ports(const Fabric& /*fabric*/) {}
  /// True if MADs of this management class belong to this loop.
  virtual bool receives(mad::MgmtClass mgmt_class) const = 0;
  /// Receives a MAD of such a class.
  virtual void on_mad(const mad::ReceivedMad& received) { client_.on_mad(received); }

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
  SharedContext latest_context() const { return context_(); }
  std::shared_ptr<const Subnet> latest_subnet() const { return subnet_(); }
  /// Runs `work` outside the runtime's thread, then passes its result to `done`, unless the loop
  /// was destroyed. The result says why the work failed; "" if it did not.
  void run_aside(std::function<std::string()> work, std::function<void(const std::string&)> done);

  mad::Runtime& runtime_;
  mad::MadTransport& transport_;
  spdlog::logger& log_;
  ConditionLog& conditions_;
  mad::GmpClient client_;
  mad::WakeUp wake_;
  bool stopping_ = false;
  bool woken_ = false;  // since the step began

 private:
  boost::asio::awaitable<void> run();

  std::function<std::shared_ptr<const Subnet>()> subnet_;
  std::function<SharedContext()> context_;
  mad::WakeUp ended_;
  bool running_ = false;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace sm
