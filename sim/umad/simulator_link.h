#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "sim/wire/ibsim_protocol.h"

namespace sim::umad {

/// Where the simulator is, from the environment.
struct ServerAddress {
  std::string base = wire::kDefaultSocketName;
  std::string host;  // empty: unix sockets
  std::uint16_t port = wire::kDefaultUdpPort;

  static ServerAddress from_environment();
  std::string text() const;
};

/// One place at the simulator: a port to which we are attached. Sockets only; what the MADs mean is
/// known above.
class SimulatorLink {
 public:
  static constexpr unsigned kBatch = 32;

  /// `ordinal` keeps the socket names of one process apart. `node` as in wire::Attach.
  /// Errors: a sentence for the operator. `refused` tells a server that is there but does not want
  /// us.
  struct Failure {
    std::string text;
    bool refused = false;
  };
  static tl::expected<std::unique_ptr<SimulatorLink>, Failure> attach(const ServerAddress& server,
                                                                      const std::string& node,
                                                                      unsigned ordinal);
  ~SimulatorLink();
  SimulatorLink(const SimulatorLink&) = delete;
  SimulatorLink& operator=(const SimulatorLink&) = delete;

  int fd() const { return data_; }
  std::array<int, 2> descriptors() const { return {control_, data_}; }
  unsigned client() const { return client_; }
  /// The node as the server calls it.
  const std::string& node() const { return node_; }

  /// Never blocks. What the server has no room for waits here; has_waiting() says so, and flush()
  /// goes on. At most kWaitingMax packets wait, further ones are lost.
  void send(const wire::Packet& packet);
  bool has_waiting() const { return !waiting_.empty(); }
  void flush();
  /// Never blocks. Datagrams of another size than a packet's are thrown away. `more` says that
  /// there may be more.
  std::span<const wire::Packet> receive(bool& more);

  /// Asks for the MADs that are not responses. The client number may change. Idempotent.
  bool want_requests();
  /// The IsSM bit of the port.
  bool set_is_sm(bool on);
  void disconnect();

 private:
  static constexpr std::size_t kWaitingMax = 65536;
  SimulatorLink() = default;
  bool control(wire::ControlType type, std::span<std::uint8_t> data, int timeout_ms);
  void drain();
  tl::expected<void, Failure> connect(const std::string& node, bool requests);

  ServerAddress server_;
  std::string asked_node_, node_;
  std::uint32_t id_ = 0;
  int control_ = -1, data_ = -1;
  unsigned client_ = 0;
  bool connected_ = false, gets_requests_ = false;
  std::mutex control_mutex_;
  std::deque<wire::Packet> waiting_;
  std::vector<wire::Packet> received_ = std::vector<wire::Packet>(kBatch);
};

}  // namespace sim::umad
