// For any file: no crash, every finding has a position in it, and an accepted file is equal after
// it is written and read again.
#include "config/option_files.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include "config/check.h"
#include "config/schema.h"
#include "config/value.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto line_count = std::ranges::count(text, '\n') + 1;
  config::Options options;
  config::Diagnostics found;
  config::parse_yaml({"fuzz.yaml", text}, options, found);
  for (const config::Diagnostic& d : found) {
    if (d.line < 1 || d.line > line_count || d.column < 1 ||
        d.text().find('\n') != std::string::npos)
      std::abort();
  }
  config::check_options(options);

  const std::string written = config::dump_yaml(options);
  config::Options again;
  config::Diagnostics found_again;
  config::parse_yaml({"again.yaml", written}, again, found_again);
  if (config::has_errors(found_again)) std::abort();
  for (const config::Key& key : config::keys()) {
    if (config::value_text(key, options) != config::value_text(key, again)) std::abort();
  }
  return 0;
}
