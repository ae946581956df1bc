#pragma once
// Several subnets in virtual time, each with a manager, joined by routers.

#include <list>
#include <memory>

#include "mad/records/path_records.h"
#include "sim/laboratory.h"
#include "sim/world/subnet_routers.h"
#include "sm/ctl/topology/generators.h"
#include "support/client/sa_client.h"

namespace laboratory {

class JoinedSubnets {
 public:
  static constexpr std::uint64_t kFirstPrefix = 0xFEC0000000000001;

  /// Subnets of 4 hosts, 2 leaf switches and 2 spines. GUIDs differ from subnet to subnet.
  explicit JoinedSubnets(std::size_t subnets) {
    for (std::size_t number = 0; number < subnets; ++number) {
      topology::Topology topology =
          topology::xgft({.children = {2, 2}, .parents = {1, 2}, .cables = {}});
      for (topology::Node& node : topology.nodes) {
        node.guid.value += std::uint64_t{number + 1} << 40;
        if (node.type == topology::NodeType::switch_) node.port_count += kFreePorts;
      }
      worlds.emplace_back(runtime.events(), topology);
      options.emplace_back();
      options.back().subnet_prefix = prefix(number);
      options.back().read_router_tables = true;
    }
  }

  static std::uint64_t prefix(std::size_t subnet) { return kFirstPrefix + subnet; }
  sim::World& world(std::size_t subnet) { return *std::next(worlds.begin(), at(subnet)); }
  Instance& manager(std::size_t subnet) { return *std::next(managers.begin(), at(subnet)); }
  sim::PortIndex host(std::size_t subnet, unsigned number) {
    sim::Model& model = world(subnet).model;
    return model.port(model.find(fmt::format("H{}", number)), 1);
  }
  mad::Gid gid(std::size_t subnet, unsigned host_number) {
    return {prefix(subnet), world(subnet).model.ports[host(subnet, host_number)].guid};
  }

  /// A router at a free port of the leaf switch of host `leaf_host` in each of these subnets.
  std::size_t join(std::initializer_list<std::size_t> subnets, unsigned leaf_host = 0) {
    std::vector<sim::RouterCable> cables;
    for (const std::size_t subnet : subnets) {
      sim::World& its = world(subnet);
      const sim::NodeIndex leaf =
          its.model.ports[its.model.ports[host(subnet, leaf_host)].peer].node;
      unsigned free = 1;
      while (its.model.ports[its.model.port(leaf, free)].peer != sim::kNone) ++free;
      cables.push_back({.world = &its, .to = its.model.port(leaf, free)});
    }
    const mad::Guid guid{0x0002c9030f000000 + 0x100 * (routers.size() + 1)};
    return routers.add(fmt::format("R{}", routers.size()), guid, cables);
  }

  /// Managers at host 0 of each subnet; true once all routers reach what they should.
  bool start() {
    for (std::size_t subnet = 0; subnet < worlds.size(); ++subnet)
      managers.emplace_back(runtime, world(subnet), host(subnet, 0), options[subnet]);
    const auto is_up = [&](Instance& each) { return each.says("SUBNET UP"); };
    if (!runtime.run_until([&] { return std::ranges::all_of(managers, is_up); }, kComesUp))
      return false;
    runtime.run_for(3s);
    return true;
  }

  /// The prefixes that the manager of a subnet has found, and by how many ports of routers.
  std::map<std::uint64_t, std::size_t> reached(std::size_t subnet) {
    std::map<std::uint64_t, std::size_t> found;
    const auto published = manager(subnet).manager().status().subnet;
    if (!published || !published->routers) return found;
    for (const fabric::OtherSubnet& other : published->routers->subnets)
      found[other.prefix] = other.gateways.size();
    return found;
  }

  sim::SaClient& client(std::size_t subnet, unsigned number) {
    auto& place = clients_[{subnet, number}];
    if (!place)
      place = std::make_unique<sim::SaClient>(runtime, world(subnet), host(subnet, number));
    return *place;
  }
  struct Answer {
    std::uint16_t status = 0xFFFF;
    std::optional<mad::PathRecord> path;
  };
  /// SubnAdmGet(PathRecord), as Linux asks for it.
  Answer path(std::size_t subnet, unsigned number, mad::Gid from, mad::Gid to) {
    using Fields = mad::PathRecordFields::Mask;
    mad::PathRecord record;
    record.set<"SGID.prefix">(from.prefix);
    record.set<"SGID.guid">(from.guid);
    record.set<"DGID.prefix">(to.prefix);
    record.set<"DGID.guid">(to.guid);
    const auto reply = client(subnet, number)
                           .query({.method = mad::Method::get,
                                   .attribute = mad::SaAttributeId::path_record,
                                   .component_mask = std::uint64_t{1} << Fields::kSgid |
                                                     std::uint64_t{1} << Fields::kDgid,
                                   .record = {record.bytes().begin(), record.bytes().end()},
                                   .grh = {}});
    Answer answer;
    if (!reply) return answer;
    answer.status = reply->status();
    if (answer.status == 0)
      answer.path.emplace(std::span<const std::uint8_t, mad::PathRecord::kBytes>(
          reply->records.data(), mad::PathRecord::kBytes));
    return answer;
  }
  Answer path(std::size_t subnet, unsigned number, mad::Gid to) {
    return path(subnet, number, gid(subnet, number), to);
  }
  /// A data packet from a host to a GID, as the answer of its subnet administration says.
  sim::Journey travel(std::size_t subnet, unsigned number, mad::Gid to) {
    const Answer answer = path(subnet, number, to);
    if (!answer.path) return {.drop = sim::Drop::no_route, .routers = {}};
    return routers.walk(world(subnet), host(subnet, number), to,
                        {.dlid = answer.path->get<mad::Lid, "DLID">(),
                         .sl = answer.path->get<mad::Sl, "SL">(),
                         .p_key = answer.path->get<mad::PKey, "P_Key">()},
                        answer.path->get<std::uint8_t, "HopLimit">());
  }
  bool arrives(std::size_t from, unsigned from_host, std::size_t to, unsigned to_host) {
    const sim::Journey journey = travel(from, from_host, gid(to, to_host));
    return journey.delivered() && journey.world == &world(to) && journey.end == host(to, to_host);
  }
  std::size_t raised(std::size_t subnet, fabric::ConditionId id) {
    const auto all = manager(subnet).manager().status().conditions;
    return static_cast<std::size_t>(
        std::ranges::count_if(all, [&](const auto& each) { return each.condition.id == id; }));
  }
  std::uint64_t lft_sets(std::size_t subnet) {
    return manager(subnet).attachment().sent(mad::Method::set,
                                             mad::AttributeId::linear_forwarding_table);
  }

  sim::VirtualRuntime runtime;
  std::list<sim::World> worlds;
  sim::SubnetRouters routers{runtime.events()};
  std::vector<config::Options> options;  // for the start
  std::list<Instance> managers;

 private:
  static constexpr unsigned kFreePorts = 8;
  static std::ptrdiff_t at(std::size_t number) { return static_cast<std::ptrdiff_t>(number); }
  std::map<std::pair<std::size_t, unsigned>, std::unique_ptr<sim::SaClient>> clients_;
};

}  // namespace laboratory
