#pragma once
// The class key manager maintains the keys of management classes at devices, independently of the
// sweeps, while its subnet manager is MASTER.

#include <boost/asio/awaitable.hpp>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "sm/agents/agent_loop.h"
#include "sm/keys/class_keys.h"
#include "sm/keys/key_round.h"

namespace sm {

/// Describes one class, for operators.
struct ClassKeyStatus {
  std::string_view name, option;
  std::uint8_t mgmt_class = 0;
  ClassKeyMode mode = ClassKeyMode::leave;
  std::size_t keyed = 0, absent = 0, rejected = 0, silent = 0, open = 0;  // end ports
  std::uint64_t violations = 0;  // traps and counters, since the start
};

/// Memory: some 100 bytes a port and class.
class ClassKeyManager final : public AgentLoop {
 public:
  /// After this time the manager queries a device again that did not answer.
  static constexpr mad::Duration kRetry = std::chrono::seconds(10);
  /// Each device gets a request with the key once in this part of the lease period.
  static constexpr int kLeaseShare = 3;
  static constexpr mad::Duration kRefreshMin = std::chrono::seconds(2);

  ClassKeyManager(Surroundings surroundings, std::function<KeyVersion()> version);

  void note_ports(const Fabric& fabric) override;
  bool receives(mad::MgmtClass mgmt_class) const override;
  /// Receives a response, or a trap.
  void on_mad(const mad::ReceivedMad& received) override;

  std::vector<ClassKeyStatus> status() const;

 private:
  struct Class {
    ClassKeys keys;
    mad::TimePoint due{};            // of the next round
    std::set<mad::Guid> reported{};  // by traps since the latest round: their counters have grown
    std::uint64_t violations = 0;
  };

  bool is_enabled(const config::Options& options) const override;
  boost::asio::awaitable<void> step() override;
  void withdraw() override;
  void forget() override { seen_ = nullptr; }
  boost::asio::awaitable<void> round(Class& its);
  void configure();
  std::vector<mad::Guid> ports_due(Class& its, const Subnet& subnet) const;
  void update_devices(Class& its, const Subnet& subnet) const;
  mad::Duration refresh_interval(const Class& its) const;
  void report(Class& its, const KeyRound& round, const Subnet& subnet);
  void report_silent();
  void save(Class& its);
  void on_trap(const mad::ReceivedMad& received);

  std::function<KeyVersion()> stored_version_;  // by which keys are derived; it is on disk
  std::deque<Class> classes_;
  SharedContext configured_;
  KeyVersion version_;
  std::shared_ptr<const Subnet> seen_;  // the latest subnet whose devices are known
};

}  // namespace sm
