#include "mad/records/fabric_records.h"
#include "sm/sa/query/visibility.h"
#include "sm/sa/records/end_ports.h"
#include "sm/sa/records/record_types.h"
#include "sm/sa/registrations/requests.h"

namespace sa {
namespace {

// NodeRecord: one for each port of a CA or router that has LIDs, one for each switch (IBTA Vol
// 1, 15.2.5.2).

/// Returns the NodeInfo of a vport: the fields of the vnode from VNodeInfo, the others from the
/// device.
mad::NodeInfo node_info_of(const fabric::Node& node, const fabric::VPort& vport) {
  mad::NodeInfo info = node.info;
  info.set_num_ports(vport.node_info.num_ports());
  info.set_node_guid(vport.node_info.vnode_guid());
  info.set_port_guid(vport.guid);
  info.set_partition_cap(vport.node_info.partition_cap());
  info.set_local_port_num(vport.node_info.local_port_num());
  return info;
}

std::uint16_t produce_node(const View& view, const Query& query, RecordSink& sink) {
  const fabric::Fabric& fabric = view.subnet.fabric;
  for_end_ports(view, query, sink, [&](fabric::PortIndex port, fabric::LidMap::Range range) {
    const fabric::Node& node = fabric.owning_node(port);
    mad::NodeInfo info =
        node.info;  // as read through one of its ports; the record is about this one
    info.set_port_guid(fabric.ports[port].guid);
    info.set_local_port_num(fabric.ports[port].number);
    mad::NodeRecord record;
    record.set_attribute<mad::NodeRecordFields::kInfoByte>(info.bytes());
    record.set_attribute<mad::NodeRecordFields::kDescriptionByte>(node.description.bytes());
    record.set<"LID">(range.base);
    return sink.add(record.bytes(), port);
  });
  if (!view.options.enable_virt_rec_ext) return mad::status::kOk;
  for_vports(view, query, sink, true, [&](fabric::EndPoint end, const fabric::VPort& vport) {
    mad::NodeRecord record;
    record.set_attribute<mad::NodeRecordFields::kInfoByte>(
        node_info_of(fabric.owning_node(end.port), vport).bytes());
    record.set_attribute<mad::NodeRecordFields::kDescriptionByte>(vport.description.bytes());
    record.set<"LID">(vport.lid);
    return sink.add(record.bytes(), end);
  });
  return mad::status::kOk;
}

constexpr auto kInfo = components_by_name<12>(
    mad::NodeRecordFields::kFields, 2,
    {"BaseVersion", "ClassVersion", "NodeType", "NumPorts", "SystemImageGUID", "NodeGUID",
     "PortGUID", "PartitionCap", "DeviceID", "Revision", "LocalPortNum", "VendorID"});
constexpr auto kNodeComponents = [] {
  std::array<Component, kInfo.size() + 1> out{};
  std::copy(kInfo.begin(), kInfo.end(), out.begin());
  out.back() = {14, 8 * mad::NodeRecordFields::kDescriptionByte, 512};
  return out;
}();

}  // namespace

const RecordType kNodeRecord{.attribute = mad::SaAttributeId::node_record,
                             .bytes = mad::NodeRecord::kBytes,
                             .components = kNodeComponents,
                             .produce = produce_node};

// SwitchInfoRecord: one for each switch (IBTA Vol 1, 15.2.5.5). The LID is the only component, as
// in OpenSM.

namespace {

std::uint16_t produce_switch_info(const View& view, const Query& query, RecordSink& sink) {
  for_switches(view, query, sink,
               [&](const fabric::Node& node, fabric::PortIndex port, fabric::LidMap::Range range) {
                 mad::SwitchInfoRecord record;
                 record.set_attribute<mad::SwitchInfoRecordFields::kInfoByte>(
                     view.subnet.fabric.switches[node.switch_index].info.bytes());
                 record.set<"LID">(range.base);
                 return sink.add(record.bytes(), port);
               });
  return mad::status::kOk;
}

}  // namespace

const RecordType kSwitchInfoRecord{.attribute = mad::SaAttributeId::switch_info_record,
                                   .bytes = mad::SwitchInfoRecord::kBytes,
                                   .produce = produce_switch_info};

// SMInfoRecord: this manager, then the others that answered (IBTA Vol 1, 15.2.5.10).

namespace {

std::uint16_t produce_sm_info(const View& view, const Query& query, RecordSink& sink) {
  const fabric::Subnet& subnet = view.subnet;
  const auto add = [&](fabric::PortIndex port, mad::SmInfo info) {
    if (!query.from.trusted) info.set_sm_key(0);
    mad::SmInfoRecord record;
    record.set_attribute<mad::SmInfoRecordFields::kInfoByte>(info.bytes());
    record.set<"LID">(subnet.lid_range(port).base);
    const bool wanted =
        !query.has(0) ||
        subnet.lids.owner(mad::SmInfoRecord(query.record.first<mad::SmInfoRecord::kBytes>())
                              .get<mad::Lid, "LID">()) == port;
    return !wanted || sink.add(record.bytes(), port);
  };
  if (view.own_sm != nullptr && subnet.fabric.sm_port != fabric::kNoIndex &&
      !add(subnet.fabric.sm_port, *view.own_sm))
    return mad::status::kOk;
  for (const fabric::OtherSm& other : subnet.sms) {
    if (other.port != fabric::kNoIndex && !add(other.port, other.info)) break;
  }
  return mad::status::kOk;
}

constexpr auto kSmInfoComponents = components_by_name<5>(
    mad::SmInfoRecordFields::kFields, 2, {"GUID", "SM_Key", "ActCount", "Priority", "SMState"});

}  // namespace

const RecordType kSmInfoRecord{.attribute = mad::SaAttributeId::sm_info_record,
                               .bytes = mad::SmInfoRecord::kBytes,
                               .components = kSmInfoComponents,
                               .produce = produce_sm_info};

// GUIDInfoRecord: one for each block of each end port's table of GUIDs (IBTA Vol 1, 15.2.5.18). A
// query for a vport's own LID gets the blocks of the vport's table.

namespace {

std::uint16_t produce_guid_info(const View& view, const Query& query, RecordSink& sink) {
  const mad::GuidInfoRecord request(query.record.first<mad::GuidInfoRecord::kBytes>());
  const auto add_blocks = [&](fabric::EndPoint end, mad::Lid lid) {
    const unsigned blocks =
        (guid_cap_of(view.subnet, end) + mad::GuidInfo::kEntries - 1u) / mad::GuidInfo::kEntries;
    if (blocks == 0) return true;
    const auto [first, last] = numbers(query, 1, request.block(), blocks - 1);
    sink.count_steps(last >= first ? last - first : 0);
    for (unsigned block = first; block <= last; ++block) {
      mad::GuidInfoRecord record;
      record.set_lid(lid);
      record.set_block(static_cast<std::uint8_t>(block));
      record.set_guid_info(view.registrations.alias_guids.block(view.subnet.find_guid(end), block));
      if (!sink.add(record.bytes(), end)) return false;
    }
    return true;
  };
  for_end_ports(view, query, sink, [&](fabric::PortIndex end_port, fabric::LidMap::Range range) {
    return add_blocks({.port = end_port}, range.base);
  });
  for_vports(view, query, sink, false, [&](fabric::EndPoint end, const fabric::VPort& vport) {
    return add_blocks(end, vport.lid);
  });
  return mad::status::kOk;
}

/// GUID n is mask bit 4 + n.
constexpr auto kGuidInfoComponents = [] {
  std::array<Component, mad::GuidInfo::kEntries> out{};
  for (unsigned i = 0; i < out.size(); ++i)
    out[i] = {mad::GuidInfoRecord::kGuid0 + i,
              static_cast<unsigned>(8 * mad::GuidInfoRecord::kGuidInfoByte) + 64 * i, 64};
  return out;
}();

}  // namespace

const RecordType kGuidInfoRecord{.attribute = mad::SaAttributeId::guid_info_record,
                                 .bytes = mad::GuidInfoRecord::kBytes,
                                 .components = kGuidInfoComponents,
                                 .produce = produce_guid_info};

// LinkRecord: one for each direction of each link between two ports that have LIDs (IBTA Vol 1,
// 15.2.5.13).

namespace {

/// Returns the end port whose LID a port's records have: the port itself, or port 0 of its switch.
fabric::PortIndex find_end_port(const fabric::Fabric& fabric, fabric::PortIndex port) {
  const fabric::Node& node = fabric.owning_node(port);
  return node.is_switch() ? node.first_port : port;
}

std::uint16_t produce_link(const View& view, const Query& query, RecordSink& sink) {
  const fabric::Subnet& subnet = view.subnet;
  const fabric::Fabric& fabric = subnet.fabric;
  const mad::LinkRecord request(query.record.first<mad::LinkRecord::kBytes>());
  const auto requested_from = request.get<mad::PortNum, "FromPort">();
  const fabric::PortIndex requested_to =
      query.has(3) ? subnet.lids.owner(request.get<mad::Lid, "ToLID">()) : fabric::kNoIndex;
  if (query.has(3) && requested_to == fabric::kNoIndex) return mad::status::kOk;
  const bool sees_all = is_manager(view, query.from);

  for_end_ports(view, query, sink, [&](fabric::PortIndex end_port, fabric::LidMap::Range range) {
    const auto [first, last] = ports_behind(fabric, end_port);
    fabric::PortIndex checked = fabric::kNoIndex;
    bool is_visible = false;
    for (fabric::PortIndex index = first; index < last; ++index) {
      const PartTurn turn = part_action(sink, index - first);
      if (turn == PartTurn::stop) return false;
      const fabric::Port& port = fabric.ports[index];
      if (turn == PartTurn::skip || port.peer == fabric::kNoIndex ||
          (query.has(1) && port.number != requested_from))
        continue;
      const fabric::PortIndex far = find_end_port(fabric, port.peer);
      const mad::Lid to = subnet.lid_range(far).base;
      if (to == mad::Lid{} || (query.has(3) && far != requested_to)) continue;
      if (checked != far) {  // both ends must be visible; the sink checks the near one
        checked = far;
        is_visible = sees_all || may_communicate(subnet, query.from.end(), {.port = far});
      }
      if (!is_visible) continue;
      mad::LinkRecord record;
      record.set<"FromLID">(range.base);
      record.set<"FromPort">(port.number);
      record.set<"ToPort">(fabric.ports[port.peer].number);
      record.set<"ToLID">(to);
      if (!sink.add(record.bytes(), end_port)) return false;
    }
    return true;
  });
  return mad::status::kOk;
}

constexpr auto kLinkComponents =
    components_by_name<2>(mad::LinkRecordFields::kFields, 1, {"FromPort", "ToPort"});

}  // namespace

const RecordType kLinkRecord{.attribute = mad::SaAttributeId::link_record,
                             .bytes = mad::LinkRecord::kBytes,
                             .components = kLinkComponents,
                             .produce = produce_link};

}  // namespace sa
