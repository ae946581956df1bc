#pragma once
// This file declares the keys of the schema about adaptive routing.

#include <array>

#include "config/key_table.h"

namespace config {

namespace adaptive_routing {
inline constexpr Section kSection = Section::adaptive_routing;
inline constexpr std::array kKeys{
    KEY(ar_mode,
        "Adaptive routing of routing engines ar_...: 0 off, 1 on, 2 on (with notifications, which "
        "are not sent), 3 on")
        .in(0, 3)
        .live()
        .nvidias(),
    KEY(shield_mode,
        "Fast recovery of routing engines ar_...: 0 off, 1 and 2 on, 3 on and, where all switches "
        "can, notifications of lost paths to neighbours (pFRN)")
        .in(0, 3)
        .live()
        .nvidias(),
    KEY(ar_sl_mask, "SLs that are routed adaptively, bit n is SL n").hex(4).live().nvidias(),
    KEY(ar_transport_mask, "Transports that are routed adaptively: 1 UD, 2 RC, 4 UC, 8 DC")
        .in(0, 15)
        .hex(1)
        .live()
        .nvidias(),
    KEY(enable_ar_by_device_cap,
        "Adaptive routing only towards devices that say that they put packets in order")
        .live()
        .nvidias(),
    KEY(enable_ar_group_copy,
        "Switches that can are ordered to copy groups of ports that are the same, which needs "
        "fewer SMPs")
        .live()
        .nvidias(),
    KEY(cache_ar_group_id, "Numbers of groups are kept in a file, and are the same after a restart")
        .live()
        .nvidias(),
    KEY(pfrn_sl, "SL of notifications about lost paths (pFRN)").in(0, 15).live().nvidias(),
    KEY(pfrn_mask_clear_timeout,
        "Seconds after the last such notification until a path is used again")
        .in(1, 1023)
        .live()
        .nvidias(),
    KEY(pfrn_mask_force_clear_timeout,
        "Seconds after the first such notification until a path is used again")
        .in(1, 1023)
        .live()
        .nvidias(),
    KEY(ar_ageing_time, "Microseconds without packets after which a flow may take another path")
        .live()
        .ours(),
};
}  // namespace adaptive_routing

}  // namespace config
