#include "sm/congestion/congestion_conditions.h"

#include <string>
#include <utility>

#include "mad/format.h"

namespace sm {
namespace {

constexpr std::size_t kListedMax = 500;
/// This number of visits in a row without a response is a condition.
constexpr unsigned kSilentVisits = 2;

std::string counted(std::size_t count, std::string_view one, std::string_view several) {
  return fmt::format("{} {}", count, count == 1 ? one : several);
}

struct Counts {
  std::size_t all = 0, without = 0;  // `without`: no congestion control, or never a response
};

/// Returns "" if the device is as it should be, or is counted with those that have no congestion
/// control.
std::string fault_text(const CongestionRecord& record, const CongestionPlan& plan) {
  const CongestionDevice& device = record.shown;
  switch (device.state) {
    case CongestionState::refused:
      if (device.refuses == mad::CongestionControlAttribute::congestion_control_table &&
          plan.table_blocks > device.table_blocks_max)
        return fmt::format(
            "its CongestionControlTable takes {} entries, cc_cct has more: none is written",
            device.table_blocks_max * mad::CongestionControlTableFields::kEntries);
      if (device.status == mad::status::kOk)
        return fmt::format("{} {} keeps other values than those of the options",
                           name(device.refuses), device.refuses_modifier);
      return fmt::format("{} {} is rejected with status {:#06x}", name(device.refuses),
                         device.refuses_modifier, device.status);
    case CongestionState::other_key:
      return "it has another CC_Key than cc_key: its settings cannot be changed";
    case CongestionState::silent:
      return record.has_answered && record.failures >= kSilentVisits
                 ? "it does not answer congestion control requests any more"
                 : "";
    case CongestionState::pending:
    case CongestionState::configured:
    case CongestionState::unsupported:
      break;
  }
  return "";
}

/// A switch without marks throttles no flow; a CA that does not react does not throttle its own
/// flows.
Severity severity(const CongestionDevice& device) {
  return device.is_switch ? Severity::warning : Severity::info;
}

std::optional<Condition> missing(const Counts& switches, const Counts& cas) {
  if (switches.without + cas.without == 0) return std::nullopt;
  const bool no_marks = switches.all > 0 && switches.without == switches.all,
             no_reaction = cas.all > 0 && cas.without == cas.all;
  std::string text =
      fmt::format("{} of {} and {} of {} have no congestion control, or do not answer",
                  switches.without, counted(switches.all, "switch", "switches"), cas.without,
                  counted(cas.all, "CA port", "CA ports"));
  if (no_marks)
    text += ": no packet is marked, congestion control has no effect";
  else if (no_reaction)
    text += ": no source reacts to marks, congestion control has no effect";
  return Condition{.id = ConditionId::congestion_control_missing,
                   .text = std::move(text),
                   .severity = no_marks || no_reaction ? Severity::warning : Severity::info};
}

}  // namespace

std::vector<Condition> congestion_conditions(const Fabric& fabric, const CongestionRecords& records,
                                             const CongestionPlan& plan) {
  std::vector<Condition> conditions;
  Counts switches, cas;
  std::size_t more = 0;
  for (const auto& record : records) {
    const CongestionDevice& device = record->shown;
    Counts& counts = device.is_switch ? switches : cas;
    ++counts.all;
    const bool is_without = device.state == CongestionState::unsupported ||
                            (device.state == CongestionState::silent && !record->has_answered);
    counts.without += is_without ? 1 : 0;
    const std::string fault = fault_text(*record, plan);
    const auto found = fabric.port_of_guid.find(device.guid);
    if (fault.empty() || found == fabric.port_of_guid.end()) continue;
    if (conditions.size() >= kListedMax) {
      ++more;
      continue;
    }
    const std::string subject = device.is_switch ? fabric.name(fabric.ports[found->second].node)
                                                 : fabric.port_name(found->second);
    conditions.push_back({.id = ConditionId::congestion_control_refused,
                          .text = fmt::format("{}: {}", subject, fault),
                          .guid = device.node,
                          .port = device.is_switch ? std::optional<mad::PortNum>() : device.port,
                          .severity = severity(device)});
  }
  if (more > 0)
    conditions.push_back({.id = ConditionId::congestion_control_refused,
                          .text = fmt::format("{} beside those listed",
                                              counted(more, "more device", "more devices")),
                          .severity = Severity::warning});
  if (auto condition = missing(switches, cas)) conditions.push_back(*std::move(condition));
  return conditions;
}

}  // namespace sm
