#pragma once
// Text forms of identifiers. A header of its own, since fmt is expensive to compile.

#include <fmt/format.h>

#include "mad/ids.h"

template <>
struct fmt::formatter<mad::Guid> : fmt::formatter<std::uint64_t> {
  auto format(mad::Guid guid, format_context& ctx) const {
    return fmt::format_to(ctx.out(), "0x{:016x}", guid.value);
  }
};
template <>
struct fmt::formatter<mad::Lid> : fmt::formatter<unsigned> {
  auto format(mad::Lid lid, format_context& ctx) const {
    return fmt::format_to(ctx.out(), "{}", lid.value);
  }
};
template <>
struct fmt::formatter<mad::Mlid> : fmt::formatter<unsigned> {
  auto format(mad::Mlid mlid, format_context& ctx) const {
    return fmt::format_to(ctx.out(), "{:#06x}", mlid.value);
  }
};
template <>
struct fmt::formatter<mad::PortNum> : fmt::formatter<unsigned> {
  auto format(mad::PortNum port, format_context& ctx) const {
    return fmt::format_to(ctx.out(), "{}", port.value);
  }
};
template <>
struct fmt::formatter<mad::PKey> : fmt::formatter<unsigned> {
  auto format(mad::PKey key, format_context& ctx) const {
    return fmt::format_to(ctx.out(), "{:#06x}", key.value);
  }
};
