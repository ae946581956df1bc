#pragma once

#include <algorithm>

#include "mad/rmpp.h"

namespace mad {

/// Overwrites `out` with an ACK, STOP or ABORT for the sender of `to`: its headers, the other
/// direction (bit R of the method inverted), and the given RMPP fields. `out` and `to` may not
/// overlap.
inline void write_rmpp_answer(std::span<std::uint8_t, kMadBytes> out, ConstRmppView to,
                              RmppType type, std::uint8_t status, std::uint32_t data1,
                              std::uint32_t data2) {
  const std::size_t header = std::max(rmpp_header_bytes(to.mgmt_class()), kRmppHeaderEnd);
  std::copy_n(to.bytes().begin(), header, out.begin());
  std::fill(out.begin() + static_cast<std::ptrdiff_t>(header), out.end(), std::uint8_t{0});
  RmppView answer(out);
  answer.set_method(static_cast<Method>(to_raw(to.method()) ^ kResponseBit));
  answer.set_rmpp_version(kRmppVersion);
  answer.set_rmpp_type(type);
  answer.set_rmpp_flags(rmpp_flag::kActive);
  answer.set_rmpp_status(status);
  answer.set_segment_number(data1);
  answer.set_new_window_last(data2);
}

}  // namespace mad
