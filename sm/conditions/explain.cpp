#include "sm/conditions/explain.h"

#include <algorithm>
#include <sstream>
#include <string_view>

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

}  // namespace sm
