// guid2lid from disk: any bytes give either errors, all within the text, or a valid map that is
// equal after it is written and read again.
#include <cstdlib>
#include <string_view>
#include <vector>

#include "sm/store/guid2lid.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const sm::ParsedGuid2Lid parsed = sm::parse_guid2lid(text);
  for (const auto* list : {&parsed.errors, &parsed.warnings})
    for (const sm::FileError& error : *list) {
      if (error.line < 1 || static_cast<std::size_t>(error.line) > size + 1 || error.column < 1 ||
          static_cast<std::size_t>(error.column) > size + 1)
        std::abort();
      for (const char c : error.what)
        if (c < 0x20 || c > 0x7E) std::abort();  // messages are written to the log and to terminals
    }
  if (!parsed.errors.empty()) return 0;
  std::vector<bool> taken(0xC000);
  for (std::size_t i = 0; i < parsed.value.entries.size(); ++i) {
    const sm::Guid2Lid::Entry& entry = parsed.value.entries[i];
    if (i > 0 && entry.guid <= parsed.value.entries[i - 1].guid) std::abort();
    if (!mad::is_unicast(entry.first) || !mad::is_unicast(entry.last) || entry.last < entry.first ||
        entry.first.value % entry.count() != 0)
      std::abort();
    for (unsigned lid = entry.first.value; lid <= entry.last.value; ++lid) {
      if (taken[lid]) std::abort();
      taken[lid] = true;
    }
  }
  const sm::ParsedGuid2Lid again = sm::parse_guid2lid(sm::to_text(parsed.value));
  if (!again.errors.empty() || !again.warnings.empty() || again.value != parsed.value) std::abort();
  return 0;
}
