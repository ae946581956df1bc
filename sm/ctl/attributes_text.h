#pragma once
// Attributes that a daemon read from a node (sm/ops/live_read.h), as smpquery of infiniband-diags
// prints them: fields by libibmad's own functions, so that scripts for smpquery work.

#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace sm::ctl {

/// `list`: portinfo, switchinfo, nodeinfo, pkeys, sl2vl or vlarb, of which the answer is. M_Keys
/// are "<not displayed>". An answer of another daemon's version may lack attributes: throws as
/// nlohmann::ordered_json does.
std::string attributes_text(std::string_view list, const nlohmann::ordered_json& answer);

}  // namespace sm::ctl
