#pragma once
// Holds the state of virtual ports (vports) as last read from devices or as set with an
// acknowledgement.

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "mad/attributes/port_tables.h"
#include "mad/attributes/virtualization.h"
#include "mad/backoff.h"
#include "mad/ids.h"

namespace virt {

/// The pauses before what a port failed to do is tried again. Other events at the port, which its
/// host can cause at will, do not change them.
inline constexpr mad::Duration kRetryFirst = std::chrono::seconds(1),
                               kRetryLast = std::chrono::minutes(5);

/// Bounds the managed vports of one port. Present devices have at most some hundreds; a higher
/// number indicates a faulty response.
inline constexpr unsigned kVPortsMax = 1024;

/// Bounds the managed P_Keys of one vport; devices have 128 or fewer.
inline constexpr unsigned kPKeysMax = 1024;

/// The latest failed request about a vport. The manager neither reads nor writes this vport until
/// the retry (PortFacts::retry) or until the vport changes.
struct VPortFailure {
  mad::AttributeId attribute{};
  std::uint16_t status = 0;  // 0: no response
  bool operator==(const VPortFailure&) const = default;
};

struct VPortFacts {
  mad::PortState state = mad::PortState::down;
  bool exists = true;  // false: there is nothing at this index
  bool stale = false;  // another manager may have changed it: to be read again
  std::optional<mad::VPortInfo> info;
  std::optional<mad::VNodeInfo> node_info;
  mad::VNodeDescription description;
  bool described = false;  // the description was read, or the device has none
  std::vector<std::optional<mad::PKeyTable>> p_keys;  // by block; nullopt: not known
  std::optional<VPortFailure> failure;                // nullopt: there was none
  bool operator==(const VPortFacts&) const = default;
};

struct PortFacts {
  std::optional<mad::VirtualizationInfo> info;  // nullopt: not read
  bool refuses = false;                         // it has no VirtualizationInfo, whatever it reports
  bool states_read = false;                     // VPortState, since vports were enabled
  bool silent = false;                          // VirtualizationInfo was not answered
  bool due = false;                             // something failed, or cannot be true
  mad::Retry retry{kRetryFirst, kRetryLast};    // when that is tried again
  bool reregister = false;                      // clients of its vports are to register again
  std::map<std::uint16_t, VPortFacts> vports;   // by index; empty unless vports are enabled

  bool is_enabled() const { return info && info->virtualization_enable(); }
  bool is_retry_due(mad::TimePoint now) const { return due && retry.is_due(now); }
  /// True if the clients of its vports are still to be asked to register again.
  bool owes_reregistration() const { return reregister && !refuses && (!info || is_enabled()); }
  void forget_failures() {
    for (auto& [index, vport] : vports) vport.failure.reset();
  }
};

/// The key is the GUID of the physical port.
using Facts = std::map<mad::Guid, PortFacts>;

/// Returns the highest index that is read: VPortIndexTop, but at most VPortCap. It is not
/// documented whether VPortCap counts index 0, so an index may equal VPortCap.
unsigned index_top(const mad::VirtualizationInfo& info);

}  // namespace virt
