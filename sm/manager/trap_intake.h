#pragma once
// TrapIntake processes traps from their arrival to the work that they request.

#include <spdlog/logger.h>

#include <compare>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "config/options.h"
#include "mad/attributes/notice.h"
#include "mad/backoff.h"
#include "mad/runtime.h"
#include "mad/smp.h"
#include "mad/transport.h"
#include "sm/conditions/condition_log.h"
#include "sm/manager/counted_sends.h"
#include "sm/manager/sweep_scheduler.h"
#include "sm/manager/trap_policy.h"
#include "sm/ops/manager_statistics.h"
#include "sm/sa/administrator.h"
#include "sm/sweep/sweeper.h"

namespace sm {

/// Identifies the source and the subject of a trap. Repeats have an equal key.
struct TrapKey {
  mad::Guid source;           // the end port that sent it; 0: one that is not in the subnet
  std::uint32_t number = 0;   // the trap number; for a vendor's notice its device id plus 1 << 16
  std::uint32_t subject = 0;  // traps 129 to 131: the port number; else 0
  auto operator<=>(const TrapKey&) const = default;

  static TrapKey of(mad::Guid source, const mad::Notice& notice);
};

/// Damps trap storms by (source port, trap number, subject), and by source port: repeats at
/// intervals of less than kPause are handled kHandledMax (of a source: kHandledOfSource) times,
/// then delayed. Memory is bounded by kRemembered entries; the oldest is dropped first.
class TrapDamper {
 public:
  enum class Action : std::uint8_t {
    handle,
    storm_begins,  // delayed, and to be reported
    delay,         // what the trap may be about is to be read within a second
  };
  struct Verdict {
    Action action = Action::handle;
    unsigned repeats = 1;  // this one included
  };
  Verdict admit(const TrapKey& key, mad::TimePoint now);

  static constexpr unsigned kHandledMax = 10, kHandledOfSource = 40;
  static constexpr mad::Duration kPause = std::chrono::seconds(5);
  static constexpr std::size_t kRemembered = 4096;

 private:
  struct Entry {
    TrapKey key;
    unsigned count = 0;
    mad::TimePoint last{};
  };
  unsigned count(const TrapKey& key, mad::TimePoint now);

  std::list<Entry> entries_;  // the latest first
  std::map<TrapKey, std::list<Entry>::iterator> index_;
};

/// Keeps traps that arrive while tables are written: until a sweep has ended, it is not known which
/// traps the sweep itself caused. Repeats of a trap are kept once.
class TrapQueue {
 public:
  static constexpr std::size_t kHeldMax = 4096;
  struct Trap {
    mad::Notice notice;
    mad::Lid issuer;
    mad::TimePoint arrival;  // of the first of its repeats
  };

  bool is_holding() const { return holding_; }
  void hold() { holding_ = true; }
  /// Keeps a trap while holding. Returns false if kHeldMax different traps are held already.
  bool keep(const mad::Notice& notice, mad::Lid issuer, mad::TimePoint arrival) {
    const TrapKey key = TrapKey::of(mad::Guid{issuer.value}, notice);
    if (const auto same = held_.find(key); same != held_.end()) {
      same->second.notice = notice;
      return true;
    }
    if (held_.size() >= kHeldMax) return false;
    held_.emplace(key, Trap{notice, issuer, arrival});
    return true;
  }
  /// Ends holding, and returns the kept traps in the order of their issuers.
  std::vector<Trap> release() {
    holding_ = false;
    std::vector<Trap> traps;
    traps.reserve(held_.size());
    for (const auto& [key, trap] : std::exchange(held_, {})) traps.push_back(trap);
    return traps;
  }

 private:
  bool holding_ = false;
  std::map<TrapKey, Trap> held_;
};

/// Limits log lines about traps: at most kLines in kWindow.
class TrapLines {
 public:
  static constexpr unsigned kLines = 20;
  static constexpr mad::Duration kWindow = std::chrono::seconds(10);

  /// Returns how many lines were left out before this one; nullopt leaves this one out, too.
  std::optional<unsigned> admit(mad::TimePoint now) {
    if (now >= window_end_) {
      window_end_ = now + kWindow;
      lines_ = 0;
    }
    if (++lines_ > kLines) {
      ++left_out_;
      return std::nullopt;
    }
    return std::exchange(left_out_, 0);
  }

 private:
  mad::TimePoint window_end_{};
  unsigned lines_ = 0, left_out_ = 0;
};

/// Describes what the manager is doing when a trap arrives.
struct TrapSituation {
  bool leads = false;
  const config::Options& options;
  mad::TimePoint surveyed;  // end of the latest sweep whose survey cleared PortStateChange before
                            // it read the ports
};

/// Takes traps in and makes one decision for each. A trap is refused, kept until the sweep under
/// way has ended, or only logged; or it requests work of the scheduler: at once or, if a port sends
/// more traps than are handled, within a second. TrapDamper bounds the effect of one port,
/// TrapQueue the kept traps, TrapLines the log, and VPortPace (SweepScheduler) the work on vports.
class TrapIntake {
 public:
  /// Traps of one event arrive within this time, even if the first one is lost: an agent repeats it
  /// after its SubnetTimeOut, 1.07 s by default.
  static constexpr mad::Duration kSameEvent = std::chrono::seconds(3);

