#pragma once
// This file remembers ports whose links are lost repeatedly, or have errors.

#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "config/health_files.h"
#include "config/options.h"
#include "fabric/fabric.h"
#include "fabric/touched.h"
#include "mad/ids.h"
#include "mad/runtime.h"

namespace sm {

/// Identifies a port by values that are equal in all surveys.
struct PortPlace {
  mad::Guid node;  // NodeGUID
  mad::PortNum port = {};
  auto operator<=>(const PortPlace&) const = default;
};
PortPlace port_place(const Fabric& fabric, PortIndex port);
/// Returns kNoIndex if the fabric does not have the port.
PortIndex find_place(const Fabric& fabric, const PortPlace& place);

/// Holds the values of the options that begin with hm_.
struct HealthSettings {
  config::HealthAction sw_flapping{}, ca_flapping{}, sw_noisy{}, ca_noisy{}, sw_manual{},
      ca_manual{};
  std::size_t losses = 5;         // from so many on ...
  mad::Duration window{};         // ... within this time a link flaps
  mad::Duration release_after{};  // of quiet; 0: only by an order
};
/// Returns the settings; with sweep_interval 0, an interval counts as 10 s.
HealthSettings health_settings(const config::Options& options);

/// Holds an operator's order to keep a link out of use.
struct IsolationOrder {
  std::string by = {}, reason = {};  // may be empty
  mad::TimePoint since{};
  std::optional<mad::TimePoint> until = {};  // nothing: until it is released
  bool operator==(const IsolationOrder&) const = default;
};

/// Counts losses of links and derives the state of each port. A value: a plan is made on a copy.
/// Hosts or switches cannot make its memory grow beyond a bound: kPortsMax ports, and for each port
/// only the losses that count.
class LinkHealth {
 public:
  static constexpr std::size_t kPortsMax = 20'000;  // the one that is quiet longest makes room
  /// The required quiet time doubles with each repetition, up to this time; after a quiet time of
  /// this length a port is forgotten.
  static constexpr mad::Duration kQuietMax = std::chrono::hours(24);

  /// Holds the state of one port.
  struct State {
    bool flapping = false, noisy = false;
    std::optional<IsolationOrder> order = {};
    bool towards_host = false;  // a CA or router was behind it
    std::size_t losses = 0;     // within the window, as far as they count
    mad::TimePoint since{};     // of the flapping, noise or order
    std::optional<mad::TimePoint> until =
        {};                 // without another fault; nothing: until it is released
    std::string peer = {};  // what was behind it, for messages; "" if that is not known
  };

  /// Counts links of `before`, the last subnet, that are lost in `after`, or were lost and are up
  /// again. `left_out` ports count, too, though nothing is known behind them. Three kinds of links
  /// do not count: those of a switch that lost all of its links to other switches at once, since it
  /// was restarted; the manager's own link; and links that `is_own_doing` names (by a port of
  /// `before`).
  void update_from(const Fabric& before, const Fabric& after, const HealthSettings& settings,
                   mad::TimePoint now, const std::function<bool(PortIndex)>& is_own_doing = {},
                   const Touched& touched = {});
  /// Counts a loss that surveys do not show.
  void count_loss(const PortPlace& port, const HealthSettings& settings, mad::TimePoint now);
  /// Sets the ports whose error counters are too high now; every other port is quiet from now on.
  void set_noisy(const std::set<PortPlace>& ports, const HealthSettings& settings,
                 mad::TimePoint now);
  /// Makes ports healthy that were quiet for long enough, and ends expired orders.
  void expire(const HealthSettings& settings, mad::TimePoint now);

  /// Isolates the port until release(), or until the order ends.
  void order(const PortPlace& port, IsolationOrder order);
  /// Forgets all that is known of the port; returns false if nothing was known. An error counter
  /// that is still high does not count until the port was quiet.
  bool release(const PortPlace& port);

  /// Returns the ports that flap, are noisy, or have an order to be isolated.
  std::map<PortPlace, State> faulty() const;
  /// Returns the nodes of ports that were quiet long enough, or whose order has ended: the caller
  /// sweeps them.
  std::vector<mad::Guid> due(mad::TimePoint now) const;
  /// Returns the time of the latest fault of the port, or nothing if no fault is known.
  std::optional<mad::TimePoint> last_fault(const PortPlace& port) const;
  std::size_t size() const { return ports_.size(); }

 private:
  struct Entry {
    std::deque<mad::TimePoint> losses;  // the latest ones, as many as count
    bool flapping = false, noisy = false, towards_host = false;
    std::optional<IsolationOrder> order;
    bool is_loud = false;   // its counters are too high now
    bool is_muted = false;  // released although they are
    unsigned times = 0;     // it was faulty
    mad::Duration wait{};   // of quiet
    mad::TimePoint since{}, last_fault{};
    std::string peer;
    bool is_faulty() const { return flapping || noisy; }
  };
  Entry& entry_of(const PortPlace& port);
  static void begin_fault(Entry& entry, const HealthSettings& settings, mad::TimePoint now);
  void count_loss(const Fabric& before, PortIndex port, const HealthSettings& settings,
                  mad::TimePoint now);

  std::map<PortPlace, Entry> ports_;
};

}  // namespace sm
