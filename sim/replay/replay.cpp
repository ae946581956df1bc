#include "sim/replay/replay.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>

#include "fabric/recording/recording.h"
#include "mad/attributes/all.h"
#include "mad/format.h"
#include "sim/world/agents/agents.h"
#include "sim/world/model.h"
#include "sim/world/vendor_features.h"

namespace sim {

/// Holds what a recording has of one node beyond its state: attributes that the node refuses or
/// does not answer, and contents that the simulation does not model. Private to this directory.
class RecordedBehavior {
 public:
  /// Adds an answer. `port` is the port that answered: 0 for a switch.
  void add(unsigned port, const fabric::RecordedAnswer& answer);
  /// Adds the content of an attribute that the simulation does not model.
  void add_content(unsigned port, const fabric::RecordedAnswer& answer);
  bool empty() const { return answers_.empty(); }
  /// Returns the reaction to a request that came in by `port`; nullopt: the simulation reacts.
  std::optional<Reaction> react(mad::SmpView smp, unsigned port);

 private:
  using Key = std::tuple<unsigned, mad::AttributeId, std::uint32_t>;
  std::map<Key, fabric::RecordedAnswer> answers_;
  /// The outcome that all recorded modifiers of an attribute had; inner nullopt: they differ.
  std::map<std::pair<unsigned, mad::AttributeId>, std::optional<fabric::RecordedAnswer>> uniform_;
};

void RecordedBehavior::add(unsigned port, const fabric::RecordedAnswer& answer) {
  if (!answer.outcome.ok()) answers_.emplace(Key(port, answer.attribute, answer.modifier), answer);
  const auto [uniform, first] = uniform_.try_emplace({port, answer.attribute}, answer);
  if (!first && uniform->second && uniform->second->outcome.status != answer.outcome.status)
    uniform->second = std::nullopt;
}

void RecordedBehavior::add_content(unsigned port, const fabric::RecordedAnswer& answer) {
  answers_.emplace(Key(port, answer.attribute, answer.modifier), answer);
}

std::optional<Reaction> RecordedBehavior::react(mad::SmpView smp, unsigned port) {
  const fabric::RecordedAnswer* answer = nullptr;
  const auto found = answers_.find({port, smp.attribute_id(), smp.attribute_modifier()});
  if (found != answers_.end()) {
    answer = &found->second;
  } else if (const auto uniform = uniform_.find({port, smp.attribute_id()});
             uniform != uniform_.end() && uniform->second && !uniform->second->outcome.ok()) {
    answer = &*uniform->second;
  }
  if (answer == nullptr) return std::nullopt;
  if (smp.method() == mad::Method::get) {
    smp.set_data(answer->data);
  } else if (answer->outcome.ok()) {
    answers_.erase(found);
    return std::nullopt;
  }
  return Reaction{answer->outcome.status};
}

namespace {

using fabric::RecordedAnswer;
using fabric::RecordedLink;
using fabric::RecordedNode;
using fabric::RecordedPort;
using mad::AttributeId;

constexpr std::uint64_t kFirstInventedGuid = 0x0200'FFFF'0000'0001;

NodeType find_type(const mad::NodeInfo& info) {
  switch (info.node_type()) {
    case mad::NodeType::switch_:
      return NodeType::switch_;
    case mad::NodeType::router:
      return NodeType::router;
    default:
      return NodeType::ca;
  }
}

std::span<const std::uint8_t, mad::kAttributeBytes> get_bytes(const RecordedAnswer& answer) {
  return answer.data;
}

/// Returns all 64 bytes except the zeros at the end.
std::string description_of(const RecordedNode& node) {
  const RecordedAnswer* const answer = node.ports.front().find(AttributeId::node_description);
  if (answer == nullptr || !answer->outcome.ok()) return {};
  std::string text(answer->data.begin(), answer->data.end());
  text.erase(text.find_last_not_of('\0') + 1);
  return text;
}

/// Makes names as ibnetdiscover does, with a number if several nodes have one GUID.
class Ids {
 public:
  std::string of(NodeType type, mad::Guid guid) {
    const char letter = type == NodeType::switch_ ? 'S' : type == NodeType::router ? 'R' : 'H';
    const unsigned before = used_[guid]++;
    return before == 0 ? fmt::format("{}-{:016x}", letter, guid.value)
                       : fmt::format("{}-{:016x}-{}", letter, guid.value, before + 1);
  }

