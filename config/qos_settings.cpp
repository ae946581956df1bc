#include "config/qos_settings.h"

#include <algorithm>

#include "config/value.h"

namespace config {
namespace {

constexpr unsigned kVls = 15;

QosSettings built_in() {
  QosSettings settings;
  for (std::uint8_t sl = 0; sl < settings.sl_to_vl.size(); ++sl)
    settings.sl_to_vl[sl] = sl < kVls ? sl : 7;
  for (std::uint8_t vl = 0; vl < kVls; ++vl) {
    settings.high.push_back({vl, static_cast<std::uint8_t>(vl == 0 ? 4 : 0)});
    settings.low.push_back({vl, static_cast<std::uint8_t>(vl == 0 ? 0 : 4)});
  }
  return settings;
}

std::optional<std::uint8_t> number_up_to(std::string_view text, unsigned max) {
  const auto number = parse_number(text);
  if (!number || *number > max) return std::nullopt;
  return static_cast<std::uint8_t>(*number);
}

/// Returns the parts between commas; a comma at the end has no part after it.
std::vector<std::string_view> qos_list_parts(std::string_view text) {
  std::vector<std::string_view> parts = split(text, ",");
  if (parts.size() > 1 && parts.back().empty()) parts.pop_back();
  return parts;
}

void overwrite(QosSettings& settings, const QosSet& set) {
  if (set.max_vls != 0) settings.vls_max = std::min(set.max_vls, kVls);
  if (set.high_limit >= 0)
    settings.high_limit = static_cast<std::uint8_t>(std::min(set.high_limit, 255));
  if (const auto list = parse_sl_to_vl(set.sl2vl))
    settings.sl_to_vl = *list, settings.own_sl_to_vl = true;
  if (auto list = parse_vl_weights(set.vlarb_high))
    settings.high = std::move(*list), settings.own_weights = true;
  if (auto list = parse_vl_weights(set.vlarb_low))
    settings.low = std::move(*list), settings.own_weights = true;
}

}  // namespace

std::size_t qos_list_size(std::string_view text) { return qos_list_parts(text).size(); }

std::optional<SlToVlList> parse_sl_to_vl(std::string_view text) {
  const std::vector<std::string_view> parts = qos_list_parts(text);
  if (parts.empty()) return std::nullopt;
  SlToVlList list{};
  for (std::size_t sl = 0; sl < parts.size(); ++sl) {
    const auto vl = number_up_to(parts[sl], 15);
    if (!vl) return std::nullopt;
    if (sl < list.size()) list[sl] = *vl;
  }
  return list;
}

std::optional<std::vector<VlWeight>> parse_vl_weights(std::string_view text) {
  const std::vector<std::string_view> parts = qos_list_parts(text);
  if (parts.empty()) return std::nullopt;
  std::vector<VlWeight> list;
  for (const std::string_view part : parts) {
    const std::size_t colon = part.find(':');
    if (colon == std::string_view::npos) return std::nullopt;
    const auto vl = number_up_to(trim(part.substr(0, colon)), kVls - 1),
               weight = number_up_to(trim(part.substr(colon + 1)), 255);
    if (!vl || !weight) return std::nullopt;
    if (list.size() < kVlWeightsMax) list.push_back({*vl, *weight});
  }
  return list;
}

QosSettings qos_settings(const Options& options, QosScope scope) {
  static const QosSettings kBuiltIn = built_in();
  QosSettings settings = kBuiltIn;
  overwrite(settings, options.qos_set(QosScope::all));
  if (scope != QosScope::all) overwrite(settings, options.qos_set(scope));
  return settings;
}

std::string_view qos_prefix(QosScope scope) {
  constexpr std::array<std::string_view, 5> kPrefixes{"qos", "qos_ca", "qos_sw0", "qos_swe",
                                                      "qos_rtr"};
  return kPrefixes[static_cast<std::size_t>(scope)];
}

}  // namespace config
