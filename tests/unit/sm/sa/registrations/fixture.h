#pragma once
// A small subnet with SA clients: one switch, hosts attached to it, partitions set by the test.

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "mad/records/fabric_records.h"
#include "mad/records/inform_info.h"
#include "mad/records/mc_member_record.h"
#include "mad/records/service_record.h"
#include "sm/sa/registrations/outcome.h"
#include "sm/sa/registrations/ports.h"
#include "sm/sa/registrations/registrations.h"
#include "sm/sa/registrations/requests.h"
#include "sm/store/guid2lid.h"
#include "support/fabrics.h"

namespace sa::test {

inline constexpr mad::Gid kBroadcast{0xff12401bffff0000, {0x00000000ffffffff}};

template <class... Bits>
constexpr std::uint64_t bits(Bits... bit) {
  return ((std::uint64_t{1} << static_cast<unsigned>(bit)) | ... | std::uint64_t{0});
}

/// Keeps all records.
struct Collector final : RecordSink {
  struct Row {
    std::vector<std::uint8_t> record;
    fabric::PortIndex about;
    fabric::VPortIndex about_vport = fabric::kNoIndex;
  };
  std::vector<Row> rows;
  bool add(std::span<const std::uint8_t> record, fabric::EndPoint about) override {
    rows.push_back({{record.begin(), record.end()}, about.port, about.vport});
    return true;
  }
};

class Clients : public testing::Test {
 public:
  explicit Clients(unsigned host_count = 6) {
    fabrics::Maker maker;
    const fabric::NodeIndex sw = maker.sw(36);
    for (unsigned i = 0; i < host_count; ++i) maker.host(sw);
    subnet.fabric = maker.build();
    subnet.lids = fabrics::assign_lids(subnet.fabric);
    for (const fabric::PortIndex port : subnet.fabric.ports.indices()) {
      fabric::Port& p = subnet.fabric.ports[port];
      p.info.set_mtu_cap(mad::Mtu::mtu_4096);
      p.info.set_link_width_active(mad::link_width::k4x);
      p.info.set_link_speed_active(mad::link_speed::kQdr);  // 40 Gb/s
      p.info.set_guid_cap(16);
      if (subnet.fabric.is_end_port(port) && !subnet.fabric.owning_node(port).is_switch())
        hosts.push_back(port);
    }
    subnet.fabric.switches[fabric::SwitchIndex{0}].info.set_multicast_fdb_cap(1024);
    subnet.index();
    set_keys({});
    subnet.partitions.groups = {
        {.mgid = kBroadcast, .p_key = mad::kDefaultPKeyFull, .q_key = 0x0b1b}};
  }

  /// All end ports but those in `keys` are full members of the default partition.
  void set_keys(const std::map<fabric::PortIndex, std::vector<mad::PKey>>& keys) {
    fabric::PartitionMap& map = subnet.partitions;
    map.partitions = {{.key = 0x0010, .name = "ten"},
                      {.key = 0x0020, .name = "twenty"},
                      {.key = 0x7FFF, .name = "Default"}};
    map.offsets = {0};
    map.keys.clear();
    for (const fabric::PortIndex port : subnet.fabric.end_ports) {
      const auto found = keys.find(port);
      if (found == keys.end())
        map.keys.push_back(mad::kDefaultPKeyFull);
      else
        map.keys.insert(map.keys.end(), found->second.begin(), found->second.end());
      map.offsets.push_back(static_cast<std::uint32_t>(map.keys.size()));
    }
  }

  View view() const {
    return {.subnet = subnet,
            .registrations = registrations,
            .options = options,
            .files = files,
            .guid2lid = &guid2lid};
  }
  mad::Guid guid(unsigned host) const { return subnet.fabric.ports[hosts[host]].guid; }
  mad::Gid gid(unsigned host) const { return {options.subnet_prefix, guid(host)}; }
  mad::Lid lid(unsigned host) const { return subnet.lid_range(hosts[host]).base; }
  Requester from(unsigned host, bool trusted = false) const {
    return {.port = hosts[host], .lid = lid(host), .qpn = 1, .trusted = trusted};
  }

  template <class Record>
  Outcome request(mad::Method method, const Record& record, std::uint64_t mask, Requester requester,
                  UnixTime now = UnixTime{}) {
    for (const WritableRecord& row : writable_records()) {
      if (row.attribute != Record::kId || row.method != method) continue;
      const Query query{.method = method,
                        .attribute = row.attribute,
                        .component_mask = mask,
                        .record = record.bytes(),
                        .from = requester};
      return row.write(registrations, view(), query, now);
    }
    ADD_FAILURE() << "no writable record for this request";
    return {};
  }
  template <class Record>
  std::vector<Collector::Row> read(const RecordType& type, const Record& record, std::uint64_t mask,
                                   Requester requester) const {
    Collector sink;
    const Query query{.method = mad::Method::get_table,
                      .attribute = type.attribute,
                      .component_mask = mask,
                      .record = record.bytes(),
                      .from = requester};
    EXPECT_EQ(type.produce(view(), query, sink), mad::status::kOk);
    return sink.rows;
  }
  template <class Record>
  static Record reply(const Outcome& outcome) {
    EXPECT_EQ(outcome.bytes, Record::kBytes);
    return Record(
        std::span<const std::uint8_t, Record::kBytes>(outcome.record.data(), Record::kBytes));
  }
  void reconcile() {
    std::vector<std::string> log;
    reconcile_groups(registrations, subnet, options, log);
    EXPECT_TRUE(log.empty());
  }

  fabric::Subnet subnet;
  std::vector<fabric::PortIndex> hosts;
  Registrations registrations;
  config::Options options;
  config::InputFiles files;
  sm::Guid2Lid guid2lid;
};

}  // namespace sa::test
