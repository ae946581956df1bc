#pragma once
// The reader of qos-policy.conf.

#include <optional>

#include "config/diagnostic.h"
#include "config/qos_policy.h"

namespace config {

/// Reads qos-policy.conf. Every qos-ulps line becomes a rule, its SL a level.
/// Shape:  nested sections `name` ... `end-name`, in them `key: value`; `#` starts a comment;
/// numbers as in opensm.conf. Errors: all of them are reported; with any, nothing is returned: part
/// of a policy would give traffic the wrong SLs. Undefined names and a missing default level are
/// errors. qos-setup is checked, and a warning says that it has no effect, as in OpenSM.
/// Source: behaviour of OpenSM 3.3.23. Deliberately stricter: SLs above 15, values out of range and
/// descending ranges are refused.
std::optional<QosPolicy> parse_qos_policy(const Source& source, Diagnostics& out);

}  // namespace config
