// SMInfoRecord: this manager, then the others that answered (IBTA Vol 1, 15.2.5.10).

#include "mad/records/fabric_records.h"
#include "sm/sa/records/record_types.h"

namespace sa {
namespace {

std::uint16_t produce_sm_info(const View& view, const Query& query, RecordSink& sink) {
  const sm::Subnet& subnet = view.subnet;
  const auto add = [&](sm::PortIndex port, mad::SmInfo info) {
    if (!query.from.trusted) info.set_sm_key(0);
    mad::SmInfoRecord record;
    record.set_attribute<mad::SmInfoRecordFields::kInfoByte>(info.bytes());
    record.set<"LID">(subnet.lids_of(port).base);
    const bool wanted =
        !query.has(0) ||
        subnet.lids.owner(mad::SmInfoRecord(query.record.first<mad::SmInfoRecord::kBytes>())
                              .get<mad::Lid, "LID">()) == port;
    return !wanted || sink.add(record.bytes(), port);
  };
  if (view.own_sm != nullptr && subnet.fabric.sm_port != sm::kNoIndex &&
      !add(subnet.fabric.sm_port, *view.own_sm))
    return mad::status::kOk;
  for (const sm::OtherSm& other : subnet.sms) {
    if (other.port != sm::kNoIndex && !add(other.port, other.info)) break;
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

}  // namespace sa
