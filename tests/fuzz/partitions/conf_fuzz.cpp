// For any file: no crash, every finding has a position in it, and an accepted configuration is
// consistent.
#include "partitions/load.h"

#include <cstdint>

#include "configuration_is_sound.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  config::Diagnostics found;
  const partitions::Configuration configuration =
      partitions::parse_partitions_conf({"fuzz.conf", text}, found);
  require_placed(found, text);
  if (!config::has_errors(found)) require_sound(configuration);
  return 0;
}
