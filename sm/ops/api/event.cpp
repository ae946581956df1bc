#include "sm/ops/api/event.h"

#include <array>
#include <nlohmann/json.hpp>

#include "mad/format.h"

namespace sm::api {

namespace {

FieldValue guid_of(const std::optional<EventEnd>& end) {
  return end ? FieldValue(fmt::format("{}", end->node)) : std::nullopt;
}
FieldValue port_of(const std::optional<EventEnd>& end) {
  return end && end->port.value != 0 ? FieldValue(end->port.value) : std::nullopt;
}

constexpr std::string_view kEventKindNames =
    "node_appeared|node_disappeared|node_renamed|link_up|link_down|link_changed|port_changed|"
    "condition_raised|condition_cleared|condition_occurred|partition_created|partition_deleted|"
    "partition_changed|"
    "subnet_reachable|subnet_unreachable|sweep|snapshot|state_changed|master_changed|more";

constexpr auto kEvent = std::to_array<Field<Event>>({
    {{"kind", kEventKindNames}, [](auto& of) { return name(of.kind); }},
    {{"severity", value::kSeverity}, [](auto& of) { return fabric::name(of.severity); }},
    {{"text", value::kText}, [](auto& of) { return of.text; }},
    {{"node_guid", value::kGuid, {}, true}, [](auto& of) { return guid_of(of.subject); }},
    {{"port", value::kInteger, {}, true}, [](auto& of) { return port_of(of.subject); }},
    {{"peer_node_guid", value::kGuid, "of the other end of a link", true},
     [](auto& of) { return guid_of(of.peer); }},
    {{"peer_port", value::kInteger, {}, true}, [](auto& of) { return port_of(of.peer); }},
    {{"p_key", value::kText, "of a partition", true},
     [](auto& of) -> FieldValue {
       return of.p_key ? FieldValue(fmt::format("{:#06x}", *of.p_key)) : std::nullopt;
     }},
    {{"condition", value::kText, "its identifier", true},
     [](auto& of) -> FieldValue {
       return of.condition ? FieldValue((*of.condition)->name) : std::nullopt;
     }},
    {{"caused_by", value::kGuid, "NodeGUID of the lost node that this follows from", true},
     [](auto& of) -> FieldValue {
       return of.caused_by ? FieldValue(fmt::format("{}", *of.caused_by)) : std::nullopt;
     }},
});

}  // namespace

std::string_view name(EventKind kind) {
  return choice(kEventKindNames, static_cast<std::size_t>(kind));
}

RowInfo event_info() {
  RowInfo info{"Event", "an event", infos_of(kEvent)};
  info.fields.insert(
      info.fields.begin(),
      {{"id", value::kText, "?since= of a request for later ones"}, {"time", value::kTime}});
  info.fields.push_back({"snapshot", value::kText, {}, true});
  info.fields.push_back({"fabric_id", value::kTextOrNull, {}, true});
  return info;
}

nlohmann::json event_row(const Event& event) { return row_of(kEvent, event); }

}  // namespace sm::api
