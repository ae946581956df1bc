#pragma once
// Which subscribers a notice is reported to. Pure; sending, acknowledging and repeating are
// somebody else's.

#include <vector>

#include "config/options.h"
#include "fabric/subnet.h"
#include "mad/attributes/notice.h"
#include "sm/sa/registrations/outcome.h"
#include "sm/sa/registrations/subscriptions.h"

namespace sa {

/// A notice as subscribers get it: 64 bytes, and the IssuerGID that an SA's Report has behind them
/// (IBTA Vol 1, 13.4.8.2).
struct Report {
  mad::Notice notice;
  mad::Gid issuer_gid;
  std::vector<mad::PKey> about{};  // whose business it is: only subscribers that may talk to a
                                   // holder of one of these hear of it, and trusted ones
};

/// Traps 64 and 65: the port of `subnet`, which for 65 is the snapshot that still had it. `sm_lid`
/// and `sm_gid` are the issuer's.
Report report_of_port(mad::TrapNumber trap, sm::PortIndex port, const sm::Subnet& subnet,
                      mad::Lid sm_lid, mad::Gid sm_gid, std::uint64_t subnet_prefix);
/// Traps 66 and 67.
Report report_of_group(const GroupNotice& notice, mad::Lid sm_lid, mad::Gid sm_gid);
/// A trap that came in by SMP or GMP from a port of the subnet.
Report report_of_trap(const mad::Notice& notice, sm::PortIndex issuer, const sm::Subnet& subnet,
                      std::uint64_t subnet_prefix);

/// Where a report goes.
struct Recipient {
  SubscriptionId subscription;
  mad::Lid lid;  // the subscriber's base LID today
  mad::Gid gid;
  std::uint32_t qpn = 1;
  bool operator==(const Recipient&) const = default;
};
/// Subscribers whose subscription matches by issuer (GID or LIDs), kind, type, number and producer,
/// that may hear of it, and that have a LID now; by GUID and number. A queue pair that has several
/// matching subscriptions gets the report once for each.
std::vector<Recipient> recipients(const Subscriptions& subscriptions, const sm::Subnet& subnet,
                                  const Report& report, std::uint64_t subnet_prefix);

}  // namespace sa
