#include "config/settings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "config/engine_names.h"
#include "config/value.h"

namespace config {
namespace {

bool contains(std::span<const std::string_view> words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

bool is_per_sl(const Key& key, Options& options) {
  return std::holds_alternative<PerSl*>(key.ref(options));
}

}  // namespace

void Settings::report(Severity severity, Position position, std::string what, std::string remedy) {
  out_.push_back(
      {severity, file_, position.line, position.column, std::move(what), std::move(remedy)});
}

void Settings::report_ineffective(Position position, std::string what, std::string remedy) {
  report(Severity::warning, position, std::move(what), std::move(remedy));
  out_.back().without_effect = true;
}

const Key* Settings::look_up(std::string_view name, Position position) {
  if (const Key* key = find_key(name)) return key;
  report_unknown(name, position);
  return nullptr;
}

void Settings::report_unknown(std::string_view name, Position position) {
  // A text after a key without a blank, as in m_key=0x1, may be a secret.
  const std::string_view word = name.substr(0, name.find_first_of("=:"));
  const std::string shown =
      word == name ? in_quotes(name)
                   : fmt::format("'{}...'", printable(name.substr(0, word.size() + 1)));
  if (!is_foreign_key(word)) {
    const auto nearest = nearest_key(word);
    report_ineffective(position, fmt::format("unknown key {}, ignored", shown),
                       nearest ? fmt::format("did you mean '{}'?", *nearest) : std::string());
  } else if (foreign_seen_.emplace(word).second) {
    report_ineffective(
        position,
        fmt::format("{} is known from other subnet managers, not supported, ignored", shown));
  }
}

void Settings::set(const Key& key, std::string_view text, Position position) {
  const auto [earlier, is_first] = line_of_.try_emplace(key.name, position.line);
  if (!is_first && !is_per_sl(key, options_)) {
    report(Severity::warning, position,
           fmt::format("{} was set before, on line {}; the last value is used", key.name,
                       earlier->second));
    earlier->second = position.line;
  }
  if (const auto finding = assign(key, text, options_)) {
    report(finding->severity, position, finding->what, finding->remedy);
    if (finding->severity == Severity::error) return;
  }
  const std::string value = value_text(key, options_);
  if (!key.default_counts && value == value_text(key, defaults_)) {
    if (const auto old = options_.origins.find(key.name); old != options_.origins.end())
      options_.origins.erase(old);
    return;
  }
  options_.origins.insert_or_assign(std::string(key.name),
                                    Origin{file_, position.line, position.column});
  if (!key.built && value != value_text(key, defaults_))
    report_ineffective(
        position, fmt::format("{} is known, but what it configures is not built yet", key.name),
        key.instead.empty() ? std::string() : fmt::format("use {}", key.instead));
  if (key.name != "routing_engine") return;
  report_unknown_engines(position);
}

/// An unknown engine is left out, as OpenSM does it: the remedy says which engines route then.
void Settings::report_unknown_engines(Position position) {
  const std::vector<std::string_view> left = engines_to_try(options_.routing_engine);
  for (const std::string& engine : options_.routing_engine) {
    if (engine == "no_fallback" || contains(built_engines(), engine)) continue;
    report_ineffective(
        position, fmt::format("routing engine {} {}", in_quotes(engine), why_not_built(engine)),
        fmt::format("{} used without it; {}",
                    left.empty() ? "no engine is"
                                 : fmt::format("{} {}", fmt::join(left, ", then "),
                                               left.size() == 1 ? "is" : "are"),
                    engine_remedy(engine)));
  }
}

void Settings::finish() {
  if (options_.max_wire_smps == 0) options_.max_wire_smps = 0x7fffffff;
  if (!options_.no_partition_enforcement) return;
  if (const auto origin = options_.origins.find("part_enforce");
      origin != options_.origins.end() && options_.part_enforce != PartEnforce::off) {
    report_ineffective({origin->second.line, origin->second.column},
                       "part_enforce has no effect because of no_partition_enforcement TRUE",
                       "remove one of the two lines");
  }
  options_.part_enforce = PartEnforce::off;
}

}  // namespace config
