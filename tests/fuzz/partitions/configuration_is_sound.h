#pragma once
// Invariants of every configuration that was read without an error.

#include <cstdlib>
#include <set>

#include "mad/path_units.h"
#include "partitions/configuration.h"

inline void require(bool holds) {
  if (!holds) std::abort();
}

inline void require_sound(const partitions::Configuration& configuration) {
  require(!configuration.definitions.empty() && configuration.definitions.front().key == 0x7fff);
  std::set<mad::Gid> groups;
  for (const partitions::Definition& definition : configuration.definitions) {
    require(definition.key >= 1 && definition.key <= 0x7fff && definition.sl.value <= 15);
    for (const partitions::Member& member : definition.members) {
      require(member.kind != partitions::Member::Kind::guids ||
              (member.first != 0 && member.first <= member.last));
    }
    for (const fabric::WellKnownGroup& group : definition.groups) {
      require(group.mgid.prefix >> 56 == 0xff && group.p_key.value == (definition.key | 0x8000) &&
              groups.insert(group.mgid).second);
      require(mad::is_mtu(group.mtu) && mad::is_rate(group.rate) && group.sl.value <= 15 &&
              group.flow_label <= 0xfffff);
    }
  }
}

inline void require_placed(const config::Diagnostics& found, std::string_view text) {
  int lines = 1;
  for (const char c : text) lines += c == '\n';
  for (const config::Diagnostic& d : found) {
    const bool whole_file = d.line == 0 && d.severity == config::Severity::warning;
    require(whole_file || (d.line >= 1 && d.line <= lines && d.column >= 1));
    require(d.text().find('\n') == std::string::npos);
  }
}
