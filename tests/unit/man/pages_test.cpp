// The manual pages as they are installed: mandoc has nothing to say of them, nothing of the program
// is missing, names of pages exist, and examples are what the programs accept.

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "config/common_command_line.h"
#include "config/flags.h"
#include "config/option_files.h"
#include "config/schema.h"
#include "config/value.h"
#include "fabric/condition.h"
#include "partitions/load.h"
#include "sm/ctl/commands/command_line.h"
#include "sm/ops/condition_kinds.h"
#include "sm/ops/metrics/metric_names.h"
#include "sm/ops/rows.h"
#include "support/require_tool.h"

namespace pages_test {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::MatchesRegex;
using ::testing::Not;

/// By file name.
std::map<std::string, std::string> pages() {
  std::map<std::string, std::string> all;
  for (const auto& entry : fs::recursive_directory_iterator(MANUAL_PAGES)) {
    if (!entry.is_regular_file() ||
        !entry.path().parent_path().filename().string().starts_with("man"))
      continue;
    std::ifstream in(entry.path());
    all[entry.path().filename().string()] = {std::istreambuf_iterator<char>(in), {}};
  }
  return all;
}

/// A line without the escapes of roff.
std::string plain(const std::string& line) {
  std::string out = std::regex_replace(line, std::regex(R"(\\&)"), "");
  out = std::regex_replace(out, std::regex(R"(\\-)"), "-");
  out = std::regex_replace(out, std::regex(R"(\\\(dq)"), "\"");
  return std::regex_replace(out, std::regex(R"(\\e)"), "\\");
}

/// The literal blocks of a page, one text each.
std::vector<std::string> literal_blocks(const std::string& page) {
  std::vector<std::string> blocks;
  std::istringstream lines(page);
  bool inside = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(".Bd -literal")) {
      inside = true;
      blocks.emplace_back();
    } else if (line == ".Ed") {
      inside = false;
    } else if (inside) {
      blocks.back() += plain(line) + '\n';
    }
  }
  return blocks;
}

/// Commands that a page shows: lines of literal blocks, and quotations. Without what a shell does
/// with them.
std::vector<std::string> commands(const std::string& page, const std::string& program) {
  std::vector<std::string> found;
  std::istringstream lines(page);
  for (std::string line; std::getline(lines, line);) {
    std::string text = plain(line);
    for (const char* const quotation : {".It ", "Ql ", ".Ql "})
      if (text.starts_with(quotation)) text = text.substr(std::string(quotation).size());
    text = text.substr(std::min(text.find_first_not_of(' '), text.size()));
    if (!text.starts_with(program + " ")) continue;
    for (const char* const end : {" | ", " > ", "; ", " &", " ;", " ,", " ."})
      text = text.substr(0, text.find(end));
    found.push_back(text);
  }
  return found;
}

/// As a shell splits it: quotes hold words together.
std::vector<std::string> words(const std::string& command) {
  std::vector<std::string> all{""};
  bool quoted = false;
  for (const char c : command) {
    if (c == '"') {
      quoted = !quoted;
    } else if (c == ' ' && !quoted) {
      if (!all.back().empty()) all.emplace_back();
    } else {
      all.back() += c;
    }
  }
  if (all.back().empty()) all.pop_back();
  return all;
}

std::vector<const char*> pointers(const std::vector<std::string>& all) {
  std::vector<const char*> out;
  for (const std::string& word : all) out.push_back(word.c_str());
  return out;
}

TEST(Pages, MandocHasNothingToSayOfThem) {
  HEDDLE_REQUIRE_TOOL("mandoc", "mandoc");
  const std::string command =
      std::string("mandoc -T lint -W warning ") + MANUAL_PAGES + "/man?/* 2>&1";
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  std::string text;
  for (int c = 0; (c = std::fgetc(pipe.get())) != EOF;) text += static_cast<char>(c);
  EXPECT_EQ(text, "");
}

