#include "soak/table.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>
#include <tuple>

#include <fmt/ranges.h>

namespace soak {
namespace {

std::vector<std::string> split(std::string_view line, char separator) {
  std::vector<std::string> parts;
  for (;;) {
    const std::size_t at = line.find(separator);
    parts.emplace_back(line.substr(0, at));
    if (at == std::string_view::npos) return parts;
    line.remove_prefix(at + 1);
  }
}

/// Tabs and line ends are separators; in a field they become spaces.
std::string field(std::string text) {
  std::ranges::replace_if(text, [](char c) { return c == '\t' || c == '\n' || c == '\r'; }, ' ');
  return text;
}

template <class Number>
std::optional<Number> number(const std::string& text) {
  Number value{};
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && stop == end ? std::optional(value) : std::nullopt;
}

std::optional<RunRow> run_of(const std::vector<std::string>& fields) {
  if (fields.size() != 7) return std::nullopt;
  const auto runs = number<std::uint64_t>(fields[3]), failures = number<std::uint64_t>(fields[4]),
             known = number<std::uint64_t>(fields[5]);
  const auto seconds = number<double>(fields[6]);
  if (!runs || !failures || !known || !seconds) return std::nullopt;
  return RunRow{fields[1], fields[2], *runs, *failures, *known, *seconds};
}

constexpr std::size_t kSeedsShown = 3;  // ranges of one program; of more ranges only the number

}  // namespace

std::string to_line(const RunRow& row) {
  return fmt::format("run\t{}\t{}\t{}\t{}\t{}\t{:.1f}\n", field(row.program), field(row.seeds),
                     row.runs, row.failures, row.known, row.seconds);
}
std::string to_line(const FailureRow& row) {
  return fmt::format("failure\t{}\t{}\t{}\t{}\t{}\n", field(row.program), field(row.seed),
                     field(row.issue), field(row.complaint), field(row.replay));
}

tl::expected<void, std::string> Table::add(std::string_view text) {
  std::size_t at = 0;
  for (const std::string& line : split(text, '\n')) {
    ++at;
    if (line.empty()) continue;
    const std::vector<std::string> fields = split(line, '\t');
    if (fields[0] == "failure" && fields.size() == 6) {
      failures_.push_back({fields[1], fields[2], fields[3], fields[4], fields[5]});
    } else if (const auto run = fields[0] == "run" ? run_of(fields) : std::nullopt) {
      runs_.push_back(*run);
    } else {
      return tl::unexpected(fmt::format("line {} is no row of a table: {}", at, line));
    }
  }
  return {};
}

std::string Table::text() const {
  struct Sum {
    std::set<std::string> seeds;
    std::uint64_t runs = 0, failures = 0, known = 0;
    double seconds = 0;
    void add(const RunRow& row) {
      runs += row.runs, failures += row.failures, known += row.known, seconds += row.seconds;
      if (row.seeds != "-") seeds.insert(row.seeds);
    }
    std::string seeds_text() const {
      if (seeds.empty()) return "-";
      if (seeds.size() > kSeedsShown) return fmt::format("{} ranges", seeds.size());
      return fmt::format("{}", fmt::join(seeds, ", "));
    }
  };
  std::map<std::string, Sum> programs;
  Sum all;
  for (const RunRow& row : runs_) {
    programs[row.program].add(row);
    all.add({row.program, "-", row.runs, row.failures, row.known, row.seconds});
  }
  constexpr std::string_view kLine = "{:<48} {:>26} {:>9} {:>8} {:>6} {:>9}\n";
  std::string out = fmt::format(kLine, "program", "seeds", "runs", "failures", "known", "CPU s");
  const auto line = [&](const std::string& name, const Sum& sum) {
    out += fmt::format(kLine, name, sum.seeds_text(), sum.runs, sum.failures, sum.known,
                       fmt::format("{:.0f}", sum.seconds));
  };
  for (const auto& [program, sum] : programs) line(program, sum);
  line("all", all);

  std::vector<FailureRow> sorted = failures_;
  std::ranges::sort(sorted, [](const FailureRow& a, const FailureRow& b) {
    const auto key = [](const FailureRow& row) {
      return std::tuple(row.issue != "new", row.issue, row.program, row.seed, row.replay);
    };
    return key(a) < key(b);
  });
  std::set<std::string> printed;
  for (const FailureRow& row : sorted) {
    if (!printed.insert(row.replay).second) continue;
    out +=
        fmt::format("\n{}: {}\n  {}\n",
                    row.issue == "new" ? std::string("new failure") : "known, issue " + row.issue,
                    row.complaint, row.replay);
  }
  return out;
}

std::string Table::lines() const {
  std::string out;
  for (const RunRow& row : runs_) out += to_line(row);
  for (const FailureRow& row : failures_) out += to_line(row);
  return out;
}

std::uint64_t Table::new_failures() const {
  std::uint64_t failures = 0;
  for (const RunRow& row : runs_) failures += row.failures;
  return failures;
}

}  // namespace soak
