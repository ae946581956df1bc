#pragma once
// A fabric without end: each directed-route SMP is answered from its route alone, so that a survey
// finds new nodes with every further request.

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "mad/attributes/all.h"
#include "mad/runtime.h"
#include "mad/smp.h"
#include "mad/transport.h"

namespace laboratory {

class Inventor final : public mad::MadTransport {
 public:
  /// The node at the end of a route. The manager's own node has the empty one.
  struct Invented {
    mad::NodeType type = mad::NodeType::switch_;
    mad::Guid guid;
    std::uint8_t ports = 1;
    std::uint8_t entry = 1;  // LocalPortNum: the port towards the manager
  };
  using NodeAt = std::function<Invented(const mad::DirectedRoute&)>;
  /// Whether a port of that node has a link; by default all external ones.
  using LinkAt = std::function<bool(const mad::DirectedRoute&, unsigned port)>;

  Inventor(mad::Runtime& runtime, NodeAt node_at, LinkAt link_at = {})
      : node_at_(std::move(node_at)), link_at_(std::move(link_at)) {
    timer_ = runtime.make_timer([this] { deliver(); });
    runtime_ = &runtime;
  }

  int send(std::span<const std::uint8_t> mad, const mad::MadAddress&, int) override {
    mad::ReceivedMad& answer = answers_.emplace_back();
    std::copy_n(mad.begin(), mad::kMadSizeBytes, answer.bytes.begin());
    answer.size = mad::kMadSizeBytes;
    ++smps;
    fill(mad::SmpView{std::span<std::uint8_t, mad::kMadSizeBytes>(answer.bytes)});
    timer_->arm(runtime_->now() + std::chrono::microseconds(5));
    return 0;
  }
  void set_receiver(std::function<void(std::span<const mad::ReceivedMad>)> receiver) override {
    receiver_ = std::move(receiver);
  }

  std::uint64_t smps = 0;

 private:
  void fill(mad::SmpView smp) {
    const mad::DirectedRoute route = *smp.route();
    const std::uint32_t modifier = smp.attribute_modifier();
    mad::make_response(smp);
    const Invented its = node_at_(route);
    const bool is_switch = its.type == mad::NodeType::switch_;
    std::array<std::uint8_t, mad::kAttributeBytes> none{};
    switch (smp.attribute_id()) {
      case mad::AttributeId::node_info: {
        mad::NodeInfo info;
        info.set_base_version(1);
        info.set_class_version(1);
        info.set_node_type(its.type);
        info.set_num_ports(its.ports);
        info.set_system_image_guid(its.guid);
        info.set_node_guid(its.guid);
        info.set_port_guid(mad::Guid{its.guid.value + (is_switch ? 0u : its.entry)});
        info.set_partition_cap(32);
        info.set_local_port_num({its.entry});
        return smp.set_data(info.bytes());
      }
      case mad::AttributeId::switch_info: {
        mad::SwitchInfo info;
        info.set_linear_fdb_cap(0xC000);
        return smp.set_data(info.bytes());
      }
      case mad::AttributeId::port_info: {
        mad::PortInfo info;
        const unsigned port = is_switch ? modifier & 0xFF : its.entry;
        const bool linked = port == 0 || !link_at_ || link_at_(route, port);
        info.set_port_state(linked ? mad::PortState::init : mad::PortState::down);
        info.set_port_physical_state(linked ? mad::PortPhysicalState::link_up
                                            : mad::PortPhysicalState::polling);
        info.set_mtu_cap(mad::Mtu::mtu_4096);
        info.set_vl_cap(4);
        return smp.set_data(info.bytes());
      }
      default:
        return smp.set_data(none);
    }
  }
  void deliver() {
    // The receiver sends further requests, which are answered later.
    const std::vector<mad::ReceivedMad> answers = std::exchange(answers_, {});
    if (receiver_) receiver_(answers);
  }

  mad::Runtime* runtime_;
  NodeAt node_at_;
  LinkAt link_at_;
  std::unique_ptr<mad::Timer> timer_;
  std::vector<mad::ReceivedMad> answers_;
  std::function<void(std::span<const mad::ReceivedMad>)> receiver_;
};

}  // namespace laboratory
