#include "virt/find.h"

#include <algorithm>
#include <tuple>
#include <unordered_map>

#include "fabric/fabric_conditions.h"
#include "mad/format.h"
#include "virt/virt_conditions.h"
#include "virt/vport_rules.h"

namespace virt {
namespace {

constexpr std::size_t kConditionsShown = 20;

fabric::VPortHold hold_of(const VPortFacts& facts, std::uint16_t index) {
  if (facts.state == mad::PortState::down) {
    if (!facts.info) return fabric::VPortHold::unread;
    return index > 0 && !is_valid_guid(facts.info->port_guid()) ? fabric::VPortHold::no_guid
                                                                : fabric::VPortHold::down_by_host;
  }
  if (!facts.info || !facts.node_info || facts.node_info->partition_cap() > kPKeysMax)
    return fabric::VPortHold::unread;
  if (index > 0 && !is_valid_guid(facts.info->port_guid())) return fabric::VPortHold::no_guid;
  return is_vport_state(facts.state) ? fabric::VPortHold::none : fabric::VPortHold::unread;
}

class Finder {
 public:
  Finder(const fabric::Fabric& fabric, const Facts& facts, const WasServed& was_served)
      : fabric_(fabric), facts_(facts), was_served_(was_served) {}

  Found find() {
    for (const fabric::PortIndex port : fabric_.end_ports) add(port);
    find_duplicates();
    for (fabric::ConditionList* list : {&duplicates_, &implausible_})
      std::ranges::move(list->take(), std::back_inserter(found_.conditions));
    return std::move(found_);
  }

 private:
  void add(fabric::PortIndex index) {
    const fabric::Port& port = fabric_.ports[index];
    const auto owner = fabric_.port_of_guid.find(port.guid);
    const auto of = facts_.find(port.guid);
    if (of == facts_.end() || !of->second.info || owner == fabric_.port_of_guid.end() ||
        owner->second != index)
      return;
    const PortFacts& facts = of->second;
    check(index, *facts.info);
    fabric::VirtualizedPort& added = found_.ports.emplace_back();
    added.port = index;
    added.info = *facts.info;
    added.first = fabric::VPortIndex(found_.vports.size());
    if (!facts.is_enabled() || !port.is_up()) return;
    for (const auto& [number, vport] : facts.vports) {
      if (!vport.exists) continue;
      add_vport(index, number, vport);
      ++added.count;
    }
  }

  void add_vport(fabric::PortIndex port, std::uint16_t index, const VPortFacts& facts) {
    fabric::VPort& vport = found_.vports.emplace_back();
    vport.port = port;
    vport.index = index;
    vport.state = facts.state;
    vport.hold = hold_of(facts, index);
    if (facts.info) {
      vport.info = *facts.info;
      vport.guid = facts.info->port_guid();
      vport.has_own_lid = index > 0 && facts.info->lid_required();
    }
    if (index == 0) vport.guid = fabric_.ports[port].guid;
    if (facts.node_info) vport.node_info = *facts.node_info;
    vport.description = facts.description;
    if (!is_vport_state(facts.state))
      implausible_.add(fmt::format("{} shows state {}; it is left alone",
                                   vport_name(fabric_, port, index),
                                   static_cast<unsigned>(facts.state)));
    if (facts.node_info && facts.node_info->partition_cap() > kPKeysMax)
      implausible_.add(fmt::format("{} shows PartitionCap {}; it is left alone",
                                   vport_name(fabric_, port, index),
                                   facts.node_info->partition_cap()));
    if (facts.node_info && (facts.node_info->num_ports() == 0 ||
                            facts.node_info->local_port_num().value > facts.node_info->num_ports()))
      implausible_.add(
          fmt::format("{} is port {} of {} of its vnode", vport_name(fabric_, port, index),
                      facts.node_info->local_port_num(), facts.node_info->num_ports()));
  }

