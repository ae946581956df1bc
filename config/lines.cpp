#include "config/lines.h"

#include <algorithm>

#include "config/value.h"

namespace config {

std::vector<Line> content_lines(std::string_view text) {
  std::vector<Line> lines;
  for (int number = 1; !text.empty(); ++number) {
    const std::string_view whole = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(whole.size() + 1, text.size()));
    const std::string_view content = trim(whole.substr(0, whole.find('#')));
    if (!content.empty()) lines.push_back({number, whole, content});
  }
  return lines;
}

}  // namespace config
