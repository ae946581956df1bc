#pragma once
// Defines the enumerations of MAD headers and the common base of subnet management's attributes: 64
// wire bytes, their text and their differences.

#include <algorithm>
#include <array>
#include <concepts>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "mad/wire_record.h"

namespace mad {

/// Identifies an attribute: a row of attributes.def.
enum class AttributeId : std::uint16_t {
// NOLINTBEGIN(cppcoreguidelines-macro-usage,bugprone-macro-parentheses)
#define ATTRIBUTE(id, number, name, type) id = number,
#define REQUIRED(id, number, name, type) id = number,
#define UNTYPED(id, number, name) id = number,
// NOLINTEND(cppcoreguidelines-macro-usage,bugprone-macro-parentheses)
#include "mad/attributes.def"
};

/// Names an attribute as the specification does.
struct AttributeName {
  AttributeId id{};
  std::string_view name;
  bool is_optional = true;
};

inline constexpr auto kAttributeNames = std::to_array<AttributeName>({
// NOLINTBEGIN(cppcoreguidelines-macro-usage,bugprone-macro-parentheses)
#define ATTRIBUTE(id, number, name, type) {AttributeId::id, name},
#define REQUIRED(id, number, name, type) {AttributeId::id, name, false},
#define UNTYPED(id, number, name) {AttributeId::id, name},
// NOLINTEND(cppcoreguidelines-macro-usage,bugprone-macro-parentheses)
#include "mad/attributes.def"
});

constexpr AttributeName attribute_name(AttributeId id) {
  const auto found = std::ranges::find(kAttributeNames, id, &AttributeName::id);
  return found == kAttributeNames.end() ? AttributeName{} : *found;
}

/// Returns the specification's name, or "" for an id that is not listed above.
constexpr std::string_view name(AttributeId id) { return attribute_name(id).name; }

/// True for attributes that a node may lack, so that it answers requests for them with a status, or
/// not at all, and works nevertheless. Some nodes lack GUIDInfo although IBTA Vol 1, 14.2.5 demands
/// it; SMInfo is answered by a program, which may hang while its node works.
constexpr bool is_optional(AttributeId id) { return attribute_name(id).is_optional; }

/// IBTA Vol 1, 13.4.5 and 14.2.1. Bit 7 (kResponseBit) marks a response.
enum class Method : std::uint8_t {
  get = 0x01,
  set = 0x02,
  send = 0x03,
  trap = 0x05,
  report = 0x06,
  trap_repress = 0x07,
  get_table = 0x12,
  get_trace_table = 0x13,
  get_multi = 0x14,
  delete_ = 0x15,
  get_resp = 0x81,
  report_resp = 0x86,
  get_table_resp = 0x92,
  get_trace_table_resp = 0x93,
  get_multi_resp = 0x94,
  delete_resp = 0x95,
};
inline constexpr std::uint8_t kResponseBit = 0x80;

/// IBTA Vol 1, 13.4.4.
enum class MgmtClass : std::uint8_t {
  sm_lid = 0x01,       // subnet management, LID routed
  sm_directed = 0x81,  // subnet management, directed route
  sa = 0x03,
  performance = 0x04,
  baseboard = 0x05,
  device = 0x06,
  communication = 0x07,
  snmp = 0x08,
  vendor_0a = 0x0A,
  node_to_node = 0x0C,  // NVIDIA's
  congestion_control = 0x21,
};

/// Status of a MAD (IBTA Vol 1, 13.4.7). The low byte is common to all classes; a directed-route
/// SMP has only 15 bits of it.
namespace status {
inline constexpr std::uint16_t kOk = 0;
inline constexpr std::uint16_t kBusy = 0x0001;
inline constexpr std::uint16_t kRedirect = 0x0002;
inline constexpr std::uint16_t kCodeMask = 0x001C;  // the three bits that hold one of the next four
inline constexpr std::uint16_t kBadVersion = 0x0004;
inline constexpr std::uint16_t kMethodUnsupported = 0x0008;
inline constexpr std::uint16_t kMethodAttributeUnsupported = 0x000C;
inline constexpr std::uint16_t kInvalidValue = 0x001C;
}  // namespace status

/// Returns the specification's name without the class ("Get", not "SubnGet"), or "" for a method
/// that is not listed above.
constexpr std::string_view name(Method method) {
  switch (method) {
    case Method::get:
      return "Get";
    case Method::set:
      return "Set";
    case Method::send:
      return "Send";
    case Method::trap:
      return "Trap";
    case Method::report:
      return "Report";
    case Method::trap_repress:
      return "TrapRepress";
    case Method::get_table:
      return "GetTable";
    case Method::get_trace_table:
      return "GetTraceTable";
    case Method::get_multi:
      return "GetMulti";
    case Method::delete_:
      return "Delete";
    case Method::get_resp:
      return "GetResp";
    case Method::report_resp:
      return "ReportResp";
    case Method::get_table_resp:
      return "GetTableResp";
    case Method::get_trace_table_resp:
      return "GetTraceTableResp";
    case Method::get_multi_resp:
      return "GetMultiResp";
    case Method::delete_resp:
      return "DeleteResp";
  }
  return "";
}

/// Base of every attribute of subnet management.
/// Source: IBTA Vol 1, 14.2.5.
template <class Self, AttributeId id>
using Attribute = WireRecord<Self, id, kAttributeBytes>;

/// An attribute type has a table of fields and 64 bytes, and is trivially copyable.
template <class A>
concept AttributeType =
    std::derived_from<A, Attribute<A, A::kId>> && std::is_trivially_copyable_v<A> &&
    sizeof(A) == kAttributeBytes && std::same_as<typename decltype(A::kFields)::value_type, Field>;

/// Describes a field whose value differs between two attributes of one type.
struct FieldChange {
  std::string name;  // with its index if several fields have the name: "P_Key[3]"
  std::uint64_t before = 0;
  std::uint64_t after = 0;
  bool operator==(const FieldChange&) const = default;
};

/// Returns the name of `fields[at]`, with a number if several fields share the name.
std::string field_label(std::span<const Field> fields, std::size_t at);

/// Writes one "Name: value" per line, in the order of the table. Values of up to 16 bits are
/// decimal, wider ones hexadecimal.
std::string dump(std::span<const Field> fields, std::span<const std::uint8_t> bytes);

/// Returns the fields in which two byte images differ, in the order of the table. Bits outside of
/// all fields are not compared.
std::vector<FieldChange> diff(std::span<const Field> fields, std::span<const std::uint8_t> a,
                              std::span<const std::uint8_t> b);

template <AttributeType A>
std::string dump(const A& attribute) {
  if constexpr (requires { attribute.text(); }) {
    std::string line(name(A::kId));
    line.append(": ").append(attribute.text()).append("\n");
    return line;
  } else {
    return dump(A::kFields, attribute.bytes());
  }
}

template <AttributeType A>
std::vector<FieldChange> diff(const A& a, const A& b) {
  return diff(A::kFields, a.bytes(), b.bytes());
}

}  // namespace mad
