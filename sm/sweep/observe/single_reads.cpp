#include "sm/sweep/observe/single_reads.h"

#include <algorithm>

#include "fabric/plausible.h"
#include "sm/sweep/devices/link_settings.h"

namespace sm {
namespace {

class SingleReadBatch final : public mad::SmpBatch {
 public:
  SingleReadBatch(const Fabric& fabric, const SingleReads& reads) : fabric_(fabric) {
    for (const mad::Guid guid : reads.descriptions) {
      if (const NodeIndex node = find(guid); node != kNoIndex)
        push(mad::AttributeId::node_description, 0, any_port(node));
    }
    for (const mad::Guid guid : reads.managers) {
      const auto port = fabric.port_of_guid.find(guid);
      if (port != fabric.port_of_guid.end()) push(mad::AttributeId::sm_info, 0, port->second);
    }
    for (const mad::Guid guid : reads.states) {
      const NodeIndex node = find(guid);
      if (node == kNoIndex) continue;
      if (fabric.nodes[node].is_switch()) {
        push(mad::AttributeId::switch_info, 0, any_port(node));
        continue;
      }
      for (const Port& port : fabric.node_ports(node)) {
        const PortIndex index = fabric.port(node, port.number);
        if (port.peer != kNoIndex || index == fabric.sm_port)
          push(mad::AttributeId::port_info, port_info_modifier(fabric, index), index);
      }
    }
  }

  bool next(mad::SmpRequest& request) override {
    for (; next_ < requests_.size(); ++next_) {
      const Read& read = requests_[next_];
      const auto route = read.port == kNoIndex ? std::nullopt : fabric_.route_to(read.port);
      if (!route) continue;
      request = {};
      request.attribute = read.attribute;
      request.modifier = read.modifier;
      request.route = *route;
      request.node = fabric_.owning_node(read.port).guid;
      request.port = fabric_.m_key_port(read.port);
      request.cookie = next_++;
      return true;
    }
    return false;
  }

  void done(const mad::SmpRequest& request, const mad::SmpReply& reply) override {
    const PortIndex port = requests_[request.cookie].port;
    const Node& node = fabric_.owning_node(port);
    switch (request.attribute) {
      case mad::AttributeId::node_description:
        if (const mad::NodeDescription now(reply.data); reply.ok() && !(now == node.description))
          answers_.descriptions.emplace_back(fabric_.ports[port].node, now);
        return;
      case mad::AttributeId::sm_info:
        if (reply.ok()) answers_.managers.push_back({port, request.route, mad::SmInfo(reply.data)});
        return;
      case mad::AttributeId::switch_info: {
        const mad::SwitchInfo now(reply.data);
        const bool same =
            reply.ok() && !now.port_state_change() &&
            linear_fdb_top(now) == linear_fdb_top(fabric_.switches[node.switch_index].info);
        if (!same) changed(node.guid);
        return;
      }
      default: {
        const mad::PortInfo now(reply.data), before = fabric_.ports[port].info;
        const bool same = reply.ok() && now.port_state() == before.port_state() &&
                          now.lid() == before.lid() &&
                          now.capability_mask() == before.capability_mask();
        if (!same) changed(node.guid);
        return;
      }
    }
  }

  SingleAnswers take() { return std::move(answers_); }

 private:
  struct Read {
    mad::AttributeId attribute;
    std::uint32_t modifier;
    PortIndex port;
  };

  void push(mad::AttributeId attribute, std::uint32_t modifier, PortIndex port) {
    requests_.push_back({attribute, modifier, port});
  }
  void changed(mad::Guid node) {
    if (std::ranges::find(answers_.changed, node) == answers_.changed.end())
      answers_.changed.push_back(node);
  }
  NodeIndex find(mad::Guid guid) const {
    const auto node = fabric_.node_of_guid.find(guid);
    return node == fabric_.node_of_guid.end() ? kNoIndex : node->second;
  }
  /// Returns a port by which the node can be reached.
  PortIndex any_port(NodeIndex node) const {
    if (fabric_.nodes[node].is_switch()) return fabric_.nodes[node].first_port;
    for (const Port& port : fabric_.node_ports(node)) {
      const PortIndex index = fabric_.port(node, port.number);
      if (port.peer != kNoIndex || index == fabric_.sm_port) return index;
    }
    return kNoIndex;
  }

  const Fabric& fabric_;
  std::vector<Read> requests_;
  std::size_t next_ = 0;
  SingleAnswers answers_;
};

}  // namespace

boost::asio::awaitable<SingleAnswers> read_single(mad::SmpClient& client, const Fabric& fabric,
                                                  const SingleReads& reads) {
  SingleReadBatch batch(fabric, reads);
  co_await client.exchange(batch);
  co_return batch.take();
}

}  // namespace sm
