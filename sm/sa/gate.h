#pragma once
// What every request must pass before anybody looks at what it asks for.

#include <string_view>
#include <vector>

#include "config/options.h"
#include "fabric/subnet.h"
#include "mad/rmpp.h"
#include "mad/transport.h"
#include "sm/sa/query/query.h"

namespace sa {

/// Why a MAD is dropped without an answer.
enum class Drop : std::uint8_t {
  none,
  too_short,   // not a whole MAD
  no_request,  // a response, a trap, or a method that no class has
  not_master,  // another manager answers, or nobody yet: the client asks again
  bad_sm_key,  // neither 0 nor sa_key: whoever guesses hears nothing (IBTA Vol 1, 15.4.1.1)
};
inline constexpr std::size_t kDrops = 5;
std::string_view name(Drop drop);

struct Admission {
  Drop drop = Drop::none;
  std::uint16_t status = 0;  // other than kOk: this is the answer
  Query query{};             // otherwise
};

/// `subnet` is null while this manager does not lead. `record` is the data of the request: of its
/// one MAD, or of all of an RMPP request. Errors: as statuses: kBadVersion; kReqInvalid for a LID
/// that no end port has. Source: IBTA Vol 1, 13.4.5, 13.4.7 and 15.4.1.
Admission admit(const mad::ReceivedMad& received, std::span<const std::uint8_t> record,
                const sm::Subnet* subnet, const config::Options& options);

/// The address of an answer: where the request came from, by the same way.
mad::MadAddress answer_to(const mad::MadAddress& from);

}  // namespace sa
