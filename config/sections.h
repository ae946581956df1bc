#pragma once
// The sections of a configuration file.

#include <cstdint>
#include <string_view>

namespace config {

enum class Section : std::uint8_t {
  device,
  partitioning,
  sweep,
  routing,
  handover,
  timing,
  misc,
  perfmgr,
  events,
  names,
  debug,
  qos,
  congestion,
  adaptive_routing,
  routers,
  snm,
  log_prefix,
  heddle
};
std::string_view title(Section section);

}  // namespace config
