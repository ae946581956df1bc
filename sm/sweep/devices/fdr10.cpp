#include "sm/sweep/devices/fdr10.h"

#include <algorithm>
#include <array>

#include "mad/format.h"
#include "sm/sweep/devices/table_memory.h"

namespace sm {
namespace {

constexpr std::uint8_t kFdr10 = mad::MlnxExtPortInfo::kFdr10;

bool has_fdr10(const mad::MlnxExtPortInfo& info) {
  return (info.link_speed_supported() & kFdr10) != 0;
}
bool is_fdr10_on(const mad::MlnxExtPortInfo& info) {
  return (info.link_speed_enabled() & kFdr10) != 0;
}

Write ext_port_info_request(const Fabric& fabric, PortIndex port) {
  return {.attribute = mad::MlnxExtPortInfo::kId,
          .modifier = mad::MlnxExtPortInfo::modifier(fabric.ports[port].number),
          .port = port,
          .data = {}};
}

/// Gets or sets the attribute. No request can fail a sweep: the link works without FDR10.
class Fdr10Stage final : public Stage {
 public:
  Fdr10Stage(const Fabric& fabric, Fdr10Ports& ports, std::vector<Write> requests, bool sets)
      : Stage(StageKind::extended_port_info),
        fabric_(fabric),
        ports_(ports),
        requests_(std::move(requests)),
        sets_(sets) {}

  std::size_t size() const override { return requests_.size(); }
  Write write(std::size_t number) const override { return requests_[number]; }
  bool reads_back() const override { return sets_; }

  void accept(std::size_t number, std::span<const std::uint8_t, 64> data,
              ApplyReport& report) override {
    if (settle(number, data, report)) ++report.writes;
  }
  void accept_rejected(std::size_t number, std::uint16_t, std::span<const std::uint8_t, 64> data,
                       ApplyReport& report) override {
    settle(number, data, report);
  }
  bool refuse(std::size_t number, std::uint16_t) override {
    lose(number);
    return true;
  }
  void lose(std::size_t number) override {
    const PortIndex port = requests_[number].port;
    if (sets_) {
      ports_.note_rejected(fabric_, port);
    } else {
      ports_.note_without(fabric_, port);
    }
  }

 private:
  /// Stores what the port holds. True if the request was a Get, or the port took the Set.
  bool settle(std::size_t number, std::span<const std::uint8_t, 64> data, ApplyReport& report) {
    const Write& request = requests_[number];
    const mad::MlnxExtPortInfo info(data);
    ports_.note(fabric_, request.port, info);
    if (!sets_ || is_fdr10_on(info) == is_fdr10_on(mad::MlnxExtPortInfo(request.data))) return true;
    ports_.note_rejected(fabric_, request.port);
    report.refusals.push_back(fmt::format(
        "{} does not take LinkSpeedEnabled {:#x} (FDR10); it is not set again before "
        "the link trains",
        fabric_.port_name(request.port), mad::MlnxExtPortInfo(request.data).link_speed_enabled()));
    return false;
  }

  const Fabric& fabric_;
  Fdr10Ports& ports_;
  const std::vector<Write> requests_;
  const bool sets_;
};

class Fdr10Reads final : public StageSource {
 public:
  Fdr10Reads(const Fabric& fabric, Fdr10Ports& ports) : fabric_(fabric), ports_(ports) {}

  std::unique_ptr<Stage> next() override {
    switch (step_++) {
      case 0:
        return reads(ports_.first_ports(fabric_));
      case 1:
        return reads(ports_.other_ports(fabric_));
      default:
        return nullptr;
    }
  }

 private:
  std::unique_ptr<Stage> reads(const std::vector<PortIndex>& ports) {
    std::vector<Write> requests;
    requests.reserve(ports.size());
    for (const PortIndex port : ports) requests.push_back(ext_port_info_request(fabric_, port));
    return std::make_unique<Fdr10Stage>(fabric_, ports_, std::move(requests), false);
  }

