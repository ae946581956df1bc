#include "config/sections.h"

namespace config {

std::string_view title(Section section) {
  switch (section) {
    case Section::device:
      return "Device attributes";
    case Section::partitioning:
      return "Partitioning";
    case Section::sweep:
      return "Sweep";
    case Section::routing:
      return "Routing";
    case Section::handover:
      return "Several SMs and handover";
    case Section::timing:
      return "Timing and threads";
    case Section::misc:
      return "Miscellaneous";
    case Section::perfmgr:
      return "Performance manager";
    case Section::events:
      return "Events and plug-ins";
    case Section::names:
      return "Node names";
    case Section::debug:
      return "Logs and debugging";
    case Section::qos:
      return "QoS";
    case Section::congestion:
      return "Congestion control";
    case Section::adaptive_routing:
      return "Adaptive routing (OpenSM 3.3.23 does not know these)";
    case Section::routers:
      return "IB routers (OpenSM 3.3.23 knows prefix_routes_file)";
    case Section::snm:
      return "IPv6 solicited-node multicast";
    case Section::log_prefix:
      return "Log prefix";
    case Section::heddle:
      return "Heddle's own (OpenSM 3.3.23 does not know these)";
  }
  return "";
}

}  // namespace config
