// Rows about a manager: conditions, subnet managers, isolated links, options.

#include <fmt/chrono.h>

#include <algorithm>
#include <chrono>

#include "config/schema.h"
#include "config/value.h"
#include "mad/format.h"
#include "sm/ops/rows.h"
#include "sm/ops/security.h"

namespace sm {

namespace {

using Json = nlohmann::json;
using Answered = nlohmann::ordered_json;

struct RaisedSource {
  const ConditionLog::Raised& raised;
  mad::TimePoint now;
  const Condition& condition() const { return raised.condition; }
};
struct OccurredSource {
  const ConditionLog::Occurred& occurred;
  mad::TimePoint now;
  std::chrono::sys_seconds wall;
  const Condition& condition() const { return occurred.condition; }
  /// Formats a time by RFC 3339, in UTC.
  std::string time_text(mad::TimePoint time) const {
    const auto ago = std::chrono::floor<std::chrono::seconds>(now - time);
    return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}",
                       fmt::gmtime(std::chrono::system_clock::to_time_t(wall - ago)));
  }
};
struct ManagerSource {
  const KnownManager& manager;
  bool here;
};
struct IsolatedSource {
  const Isolated& link;
  mad::TimePoint now;
};
struct LostSource {
  const LostThing& lost;
  mad::TimePoint now;
};
struct OptionSource {
  const config::Key& key;
  const config::Options& options;
  const config::Options& defaults;
  const std::map<std::string, std::string, std::less<>>& masters;
  std::string value() const { return config::value_text(key, options); }
  bool is_default() const { return value() == config::value_text(key, defaults); }
};

Json seconds(mad::Duration time) {
  return std::max<std::int64_t>(std::chrono::duration_cast<std::chrono::seconds>(time).count(), 0);
}

constexpr auto kCondition = std::to_array<Field<RaisedSource>>({
    {{"id", value::kText, "SM-LINK-LOST, ...: heddlectl explain"},
     [](auto& of) { return of.condition().id->name; }},
    {{"severity", value::kSeverity}, [](auto& of) { return name(find_severity(of.condition())); }},
    {{"text", value::kText}, [](auto& of) { return of.condition().text; }},
    {{"remedy", value::kText, "what the operator is to do"},
     [](auto& of) { return of.condition().id->remedy; }},
    {{"for_s", value::kInteger, "seconds since it was raised"},
     [](auto& of) { return seconds(of.now - of.raised.since); }},
    {{"times", value::kInteger, "how often it was raised"},
     [](auto& of) { return of.raised.times; }},
    {{"guid", value::kGuid, "that it names", true},
     [](auto& of) -> FieldValue {
       if (of.condition().guid == mad::Guid{}) return std::nullopt;
       return fmt::format("{}", of.condition().guid);
     }},
    {{"port", value::kInteger, "that it names", true},
     [](auto& of) -> FieldValue {
       return of.condition().port ? FieldValue(of.condition().port->value) : std::nullopt;
     }},
    {{"caused_by",
      R"({"type":"object","properties":{"id":{"type":"string"},"guid":{"type":"string"},
"port":{"type":"integer"}}})",
      "identifier, guid and port of the condition whose text counts this one", true},
     [](auto& of) -> FieldValue {
       if (!of.condition().caused_by) return std::nullopt;
       const ConditionSubject& cause = *of.condition().caused_by;
       Json row{{"id", cause.id->name}, {"guid", fmt::format("{}", cause.guid)}};
       if (cause.port) row["port"] = cause.port->value;
       return row;
     }},
});

constexpr auto kOccurrence = std::to_array<Field<OccurredSource>>({
    {{"id", value::kText, "SM-TABLES-LOST, ...: heddlectl explain"},
     [](auto& of) { return of.condition().id->name; }},
    {{"severity", value::kSeverity}, [](auto& of) { return name(find_severity(of.condition())); }},
    {{"text", value::kText, "of the latest one, in the past tense"},
     [](auto& of) { return of.condition().text; }},
    {{"at", value::kTime, "when it happened last"},
     [](auto& of) { return of.time_text(of.occurred.last); }},
    {{"ago_s", value::kInteger, "seconds since then"},
     [](auto& of) { return seconds(of.now - of.occurred.last); }},
    {{"first_at", value::kTime, "when it happened first, without a pause of ten minutes since"},
     [](auto& of) { return of.time_text(of.occurred.first); }},
    {{"times", value::kInteger, "how often it happened since then"},
     [](auto& of) { return of.occurred.times; }},
    {{"guid", value::kGuid, "that it names", true},
     [](auto& of) -> FieldValue {
       if (of.condition().guid == mad::Guid{}) return std::nullopt;
       return fmt::format("{}", of.condition().guid);
     }},
    {{"port", value::kInteger, "that it names", true},
     [](auto& of) -> FieldValue {
       return of.condition().port ? FieldValue(of.condition().port->value) : std::nullopt;
     }},
});

