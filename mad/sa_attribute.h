#pragma once
// Attributes and status codes of subnet administration (IBTA Vol 1, 15.2.1.3, 15.2.4 and 15.2.5).

#include <cstdint>
#include <string_view>

#include "mad/wire_record.h"

namespace mad {

/// ClassVersion of class subnet administration (IBTA Vol 1, 15.2.1.1).
inline constexpr std::uint8_t kSaClassVersion = 2;

/// AttributeID of class subnet administration. A record that wraps an attribute of subnet
/// management has the attribute's number.
enum class SaAttributeId : std::uint16_t {
  class_port_info = 0x0001,
  notice = 0x0002,
  inform_info = 0x0003,
  node_record = 0x0011,
  port_info_record = 0x0012,
  sl_to_vl_table_record = 0x0013,
  switch_info_record = 0x0014,
  linear_forwarding_table_record = 0x0015,
  random_forwarding_table_record = 0x0016,
  multicast_forwarding_table_record = 0x0017,
  sm_info_record = 0x0018,
  link_record = 0x0020,
  guid_info_record = 0x0030,
  service_record = 0x0031,
  p_key_table_record = 0x0033,
  path_record = 0x0035,
  vl_arbitration_table_record = 0x0036,
  mc_member_record = 0x0038,
  trace_record = 0x0039,
  multi_path_record = 0x003A,
  service_association_record = 0x003B,
  inform_info_record = 0x00F3,
};

/// Returns the specification's name, or "" for an id that is not listed above.
constexpr std::string_view name(SaAttributeId id) {
  switch (id) {
    case SaAttributeId::class_port_info:
      return "ClassPortInfo";
    case SaAttributeId::notice:
      return "Notice";
    case SaAttributeId::inform_info:
      return "InformInfo";
    case SaAttributeId::node_record:
      return "NodeRecord";
    case SaAttributeId::port_info_record:
      return "PortInfoRecord";
    case SaAttributeId::sl_to_vl_table_record:
      return "SLtoVLMappingTableRecord";
    case SaAttributeId::switch_info_record:
      return "SwitchInfoRecord";
    case SaAttributeId::linear_forwarding_table_record:
      return "LinearForwardingTableRecord";
    case SaAttributeId::random_forwarding_table_record:
      return "RandomForwardingTableRecord";
    case SaAttributeId::multicast_forwarding_table_record:
      return "MulticastForwardingTableRecord";
    case SaAttributeId::sm_info_record:
      return "SMInfoRecord";
    case SaAttributeId::link_record:
      return "LinkRecord";
    case SaAttributeId::guid_info_record:
      return "GUIDInfoRecord";
    case SaAttributeId::service_record:
      return "ServiceRecord";
    case SaAttributeId::p_key_table_record:
      return "P_KeyTableRecord";
    case SaAttributeId::path_record:
      return "PathRecord";
    case SaAttributeId::vl_arbitration_table_record:
      return "VLArbitrationTableRecord";
    case SaAttributeId::mc_member_record:
      return "MCMemberRecord";
    case SaAttributeId::trace_record:
      return "TraceRecord";
    case SaAttributeId::multi_path_record:
      return "MultiPathRecord";
    case SaAttributeId::service_association_record:
      return "ServiceAssociationRecord";
    case SaAttributeId::inform_info_record:
      return "InformInfoRecord";
  }
  return "";
}

/// Status of class subnet administration, in the high byte (IBTA Vol 1, 15.2.1.3); mad::status has
/// the low byte.
namespace sa_status {
inline constexpr std::uint16_t kNoResources = 0x0100;
inline constexpr std::uint16_t kReqInvalid = 0x0200;
inline constexpr std::uint16_t kNoRecords = 0x0300;
inline constexpr std::uint16_t kTooManyRecords = 0x0400;
inline constexpr std::uint16_t kReqInvalidGid = 0x0500;
inline constexpr std::uint16_t kReqInsufficientComponents = 0x0600;
inline constexpr std::uint16_t kReqDenied = 0x0700;
inline constexpr std::uint16_t kPrioritySuggested = 0x0800;
}  // namespace sa_status

/// Base of every record of subnet administration: `size` bytes without the padding to 8 that RMPP
/// adds. Source: IBTA Vol 1, 15.2.5.
template <class Self, SaAttributeId id, std::size_t size = Self::kBytes>
using SaRecord = WireRecord<Self, id, size>;

}  // namespace mad
