#include "sm/sa/records/record_types.h"

#include "mad/attributes/class_port_info.h"
#include "mad/mad_header.h"
#include "mad/sa_attribute.h"
#include "mad/transport.h"

namespace sa {

namespace {

// ClassPortInfo: the capabilities of subnet administration (IBTA Vol 1, 13.4.8.1 and 15.2.4.1)
// under the present options.

constexpr std::uint8_t kClassVersion = 2;
constexpr std::uint8_t kResponseTime = 0x10;  // 4.096 us * 2^16: a quarter of a second

/// CapabilityMask of class subnet administration.
namespace capability {
constexpr std::uint16_t kNotice = mad::class_capability::kNotice;
constexpr std::uint16_t kMulticast = 1u << 9;
constexpr std::uint16_t kMultiPath = 1u << 10;
constexpr std::uint16_t kPortInfoCapMaskMatch = 1u << 13;
}  // namespace capability

/// CapabilityMask2.
namespace capability2 {
constexpr std::uint32_t kQos = 1u << 1;  // paths by QoSClass and ServiceID
constexpr std::uint32_t kMulticastFdbTop = 1u << 3;
constexpr std::uint32_t kAliasGuids = 1u << 5;
constexpr std::uint32_t kFullPortInfoRecord = 1u << 6;
constexpr std::uint32_t kExtendedSpeeds = 1u << 7;
constexpr std::uint32_t kMulticastServiceRecords = 1u << 8;
constexpr std::uint32_t kPortInfoCapMask2Match = 1u << 10;
constexpr std::uint32_t kSendOnlyFullMember = 1u << 12;
constexpr std::uint32_t kLinkWidth2x = 1u << 13;
constexpr std::uint32_t kHdr = 1u << 15;
constexpr std::uint32_t kNdr = 1u << 17;
constexpr std::uint32_t kExtendedSpeeds2 = 1u << 19;
constexpr std::uint32_t kXdr = 1u << 20;
}  // namespace capability2

std::uint16_t produce_class_port_info(const View& view, const Query& query, RecordSink& sink) {
  if (query.is_table() || query.modifier != 0) return mad::sa_status::kReqInvalid;
  const config::Options& options = view.options;
  std::uint16_t mask =
      capability::kNotice | capability::kMultiPath | capability::kPortInfoCapMaskMatch;
  if (!options.disable_multicast) mask |= capability::kMulticast;
  std::uint32_t mask2 = capability2::kAliasGuids | capability2::kFullPortInfoRecord |
                        capability2::kExtendedSpeeds | capability2::kMulticastServiceRecords |
                        capability2::kPortInfoCapMask2Match | capability2::kSendOnlyFullMember |
                        capability2::kLinkWidth2x | capability2::kHdr | capability2::kNdr |
                        capability2::kExtendedSpeeds2 | capability2::kXdr;
  if (options.qos) mask2 |= capability2::kQos;
  if (options.use_mfttop) mask2 |= capability2::kMulticastFdbTop;

  mad::SaRecord<mad::ClassPortInfoFields, mad::SaAttributeId::class_port_info> info;
  info.set<"BaseVersion">(mad::kBaseVersion);
  info.set<"ClassVersion">(kClassVersion);
  info.set<"CapabilityMask">(mask);
  info.set<"CapabilityMask2">(mask2);
  info.set<"RespTimeValue">(kResponseTime);
  info.set<"RedirectQP">(1u);
  info.set<"RedirectQ_Key">(mad::kQp1QKey);
  info.set<"TrapQ_Key">(mad::kQp1QKey);
  sink.add(info.bytes(), fabric::kNoIndex);
  return mad::status::kOk;
}

}  // namespace

const RecordType kClassPortInfo{.attribute = mad::SaAttributeId::class_port_info,
                                .bytes = mad::ClassPortInfoFields::kBytes,
                                .produce = produce_class_port_info};

std::span<const RecordType* const> record_types() {
  static constexpr std::array kAll{&kClassPortInfo,
                                   &kNodeRecord,
                                   &kPortInfoRecord,
                                   &kSlToVlTableRecord,
                                   &kSwitchInfoRecord,
                                   &kLinearForwardingTableRecord,
                                   &kRandomForwardingTableRecord,
                                   &kMulticastForwardingTableRecord,
                                   &kSmInfoRecord,
                                   &kLinkRecord,
                                   &kGuidInfoRecord,
                                   &kPKeyTableRecord,
                                   &kVlArbitrationTableRecord};
  return kAll;
}

}  // namespace sa
