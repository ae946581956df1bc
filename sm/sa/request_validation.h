#pragma once
// Validates a request before it is dispatched by attribute.

#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "config/options.h"
#include "fabric/subnet.h"
#include "mad/rmpp.h"
#include "mad/transport.h"
#include "sm/sa/query/record_type.h"
#include "sm/sa/registrations/alias_guids.h"

namespace sa {

/// The reason why a MAD is dropped without an answer. Linux clients repeat a request that has no
/// answer, and take any status except kOk as final. Subnet administration therefore drops a request
/// that may succeed when it is repeated (README.md has the table of both).
enum class Drop : std::uint8_t {
  none,
  too_short,    // not a whole MAD
  no_request,   // a response, a trap or a report
  not_master,   // another SM is master, or none yet
  bad_sm_key,   // neither 0 nor sa_key (IBTA Vol 1, 15.4.1.1)
  unknown_lid,  // no end has the source LID: one sweep may have missed it
  wrong_gid,    // the source GID is not at the port with the source LID: the vport may be new there
  queue_full,   // RequestQueue's bounds, or those of unfinished requests of several MADs
  waited,       // for longer than max_msg_fifo_timeout
  no_room,      // for one more long response
  changing,     // the GUID table that it changes is being written, or its port does not respond
  handed_over,  // a request that writes: another SM is about to be master
  recent_end,   // a path to an end that one sweep may have missed
};
inline constexpr std::size_t kDrops = 13;
std::string_view name(Drop drop);
/// True if the request was dropped because of load: there was no room or no time.
constexpr bool is_overload(Drop drop) {
  return drop == Drop::queue_full || drop == Drop::waited || drop == Drop::no_room;
}

struct ValidatedRequest {
  Drop drop = Drop::none;
  std::uint16_t status = 0;  // other than kOk: the response has this status
  Query query{};             // valid if status is kOk
};

/// The subnets with which requests are validated.
struct Answering {
  const fabric::Subnet* subnet = nullptr;  // null unless this SM is master
  /// The previous subnet, or null: a port sends with its old LID until its PortInfo is written.
  const fabric::Subnet* before = nullptr;
  const AliasGuids* aliases = nullptr;  // null: there are none

  Answering(const fabric::Subnet* now, const fabric::Subnet* earlier = nullptr,
            const AliasGuids* alias_guids = nullptr)
      : subnet(now), before(earlier), aliases(alias_guids) {}
  /// Returns the end of `subnet` with this LID: a vport if the LID is its own, else an end port;
  /// port kNoIndex if there is none.
  fabric::EndPoint owner(mad::Lid lid) const;
};

/// Returns the end that sent a packet: the one at the port with the source LID that has the source
/// GID of the global route header. Without a header it is the owner of the LID. Only the source GID
/// distinguishes vports at one port; their device writes it, so that no vport uses another's.
/// Errors: Drop::unknown_lid, Drop::wrong_gid.
tl::expected<fabric::EndPoint, Drop> source_of(const mad::MadAddress& from,
                                               const Answering& answering,
                                               const config::Options& options);

/// Validates a request. `record` is its data: of its one MAD, or of all segments of an RMPP
/// request. Errors: a Drop, including those of source_of(), or a status: kBadVersion,
/// kMethodUnsupported. Source: IBTA Vol 1, 13.4.5, 13.4.7 and 15.4.1.
ValidatedRequest validate_request(const mad::ReceivedMad& received,
                                  std::span<const std::uint8_t> record, const Answering& answering,
                                  const config::Options& options);

/// Returns the address of a response: the source of the request, with the Q_Key of QP1.
mad::MadAddress answer_to(const mad::MadAddress& from);

}  // namespace sa
