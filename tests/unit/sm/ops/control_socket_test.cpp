// Tests the message about a daemon that does not respond: here a process that
// SIGSTOP has stopped.

#include "sm/ops/control_socket.h"

#include <gmock/gmock.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <string>
#include <vector>

#include "mad/format.h"
#include "sm/ctl/commands/command_line.h"
#include "unit/sm/temporary_directory.h"

namespace control_socket_test {

using namespace std::chrono_literals;
using testing::HasSubstr;

/// A process that listens on a socket and is stopped then.
class StoppedDaemon {
 public:
  explicit StoppedDaemon(const std::filesystem::path& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.string().copy(static_cast<char*>(address.sun_path), sizeof address.sun_path - 1);
    const int socket = ::socket(AF_UNIX, SOCK_STREAM, 0);
    EXPECT_EQ(bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    pid_ = fork();
    if (pid_ == 0) {
      listen(socket, 1);
      raise(SIGSTOP);
      _exit(0);
    }
    close(socket);
    int status = 0;
    EXPECT_EQ(waitpid(pid_, &status, WUNTRACED), pid_);
    EXPECT_TRUE(WIFSTOPPED(status));
  }
  StoppedDaemon(const StoppedDaemon&) = delete;
  StoppedDaemon& operator=(const StoppedDaemon&) = delete;
  ~StoppedDaemon() {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  pid_t pid() const { return pid_; }

 private:
  pid_t pid_ = -1;
};

class ControlSocket : public testing::Test {
 protected:
  TemporaryDirectory directory;
  std::filesystem::path path = directory / "0x0002c90000000031.sock";
};

TEST_F(ControlSocket, NamesTheProcessThatDoesNotRespondAndWhy) {
  const StoppedDaemon daemon(path);
  const auto answer = sm::send_to(path, "GET", "/v1/subnet", {}, {}, 1ms);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error(),
            fmt::format("{}: pid {} does not respond within 1 s: it is stopped; `kill -CONT {}` "
                        "lets it go on",
                        path.string(), daemon.pid(), daemon.pid()));
}

TEST_F(ControlSocket, ADaemonThatAcceptsNoConnectionDoesNotRespondEither) {
  const StoppedDaemon daemon(path);
  std::string error;
  // Its queue of connections has two places. Each of these stays in it.
  for (int i = 0; i < 4; ++i) {
    const auto answer = sm::send_to(path, "GET", "/v1/subnet", {}, {}, 1ms);
    error = answer ? "" : answer.error();
  }
  EXPECT_THAT(error, HasSubstr(" does not respond within 1 s"));
}

TEST_F(ControlSocket, HeddlectlEndsWithThatMessage) {
  const StoppedDaemon daemon(path);
  setenv("HEDDLE_RUN_DIR", directory.path().c_str(), 1);
  const std::vector<const char*> arguments{"heddlectl", "status", "--timeout", "1"};
  testing::internal::CaptureStderr();
  EXPECT_EQ(sm::commands::CommandLine().run(static_cast<int>(arguments.size()), arguments.data()),
            1);
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              HasSubstr(fmt::format("pid {} does not respond within 1 s", daemon.pid())));
  unsetenv("HEDDLE_RUN_DIR");
}

TEST_F(ControlSocket, NothingListens) {
  EXPECT_THAT(sm::send_to(path, "GET", "/v1/subnet", {}, {}, 1s).error(),
              HasSubstr("No such file or directory"));
}

}  // namespace control_socket_test
