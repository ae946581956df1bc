// Which directory has the files of a port, when several ports of a machine have a manager.

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <chrono>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sm/store/port_directory.h"
#include "unit/sm/temporary_directory.h"

namespace store_port_directory_test {

using namespace std::chrono_literals;

constexpr mad::Guid kOne{0x2c90300a1b2c1}, kTwo{0x2c90300a1b2c2}, kNew{0x2c90300a1b2c3};
constexpr std::array kBoth{kOne, kTwo};

class PortDirectory : public ::testing::Test {
 protected:
  std::string claim(mad::Guid port) const { return sm::claim_directory(path, port, kBoth).path; }

  TemporaryDirectory dir;
  std::string path = dir / "cache";
  std::string of_two = path + "/0x0002c90300a1b2c2";
};

TEST_F(PortDirectory, TheFirstPortHasItAndKeepsIt) {
  EXPECT_EQ(claim(kOne), path);
  EXPECT_EQ(claim(kTwo), of_two);
  EXPECT_EQ(claim(kOne), path);
  EXPECT_EQ(claim(kTwo), of_two);
  EXPECT_EQ(text_of(path + "/.heddle-port"), "0x0002c90300a1b2c1\n");
}

TEST_F(PortDirectory, WhatWasThereBeforeIsTheFirstPortsAndTheOthersBeginWithIt) {
  std::filesystem::create_directory(path);
  write_text(path + "/guid2lid", "lids");
  write_text(path + "/guid2mkey", "keys");
  write_text(path + "/opensm.registrations", "of one subnet");
  chmod((path + "/guid2mkey").c_str(), 0600);
  EXPECT_EQ(claim(kOne), path);
  EXPECT_EQ(claim(kTwo), of_two);
  EXPECT_EQ(text_of(of_two + "/guid2lid"), "lids");
  EXPECT_EQ(text_of(of_two + "/guid2mkey"), "keys");
  EXPECT_EQ(std::filesystem::status(of_two + "/guid2mkey").permissions(),
            std::filesystem::perms(0600));
  EXPECT_FALSE(std::filesystem::exists(of_two + "/opensm.registrations"));
  write_text(of_two + "/guid2lid", "its own");
  EXPECT_EQ(claim(kTwo), of_two);
  EXPECT_EQ(text_of(of_two + "/guid2lid"), "its own");
}

TEST_F(PortDirectory, ADirectoryThatAPortHadStaysItsOwn) {
  // One process had both ports.
  std::filesystem::create_directories(of_two);
  EXPECT_EQ(claim(kTwo), of_two);
  EXPECT_EQ(sm::find_directory(path, kTwo), of_two);
  EXPECT_EQ(sm::find_directory(path, kOne), path);
}

TEST_F(PortDirectory, ADeviceThatReplacesAnotherTakesItsFiles) {
  EXPECT_EQ(claim(kOne), path);
  EXPECT_EQ(sm::claim_directory(path, kNew, std::array{kNew}).path, path);
  EXPECT_EQ(sm::claim_directory(path, kNew, std::array{kNew}).path, path);
  EXPECT_EQ(text_of(path + "/.heddle-port"), "0x0002c90300a1b2c3\n");
}

TEST_F(PortDirectory, AnOwnerFileWithAnythingElseIsReplaced) {
  std::filesystem::create_directory(path);
  for (const char* const text : {"", "0x", "port 1", "0xzz\n", "0x00000000000000000000000001\n"}) {
    write_text(path + "/.heddle-port", text);
    EXPECT_EQ(claim(kOne), path) << text;
    EXPECT_EQ(text_of(path + "/.heddle-port"), "0x0002c90300a1b2c1\n") << text;
  }
}

unsigned mode_of(const std::string& file) {
  struct stat status{};
  EXPECT_EQ(stat(file.c_str(), &status), 0);
  return status.st_mode & 07777u;
}

TEST_F(PortDirectory, OnlyItsOwnerCanOpenAndLockTheOwnerFile) {
  const mode_t before = umask(0);
  EXPECT_EQ(claim(kOne), path);
  umask(before);
  EXPECT_EQ(mode_of(path + "/.heddle-port"), 0600u);
  chmod((path + "/.heddle-port").c_str(), 0644);
  EXPECT_EQ(claim(kOne), path);
  EXPECT_EQ(mode_of(path + "/.heddle-port"), 0600u) << "one of an earlier version";
}

TEST_F(PortDirectory, ALockThatIsNotReleasedIsNotWaitedForLongAndItsHolderIsNamed) {
  EXPECT_EQ(claim(kOne), path);
  const std::string file = path + "/.heddle-port";
  const int held = open(file.c_str(), O_RDONLY | O_CLOEXEC);
  ASSERT_EQ(flock(held, LOCK_EX | LOCK_NB), 0);
  const auto before = std::chrono::steady_clock::now();
  EXPECT_EQ(sm::claim_directory(path, kOne, kBoth).warning, "") << "its owner needs no lock";
  const auto claimed = sm::claim_directory(path, kTwo, kBoth, 60ms);
  EXPECT_LT(std::chrono::steady_clock::now() - before, 5s);
  EXPECT_EQ(claimed.path, of_two);
  EXPECT_THAT(claimed.warning,
              testing::StartsWith(file + " is locked by process " + std::to_string(getpid())));
  close(held);
}

TEST_F(PortDirectory, ASymbolicLinkIsNotFollowed) {
  std::filesystem::create_directory(path);
  write_text(dir / "precious", "content");
  std::filesystem::create_symlink(dir / "precious", path + "/.heddle-port");
  EXPECT_EQ(claim(kOne), path);
  EXPECT_EQ(text_of(dir / "precious"), "content");
}

TEST_F(PortDirectory, WhereNothingCanBeWrittenItStays) {
  write_text(path, "a file");
  EXPECT_EQ(claim(kOne), path);
  EXPECT_EQ(claim(kTwo), path);
}

}  // namespace store_port_directory_test
