#pragma once
// Attributes that a daemon read from a node (sm/ops/live_read.h), as smpquery of infiniband-diags
// prints them: fields by libibmad's own functions, so that scripts for smpquery work.

#include <string>

#include <nlohmann/json.hpp>

#include "mad/attribute_rows.h"

namespace sm::ctl {

/// `list`: the one that the answer is of. M_Keys are "<not displayed>". An answer of another
/// daemon's version may lack attributes: throws as nlohmann::ordered_json does.
std::string attributes_text(const mad::AttributeList& list, const nlohmann::ordered_json& answer);

}  // namespace sm::ctl
