// PortInfoRecord: one for each port of a CA or router that has LIDs, one for each port of a switch,
// including port 0 (IBTA Vol 1, 15.2.5.3).

#include <array>
#include <utility>

#include "mad/attributes/virtualization.h"
#include "mad/records/fabric_records.h"
#include "sm/sa/records/end_ports.h"
#include "sm/sa/records/record_types.h"

namespace sa {
namespace {

enum Mask : unsigned { kLid, kPort, kOptions, kMKey, kCapabilityMask = 7, kCapabilityMask2 = 53 };

/// Bits of the attribute modifier: the requested capability mask matches if the port has at least
/// these bits, not only if both are equal.
constexpr std::uint32_t kMatchCapabilityBits = 1u << 31, kMatchCapability2Bits = 1u << 30;

/// True if both are equal, or, with `has_bits`, if no requested bit is missing.
bool agrees(std::uint32_t requested, std::uint32_t actual, bool has_bits) {
  return has_bits ? (requested & ~actual) == 0 : requested == actual;
}

/// Replaces an extended speed by the fastest one that clients without extended speeds know.
void hide_extended_speed(mad::PortInfo& info) {
  const bool extended = info.link_speed_ext_active() != mad::link_speed_ext::kNone ||
                        info.link_speed_ext_active2() != mad::link_speed_ext2::kNone;
  if (extended && info.link_speed_active() == mad::link_speed::kExtended)
    info.set_link_speed_active(mad::link_speed::kQdr);
}

/// Returns the PortInfo of a vport: the physical port's link, and the vport's own fields.
mad::PortInfo port_info_of(const mad::PortInfo& port, const fabric::VPort& vport) {
  mad::PortInfo info = port;
  info.set_m_key({});
  info.set_lid(vport.lid);
  info.set_lmc(0);
  info.set_port_state(vport.state);
  info.set_capability_mask(mad::port_capabilities_of(vport.info.capability_mask()));
  info.set_local_port_num(vport.node_info.local_port_num());
  info.set_guid_cap(vport.info.guid_cap());
  info.set_client_reregister(vport.info.client_reregister());
  info.set_p_key_violations(vport.info.p_key_violations());
  info.set_q_key_violations(vport.info.q_key_violations());
  return info;
}

std::uint16_t produce_port_info(const View& view, const Query& query, RecordSink& sink) {
  const fabric::Fabric& fabric = view.subnet.fabric;
  const mad::PortInfoRecord requested(query.record.first<mad::PortInfoRecord::kBytes>());
  const auto requested_number = requested.get<mad::PortNum, "PortNum">();
  const auto requested_capabilities = requested.get<std::uint32_t, "CapabilityMask">();
  const auto requested_capabilities2 = requested.get<std::uint16_t, "CapabilityMask2">();
  const bool knows_extended_speeds =
      query.has(kOptions) &&
      (requested.get<std::uint8_t, "Options">() & mad::PortInfoRecordFields::kExtendedSpeeds) != 0;

  const auto add = [&](fabric::EndPoint end, mad::PortInfo info, mad::Lid lid,
                       mad::PortNum number) {
    if (query.has(kPort) && number != requested_number) return true;
    if (query.has(kCapabilityMask) && !agrees(requested_capabilities, info.capability_mask(),
                                              (query.modifier & kMatchCapabilityBits) != 0))
      return true;
    if (query.has(kCapabilityMask2) && !agrees(requested_capabilities2, info.capability_mask2(),
                                               (query.modifier & kMatchCapability2Bits) != 0))
      return true;
    if (!query.from.trusted) info.set_m_key({});
    mad::PortInfoRecord record;
    if (knows_extended_speeds) {
      record.set<"Options">(mad::PortInfoRecordFields::kExtendedSpeeds);
    } else {
      hide_extended_speed(info);
    }
    record.set_attribute<mad::PortInfoRecordFields::kInfoByte>(info.bytes());
    record.set<"EndportLID">(lid);
    record.set<"PortNum">(number);
    return sink.add(record.bytes(), end);
  };

  for_end_ports(view, query, sink, [&](fabric::PortIndex end_port, fabric::LidMap::Range range) {
    const auto [first, last] = ports_behind(fabric, end_port);
    for (fabric::PortIndex index = first; index < last; ++index) {
      const PartTurn turn = part_action(sink, index - first);
      if (turn == PartTurn::stop) return false;
      const fabric::Port& port = fabric.ports[index];
      if (turn == PartTurn::produce && port.known &&
          !add({.port = end_port}, port.info, range.base, port.number))
        return false;
    }
    return true;
  });
  if (!view.options.enable_virt_rec_ext) return mad::status::kOk;
  for_vports(view, query, sink, true, [&](fabric::EndPoint end, const fabric::VPort& vport) {
    return add(end, port_info_of(fabric.ports[end.port].info, vport), vport.lid,
               vport.node_info.local_port_num());
  });
  return mad::status::kOk;
}

/// CapabilityMask and CapabilityMask2 are matched above. Mask bits of reserved fields have no
/// entry.
constexpr auto kPortInfoComponents =
    components_by_name<55>(mad::PortInfoRecordFields::kFields, kMKey,
                           {"M_Key",
                            "GidPrefix",
                            "LID",
                            "MasterSMLID",
                            "",
                            "DiagCode",
                            "M_KeyLeasePeriod",
                            "LocalPortNum",
                            "LinkWidthEnabled",
                            "LinkWidthSupported",
                            "LinkWidthActive",
                            "LinkSpeedSupported",
                            "PortState",
                            "PortPhysicalState",
                            "LinkDownDefaultState",
                            "M_KeyProtectBits",
                            "",
                            "LMC",
                            "LinkSpeedActive",
                            "LinkSpeedEnabled",
                            "NeighborMTU",
                            "MasterSMSL",
                            "VLCap",
                            "InitType",
                            "VLHighLimit",
                            "VLArbitrationHighCap",
                            "VLArbitrationLowCap",
                            "InitTypeReply",
                            "MTUCap",
                            "VLStallCount",
                            "HOQLife",
                            "OperationalVLs",
                            "PartitionEnforcementInbound",
                            "PartitionEnforcementOutbound",
                            "FilterRawInbound",
                            "FilterRawOutbound",
                            "M_KeyViolations",
                            "P_KeyViolations",
                            "Q_KeyViolations",
                            "GUIDCap",
                            "ClientReregister",
                            "",
                            "SubnetTimeOut",
                            "",
                            "RespTimeValue",
                            "LocalPhyErrors",
                            "OverrunErrors",
                            "MaxCreditHint",
                            "",
                            "LinkRoundTripLatency",
                            "",
                            "LinkSpeedExtActive",
                            "LinkSpeedExtSupported",
                            "",
                            "LinkSpeedExtEnabled"});
static_assert(kPortInfoComponents.back().mask_bit == 57 &&
              kPortInfoComponents[kCapabilityMask - kMKey].width == 0 &&
              kPortInfoComponents[kCapabilityMask2 - kMKey].width == 0);

}  // namespace

const RecordType kPortInfoRecord{.attribute = mad::SaAttributeId::port_info_record,
                                 .bytes = mad::PortInfoRecord::kBytes,
                                 .components = kPortInfoComponents,
                                 .produce = produce_port_info};

}  // namespace sa