 private:
  std::map<mad::Guid, unsigned> used_;
};

Node make_node(const RecordedNode& recorded, Ids& ids) {
  const mad::NodeInfo& info = recorded.info;
  Node node{.type = find_type(info),
            .name = description_of(recorded),
            .guid = info.node_guid(),
            .port_count = info.num_ports(),
            .system_guid = info.system_image_guid(),
            .vendor_id = info.vendor_id(),
            .device_id = info.device_id()};
  node.id = ids.of(node.type, node.guid);
  if (recorded.is_switch()) return node;
  for (unsigned number = 1; number <= node.port_count; ++number)
    node.port_guids.push_back(mad::Guid{node.guid.value + number});
  for (const RecordedPort& port : recorded.ports) {
    if (const RecordedAnswer* answer = port.find(AttributeId::node_info))
      node.port_guids[port.number - 1u] = mad::NodeInfo(get_bytes(*answer)).port_guid();
  }
  return node;
}

template <class Visit>
void for_each_link(const fabric::Recording& recording, Visit visit) {
  for (std::size_t index = 0; index < recording.nodes.size(); ++index) {
    for (const RecordedPort& port : recording.nodes[index].ports) {
      for (const RecordedLink& link : port.links) visit(index, link);
    }
  }
}

std::vector<std::chrono::microseconds> times_of(const RecordedNode& node) {
  std::vector<std::chrono::microseconds> times;
  for (const RecordedPort& port : node.ports) {
    for (const RecordedAnswer& answer : port.answers) {
      if (answer.outcome.status && answer.outcome.attempts == 1)
        times.push_back(answer.outcome.time);
    }
  }
  std::ranges::sort(times);
  return times;
}

/// Writes one recorded node into the simulated one.
class Restorer {
 public:
  Restorer(World& world, NodeIndex index, const RecordedNode& recorded,
           const ReplayOptions& options)
      : world_(world), index_(index), recorded_(recorded), options_(options) {}

  void run() {
    take_node();
    // The capacities come first, because tables need them.
    for_each([this](const RecordedPort& port, const RecordedAnswer& answer) {
      take_info(port, answer);
    });
    for_each([this](const RecordedPort& port, const RecordedAnswer& answer) {
      take_rest(port, answer);
    });
    for (unsigned number = 0; number <= node().port_count(); ++number) {
      if (const PortIndex port = world_.model.port(index_, number); port != kNone)
        world_.rewire(port);
    }
    set_m_keys();
    if (personality_->empty()) return;
    node().health.react = [personality = personality_](mad::SmpView smp, mad::PortNum entry) {
      return personality->react(smp, entry.value);
    };
  }

 private:
  NodeModel& node() { return world_.model.nodes[index_]; }
  template <class Visit>
  void for_each(Visit visit) {
    for (const RecordedPort& port : recorded_.ports) {
      for (const RecordedAnswer& answer : port.answers) visit(port, answer);
    }
  }

  void take_node() {
    node().info = recorded_.info;
    node().description = description_of(recorded_);
    for (unsigned number = 0; node().is_switch() && number <= node().port_count(); ++number)
      world_.model.ports[node().first_port + number].guid = recorded_.info.port_guid();
  }

  void take_info(const RecordedPort& port, const RecordedAnswer& answer) {
    if (!answer.outcome.ok()) return;
    if (answer.attribute == AttributeId::port_info) {
      const unsigned asked = answer.modifier & 0xFFu;
      const unsigned number = asked == 0 ? port.number : asked;
      const PortIndex index = world_.model.port(index_, number);
      if (index == kNone) return;
      mad::PortInfo& info = world_.model.ports[index].info = mad::PortInfo(get_bytes(answer));
      info.set_local_port_num({static_cast<std::uint8_t>(number)});
      info.set_capability_mask(info.capability_mask() & ~mad::capability::kIsSm);
      if (answer.masked) masked_.push_back(index);
    } else if (answer.attribute == AttributeId::switch_info && node().is_switch()) {
      node().sw->info = mad::SwitchInfo(get_bytes(answer));
      const std::size_t blocks = (node().sw->info.linear_fdb_cap() + 63u) / 64;
      node().sw->lft.assign(blocks * 64, mad::kNoPort.value);
    }
  }

