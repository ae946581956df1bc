#include "sm/conditions/condition_log.h"

#include <algorithm>
#include <cassert>
#include <sstream>
#include <string_view>
#include <tuple>
#include <utility>

#include "config/bounded_text.h"
#include "mad/format.h"

namespace sm {
namespace {

/// Formats a heading, then the text in lines of at most 80 columns, indented by two.
std::string paragraph(std::string_view heading, std::string_view text) {
  constexpr std::size_t kColumns = 80;
  std::string result = fmt::format("{}:\n ", heading);
  std::size_t column = 1;
  std::istringstream words{std::string(text)};
  for (std::string word; words >> word;) {
    if (column + 1 + word.size() > kColumns) {
      result += "\n ";
      column = 1;
    }
    result += ' ' + word;
    column += 1 + word.size();
  }
  return result + '\n';
}

spdlog::level::level_enum level_of(Severity severity) {
  switch (severity) {
    case Severity::info:
      return spdlog::level::info;
    case Severity::warning:
      return spdlog::level::warn;
    case Severity::error:
      return spdlog::level::err;
    case Severity::critical:
      return spdlog::level::critical;
  }
  return spdlog::level::err;
}

}  // namespace

std::string explain(const ConditionKind& kind) {
  return fmt::format("{} ({}{})\n", kind.name, severity_text(kind),
                     kind.is_occurrence() ? ", an occurrence" : "") +
         paragraph("Meaning", kind.meaning) + paragraph("Cause", kind.cause) +
         paragraph("What Heddle does", kind.effect) + paragraph("What to do", kind.remedy);
}

std::string list_of_conditions(std::span<const ConditionId> kinds) {
  std::string result;
  for (const ConditionId kind : kinds)
    result += fmt::format("{:<24} {:<14} {}\n", kind->name, severity_text(*kind), kind->meaning);
  return result;
}

std::string table_of_conditions(std::span<const ConditionId> kinds) {
  std::string result =
      "| identifier | severity | nature | meaning | usual cause | what Heddle does | what to do "
      "|\n|---|---|---|---|---|---|---|\n";
  for (const ConditionId kind : kinds)
    result +=
        fmt::format("| {} | {} | {} | {} | {} | {} | {} |\n", kind->name, severity_text(*kind),
                    name(kind->nature()), kind->meaning, kind->cause, kind->effect, kind->remedy);
  return result;
}

void ConditionLog::set_active(ConditionSource source, std::vector<Condition> active) {
  assert(std::ranges::none_of(
      active, [](const Condition& condition) { return condition.id->is_occurrence(); }));
  EntryMap& map = entries_[source];
  if (active.size() > kConditionsMax) active.resize(kConditionsMax);
  for (Condition& condition : active) config::bound_text(condition.text, kTextBytesMax);
  take_new_figures(map, active);
  const std::set<Condition, Less> now_active(active.begin(), active.end());
  const bool is_reported = leads_ || !is_of_master(source);
  for (auto& [condition, entry] : map) {
    if (!entry.active || now_active.contains(condition)) continue;
    if (is_reported) count_cleared(condition, now_active);
    clear(condition, entry);
  }
  for (const Condition& condition : active) {
    const auto known = map.find(condition);
    if (known == map.end() && map.size() >= kConditionsMax) continue;
    if (known != map.end() && known->first != condition) replace(map, known, condition);
    Entry& entry = map[condition];
    if (!entry.active) raise(condition, entry);
  }
  forget_old(map);
}

/// A condition whose figures changed, and with them its text, keeps its entry: nothing is raised or
/// cleared.
void ConditionLog::take_new_figures(EntryMap& map, const std::vector<Condition>& active) {
  for (const Condition& condition : active) {
    if (!condition.id->has(ConditionKind::has_figures) || map.contains(condition)) continue;
    const auto is_about_it = [&](const Condition& other) {
      return is_same_subject(other, condition);
    };
    if (std::ranges::count_if(active, is_about_it) != 1) continue;
    const auto known = std::ranges::find_if(
        map, [&](const auto& entry) { return entry.second.active && is_about_it(entry.first); });
    if (known == map.end()) continue;
    replace(map, known, condition);
  }
}

/// Assigns the entry to `condition`, which is about the same subject.
void ConditionLog::replace(EntryMap& map, EntryMap::iterator known, const Condition& condition) {
  const Condition before = known->first;
  auto node = map.extract(known);
  node.key() = condition;
  Entry& entry = map.insert(std::move(node)).position->second;
  if (!entry.active || condition.caused_by) return;
  const bool is_worse = find_severity(condition) > find_severity(before);
  if (is_worse || (before.caused_by && !entry.logged)) write(condition, entry);
}

void ConditionLog::raise(const Condition& condition, Entry& entry) {
  if (entry.times == 0) entry.since = now_();
  entry.active = true;
  entry.logged = false;
  ++entry.times;
  if (!condition.caused_by) write(condition, entry);
}

/// Logs that a condition is raised, unless a line about it was logged a short time ago.
void ConditionLog::write(const Condition& condition, Entry& entry) {
  const mad::TimePoint now = now_();
  entry.logged = now >= entry.quiet_until;
  if (!entry.logged) {
    ++entry.unlogged;
    return;
  }
  write(condition,
        entry.unlogged == 0
            ? std::string()
            : fmt::format(" (raised {} more times since the last such line)", entry.unlogged),
        "raised");
  entry.unlogged = 0;
  entry.quiet_until = now + entry.pause.next();
}

/// A condition that only has another text now has not ended.
void ConditionLog::count_cleared(const Condition& condition,
                                 const std::set<Condition, Less>& now_active) {
  if (condition.caused_by) return;
  const auto same = now_active.lower_bound(
      {.id = condition.id, .text = "", .guid = condition.guid, .port = condition.port});
  if (same != now_active.end() && is_same_subject(*same, condition)) return;
  ++cleared_counts_[{condition.id, find_severity(condition)}];
}

void ConditionLog::clear(const Condition& condition, Entry& entry) {
  entry.active = false;
  if (entry.logged)
    log_with(log_, spdlog::level::info,
             fmt::format("cleared: {} [{}]", condition.text, condition.id->name),
             fields(condition, "cleared"));
}

void ConditionLog::write(const Condition& condition, const std::string& more,
                         std::string_view event) {
  log_with(log_, level_of(find_severity(condition)),
           fmt::format("{}{} [{}]", condition.text, more, condition.id->name),
           fields(condition, event));
}

LogFields ConditionLog::fields(const Condition& condition, std::string_view event) const {
  return {.condition = condition.id->name,
          .event = event,
          .guid = condition.guid,
          .port = condition.port,
          .lid = lid_of_ ? lid_of_(condition) : mad::Lid{}};
}

/// Forgets conditions that were cleared and have been quiet for as long as their last pause.
void ConditionLog::forget_old(EntryMap& map) {
  std::erase_if(map, [now = now_()](const auto& item) {
    return !item.second.active && now >= item.second.quiet_until + item.second.pause.latest();
  });
}

std::size_t ConditionLog::set_leads(bool leads) {
  if (std::exchange(leads_, leads) == leads) return 0;
  std::size_t count = 0;
  for (const auto& [source, map] : entries_)
    if (is_of_master(source))
      count += static_cast<std::size_t>(
          std::ranges::count_if(map, [](const auto& entry) { return entry.second.active; }));
  return count;
}

void ConditionLog::occurred(const Condition& condition, unsigned lines) {
  assert(condition.id->is_occurrence());
  const mad::TimePoint now = now_();
  ++occurrence_counts_[condition.id];
  std::erase_if(occurrences_, [now](const auto& item) {
    return now >= item.second.occurred.last + kOccurrencesKept;
  });
  const std::pair key(condition.id, condition.guid);
  if (occurrences_.size() >= kOccurrencesMax && !occurrences_.contains(key)) {
    // The occurrence that has been silent for longest is dropped.
    occurrences_.erase(std::ranges::min_element(
        occurrences_, {}, [](const auto& item) { return item.second.occurred.last; }));
  }
  const auto [place, is_new] = occurrences_.try_emplace(key);
  Occurrence& entry = place->second;
  Occurred& occurred = entry.occurred;
  occurred = {.condition = condition,
              .first = is_new ? now : occurred.first,
              .last = now,
              .times = is_new ? 1 : occurred.times + 1};
  config::bound_text(occurred.condition.text, kTextBytesMax);
  if (now >= entry.window_end) {
    entry.window_end = now + kPauseFirst;
    entry.lines = 0;
  }
  if (entry.lines >= lines) {
    ++entry.unlogged;
    return;
  }
  ++entry.lines;
  write(occurred.condition,
        entry.unlogged == 0 ? std::string()
                            : fmt::format(" ({} more since the last such line)", entry.unlogged),
        "occurred");
  entry.unlogged = 0;
}

std::vector<ConditionLog::Raised> ConditionLog::raised() const {
  std::vector<Raised> result;
  for (const auto& [source, map] : entries_) {
    if (!leads_ && is_of_master(source)) continue;
    for (const auto& [condition, entry] : map)
      if (entry.active) result.push_back({condition, entry.since, entry.times});
  }
  std::ranges::sort(result, [](const Raised& a, const Raised& b) {
    const auto worst_first = [](const Raised& raised) {
      return -static_cast<int>(find_severity(raised.condition));
    };
    return std::tuple(worst_first(a), a.condition.id, a.condition.text) <
           std::tuple(worst_first(b), b.condition.id, b.condition.text);
  });
  return result;
}

std::vector<ConditionLog::Occurred> ConditionLog::occurrences() const {
  std::vector<Occurred> result;
  const mad::TimePoint now = now_();
  for (const auto& [key, entry] : occurrences_)
    if (now < entry.occurred.last + kOccurrencesKept) result.push_back(entry.occurred);
  std::ranges::sort(result, [](const Occurred& a, const Occurred& b) {
    return std::tie(b.last, a.condition.id, a.condition.text) <
           std::tie(a.last, b.condition.id, b.condition.text);
  });
  return result;
}

}  // namespace sm
