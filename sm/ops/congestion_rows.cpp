// Rows of devices with their congestion control.

#include <algorithm>

#include "mad/format.h"
#include "sm/ops/rows.h"

namespace sm {

namespace {

struct CongestionSource {
  const CongestionDevice& device;
  const Fabric* fabric;  // null: none is published
  mad::TimePoint now;

  bool is_shown() const {
    return device.state == CongestionState::configured || device.state == CongestionState::refused;
  }
};

std::string refusal_text(const CongestionDevice& device) {
  const std::string what = fmt::format("{} {}", name(device.refuses), device.refuses_modifier);
  return device.status == mad::status::kOk ? what + ": other values are kept"
                                           : fmt::format("{}: {:#06x}", what, device.status);
}

std::string device_text(const nlohmann::ordered_json& row) {
  std::string text = field_text(row, "description");
  if (row.at("type") == "CA") text += " port " + field_text(row, "port");
  return text;
}

/// Formats "threshold 15, marking rate 3, map 0x15", "SLs 0x0001, table of 128".
std::string settings_text(const nlohmann::ordered_json& row) {
  if (!row.contains("control_map")) return "-";
  const auto map = row.at("control_map").get<unsigned>();
  if (row.at("type") == "Switch")
    return fmt::format("threshold {}, marking rate {}, map {:#04x}", field_text(row, "threshold"),
                       field_text(row, "marking_rate"), map);
  return fmt::format("SLs {:#06x}, table of {}", map, field_text(row, "table_entries"));
}

constexpr auto kCongestion = std::to_array<Field<CongestionSource>>({
    {{"node_guid", value::kGuid}, [](auto& of) { return fmt::format("{}", of.device.node); }},
    {{"port_guid", value::kGuid, "of a switch: of its port 0"},
     [](auto& of) { return fmt::format("{}", of.device.guid); }},
    {{"description", value::kText},
     [](auto& of) -> FieldValue {
       if (of.fabric == nullptr) return "";
       const auto found = of.fabric->node_of_guid.find(of.device.node);
       return found == of.fabric->node_of_guid.end() ? std::string()
                                                     : of.fabric->description(found->second);
     }},
    {{"type", "CA|Switch"}, [](auto& of) { return of.device.is_switch ? "Switch" : "CA"; }},
    {{"port", value::kInteger}, [](auto& of) { return of.device.port.value; }},
    {{"state", "pending|configured|unsupported|refused|other_key|silent"},
     [](auto& of) { return name(of.device.state); }},
    {{"refused", value::kText, "what it rejects: attribute, modifier, status", true},
     [](auto& of) -> FieldValue {
       if (of.device.state != CongestionState::refused) return std::nullopt;
       return refusal_text(of.device);
     }},
    {{"control_map", value::kInteger, "of a switch: settings in use; of a CA port: SLs", true},
     [](auto& of) -> FieldValue {
       return of.is_shown() ? FieldValue(of.device.control_map) : std::nullopt;
     }},
    {{"threshold", value::kInteger, "of a switch: 0 (no marks) to 15", true},
     [](auto& of) -> FieldValue {
       return of.is_shown() && of.device.is_switch ? FieldValue(of.device.threshold) : std::nullopt;
     }},
    {{"marking_rate", value::kInteger, "of a switch: packets between marks", true},
     [](auto& of) -> FieldValue {
       return of.is_shown() && of.device.is_switch ? FieldValue(of.device.marking_rate)
                                                   : std::nullopt;
     }},
    {{"table_entries", value::kInteger, "of a CA port: of its CongestionControlTable", true},
     [](auto& of) -> FieldValue {
       return of.is_shown() && !of.device.is_switch ? FieldValue(of.device.table_limit + 1)
                                                    : std::nullopt;
     }},
    {{"events", value::kInteger,
      "by its CongestionLog, since this manager read it first: marked packets of a switch, flows "
      "of a CA port that reached the trigger threshold; absent: it has no log",
      true},
     [](auto& of) -> FieldValue {
       return of.device.has_log ? FieldValue(of.device.events) : std::nullopt;
     }},
    {{"sets", value::kInteger, "that it took from this manager"},
     [](auto& of) { return of.device.sets; }},
    {{"read_s", value::kInteger, "seconds since it was read", true},
     [](auto& of) -> FieldValue {
       if (of.device.read_at == mad::TimePoint{}) return std::nullopt;
       return std::max<std::int64_t>(
           std::chrono::duration_cast<std::chrono::seconds>(of.now - of.device.read_at).count(), 0);
     }},
});

}  // namespace

RowInfo congestion_info() {
  return {"Congestion",
          "a device with congestion control",
          infos_of(kCongestion),
          {{"NodeGUID", "node_guid"},
           {"type", "type"},
           {"state", "state"},
           {"settings", {}, settings_text},
           {"events",
            {},
            [](const nlohmann::ordered_json& row) {
              return row.contains("events") ? field_text(row, "events") : std::string("-");
            }},
           {"device", {}, device_text}}};
}

nlohmann::json congestion_row(const CongestionDevice& device, const Fabric* fabric,
                              mad::TimePoint now) {
  return row_of(kCongestion, CongestionSource{device, fabric, now});
}

}  // namespace sm
