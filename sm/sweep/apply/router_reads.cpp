#include "sm/sweep/apply/router_reads.h"

#include <algorithm>
#include <utility>

#include "mad/format.h"
#include "sm/sweep/devices/read_stage.h"

namespace sm {
namespace {

using mad::AttributeId;

/// Only the attributes of this vendor are known.
constexpr std::uint32_t kRouterVendor = 0x0002C9;

PortIndex router_port(const Fabric& fabric, const Node& node) {
  for (PortIndex port = node.first_port; port < node.first_port + node.num_ports; ++port)
    if (fabric.is_end_port(port) && fabric.ports[port].known && fabric.ports[port].peer != kNoIndex)
      return port;
  return kNoIndex;
}

class RouterRead : public ReadStage {
 public:
  /// A stage that reads counts nothing by its kind.
  RouterRead(const Fabric& fabric, DeviceState& devices, std::vector<Write> requests)
      : ReadStage(StageKind::extended_port_info, fabric, std::move(requests)), devices_(devices) {}

  bool refuse(std::size_t number, std::uint16_t status) override {
    // IBTA Vol 1, 13.4.7: the code is in bits 4..2.
    constexpr std::uint16_t kCode = 0x1C, kUnsupportedAttribute = 0x0C;
    RouterDevice& its = device(number);
    its.state =
        (status & kCode) == kUnsupportedAttribute ? RouterState::unsupported : RouterState::refused;
    its.reason = fmt::format("rejects SubnGet({}): status {:#06x}",
                             mad::name(requests_[number].attribute), status);
    forget(its);
    return true;
  }
  void lose(std::size_t number) override {
    RouterDevice& its = device(number);
    its.state = RouterState::silent;
    its.reason = fmt::format("does not answer SubnGet({})", mad::name(requests_[number].attribute));
    forget(its);
  }

 protected:
  RouterDevice& device(std::size_t number) {
    return devices_.routers.of_node.at(node(number).guid);
  }

 private:
  static void forget(RouterDevice& device) {
    device.info.reset();
    device.adjacent.clear();
    device.next_hops.clear();
    device.adjacent_due = device.next_hops_due = true;
  }

  DeviceState& devices_;
};

class RouterInfoReads final : public RouterRead {
 public:
  using RouterRead::RouterRead;
  void accept(std::size_t number, std::span<const std::uint8_t, 64> data, ApplyReport&) override {
    device(number).take(mad::RouterInfo(data));
  }
};

/// Adds the entries of a block that are below `top`, without empty ones.
template <class Table>
void add_entries(std::span<const std::uint8_t, 64> data, std::uint32_t block, std::uint32_t top,
                 std::vector<typename Table::Entry>& entries) {
  const Table table(data);
  for (unsigned index = 0; index < Table::kEntries; ++index)
    if (const auto entry = table.entry(index);
        block * Table::kEntries + index < top && entry != typename Table::Entry{})
      entries.push_back(entry);
}

class RouterTableReads final : public RouterRead {
 public:
  using RouterRead::RouterRead;
  void accept(std::size_t number, std::span<const std::uint8_t, 64> data, ApplyReport&) override {
    RouterDevice& its = device(number);
    if (its.state != RouterState::read) return;  // another block was refused
    const Write& asked = requests_[number];
    if (asked.attribute == AttributeId::adjacent_subnets_table)
      add_entries<mad::AdjacentSubnetsTable>(data, asked.modifier, its.info->adj_top(),
                                             its.adjacent);
    else
      add_entries<mad::NextHopTable>(
          data, asked.modifier, std::min(its.info->next_hop_top(), RouterDevices::kNextHopsMax),
          its.next_hops);
  }
};

class RouterReads final : public StageSource {
 public:
  RouterReads(const Fabric& fabric, DeviceState& devices) : fabric_(fabric), devices_(devices) {}

  std::unique_ptr<Stage> next() override {
    switch (step_++) {
      case 0:
        return std::make_unique<RouterInfoReads>(fabric_, devices_, information());
      case 1:
        return std::make_unique<RouterTableReads>(fabric_, devices_, tables());
      default:
        return nullptr;
    }
  }

 private:
  std::vector<Write> information() const {
    devices_.routers.update_from(fabric_);
    std::vector<Write> requests;
    for (const Node& node : fabric_.nodes) {
      if (node.type != mad::NodeType::router) continue;
      RouterDevice& device = devices_.routers.of_node[node.guid];
      if (node.info.vendor_id() != kRouterVendor) device.state = RouterState::unsupported;
      const PortIndex port = router_port(fabric_, node);
      if (port == kNoIndex || device.state == RouterState::unsupported || !device.is_due())
        continue;
      requests.push_back(
          {.attribute = AttributeId::router_info, .modifier = 0, .port = port, .data = {}});
    }
    return requests;
  }

  std::vector<Write> tables() const {
    std::vector<Write> requests;
    for (const Node& node : fabric_.nodes) {
      if (node.type != mad::NodeType::router) continue;
      RouterDevice& device = devices_.routers.of_node.at(node.guid);
      const PortIndex port = router_port(fabric_, node);
      if (port == kNoIndex || device.state != RouterState::read) continue;
      const auto add = [&](AttributeId attribute, std::uint32_t entries, std::uint32_t per_block) {
        for (std::uint32_t block = 0; block * per_block < entries; ++block)
          requests.push_back({.attribute = attribute, .modifier = block, .port = port, .data = {}});
      };
      const std::uint32_t next_hops =
          std::min(device.info->next_hop_top(), RouterDevices::kNextHopsMax);
      if (std::exchange(device.adjacent_due, false)) {
        device.adjacent.clear();
        add(AttributeId::adjacent_subnets_table, device.info->adj_top(),
            mad::AdjacentSubnetsTable::kEntries);
      }
      if (std::exchange(device.next_hops_due, false)) {
        device.next_hops.clear();
        device.beyond = device.info->next_hop_top() - next_hops;
        add(AttributeId::next_hop_table, next_hops, mad::NextHopTable::kEntries);
      }
    }
    return requests;
  }

  const Fabric& fabric_;
  DeviceState& devices_;
  unsigned step_ = 0;
};

}  // namespace

std::unique_ptr<StageSource> router_reads(const Fabric& fabric, DeviceState& devices) {
  return std::make_unique<RouterReads>(fabric, devices);
}

}  // namespace sm
