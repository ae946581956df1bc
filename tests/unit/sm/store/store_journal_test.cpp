// The journal: appended batches are read back after truncation at any byte, and damage is reported.
#include "sm/store/journal.h"

#include <fstream>

#include <gtest/gtest.h>

#include "sm/store/atomic_file.h"
#include "unit/sm/temporary_directory.h"

namespace sm {
namespace store_journal_test {

std::vector<std::string> texts(std::string_view journal) {
  std::vector<std::string> out;
  for (const JournalLine& line : parse_journal(journal).lines) out.emplace_back(line.text);
  return out;
}

class JournalTest : public testing::Test {
 protected:
  Journal open() {
    auto opened = Journal::open(path(), true);
    EXPECT_TRUE(opened) << opened.error();
    messages = opened->messages;
    return std::move(opened->journal);
  }
  std::filesystem::path path() const { return directory_.path() / "journal"; }
  std::string file() const { return read_file(path(), 1 << 20)->value_or(""); }
  void write(std::string_view text) const { std::ofstream(path(), std::ios::binary) << text; }

  std::vector<std::string> messages;

 private:
  TemporaryDirectory directory_;
};

TEST_F(JournalTest, KeepsBatchesAcrossRestarts) {
  {
    Journal journal = open();
    ASSERT_TRUE(journal.append("one\ntwo\n"));
    ASSERT_TRUE(journal.append(""));
    ASSERT_TRUE(journal.append("three\n"));
    EXPECT_EQ(journal.bytes(), file().size());
  }
  Journal journal = open();
  EXPECT_TRUE(messages.empty());
  ASSERT_TRUE(journal.append("four\n"));
  EXPECT_EQ(texts(file()), (std::vector<std::string>{"one", "two", "three", "four"}));
  EXPECT_EQ(file().substr(0, 17), "heddle-journal 1\n");
  EXPECT_EQ(std::filesystem::status(path()).permissions() & std::filesystem::perms::others_all,
            std::filesystem::perms::none);
}

TEST_F(JournalTest, ATruncatedBatchIsIgnored) {
  {
    Journal journal = open();
    ASSERT_TRUE(journal.append("one\n"));
    ASSERT_TRUE(journal.append("two\nthree\n"));
  }
  const std::string whole = file();
  for (std::size_t length = 0; length < whole.size(); ++length) {
    write(whole.substr(0, length));
    Journal journal = open();
    EXPECT_TRUE(messages.empty()) << messages[0];
    const bool has_one = length >= 17 + 13 + 11;
    EXPECT_EQ(texts(file()), has_one ? std::vector<std::string>{"one"} : std::vector<std::string>{})
        << length;
    ASSERT_TRUE(journal.append("next\n"));
    EXPECT_EQ(texts(file()).back(), "next") << "a batch after a truncated one is readable";
  }
}

TEST_F(JournalTest, ReportsDamagedLinesAndKeepsTheOthers) {
  {
    Journal journal = open();
    ASSERT_TRUE(journal.append("one\ntwo\n"));
    ASSERT_TRUE(journal.append("three\n"));
  }
  std::string text = file();
  text[text.find("two")] = 'T';
  write(text);
  Journal journal = open();
  ASSERT_EQ(messages.size(), 2u);
  EXPECT_NE(messages[0].find("journal:3:1: "), std::string::npos) << messages[0];
  EXPECT_NE(messages[1].find("journal.corrupt-1"), std::string::npos) << messages[1];
  EXPECT_EQ(texts(file()), (std::vector<std::string>{"one", "three"}));
  open();
  EXPECT_TRUE(messages.empty()) << "reported once";
}

TEST_F(JournalTest, AForeignFileIsRenamed) {
  write("something else\nand more\n");
  Journal journal = open();
  EXPECT_FALSE(messages.empty());
  EXPECT_TRUE(std::filesystem::exists(path().string() + ".corrupt-1"));
  ASSERT_TRUE(journal.append("one\n"));
  EXPECT_EQ(texts(file()), std::vector<std::string>{"one"});
}

TEST_F(JournalTest, IsReplacedWhenItHasGrown) {
  Journal journal = open();
  const std::string line = std::string(1000, 'x') + "\n";
  while (!journal.needs_replacing()) ASSERT_TRUE(journal.append(line));
  EXPECT_GT(journal.bytes(), 64u << 10);
  ASSERT_TRUE(journal.replace("live\n"));
  EXPECT_FALSE(journal.needs_replacing());
  ASSERT_TRUE(journal.append("more\n"));
  EXPECT_EQ(texts(file()), (std::vector<std::string>{"live", "more"}));
}

TEST_F(JournalTest, ReportsWriteErrors) {
  EXPECT_FALSE(Journal::open("/proc/no/such/journal", true));
  Journal journal = open();
  std::filesystem::remove_all(path().parent_path());
  const auto replaced = journal.replace("x\n");
  ASSERT_FALSE(replaced);
  EXPECT_NE(replaced.error().find("cannot write"), std::string::npos);
}

}  // namespace store_journal_test
}  // namespace sm
