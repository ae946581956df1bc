#include "config/qos_policy_reader.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "config/value.h"

namespace config {
namespace {

constexpr std::string_view kUlpBlanks = " \t\r\v\f";
constexpr std::uint64_t kAnyService = ~std::uint64_t{0}, kUlpSlMax = 15, kTcpPortMax = 0xFFFF;
constexpr std::uint64_t kIpoibPKey = 0x7FFF;
// These are ServiceIDs of the protocols over RDMA-CM: the low 16 bits are the TCP port (IBTA Vol 1,
// annex A11).
constexpr std::uint64_t kSdpServices = 0x10000, kTcpServices = 0x1060000, kRdsPort = 0x48CA,
                        kIserPort = 0x0CBC;

}  // namespace

/// Describes what selects queries, after the protocol's name.
struct QosUlps::Form {
  std::string_view protocol,
      selector;  // no selector: the line has none, and `base` is the first of `count` numbers
  Selects selects;
  std::uint64_t base = 0;  // added to the numbers of the selector
  std::uint64_t max = kAnyService;
  std::uint64_t count = 1;
};
constexpr QosUlps::Form QosUlps::kForms[] = {
    {"sdp", "", Selects::service_id, kSdpServices, 0, kTcpPortMax + 1},
    {"sdp", "port-num", Selects::service_id, kSdpServices, kTcpPortMax},
    {"rds", "", Selects::service_id, kTcpServices + kRdsPort},
    {"rds", "port-num", Selects::service_id, kTcpServices, kTcpPortMax},
    {"iser", "", Selects::service_id, kTcpServices + kIserPort},
    {"iser", "port-num", Selects::service_id, kTcpServices, kTcpPortMax},
    {"srp", "target-port-guid", Selects::target},
    {"ipoib", "", Selects::p_key, kIpoibPKey},
    {"ipoib", "pkey", Selects::p_key},
    {"any", "service-id", Selects::service_id},
    {"any", "pkey", Selects::p_key},
    {"any", "target-port-guid", Selects::target},
    {"any", "source-port-guid", Selects::source},
    {"any", "source-target-port-guid", Selects::source_and_target},
};

void QosUlps::read_line(std::string_view text, PositionedValues& values) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos)
    return values.error(text, "there is no SL here", "write ': SL' at the end of the line");
  const auto sl = values.number(text.substr(colon + 1), "SL", 0, kUlpSlMax);
  const std::string_view match = text.substr(0, colon);
  const std::size_t comma = match.find(',');
  const std::string_view protocol = trim(match.substr(0, comma));
  std::string_view selector, numbers;
  if (comma != std::string_view::npos) {
    const std::string_view after =
        match.substr(std::min(match.find_first_not_of(kUlpBlanks, comma + 1), match.size()));
    selector = after.substr(0, after.find_first_of(kUlpBlanks));
    numbers = after.substr(selector.size());
  }
  if (same_qos_name(protocol, "DEFAULT") && comma == std::string_view::npos) {
    if (default_sl_) return values.error(text, "default appears twice", "remove one of the two");
    default_sl_ = static_cast<std::uint8_t>(sl.value_or(0));
    return;
  }
  const auto form = std::ranges::find_if(kForms, [&](const Form& f) {
    return same_qos_name(f.protocol, protocol) && same_qos_name(f.selector, selector);
  });
  if (form == std::end(kForms) || (comma != std::string_view::npos && selector.empty()))
    return report_unknown(text, protocol, values);
  NumberRanges ranges;
  if (selector.empty()) {
    ranges.add({form->base, form->base + form->count - 1});
  } else if (!(form->selects == Selects::p_key
                   ? values.read_p_keys(numbers, ranges)
                   : values.read_ranges(numbers, selector, 0, form->max, ranges, form->base))) {
    return;
  }
  if (sl) add_rule(form->selects, std::move(ranges), static_cast<std::uint8_t>(*sl));
}

void QosUlps::report_unknown(std::string_view line, std::string_view protocol,
                             PositionedValues& values) {
  std::vector<std::string> forms;
  for (const Form& form : kForms) {
    if (!same_qos_name(form.protocol, protocol)) continue;
    forms.push_back(form.selector.empty()
                        ? fmt::format("'{}'", form.protocol)
                        : fmt::format("'{}, {} ...'", form.protocol, form.selector));
  }
  if (forms.empty())
    return values.error(line, fmt::format("{} is not a protocol known here", in_quotes(protocol)),
                        "write default, sdp, rds, iser, srp, ipoib or any");
  values.error(line, fmt::format("{} cannot be selected like this", protocol),
               fmt::format("write {} in front of the ':'", fmt::join(forms, " or ")));
}

void QosUlps::add_rule(Selects selects, NumberRanges ranges, std::uint8_t sl) {
  QosRule rule{.level = levels_.size(),
               .sources = {},
               .destinations = {},
               .qos_classes = {},
               .service_ids = {},
               .p_keys = {}};
  levels_.push_back({.name = {},
                     .sl = sl,
                     .mtu_limit = {},
                     .rate_limit = {},
                     .packet_life = {},
                     .path_bits = {},
                     .p_keys = {}});
  if (selects == Selects::service_id) {
    rule.service_ids = std::move(ranges);
  } else if (selects == Selects::p_key) {
    rule.p_keys = std::move(ranges);
  } else {
    const std::vector<std::size_t> group{groups_.size()};
    groups_.emplace_back().port_guids = std::move(ranges);
    if (selects != Selects::target) rule.sources = group;
    if (selects != Selects::source) rule.destinations = group;
  }
  rules_.push_back(std::move(rule));
}

void QosUlps::append_to(QosPolicy& policy) && {
  const std::size_t first_level = policy.levels.size(), first_group = policy.port_groups.size();
  std::ranges::move(levels_, std::back_inserter(policy.levels));
  std::ranges::move(groups_, std::back_inserter(policy.port_groups));
  for (QosRule& rule : rules_) {
    rule.level += first_level;
    for (auto* groups : {&rule.sources, &rule.destinations})
      for (std::size_t& group : *groups) group += first_group;
    policy.rules.push_back(std::move(rule));
  }
}

}  // namespace config
