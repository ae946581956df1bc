#pragma once
// The class key manager: keeps the keys of management classes at devices beside the sweeps, while
// its subnet manager is MASTER.

#include <spdlog/logger.h>

#include <boost/asio/awaitable.hpp>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "mad/gmp_client.h"
#include "sm/conditions/condition_log.h"
#include "sm/context/sweep_context.h"
#include "sm/keys/class_keys.h"
#include "sm/keys/key_round.h"

namespace sm {

/// One class, for operators.
struct ClassKeyStatus {
  std::string_view name, option;
  std::uint8_t mgmt_class = 0;
  ClassKeyMode mode = ClassKeyMode::leave;
  std::size_t keyed = 0, absent = 0, rejected = 0, silent = 0, open = 0;  // end ports
  std::uint64_t violations = 0;  // traps and counters, since the start
};

/// All on the runtime's thread. Memory: some 100 bytes a port and class.
class ClassKeyManager {
 public:
  struct Hooks {
    /// As it was published latest; null unless this manager is MASTER.
    std::function<std::shared_ptr<const Subnet>()> subnet;
    std::function<SharedContext()> context;
    /// By which keys are derived; it is on disk.
    std::function<KeyVersion()> version;
  };
  /// Devices that did not answer are queried again after this time.
  static constexpr mad::Duration kRetry = std::chrono::seconds(10);
  /// A request with the key is sent to each device in this part of the lease period.
  static constexpr int kLeaseShare = 3;
  static constexpr mad::Duration kRefreshMin = std::chrono::seconds(2);

  ClassKeyManager(mad::Runtime& runtime, mad::MadTransport& transport, spdlog::logger& log,
                  ConditionLog& conditions, Hooks hooks);
  ClassKeyManager(const ClassKeyManager&) = delete;
  ClassKeyManager& operator=(const ClassKeyManager&) = delete;

  /// Starts the loop, until end().
  void begin();
  /// Returns when nothing is under way any more.
  boost::asio::awaitable<void> end();
  /// A subnet was published, or the state of the manager, its options or the version changed.
  void wake();
  /// End ports in state Init have restarted, or were absent.
  void note_ports(const Fabric& fabric);
  /// Receives a MAD of these classes: a response, or a trap.
  void on_mad(const mad::ReceivedMad& received);

  std::vector<ClassKeyStatus> status() const;

 private:
  struct Class {
    ClassKeys keys;
    mad::TimePoint due{};            // of the next round
    std::set<mad::Guid> reported{};  // by traps since the latest round: their counters have grown
    std::uint64_t violations = 0;
  };

  boost::asio::awaitable<void> run();
  boost::asio::awaitable<void> round(Class& its);
  void configure();
  bool is_wanted() const;
  std::shared_ptr<const Subnet> subnet_if_wanted() const;
  std::vector<mad::Guid> ports_due(Class& its, const Subnet& subnet) const;
  void update_devices(Class& its, const Subnet& subnet) const;
  mad::Duration refresh_interval(const Class& its) const;
  void report(Class& its, const KeyRound& round, const Subnet& subnet);
  void report_silent();
  void save(Class& its);
  void on_trap(const mad::ReceivedMad& received);

  mad::Runtime& runtime_;
  mad::MadTransport& transport_;
  spdlog::logger& log_;
  ConditionLog& conditions_;
  Hooks hooks_;
  mad::GmpClient client_;
  mad::WakeUp wake_, ended_;
  std::deque<Class> classes_;
  SharedContext configured_;
  KeyVersion version_;
  std::shared_ptr<const Subnet> seen_;  // the latest subnet whose devices are known
  bool running_ = false, stopping_ = false;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace sm
