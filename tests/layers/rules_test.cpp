#include "layers/rules.h"

#include <gmock/gmock.h>

#include "layers/tree.h"

namespace rules_test {

using layers::Exceptions;
using layers::Source;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

std::string file_of(std::size_t lines) {
  std::string text;
  for (std::size_t i = 0; i < lines; ++i) text += "int x;\n";
  return text;
}

Exceptions exceptions_of(std::vector<Source> sources) {
  return layers::find_exceptions(sources, {"nobody", "is waited"});
}

TEST(Rules, TheProductBreaksThemWhereTheListSaysOnly) {
  const auto table = layers::parse_table(layers::content(HEDDLE_LAYERS_TABLE));
  ASSERT_TRUE(table);
  const std::filesystem::path here = std::filesystem::path(HEDDLE_LAYERS_TABLE).parent_path();
  const auto words = layers::parse_words(layers::content(here / "words.txt"));
  Exceptions found = layers::find_exceptions(layers::read_tree(HEDDLE_SOURCE_DIR, *table), words);
  found.merge(layers::find_test_names(
      layers::read_directories(HEDDLE_SOURCE_DIR, {here.parent_path().filename()}), words));
  EXPECT_THAT(
      layers::compare(layers::parse_exceptions(layers::content(here / "exceptions.txt")), found),
      IsEmpty());
}

TEST(Rules, WordsAreFoundInTextsCommentsAndIdentifiers) {
  EXPECT_THAT(exceptions_of({{"a/x.cpp", "// Nobody, nobodys: it is waited\nint has_nobody_;\n"}}),
              ElementsAre(Pair("word a/x.cpp is waited", 1u), Pair("word a/x.cpp nobody", 2u)));
  EXPECT_THAT(exceptions_of({{"a/x.cpp", "int kNobody, XMLNobodyIsWaited;\n"}}),
              ElementsAre(Pair("word a/x.cpp is waited", 1u), Pair("word a/x.cpp nobody", 2u)));
}

TEST(Rules, WordsAreFoundInNamesOfTests) {
  EXPECT_THAT(layers::find_test_names({{"tests/x.cpp", "// nobody\nTEST_F(A, NobodyWaits) {\n"}},
                                      {"nobody"}),
              ElementsAre(Pair("test-name tests/x.cpp nobody", 1u)));
}

TEST(Rules, CommentsThatBeginWithoutASubjectAreFoundOncePerComment) {
  EXPECT_THAT(exceptions_of({{"a/x.cpp",
                              "/// Of the port.\nint a;  // Whose port it is\n"
                              "  /// What it holds,\n  /// Who knows.\n//\n// The same again.\n"}}),
              ElementsAre(Pair("comment-fragment a/x.cpp", 3u)));
  EXPECT_THAT(exceptions_of({{"a/x.cpp",
                              "/// Whatever the port is.\n/// Returns the rate.\n"
                              "const char* text = \"Of a text\";\n/// Often.\n"}}),
              IsEmpty());
}

TEST(Rules, LongFilesAreFound) {
  EXPECT_THAT(exceptions_of({{"a/x.cpp", file_of(600)}}), IsEmpty());
  EXPECT_THAT(exceptions_of({{"a/x.cpp", file_of(601)}}),
              ElementsAre(Pair("file-lines a/x.cpp", 601u)));
}

TEST(Rules, LongFunctionsAreFoundByName) {
  const auto function = [](std::size_t lines) {
    std::string text = "void Sweeper::decide(int a,\n                     int b) {\n";
    for (std::size_t i = 3; i < lines; ++i) text += "  ++a;\n";
    return text + "}\n";
  };
  EXPECT_THAT(exceptions_of({{"a/x.cpp", function(60) + function(60)}}), IsEmpty());
  EXPECT_THAT(exceptions_of({{"a/x.cpp", function(61)}}),
              ElementsAre(Pair("function-lines a/x.cpp:Sweeper::decide", 61u)));
}

TEST(Rules, EqualNamesOfFilesAndHeadersWithoutUserAreFound) {
  EXPECT_THAT(exceptions_of({{"a/x.h", ""},
                             {"b/x.h", "#include \"a/x.h\"\n"},
                             {"b/main.cpp", ""},
                             {"c/main.cpp", ""}}),
              ElementsAre(Pair("basename x.h", 2u), Pair("header-without-user b/x.h", 1u)));
}

TEST(Rules, TheListOnlyShrinks) {
  const Exceptions listed = layers::parse_exceptions("# why\n3 word a nobody\n1 basename x.h\n");
  EXPECT_THAT(listed, ElementsAre(Pair("basename x.h", 1u), Pair("word a nobody", 3u)));
  EXPECT_EQ(layers::parse_exceptions(layers::exceptions_text(listed)), listed);
  EXPECT_THAT(layers::compare(listed, listed), IsEmpty());
  EXPECT_THAT(layers::compare(listed, {{"word a nobody", 4}, {"basename x.h", 1}}),
              ElementsAre(HasSubstr("4, was 3; the list only shrinks")));
  EXPECT_THAT(
      layers::compare(listed, {{"word a nobody", 2}, {"file-lines y", 700}}),
      ElementsAre(HasSubstr("file-lines y (700): breaks a rule"),
                  HasSubstr("2 now, exceptions.txt says 3"), HasSubstr("basename x.h: mended")));
}

}  // namespace rules_test
