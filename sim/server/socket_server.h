#pragma once
// Clients of the fabric over ibsim's protocol (sim/wire/ibsim_protocol.h). No client delays the
// others.

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/server/client_requests.h"
#include "sim/server/names.h"
#include "sim/server/poller.h"
#include "sim/world/gsi_network.h"
#include "sim/world/world.h"

namespace sim::server {

struct SocketSettings {
  std::string base = wire::kDefaultSocketName;  // of the names in the abstract namespace
  std::optional<std::uint16_t> udp_port{};  // UDP instead: control on this port, client n's data on
                                            // the (n+1)th port above it
  /// A request without an answer comes back with the status ETIMEDOUT after this time, on the clock
  /// of the fabric. The default is about the time after which the kernel gives up for a subnet
  /// manager (200 ms and three retries).
  mad::Duration answer_timeout = std::chrono::seconds(1);
  /// Carries MADs of Omni-Path; if null, ports have none. Not owned.
  GsiNetwork* omni_path = nullptr;
};

/// A client as the console shows it.
struct ClientInfo {
  unsigned number = 0;
  std::uint32_t id = 0;
  PortIndex port = kNone;
  std::uint16_t vport = 0;
  bool is_sm = false, receives_requests = false;
  std::uint64_t mads_from = 0, mads_to = 0, dropped = 0;
  std::size_t waiting = 0;
};

class SocketServer {
 public:
  using Log = std::function<void(std::string_view line)>;
  static constexpr unsigned kClientsMax = 1000;

  /// Opens the control socket. The arguments are not owned. Throws std::system_error if the name or
  /// port is taken.
  SocketServer(World& world, const Names& names, Poller& poller, SocketSettings settings, Log log);
  ~SocketServer();
  SocketServer(const SocketServer&) = delete;
  SocketServer& operator=(const SocketServer&) = delete;

  /// Sends queued packets, and removes clients that have ended. Called after each turn of events.
  void flush();
  /// Finds clients that ended without `disconnect`; called periodically.
  void probe();

  std::vector<ClientInfo> clients() const;
  /// Returns false if there is no such client.
  bool drop(unsigned number, std::string_view why);

 private:
  void read_control();
  void serve_control(wire::Control& record, Client::Address& from);
  bool connect(wire::Control& record, const Client::Address& from);
  bool answer(Client& client, wire::Control& record);
  bool read_attribute(const Client& client, wire::Control& record);
  unsigned free_number(std::uint32_t id) const;
  bool prepare_socket(unsigned number, std::uint32_t id, const Client::Address& from);
  void read_data(Client& client, std::uint32_t events);
  void take(Client& client, wire::RoutedPacket& packet);
  void take_omni_path(Client& client, wire::OmniPathPacket& packet);
  void give_omni_path(Client& client, const mad::GsiMad& received);
  bool use_omni_path(Client& client, wire::Control& record);
  void answer_locally(Client& client, wire::RoutedPacket& packet);
  void give(Client& client, const mad::ReceivedMad& received);
  void expire();
  void queue(Client& client);
  void complain(std::string_view what);
  std::string describe(const Client& client) const;
  Client* find(unsigned number) {
    return number < clients_.size() ? clients_[number].get() : nullptr;
  }

  World& world_;
  const Names& names_;
  Poller& poller_;
  SocketSettings settings_;
  Log log_;
  int control_ = -1, probe_ = -1;
  /// The socket of a client number. It stays open when the client detaches: a client that attaches
  /// again is still connected to it, and a unix socket that is connected elsewhere accepts no other
  /// peer.
  struct ClientSocket {
    int fd = -1;
    std::uint32_t last_id = 0;
  };
  std::vector<ClientSocket> sockets_;             // by number of the client
  std::vector<std::unique_ptr<Client>> clients_;  // by number; as many as sockets
  std::vector<unsigned> to_send_;
  PendingRequests pending_;
  bool expiry_set_ = false;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);  // for events that outlive us
  std::vector<wire::OmniPathPacket> received_;
  std::uint64_t complaints_ = 0;
  std::chrono::steady_clock::time_point last_complaint_{};
};

}  // namespace sim::server
