#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sm/store/atomic_file.h"
#include "sm/store/cache_files.h"
#include "unit/sm/temporary_directory.h"

namespace store_file_test {

using testing::HasSubstr;
using testing::StartsWith;

std::size_t files_in(const std::filesystem::path& dir) {
  return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(dir),
                                                std::filesystem::directory_iterator()));
}

TEST(AtomicFile, WritesAndReplacesWithoutTemporaryFiles) {
  const TemporaryDirectory dir;
  for (const bool fsync : {false, true}) {
    ASSERT_TRUE(sm::write_file_atomically(dir / "f", "old text\n", fsync));
    ASSERT_TRUE(sm::write_file_atomically(dir / "f", "new\n", fsync));
    EXPECT_EQ(text_of(dir / "f"), "new\n");
    EXPECT_EQ(files_in(dir.path()), 1u);
  }
}

TEST(AtomicFile, TakesALongTextPartByPart) {
  const TemporaryDirectory dir;
  int parts = 0;
  const auto next = [&](std::string& part) {
    EXPECT_EQ(part, "");
    part = std::to_string(++parts) + '\n';
    return parts <= 3;
  };
  ASSERT_TRUE(sm::write_file_atomically(dir / "f", next, false));
  EXPECT_EQ(text_of(dir / "f"), "1\n2\n3\n");
  EXPECT_EQ(files_in(dir.path()), 1u);
}

