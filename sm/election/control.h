#pragma once
// This file decides which Set(SMInfo) from other managers this manager accepts (IBTA Vol 1,
// 14.4.1).

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "fabric/subnet.h"
#include "mad/runtime.h"
#include "mad/smp.h"
#include "mad/transport.h"
#include "sm/election/state_machine.h"

namespace sm {

/// Returns whether a received SMP was sent from this end port, by what the network wrote into it:
/// the SLID, or the return path, of which every switch writes its own entry. A path that continues
/// behind a CA or router does not lead to the sender. An SMP with both a LID-routed and a directed
/// part comes from no known port.
bool is_from(const Fabric& fabric, PortIndex end_port, const mad::ReceivedMad& received);

/// Finds the SM in `sms`, ports of `fabric`, that sent this SMP; null if none of them did.
const OtherSm* sender_of(const Fabric& fabric, std::span<const OtherSm> sms,
                         const mad::ReceivedMad& received);

/// Holds the request of a Set(SMInfo), and its sender.
struct ControlRequest {
  std::uint32_t control = 0;               // the attribute modifier
  mad::SmInfo sender;                      // as the request says
  std::optional<mad::SmInfo> master = {};  // of the SM from whose port it came, if that is one
                                           // which may lead this manager
  bool from_successor = false;             // it came from the port to which a HANDOVER was sent
};

struct ControlAnswer {
  std::uint16_t status = 0;           // of the GetResp
  const SmRule* rule = nullptr;       // null: nothing changes
  std::string_view refused_for = {};  // for the log; empty: it is not refused
  bool survey = false;                // a survey is to show who sent it
};

/// Decides which requests this manager accepts. HANDOVER, DISABLE, STANDBY and DISCOVER must come
/// from the master: from its port, with its GUID, in state MASTER. A DISCOVERING manager knows no
/// master yet: HANDOVER makes it repeat its survey, which shows the master. ACKNOWLEDGE ends MASTER
/// only if it comes from the SM to which a HANDOVER was sent. A request that leaves the state
/// unchanged (HANDOVER to a master) counts once in kPause, as it costs a sweep.
///
/// HANDOVER to a master from an unknown manager may come from the master of another part of the
/// fabric, which a new link has joined, and which has cleared PortStateChange there. This manager
/// refuses it, but makes a survey, once in kSurveyPause.
class ControlRequests {
 public:
  static constexpr mad::Duration kPause = std::chrono::seconds(10);
  static constexpr mad::Duration kSurveyPause = std::chrono::minutes(1);

  /// Answers a request; `state` and `sm_key` belong to this manager. A request with SM_Key 0 does
  /// not show a key, as OpenSM's requests.
  ControlAnswer answer(mad::SmState state, std::uint64_t sm_key, const ControlRequest& request,
                       mad::TimePoint now);

 private:
  std::optional<mad::TimePoint> next_;  // when the next one without a change of state counts
  std::optional<mad::TimePoint> next_survey_;
};

}  // namespace sm
