#pragma once
// Rates in answers.

#include <cstdint>
#include <nlohmann/json.hpp>

#include "mad/path_units.h"

namespace sm {

/// Gb/s of a rate code: 2.5, 10, 100; 0 for an undefined code.
inline nlohmann::json rate_json(std::uint8_t code) {
  if (code == mad::kRate2_5Gbps) return mad::rate_number(code);
  return mad::rate_gbps(code);
}

}  // namespace sm
