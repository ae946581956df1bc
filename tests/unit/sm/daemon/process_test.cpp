// The pid file of a daemon.

#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mad/format.h"
#include "sm/daemon/process.h"
#include "unit/sm/temporary_directory.h"

namespace process_test {

using namespace std::chrono_literals;

std::string own_pid() { return fmt::format("{}\n", ::getpid()); }

TEST(PidFile, HasTheProcessIdUntilItsEnd) {
  const TemporaryDirectory dir;
  write_text(dir / "p", "1234567 of a process that was killed\n");
  {
    const auto file = sm::PidFile::create(dir / "p", 0ms);
    ASSERT_TRUE(file);
    EXPECT_EQ(text_of(dir / "p"), own_pid());
  }
  EXPECT_FALSE(std::filesystem::exists(dir / "p"));
}

TEST(PidFile, IsNotTakenFromAProcessThatLives) {
  const TemporaryDirectory dir;
  const auto first = sm::PidFile::create(dir / "p", 0ms);
  ASSERT_TRUE(first);
  {
    const auto second = sm::PidFile::create(dir / "p", 60ms);
    ASSERT_FALSE(second);
    EXPECT_THAT(second.error(), testing::MatchesRegex(fmt::format(
                                    "cannot write the pid file {}: process {} .* holds it",
                                    (dir / "p").string(), ::getpid())));
  }
  EXPECT_EQ(text_of(dir / "p"), own_pid()) << "nor removed";
}

TEST(PidFile, WaitsForAProcessThatEnds) {
  const TemporaryDirectory dir;
  auto first = sm::PidFile::create(dir / "p", 0ms);
  ASSERT_TRUE(first);
  std::optional<sm::PidFile> held(std::move(*first));
  std::thread ends([&held] {
    std::this_thread::sleep_for(100ms);
    held.reset();
  });
  const auto second = sm::PidFile::create(dir / "p", 10s);
  ends.join();
  ASSERT_TRUE(second);
  EXPECT_EQ(text_of(dir / "p"), own_pid()) << "not the file that the first one has removed";
}

TEST(PidFile, SaysWhyItCannotBeWritten) {
  const TemporaryDirectory dir;
  EXPECT_THAT(sm::PidFile::create(dir / "missing/p", 0ms).error(),
              testing::HasSubstr("missing/p: No such file or directory"));
}

TEST(PidFile, OnlyItsOwnerCanOpenAndLockIt) {
  const TemporaryDirectory dir;
  write_text(dir / "p", "12\n");
  ::chmod((dir / "p").c_str(), 0644);
  const auto file = sm::PidFile::create(dir / "p", 0ms);
  ASSERT_TRUE(file);
  struct stat status{};
  ASSERT_EQ(::stat((dir / "p").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777u, 0600u);
}

TEST(PidFile, IsNotWrittenThroughASymbolicLink) {
  const TemporaryDirectory dir;
  write_text(dir / "precious", "content");
  std::filesystem::create_symlink(dir / "precious", dir / "p");
  EXPECT_FALSE(sm::PidFile::create(dir / "p", 0ms));
  EXPECT_EQ(text_of(dir / "precious"), "content");
}

/// The exit code of a child process that does this.
template <class Work>
int code_of_child(Work work) {
  const pid_t child = ::fork();
  if (child == 0) std::_Exit(work());
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(Process, RaisesItsLimitOfDescriptors) {
  EXPECT_EQ(code_of_child([] {
              rlimit limit{};
              getrlimit(RLIMIT_NOFILE, &limit);
              const rlim_t permitted = std::min<rlim_t>(limit.rlim_max, 65'536);
              limit.rlim_cur = 64;
              setrlimit(RLIMIT_NOFILE, &limit);
              if (sm::descriptors_max() != 64) return 1;
              sm::set_resource_limits();
              return sm::descriptors_max() == permitted ? 0 : 2;
            }),
            0);
}

TEST(Process, WritesNoCoreDumpOnceThatIsForbidden) {
  EXPECT_EQ(code_of_child([] {
              sm::forbid_core_dumps();
              rlimit limit{};
              getrlimit(RLIMIT_CORE, &limit);
              return limit.rlim_cur == 1 && limit.rlim_max == 1 ? 0 : 1;
            }),
            0);
}

TEST(Detach, LeavesItsDirectoryAndLetsNoOtherUserWrite) {
  const TemporaryDirectory dir;
  const auto seen = (dir / "seen").string();
  const pid_t child = ::fork();
  if (child == 0) {
    umask(0);
    if (!sm::detach()) std::_Exit(1);
    const mode_t mask = umask(0);
    write_text(seen + ".new",
               fmt::format("{} {:03o}", std::filesystem::current_path().string(), unsigned{mask}));
    std::filesystem::rename(seen + ".new", seen);
    std::_Exit(0);
  }
  ::waitpid(child, nullptr, 0);
  const auto until = std::chrono::steady_clock::now() + 20s;
  while (!std::filesystem::exists(seen) && std::chrono::steady_clock::now() < until)
    std::this_thread::sleep_for(5ms);
  EXPECT_EQ(text_of(seen), "/ 022");
}

}  // namespace process_test
