#pragma once
// The interface to send and receive MADs. UmadPort (kernel or ibsim) and the simulator implement
// it.

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "mad/ids.h"
#include "mad/port_budget.h"

namespace mad {

inline constexpr std::size_t kMadSizeBytes = 256;
/// Q_Key of QP 1, well known (IBTA Vol 1, 3.5.3).
inline constexpr std::uint32_t kQp1QKey = 0x80010000;
using MadBytes = std::array<std::uint8_t, kMadSizeBytes>;

/// The global route header of a packet (IBTA Vol 1, 8.3), as far as a program reads or sets it.
struct GlobalRoute {
  Gid peer;                        // the source of a received packet, the destination of a sent one
  std::uint8_t own_gid_index = 0;  // index in the own port's GUID table
  std::uint8_t hop_limit = 0;
  std::uint8_t traffic_class = 0;
  std::uint32_t flow_label = 0;
  bool operator==(const GlobalRoute&) const = default;
};

/// The destination or source of a MAD, from the link and transport headers. Directed routes are in
/// the MAD itself: their address is the permissive LID.
struct MadAddress {
  Lid lid = kPermissiveLid;
  std::uint32_t qpn = 0;
  std::uint32_t qkey = 0;
  Sl sl{};
  std::uint16_t pkey_index = 0;
  std::optional<GlobalRoute> grh = std::nullopt;
};

/// Received bytes, unchecked. `send_errno` is not 0 for a request of this program that is returned:
/// the kernel got no response in time (ETIMEDOUT) or could not send the request. `refused` means
/// that the device did not even take it, which may be different in a moment (a full queue).
struct ReceivedMad {
  MadBytes bytes{};
  std::size_t size = 0;
  MadAddress from;
  int send_errno = 0;
  bool refused = false;
};

/// Counts received MADs that were dropped because an inbox was full.
struct InboxDrops {
  std::uint64_t smps = 0, sa = 0;
  std::uint64_t performance = 0;  // and of congestion control
};

class MadTransport {
 public:
  virtual ~MadTransport() = default;
  /// Sends one MAD from the agent of its management class. `response_timeout_ms` > 0 means that a
  /// response is expected, and the kernel keeps the transaction open for that long (it drops
  /// responses without an open transaction). Does not wait for the device. Returns 0, or the errno
  /// of a MAD that was not sent; a request that the device refuses later is received as such.
  virtual int send(std::span<const std::uint8_t> mad, const MadAddress& to,
                   int response_timeout_ms) = 0;
  /// The transport passes received MADs to `receiver` in batches, on the runtime's thread. The span
  /// is valid during the call.
  virtual void set_receiver(std::function<void(std::span<const ReceivedMad>)> receiver) = 0;
  virtual InboxDrops dropped() const { return {}; }
  /// Returns the budget that all clients of the port share.
  PortBudget& budget() { return budget_; }

 private:
  PortBudget budget_;
};

}  // namespace mad
