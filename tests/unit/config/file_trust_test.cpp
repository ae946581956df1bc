// Files that other users can change, links of other users, and files that have no end.

#include "config/file_trust.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config/diagnostic.h"
#include "config/file_reader.h"
#include "unit/sm/temporary_directory.h"

namespace file_trust_test {

namespace fs = std::filesystem;
using config::change_fault;
using config::read_file;
using config::trust_fault;
using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr uid_t kCaller = 1000, kOther = 1001;

TEST(ChangeFault, OnlyWhatRootAndTheCallerOwnAndOthersCannotWriteIsTrusted) {
  struct Row {
    uid_t owner;
    mode_t mode;
    const char* fault;
  };
  const std::vector<Row> rows{
      {0, S_IFREG | 0644, ""},
      {kCaller, S_IFREG | 0600, ""},
      {0, S_IFDIR | 0755, ""},
      {0, S_IFDIR | 01777, ""},  // /tmp: others change only their own entries
      {kCaller, S_IFLNK | 0777, ""},
      {kOther, S_IFREG | 0600, "belongs to user 1001"},
      {kOther, S_IFDIR | 0755, "belongs to user 1001"},
      {kOther, S_IFLNK | 0777, "belongs to user 1001"},
      {0, S_IFREG | 0664, "can be written by others than its owner (mode 0664)"},
      {0, S_IFREG | 0646, "can be written by others than its owner (mode 0646)"},
      {0, S_IFDIR | 0777, "can be written by others than its owner (mode 0777)"},
      {0, S_IFREG | 01666, "can be written by others than its owner (mode 1666)"},
  };
  for (const Row& row : rows)
    EXPECT_EQ(change_fault({row.owner, row.mode}, kCaller), row.fault) << row.owner << row.mode;
}

class TrustFault : public testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(dir_ / "etc");
    write_text(file_, "text\n");
    fs::permissions(dir_ / "etc", fs::perms{0755});
    fs::permissions(file_, fs::perms{0644});
  }
  std::string fault(const fs::path& path) const { return trust_fault(path.string(), geteuid()); }

  TemporaryDirectory dir_;
  fs::path file_ = dir_ / "etc/opensm.conf";
};

TEST_F(TrustFault, NamesTheFileThatOthersCanWrite) {
  EXPECT_EQ(fault(file_), "");
  fs::permissions(file_, fs::perms{0666});
  EXPECT_EQ(fault(file_), file_.string() + " can be written by others than its owner (mode 0666)");
}

TEST_F(TrustFault, NamesTheDirectoryInWhichOthersCanReplaceIt) {
  fs::permissions(dir_ / "etc", fs::perms{0777});
  EXPECT_THAT(fault(file_), HasSubstr((dir_ / "etc").string() + " can be written by others"));
  EXPECT_THAT(fault(dir_ / "etc/../etc/opensm.conf"), HasSubstr("can be written by others"));
}

TEST_F(TrustFault, FollowsLinksToTheDirectoriesOfTheirTargets) {
  fs::create_directories(dir_ / "open");
  write_text(dir_ / "open/target", "");
  fs::permissions(dir_ / "open", fs::perms{0777});
  fs::create_symlink("../open/target", dir_ / "etc/link");
  EXPECT_THAT(fault(dir_ / "etc/link"), HasSubstr((dir_ / "open").string()));
  fs::create_symlink(dir_ / "open", dir_ / "etc/directory");
  EXPECT_THAT(fault(dir_ / "etc/directory/target"), HasSubstr((dir_ / "open").string()));
  fs::create_symlink("self", dir_ / "etc/self");
  EXPECT_NE(fault(dir_ / "etc/self"), "") << "a cycle of links";
}

TEST_F(TrustFault, AMissingFileCountsWhereAnyUserCanCreateIt) {
  EXPECT_EQ(fault(dir_ / "etc/none"), "");
  EXPECT_EQ(fault(dir_ / "no/directory/none"), "");
  fs::create_directories(dir_ / "sticky");
  ASSERT_EQ(chmod((dir_ / "sticky").c_str(), 01777), 0);
  EXPECT_THAT(fault(dir_ / "sticky/none"), HasSubstr("any user can create it"));
  write_text(dir_ / "sticky/file", "");
  EXPECT_EQ(fault(dir_ / "sticky/file"), "") << "others cannot rename it";
}

