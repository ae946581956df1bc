#pragma once
// Traps of violations and link errors as conditions, in words. Pure.

#include <optional>

#include "fabric/condition.h"
#include "fabric/subnet.h"
#include "mad/attributes/notice.h"

namespace sm {

/// SM-PKEY-VIOLATION of traps 257 and 259, SM-QKEY-VIOLATION of trap 258, SM-LINK-INTEGRITY of
/// traps 129 to 131; nothing for other traps. `issuer` is the end port that sent it, and the
/// subject of the condition: a host that names others in its traps is bounded as one port.
std::optional<Condition> trap_condition(const Subnet& subnet, PortIndex issuer,
                                        const mad::Notice& notice);

/// True for traps 257 to 259: nothing of the fabric has changed.
bool is_key_violation(const mad::Notice& notice);

}  // namespace sm
