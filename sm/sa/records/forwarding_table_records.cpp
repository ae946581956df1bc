// LinearForwardingTableRecord: one for each block of 64 LIDs of each switch (IBTA Vol 1, 15.2.5.6).
// MulticastForwardingTableRecord: one for each block of 32 MLIDs by 16 ports (15.2.5.8).
// RandomForwardingTableRecord (15.2.5.7): there are none, since Heddle programs no random
// forwarding tables.

#include <algorithm>

#include "mad/records/fabric_records.h"
#include "sm/sa/records/end_ports.h"
#include "sm/sa/records/record_types.h"

namespace sa {
namespace {

std::uint16_t produce_linear(const View& view, const Query& query, RecordSink& sink) {
  const sm::ForwardingTables* tables = view.subnet.lfts.get();
  if (tables == nullptr || tables->blocks() == 0) return mad::status::kOk;
  const mad::LinearForwardingTableRecord request(
      query.record.first<mad::LinearForwardingTableRecord::kBytes>());
  const std::pair<unsigned, unsigned> blocks =
      numbers(query, 1, request.get<std::uint16_t, "BlockNum">(),
              static_cast<unsigned>(tables->blocks() - 1));
  for_switches(view, query, [&](const sm::Node& node, sm::PortIndex port, sm::LidMap::Range range) {
    mad::LinearForwardingTableRecord record;
    record.set<"LID">(range.base);
    for (unsigned block = blocks.first; block <= blocks.second; ++block) {
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
  const sm::MulticastTables* tables = view.subnet.mfts.get();
  if (tables == nullptr || tables->blocks() == 0) return mad::status::kOk;
  const mad::MulticastForwardingTableRecord request(
      query.record.first<mad::MulticastForwardingTableRecord::kBytes>());
  const std::pair<unsigned, unsigned> blocks =
      numbers(query, 3, request.get<std::uint16_t, "BlockNum">(),
              static_cast<unsigned>(tables->blocks() - 1));
  for_switches(view, query, [&](const sm::Node& node, sm::PortIndex port, sm::LidMap::Range range) {
    const unsigned last_position = std::min<unsigned>(
        node.num_ports / sm::kMftPositionPorts, static_cast<unsigned>(tables->positions() - 1));
    const auto [first_of_node, last_of_node] =
        numbers(query, 1, request.get<std::uint8_t, "Position">(), last_position);
    mad::MulticastForwardingTableRecord record;
    record.set<"LID">(range.base);
    for (unsigned block = blocks.first; block <= blocks.second; ++block) {
      for (unsigned position = first_of_node; position <= last_of_node; ++position) {
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

}  // namespace sa
