// heddle_soak: whole managers on simulated fabrics from many seeds, each in its own process.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include "soak/known_failures.h"
#include "soak/run.h"
#include "soak/table.h"
#include "soak/test_report.h"
#include "soak/workers.h"
#include "support/seed_selection.h"

namespace {

constexpr std::string_view kHelp =
    R"(heddle_soak: runs whole managers with clients and faults in virtual time, a process per
seed.

  heddle_soak [--jobs N] [--table FILE] [--known FILE] [--minutes M]
      Seeds: HEDDLE_SEED=7, HEDDLE_SEEDS=1..500, HEDDLE_SEED_SHARE=0/2; 1..100 without.
      One seed prints its draw and result; HEDDLE_TRACE=FILE writes every event there.
      --table FILE   appends the result as rows instead of printing it; files can be concatenated
      --known FILE   failures that a later issue fixes (tests/soak/known_failures)
      --minutes M    starts no more seeds after that time
  heddle_soak --merge FILE...
      Adds up tables and prints the sum.
  heddle_soak --add-report JSON --program PATH --seeds A..B --seconds S --table FILE
      Appends GoogleTest's report of a test program.

Exit code: 0 without new failures, 1 with new ones, 2 for a wrong command line.
)";

struct Arguments {
  unsigned jobs = std::max(1u, std::thread::hardware_concurrency());
  std::string table, known = HEDDLE_KNOWN_FAILURES, report, program, seeds = "-";
  double seconds = 0;
  std::chrono::minutes minutes{0};  // 0: all seeds
  std::vector<std::string> merged;
  bool help = false, merge = false;
};

std::optional<Arguments> parse(const std::vector<std::string>& words) {
  Arguments out;
  for (std::size_t at = 0; at < words.size(); ++at) {
    const std::string& word = words[at];
    if (out.merge) {
      out.merged.push_back(word);
      continue;
    }
    if (word == "--help" || word == "-h") {
      out.help = true;
      continue;
    }
    if (word == "--merge") {
      out.merge = true;
      continue;
    }
    if (at + 1 == words.size()) return std::nullopt;
    const std::string& value = words[++at];
    const auto number = seeds::parse_number(value);
    if (word == "--jobs" && number && *number > 0 && *number <= 1024) {
      out.jobs = static_cast<unsigned>(*number);
    } else if (word == "--minutes" && number && *number < 1'000'000) {
      out.minutes = std::chrono::minutes(*number);
    } else if (word == "--seconds" && number) {
      out.seconds = static_cast<double>(*number);
    } else if (word == "--table") {
      out.table = value;
    } else if (word == "--known") {
      out.known = value;
    } else if (word == "--add-report") {
      out.report = value;
    } else if (word == "--program") {
      out.program = value;
    } else if (word == "--seeds") {
      out.seeds = value;
    } else {
      return std::nullopt;
    }
  }
  return out;
}