TEST_F(TrustFault, FilesAndLinksOfOtherUsersAreRefused) {
  if (geteuid() != 0) GTEST_SKIP() << "only root gives files to other users";
  ASSERT_EQ(chown(file_.c_str(), kOther, kOther), 0);
  EXPECT_EQ(fault(file_), file_.string() + " belongs to user 1001");
  EXPECT_EQ(trust_fault(file_.string(), kOther), "") << "the caller's own";
}

TEST_F(TrustFault, NamesHaveNoControlCharacters) {
  write_text(dir_ / "a\x1b[2J", "");
  fs::permissions(dir_ / "a\x1b[2J", fs::perms{0666});
  EXPECT_THAT(fault(dir_ / "a\x1b[2J"), HasSubstr("a\\x1b[2J can be written"));
}

class ForeignLinks : public testing::Test {
 protected:
  void SetUp() override {
    if (geteuid() != 0) GTEST_SKIP() << "only root gives links to other users";
    write_text(dir_ / "secret", "secret\n");
    fs::create_directories(dir_ / "shared");
    ASSERT_EQ(chmod((dir_ / "shared").c_str(), 01777), 0);
  }
  void link(const char* name, const fs::path& target, uid_t owner) {
    fs::create_symlink(target, dir_ / "shared" / name);
    ASSERT_EQ(lchown((dir_ / "shared" / name).c_str(), owner, owner), 0);
  }
  tl::expected<int, std::string> open(const char* name) {
    auto opened = config::open_refusing_foreign_links((dir_ / "shared" / name).string(),
                                                      O_RDWR | O_CREAT, 0600);
    if (opened) close(*opened);
    return opened;
  }

  TemporaryDirectory dir_;
};

TEST_F(ForeignLinks, AreNotFollowed) {
  link("theirs", dir_ / "secret", kOther);
  const auto refused = open("theirs");
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error(), HasSubstr("shared/theirs is a symbolic link of user 1001"));
  link("directory", dir_.path(), kOther);
  EXPECT_FALSE(open("directory/secret")) << "also in the middle of a path";
  link("new", dir_ / "created", kOther);
  EXPECT_FALSE(open("new"));
  EXPECT_FALSE(fs::exists(dir_ / "created"));
}

TEST_F(ForeignLinks, OwnLinksAreFollowed) {
  link("ours", dir_ / "secret", geteuid());
  EXPECT_TRUE(open("ours"));
  link("again", "ours", geteuid());
  EXPECT_TRUE(open("again"));
  EXPECT_TRUE(open("plain")) << "no link at all";
  EXPECT_TRUE(fs::is_regular_file(dir_ / "shared/plain"));
}

TEST(OpenRefusingForeignLinks, StandardStreamsHaveLinksOfTheKernel) {
  const auto opened = config::open_refusing_foreign_links("/proc/self/fd/1", O_WRONLY);
  EXPECT_TRUE(opened) << opened.error();
  if (opened) close(*opened);
}

// ---- Files to read

TEST(ReadFile, ReadsRegularFilesOnly) {
  const TemporaryDirectory dir;
  write_text(dir / "file", "text\n");
  EXPECT_EQ(read_file((dir / "file").string()), "text\n");
  EXPECT_EQ(read_file((dir / "none").string()).error(), std::errc::no_such_file_or_directory);
  EXPECT_EQ(read_file(dir.path().string()).error(), std::errc::is_a_directory);
  const auto device = read_file("/dev/null");  // and /dev/zero, which has no end
  ASSERT_FALSE(device);
  EXPECT_EQ(device.error().message(), "Not a regular file");
}

TEST(ReadFile, DoesNotWaitForTheWriterOfAFifo) {
  const TemporaryDirectory dir;
  ASSERT_EQ(mkfifo((dir / "fifo").c_str(), 0600), 0);
  alarm(20);  // in place of a test that never ends
  const auto text = read_file((dir / "fifo").string());
  alarm(0);
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().message(), "Not a regular file");
}

TEST(ReadFile, IsBounded) {
  const TemporaryDirectory dir;
  write_text(dir / "sparse", "");
  fs::resize_file(dir / "sparse", std::uintmax_t{1} << 40);
  const auto text = read_file((dir / "sparse").string());
  ASSERT_FALSE(text);
  EXPECT_THAT(text.error().message(), HasSubstr("Longer than"));
}

TEST(Diagnostics, NamesOfFilesHaveNoControlCharacters) {
  const config::Diagnostic found{
      config::Severity::error, "a\x1b]0;title\x07.conf", 3, 1, "unknown key 'x'", "leave it out"};
  EXPECT_EQ(found.text(), "a\\x1b]0;title\\x07.conf:3:1: error: unknown key 'x'; leave it out");
}

}  // namespace file_trust_test
