// The archive of a support bundle.

#include "sm/ctl/bundle.h"

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include "support/require_tool.h"
#include "unit/sm/temporary_directory.h"

namespace sm::ctl {
namespace bundle_test {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

constexpr fs::perms kOwnerOnly = fs::perms::owner_read | fs::perms::owner_write;

TEST(Bundle, HasItsFilesInOneDirectoryAndIsForItsOwnerOnly) {
  HEDDLE_REQUIRE_TOOL("tar", "tar");
  const TemporaryDirectory directory;
  const fs::path archive = directory / "a b.tar.gz";
  write_text(archive, "an older file");
  {
    auto bundle = Bundle::create("name");
    ASSERT_TRUE(bundle) << bundle.error();
    EXPECT_TRUE(bundle->add("README", "text\n"));
    EXPECT_TRUE(bundle->add("/etc/x/../../../../escaped", "inside\n"));
    ASSERT_TRUE(bundle->write(archive));
  }
  EXPECT_EQ(fs::status(archive).permissions(), kOwnerOnly);
  const std::string listed =
      read_output("tar -tzf '" + archive.string() + "'", 10, std::size_t{1} << 16);
  EXPECT_THAT(listed, HasSubstr("name/README\n"));
  EXPECT_THAT(listed, HasSubstr("name/etc/x/escaped\n"));
  EXPECT_EQ(std::distance(fs::directory_iterator(directory.path()), fs::directory_iterator()), 1)
      << "nothing else is left beside it";
}

TEST(Bundle, ArchiveThatCannotBeWrittenIsAnError) {
  auto bundle = Bundle::create("name");
  ASSERT_TRUE(bundle);
  EXPECT_TRUE(bundle->add("README", "text\n"));
  const auto written = bundle->write("/nonexistent/a.tar.gz");
  ASSERT_FALSE(written);
  EXPECT_THAT(written.error(), HasSubstr("cannot write /nonexistent/a.tar.gz"));
}

TEST(Bundle, TailBeginsWithAWholeLine) {
  const TemporaryDirectory directory;
  write_text(directory / "log", "one\ntwo\nthree\n");
  EXPECT_EQ(read_tail(directory / "log", 100), "one\ntwo\nthree\n");
  EXPECT_EQ(read_tail(directory / "log", 8), "three\n");
  EXPECT_FALSE(read_tail(directory / "none", 8));
  EXPECT_FALSE(read_tail(directory.path(), 8));
}

TEST(Bundle, TailIsOfNoFifoAndOfNoLinkOfAnotherUser) {
  const TemporaryDirectory directory;
  ASSERT_EQ(mkfifo((directory / "fifo").c_str(), 0600), 0);
  alarm(20);  // in place of a test that never ends
  EXPECT_FALSE(read_tail(directory / "fifo", 8));
  alarm(0);
  write_text(directory / "secret", "secret\n");
  fs::create_symlink("secret", directory / "link");
  EXPECT_EQ(read_tail(directory / "link", 100), "secret\n");
  if (geteuid() != 0) return;  // only root gives links to other users
  ASSERT_EQ(lchown((directory / "link").c_str(), 1001, 1001), 0);
  const auto refused = read_tail(directory / "link", 100);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error(), HasSubstr("a symbolic link of user 1001"));
}

TEST(Bundle, OutputOfAProgramIsBoundedAndEmptyWithoutIt) {
  EXPECT_EQ(read_output("echo a", 10, 100), "a\n");
  EXPECT_THAT(read_output("ls /nonexistent", 10, 1000), HasSubstr("/nonexistent"));
  EXPECT_EQ(read_output("yes", 10, 10), "y\ny\ny\ny\ny\n");
  EXPECT_EQ(read_output("no-such-program-at-all -x", 10, 100), "");
}

}  // namespace bundle_test
}  // namespace sm::ctl
