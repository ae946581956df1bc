#include <algorithm>

#include "mad/attributes/port_tables.h"
#include "mad/records/fabric_records.h"
#include "sm/sa/records/end_ports.h"
#include "sm/sa/records/record_types.h"

namespace sa {
namespace {

// LinearForwardingTableRecord: one for each block of 64 LIDs of each switch (IBTA Vol 1, 15.2.5.6).
// MulticastForwardingTableRecord: one for each block of 32 MLIDs by 16 ports (15.2.5.8).
// RandomForwardingTableRecord (15.2.5.7): there are none, since Heddle programs no random
// forwarding tables.

constexpr std::size_t kPortsMax = 256;  // numbers of ports, and of tables for their pairs
constexpr std::size_t kPositionsMax = 16;
constexpr std::size_t kPKeyBlocksMax = std::size_t{1} << 16;

std::uint16_t produce_linear(const View& view, const Query& query, RecordSink& sink) {
  const fabric::ForwardingTables* tables = view.subnet.lfts.get();
  if (tables == nullptr || tables->blocks() == 0) return mad::status::kOk;
  const mad::LinearForwardingTableRecord request(
      query.record.first<mad::LinearForwardingTableRecord::kBytes>());
  const std::pair<unsigned, unsigned> blocks =
      numbers(query, 1, request.get<std::uint16_t, "BlockNum">(),
              static_cast<unsigned>(tables->blocks() - 1));
  for_switches(view, query, sink,
               [&](const fabric::Node& node, fabric::PortIndex port, fabric::LidMap::Range range) {
                 mad::LinearForwardingTableRecord record;
                 record.set<"LID">(range.base);
                 const auto first =
                     std::max(blocks.first, static_cast<unsigned>(sink.first_part()));
                 for (unsigned block = first; block <= blocks.second; ++block) {
                   const PartTurn turn = part_action(sink, block);
                   if (turn == PartTurn::stop) return false;
                   if (turn == PartTurn::skip) continue;
                   record.set<"BlockNum">(block);
                   record.set_attribute<mad::LinearForwardingTableRecordFields::kTableByte>(
                       tables->block(node.switch_index, block));
                   if (!sink.add(record.bytes(), port)) return false;
                 }
                 return true;
               });
  return mad::status::kOk;
}

std::uint16_t produce_multicast(const View& view, const Query& query, RecordSink& sink) {
  const fabric::MulticastTables* tables = view.subnet.mfts.get();
  if (tables == nullptr || tables->blocks() == 0) return mad::status::kOk;
  const mad::MulticastForwardingTableRecord request(
      query.record.first<mad::MulticastForwardingTableRecord::kBytes>());
  const std::pair<unsigned, unsigned> blocks =
      numbers(query, 3, request.get<std::uint16_t, "BlockNum">(),
              static_cast<unsigned>(tables->blocks() - 1));
  for_switches(view, query, sink,
               [&](const fabric::Node& node, fabric::PortIndex port, fabric::LidMap::Range range) {
                 const unsigned last_position =
                     std::min<unsigned>(node.num_ports / fabric::kMftPositionPorts,
                                        static_cast<unsigned>(tables->positions() - 1));
                 const auto [first_of_node, last_of_node] =
                     numbers(query, 1, request.get<std::uint8_t, "Position">(), last_position);
                 mad::MulticastForwardingTableRecord record;
                 record.set<"LID">(range.base);
                 const auto first_block = std::max(
                     blocks.first, static_cast<unsigned>(sink.first_part() / kPositionsMax));
                 for (unsigned block = first_block; block <= blocks.second; ++block) {
                   for (unsigned position = first_of_node; position <= last_of_node; ++position) {
                     const PartTurn turn = part_action(sink, block * kPositionsMax + position);
                     if (turn == PartTurn::stop) return false;
                     if (turn == PartTurn::skip) continue;
                     record.set<"BlockNum">(block);
                     record.set<"Position">(position);
                     record.set_attribute<mad::MulticastForwardingTableRecordFields::kTableByte>(
                         tables->bytes({.sw = node.switch_index,
                                        .block = static_cast<std::uint16_t>(block),
                                        .position = static_cast<std::uint8_t>(position)}));
                     if (!sink.add(record.bytes(), port)) return false;
                   }
                 }
                 return true;
               });
  return mad::status::kOk;
}

std::uint16_t produce_random(const View&, const Query&, RecordSink&) { return mad::status::kOk; }

}  // namespace

const RecordType kLinearForwardingTableRecord{
    .attribute = mad::SaAttributeId::linear_forwarding_table_record,
    .bytes = mad::LinearForwardingTableRecord::kBytes,
    .produce = produce_linear};
const RecordType kMulticastForwardingTableRecord{
    .attribute = mad::SaAttributeId::multicast_forwarding_table_record,
    .bytes = mad::MulticastForwardingTableRecord::kBytes,
    .produce = produce_multicast};
const RecordType kRandomForwardingTableRecord{
    .attribute = mad::SaAttributeId::random_forwarding_table_record,
    .bytes = mad::LinearForwardingTableRecord::kBytes,
    .produce = produce_random};

// P_KeyTableRecord: one for each block of each P_Key table, including those of a switch's external
// ports (IBTA Vol 1, 15.2.5.11). A query for a vport's own LID gets the blocks of the vport's
// table. Trusted requesters only.

namespace {

/// OpenSM sends BlockNum in little-endian order, and its clients (saquery) expect that: in the
/// specification's order they would request block 256 for 1, and print 256 for 1. Heddle accepts
/// requests in both orders: no table has 256 blocks.
constexpr std::uint16_t as_clients_read(std::uint16_t block) {
  return static_cast<std::uint16_t>(block << 8 | block >> 8);
}

/// Returns a vport's keys in blocks, in the order of their partitions: Heddle does not keep their
/// indexes in the device's table.
std::vector<mad::PKeyTable> blocks_of(std::span<const mad::PKey> keys) {
  std::vector<mad::PKeyTable> blocks((keys.size() + mad::PKeyTable::kEntries - 1) /
                                     mad::PKeyTable::kEntries);
  for (unsigned i = 0; i < keys.size(); ++i)
    blocks[i / mad::PKeyTable::kEntries].set_p_key(i % mad::PKeyTable::kEntries, keys[i]);
  return blocks;
}

std::uint16_t produce_p_key_table(const View& view, const Query& query, RecordSink& sink) {
  const fabric::Fabric& fabric = view.subnet.fabric;
  const mad::PKeyTableRecord request(query.record.first<mad::PKeyTableRecord::kBytes>());
  const auto requested_number = request.get<mad::PortNum, "PortNum">();
  const auto requested_block = request.get<std::uint16_t, "BlockNum">();
  const auto add_block = [&](mad::Lid lid, mad::PortNum number, unsigned block,
                             const mad::PKeyTable& table, fabric::EndPoint end) {
    if (query.has(1) && block != requested_block && block != as_clients_read(requested_block))
      return true;
    mad::PKeyTableRecord record;
    record.set<"LID">(lid);
    record.set<"BlockNum">(as_clients_read(static_cast<std::uint16_t>(block)));
    record.set<"PortNum">(number);
    record.set_attribute<mad::PKeyTableRecordFields::kTableByte>(table.bytes());
    return sink.add(record.bytes(), end);
  };
  for_end_ports(view, query, sink, [&](fabric::PortIndex end_port, fabric::LidMap::Range range) {
    const auto [first, last] = ports_behind(fabric, end_port);
    for (fabric::PortIndex index = first; index < last; ++index) {
      const fabric::Port& port = fabric.ports[index];
      // The LID alone selects a CA or router port: its number is ignored, as in OpenSM.
      if (query.has(2) && fabric.owning_node(index).is_switch() && port.number != requested_number)
        continue;
      const auto blocks = fabric.p_keys(index);
      for (unsigned block = 0; block < blocks.size(); ++block) {
        const PartTurn turn = part_action(sink, (index - first) * kPKeyBlocksMax + block);
        if (turn == PartTurn::skip) continue;
        if (turn == PartTurn::stop ||
            !add_block(range.base, port.number, block, blocks[block], {.port = end_port}))
          return false;
      }
    }
    return true;
  });
  for_vports(view, query, sink, false, [&](fabric::EndPoint end, const fabric::VPort& vport) {
    const std::vector<mad::PKeyTable> blocks = blocks_of(view.subnet.find_p_keys(end));
    for (unsigned block = 0; block < blocks.size(); ++block)
      if (!add_block(vport.lid, vport.node_info.local_port_num(), block, blocks[block], end))
        return false;
    return true;
  });
  return mad::status::kOk;
}

}  // namespace

const RecordType kPKeyTableRecord{.attribute = mad::SaAttributeId::p_key_table_record,
                                  .bytes = mad::PKeyTableRecord::kBytes,
                                  .produce = produce_p_key_table,
                                  .trusted_only = true};

// SLtoVLMappingTableRecord and VLArbitrationTableRecord (IBTA Vol 1, 15.2.5.4 and 15.2.5.9): one
// for each pair of ports, and one for each block of each port. The values are those read from the
// ports. Tables that are not read (no qos, and no routing engine that uses VLs) are zeros, as in
// OpenSM.

namespace {

void write_table(mad::SlToVlTableRecord& record, std::optional<fabric::SlToVlBits> bits) {
  constexpr std::size_t kFirst = mad::SlToVlTableRecordFields::kTableByte;
  for (std::size_t i = 0; i < 8; ++i)
    record.bytes()[kFirst + i] = static_cast<std::uint8_t>(bits.value_or(0) >> (56 - 8 * i));
}

std::uint16_t produce_sl_to_vl(const View& view, const Query& query, RecordSink& sink) {
  const fabric::Fabric& fabric = view.subnet.fabric;
  const mad::SlToVlTableRecord request(query.record.first<mad::SlToVlTableRecord::kBytes>());
  for_end_ports(view, query, sink, [&](fabric::PortIndex end_port, fabric::LidMap::Range range) {
    const fabric::Node& node = fabric.owning_node(end_port);
    const unsigned last =
        node.is_switch() ? node.num_ports : 0;  // a CA or router port has one table, under number 0
    const auto [in_first, in_last] =
        numbers(query, 1, request.get<std::uint8_t, "InputPortNum">(), last);
    const auto [out_first, out_last] =
        numbers(query, 2, request.get<std::uint8_t, "OutputPortNum">(), last);
    mad::SlToVlTableRecord record;
    record.set<"LID">(range.base);
    const auto first = std::max(out_first, static_cast<unsigned>(sink.first_part() / kPortsMax));
    for (unsigned out = first; out <= out_last; ++out) {
      for (unsigned in = in_first; in <= in_last; ++in) {
        const PartTurn turn = part_action(sink, out * kPortsMax + in);
        if (turn == PartTurn::stop) return false;
        if (turn == PartTurn::skip) continue;
        record.set<"InputPortNum">(in);
        record.set<"OutputPortNum">(out);
        write_table(record, view.subnet.vl_tables
                                ? view.subnet.vl_tables->sl_to_vl(
                                      node.is_switch() ? node.first_port + out : end_port,
                                      mad::PortNum{static_cast<std::uint8_t>(in)})
                                : std::nullopt);
        if (!sink.add(record.bytes(), end_port)) return false;
      }
    }
    return true;
  });
  return mad::status::kOk;
}

std::uint16_t produce_vl_arbitration(const View& view, const Query& query, RecordSink& sink) {
  const fabric::Fabric& fabric = view.subnet.fabric;
  const mad::VlArbitrationTableRecord request(
      query.record.first<mad::VlArbitrationTableRecord::kBytes>());
  const auto requested_number = request.get<mad::PortNum, "OutputPortNum">();
  constexpr auto kFirst = static_cast<unsigned>(mad::VlArbitrationTable::Block::low_first),
                 kLast = static_cast<unsigned>(mad::VlArbitrationTable::Block::high_second);
  const std::pair<unsigned, unsigned> blocks =
      numbers(query, 2, request.get<std::uint8_t, "BlockNum">(), kLast);
  for_end_ports(view, query, sink, [&](fabric::PortIndex end_port, fabric::LidMap::Range range) {
    const auto [first, last] = ports_behind(fabric, end_port);
    mad::VlArbitrationTableRecord record;
    record.set<"LID">(range.base);
    for (fabric::PortIndex index = first; index < last; ++index) {
      const fabric::Port& port = fabric.ports[index];
      // The LID alone selects a CA or router port: its number is ignored, as in OpenSM.
      if (query.has(1) && fabric.owning_node(index).is_switch() && port.number != requested_number)
        continue;
      for (unsigned block = std::max(blocks.first, kFirst); block <= blocks.second; ++block) {
        const PartTurn turn = part_action(sink, (index - first) * (kLast + 1) + block);
        if (turn == PartTurn::stop) return false;
        if (turn == PartTurn::skip) continue;
        record.set<"OutputPortNum">(port.number);
        record.set<"BlockNum">(block);
        const fabric::ArbitrationBlock* held =
            view.subnet.vl_tables ? view.subnet.vl_tables->arbitration(index, block) : nullptr;
        const auto table = record.bytes()
                               .subspan<mad::VlArbitrationTableRecordFields::kTableByte,
                                        std::tuple_size_v<fabric::ArbitrationBlock>>();
        std::ranges::fill(table, std::uint8_t{0});
        if (held != nullptr) std::ranges::copy(*held, table.begin());
        if (!sink.add(record.bytes(), end_port)) return false;
      }
    }
    return true;
  });
  return mad::status::kOk;
}

}  // namespace

const RecordType kSlToVlTableRecord{.attribute = mad::SaAttributeId::sl_to_vl_table_record,
                                    .bytes = mad::SlToVlTableRecord::kBytes,
                                    .produce = produce_sl_to_vl};
const RecordType kVlArbitrationTableRecord{
    .attribute = mad::SaAttributeId::vl_arbitration_table_record,
    .bytes = mad::VlArbitrationTableRecord::kBytes,
    .produce = produce_vl_arbitration};

}  // namespace sa
