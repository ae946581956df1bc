#include "sm/sweep/observe/single_reads.h"

#include <algorithm>
#include <utility>

#include "fabric/plausible.h"
#include "sm/sweep/devices/link_settings.h"

namespace sm {
namespace {

class AttributeReadBatch final : public mad::SmpBatch {
 public:
  AttributeReadBatch(const Fabric& fabric, std::vector<AttributeRead> reads)
      : fabric_(fabric), reads_(std::move(reads)), answers_(reads_.size()) {}

  bool next(mad::SmpRequest& request) override {
    while (next_ < reads_.size()) {
      const std::size_t number = next_++;
      const AttributeRead& read = reads_[number];
      const auto route = read.port == kNoIndex ? std::nullopt : fabric_.route_to(read.port);
      if (!route) continue;
      request = {};
      request.attribute = read.attribute;
      request.modifier = read.modifier;
      request.route = *route;
      request.node = fabric_.owning_node(read.port).guid;
      request.port = fabric_.m_key_port(read.port);
      request.cookie = number;
      return true;
    }
    return false;
  }

  void done(const mad::SmpRequest& request, const mad::SmpReply& reply) override {
    mad::SmpAnswer& answer = answers_[request.cookie].emplace();
    answer.fault = reply.fault;
    answer.status = reply.status;
    if (reply.ok()) std::ranges::copy(reply.data, answer.data.begin());
  }

  std::vector<std::optional<mad::SmpAnswer>> take() { return std::move(answers_); }

 private:
  const Fabric& fabric_;
  const std::vector<AttributeRead> reads_;
  std::vector<std::optional<mad::SmpAnswer>> answers_;
  std::size_t next_ = 0;
};

NodeIndex index_by_guid(const Fabric& fabric, mad::Guid guid) {
  const auto node = fabric.node_of_guid.find(guid);
  return node == fabric.node_of_guid.end() ? kNoIndex : node->second;
}

/// Returns the ports by which requests enter the node: port 0 of a switch, the linked ports of
/// another node.
std::vector<PortIndex> entries(const Fabric& fabric, NodeIndex node) {
  if (fabric.nodes[node].is_switch()) return {fabric.nodes[node].first_port};
  std::vector<PortIndex> all;
  for (const Port& port : fabric.node_ports(node)) {
    const PortIndex index = fabric.port(node, port.number);
    if (port.peer != kNoIndex || index == fabric.sm_port) all.push_back(index);
  }
  return all;
}

std::vector<AttributeRead> list_reads(const Fabric& fabric, const SingleReads& reads) {
  std::vector<AttributeRead> all;
  for (const mad::Guid guid : reads.descriptions) {
    const NodeIndex node = index_by_guid(fabric, guid);
    if (node == kNoIndex) continue;
    if (const auto ports = entries(fabric, node); !ports.empty())
      all.push_back({mad::AttributeId::node_description, 0, ports.front()});
  }
  for (const mad::Guid guid : reads.managers) {
    const auto port = fabric.port_of_guid.find(guid);
    if (port != fabric.port_of_guid.end())
      all.push_back({mad::AttributeId::sm_info, 0, port->second});
  }
  for (const mad::Guid guid : reads.states) {
    const NodeIndex node = index_by_guid(fabric, guid);
    if (node == kNoIndex) continue;
    for (const PortIndex port : entries(fabric, node)) {
      if (fabric.nodes[node].is_switch())
        all.push_back({mad::AttributeId::switch_info, 0, port});
      else
        all.push_back({mad::AttributeId::port_info, port_info_modifier(fabric, port), port});
    }
  }
  return all;
}

/// True if an answer about the state of a node is as in the Fabric.
bool shows_same_state(const Fabric& fabric, const AttributeRead& read,
                      const mad::SmpAnswer& answer) {
  if (!answer.ok()) return false;
  if (read.attribute == mad::AttributeId::switch_info) {
    const mad::SwitchInfo now(answer.data);
    const SwitchIndex sw = fabric.owning_node(read.port).switch_index;
    return !now.port_state_change() &&
           linear_fdb_top(now) == linear_fdb_top(fabric.switches[sw].info);
  }
  const mad::PortInfo now(answer.data), before = fabric.ports[read.port].info;
  return now.port_state() == before.port_state() && now.lid() == before.lid() &&
         now.capability_mask() == before.capability_mask();
}

}  // namespace

boost::asio::awaitable<std::vector<std::optional<mad::SmpAnswer>>> read_each(
    mad::SmpClient& client, const Fabric& fabric, std::vector<AttributeRead> reads) {
  AttributeReadBatch batch(fabric, std::move(reads));
  co_await client.exchange(batch);
  co_return batch.take();
}

boost::asio::awaitable<SingleAnswers> read_single(mad::SmpClient& client, const Fabric& fabric,
                                                  const SingleReads& reads) {
  SingleAnswers found;
  const std::vector<AttributeRead> all = list_reads(fabric, reads);
  const auto answers = co_await read_each(client, fabric, all);
  for (std::size_t number = 0; number < all.size(); ++number) {
    const AttributeRead& read = all[number];
    if (!answers[number]) continue;
    const mad::SmpAnswer& answer = *answers[number];
    const Node& node = fabric.owning_node(read.port);
    if (read.attribute == mad::AttributeId::node_description) {
      if (const mad::NodeDescription now(answer.data); answer.ok() && !(now == node.description))
        found.descriptions.emplace_back(fabric.ports[read.port].node, now);
    } else if (read.attribute == mad::AttributeId::sm_info) {
      if (answer.ok())
        found.managers.push_back(
            {read.port, *fabric.route_to(read.port), mad::SmInfo(answer.data)});
    } else if (!shows_same_state(fabric, read, answer) &&
               std::ranges::find(found.changed, node.guid) == found.changed.end()) {
      found.changed.push_back(node.guid);
    }
  }
  co_return found;
}

}  // namespace sm
