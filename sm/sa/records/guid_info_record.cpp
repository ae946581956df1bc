// GUIDInfoRecord: one for each block of each end port's table of GUIDs (IBTA Vol 1, 15.2.5.18).

#include "mad/records/fabric_records.h"
#include "sm/sa/records/end_ports.h"
#include "sm/sa/records/record_types.h"
#include "sm/sa/registrations/registrations.h"

namespace sa {
namespace {

std::uint16_t produce_guid_info(const View& view, const Query& query, RecordSink& sink) {
  const sm::Fabric& fabric = view.subnet.fabric;
  const mad::GuidInfoRecord request(query.record.first<mad::GuidInfoRecord::kBytes>());
  for_end_ports(view, query, [&](sm::PortIndex end_port, sm::LidMap::Range range) {
    const sm::Port& port = fabric.ports[end_port];
    const unsigned blocks =
        (port.info.guid_cap() + mad::GuidInfo::kEntries - 1u) / mad::GuidInfo::kEntries;
    if (blocks == 0) return true;
    const auto [first, last] = numbers(query, 1, request.block(), blocks - 1);
    for (unsigned block = first; block <= last; ++block) {
      mad::GuidInfoRecord record;
      record.set_lid(range.base);
      record.set_block(static_cast<std::uint8_t>(block));
      record.set_guid_info(view.registrations.alias_guids.block(port.guid, block));
      if (!sink.add(record.bytes(), end_port)) return false;
    }
    return true;
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

}  // namespace sa
