#pragma once
// TrapEffect is the work that a trap requires; violations and link errors become conditions. Pure.

#include <optional>
#include <string_view>
#include <vector>

#include "fabric/condition.h"
#include "fabric/subnet.h"
#include "mad/attributes/notice.h"
#include "sm/sweep/observe/single_reads.h"

namespace sm {

struct TrapEffect {
  std::string_view refused_for = {};        // not empty: neither forwarded nor handled, and why
  bool node = false;                        // the issuer's node is read and programmed again
  bool description = false;                 // its NodeDescription is read
  bool manager = false;                     // SMInfo of the issuer is read
  bool vports = false;                      // the issuer's vports are read and programmed
  std::optional<std::uint16_t> vport = {};  // whose attributes changed
  bool routers = false;                     // its tables of other subnets are read
  bool light_sweep = false;
  /// A subnet manager behind a link that is not known speaks: everything is read. PortStateChange
  /// does not show the link if that manager, MASTER as well, has cleared it.
  bool survey = false;
  bool operator==(const TrapEffect&) const = default;
};

/// Returns the work that a trap of the end port `issuer` requires. `issuer` is kNoIndex for a port
/// that is not in the subnet; `subnet` is null if no subnet is known. A notice about another port
/// than its issuer is refused: agents report on their own node (IBTA Vol 1, 13.4.9, 14.2.5.1).
/// Traps 64 to 67 are refused, because only the subnet manager issues them.
TrapEffect effect_of(const Subnet* subnet, PortIndex issuer, const mad::Notice& notice);

/// True for NVIDIA's traps 1144 and 1146.
bool is_about_vports(const mad::Notice& notice);

/// Finds the port that sent the packet which the end port `issuer` reports: by its LID, or back
/// along the directed route from the issuer, which is the sender itself of a route without hops.
/// Returns nullopt if the subnet does not show it.
std::optional<PortIndex> source_of(const Subnet& subnet, PortIndex issuer,
                                   const mad::BadMKeyNotice& notice);

/// Returns SM-PKEY-VIOLATION for traps 257 and 259, SM-QKEY-VIOLATION for trap 258,
/// SM-LINK-INTEGRITY for traps 129 to 131, and nullopt for other traps. `issuer` is the end port
/// that sent the trap, and the subject of the condition: a host that names others in its traps is
/// bounded as one port.
std::optional<Condition> trap_condition(const Subnet& subnet, PortIndex issuer,
                                        const mad::Notice& notice);

/// Returns the P_Key tables that may be why a packet was dropped for its P_Key (traps 257, 259, and
/// NVIDIA's 1257), since any host can write to the tables of ports without M_Keys: the tables of
/// the port that dropped it, first, and of the ports from and to which it went. Empty for other
/// traps; nothing but the packet says which Q_Key is right.
std::vector<PKeyCheck> p_key_checks(const Subnet& subnet, PortIndex issuer,
                                    const mad::Notice& notice);

/// True for traps 257 to 259, which report no change of the fabric.
bool is_key_violation(const mad::Notice& notice);

}  // namespace sm
