#include "fabric/vports.h"

namespace fabric {

std::string_view text(VPortHold hold) {
  switch (hold) {
    case VPortHold::none:
      return "nothing holds it";
    case VPortHold::no_guid:
      return "no GUID set by the host";
    case VPortHold::down_by_host:
      return "kept Down by the host";
    case VPortHold::unread:
      return "its attributes are not answered, or contradict each other";
    case VPortHold::duplicate_guid:
      return "another port has this GUID";
    case VPortHold::no_lid:
      return "it requires a LID of its own, and none is left";
    case VPortHold::p_keys:
      return "P_Key table refused, or too small";
    case VPortHold::tables:
      return "forwarding tables, or P_Keys of the switch port, are not written yet";
    case VPortHold::refused:
      return "LID or Active refused by the device";
  }
  return "";
}

}  // namespace fabric