  void take_rest(const RecordedPort& port, const RecordedAnswer& answer) {
    switch (answer.attribute) {
      case AttributeId::sm_info:  // a program's answer
        return;
      case AttributeId::node_info:
      case AttributeId::node_description:
      case AttributeId::switch_info:
      case AttributeId::port_info:
      case AttributeId::switch_port_state_table:
        return personality_->add(port.number, answer);
      case AttributeId::guid_info:
      case AttributeId::p_key_table:
      case AttributeId::sl_to_vl_mapping_table:
      case AttributeId::vl_arbitration_table:
      case AttributeId::linear_forwarding_table:
      case AttributeId::multicast_forwarding_table:
        personality_->add(port.number, answer);
        if (answer.outcome.ok()) write(port, answer);
        return;
      default:
        personality_->add(port.number, answer);
        if (answer.outcome.ok()) personality_->add_content(port.number, answer);
        // Adaptive tables are not recorded: they are as after power-on until ARInfo is set.
        if (answer.outcome.ok() && answer.attribute == AttributeId::adaptive_routing_info)
          enable_adaptive_routing(world_.model, index_,
                                  mad::AdaptiveRoutingInfo(get_bytes(answer)));
    }
  }

  /// Writes an attribute as a subnet manager does. If the simulated agent rejects it, Get requests
  /// still return the recorded content.
  void write(const RecordedPort& port, const RecordedAnswer& answer) {
    const PortIndex entry = world_.model.port(index_, port.number);
    mad::MadBytes bytes{};
    mad::SmpView smp = mad::make_lid_smp(bytes, mad::Method::set, answer.attribute, answer.modifier,
                                         mad::MKey{}, 0);
    smp.set_data(answer.data);
    if (entry == kNone || serve_smp({world_, index_, entry}, smp, {}) != mad::status::kOk)
      personality_->add_content(port.number, answer);
  }

  /// Called last: until then, requests need no key.
  void set_m_keys() {
    for (const PortIndex port : masked_) world_.model.ports[port].info.set_m_key(options_.m_key);
  }

  World& world_;
  NodeIndex index_;
  const RecordedNode& recorded_;
  const ReplayOptions& options_;
  std::vector<PortIndex> masked_;
  std::shared_ptr<RecordedBehavior> personality_ = std::make_shared<RecordedBehavior>();
};

}  // namespace

Topology make_topology(const fabric::Recording& recording) {
  Topology topology;
  Ids ids;
  for (const RecordedNode& node : recording.nodes) topology.nodes.push_back(make_node(node, ids));
  std::uint64_t invented = kFirstInventedGuid;
  for_each_link(recording, [&](std::size_t index, const RecordedLink& link) {
    const PortRef near{.node = index, .port = {link.port}};
    if (link.peer) {
      topology.links.push_back({.a = near, .b = {link.peer->node, {link.peer->port}}});
      return;
    }
    topology.links.push_back({.a = near, .b = {topology.nodes.size(), {1}}});
    Node unknown{.name = fmt::format("did not answer {}", invented - kFirstInventedGuid + 1),
                 .guid = mad::Guid{invented++},
                 .port_count = 1};
    unknown.id = ids.of(unknown.type, unknown.guid);
    topology.nodes.push_back(std::move(unknown));
  });
  return topology;
}

void restore(World& world, const fabric::Recording& recording, const ReplayOptions& options) {
  for (std::size_t index = 0; index < recording.nodes.size(); ++index)
    Restorer(world, NodeIndex(index), recording.nodes[index], options).run();

  NodeIndex unknown(recording.nodes.size());
  for_each_link(recording, [&](std::size_t, const RecordedLink& link) {
    if (link.peer) return;
    Health& health = world.model.nodes[unknown].health;
    if (link.outcome.status) {
      health.reject = [status = *link.outcome.status](mad::ConstSmpView) { return status; };
    } else {
      health.silent = true;
    }
    ++unknown;
  });

  std::vector<std::vector<std::chrono::microseconds>> times;
  auto fastest = std::chrono::microseconds::max();
  for (const RecordedNode& node : recording.nodes) {
    times.push_back(times_of(node));
    if (!times.back().empty()) fastest = std::min(fastest, times.back().front());
  }
  for (std::size_t index = 0; index < times.size(); ++index) {
    if (times[index].empty()) continue;
    Health& health = world.model.nodes[NodeIndex(index)].health;
    health.slow_min = times[index].front() - fastest;
    health.slow_max = times[index][times[index].size() / 2] - fastest;
  }
}

}  // namespace sim
