#pragma once
// Reads of a few attributes between sweeps: what a trap is about, without a sweep.

#include <boost/asio/awaitable.hpp>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "fabric/subnet.h"
#include "mad/attributes/node_info.h"
#include "mad/smp_client.h"

namespace sm {

/// Names P_Key tables: those of an end port (its GUID) and of the switch port in front of it, and
/// that of one of its vports.
struct PKeyCheck {
  mad::Guid port;
  std::optional<std::uint16_t> vport = {};
  bool operator==(const PKeyCheck&) const = default;
};

/// Names what to read. Subjects that are not in the fabric are skipped.
struct SingleReads {
  std::vector<mad::Guid> descriptions;  // NodeGUIDs: NodeDescription
  std::vector<mad::Guid> managers;      // port GUIDs: SMInfo
  std::vector<mad::Guid> states;        // NodeGUIDs: SwitchInfo of a switch, PortInfo of the linked
                                        // ports of another node
  std::vector<PKeyCheck> p_keys = {};   // compared by Auditor::check_p_keys()
  std::optional<mad::TimePoint> arrived = {};  // of the first trap that requested them
};

/// Names an attribute to read: of the node of `port`, by that port.
struct AttributeRead {
  mad::AttributeId attribute{};
  std::uint32_t modifier = 0;
  PortIndex port = kNoIndex;
};

/// Sends a SubnGet for each, several at a time as the client's limits allow. Returns the answers in
/// the order of the reads; nullopt if no route leads to the port. `fabric` must outlive the call.
boost::asio::awaitable<std::vector<std::optional<mad::SmpAnswer>>> read_each(
    mad::SmpClient& client, const Fabric& fabric, std::vector<AttributeRead> reads);

struct SingleAnswers {
  std::vector<std::pair<NodeIndex, mad::NodeDescription>> descriptions;  // that differ
  std::vector<OtherSm> managers;                                         // that answered
  std::vector<mad::Guid> changed;  // NodeGUIDs: the state is not as in `fabric`, or not readable
};

/// One SubnGet for each, except P_Key tables; nothing is written.
boost::asio::awaitable<SingleAnswers> read_single(mad::SmpClient& client, const Fabric& fabric,
                                                  const SingleReads& reads);

}  // namespace sm
