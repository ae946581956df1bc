#include "config/router_policy.h"

#include <fmt/format.h>

#include <algorithm>

#include "config/file_reader.h"
#include "config/value.h"
#include "config/words.h"

namespace config {
namespace {

/// Reads a word of the form GUID or GUID=WEIGHT.
void read_router(Words& words, RouterRule& rule) {
  constexpr std::uint64_t kWeightMax = 255;
  const std::string_view word = words.word();
  const std::size_t equals = word.find('=');
  const auto guid = parse_number(word.substr(0, equals), 16);
  if (!guid || *guid == 0) {
    words.error(word, fmt::format("{} names no router", in_quotes(word)),
                "write GUID or GUID=WEIGHT, such as 0x0002c90300a1b2c3=2");
    return;
  }
  const auto weight = equals == std::string_view::npos ? tl::expected<std::uint64_t, NumberFault>(1)
                                                       : parse_number(word.substr(equals + 1));
  if (!weight || *weight > kWeightMax) {
    words.error(word, fmt::format("{} has no weight in 0..255", in_quotes(word)),
                "write GUID=WEIGHT, such as 0x0002c90300a1b2c3=2");
    return;
  }
  if (std::ranges::find(rule.routers, *guid, &WeightedRouter::router_guid) != rule.routers.end()) {
    words.error(word, fmt::format("0x{:016x} is named twice for this prefix", *guid),
                "name each router once");
    return;
  }
  rule.routers.push_back({*guid, static_cast<std::uint8_t>(*weight)});
}

}  // namespace

RouterPolicy parse_router_policy(const Source& source, Diagnostics& out) {
  RouterPolicy policy;
  for (const Line& line : content_lines(source.text)) {
    Words words(line, source.file, out);
    RouterRule rule{.prefix = words.hexadecimal_or_any("GID prefix"), .routers = {}};
    if (words.ok() && words.at_end())
      words.error(line.text, "the line names no router",
                  "write a GUID behind the prefix, such as 0x0002c90300a1b2c3=2");
    while (words.ok() && !words.at_end()) read_router(words, rule);
    if (!words.ok()) continue;
    if (std::ranges::find(policy.rules, rule.prefix, &RouterRule::prefix) != policy.rules.end())
      words.warn(line.text, "this prefix was listed before; the first line is used");
    else
      policy.rules.push_back(std::move(rule));
  }
  return policy;
}

std::optional<RouterSelection> parse_router_selection(std::string_view text) {
  RouterSelection selection;
  for (const std::string_view word : split(text, ", \t")) {
    if (word.empty()) continue;
    if (word != "sgid" && word != "dgid") return std::nullopt;
    (word == "sgid" ? selection.by_source : selection.by_destination) = true;
  }
  if (!selection.by_source && !selection.by_destination) return std::nullopt;
  return selection;
}

}  // namespace config
