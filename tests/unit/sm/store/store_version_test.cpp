// Files of neighbouring versions: read, or refused by their first line, never misread.
#include "sm/store/file_version.h"

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sm/store/atomic_file.h"
#include "sm/store/guid2lid.h"
#include "sm/store/journal.h"
#include "unit/sm/temporary_directory.h"

namespace sm {
namespace store_version_test {

using testing::HasSubstr;

TEST(FileVersions, AreOrderedNumbers) {
  EXPECT_EQ(parse_file_version("1"), FileVersion{});
  EXPECT_EQ(parse_file_version("1.12"), (FileVersion{.number = 1, .revision = 12}));
  EXPECT_EQ(FileVersion{}.text(), "1") << "as files had it before there were revisions";
  EXPECT_EQ((FileVersion{.number = 2, .revision = 3}).text(), "2.3");
  EXPECT_GT(parse_file_version("1.10"), parse_file_version("1.9"));
  EXPECT_GT(parse_file_version("2"), parse_file_version("1.9"));
  for (const char* text : {"", ".", "1.", ".1", "1.2.3", "-1", "+1", "1x", "0x1", "99999999999"})
    EXPECT_EQ(parse_file_version(text), std::nullopt) << text;
  EXPECT_EQ(file_version_after("# name", "# name 1.2: words"), parse_file_version("1.2"));
  EXPECT_EQ(file_version_after("name", "name 1\r\nnext"), FileVersion{});
  EXPECT_EQ(file_version_after("name", "names 1"), std::nullopt);
  EXPECT_EQ(file_version_after("name", "name"), std::nullopt);
}

class JournalVersions : public testing::Test {
 protected:
  /// A journal with one batch under this first line.
  std::string journal(std::string_view first) const {
    return std::string(first) + "\n" + journal_batch("one\ntwo\n");
  }
  Journal::Opened open(const std::string& text) {
    std::ofstream(path(), std::ios::binary) << text;
    auto opened = Journal::open(path(), false);
    EXPECT_TRUE(opened) << opened.error();
    return std::move(*opened);
  }
  std::filesystem::path path() const { return directory_.path() / "journal"; }
  std::string file() const { return read_file(path(), 1 << 20)->value_or(""); }

 private:
  TemporaryDirectory directory_;
};

TEST_F(JournalVersions, AHigherRevisionIsReadAndGoesOn) {
  const std::string text = journal("heddle-journal 1.7");
  EXPECT_GT(parse_journal(text).version, kJournalVersion);
  auto opened = open(text);
  EXPECT_TRUE(opened.messages.empty()) << opened.messages[0];
  ASSERT_EQ(parse_journal(opened.text).lines.size(), 2u);
  ASSERT_TRUE(opened.journal.append("three\n"));
  EXPECT_THAT(file(), testing::StartsWith(text)) << "its newer lines stay until it is replaced";
  ASSERT_TRUE(opened.journal.replace("one\n"));
  EXPECT_THAT(file(), testing::StartsWith("heddle-journal 1\n"));
}

TEST_F(JournalVersions, AnotherNumberIsNotUsedAndKept) {
  const std::string text = journal("heddle-journal 2");
  EXPECT_TRUE(parse_journal(text).lines.empty());
  auto opened = open(text);
  ASSERT_EQ(opened.messages.size(), 2u);
  EXPECT_THAT(opened.messages[0], HasSubstr("journal:1:1: version 2 is not known; 1 is"));
  EXPECT_THAT(opened.messages[1], HasSubstr("another version of Heddle; it is not used; moved to"));
  EXPECT_EQ(read_file(path().string() + ".corrupt-1", 1 << 20)->value_or(""), text);
  EXPECT_EQ(file(), "heddle-journal 1\n");
}

TEST_F(JournalVersions, AFirstLineThatIsNoneIsDamage) {
  const auto opened = open(journal("heddle-journal one"));
  ASSERT_EQ(opened.messages.size(), 2u);
  EXPECT_THAT(opened.messages[0], HasSubstr("should be 'heddle-journal 1'"));
  EXPECT_EQ(parse_journal(file()).lines.size(), 2u) << "lines with a checksum are used";
}

// OpenSM's format has no version: what another program adds to it is a defect, and nothing of the
// file is used, rather than LIDs that two ports may have.
TEST(FileVersions, AGuid2LidOfAnotherFormatIsNotUsed) {
  for (const char* text :
       {"0x0002c90000000001 0x0001 0x0001 0x0\n", "version 2\n0x0002c90000000001 0x0001 0x0001\n"})
    EXPECT_FALSE(parse_guid2lid(text).errors.empty()) << text;
}

}  // namespace store_version_test
}  // namespace sm