constexpr auto kManager = std::to_array<Field<ManagerSource>>({
    {{"guid", value::kGuid, "the PortGUID"},
     [](auto& of) { return fmt::format("{}", of.manager.guid); }},
    {{"name", value::kText}, [](auto& of) { return of.manager.name; }},
    {{"priority", value::kInteger}, [](auto& of) { return of.manager.priority; }},
    {{"state", value::kSmState}, [](auto& of) { return mad::name(of.manager.state); }},
    {{"counts", value::kBoolean, "false: treated as absent; a condition says why"},
     [](auto& of) { return of.manager.counts; }},
    {{"here", value::kBoolean, "whether it is the one that answers"},
     [](auto& of) { return of.here; }},
});

constexpr auto kIsolated = std::to_array<Field<IsolatedSource>>({
    {{"node_guid", value::kGuid}, [](auto& of) { return fmt::format("{}", of.link.place.node); }},
    {{"port", value::kInteger, "0: the whole switch"},
     [](auto& of) { return of.link.place.port.value; }},
    {{"name", value::kText}, [](auto& of) { return of.link.name; }},
    {{"peer", value::kText, "the other end; empty: none is known"},
     [](auto& of) { return of.link.peer; }},
    {{"peer_guid", value::kGuid, "its NodeGUID", true},
     [](auto& of) -> FieldValue {
       if (of.link.peer_node == mad::Guid{}) return std::nullopt;
       return fmt::format("{}", of.link.peer_node);
     }},
    {{"reason", "flapping|noisy|ordered|unhealthy|held_back"},
     [](auto& of) { return find_name(of.link.reason); }},
    {{"for_s", value::kInteger, "seconds"},
     [](auto& of) { return seconds(of.now - of.link.since); }},
    {{"ordered_by", value::kText, "the operator, if there was an order", true},
     [](auto& of) -> FieldValue {
       if (of.link.ordered_by.empty()) return std::nullopt;
       return of.link.ordered_by;
     }},
    {{"order_reason", value::kText, "as the operator gave it", true},
     [](auto& of) -> FieldValue {
       if (of.link.order_reason.empty()) return std::nullopt;
       return of.link.order_reason;
     }},
    {{"release_in_s", value::kInteger,
      "without further faults, or the rest of an order; absent: until it is released", true},
     [](auto& of) -> FieldValue {
       return of.link.until ? FieldValue(seconds(*of.link.until - of.now)) : std::nullopt;
     }},
});

constexpr auto kLost = std::to_array<Field<LostSource>>({
    {{"kind", "node|link"}, [](auto& of) { return of.lost.port ? "link" : "node"; }},
    {{"node_guid", value::kGuid, "of a link: of one end"},
     [](auto& of) { return fmt::format("{}", of.lost.node); }},
    {{"name", value::kText, "NodeDescription"}, [](auto& of) { return of.lost.name; }},
    {{"is_switch", value::kBoolean, "of a node", true},
     [](auto& of) -> FieldValue {
       return of.lost.port ? std::nullopt : FieldValue(of.lost.is_switch);
     }},
    {{"port", value::kInteger, "of a link", true},
     [](auto& of) -> FieldValue {
       return of.lost.port ? FieldValue(of.lost.port->value) : std::nullopt;
     }},
    {{"peer_guid", value::kGuid, "NodeGUID of the other end, or of what was in front of a node",
      true},
     [](auto& of) -> FieldValue {
       if (of.lost.peer_node == mad::Guid{}) return std::nullopt;
       return fmt::format("{}", of.lost.peer_node);
     }},
    {{"peer", value::kText, "its NodeDescription", true},
     [](auto& of) -> FieldValue {
       if (of.lost.peer_node == mad::Guid{}) return std::nullopt;
       return of.lost.peer;
     }},
    {{"peer_port", value::kInteger, {}, true},
     [](auto& of) -> FieldValue {
       return of.lost.peer_port ? FieldValue(of.lost.peer_port->value) : std::nullopt;
     }},
    {{"caused_by", value::kGuid, "NodeGUID of the lost switch that cuts the node off", true},
     [](auto& of) -> FieldValue {
       return of.lost.cause ? FieldValue(fmt::format("{}", *of.lost.cause)) : std::nullopt;
     }},
    {{"for_s", value::kInteger, "seconds since it was lost"},
     [](auto& of) { return seconds(of.now - of.lost.since); }},
});