std::optional<std::string> text_of(const std::string& path) {
  std::ifstream file(path);
  if (!file) return std::nullopt;
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

int wrong(const std::string& what) {
  std::cerr << "heddle_soak: " << what << '\n';
  return 2;
}

int append(const std::string& path, const soak::Table& table) {
  if (path.empty()) return 0;
  std::ofstream file(path, std::ios::app);
  file << table.lines() << std::flush;
  return file ? 0 : wrong(path + " cannot be written");
}

int merge(const std::vector<std::string>& paths) {
  soak::Table table;
  for (const std::string& path : paths) {
    const auto text = text_of(path);
    if (!text) return wrong(path + " cannot be read");
    if (const auto added = table.add(*text); !added) return wrong(path + ": " + added.error());
  }
  std::cout << table.text();
  return table.new_failures() > 0 ? 1 : 0;
}

int add_report(const Arguments& arguments) {
  const auto json = text_of(arguments.report);
  soak::Table table;
  const auto added =
      json ? soak::add_test_report(*json, arguments.program, arguments.seeds, arguments.seconds,
                                   table)
           : tl::expected<void, std::string>(tl::unexpected(std::string("it wrote no report")));
  if (!added) {
    const std::string name = arguments.program.substr(arguments.program.find_last_of('/') + 1);
    table.add(soak::RunRow{name, arguments.seeds, 0, 1, 0, arguments.seconds});
    table.add(soak::FailureRow{name, "-", "new", added.error(),
                               "HEDDLE_SEEDS=" + arguments.seeds + " " + arguments.program});
  }
  if (const int code = append(arguments.table, table)) return code;
  return table.new_failures() > 0 ? 1 : 0;
}

/// Collects failures and the number of seeds that have run.
class Log {
 public:
  Log(const Arguments& arguments, soak::KnownFailures known, std::size_t seeds)
      : arguments_(arguments), known_(std::move(known)), seeds_(seeds) {}

  bool take(const soak::Ended& ended) {
    first_ = std::min(first_, ended.seed), last_ = std::max(last_, ended.seed);
    ++row_.runs;
    row_.seconds += ended.seconds;
    // The body's text is its complaint in one line, then details.
    const std::string complaint =
        ended.crash.empty() ? ended.text.substr(0, ended.text.find('\n')) : ended.crash;
    if (!complaint.empty()) fail(ended.seed, complaint);
    const auto now = std::chrono::steady_clock::now();
    if (now - reported_ > std::chrono::seconds(30)) {
      reported_ = now;
      std::cout << fmt::format("{} of {} seeds, {} failures, {} known\n", row_.runs, seeds_,
                               row_.failures, row_.known)
                << std::flush;
    }
    return arguments_.minutes.count() == 0 || now - began_ < arguments_.minutes;
  }
  int finish() {
    row_.seeds = row_.runs == 0 ? "-" : fmt::format("{}..{}", first_, last_);
    table_.add(row_);
    if (arguments_.table.empty()) std::cout << table_.text();
    if (const int code = append(arguments_.table, table_)) return code;
    return row_.failures > 0 ? 1 : 0;
  }

 private:
  void fail(std::uint64_t seed, const std::string& complaint) {
    const auto issue = known_.issue_of(complaint);
    ++(issue ? row_.known : row_.failures);
    const std::string replay = fmt::format("HEDDLE_SEED={} build/dev/bin/heddle_soak", seed);
    if (!issue) std::cout << complaint << "\n  " << replay << '\n' << std::flush;
    table_.add(soak::FailureRow{row_.program, std::to_string(seed), issue.value_or("new"),
                                complaint, replay});
  }

  const Arguments& arguments_;
  const soak::KnownFailures known_;
  const std::size_t seeds_;
  const std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  std::chrono::steady_clock::time_point reported_ = began_;
  std::uint64_t first_ = ~std::uint64_t{0}, last_ = 0;
  soak::RunRow row_{.program = "heddle_soak", .seeds = {}};
  soak::Table table_;
};

/// Runs the seed in this process, for a debugger.
int run_one(std::uint64_t seed, const soak::KnownFailures& known) {
  soak::Hooks hooks{.whole_logs = true, .trace = {}, .phase = {}};
  if (const char* file = std::getenv("HEDDLE_TRACE"))
    hooks.trace = [out = std::make_shared<std::ofstream>(file)](std::string_view line) {
      *out << line << std::endl;
    };
  const soak::Draw draw = soak::draw(seed);
  std::cout << soak::describe(draw) << std::flush;
  const soak::Outcome outcome = soak::run(draw, hooks);
  for (std::size_t phase = 0; phase < outcome.converged.size(); ++phase)
    std::cout << fmt::format("phase {} has converged after {:.2f} s\n", phase + 1,
                             std::chrono::duration<double>(outcome.converged[phase]).count());
  if (outcome.failure.empty()) return 0;
  const auto issue = known.issue_of(outcome.failure);
  std::cout << outcome.details << outcome.failure
            << (issue ? " (known, issue " + *issue + ")" : std::string()) << '\n';
  return issue ? 0 : 1;
}

int run_seeds(const Arguments& arguments) {
  const auto selected = seeds::selection();
  if (!selected) return wrong(selected.error());
  auto known = soak::KnownFailures::read(arguments.known);
  if (!known) return wrong(known.error());
  const std::vector<std::uint64_t> seeds = selected->of(100);
  if (std::getenv("HEDDLE_SEED") != nullptr) return run_one(seeds.front(), *known);
  Log log(arguments, std::move(*known), seeds.size());
  soak::for_each_seed(
      seeds, {.jobs = arguments.jobs},
      [](std::uint64_t seed) {
        const soak::Outcome outcome =
            soak::run(soak::draw(seed),
                      {.whole_logs = false, .trace = {}, .phase = [](std::string_view phase) {
                         std::cerr << phase << std::flush;
                       }});
        return outcome.failure.empty() ? std::string() : outcome.failure + '\n' + outcome.details;
      },
      [&](const soak::Ended& ended) { return log.take(ended); });
  return log.finish();
}

}  // namespace

int main(int argc, char** argv) {
  const auto arguments = parse({argv + 1, argv + argc});
  if (!arguments) {
    std::cerr << kHelp;
    return 2;
  }
  if (arguments->help) {
    std::cout << kHelp;
    return 0;
  }
  if (arguments->merge) return merge(arguments->merged);
  if (!arguments->report.empty()) return add_report(*arguments);
  return run_seeds(*arguments);
}
