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

/// The simulator's address, from the environment.
struct ServerAddress {
  std::string base = wire::kDefaultSocketName;
  std::string host;  // empty: unix sockets
  std::uint16_t port = wire::kDefaultUdpPort;

  static ServerAddress from_environment();
  std::string text() const;
};

/// One connection to the simulator, which attaches this process to an end port. It handles sockets
/// only; the callers interpret the MADs.
class SimulatorLink {
 public:
  static constexpr unsigned kBatch = 32;

  /// `ordinal` makes the socket names of one process distinct. `node` is as in wire::Attach.
  /// Errors: a sentence for the operator. `refused` means that the server runs, but does not accept
  /// the client.
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
  /// Returns the node's name in the server's answer.
  const std::string& node() const { return node_; }

  /// True for a function's vport ("#N" behind the node's name): it has no SMPs.
  bool on_vport() const { return requested_node_.find('#') != std::string::npos; }

  /// Never blocks. Packets that the socket does not take are queued: has_waiting() is then true,
  /// and flush() sends them. At most kWaitingMax packets are queued, further ones are lost.
  void send(const wire::RoutedPacket& packet);
  /// Never blocks. A packet that the socket does not take is lost.
  void send(const wire::OmniPathPacket& packet);
  /// True if the port has MADs of Omni-Path.
  bool omni_path() const { return omni_path_; }
  bool has_waiting() const { return !waiting_.empty(); }
  void flush();
  /// Never blocks. Discards datagrams whose size is not a packet's. `more` is true if there may be
  /// more.
  std::span<const wire::OmniPathPacket> receive(bool& more);

  /// Requests the MADs that are not responses. The client number may change. Idempotent.
  bool want_requests();
  /// Returns an attribute of the own port's node, as its driver reads it. nullopt if the simulator
  /// does not have it, or does not know the request (it is not heddle-sim).
  std::optional<std::array<std::uint8_t, 64>> read_attribute(std::uint16_t attribute_id,
                                                             std::uint32_t attribute_modifier);
  /// Sets the IsSM bit of the port.
  bool set_is_sm(bool on);
  void disconnect();

 private:
  static constexpr std::size_t kWaitingMax = 65536;
  SimulatorLink() = default;
  bool control(wire::ControlType type, std::span<std::uint8_t> data, int timeout_ms);
  void drain();
  bool request(wire::ControlType type, std::uint32_t wanted, std::uint32_t accepted);
  std::size_t packet_bytes() const {
    return routed_ ? sizeof(wire::RoutedPacket) : sizeof(wire::Packet);
  }
  tl::expected<void, Failure> connect(const std::string& node, bool requests);

  ServerAddress server_;
  std::string requested_node_, node_;
  std::uint32_t id_ = 0;
  int control_ = -1, data_ = -1;
  unsigned client_ = 0;
  bool routed_ = false;  // the server takes and sends packets with routes: it is heddle-sim
  bool omni_path_ = false;
  bool connected_ = false, gets_requests_ = false, attached_for_requests_ = false;
  std::mutex control_mutex_;
  std::deque<wire::RoutedPacket> waiting_;
  std::vector<wire::OmniPathPacket> received_ = std::vector<wire::OmniPathPacket>(kBatch);
};

}  // namespace sim::umad
