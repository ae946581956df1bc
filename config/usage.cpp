#include <fmt/format.h>

#include "config/flags.h"
#include "config/schema.h"

namespace config {

std::string usage() {
  std::string out = fmt::format(
      "usage: heddle [option]...\n\n"
      "Flags override the configuration file ({} unless -F names another), the file overrides "
      "defaults.\n"
      "Long options may be shortened, and may begin with one dash.\n\n",
      kDefaultConfigFile);
  for (const Flag& flag : flags()) {
    if (flag.hidden) continue;
    const Key* const key = find_key(flag.key);
    out += fmt::format("  --{}{}{}\n", flag.name,
                       flag.letter != 0 ? fmt::format(", -{}", flag.letter) : "",
                       flag.argument.empty() ? "" : fmt::format(" <{}>", flag.argument));
    out +=
        fmt::format("        {}.{}\n", !flag.help.empty() || key == nullptr ? flag.help : key->help,
                    key == nullptr || key->built ? "" : " (not built yet)");
  }
  return out;
}

}  // namespace config
