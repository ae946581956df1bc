#pragma once
// MADs that answer requests.

#include <cstdint>
#include <span>

#include "mad/rmpp.h"
#include "mad/smp.h"
#include "mad/transport.h"

namespace sa {

mad::ConstSaView sa_view(const mad::ReceivedMad& received);

/// The response of one MAD to `received`, with the request's record if `record` is empty: refusals
/// repeat it (IBTA Vol 1, 15.4.2). To be sent to answer_to().
mad::MadBytes single_response(const mad::ReceivedMad& received, std::uint16_t status,
                              std::span<const std::uint8_t> record = {});

}  // namespace sa
