// The journal of registrations from disk: any bytes give errors within the text, or lines of a
// valid state; the state is equal after it is written and read again.
#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "sm/sa/registrations/persistence.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const sm::JournalText parsed = sm::parse_journal(text);
  if (parsed.whole_bytes > size) std::abort();
  for (const sm::FileError& error : parsed.errors)
    if (error.line < 1 || static_cast<std::size_t>(error.line) > size + 1) std::abort();
  sa::Registrations state;
  const auto apply = [](sa::Registrations& to, std::string_view line, bool must_be_good) {
    const auto applied = sa::apply_line(to, line);
    if (applied) return;
    if (must_be_good || applied.error().column < 1 ||
        static_cast<std::size_t>(applied.error().column) > line.size() + 2)
      std::abort();
    for (const char c : applied.error().what)
      if (c < 0x20 || c > 0x7E) std::abort();  // messages are written to the log and to terminals
  };
  for (const sm::JournalLine& line : parsed.lines) apply(state, line.text, false);
  // Applies the lines without their checksums, which fuzzing rarely finds.
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    apply(state, text.substr(at, end - at), false);
    at = end + 1;
  }
  const std::string lines = sa::all_lines(state),
                    batch = "heddle-journal 1\n" + sm::journal_batch(lines);
  sa::Registrations again;
  const sm::JournalText written = sm::parse_journal(batch);
  if (!written.errors.empty() || written.whole_bytes != batch.size()) std::abort();
  for (const sm::JournalLine& line : written.lines) apply(again, line.text, true);
  if (sa::all_lines(again) != lines) std::abort();
  return 0;
}
