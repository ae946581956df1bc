// SwitchInfoRecord: one for each switch (IBTA Vol 1, 15.2.5.5). The LID is the only component, as
// in OpenSM.

#include "mad/records/fabric_records.h"
#include "sm/sa/records/end_ports.h"
#include "sm/sa/records/record_types.h"

namespace sa {
namespace {

std::uint16_t produce_switch_info(const View& view, const Query& query, RecordSink& sink) {
  for_switches(view, query, [&](const sm::Node& node, sm::PortIndex port, sm::LidMap::Range range) {
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

}  // namespace sa
