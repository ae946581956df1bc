#pragma once
// Validation of a request before it is dispatched by attribute.

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

/// Why a MAD is dropped without an answer. Linux clients repeat a request that has no answer, and
/// take any status but kOk as final: a request that may succeed when it is repeated is dropped
/// (README.md has the table of both).
enum class Drop : std::uint8_t {
  none,
  too_short,    // not a whole MAD
  no_request,   // a response, a trap or a report
  not_master,   // another SM is master, or none yet
  bad_sm_key,   // neither 0 nor sa_key (IBTA Vol 1, 15.4.1.1)
  unknown_lid,  // no end has the source LID: one survey may have missed it
  wrong_gid,    // the source GID is not at the port with the source LID: the vport may be new there
  queue_full,   // RequestQueue's bounds, or those of unfinished requests of several MADs
  waited,       // for longer than max_msg_fifo_timeout
  no_room,      // for one more long response
  not_stored,   // the journal does not take what the response would promise
  changing,     // the GUID table that it changes is being written, or its port does not respond
  handed_over,  // a request that writes: another SM is about to be master
  recent_end,   // a path to an end that one survey may have missed
};
inline constexpr std::size_t kDrops = 14;
std::string_view name(Drop drop);
/// The request found no room or no time, as many others do at such a moment.
constexpr bool is_overload(Drop drop) {
  return drop == Drop::queue_full || drop == Drop::waited || drop == Drop::no_room;
}

struct ValidatedRequest {
  Drop drop = Drop::none;
  std::uint16_t status = 0;  // other than kOk: the response has this status
  Query query{};             // valid if status is kOk
};

/// The subnet that requests are answered from.
struct Answering {
  const fabric::Subnet* subnet = nullptr;  // null unless this SM is master
  /// The one before it, or null: until a port's PortInfo is written it sends with its old LID.
  const fabric::Subnet* before = nullptr;
  const AliasGuids* aliases = nullptr;  // null: there are none

  Answering(const fabric::Subnet* now, const fabric::Subnet* earlier = nullptr,
            const AliasGuids* alias_guids = nullptr)
      : subnet(now), before(earlier), aliases(alias_guids) {}
  /// The end of `subnet` with this LID: a vport if the LID is its own, else an end port; port
  /// kNoIndex if there is none.
  fabric::EndPoint owner(mad::Lid lid) const;
};

/// The end that sent a packet: of those at the port with its source LID the one with the source
/// GID of its global route header; without a header the owner of the LID. Of vports at one port the
/// source GID alone shows which it is: that none of them uses another's is enforced by their
/// device, which writes it. Errors: Drop::unknown_lid, Drop::wrong_gid.
tl::expected<fabric::EndPoint, Drop> source_of(const mad::MadAddress& from,
                                               const Answering& answering,
                                               const config::Options& options);

/// `record` is the data of the request: of its one MAD,
/// or of all segments of an RMPP request. Errors: a Drop, those of source_of() included, or a
/// status: kBadVersion, kMethodUnsupported. Source: IBTA Vol 1, 13.4.5, 13.4.7 and 15.4.1.
ValidatedRequest validate_request(const mad::ReceivedMad& received,
                                  std::span<const std::uint8_t> record, const Answering& answering,
                                  const config::Options& options);

/// The address of a response: the source of the request, with the Q_Key of QP1.
mad::MadAddress answer_to(const mad::MadAddress& from);

}  // namespace sa
