#pragma once
// One decoded request to subnet administration, after the validation that all requests share.

#include <cstdint>
#include <span>

#include "fabric/fabric.h"
#include "mad/attribute.h"
#include "mad/ids.h"
#include "mad/sa_attribute.h"

namespace sa {

/// The end port that sent the request.
struct Requester {
  sm::PortIndex port =
      sm::kNoIndex;  // an end port of the snapshot: requests of others are refused earlier
  mad::Lid lid;
  std::uint32_t qpn = 1;
  bool trusted = false;  // the request's SM_Key is sa_key
};

struct Query {
  mad::Method method{};
  mad::SaAttributeId attribute{};
  std::uint32_t modifier = 0;
  std::uint64_t component_mask = 0;
  std::span<const std::uint8_t> record;  // as received; at least as long as the record type's
  Requester from;

  bool has(unsigned mask_bit) const { return (component_mask >> mask_bit & 1u) != 0; }
  bool is_table() const { return method == mad::Method::get_table; }
};

}  // namespace sa
