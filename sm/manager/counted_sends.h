#pragma once
// SMPs that no SmpClient sends.

#include <cstdint>

#include "mad/transport.h"

namespace sm {

/// Sends responses, traps and SMPs whose response the sender recognizes by itself, and counts them:
/// ActCount of SMInfo grows with each (IBTA Vol 1, 14.2.5.13).
class CountedSends {
 public:
  /// The transport is not owned.
  explicit CountedSends(mad::MadTransport& transport) : transport_(transport) {}

  void send(const mad::MadBytes& bytes, const mad::MadAddress& to, int timeout_ms = 0) {
    ++count_;
    transport_.send(bytes, to, timeout_ms);
  }
  void respond(const mad::ReceivedMad& received, const mad::MadBytes& bytes) {
    send(bytes, received.from);
  }
  std::uint32_t count() const { return count_; }

 private:
  mad::MadTransport& transport_;
  std::uint32_t count_ = 0;
};

}  // namespace sm
