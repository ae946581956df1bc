#pragma once

#include "routing/core/engine.h"

namespace routing {

/// Trees, whole or damaged, by a formula (after D-mod-k and Dmodc): hosts are numbered along the
/// tree, and the digits of the number say which way leads to it. On a complete parallel generalised
/// fat tree no cable carries two flows of a shift, numbers as in ca_order. Where cables are
/// missing, only destinations whose digits name something that is not there go elsewhere. Legal:
/// down where there is a way down, else up (up_down.h): free of credit loops between hosts on one
/// lane. LIDs of switches may be left out, as with
///          updn.
/// LMC:     the LIDs of one port take different switches, then different cables, as far as there
/// are. Roots:   root_guid_file; else levels are counted from the hosts, see tree_levels.h.
/// Refuses: what is no tree; hosts without a legal way to each other.
tl::expected<RoutingResult, Refusal> dmodc(const RoutingInput& input);

}  // namespace routing
