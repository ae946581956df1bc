// The pid file of a daemon.

#include <unistd.h>

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
    EXPECT_EQ(second.error(), fmt::format("cannot write the pid file {}: process {} holds it",
                                          (dir / "p").string(), ::getpid()));
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

}  // namespace process_test
