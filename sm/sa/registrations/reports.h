#pragma once
// Selection of the subscribers to which a notice is reported. Pure; sm/sa/report_sender.h sends and
// repeats.

#include <vector>

#include "config/options.h"
#include "fabric/subnet.h"
#include "mad/attributes/notice.h"
#include "sm/sa/registrations/outcome.h"
#include "sm/sa/registrations/subscriptions.h"

namespace sa {

/// A notice as subscribers get it: 64 bytes, followed by the IssuerGID (IBTA Vol 1, 13.4.8.2).
struct Report {
  mad::Notice notice;
  mad::Gid issuer_gid;
  std::vector<mad::PKey> about{};  // P_Keys of the subject: only trusted subscribers and those that
                                   // share one of these partitions get the report
};

/// Traps 64 and 65: the port of `subnet`, for 65 the last snapshot that had it. `sm_lid` and
/// `sm_gid` are the issuer's.
Report report_of_port(mad::TrapNumber trap, sm::PortIndex port, const sm::Subnet& subnet,
                      mad::Lid sm_lid, mad::Gid sm_gid, std::uint64_t subnet_prefix);
/// Traps 66 and 67.
Report report_of_group(const GroupNotice& notice, mad::Lid sm_lid, mad::Gid sm_gid);
/// A trap that a port of the subnet sent by SMP or GMP.
Report report_of_trap(const mad::Notice& notice, sm::PortIndex issuer, const sm::Subnet& subnet,
                      std::uint64_t subnet_prefix);

/// The destination of a report.
struct Recipient {
  SubscriptionId subscription;
  mad::Lid lid;  // the subscriber's present base LID
  mad::Gid gid;
  std::uint32_t qpn = 1;
  bool operator==(const Recipient&) const = default;
};
/// Subscribers whose subscription matches by issuer (GID or LIDs), kind, type, number and producer,
/// that may get it, and that have a LID; by GUID and number. A queue pair that has several matching
/// subscriptions gets the report once for each.
std::vector<Recipient> recipients(const Subscriptions& subscriptions, const sm::Subnet& subnet,
                                  const Report& report, std::uint64_t subnet_prefix);

}  // namespace sa
