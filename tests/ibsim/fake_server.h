#pragma once
// A fabric simulator that admits clients and then sends them random packets.

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "sim/wire/ibsim_protocol.h"

namespace harness {

class FakeServer {
 public:
  FakeServer(std::string base, unsigned seed) : base_(std::move(base)), random_(seed) {
    control_ = bound(sim::wire::control_name(base_));
    thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
  }
  ~FakeServer() {
    thread_.request_stop();
    thread_.join();
    close(control_);
    for (const Client& client : clients_) close(client.data);
  }
  FakeServer(const FakeServer&) = delete;
  FakeServer& operator=(const FakeServer&) = delete;
  const std::string& base() const { return base_; }

 private:
  struct Client {
    int data = -1;
  };

  static int bound(const std::string& name) {
    const int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    const sim::wire::SocketAddress address = sim::wire::socket_address(name);
    if (fd < 0 || bind(fd, address.get(), address.length) != 0)
      throw std::runtime_error("cannot bind " + name);
    return fd;
  }

  void answer_control() {
    sim::wire::Control record;
    sockaddr_storage from{};
    socklen_t length = sizeof from;
    if (recvfrom(control_, &record, sizeof record, 0, reinterpret_cast<sockaddr*>(&from),
                 &length) != static_cast<ssize_t>(sizeof record))
      return;
    if (record.type == sim::wire::ControlType::connect) {
      sim::wire::Attach attach;
      std::memcpy(&attach, record.data.data(), sizeof attach);
      const auto number = static_cast<unsigned>(clients_.size());
      const int data = bound(sim::wire::server_data_name(base_, number));
      const sim::wire::SocketAddress to =
          sim::wire::socket_address(sim::wire::client_data_name(base_, attach.id));
      if (connect(data, to.get(), to.length) == 0) clients_.push_back({data});
      attach.id = number;
      std::memcpy(record.data.data(), &attach, sizeof attach);
    }
    sendto(control_, &record, sizeof record, MSG_DONTWAIT, reinterpret_cast<const sockaddr*>(&from),
           length);
  }

  void send_random(int to, const sim::wire::Packet& request) {
    for (unsigned i = 0; i < 4; ++i) {
      std::vector<std::uint8_t> datagram(random_() % 2 == 0 ? sizeof(sim::wire::Packet)
                                                            : random_() % 600);
      for (std::uint8_t& byte : datagram) byte = static_cast<std::uint8_t>(random_());
      if (datagram.size() == sizeof(sim::wire::Packet)) {
        // Close to a valid response: status 0, a valid version, the transaction of the request, any
        // RMPP header.
        auto* mad = datagram.data() + offsetof(sim::wire::Packet, mad);
        std::memset(datagram.data() + offsetof(sim::wire::Packet, status_be), 0, 4);
        std::memcpy(mad, request.mad.data(), 24);
        if (random_() % 2 == 0) mad[1] = 3;
        mad[3] = static_cast<std::uint8_t>(mad[3] | (random_() % 4 == 0 ? 0 : 0x80));
        if (random_() % 4 == 0) mad[8 + random_() % 8] = static_cast<std::uint8_t>(random_());
        mad[24] = 1;
        mad[25] = static_cast<std::uint8_t>(random_() % 6);
      }
      send(to, datagram.data(), datagram.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    }
    // And one response with random data, so that programs continue with their next request.
    sim::wire::Packet answer = request;
    answer.mad[3] = 0x81;
    answer.mad[4] = 0x80;
    answer.mad[5] = 0;
    for (std::size_t i = 64; i < 128; ++i) answer.mad[i] = static_cast<std::uint8_t>(random_());
    send(to, &answer, sizeof answer, MSG_DONTWAIT | MSG_NOSIGNAL);
  }

  void run(const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      std::vector<pollfd> entries{{control_, POLLIN, 0}};
      for (const Client& client : clients_) entries.push_back({client.data, POLLIN, 0});
      if (poll(entries.data(), entries.size(), 20) <= 0) continue;
      for (std::size_t i = 1; i < entries.size(); ++i) {
        sim::wire::Packet packet;
        if ((entries[i].revents & POLLIN) != 0 &&
            recv(entries[i].fd, &packet, sizeof packet, 0) == static_cast<ssize_t>(sizeof packet))
          send_random(entries[i].fd, packet);
      }
      if ((entries[0].revents & POLLIN) != 0) answer_control();
    }
  }

  std::string base_;
  std::mt19937 random_;
  int control_ = -1;
  std::vector<Client> clients_;
  std::jthread thread_;
};

}  // namespace harness
