#pragma once
// A program at a port of a simulated fabric with one request at a time.

#include <gtest/gtest.h>

#include <optional>
#include <vector>

#include "mad/attributes/all.h"
#include "mad/smp.h"
#include "sim/world/virtual_runtime.h"
#include "sim/world/world.h"
#include "support/hand_made_subnet.h"

namespace requester {

using namespace std::chrono_literals;

struct Reply {
  mad::MadBytes bytes{};
  mad::ConstSmpView smp() const {
    return mad::ConstSmpView{std::span<const std::uint8_t, mad::kMadSizeBytes>(bytes)};
  }
  std::uint16_t status() const { return smp().status(); }
  template <class A>
  A as() const {
    return A(smp().data());
  }
};

class Requester {
 public:
  explicit Requester(const topology::Topology& topology, std::uint64_t seed = 1,
                     const std::string& host = "H0")
      : world(runtime.events(), topology, seed) {
    program = world.attach(world.model.port(world.model.find(host), 1));
    program->set_receiver([this](std::span<const mad::ReceivedMad> mads) {
      for (const mad::ReceivedMad& mad : mads) received.push_back(mad);
    });
  }

  sim::PortIndex port(const std::string& node, unsigned number = 1) const {
    return world.model.port(world.model.find(node), number);
  }
  mad::PortInfo& info(const std::string& node, unsigned number = 1) {
    return world.model.ports[port(node, number)].info;
  }

  /// Sends a directed-route request and waits 100 us for its answer.
  template <class A = mad::NodeInfo>
  std::optional<Reply> request(mad::Method method, mad::AttributeId attribute,
                               std::uint32_t modifier, std::initializer_list<std::uint8_t> route,
                               const A& data = {}) {
    mad::MadBytes bytes;
    mad::make_dr_smp(bytes, method, attribute, modifier, *mad::DirectedRoute::of(route), m_key,
                     ++transaction)
        .set_data(data.bytes());
    return exchange(bytes, {});
  }
  template <class A>
  std::optional<Reply> get(std::uint32_t modifier, std::initializer_list<std::uint8_t> route) {
    return request(mad::Method::get, A::kId, modifier, route);
  }
  template <class A>
  std::optional<Reply> set(const A& data, std::uint32_t modifier,
                           std::initializer_list<std::uint8_t> route) {
    return request(mad::Method::set, A::kId, modifier, route, data);
  }

  std::optional<Reply> exchange(const mad::MadBytes& bytes, const mad::MadAddress& to) {
    received.clear();
    EXPECT_EQ(program->send(bytes, to, 100), 0);
    runtime.run_for(100us);
    const mad::ConstMadView request{std::span<const std::uint8_t, mad::kMadSizeBytes>(bytes)};
    for (const mad::ReceivedMad& mad : received) {
      const Reply reply{mad.bytes};
      if (reply.smp().transaction_id() == request.transaction_id() && reply.smp().is_response())
        return reply;
    }
    return std::nullopt;
  }

  /// LIDs 1, 2, ... for all end ports in order, tables by shortest path, all links Active: a subnet
  /// without a manager.
  void bring_up() { hand_made::bring_up(world.model); }
  mad::Lid lid(const std::string& node) {
    return world.model
        .ports[world.model.management_port(
            port(node, world.model.nodes[world.model.find(node)].is_switch() ? 0 : 1))]
        .info.lid();
  }

  sim::VirtualRuntime runtime;
  sim::World world;
  std::unique_ptr<sim::Attachment> program;
  std::vector<mad::ReceivedMad> received;
  mad::MKey m_key;
  std::uint64_t transaction = 0x1000;
};

}  // namespace requester
