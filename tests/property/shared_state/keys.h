#pragma once
// The keys of histories: memberships of partitions that clients of the API change.

#include <array>
#include <cctype>
#include <string>
#include <string_view>
#include <vector>

#include "mad/format.h"
#include "sim/world/model.h"

namespace shared_state {

/// Hosts that register. The first and the last ones of the row have the managers.
inline constexpr std::array kHosts{"H1", "H2", "H4", "H5"};
/// Hosts that operators isolate.
inline constexpr std::array kIsolated{"H3", "H6"};
inline constexpr std::array<std::uint16_t, 3> kPKeys{0x10, 0x11, 0x12};

struct Member {
  std::uint16_t p_key = 0;
  std::string host;
  std::string key() const { return fmt::format("{:#06x}/{}", p_key, host); }
};
inline std::vector<Member> members() {
  std::vector<Member> all;
  for (const std::uint16_t p_key : kPKeys)
    for (const char* host : {"H1", "H4", "H5"}) all.push_back({p_key, host});
  return all;
}
inline std::string isolation_key(std::string_view host) {
  return fmt::format("isolation/{}", host);
}
inline std::string registration_key(std::string_view host) { return fmt::format("group/{}", host); }

/// True if the port's table has the P_Key, with full or limited membership.
inline bool has_key(const sim::Model& model, sim::PortIndex port, std::uint16_t p_key) {
  for (unsigned block = 0; block < model.p_key_blocks(port); ++block)
    for (unsigned i = 0; i < mad::PKeyTable::kEntries; ++i)
      if (const mad::PKey key = model.p_keys(port, block).p_key(i);
          key.value != 0 && mad::p_key_base(key) == p_key)
        return true;
  return false;
}

/// True if a text names the record of the membership (`partitions/<P_Key>/<GUID>`) or of its
/// partition.
inline bool is_named(const Member& member, mad::Guid guid, std::string_view text) {
  const std::string partition = fmt::format("partitions/{:04x}", member.p_key);
  const std::string record = fmt::format("{}/{:016x}", partition, guid.value);
  if (text.find(record) != std::string_view::npos) return true;
  for (std::size_t at = text.find(partition); at != std::string_view::npos;
       at = text.find(partition, at + 1)) {
    const std::size_t end = at + partition.size();
    if (end == text.size() || text[end] != '/') return true;
  }
  return false;
}

/// True if a text has these words, and not as the beginning of a longer number.
inline bool has_words(std::string_view text, std::string_view words) {
  for (std::size_t at = text.find(words); at != std::string_view::npos;
       at = text.find(words, at + 1)) {
    const std::size_t end = at + words.size();
    if (end == text.size() || std::isxdigit(static_cast<unsigned char>(text[end])) == 0)
      return true;
  }
  return false;
}

/// True if a text names the record of the isolated link at this port, by either end
/// (`isolations/<NodeGUID>/<port>`).
inline bool is_link_named(const sim::Model& model, sim::PortIndex port, std::string_view text) {
  const auto has_end = [&](sim::PortIndex end) {
    return end != sim::kNone &&
           has_words(text, fmt::format("isolations/{:#018x}/{}",
                                       model.owning_node(end).info.node_guid().value,
                                       unsigned{model.ports[end].number}));
  };
  return has_end(port) || has_end(model.ports[port].peer);
}

/// True if a text names a registration of this port: such records have its GUID without zeros at
/// the begin.
inline bool is_registration_named(mad::Guid port, std::string_view text) {
  return text.find("registrations/") != std::string_view::npos &&
         has_words(text, fmt::format("/{:x}", port.value));
}

}  // namespace shared_state
