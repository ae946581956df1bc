#pragma once
// A fabric of four hosts in virtual time, three of them with Ethernet management agents, and an
// Ethernet Manager at the first one.

#include <gmock/gmock.h>
#include <unistd.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <filesystem>
#include <memory>
#include <set>
#include <string>

#include "mad/records/fabric_records.h"
#include "mad/records/mc_member_record.h"
#include "mad/rmpp.h"
#include "sim/world/gsi_network.h"
#include "sim/world/virtual_runtime.h"
#include "sm/ctl/topology/generators.h"
#include "sm/vnic/ethernet_manager.h"
#include "support/hand_made_subnet.h"
#include "support/recording_sink.h"
#include "support/scratch.h"

namespace vnic_fabric {

using namespace std::chrono_literals;

/// Answers NodeRecords from the model, and joins of groups by counting.
class Administration {
 public:
  explicit Administration(const sim::Model& model) : model_(model) {}

  std::optional<std::vector<std::uint8_t>> operator()(std::span<const std::uint8_t> request) {
    ++requests;
    if (silent) return std::nullopt;
    std::vector<std::uint8_t> out(request.begin(), request.begin() + mad::kMadBytes);
    mad::SaView head{std::span<std::uint8_t>(out).first<mad::kMadBytes>()};
    const bool is_table = head.method() == mad::Method::get_table;
    const bool leaves = head.method() == mad::Method::delete_;
    head.set_method(is_table ? mad::Method::get_table_resp
                    : leaves ? mad::Method::delete_resp
                             : mad::Method::get_resp);
    if (is_table) return table(out);
    mad::McMemberRecord record(head.data().first<mad::McMemberRecord::kBytes>());
    if (refuses_joins) {
      head.set_status(mad::sa_status::kReqInvalid);
      return out;
    }
    const auto member = std::pair(record.mgid(), record.port_gid().guid);
    leaves ? void(members.erase(member)) : void(members.insert(member));
    record.set_mlid(
        {static_cast<std::uint16_t>(0xC000 + (record.mgid().guid.value & 0xFF) + mlid_offset)});
    std::ranges::copy(record.bytes(), head.data().begin());
    return out;
  }

  bool silent = false, refuses_joins = false;
  unsigned requests = 0;
  std::uint16_t mlid_offset = 0;
  std::set<std::pair<mad::Gid, mad::Guid>> members;

 private:
  std::vector<std::uint8_t> table(std::vector<std::uint8_t> out) const {
    constexpr std::size_t kStep = 112;  // a record, padded to eight bytes
    mad::SaView head{std::span<std::uint8_t>(out).first<mad::kMadBytes>()};
    head.set_attribute_offset(kStep / 8);
    out.resize(mad::SaFields::kDataByte);
    for (const sim::PortIndex index : model_.ports.indices()) {
      const sim::PortModel& port = model_.ports[index];
      const sim::NodeModel& node = model_.owning_node(index);
      if (node.is_switch() || port.number == 0 || !model_.alive(port.node)) continue;
      mad::NodeRecord record;
      record.set<"LID">(port.info.lid());
      record.set<"NodeType">(mad::NodeType::ca);
      record.set<"PortGUID">(port.guid);
      std::ranges::copy(node.description,
                        record.bytes().begin() + mad::NodeRecordFields::kDescriptionByte);
      out.insert(out.end(), record.bytes().begin(), record.bytes().end());
      out.resize(out.size() + kStep - mad::NodeRecord::kBytes);
    }
    out.resize(std::max(out.size(), mad::kMadBytes));
    return out;
  }

  const sim::Model& model_;
};

struct VnicFabric : testing::Test {
  VnicFabric()
      : world(runtime.events(), topology::row({.switches = 2, .cables = 1, .hosts_per_switch = 2})),
        network(world),
        administration(world.model),
        folder(support::parent_of_scratch() / ("heddle-vnic-" + std::to_string(::getpid()))) {
    hand_made::bring_up(world.model);
    std::filesystem::remove_all(folder);
    std::filesystem::create_directories(folder);
    network.administration = [this](std::span<const std::uint8_t> request) {
      return administration(request);
    };
    for (const char* const host : {"H1", "H2", "H3"}) network.agent(port(host));
  }
  ~VnicFabric() override {
    stop();
    std::filesystem::remove_all(folder);
  }

  sim::PortIndex port(const std::string& host) const {
    return world.model.port(world.model.find(host), 1);
  }
  mad::Guid guid(const std::string& host) const { return world.model.ports[port(host)].guid; }
  mad::Lid lid(const std::string& host) const { return world.model.ports[port(host)].info.lid(); }
  sim::EthernetAgent& agent(const std::string& host) { return network.agent(port(host)); }

  /// Two switches: 1 with all ports, 2 with H2 and H3.
  static vnic::Configuration two_switches(const VnicFabric& of) {
    vnic::Configuration configuration;
    configuration.interval = 30s;
    for (const std::uint16_t id : std::initializer_list<std::uint16_t>{1, 2}) {
      vnic::SwitchConfiguration& made = configuration.switches.emplace_back();
      made.name = "s" + std::to_string(id);
      made.key.vesw_id = id;
    }
    configuration.switches[0].members.push_back({.all = true, .port_guid = {}, .description = {}});
    for (const char* const host : {"H2", "H3"})
      configuration.switches[1].members.push_back({.port_guid = of.guid(host), .description = {}});
    return configuration;
  }

  void start(vnic::Configuration configuration) {
    stop();
    transport = network.attach(port("H0"));
    auto stored = vnic::load_store(folder);
    ASSERT_TRUE(stored) << stored.error();
    manager =
        std::make_unique<vnic::Manager>(runtime, *transport, log, std::move(configuration),
                                        std::move(*stored), vnic::ManagerOptions{.folder = folder});
    ended = false;
    boost::asio::co_spawn(runtime.executor(), manager->run(), [this](std::exception_ptr error) {
      ended = true;
      if (error) std::rethrow_exception(error);
    });
  }
  void stop() {
    if (!manager) return;
    manager->stop();
    ASSERT_TRUE(runtime.run_until([this] { return ended; }, 10s));
    manager.reset();
    transport.reset();
  }
  void pass(mad::Duration time = 3s) { runtime.run_for(time); }

  std::vector<std::string> conditions() const {
    std::vector<std::string> ids;
    for (const auto& one : manager->status()->conditions) ids.push_back(one.id);
    return ids;
  }
  unsigned all_sets() {
    unsigned sum = 0;
    for (const char* const host : {"H1", "H2", "H3"}) sum += agent(host).all_sets();
    return sum;
  }
  /// Addresses of the table of a VNIC, without base MAC addresses.
  std::vector<std::uint64_t> others(const std::string& host, std::uint8_t vnic) {
    std::vector<std::uint64_t> macs;
    for (const auto& [index, entry] : agent(host).vnics.at(vnic).table)
      if (const auto mac = entry.get<mad::Mac, "MAC">(); (mac.value >> 40) != 0x02)
        macs.push_back(mac.value);
    return macs;
  }

  sim::VirtualRuntime runtime;
  sim::World world;
  sim::GsiNetwork network;
  Administration administration;
  std::filesystem::path folder;
  std::shared_ptr<support::RecordingSink> sink = std::make_shared<support::RecordingSink>();
  sm::FieldLogger log{"vnic", sink};
  std::unique_ptr<mad::GsiTransport> transport;
  std::unique_ptr<vnic::Manager> manager;
  bool ended = true;
};

}  // namespace vnic_fabric
