// For any file: no crash, every finding has a position in it, and an accepted file is equal after
// it is written and read again.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "fabric/recording/recording.h"

namespace {

void expect(bool ok) {
  if (!ok) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  auto recording = fabric::read_recording({"fuzz.rec", text});
  if (!recording) {
    const auto lines = std::ranges::count(text, '\n') + 1;
    expect(!recording.error().empty() && recording.error().size() <= 20);
    for (const config::Diagnostic& finding : recording.error())
      expect(finding.line >= 1 && finding.line <= lines && finding.column >= 1 &&
             finding.text().find('\n') == std::string::npos);
    return 0;
  }
  const std::string written = write_recording(*recording);
  const auto again = fabric::read_recording({"again.rec", written});
  expect(again && write_recording(*again) == written);
  make_anonymous(*recording);
  const std::string anonymous = write_recording(*recording);
  expect(fabric::read_recording({"anonymous.rec", anonymous}).has_value());
  return 0;
}
