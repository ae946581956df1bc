// opensm-sa.dump from disk: any bytes give errors within the text, and values that are equal after
// they are written and read again.
#include <cstdlib>
#include <string_view>

#include "sm/sa/registrations/sa_db.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const sa::ParsedSaDb parsed = sa::parse_sa_db(text);
  for (const sm::FileError& error : parsed.errors) {
    if (error.line < 1 || static_cast<std::size_t>(error.line) > size + 1 || error.column < 1 ||
        static_cast<std::size_t>(error.column) > size + 1)
      std::abort();
    for (const char c : error.what)
      if (c < 0x20 || c > 0x7E) std::abort();  // messages are written to the log and to terminals
  }
  const std::string written = sa::to_text(parsed.value);
  const sa::ParsedSaDb again = sa::parse_sa_db(written);
  if (!again.errors.empty() || sa::to_text(again.value) != written) std::abort();
  sa::Registrations registrations;
  sa::restore(parsed.value, registrations, fabric::Subnet{}, sa::UnixTime{});
  return 0;
}