  const Fabric& fabric_;
  Fdr10Ports& ports_;
  unsigned step_ = 0;
};

}  // namespace

bool may_have_fdr10(const mad::NodeInfo& info) {
  constexpr std::uint32_t kBull = 0x119F;
  constexpr std::array<std::uint16_t, 21> kOfBull{
      0x1B02, 0x1B33, 0x1B40, 0x1B41, 0x1B50, 0x1B60, 0x1B61, 0x1B73, 0x1B83, 0x1B93, 0x1B94,
      0x1BA0, 0x1BB4, 0x1BB5, 0x1BC4, 0x1BD0, 0x1BD1, 0x1BD2, 0x1BD3, 0x1BD4, 0x1BD5};
  const std::uint16_t device = info.device_id();
  if (info.vendor_id() == kBull) return std::ranges::binary_search(kOfBull, device);
  const bool is_switch = (device >= 0xC738 && device <= 0xC73B) || device == 0xCB20 ||
                         device == 0xCF08;                     // SwitchX, Switch-IB
  return is_switch || (device >= 0x1003 && device <= 0x1017);  // ConnectX-3 to ConnectX-5
}

Fdr10Setting fdr10_setting(const config::Options& options) {
  switch (options.fdr10) {
    case 1:
      return Fdr10Setting::on;
    case 2:
      return Fdr10Setting::off;
    default:
      return Fdr10Setting::leave;
  }
}

void Fdr10Ports::update_from(const Fabric& fabric) {
  const auto trained = [&](const Place& place) {
    const auto node = fabric.node_of_guid.find(place.node);
    if (node == fabric.node_of_guid.end() ||
        place.port.value > fabric.nodes[node->second].num_ports)
      return true;
    const Port& port = fabric.ports[fabric.port(node->second, place.port)];
    return !port.known || port.info.port_state() <= mad::PortState::init;
  };
  std::erase_if(read_, [&](const auto& entry) { return trained(entry.first); });
  std::erase_if(rejected_, trained);
  const auto restarted = [&](mad::Guid guid) {
    const auto node = fabric.node_of_guid.find(guid);
    return node == fabric.node_of_guid.end() || !may_hold_tables(fabric, node->second);
  };
  std::erase_if(answering_, restarted);
  std::erase_if(without_, restarted);
}

void Fdr10Ports::forget(mad::Guid node) {
  std::erase_if(read_, [&](const auto& entry) { return entry.first.node == node; });
  std::erase_if(rejected_, [&](const Place& place) { return place.node == node; });
  answering_.erase(node);
  without_.erase(node);
}

std::vector<PortIndex> Fdr10Ports::unread_ports(const Fabric& fabric, NodeIndex index) const {
  std::vector<PortIndex> ports;
  const Node& node = fabric.nodes[index];
  for (unsigned number = 1; number <= node.num_ports; ++number) {
    const PortIndex port = fabric.port(index, mad::PortNum{static_cast<std::uint8_t>(number)});
    if (fabric.is_link_up(port) && !read_.contains(port_place(fabric, port))) ports.push_back(port);
  }
  return ports;
}

std::vector<PortIndex> Fdr10Ports::first_ports(const Fabric& fabric) const {
  std::vector<PortIndex> ports;
  for (const NodeIndex index : fabric.nodes.indices()) {
    const Node& node = fabric.nodes[index];
    if (!may_have_fdr10(node.info) || answering_.contains(node.guid) ||
        without_.contains(node.guid))
      continue;
    if (const auto unread = unread_ports(fabric, index); !unread.empty())
      ports.push_back(unread.front());
  }
  return ports;
}

std::vector<PortIndex> Fdr10Ports::other_ports(const Fabric& fabric) const {
  std::vector<PortIndex> ports;
  for (const NodeIndex index : fabric.nodes.indices()) {
    const Node& node = fabric.nodes[index];
    if (!answering_.contains(node.guid) || without_.contains(node.guid)) continue;
    const std::vector<PortIndex> unread = unread_ports(fabric, index);
    ports.insert(ports.end(), unread.begin(), unread.end());
  }
  return ports;
}

std::vector<Write> Fdr10Ports::writes(const Fabric& fabric, Fdr10Setting setting) const {
  std::vector<Write> writes;
  if (setting == Fdr10Setting::leave) return writes;
  for (const auto& [place, info] : read_) {
    if (!has_fdr10(info) || is_fdr10_on(info) == (setting == Fdr10Setting::on) ||
        rejected_.contains(place))
      continue;
    const auto node = fabric.node_of_guid.find(place.node);
    if (node == fabric.node_of_guid.end()) continue;
    mad::MlnxExtPortInfo wanted = info;
    // The attribute is not documented; OpenSM and ibportstate set it like this. The field seems to
    // be the mask of the speeds that the Set is about.
    wanted.set_state_change_enable(kFdr10);
    wanted.set_link_speed_enabled(static_cast<std::uint8_t>(
        setting == Fdr10Setting::on ? info.link_speed_enabled() | kFdr10
                                    : info.link_speed_enabled() & ~kFdr10));
    Write write = ext_port_info_request(fabric, fabric.port(node->second, place.port));
    std::ranges::copy(wanted.bytes(), write.data.begin());
    writes.push_back(write);
  }
  return writes;
}

void Fdr10Ports::note(const Fabric& fabric, PortIndex port, const mad::MlnxExtPortInfo& info) {
  read_.insert_or_assign(port_place(fabric, port), info);
  answering_.insert(fabric.owning_node(port).guid);
}

void Fdr10Ports::update(const Fabric& fabric, PortIndex port, const mad::MlnxExtPortInfo& info) {
  const auto known = read_.find(port_place(fabric, port));
  if (known != read_.end()) known->second = info;
}

void Fdr10Ports::note_without(const Fabric& fabric, PortIndex port) {
  without_.insert(fabric.owning_node(port).guid);
}

void Fdr10Ports::note_rejected(const Fabric& fabric, PortIndex port) {
  rejected_.insert(port_place(fabric, port));
}

std::unique_ptr<StageSource> fdr10_reads(const Fabric& fabric, Fdr10Ports& ports) {
  return std::make_unique<Fdr10Reads>(fabric, ports);
}

std::unique_ptr<Stage> fdr10_stage(const Fabric& fabric, Fdr10Ports& ports,
                                   std::vector<Write> writes) {
  return std::make_unique<Fdr10Stage>(fabric, ports, std::move(writes), true);
}

}  // namespace sm
