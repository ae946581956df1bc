#pragma once
// WriteGuard holds back the Sets of a MASTER that did not run for some time, until it knows that it
// still is the only one.

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

/// A process that is stopped (SIGSTOP, a suspended virtual machine, a long computation) does not
/// answer SMInfo, and a standby may become MASTER. When it runs again, its Sets wait until the
/// SMInfo of the other managers and the own PortInfo were read. If another one is MASTER, all Sets
/// fail until a survey that began later has shown that this manager leads.
class WriteGuard final : public mad::SetGuard {
 public:
  static constexpr mad::Duration kTick = std::chrono::milliseconds(250);
  /// By default no standby takes over sooner: two polls of 800 ms must fail.
  static constexpr mad::Duration kStall = std::chrono::milliseconds(1500);

  /// The mastership that the guard belongs to.
  class Owner {
   public:
    virtual ~Owner() = default;
    virtual bool is_master() const = 0;
    /// Called after each stall: another manager may have been MASTER until now.
    virtual void stalled() = 0;
    /// Called if another manager is MASTER, or may be: earlier decisions are invalid.
    virtual void demoted(std::string_view why) = 0;
    /// Called if no other manager is MASTER. `idle` is the stall without computing time.
    virtual void confirmed(mad::Duration idle) = 0;
  };
  /// Owns none of the references.
  WriteGuard(mad::Runtime& runtime, mad::SmpClient& client, Owner& owner);
  ~WriteGuard() override;
  WriteGuard(const WriteGuard&) = delete;
  WriteGuard& operator=(const WriteGuard&) = delete;

  /// Takes the other managers by their latest SMInfo, and the own port.
  void know(const Fabric& fabric, std::span<const OtherSm> others);
  /// Returns the Get(PortInfo) of the own port; nullopt before know().
  const std::optional<mad::SmpRequest>& own_port() const { return own_port_; }

  /// Counts stalls: read when a survey begins, and passed to surveyed().
  unsigned stalls() const { return stalls_; }
  /// A survey that began after `stalls` stalls shows that this manager leads. Returns false if a
  /// later stall has made the survey too old.
  bool surveyed(unsigned stalls);
  /// True if Sets fail.
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

/// Returns whether PortInfo of a MASTER's own port shows that another manager has programmed it.
/// `before` is its MasterSMLID when this manager surveyed. Pure.
bool names_another_master(const mad::PortInfo& own, mad::Lid before);

}  // namespace sm
