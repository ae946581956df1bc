#include "sm/ops/metrics/samples.h"

#include "mad/format.h"

namespace sm::metrics {

namespace {

/// Returns the length of the first character of `text`; 0 if it is not UTF-8 (RFC 3629).
std::size_t character_bytes(std::string_view text) {
  const auto byte = [text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t bytes = first >= 0xC2 && first < 0xE0   ? 2
                            : first >= 0xE0 && first < 0xF0 ? 3
                            : first >= 0xF0 && first < 0xF5 ? 4
                                                            : 0;
  if (bytes == 0 || text.size() < bytes) return 0;
  for (std::size_t i = 1; i < bytes; ++i)
    if ((byte(i) & 0xC0u) != 0x80) return 0;
  const unsigned second = byte(1);
  // This excludes overlong encodings, surrogates, and code points above U+10FFFF.
  if ((first == 0xE0 && second < 0xA0) || (first == 0xED && second > 0x9F) ||
      (first == 0xF0 && second < 0x90) || (first == 0xF4 && second > 0x8F))
    return 0;
  return bytes;
}

}  // namespace

void append_label_value(std::string& out, std::string_view value) {
  while (!value.empty()) {
    const std::size_t bytes = character_bytes(value);
    if (bytes == 0)
      out += "\xEF\xBF\xBD";
    else if (value[0] == '\n')
      out += "\\n";
    else if (value[0] == '"' || value[0] == '\\')
      out.append({'\\', value[0]});
    else
      out += value.substr(0, bytes);
    value.remove_prefix(std::max<std::size_t>(bytes, 1));
  }
}

std::string label_text(
    std::initializer_list<std::pair<std::string_view, std::string_view>> labels) {
  std::string out;
  for (const auto& [name, value] : labels) {
    out += out.empty() ? '{' : ',';
    out += name;
    out += "=\"";
    append_label_value(out, value);
    out += '"';
  }
  return out + '}';
}

void SampleWriter::add_scaled(std::string_view labels, std::uint64_t value, unsigned factor) {
  if (value <= std::numeric_limits<std::uint64_t>::max() / factor)
    return add(labels, value * factor);
  // Only a counter at its largest value gets here. Thousands keep the result within 64 bits.
  const std::uint64_t low = value % 1000 * factor, high = value / 1000 * factor + low / 1000;
  add_text(labels, fmt::format("{}{:03}", high, low % 1000));
}

void SampleWriter::add(std::string_view labels, double value) {
  add_text(labels, fmt::format("{}", value));
}

}  // namespace sm::metrics
