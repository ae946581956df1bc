#pragma once
// Computes the PortInfo that a port should have, port by port.

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "config/options.h"
#include "fabric/fabric.h"
#include "mad/attributes/port_info.h"
#include "sm/sweep/decide/target.h"
#include "sm/sweep/devices/device_state.h"
#include "sm/sweep/devices/stage.h"

namespace sm {

/// Returns a Set that changes nothing: the values read, states 0, no order to register again.
mad::PortInfo as_read(mad::PortInfo info);

/// True for an enhanced switch port 0. It is like a CA behind an invisible link: it has the states
/// of a port, and needs no other end.
bool is_enhanced_port_0(const Fabric& fabric, PortIndex index);

/// True if clients of the port have registered with a manager whose registrations are not known.
bool is_registered_elsewhere(const mad::PortInfo& info, mad::Lid sm_lid, const Target& target);

/// Selects the next ports of a fabric. It bounds how many writes exist at once: those of the
/// largest fabrics would need 20 MB.
struct NextPorts {
  static constexpr std::size_t kPortsMax = 1 << 15;

  bool is_done(const Fabric& fabric) const { return begin == fabric.ports.size(); }
  void advance(const Fabric& fabric) {
    begin = end;
    end = std::min(begin + kPortsMax, fabric.ports.size());
  }

  std::size_t begin = 0, end = 0;
};

/// Computes PortInfo with the settings, and the state that follows from them.
class PortWrites {
 public:
  /// Owns none of the references.
  PortWrites(const Fabric& fabric, DeviceState& devices, const Target& target,
             const config::Options& options, const std::vector<bool>& hold_back);

  /// Returns the writes of some ports, to be done before the next call; empty at the end.
  std::vector<Write> next();
  /// Returns groups of links to take down, one after the other. Called after the last next().
  std::vector<std::vector<Write>> restarts();

 private:
  /// Holds the writes that some of the ports need.
  struct Found {
    std::vector<Write> settings;
    std::vector<Write> new_keys;  // of switches: after their other ports, whose Sets carry the old
    std::vector<Write> unused;    // links that carry no data, and are taken down
    std::vector<PortIndex> pending;  // links that run with other settings than those asked for
    std::vector<mad::Guid> reregistering;

    void append(const Found& other) {
      const auto add = [](const auto& from, auto& to) {
        to.insert(to.end(), from.begin(), from.end());
      };
      add(other.settings, settings);
      add(other.new_keys, new_keys);
      add(other.unused, unused);
      add(other.pending, pending);
      add(other.reregistering, reregistering);
    }
  };

  Found find_all();
  void find_of(PortIndex index, Found& found);
  void find_write(PortIndex index, Found& found);
  bool is_to_become_active(PortIndex index) const;
  void add_restarts(std::vector<PortIndex>& pending, std::vector<std::vector<Write>>& groups);
  mad::PortInfo without_rejected(PortIndex index, mad::PortInfo desired);
  mad::Sl sl_to_manager(PortIndex port) const;

  const Fabric& fabric_;
  DeviceState& devices_;
  const Target& target_;
  const config::Options& options_;
  const std::vector<bool>& hold_back_;
  std::vector<LidMap::Range> range_;  // by port
  mad::Lid sm_lid_;
  bool restarts_due_ = false;
  NextPorts ports_;
  Found rest_;  // of the ports so far: what is to be written after all settings
};

}  // namespace sm