  /// Owns none of the references.
  TrapIntake(mad::Runtime& runtime, spdlog::logger& log, ConditionLog& conditions, Sweeper& sweeper,
             sa::Administrator& administrator, SweepScheduler& scheduler, CountedSends& sends,
             TrapCounts& counts)
      : runtime_(runtime),
        log_(log),
        conditions_(conditions),
        sweeper_(sweeper),
        administrator_(administrator),
        scheduler_(scheduler),
        sends_(sends),
        counts_(counts),
        storm_timer_(runtime.make_timer([this] { end_storms(); })) {}

  /// Receives a trap: answers it with TrapRepress, counts it, and takes it in, as take() does.
  bool receive(const mad::ReceivedMad& received, mad::ConstSmpView smp,
               const TrapSituation& situation);
  /// Takes a trap in. `issuer` is the LID that sent it, by the link header, or 0 if it is not
  /// known. Returns whether the scheduler has a new request.
  bool take(const mad::Notice& notice, mad::Lid issuer, const TrapSituation& situation);
  /// Keeps traps from now on: the traps that a sweep itself causes are known when it has ended.
  void hold() { queue_.hold(); }
  /// Decides the kept traps after the sweep. Returns true if the scheduler has a new request.
  bool release(const TrapSituation& situation);

 private:
  enum class Action : std::uint8_t {
    ignore,
    refuse,
    note_violation,  // of an M_Key, P_Key or Q_Key; P_Key tables are read back
    log,             // sweep_on_trap is off
    keep,            // until the sweep has ended
    vports,          // the port's vports are programmed
    handle,          // what TrapEffect says
    check,           // the state of the port's node is read, later
  };
  struct Trap {
    const mad::Notice& notice;
    mad::Lid issuer;
    std::shared_ptr<const Subnet> subnet;  // null: not known yet
    std::optional<PortIndex> port;         // that sent it, if the subnet has it
    TrapEffect effect;
    TrapDamper::Verdict verdict;

    bool is_handled() const { return verdict.action == TrapDamper::Action::handle; }
    const Node& node() const { return subnet->fabric.owning_node(*port); }
  };
  std::optional<PortIndex> find_port(mad::Lid lid) const;
  mad::Lid issuer_of(const mad::ReceivedMad& received, mad::ConstSmpView smp) const;
  void repress(const mad::ReceivedMad& received, std::optional<PortIndex> port);
  Trap identify(const mad::Notice& notice, mad::Lid issuer) const;
  Action decide(const Trap& trap, const TrapSituation& situation) const;
  bool carry_out(Action action, const Trap& trap, const TrapSituation& situation);
  bool keep(const Trap& trap);
  bool handle(const Trap& trap, const TrapSituation& situation);
  bool request_vports(const Trap& trap);
  bool check_later(const Trap& trap, const TrapSituation& situation);
  bool request_unknown(const Trap& trap);
  bool check_p_keys(const Trap& trap, const TrapSituation& situation);
  bool request_disabling(const Trap& trap, const TrapSituation& situation);
  bool leave_to_light_sweep(const Trap& trap, const TrapSituation& situation);
  void report_refusal(const Trap& trap);
  void note_storm(const Trap& trap);
  void end_storms();
  void report_storms();
  bool is_own(const Trap& trap, const mad::BadMKeyNotice& violation,
              std::optional<PortIndex> source, const TrapSituation& situation) const;
  void note_violation(const Trap& trap, const TrapSituation& situation);
  void log(const Trap& trap);
  void log_line(const Trap& trap, const std::string& line);
  static std::string port_name(const Trap& trap);

  mad::Runtime& runtime_;
  spdlog::logger& log_;
  ConditionLog& conditions_;
  Sweeper& sweeper_;
  sa::Administrator& administrator_;
  SweepScheduler& scheduler_;
  CountedSends& sends_;
  TrapCounts& counts_;

  /// A port that repeats a trap too often, until it pauses.
  struct Storm {
    Condition condition;
    mad::TimePoint last;  // of the traps that were not handled
  };
  TrapDamper damper_;
  std::map<mad::Guid, Storm> storms_;  // by the port that sends; 0: ports that are not known
  std::unique_ptr<mad::Timer> storm_timer_;
  TrapQueue queue_;
  TrapLines lines_;
  mad::Retry unknown_managers_{std::chrono::seconds(10), std::chrono::minutes(5)};
};

}  // namespace sm
