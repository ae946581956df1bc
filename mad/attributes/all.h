#pragma once
// Lists the types of all attributes, for tests, fuzzers, and text by attribute id.

#include <tuple>

#include "mad/attributes/adaptive_routing.h"
#include "mad/attributes/forwarding_blocks.h"
#include "mad/attributes/node_info.h"
#include "mad/attributes/notice.h"
#include "mad/attributes/port_info.h"
#include "mad/attributes/port_info_extended.h"
#include "mad/attributes/port_tables.h"
#include "mad/attributes/router_info.h"
#include "mad/attributes/sm_info.h"
#include "mad/attributes/switch_info.h"
#include "mad/attributes/vendor.h"
#include "mad/attributes/virtualization.h"

namespace mad {

/// Lists one type per attribute id of subnet management that has one, then the views of a notice's
/// details by trap.
using AllAttributes = std::tuple<
// NOLINTBEGIN(cppcoreguidelines-macro-usage,bugprone-macro-parentheses)
#define ATTRIBUTE(id, number, name, type) type,
#define REQUIRED(id, number, name, type) type,
#define UNTYPED(id, number, name)
// NOLINTEND(cppcoreguidelines-macro-usage,bugprone-macro-parentheses)
#include "mad/attributes.def"
    GidNotice, LinkStateNotice, LinkErrorNotice, LocalChangeNotice, SystemImageGuidNotice,
    BadMKeyNotice, BadKeyNotice, SwitchBadPKeyNotice, VPortLocalChangeNotice, VPortStateNotice>;

/// Calls f.template operator()<A>() for every attribute type A.
template <class F>
void for_each_attribute_type(F&& f) {
  [&]<class... A>(std::type_identity<std::tuple<A...>>) {
    (f.template operator()<A>(), ...);
  }(std::type_identity<AllAttributes>{});
}

/// Writes the 64 bytes as text of attribute `id`, one "Name: value" per line. A notice includes the
/// details of its trap. The text is empty for an id that has no class here.
inline std::string dump(AttributeId id, std::span<const std::uint8_t, kAttributeBytes> bytes) {
  std::string out;
  for_each_attribute_type([&]<class A>() {
    if (!out.empty() || A::kId != id) return;
    if constexpr (std::same_as<A, Notice>)
      return;  // the generic view, after those of the known traps
    if constexpr (requires { A::kTraps; }) {
      if (const auto trap = Notice(bytes).as<A>()) out = dump(*trap);
    } else if constexpr (requires { A::kVendorTrap; }) {
      if (const auto trap = A::from(Notice(bytes))) out = dump(*trap);
    } else {
      out = dump(A(bytes));
    }
  });
  if (out.empty() && id == AttributeId::notice) out = dump(Notice(bytes));
  return out;
}

}  // namespace mad
