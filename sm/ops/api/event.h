#pragma once
// Events of a subnet, as operators read them in a time line. Events are the differences between
// successive published snapshots. Pure.

#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fabric/condition.h"
#include "mad/ids.h"
#include "mad/runtime.h"
#include "sm/ops/api/snapshot.h"
#include "sm/ops/row_declaration.h"

namespace sm::api {

enum class EventKind : std::uint8_t {
  node_appeared,
  node_disappeared,
  node_renamed,
  link_up,
  link_down,
  link_changed,  // width or speed
  port_changed,  // PortState, of a link that stays up
  condition_raised,
  condition_cleared,
  condition_occurred,
  partition_created,
  partition_deleted,
  partition_changed,
  subnet_reachable,  // another one, through routers
  subnet_unreachable,
  sweep,
  snapshot,  // another subnet is published
  state_changed,
  master_changed,
  more,  // events of one comparison that are left out
};
inline constexpr std::size_t kEventKinds = static_cast<std::size_t>(EventKind::more) + 1;
std::string_view name(EventKind kind);

/// Node and port of an end of a link; port 0 means the node itself.
struct EventEnd {
  mad::Guid node;
  mad::PortNum port;
  bool operator==(const EventEnd&) const = default;
};

struct Event {
  EventKind kind{};
  Severity severity = Severity::info;
  std::string text;  // one sentence that names the subject
  std::optional<EventEnd> subject = {}, peer = {};
  std::optional<std::uint16_t> p_key = {};
  std::optional<ConditionId> condition = {};
  std::optional<mad::Guid> caused_by = {};  // NodeGUID of the lost node that an event of a node or
                                            // link follows from
  /// The manager noticed the event at this time; nullopt means when the View was published.
  std::optional<mad::TimePoint> noticed = {};
};
/// Returns the row without id, time, snapshot and fabric_id, which the log of events adds.
nlohmann::json event_row(const Event& event);
RowInfo event_info();

/// Bounds the text of an event: what is longer is cut, and says so.
inline constexpr std::size_t kEventTextBytesMax = 4096;

/// Bounds the events of each kind in one comparison; events that are left out are counted.
inline constexpr std::size_t kEventsOfKindMax = 1'000;

/// Compares two Views of one manager. The first sweep is one `snapshot`, not an event for each
/// node. Order: nodes, links, ports, partitions, other subnets, conditions, then sweep, snapshot,
/// states.
std::vector<Event> events_between(const View& before, const View& after);

}  // namespace sm::api
