#pragma once
// A client that sends any bytes, for what no well-behaved client sends.

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace sm::web {

class RawClient {
 public:
  explicit RawClient(std::uint16_t port, const char* from = nullptr)
      : descriptor_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    if (from != nullptr) {
      inet_pton(AF_INET, from, &address.sin_addr);
      bind(descriptor_, reinterpret_cast<sockaddr*>(&address), sizeof address);
    }
    address.sin_port = htons(port);
    inet_pton(AF_INET, "127.0.0.1", &address.sin_addr);
    connected_ = connect(descriptor_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  }
  ~RawClient() { close(descriptor_); }
  RawClient(const RawClient&) = delete;
  RawClient& operator=(const RawClient&) = delete;

  bool connected() const { return connected_; }
  bool send(std::string_view bytes) const {
    return ::send(descriptor_, bytes.data(), bytes.size(), MSG_NOSIGNAL) ==
           static_cast<ssize_t>(bytes.size());
  }
  void finish() const { shutdown(descriptor_, SHUT_WR); }

  /// Until `text` has come, the connection has ended, or time is up.
  bool read_until(std::string_view text, std::chrono::milliseconds within = kWaitMax) {
    return read_while([&] { return received_.find(text) == std::string::npos; }, within);
  }
  /// Until so many bytes have come.
  bool read_bytes(std::size_t bytes, std::chrono::milliseconds within = kWaitMax) {
    return read_while([&] { return received_.size() < bytes; }, within);
  }
  /// What was received is not kept, and takes no memory.
  void forget() { std::string().swap(received_); }
  /// Whether the server ends the connection in time.
  bool read_to_end(std::chrono::milliseconds within = kWaitMax) {
    read_while([&] { return !ended_; }, within);
    return ended_;
  }
  const std::string& received() const { return received_; }
  std::string exchange(std::string_view request) {
    send(request);
    read_to_end();
    return received_;
  }

 private:
  static constexpr std::chrono::milliseconds kWaitMax{20'000};

  template <class Condition>
  bool read_while(Condition condition, std::chrono::milliseconds within) {
    const auto until = std::chrono::steady_clock::now() + within;
    while (condition() && !ended_) {
      const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
          until - std::chrono::steady_clock::now());
      pollfd of{.fd = descriptor_, .events = POLLIN, .revents = 0};
      if (left.count() <= 0 || poll(&of, 1, static_cast<int>(left.count())) <= 0) break;
      char part[65'536];
      const ssize_t bytes = recv(descriptor_, part, sizeof part, 0);
      if (bytes <= 0)
        ended_ = true;
      else
        received_.append(part, static_cast<std::size_t>(bytes));
    }
    return !condition();
  }

  int descriptor_;
  bool connected_ = false, ended_ = false;
  std::string received_;
};

}  // namespace sm::web
