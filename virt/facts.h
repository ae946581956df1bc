#pragma once
// State of virtual ports (vports) as devices showed it when it was read, or as it was set with an
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

/// Pauses that grow while it fails. Other events at the port, as often as its host likes, makes
/// them neither longer nor shorter.
class Retry {
 public:
  static constexpr mad::Duration kFirst = std::chrono::seconds(1);
  static constexpr mad::Duration kLast = std::chrono::minutes(5);

  bool is_due(mad::TimePoint now) const { return now >= at_; }
  void failed(mad::TimePoint now) {
    if (is_due(now)) at_ = now + pauses_.next();
  }
  void succeeded() { *this = {}; }

 private:
  mad::Backoff pauses_{kFirst, kLast};
  mad::TimePoint at_{};
};

/// Vports of one port that are managed. A device of today has at most some hundreds; more are the
/// mark of a faulty answer.
inline constexpr unsigned kVPortsMax = 1024;

/// P_Keys of one vport that are managed; devices have 128 or fewer.
inline constexpr unsigned kPKeysMax = 1024;

/// The latest request about a vport that failed. Until it is tried again (PortFacts::retry), or the
/// vport changes, nothing is read from this vport or written to it.
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
  std::vector<std::optional<mad::PKeyTable>> p_keys;  // by block; nothing: not known
  std::optional<VPortFailure> failure;                // nothing: there was none
  bool operator==(const VPortFacts&) const = default;
};

struct PortFacts {
  std::optional<mad::VirtualizationInfo> info;  // nothing: not read
  bool refuses = false;                         // it has no VirtualizationInfo, whatever it reports
  bool states_read = false;                     // VPortState, since vports were enabled
  bool silent = false;                          // VirtualizationInfo was not answered
  bool due = false;                             // something failed, or cannot be true
  Retry retry;                                  // when that is tried again
  bool reregister = false;                      // clients of its vports are to register again
  std::map<std::uint16_t, VPortFacts> vports;   // by index; empty unless vports are enabled

  bool is_enabled() const { return info && info->virtualization_enable(); }
  bool is_retry_due(mad::TimePoint now) const { return due && retry.is_due(now); }
  void forget_failures() {
    for (auto& [index, vport] : vports) vport.failure.reset();
  }
};

/// By the GUID of the physical port.
using Facts = std::map<mad::Guid, PortFacts>;

/// The highest index that is read: VPortIndexTop, unless it is above VPortCap. It is not documented
/// whether index 0 counts for VPortCap, so that an index may be equal to it.
unsigned index_top(const mad::VirtualizationInfo& info);

}  // namespace virt
