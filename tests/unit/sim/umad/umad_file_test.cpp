#include "sim/umad/umad_file.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cstring>

#include <gtest/gtest.h>

namespace umad_file_test {

using sim::umad::MadPool;
using sim::umad::UmadFile;

class UmadFileTest : public ::testing::Test {
 protected:
  ~UmadFileTest() override { close(fd_); }

  bool readable() const {
    pollfd entry{fd_, POLLIN, 0};
    return poll(&entry, 1, 0) == 1;
  }
  void deliver(std::size_t bytes, std::uint8_t fill) {
    file_.deliver({}, std::vector<std::uint8_t>(bytes, fill));
    file_.signal();
  }

  int fd_ = eventfd(0, EFD_NONBLOCK);
  MadPool pool_;
  // The file only returns its port.
  alignas(16) std::array<std::byte, 64> port_{};
  UmadFile file_{fd_, *reinterpret_cast<sim::umad::PortAgents*>(port_.data()), pool_};
  std::vector<std::uint8_t> buffer_ = std::vector<std::uint8_t>(4096);
};

TEST_F(UmadFileTest, ReadableExactlyWhileAMadIsQueued) {
  EXPECT_FALSE(readable());
  deliver(256, 1);
  deliver(256, 2);
  EXPECT_TRUE(readable());
  EXPECT_EQ(file_.read(buffer_), 56 + 256);
  EXPECT_TRUE(readable());
  EXPECT_EQ(file_.read(buffer_), 56 + 256);
  EXPECT_EQ(buffer_[56], 2);
  EXPECT_FALSE(readable());
  EXPECT_EQ(file_.read(buffer_), -EAGAIN);
}

TEST_F(UmadFileTest, TheHeaderGrowsWithThePKeyIndexUnlessTheFileWasUsed) {
  EXPECT_EQ(file_.header_bytes(), 56u);
  EXPECT_TRUE(file_.enable_pkey_index());
  EXPECT_EQ(file_.header_bytes(), 64u);
  deliver(256, 1);
  EXPECT_EQ(file_.read(buffer_), 64 + 256);
  file_.set_used();
  EXPECT_FALSE(file_.enable_pkey_index());
}

TEST_F(UmadFileTest, ShortReadsLeaveTheMadAndReturnItsLength) {
  deliver(1'000, 7);
  EXPECT_EQ(file_.read(std::span(buffer_).first(10)), -EINVAL);
  EXPECT_EQ(file_.read(std::span(buffer_).first(56 + 255)), -EINVAL);
  EXPECT_EQ(file_.read(std::span(buffer_).first(56 + 256)), -ENOSPC);
  ib_user_mad_hdr_old header{};
  std::memcpy(&header, buffer_.data(), sizeof header);
  EXPECT_EQ(header.length, 56u + 1'000u);
  EXPECT_EQ(buffer_[56 + 255], 7);
  EXPECT_TRUE(readable());
  EXPECT_EQ(file_.read(std::span(buffer_).first(56 + 1'000)), 56 + 1'000);
  EXPECT_FALSE(readable());
}

TEST_F(UmadFileTest, AFileThatIsNotReadStaysBounded) {
  for (std::size_t i = 0; i < UmadFile::kQueueMax + 10; ++i)
    file_.deliver({}, std::array<std::uint8_t, 1>{1});
  file_.signal();
  std::size_t count = 0;
  while (file_.read(buffer_) > 0) ++count;
  EXPECT_EQ(count, UmadFile::kQueueMax);
}

}  // namespace umad_file_test
