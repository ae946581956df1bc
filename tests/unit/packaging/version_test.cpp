// Which commit a build names: of a clone, of an archive that git made, of other directories.

#include <gmock/gmock.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

#include "config/build/build.h"
#include "unit/sm/temporary_directory.h"

namespace version_test {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;
namespace fs = std::filesystem;

/// A clone with one commit, and `git archive` of it.
class Commit : public testing::Test {
 protected:
  Commit() {
    fs::create_directories(clone_ / "packaging");
    std::ofstream(clone_ / ".gitattributes") << "packaging/commit export-subst\n";
    std::ofstream(clone_ / "packaging/commit") << "$Format:%H %cs$\n";
    shell("git -C '" + clone_.string() + "' init -q");
    shell("git -C '" + clone_.string() + "' add -A");
    shell("GIT_COMMITTER_DATE='2026-01-02T03:04:05Z' git -C '" + clone_.string() +
          "' -c user.name=n -c user.email=e commit -q -m text");
    fs::create_directories(archive_);
    shell("git -C '" + clone_.string() + "' archive HEAD | tar -C '" + archive_.string() + "' -x");
  }

  /// The header that a build of that directory gets.
  std::string header(const fs::path& source, const std::string& given = "") const {
    const fs::path out = root_ / "commit.h";
    shell("cmake -DSOURCE='" + source.string() + "' -DCOMMIT='" + given + "' -DOUTPUT='" +
          out.string() + "' -P " HEDDLE_COMMIT_SCRIPT);
    std::ostringstream text;
    text << std::ifstream(out).rdbuf();
    return std::move(text).str();
  }
  static void shell(const std::string& command) {
    // NOLINTNEXTLINE(cert-env33-c): commands of this test
    ASSERT_EQ(std::system(command.c_str()), 0) << command;
  }

 private:
  TemporaryDirectory directory_;

 protected:
  const fs::path root_ = directory_.path();
  const fs::path clone_ = root_ / "clone", archive_ = root_ / "clone" / "build" / "heddle-0.9.0";
};

TEST_F(Commit, OfACloneAndOfAnArchiveOfItAreTheSame) {
  const std::string text = header(clone_);
  EXPECT_THAT(text, AllOf(HasSubstr("kCommitDate = \"2026-01-02\""), HasSubstr("kChanged = false"),
                          Not(HasSubstr("unknown"))));
  EXPECT_EQ(header(archive_), text);
}

TEST_F(Commit, AChangedCloneIsNamedSo) {
  std::ofstream(clone_ / ".gitattributes", std::ios::app) << "# more\n";
  EXPECT_THAT(header(clone_), HasSubstr("kChanged = true"));
}

TEST_F(Commit, ADirectoryInsideAnotherCloneIsNotItsCommit) {
  fs::copy_file(clone_ / "packaging/commit", archive_ / "packaging/commit",
                fs::copy_options::overwrite_existing);
  EXPECT_THAT(header(archive_), HasSubstr("kCommit = \"unknown\""));
}

TEST_F(Commit, TheGivenOneComesFirst) {
  EXPECT_THAT(header(archive_, "abc"), HasSubstr("kCommit = \"abc\""));
}

TEST(Version, NamesVersionCommitAndFeatures) {
  EXPECT_THAT(config::version_text("heddle"),
              AllOf(StartsWith("heddle " HEDDLE_VERSION "\ncommit: "),
                    HasSubstr("\nfeatures: etcd systemd tls "), HasSubstr("\ncompiler: ")));
  EXPECT_THAT(config::short_version(), StartsWith(HEDDLE_VERSION " ("));
}

}  // namespace version_test
