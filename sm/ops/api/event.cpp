#include "sm/ops/api/event.h"

#include <array>
#include <nlohmann/json.hpp>

#include "mad/format.h"

namespace sm::api {

std::string_view name(EventKind kind) {
  constexpr std::array<std::string_view, kEventKinds> kNames{"node_appeared",
                                                             "node_disappeared",
                                                             "node_renamed",
                                                             "link_up",
                                                             "link_down",
                                                             "link_changed",
                                                             "port_changed",
                                                             "condition_raised",
                                                             "condition_cleared",
                                                             "partition_created",
                                                             "partition_deleted",
                                                             "partition_changed",
                                                             "sweep",
                                                             "snapshot",
                                                             "state_changed",
                                                             "master_changed",
                                                             "more"};
  return kNames[static_cast<std::size_t>(kind)];
}

nlohmann::json event_row(const Event& event) {
  nlohmann::json row{
      {"kind", name(event.kind)}, {"severity", fabric::name(event.severity)}, {"text", event.text}};
  const auto add_end = [&](const std::optional<EventEnd>& end, const std::string& prefix) {
    if (!end) return;
    row[prefix + "node_guid"] = fmt::format("{}", end->node);
    if (end->port.value != 0) row[prefix + "port"] = end->port.value;
  };
  add_end(event.subject, "");
  add_end(event.peer, "peer_");
  if (event.p_key) row["p_key"] = fmt::format("{:#06x}", *event.p_key);
  if (event.condition) row["condition"] = find_kind(*event.condition).name;
  if (event.caused_by) row["caused_by"] = fmt::format("{}", *event.caused_by);
  return row;
}

}  // namespace sm::api
