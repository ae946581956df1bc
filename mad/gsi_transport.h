#pragma once
// The interface to send and receive MADs on queue pair 1 whose length differs from 256 bytes: MADs
// of Omni-Path, and messages that RMPP has assembled. umad::GsiPort and the simulator implement it.

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "mad/transport.h"

namespace mad {

/// Received bytes, unchecked. `send_errno` is as in ReceivedMad.
struct GsiMad {
  std::vector<std::uint8_t> bytes;
  MadAddress from;
  int send_errno = 0;
};

/// The local port, as the subnet manager has configured it.
struct GsiPortState {
  Guid guid;
  std::uint64_t gid_prefix = 0;
  Lid lid, sm_lid;  // 0: none
  Sl sm_sl;
  std::uint16_t pkey_index = 0;  // of the default partition
  bool operator==(const GsiPortState&) const = default;
};

class GsiTransport {
 public:
  virtual ~GsiTransport() = default;
  /// Sends like MadTransport::send(). The response to a request of subnet administration is one
  /// message, whatever its length.
  virtual int send(std::span<const std::uint8_t> mad, const MadAddress& to,
                   int response_timeout_ms) = 0;
  /// The transport calls `receiver` on the runtime's thread. The MAD is valid during the call.
  virtual void set_receiver(std::function<void(const GsiMad&)> receiver) = 0;
  virtual GsiPortState state() const = 0;
  /// Counts received MADs that were dropped because the inbox was full.
  virtual std::uint64_t dropped() const { return 0; }
};

}  // namespace mad
