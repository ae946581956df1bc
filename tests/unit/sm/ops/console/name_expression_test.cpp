// Regular expressions of the console, compared with those of the C library.

#include "sm/ops/console/name_expression.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <regex.h>

#include <random>

#include "support/seeds.h"

namespace name_expression_test {

using sm::console::NameExpression;
using testing::HasSubstr;

bool matches(const std::string& expression, const std::string& text) {
  const auto compiled = NameExpression::compile(expression);
  EXPECT_TRUE(compiled) << expression << ": " << compiled.error();
  return compiled && compiled->matches(text);
}
std::string fault_of(const std::string& expression) {
  const auto compiled = NameExpression::compile(expression);
  return compiled ? "none" : compiled.error();
}

TEST(NameExpression, MatchesAPart) {
  for (const auto& [expression, text] :
       std::vector<std::pair<std::string, std::string>>{{"S1", "leaf S12"},
                                                        {"^leaf", "leaf S12"},
                                                        {"S12$", "leaf S12"},
                                                        {"^leaf S12$", "leaf S12"},
                                                        {"^$", ""},
                                                        {"l.*2", "leaf S12"},
                                                        {"S[0-9]{2}", "leaf S12"},
                                                        {"S[0-9]{1,}$", "leaf S12"},
                                                        {"(leaf|spine) S", "spine S3"},
                                                        {"[[:upper:]][[:digit:]]", "leaf S12"},
                                                        {"[^a-z ]", "leaf S"},
                                                        {"a\\.b", "a.b"},
                                                        {"[]x]", "]"},
                                                        {"[^]x]", "y"},
                                                        {"[a-]", "-"},
                                                        {"a|", "b"},
                                                        {"(^a|b)c", "xbc"},
                                                        {"x?y+z*", "y"},
                                                        {"a{,2}b", "aab"},
                                                        {"a{0}b", "b"},
                                                        {"(ab){2}", "xababx"},
                                                        {")", "a)"},
                                                        {"(a*)*b", "aab"},
                                                        {"()x", "x"}})
    EXPECT_TRUE(matches(expression, text)) << expression << " on " << text;
  for (const auto& [expression, text] :
       std::vector<std::pair<std::string, std::string>>{{"S2", "leaf S12"},
                                                        {"^eaf", "leaf"},
                                                        {"lea$", "leaf"},
                                                        {"S[0-9]{3}", "S12"},
                                                        {"[^a-z]", "leaf"},
                                                        {"a\\.b", "axb"},
                                                        {"^(ab){2}$", "ab"},
                                                        {"x^a", "xa"},
                                                        {"^a{2,3}$", "aaaa"},
                                                        {"^.$", "ab"},
                                                        {"(^a|b)c", "xac"},
                                                        {".", ""}})
    EXPECT_FALSE(matches(expression, text)) << expression << " on " << text;
}

TEST(NameExpression, FaultsAreNamed) {
  EXPECT_THAT(fault_of("(a"), HasSubstr("')' is missing"));
  EXPECT_THAT(fault_of("[a"), HasSubstr("']' is missing"));
  EXPECT_THAT(fault_of("["), HasSubstr("']' is missing"));
  EXPECT_THAT(fault_of("[[:alpha"), HasSubstr("class"));
  EXPECT_THAT(fault_of("[[:none:]]"), HasSubstr("class"));
  EXPECT_THAT(fault_of("[z-a]"), HasSubstr("no range"));
  for (const char* const text : {"*a", "a|*", "(+)", "^*", "{2}"})
    EXPECT_THAT(fault_of(text), HasSubstr("nothing to repeat")) << text;
  for (const char* const text : {"a{", "a{1", "a{}", "a{2,1}", "a{x}"})
    EXPECT_THAT(fault_of(text), HasSubstr("interval")) << text;
  EXPECT_THAT(fault_of("a\\"), HasSubstr("nothing follows"));
  EXPECT_THAT(fault_of("(a)\\1"), HasSubstr("no back-references"));
  EXPECT_THAT(fault_of("\\w"), HasSubstr("unknown"));
  EXPECT_THAT(fault_of(std::string(1000, '(')), HasSubstr("parentheses"));
}

/// For some of these the C library needs seconds and gigabytes.
TEST(NameExpression, LengthIsBoundedWhateverIsRepeated) {
  for (const char* const text :
       {"((((a{1,255}){1,255}){1,255}){1,255}){1,255}", "(((((){1,255}){1,255}){1,255}){1,255})",
        "a{400}b{400}", "a{99999999999}", "(a?){501}", "((a|b)*){300}{300}"})
    EXPECT_THAT(fault_of(text), HasSubstr("too long")) << text;
  EXPECT_THAT(fault_of(std::string(10'000, 'a')), HasSubstr("too long"));
  EXPECT_EQ(NameExpression::compile("a{400}")->steps(), 400u);
}

TEST(NameExpression, NoExpressionIsSlow) {
  const std::string text(64, 'a');
  for (const char* const expression :
       {"(a*)*b", "(a|a)*b", "(a|aa)+$b", "(.*)(.*)(.*)(.*)(.*)(.*)(.*)(.*)b", "(a?){60}a{60}b",
        "((a*)*)*((a*)*)*c"})
    EXPECT_FALSE(matches(expression, text)) << expression;
}

/// Writes random expressions of groups, alternatives, lists and repetitions.
class Writer {
 public:
  explicit Writer(std::uint64_t seed) : random_(seed) {}
  unsigned below(unsigned end) { return static_cast<unsigned>(random_() % end); }
  std::string alternatives(unsigned depth) {
    std::string text = sequence(depth);
    for (unsigned more = below(3); more > 0; --more) text += "|" + sequence(depth);
    return text;
  }
  std::string letters() {
    std::string text;
    for (unsigned count = below(12); count > 0; --count)
      text += static_cast<char>('a' + static_cast<int>(below(3)));
    return text;
  }

 private:
  std::string sequence(unsigned depth) {
    std::string text;
    for (unsigned count = 1 + below(3); count > 0; --count) text += one(depth);
    return text;
  }
  std::string one(unsigned depth) {
    static constexpr const char* kOnes[]{"a", "b", "c", ".", "[ab]", "[^a]", "[b-c]"};
    static constexpr const char* kTimes[]{"", "", "", "*", "+", "?", "{2}", "{1,2}", "{2,}"};
    const std::string what = depth > 0 && below(3) == 0 ? "(" + alternatives(depth - 1) + ")"
                                                        : kOnes[below(std::size(kOnes))];
    return what + kTimes[below(std::size(kTimes))];
  }

  std::mt19937_64 random_;
};

TEST(NameExpression, RandomOnesMatchAsInTheCLibrary) {
  unsigned compared = 0;
  seeds::for_each(500, [&](std::uint64_t seed) {
    Writer writer(seed);
    const std::string expression = (writer.below(3) == 0 ? "^(" : "(") + writer.alternatives(2) +
                                   (writer.below(3) == 0 ? ")$" : ")");
    const auto ours = NameExpression::compile(expression);
    if (!ours) {
      EXPECT_THAT(ours.error(), HasSubstr("too long")) << expression;
      return;
    }
    regex_t theirs;
    ASSERT_EQ(regcomp(&theirs, expression.c_str(), REG_EXTENDED | REG_NOSUB), 0) << expression;
    for (unsigned time = 0; time < 20; ++time, ++compared) {
      const std::string text = writer.letters();
      EXPECT_EQ(ours->matches(text), regexec(&theirs, text.c_str(), 0, nullptr, 0) == 0)
          << expression << " on '" << text << "'";
    }
    regfree(&theirs);
  });
  EXPECT_GT(compared, 0u);
}

}  // namespace name_expression_test
