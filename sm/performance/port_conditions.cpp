#include "sm/performance/port_conditions.h"

#include <array>
#include <iterator>
#include <string_view>

#include "mad/format.h"
#include "sm/performance/counter_conditions.h"

namespace sm {
namespace {

struct KindText {
  std::string_view counters, option;
};
constexpr std::array<KindText, kErrorKinds> kKindTexts{{
    {"SymbolErrorCounter", "perfmgr_symbol_errors_per_hour"},
    {"LinkErrorRecoveryCounter and LinkDownedCounter", "perfmgr_link_recoveries_per_hour"},
    {"PortRcvErrors", "perfmgr_receive_errors_per_hour"},
    {"PortXmitDiscards", "perfmgr_discards_per_hour"},
}};

std::string errors_text(const ErrorWindow& errors, const ErrorLimits& limits) {
  std::string text;
  for (std::size_t kind = 0; kind < kErrorKinds; ++kind) {
    if ((errors.raised() >> kind & 1u) == 0) continue;
    fmt::format_to(std::back_inserter(text), "{}{} grew by {} in an hour ({} {})",
                   text.empty() ? "" : "; ", kKindTexts[kind].counters, errors.stated()[kind],
                   kKindTexts[kind].option, limits.per_hour[kind]);
  }
  return text;
}

std::string names_of(CounterSet counters) {
  std::string text;
  for (std::size_t index = 0; index < kCounters; ++index)
    if ((counters >> index & 1u) != 0)
      fmt::format_to(std::back_inserter(text), "{}{}", text.empty() ? "" : ", ",
                     name(static_cast<Counter>(index)));
  return text;
}

}  // namespace

std::vector<Condition> port_conditions(const PolledNode& polled, const PollOptions& options) {
  std::vector<Condition> conditions;
  const auto add = [&](ConditionId id, const PortCounters& row, const std::string& what) {
    const PortIndex port = polled.fabric.port(polled.node, row.port);
    const PortIndex peer = polled.fabric.ports[port].peer;
    conditions.push_back(
        {.id = id,
         .text = fmt::format("{}{}: {}", polled.fabric.port_name(port),
                             peer == kNoIndex ? "" : " <-> " + polled.fabric.port_name(peer), what),
         .guid = polled.counters.node,
         .port = row.port});
  };
  for (std::size_t at = 0; at < polled.counters.ports.size(); ++at) {
    const PortCounters& row = polled.counters.ports[at];
    const ErrorWindow* const errors = polled.memory[at].errors.get();
    if (options.log_errors && errors != nullptr && errors->raised() != 0)
      add(kCounterConditions.port_errors, row, errors_text(*errors, options.limits));
    if (row.saturated != 0)
      add(kCounterConditions.counter_saturated, row,
          fmt::format("{} at the largest value", names_of(row.saturated)));
    if (options.log_xmit_wait && polled.growth[at].xmit_wait > options.xmit_wait_threshold)
      add(kCounterConditions.port_congested, row,
          fmt::format("PortXmitWait grew by more than {} ticks since the previous poll",
                      options.xmit_wait_threshold));
  }
  if (!polled.fault.empty())
    conditions.push_back({.id = kCounterConditions.counters_unavailable,
                          .text = fmt::format("{}: its performance management agent {}",
                                              polled.fabric.name(polled.node), polled.fault),
                          .guid = polled.counters.node});
  return conditions;
}

}  // namespace sm