TEST(Pages, AreAllThere) {
  const auto all = pages();
  for (const char* const name : {"heddle.8",
                                 "heddlectl.1",
                                 "opensm.conf.5",
                                 "heddle.yaml.5",
                                 "partitions.conf.5",
                                 "heddle-sim.1",
                                 "heddle-sim-run.1",
                                 "heddle-topo.1",
                                 "heddle-conditions.7",
                                 "heddle-high-availability.7",
                                 "heddle-http.7",
                                 "heddle-metrics.7",
                                 "heddle-migrating.7",
                                 "heddle-getting-started.7",
                                 "heddle-security.7",
                                 "heddle-adaptive-routing.7",
                                 "heddle-troubleshooting.7",
                                 "heddle-tuning.7",
                                 "heddle-versions.7",
                                 "heddle-adaptive-routing.7",
                                 "heddle-vnic.8",
                                 "heddle-vnic.yaml.5"})
    EXPECT_TRUE(all.contains(name)) << name;
  sm::commands::CommandLine heddlectl;
  for (const CLI::App* const command : heddlectl.app().get_subcommands(
           [](const CLI::App* of) { return !of->get_group().empty(); })) {
    const std::string name = command->get_name();
    EXPECT_THAT(all.at("heddlectl.1"), HasSubstr(".It Cm " + name + "\n"));
    if (name == "help" || name == "version") continue;
    ASSERT_TRUE(all.contains("heddlectl-" + name + ".1")) << name;
    const std::string& page = all.at("heddlectl-" + name + ".1");
    for (const CLI::Option* const option : command->get_options())
      for (const std::string& flag : option->get_lnames())
        EXPECT_THAT(page, HasSubstr(" Fl Fl " + flag)) << name;
    for (const char* const section : {"DESCRIPTION", "EXIT STATUS", "EXAMPLES"})
      EXPECT_THAT(page, HasSubstr(std::string(".Sh ") + section + "\n")) << name;
  }
}

TEST(Pages, TroubleshootingHasAnEntryForEveryConditionThatIsMoreThanInformation) {
  const auto all = pages();
  const std::string& page = all.at("heddle-troubleshooting.7");
  for (const fabric::ConditionId kind : sm::condition_kinds())
    if (kind->severity != fabric::Severity::info) {
      EXPECT_TRUE(std::regex_search(page, std::regex(std::string(kind->name) + "[^A-Z-]")))
          << kind->name;
    }
}

TEST(Pages, NameConditionsAndOptionsThatExist) {
  const auto all = pages();
  std::set<std::string> ids;
  for (const fabric::ConditionId kind : sm::condition_kinds()) ids.emplace(kind->name);
  for (const char* const name :
       {"heddle-getting-started.7", "heddle-high-availability.7", "heddle-security.7",
        "heddle-troubleshooting.7", "heddle-tuning.7", "heddle-versions.7"}) {
    const std::string& page = all.at(name);
    const std::regex id("\\bS[MA]-[A-Z]+(-[A-Z]+)*"),
        key("\\bIc ([a-z0-9_]*_[a-z0-9_]*[a-z0-9])(?=[ \n])");
    for (std::sregex_iterator at(page.begin(), page.end(), id), end; at != end; ++at)
      EXPECT_TRUE(ids.contains(at->str())) << name << ": " << at->str();
    for (std::sregex_iterator at(page.begin(), page.end(), key), end; at != end; ++at)
      EXPECT_NE(config::find_key((*at)[1].str()), nullptr) << name << ": " << at->str();
  }
}

TEST(Pages, NoMarkIsLeft) {
  for (const auto& [name, page] : pages())
    EXPECT_FALSE(std::regex_search(page, std::regex("@[A-Z]+@"))) << name;
}

TEST(Pages, EveryPageThatIsReferredToExists) {
  const auto all = pages();
  for (const auto& [name, page] : all) {
    const std::regex reference(R"(\.Xr (heddle\S*|opensm\.conf|partitions\.conf) (\d))");
    for (std::sregex_iterator at(page.begin(), page.end(), reference), end; at != end; ++at)
      EXPECT_TRUE(all.contains((*at)[1].str() + "." + (*at)[2].str())) << name << ": " << at->str();
  }
}

TEST(Pages, HaveTheRowsOfTheApiWithAllFields) {
  const auto all = pages();
  const std::string& page = all.at("heddle-http.7");
  for (const sm::RowInfo& row : sm::all_row_infos()) {
    const std::size_t at = page.find(fmt::format(".Ss {}: {}\n", row.name, row.what));
    ASSERT_NE(at, std::string::npos) << row.name;
    const std::string section = page.substr(at, page.find(".El\n", at) - at);
    for (const sm::FieldInfo& field : row.fields)
      EXPECT_THAT(section, HasSubstr(fmt::format(".It Li {}\n", field.name))) << row.name;
  }
}

