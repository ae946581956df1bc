#pragma once
// An etcd server of the tests' own, on free ports of the loopback interface.

#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <optional>
#include <string>
#include <vector>

#include "ibsim/process.h"
#include "mad/format.h"

namespace etcd_test {

inline unsigned free_port() {
  const int fd = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  ::bind(fd, reinterpret_cast<sockaddr*>(&address), size);
  ::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size);
  ::close(fd);
  return ntohs(address.sin_port);
}

/// Removed with its data when it goes.
class EtcdServer {
 public:
  explicit EtcdServer(std::vector<std::string> arguments = {}, std::string scheme = "http")
      : arguments_(std::move(arguments)),
        scheme_(std::move(scheme)),
        port_(free_port()),
        peer_port_(free_port()) {
    start();
  }

  std::string url(const std::string& host = "127.0.0.1") const {
    return fmt::format("{}://{}:{}", scheme_, host, port_);
  }
  const std::filesystem::path& directory() const { return directory_.path(); }

  void start() {
    const std::string peer = fmt::format("http://127.0.0.1:{}", peer_port_);
    std::vector<std::string> argv{"etcd",
                                  "--name=test",
                                  "--data-dir=" + (directory() / "data").string(),
                                  "--listen-client-urls=" + url(),
                                  "--advertise-client-urls=" + url(),
                                  "--listen-peer-urls=" + peer,
                                  "--initial-advertise-peer-urls=" + peer,
                                  "--initial-cluster=test=" + peer,
                                  "--heartbeat-interval=10",
                                  "--election-timeout=50",
                                  "--log-level=error",
                                  "--logger=zap"};
    argv.insert(argv.end(), arguments_.begin(), arguments_.end());
    process_.emplace(harness::Command{.argv = std::move(argv),
                                      .env = {},
                                      .cwd = directory(),
                                      .out = directory() / "out",
                                      .err = directory() / "err",
                                      .in_fd = -1,
                                      .out_fd = -1});
  }
  /// kill -9
  void kill() {
    process_->kill();
    process_.reset();
  }
  void wipe() { std::filesystem::remove_all(directory() / "data"); }
  void pause() { process_->stop(); }
  void resume() { process_->signal(SIGCONT); }
  std::string log() const { return harness::read_file(directory() / "err"); }

 private:
  harness::ScratchDir directory_;
  std::vector<std::string> arguments_;
  std::string scheme_;
  unsigned port_, peer_port_;
  std::optional<harness::Process> process_;
};

}  // namespace etcd_test
