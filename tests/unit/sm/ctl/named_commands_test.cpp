// Commands of heddlectl that texts name: remedies of conditions, manual pages, descriptions of
// alerts, messages of the programs. Each is one that heddlectl takes.

#include <gmock/gmock.h>
#include <yaml-cpp/yaml.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <regex>
#include <string>
#include <vector>

#include "fabric/condition.h"
#include "mad/format.h"
#include "sm/ctl/commands/command_line.h"
#include "sm/ops/condition_kinds.h"
#include "unit/sm/temporary_directory.h"

namespace named_commands_test {

const std::filesystem::path kRepository = HEDDLE_SOURCE_DIR;

/// Returns the words as a shell splits them, with values in the place of placeholders.
std::vector<std::string> words(std::string command) {
  const std::vector<std::pair<std::string, std::string>> values{
      {R"(\{\{[^}]*\}\})", "SM-LINK-LOST"},
      {R"(\{[^}]*\})", "0x0012"},
      {"\\b0xKEY\\b", "0x0012"},
      {"\\bP_KEY\\b", "0x0012"},
      {"\\bNODE:PORT\\b", "leaf-0:1"},
      {"\\b(NODE|SWITCH|HOST|FROM|TO)\\b", "leaf-0"},
      {"\\bGUID\\b", "0x0002c90000000001"},
      {"\\bID\\b", "SM-LINK-LOST"},
      {"\\bENGINE\\b", "updn"},
      {"[\\[\\]]", ""}};
  for (const auto& [placeholder, value] : values)
    command = std::regex_replace(command, std::regex(placeholder), value);
  std::vector<std::string> all{""};
  bool is_quoted = false;
  for (const char c : command) {
    if (c == '"') {
      is_quoted = !is_quoted;
    } else if (c == ' ' && !is_quoted) {
      if (!all.back().empty()) all.emplace_back();
    } else {
      all.back() += c;
    }
  }
  if (all.back().empty()) all.pop_back();
  return all;
}

/// Returns "", or why heddlectl does not take the command. A command without arguments may stand
/// for all of its forms.
std::string fault(const std::string& command) {
  sm::commands::CommandLine heddlectl;
  const std::vector<std::string> all = words(command);
  const CLI::App* app = &heddlectl.app();
  std::size_t named = 1;
  for (; named < all.size(); ++named) {
    const auto next =
        app->get_subcommands([&](const CLI::App* of) { return of->get_name() == all[named]; });
    if (next.empty()) break;
    app = next.front();
  }
  if (app == &heddlectl.app() && all.size() > 1 && !all[1].starts_with('-'))
    return "there is no such command";
  if (named == all.size()) return "";
  std::vector<const char*> arguments;
  for (const std::string& word : all) arguments.push_back(word.c_str());
  try {
    heddlectl.app().parse(static_cast<int>(arguments.size()), arguments.data());
  } catch (const CLI::ParseError& error) {
    return error.get_exit_code() == 0 ? "" : error.what();
  }
  return "";
}

std::vector<std::string> matches(const std::string& text, const std::string& pattern) {
  std::vector<std::string> found;
  const std::regex expression(pattern);
  for (std::sregex_iterator at(text.begin(), text.end(), expression), end; at != end; ++at)
    found.push_back((*at)[1]);
  return found;
}

/// Returns the commands in backquotes, such as "heddlectl forget NODE".
std::vector<std::string> in_backquotes(const std::string& text) {
  return matches(text, "`(heddlectl [^`|>&;\"]*[^`|>&;\" ])`");
}

TEST(NamedCommands, OfConditionsAreTaken) {
  std::size_t count = 0;
  for (const fabric::ConditionId kind : sm::condition_kinds())
    for (const std::string_view text : {kind->meaning, kind->cause, kind->effect, kind->remedy})
      for (const std::string& command : in_backquotes(std::string(text))) {
        ++count;
        EXPECT_EQ(fault(command), "") << kind->name << ": " << command;
      }
  EXPECT_GT(count, 10u);
}

TEST(NamedCommands, OfAlertsAreTaken) {
  const YAML::Node file =
      YAML::LoadFile((kRepository / "packaging/prometheus/heddle.rules.yml").string());
  std::size_t count = 0;
  for (const YAML::Node& group : file["groups"])
    for (const YAML::Node& rule : group["rules"]) {
      if (!rule["alert"]) continue;
      for (const YAML::Node& annotation :
           {rule["annotations"]["description"], rule["annotations"]["summary"]}) {
        // Prose goes on behind options, placeholders and identifiers.
        for (const std::string& command :
             matches(annotation.as<std::string>(""),
                     R"((heddlectl [a-z-]+( --[a-z-]+| [A-Z_]{2,}(:[A-Z]+)?| \{\{[^}]*\}\})*))")) {
          ++count;
          EXPECT_EQ(fault(command), "") << rule["alert"].as<std::string>() << ": " << command;
        }
      }
    }
  EXPECT_GT(count, 15u);
}

TEST(NamedCommands, OfManualPagesAreTaken) {
  std::size_t count = 0;
  for (const auto& page : std::filesystem::directory_iterator(kRepository / "man")) {
    if (page.path().extension() != ".in") continue;
    const std::string text = text_of(page.path());
    for (std::string command :
         matches(text, R"((?:Ql |\.Dl |\n[#$]? ?|\| )(heddlectl [^\n|>&;]*))")) {
      for (const auto& [escape, plain] : {std::pair(R"(\\&)", ""),
                                          {R"(\\-)", "-"},
                                          {R"(\\\(dq)", "\""},
                                          {R"(\\e$)", ""},
                                          {R"( ([.,:;()]|No)( .*)?$)", ""}})
        command = std::regex_replace(command, std::regex(escape), plain);
      ++count;
      EXPECT_EQ(fault(command), "") << page.path().filename() << ": " << command;
    }
  }
  EXPECT_GT(count, 60u);
}

TEST(NamedCommands, OfMessagesAndReadmesAreTaken) {
  std::size_t count = 0;
  for (const char* const module :
       {"README.md", "config", "fabric", "partitions", "routing", "sm", "virt", "packaging"}) {
    std::vector<std::filesystem::path> files{kRepository / module};
    if (std::filesystem::is_directory(kRepository / module)) {
      files.clear();
      for (const auto& file : std::filesystem::recursive_directory_iterator(kRepository / module))
        files.push_back(file.path());
    }
    for (const std::filesystem::path& file : files) {
      const auto extension = file.extension();
      if (extension != ".cpp" && extension != ".h" && extension != ".md") continue;
      if (text_of(file).find("`heddlectl ") == std::string::npos) continue;
      // A literal may go on in the next line.
      const std::string text =
          std::regex_replace(text_of(file), std::regex("\"\\s*\\n\\s*\"|\\n\\s*(///? )?"), " ");
      for (const std::string& command : in_backquotes(text)) {
        ++count;
        EXPECT_EQ(fault(command), "") << file << ": " << command;
      }
    }
  }
  EXPECT_GT(count, 60u);
}

TEST(NamedCommands, AWrongOneIsFound) {
  EXPECT_EQ(fault("heddlectl show portinfo NODE:PORT"), "");
  for (const char* const wrong :
       {"heddlectl show NODE:PORT", "heddlectl frobnicate", "heddlectl describe",
        "heddlectl links --what", "heddlectl explain ID ID", "heddlectl events --since yesterday"})
    EXPECT_EQ(fault(wrong).empty(), std::string(wrong) == "heddlectl describe") << wrong;
}

}  // namespace named_commands_test
