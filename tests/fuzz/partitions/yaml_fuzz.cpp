// For any file: no crash, findings have line and column, and an accepted configuration is
// consistent.
#include "partitions/load.h"

#include <cstdint>

#include "configuration_is_sound.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  config::Diagnostics found;
  const partitions::Configuration configuration =
      partitions::parse_partitions_yaml({"fuzz.yaml", text}, found);
  for (const config::Diagnostic& d : found)
    require(d.line >= 1 && d.column >= 1 && d.text().find('\n') == std::string::npos);
  if (!config::has_errors(found)) require_sound(configuration);
  return 0;
}
