#pragma once
// A MASTER that did not run for some time writes nothing before it knows that it still is the only
// one.

#include <boost/asio/awaitable.hpp>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fabric/subnet.h"
#include "mad/runtime.h"
#include "mad/smp_client.h"

namespace sm {

/// A process that is stopped (SIGSTOP, a virtual machine that is suspended, a long computation)
/// does not answer SMInfo, and a standby may become MASTER. When it runs again, its Sets wait until
/// the SMInfo of the other managers and the own PortInfo were read. If another one is MASTER, they
/// fail, and so do all Sets until a survey that began later has shown that this manager leads.
class WriteGuard final : public mad::SetGuard {
 public:
  static constexpr mad::Duration kTick = std::chrono::milliseconds(250);
  /// No standby takes over sooner by default: two polls of 800 ms without a response.
  static constexpr mad::Duration kStall = std::chrono::milliseconds(1500);

  /// The mastership that the guard belongs to.
  class Owner {
   public:
    virtual ~Owner() = default;
    virtual bool is_master() const = 0;
    /// Another manager is MASTER, or may be: what was decided before counts no longer.
    virtual void demoted(std::string_view why) = 0;
    /// No other one is. `idle`: how much of the stall the process did not compute.
    virtual void confirmed(mad::Duration idle) = 0;
  };
  /// None of the references is owned.
  WriteGuard(mad::Runtime& runtime, mad::SmpClient& client, Owner& owner);
  ~WriteGuard() override;
  WriteGuard(const WriteGuard&) = delete;
  WriteGuard& operator=(const WriteGuard&) = delete;

  /// The other managers as SMInfo of them was read latest, and the own port.
  void know(const Fabric& fabric, std::span<const OtherSm> others);
  /// Get(PortInfo) of the own port; nothing before know().
  const std::optional<mad::SmpRequest>& own_port() const { return own_port_; }

  /// How often the process did not run: to be read when a survey begins, and passed to surveyed().
  unsigned stalls() const { return stalls_; }
  /// By a survey that began after `stalls` stalls this manager leads. False: it is too old.
  bool surveyed(unsigned stalls);
  /// Sets fail.
  bool is_closed() const { return state_ == State::closed; }

  mad::SetGuard::Verdict verdict() override;

 private:
  enum class State : std::uint8_t { open, checking, closed };
  struct Known {
    mad::SmpRequest read;  // Get(SMInfo)
    mad::Guid guid;
    std::string name;
  };
  void tick();
  void note_stall();
  boost::asio::awaitable<void> check(std::weak_ptr<const int> alive);

  mad::Runtime& runtime_;
  mad::SmpClient& client_;
  Owner& owner_;
  std::unique_ptr<mad::Timer> timer_;
  mad::TimePoint ran_;      // at the latest tick
  mad::Duration cpu_time_;  // then
  mad::Duration idle_{};    // of the latest stall
  State state_ = State::open;
  unsigned stalls_ = 0;
  std::vector<Known> others_;
  std::optional<mad::SmpRequest> own_port_;
  mad::Lid master_lid_;  // MasterSMLID of the own port by then
  std::shared_ptr<const int> alive_ = std::make_shared<const int>(0);  // check() outlives this
};

/// Whether PortInfo of a MASTER's own port shows that another one has programmed it. `before`: its
/// MasterSMLID when this manager surveyed. Pure.
bool names_another_master(const mad::PortInfo& own, mad::Lid before);

}  // namespace sm