  void check(fabric::PortIndex port, const mad::VirtualizationInfo& info) {
    if (info.vport_index_top() > info.vport_cap() || info.vport_index_top() >= kVPortsMax)
      implausible_.add(fmt::format(
          "{} shows VPortIndexTop {} and VPortCap {}; vports up to {} are "
          "managed",
          fabric_.port_name(port), info.vport_index_top(), info.vport_cap(), index_top(info)));
    if (info.virtualization_revision() != 0)
      implausible_.add(
          fmt::format("{} shows VirtualizationRevision {}, which is not known; it is "
                      "left alone",
                      fabric_.port_name(port), info.virtualization_revision()));
  }

  /// Finds vports that may be served but share their GUID with another vport, a port or a node.
  void find_duplicates() {
    std::unordered_map<mad::Guid, std::vector<std::size_t>> bearers;
    for (std::size_t number = 0; number < found_.vports.size(); ++number) {
      const fabric::VPort& vport = found_.vports[number];
      if (vport.index > 0 && vport.hold == fabric::VPortHold::none)
        bearers[vport.guid].push_back(number);
    }
    for (std::size_t number = 0; number < found_.vports.size(); ++number) {
      fabric::VPort& vport = found_.vports[number];
      if (vport.index == 0 || vport.hold != fabric::VPortHold::none) continue;
      if (const auto port = fabric_.port_of_guid.find(vport.guid);
          port != fabric_.port_of_guid.end()) {
        hold(vport, fmt::format("physical port {}", fabric_.port_name(port->second)));
      } else if (const auto node = fabric_.node_of_guid.find(vport.guid);
                 node != fabric_.node_of_guid.end()) {
        hold(vport, fmt::format("node {}", fabric_.name(node->second)));
      } else if (auto& all = bearers[vport.guid]; all.size() > 1) {
        keep_one(all);
      }
    }
  }

  void keep_one(const std::vector<std::size_t>& all) {
    const auto rank = [&](std::size_t number) {
      const fabric::VPort& vport = found_.vports[number];
      const bool served =
          was_served_ && was_served_(vport.guid, fabric_.ports[vport.port].guid, vport.index);
      return std::tuple(!served, vport.state != mad::PortState::active, number);
    };
    const std::size_t kept = *std::ranges::min_element(all, {}, rank);
    const fabric::VPort keeper = found_.vports[kept];
    for (const std::size_t number : all) {
      fabric::VPort& vport = found_.vports[number];
      if (number == kept || vport.hold != fabric::VPortHold::none) continue;
      hold(vport, vport_name(fabric_, keeper.port, keeper.index));
      found_.contested.push_back(fabric_.ports[keeper.port].guid);
    }
  }

  void hold(fabric::VPort& vport, const std::string& other) {
    vport.hold = fabric::VPortHold::duplicate_guid;
    duplicates_.add(fmt::format("duplicate GUID {}: {} and {}; the first is not served", vport.guid,
                                vport_name(fabric_, vport.port, vport.index), other));
  }

  const fabric::Fabric& fabric_;
  const Facts& facts_;
  const WasServed& was_served_;
  Found found_;
  fabric::ConditionList duplicates_{kVirtConditions.vport_guid_duplicate, kConditionsShown};
  fabric::ConditionList implausible_{fabric::kFabricConditions.value_implausible, kConditionsShown};
};

}  // namespace

unsigned index_top(const mad::VirtualizationInfo& info) {
  return std::min({unsigned{info.vport_index_top()}, unsigned{info.vport_cap()}, kVPortsMax - 1});
}

bool can_have_vports(const fabric::Port& port) {
  return port.known && (port.info.capability_mask() & mad::capability::kCapabilityMask2) != 0 &&
         (port.info.capability_mask2() & mad::capability2::kVirtualization) != 0;
}

Found find_vports(const fabric::Fabric& fabric, const Facts& facts, const WasServed& was_served) {
  return Finder(fabric, facts, was_served).find();
}

std::string vport_name(const fabric::Fabric& fabric, fabric::PortIndex port, std::uint16_t index) {
  return fmt::format("{} vport {}", fabric.port_name(port), index);
}

}  // namespace virt