TEST(AtomicFile, TakesAStreamAndFollowsNoSymbolicLink) {
  const TemporaryDirectory dir;
  write_text(dir / "precious", "content");
  for (const char* name : {"f", "f.new"})
    std::filesystem::create_symlink(dir / "precious", dir / name);
  const std::string line(1000, 'x');
  const auto written = sm::write_stream_atomically(
      dir / "f",
      [&](std::ostream& out) {
        for (int i = 0; i < 200; ++i) out << line;
      },
      false);
  ASSERT_TRUE(written) << written.error();
  EXPECT_EQ(text_of(dir / "f").size(), 200'000u);
  EXPECT_FALSE(std::filesystem::is_symlink(dir / "f"));
  EXPECT_EQ(text_of(dir / "precious"), "content");
  EXPECT_EQ(files_in(dir.path()), 3u);
}

TEST(AtomicFile, AStreamThatCannotBeWrittenIsAnError) {
  const TemporaryDirectory dir;
  write_text(dir / "f", "old");
  const pid_t child = ::fork();
  if (child == 0) {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{.rlim_cur = 100'000, .rlim_max = 100'000};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    const auto written = sm::write_stream_atomically(
        dir / "f", [](std::ostream& out) { out << std::string(200'000, 'x'); }, false);
    std::_Exit(!written && written.error().find("write: File too large") != std::string::npos ? 0
                                                                                              : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(text_of(dir / "f"), "old");
  EXPECT_EQ(files_in(dir.path()), 1u);
}

TEST(AtomicFile, ModeFollowsTheUmask) {
  const TemporaryDirectory dir;
  const mode_t before = ::umask(027);
  EXPECT_TRUE(sm::write_file_atomically(dir / "f", "x", false));
  EXPECT_TRUE(sm::write_file_atomically(dir / "secret", "x", false, 0600));
  ::umask(before);
  EXPECT_EQ(std::filesystem::status(dir / "f").permissions(),
            static_cast<std::filesystem::perms>(0640));
  EXPECT_EQ(std::filesystem::status(dir / "secret").permissions(),
            static_cast<std::filesystem::perms>(0600));
}

TEST(AtomicFile, MissingDirectoryIsAnErrorThatNamesTheFile) {
  const TemporaryDirectory dir;
  const auto written = sm::write_file_atomically(dir / "no/f", "x", true);
  ASSERT_FALSE(written);
  EXPECT_THAT(written.error(), StartsWith("cannot write " + (dir / "no/f").string() + ": "));
  EXPECT_THAT(written.error(), HasSubstr("No such file or directory"));
}

TEST(AtomicFile, FailedRenameRemovesTheTemporaryFile) {
  const TemporaryDirectory dir;
  std::filesystem::create_directory(dir / "f");
  write_text(dir / "f/occupied", "x");
  const auto written = sm::write_file_atomically(dir / "f", "x", false);
  ASSERT_FALSE(written);
  EXPECT_THAT(written.error(), HasSubstr("rename"));
  EXPECT_EQ(files_in(dir.path()), 1u);
}

TEST(ReadFile, DistinguishesMissingFromUnreadable) {
  const TemporaryDirectory dir;
  const auto missing = sm::read_file(dir / "f", 10);
  ASSERT_TRUE(missing);
  EXPECT_FALSE(missing->has_value());
  write_text(dir / "f", "0123456789");
  EXPECT_EQ(sm::read_file(dir / "f", 10).value(), std::optional<std::string>("0123456789"));
  const auto too_long = sm::read_file(dir / "f", 9);
  ASSERT_FALSE(too_long);
  EXPECT_THAT(too_long.error(), HasSubstr("longer than 9 bytes"));
  const auto directory = sm::read_file(dir.path(), 10);
  ASSERT_FALSE(directory);
  EXPECT_THAT(directory.error(), HasSubstr("not a regular file"));
}

TEST(ReadFile, RejectsAFifoWithoutBlocking) {
  const TemporaryDirectory dir;
  ASSERT_EQ(::mkfifo((dir / "f").c_str(), 0600), 0);
  EXPECT_FALSE(sm::read_file(dir / "f", 10));
}

TEST(EnsureDirectory, CreatesOneLevel) {
  const TemporaryDirectory dir;
  EXPECT_TRUE(sm::ensure_directory(dir / "cache"));
  EXPECT_TRUE(sm::ensure_directory(dir / "cache"));
  EXPECT_TRUE(std::filesystem::is_directory(dir / "cache"));
  const auto deep = sm::ensure_directory(dir / "a/b");
  ASSERT_FALSE(deep);
  EXPECT_THAT(deep.error(), StartsWith("cannot create directory "));
}

TEST(MoveAside, ReplacesNoExistingFile) {
  const TemporaryDirectory dir;
  for (const std::string text : {"first", "second", "third"}) {
    write_text(dir / "f", text);
    ASSERT_TRUE(sm::move_aside(dir / "f"));
  }
  EXPECT_EQ(text_of(dir / "f.corrupt-1"), "first");
  EXPECT_EQ(text_of(dir / "f.corrupt-2"), "second");
  EXPECT_EQ(text_of(dir / "f.corrupt-3"), "third");
  EXPECT_FALSE(std::filesystem::exists(dir / "f"));
  EXPECT_FALSE(sm::move_aside(dir / "f"));
}

std::vector<std::string> find_errors(std::string_view text, unsigned values) {
  std::vector<std::string> out;
  for (const sm::FileError& error : sm::parse_key_values(text, values).errors)
    out.push_back(error.text("f"));
  return out;
}

TEST(KeyValueFile, AcceptsRecordsWithAndWithoutEmptyLines) {
  const sm::KeyValueText parsed = sm::parse_key_values("a b c\n\n\r\nd\te  f \r\n   \ng h i", 2);
  EXPECT_TRUE(parsed.errors.empty());
  ASSERT_EQ(parsed.records.size(), 3u);
  EXPECT_EQ(parsed.records[1].key.text, "d");
  EXPECT_EQ(parsed.records[1].key.line, 4);
  EXPECT_EQ(parsed.records[1].values[1].text, "f");
  EXPECT_EQ(parsed.records[1].values[1].column, 6);
  EXPECT_EQ(parsed.records[2].key.text, "g");
  EXPECT_TRUE(sm::parse_key_values("", 2).records.empty());
}

TEST(KeyValueFile, ReportsThePositionOfADefect) {
  EXPECT_THAT(find_errors("a b\n c d\n", 1),
              testing::ElementsAre("f:2:2: 'c' should begin in column 1"));
  EXPECT_THAT(find_errors("a\n", 1),
              testing::ElementsAre("f:1:2: the line ends here, but should have a key and 1 value"));
  EXPECT_THAT(find_errors("a b\x1b c\n", 1),
              testing::ElementsAre("f:1:6: 'c' is too much: a line has a key and 1 value"));
  EXPECT_THAT(find_errors("a b " + std::string(50, '\x01'), 1),
              testing::ElementsAre("f:1:5: '" + std::string(40, '?') +
                                   "...' is too much: a line has a key and 1 value"));
}

}  // namespace store_file_test