constexpr auto kOption = std::to_array<Field<OptionSource>>({
    {{"key", value::kText}, [](auto& of) { return of.key.name; }},
    {{"value", value::kText, "as in opensm.conf; of a secret that is not its default MASKED"},
     [](auto& of) { return config::shown_value(of.key, of.options); }},
    {{"default", value::kBoolean, "whether it is the default"},
     [](auto& of) { return of.is_default(); }},
    {{"from", value::kText, "FILE:LINE, or command line", true},
     [](auto& of) -> FieldValue {
       const auto origin = of.options.origins.find(of.key.name);
       if (origin == of.options.origins.end()) return std::nullopt;
       const auto& [file, line, column] = origin->second;
       return line == 0 ? file : fmt::format("{}:{}", file, line);
     }},
    {{"restart", value::kText,
      "why a change takes effect at the next start only; absent: it does "
      "on a reload",
      true},
     [](auto& of) -> FieldValue {
       if (of.key.hup) return std::nullopt;
       return of.key.restart;
     }},
    {{"master", value::kText,
      "at a standby with state_store: the value at the master, if it is another one; equal values: "
      "secrets or contents of files differ",
      true},
     [](auto& of) -> FieldValue {
       const auto found = of.masters.find(of.key.name);
       return found == of.masters.end() ? std::nullopt : FieldValue(found->second);
     }},
});

/// Formats "leaf-3 port 17".
std::string end_text(const Answered& row, const char* name, const char* port) {
  std::string text = field_text(row, name);
  if (row.contains(port)) text += " port " + field_text(row, port);
  return text;
}

}  // namespace

RowInfo condition_info() { return {"Condition", "an active condition", infos_of(kCondition)}; }

RowInfo occurrence_info() {
  return {"Occurrence", "what has occurred within ten minutes", infos_of(kOccurrence)};
}

RowInfo manager_info() {
  return {"Sm",
          "a subnet manager",
          infos_of(kManager),
          {{"PortGUID", "guid"},
           {"state", "state"},
           {"priority", "priority"},
           {"",
            {},
            [](const Answered& sm) -> std::string {
              if (sm.at("here").get<bool>()) return "here";
              return sm.at("counts").get<bool>() ? "" : "treated as absent";
            }},
           {"port", "name"}}};
}

RowInfo isolated_info() {
  return {"Isolated", "a link or switch that is kept out of use", infos_of(kIsolated)};
}

RowInfo lost_info() {
  return {"Lost",
          "a node or link that was lost",
          infos_of(kLost),
          {{"lost", "kind"},
           {"name", {}, [](const Answered& row) { return end_text(row, "name", "port"); }},
           {"at", {}, [](const Answered& row) { return end_text(row, "peer", "peer_port"); }},
           {"since", {}, [](const Answered& row) {
              return elapsed_text(row.at("for_s").get<std::int64_t>()) + " ago";
            }}}};
}

std::string elapsed_text(std::int64_t seconds) {
  constexpr std::int64_t kMinute = 60, kHour = 3'600, kDay = 86'400;
  if (seconds < kMinute) return fmt::format("{} s", seconds);
  if (seconds < kHour) return fmt::format("{} min", seconds / kMinute);
  if (seconds < kDay) return fmt::format("{} h {} min", seconds / kHour, seconds % kHour / kMinute);
  return fmt::format("{} d {} h", seconds / kDay, seconds % kDay / kHour);
}

RowInfo option_info() { return {"Option", "an option in force", infos_of(kOption)}; }

Json condition_row(const ConditionLog::Raised& raised, mad::TimePoint now) {
  return row_of(kCondition, RaisedSource{raised, now});
}

Json occurrence_row(const ConditionLog::Occurred& occurred, mad::TimePoint now,
                    std::chrono::sys_seconds wall) {
  return row_of(kOccurrence, OccurredSource{occurred, now, wall});
}

Json manager_row(const KnownManager& manager, bool here) {
  return row_of(kManager, ManagerSource{manager, here});
}

Json isolated_row(const Isolated& link, mad::TimePoint now) {
  return row_of(kIsolated, IsolatedSource{link, now});
}

Json lost_row(const LostThing& lost, mad::TimePoint now) {
  return row_of(kLost, LostSource{lost, now});
}

Json option_rows(const config::Options& options,
                 const std::map<std::string, std::string, std::less<>>& masters_options) {
  const config::Options defaults;
  Json rows = Json::array();
  for (const config::Key& key : config::keys())
    rows.push_back(row_of(kOption, OptionSource{key, options, defaults, masters_options}));
  return rows;
}

std::vector<RowInfo> all_row_infos() {
  return {node_info(),
          end_port_info(),
          port_info(),
          link_info(),
          end_info(),
          lid_info(),
          virtualized_port_info(),
          vport_info(),
          listed_vport_info(),
          group_info(),
          group_member_info(),
          service_info(),
          subnet_partition_info(),
          subnet_partition_member_info(),
          manager_info(),
          isolated_info(),
          port_counters_info(),
          congestion_info(),
          adaptive_switch_info(),
          adaptive_group_info(),
          router_info(),
          other_subnet_info(),
          lost_info(),
          condition_info(),
          occurrence_info(),
          option_info(),
          security_info()};
}

std::string to_line(const Json& row) {
  return row.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string open_object(const Json& head, std::string_view name) {
  std::string text = to_line(head);
  text.back() = ',';
  return text + to_line(name) + ":";
}

}  // namespace sm
