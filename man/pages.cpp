#include "man/pages.h"

#include <algorithm>
#include <optional>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "config/engine_names.h"
#include "config/options.h"
#include "config/schema.h"
#include "config/value.h"
#include "fabric/condition.h"
#include "man/mdoc.h"
#include "sm/ops/condition_kinds.h"
#include "sm/ops/metrics/metric_names.h"

namespace manual {
namespace {

/// When a new value counts, or why not before the next start.
std::string takes_effect(const config::Key& key) {
  if (!key.hup) return fmt::format("at the next start, since {}", key.restart);
  return key.reroutes ? "on SIGHUP: engines that read it choose all routes again" : "on SIGHUP";
}

std::string_view who_else(const config::Key& key) {
  if (key.in_opensm) return "OpenSM has it, too.";
  return key.in_nvidia ? "NVIDIA's OpenSM has it, too, OpenSM has not." : "no other has it.";
}

std::string of_key(const config::Key& key, const config::Options& defaults) {
  std::string out = fmt::format(".It Ic {}\n", key.name) + sentences(key.help);
  out += fmt::format(".br\nValue: {}", sentences(config::expected_value(key)));
  out += fmt::format(".br\nDefault:\n.Li {}\n", argument(config::value_text(key, defaults)));
  out += fmt::format(".br\nA change takes effect {}.\n", takes_effect(key));
  out += fmt::format(".br\nSince Heddle {}; {}\n", key.since, who_else(key));
  if (!key.elsewhere.empty()) out += sentences(key.elsewhere);
  if (!key.built)
    out += ".br\nHeddle does not have it yet: any value but the default is warned of.\n";
  if (!key.instead.empty()) out += fmt::format("Use {}.\n", key.instead);
  return out;
}

std::string replaced(std::string text, std::string_view mark, const std::string& by) {
  if (const std::size_t at = text.find(mark); at != std::string::npos)
    text.replace(at, mark.size(), by);
  return text;
}

}  // namespace

std::string flags() {
  std::string out = ".Bl -tag -width Ds\n";
  for (const config::Flag& flag : config::flags()) {
    if (flag.hidden) continue;
    out += ".It";
    if (flag.letter != 0) out += fmt::format(" Fl {} ,", flag.letter);
    out += fmt::format(" Fl Fl {}", flag.name);
    if (!flag.argument.empty()) out += fmt::format(" Ar {}", flag.argument);
    out += '\n';
    const config::Key* const key = flag.key.empty() ? nullptr : config::find_key(flag.key);
    out += sentences(flag.help.empty() && key != nullptr ? key->help : flag.help);
    if (key != nullptr) out += fmt::format("Key:\n.Ic {} .\n", key->name);
  }
  return out + ".El\n";
}

std::string keys() {
  const config::Options defaults;
  std::string out;
  std::optional<config::Section> section;
  for (const config::Key& key : config::keys()) {
    if (section != key.section) {
      if (section) out += ".El\n";
      section = key.section;
      out += fmt::format(".Ss {}\n.Bl -tag -width Ds\n", config::title(key.section));
    }
    out += of_key(key, defaults);
  }
  return out + ".El\n";
}

std::string engines() {
  std::string out = ".Bl -tag -width Ds\n";
  for (const config::EngineRow& row : config::engine_rows()) {
    out += fmt::format(".It Ic {}\n", row.name) + sentences(row.what);
    std::vector<std::string_view> names;
    for (const config::Key& key : config::keys())
      if (std::ranges::count(config::engines_that_read(key.name), row.name) != 0)
        names.push_back(key.name);
    if (!names.empty()) out += fmt::format(".br\nKeys: {}.\n", fmt::join(names, ", "));
  }
  return out + ".El\n";
}

std::string conditions() {
  std::string out = ".Bl -tag -width Ds\n";
  for (const fabric::ConditionId id : sm::condition_kinds()) {
    const fabric::ConditionKind& kind = *id;
    out += fmt::format(".It Li {} ({}{})\n", kind.name, fabric::severity_text(kind),
                       kind.is_occurrence() ? ", an occurrence" : "");
    out += sentences(kind.meaning);
    out += fmt::format(".br\nUsual cause: {}", sentences(kind.cause));
    out += fmt::format(".br\nWhat Heddle does: {}", sentences(kind.effect));
    out += fmt::format(".br\nWhat to do: {}", sentences(kind.remedy));
  }
  return out + ".El\n";
}

std::string metrics() {
  std::string out;
  for (const sm::metrics::Section& section : sm::metrics::all_metrics()) {
    out += fmt::format(".Ss {}\n", section.title);
    out += sentences(fmt::format("{}", section.when));
    out += ".Bl -tag -width Ds\n";
    for (const sm::metrics::NamedMetric& metric : section.metrics) {
      out += fmt::format(".It Li {}\n", metric.name);
      out += sentences(metric.help);
      out +=
          fmt::format(".br\n{}{}", metric.labels.empty() ? "" : "Labels: " + metric.labels + "; ",
                      sentences(fmt::format("{}", sm::metrics::name(metric.kind))));
    }
    out += ".El\n";
  }
  return out;
}

std::string filled(std::string_view text) {
  std::string page(text);
  page = replaced(std::move(page), "@FLAGS@\n", flags());
  page = replaced(std::move(page), "@KEYS@\n", keys());
  page = replaced(std::move(page), "@ENGINES@\n", engines());
  page = replaced(std::move(page), "@STEP_ENGINES@\n",
                  sentences(fmt::format("{}", fmt::join(config::step_engines(), ", "))));
  page = replaced(std::move(page), "@METRICS@\n", metrics());
  return replaced(std::move(page), "@CONDITIONS@\n", conditions());
}

}  // namespace manual
