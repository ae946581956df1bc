// The control socket: what fails to be answered.
#include <boost/asio/io_context.hpp>
#include <stdexcept>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sm/ops/control_socket.h"
#include "unit/sm/temporary_directory.h"

namespace control_socket_test {

using ::testing::HasSubstr;

class ControlSocketTest : public ::testing::Test {
 protected:
  void serve(sm::ControlSocket::Options options) {
    auto listening = sm::ControlSocket::listen(io_.get_executor(), path_, std::move(options));
    ASSERT_TRUE(listening) << listening.error();
    socket_ = std::move(*listening);
    thread_ = std::thread([this] { io_.run(); });
  }
  ~ControlSocketTest() override {
    io_.stop();
    if (thread_.joinable()) thread_.join();
  }

  TemporaryDirectory dir_;
  std::filesystem::path path_ = dir_ / "s.sock";
  boost::asio::io_context io_;
  std::unique_ptr<sm::ControlSocket> socket_;
  std::thread thread_;
};

TEST_F(ControlSocketTest, AnAnswerThatThrowsIsAnErrorAndTheNextOneIsServed) {
  using Job = sm::ControlSocket::Job;
  serve({.answer = [](std::string_view target) -> std::optional<Job> {
    if (target == "/throws")
      return Job([]() -> std::string { throw std::runtime_error("no memory for it"); });
    if (target == "/at-once") throw std::runtime_error("not even begun");
    return Job([] { return std::string("well"); });
  }});
  for (int i = 0; i < 40; ++i) {  // more than there are sessions at a time
    EXPECT_THAT(sm::get_from(path_, "/throws").error(), HasSubstr("no memory for it"));
    EXPECT_THAT(sm::get_from(path_, "/at-once").error(), HasSubstr("not even begun"));
  }
  EXPECT_EQ(sm::get_from(path_, "/status").value(), "well");
}

TEST_F(ControlSocketTest, ACommandThatThrowsIsAnError) {
  serve({.answer = [](std::string_view) { return std::nullopt; },
         .command = [](std::string_view, const sm::ControlPeer&)
             -> std::optional<tl::expected<std::string, std::string>> {
           throw std::runtime_error("half done");
         }});
  EXPECT_THAT(sm::post_to(path_, "/resweep").error(), HasSubstr("half done"));
  EXPECT_FALSE(sm::get_from(path_, "/status"));
}

}  // namespace control_socket_test
