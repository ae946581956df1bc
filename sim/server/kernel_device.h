#pragma once
// HCAs of simulated nodes below the kernel's own InfiniBand stack. Packets that its module
// (sim/kernel) sends enter the fabric at the node's port; packets that arrive there go to the
// module.

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "sim/kernel/module/heddle_hca_abi.h"
#include "sim/server/poller.h"
#include "sim/world/subnet_routers.h"
#include "sim/world/world.h"

namespace sim::server {

/// The interfaces of an HCA's ports that the kernel sees.
enum class Interfaces : std::uint8_t {
  all,
  no_qp0,    // as an SR-IOV function, or the host side of a DPU, has it
  with_grh,  // all, and the kernel sends with a GRH, as in SR-IOV functions
  ethernet,  // all, and what Omni-Path has for Ethernet: MADs of 2,048 bytes, frames with a DLID
};

class KernelDevice {
 public:
  using Log = std::function<void(std::string_view)>;

  /// Opens the device of the kernel module; throws std::system_error. `world`, `routers` (null:
  /// there are none) and `poller` are not owned.
  KernelDevice(World& world, SubnetRouters* routers, Poller& poller, Log log);
  /// Unplugs all HCAs.
  ~KernelDevice();
  KernelDevice(const KernelDevice&) = delete;
  KernelDevice& operator=(const KernelDevice&) = delete;

  /// Makes the node, a CA of one or two ports, appear as an HCA of this machine. Errors: a text.
  tl::expected<void, std::string> plug(NodeIndex node, Interfaces interfaces = Interfaces::all);
  /// Unplugs the HCA; the kernel ends everything that uses it. Errors: a text.
  tl::expected<void, std::string> unplug(NodeIndex node);
  struct Plugged {
    NodeIndex node{0};
    std::string device;  // the kernel's name for it
  };
  std::vector<Plugged> plugged() const;

  /// Updates the kernel about ports that have changed, and delivers all packets that have arrived.
  /// Called once in each turn of the simulator.
  void flush();

 private:
  struct Port {
    std::unique_ptr<Attachment> attachment;
    heddle_hca_port known{};  // what the kernel knows
    bool reregister = false;
  };
  struct Hca {
    NodeIndex node{0};
    Interfaces interfaces = Interfaces::all;
    std::vector<Port> ports;
    bool leaves = false;  // its number is free when the kernel says so
  };
  struct Place {
    std::uint16_t hca = 0;
    std::uint32_t port = 0;  // 1 or 2
  };

  void read();
  void take(std::span<const std::uint8_t> message);
  void take_packet(Hca& hca, Port& port, const heddle_hca_packet& packet,
                   std::span<const std::uint8_t> payload);
  void send_mad(const Port& port, const heddle_hca_packet& packet,
                std::span<const std::uint8_t> payload);
  void send_data(PortIndex from, heddle_hca_packet packet, std::span<const std::uint8_t> payload);
  void answer_locally(const Hca& hca, const Port& port, heddle_hca_local_mad question);
  void change_capability(Port& port, const heddle_hca_capability& change);
  void receive_mad(Place at, const mad::ReceivedMad& received);
  void deliver(PortIndex end, heddle_hca_packet packet, std::span<const std::uint8_t> payload);
  void update_port(std::uint16_t number, Hca& hca, std::uint32_t port);
  heddle_hca_port find_state(const Hca& hca, const Port& port) const;
  template <class Message>
  void put(Place at, std::uint16_t type, Message message,
           std::span<const std::uint8_t> payload = {});
  void write_out();

  World& world_;
  SubnetRouters* routers_;
  Poller& poller_;
  Log log_;
  int fd_ = -1;
  std::map<std::uint16_t, Hca> hcas_;
  std::map<PortIndex, Place> places_;
  std::vector<std::uint8_t> in_, out_;
};

}  // namespace sim::server