TEST(Pages, FlagsKeysAndConditionsHaveAllThatIsToBeSaid) {
  const auto all = pages();
  for (const config::Flag& flag : config::flags()) {
    if (flag.hidden) continue;
    EXPECT_THAT(all.at("heddle.8"), HasSubstr(" Fl Fl " + std::string(flag.name)));
  }
  for (const config::Key& key : config::keys()) {
    SCOPED_TRACE(key.name);
    EXPECT_GT(key.help.size(), 5u);
    EXPECT_THAT(std::string(key.since), MatchesRegex("[0-9]+\\.[0-9]+\\.[0-9]+"));
    EXPECT_FALSE(config::expected_value(key).empty());
    // OpenSM's own are in both; what only Heddle has differs from none.
    EXPECT_TRUE(key.in_nvidia || !key.in_opensm);
    EXPECT_TRUE(key.in_nvidia || key.elsewhere.empty());
    EXPECT_TRUE(key.elsewhere.empty() || key.elsewhere.ends_with('.'));
    const std::string& page = all.at("opensm.conf.5");
    const std::size_t at = page.find(".It Ic " + std::string(key.name) + "\n");
    ASSERT_NE(at, std::string::npos);
    const std::string entry = page.substr(at, page.find("\n.It ", at) - at);
    for (const char* const part :
         {"\nValue: ", "\nDefault:\n", "\nA change takes effect ", "\nSince Heddle "})
      EXPECT_THAT(entry, HasSubstr(part));
    if (!key.hup) {
      EXPECT_THAT(entry, HasSubstr("A change takes effect at the next start, since " +
                                   std::string(key.restart) + ".\n"));
    }
  }
  for (const fabric::ConditionId kind : sm::condition_kinds()) {
    SCOPED_TRACE(kind->name);
    EXPECT_FALSE(kind->cause.empty() || kind->effect.empty() || kind->remedy.empty());
    EXPECT_THAT(all.at("heddle-conditions.7"),
                HasSubstr(".It Li " + std::string(kind->name) + " "));
  }
  for (const sm::metrics::Section& section : sm::metrics::all_metrics()) {
    for (const sm::metrics::NamedMetric& metric : section.metrics)
      EXPECT_THAT(all.at("heddle-metrics.7"),
                  HasSubstr(".It Li " + metric.name + "\n" + metric.help));
  }
}

TEST(Examples, OfHeddlectlAreWhatItAccepts) {
  std::size_t count = 0;
  for (const auto& [name, page] : pages()) {
    for (const std::string& command : commands(page, "heddlectl")) {
      ++count;
      sm::commands::CommandLine heddlectl;
      try {
        const auto all = words(command);
        heddlectl.app().parse(static_cast<int>(all.size()), pointers(all).data());
      } catch (const CLI::ParseError& error) {
        EXPECT_EQ(error.get_exit_code(), 0) << name << ": " << command << ": " << error.what();
      }
    }
  }
  EXPECT_GT(count, 40u);
}

TEST(Examples, OfTheDaemonAreWhatItAccepts) {
  std::size_t count = 0;
  for (const auto& [name, page] : pages()) {
    for (const std::string& command : commands(page, "heddle")) {
      ++count;
      const auto all = words(command);
      const config::CommandLine line = config::parse_command_line(
          pointers(all), [](const std::string&) -> tl::expected<std::string, std::error_code> {
            return tl::unexpected(std::make_error_code(std::errc::no_such_file_or_directory));
          });
      EXPECT_NE(line.action, config::CommandLine::Action::refuse) << name << ": " << command;
    }
  }
  EXPECT_GT(count, 3u);
}

TEST(Examples, OfConfigurationsAreReadWithoutAFinding) {
  const auto all = pages();
  config::Diagnostics found;
  const auto parse = [&](const char* page, const auto& read) {
    const auto blocks = literal_blocks(all.at(page));
    EXPECT_THAT(blocks, Not(IsEmpty())) << page;
    for (const std::string& block : blocks) read(block);
    for (const config::Diagnostic& finding : found) ADD_FAILURE() << page << ": " << finding.text();
    found.clear();
  };
  parse("opensm.conf.5", [&](const std::string& text) {
    config::Options options;
    config::parse_opensm_conf({"opensm.conf", text}, options, found);
  });
  parse("heddle.yaml.5", [&](const std::string& text) {
    config::Options options;
    config::parse_yaml({"heddle.yaml", text}, options, found);
    // One is built in.
    EXPECT_EQ(partitions::parse_partitions_yaml({"heddle.yaml", text}, found).definitions.size(),
              3u);
  });
  parse("partitions.conf.5", [&](const std::string& text) {
    EXPECT_FALSE(
        partitions::parse_partitions_conf({"partitions.conf", text}, found).definitions.empty());
  });
}

}  // namespace pages_test
