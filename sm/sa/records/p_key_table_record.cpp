// P_KeyTableRecord: one for each block of each P_Key table, those of a switch's external ports
// among them (IBTA Vol 1, 15.2.5.11). Trusted requesters only.

#include "mad/records/fabric_records.h"
#include "sm/sa/records/end_ports.h"
#include "sm/sa/records/record_types.h"

namespace sa {
namespace {

/// OpenSM sends BlockNum in little-endian order, and its clients (saquery) expect that: in the
/// specification's order they would request block 256 for 1, and print 256 for 1. Requests are
/// accepted in both orders: no table has 256 blocks.
constexpr std::uint16_t as_clients_read(std::uint16_t block) {
  return static_cast<std::uint16_t>(block << 8 | block >> 8);
}

std::uint16_t produce_p_key_table(const View& view, const Query& query, RecordSink& sink) {
  const sm::Fabric& fabric = view.subnet.fabric;
  const mad::PKeyTableRecord request(query.record.first<mad::PKeyTableRecord::kBytes>());
  const auto requested_number = request.get<mad::PortNum, "PortNum">();
  const auto requested_block = request.get<std::uint16_t, "BlockNum">();
  for_end_ports(view, query, [&](sm::PortIndex end_port, sm::LidMap::Range range) {
    const auto [first, last] = ports_behind(fabric, end_port);
    for (sm::PortIndex index = first; index < last; ++index) {
      const sm::Port& port = fabric.ports[index];
      // The LID alone selects a CA or router port: its number is ignored, as in OpenSM.
      if (query.has(2) && fabric.node_of(index).is_switch() && port.number != requested_number)
        continue;
      const std::span<const mad::PKeyTable> blocks = fabric.p_keys(index);
      for (unsigned block = 0; block < blocks.size(); ++block) {
        if (query.has(1) && block != requested_block && block != as_clients_read(requested_block))
          continue;
        mad::PKeyTableRecord record;
        record.set<"LID">(range.base);
        record.set<"BlockNum">(as_clients_read(static_cast<std::uint16_t>(block)));
        record.set<"PortNum">(port.number);
        record.set_attribute<mad::PKeyTableRecordFields::kTableByte>(blocks[block].bytes());
        if (!sink.add(record.bytes(), end_port)) return false;
      }
    }
    return true;
  });
  return mad::status::kOk;
}

}  // namespace

const RecordType kPKeyTableRecord{.attribute = mad::SaAttributeId::p_key_table_record,
                                  .bytes = mad::PKeyTableRecord::kBytes,
                                  .produce = produce_p_key_table,
                                  .trusted_only = true};

}  // namespace sa
