#pragma once
// Remembers ports whose links are lost again and again, or have errors.

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

/// A port by what stays the same in all surveys.
struct PortPlace {
  mad::Guid node;  // NodeGUID
  mad::PortNum port;
  auto operator<=>(const PortPlace&) const = default;
};
PortPlace port_place(const Fabric& fabric, PortIndex port);
/// kNoIndex: it is not in the fabric.
PortIndex find_place(const Fabric& fabric, const PortPlace& place);

/// The options that begin with hm_, as they count.
struct HealthSettings {
  config::HealthAction sw_flapping{}, ca_flapping{}, sw_noisy{}, ca_noisy{}, sw_manual{},
      ca_manual{};
  std::size_t losses = 5;         // from so many on ...
  mad::Duration window{};         // ... within this time a link flaps
  mad::Duration release_after{};  // of quiet; 0: only by an order
};
/// Sweep intervals of sweep_interval 0 count as 10 s each.
HealthSettings health_settings(const config::Options& options);

/// An operator's order to keep a link out of use.
struct IsolationOrder {
  std::string by = {}, reason = {};  // may be empty
  mad::TimePoint since{};
  std::optional<mad::TimePoint> until = {};  // nothing: until it is released
  bool operator==(const IsolationOrder&) const = default;
};

/// Losses of links, and what follows from them for each port. A value: a plan is made on a copy.
/// Memory that hosts or switches can make it use is bounded: kPortsMax ports, each with as many
/// times as count.
class LinkHealth {
 public:
  static constexpr std::size_t kPortsMax = 20'000;  // the one that is quiet longest makes room
  /// Quiet that is asked for doubles with each repetition, up to this; after so much quiet a port
  /// is forgotten.
  static constexpr mad::Duration kQuietMax = std::chrono::hours(24);

  /// The state of one port.
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
  /// again. `left_out` ports count, too, though nothing is known behind them. Not counted: links of
  /// a switch that lost all of its links to other switches at once, since it was restarted, the
  /// manager's own, and those that `is_own_doing` names (of a port of `before`).
  void update_from(const Fabric& before, const Fabric& after, const HealthSettings& settings,
                   mad::TimePoint now, const std::function<bool(PortIndex)>& is_own_doing = {},
                   const Touched& touched = {});
  /// A loss that surveys do not show.
  void count_loss(const PortPlace& port, const HealthSettings& settings, mad::TimePoint now);
  /// Sets the ports whose error counters are too high now; a port that is not among them is quiet
  /// from now on.
  void set_noisy(const std::set<PortPlace>& ports, const HealthSettings& settings,
                 mad::TimePoint now);
  /// Makes ports healthy that were quiet for long enough, and ends orders.
  void expire(const HealthSettings& settings, mad::TimePoint now);

  /// Isolated until release(), or until the order ends.
  void order(const PortPlace& port, IsolationOrder order);
  /// All that is known of the port is forgotten. An error counter that is still high does not count
  /// before it was quiet. False: nothing was.
  bool release(const PortPlace& port);

  /// Ports that flap, are noisy, or whose isolation was ordered.
  std::map<PortPlace, State> faulty() const;
  /// Nodes of ports that were quiet long enough, or whose order has ended: to be swept.
  std::vector<mad::Guid> due(mad::TimePoint now) const;
  /// The latest fault of the port; nothing: none is known.
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
