// Text forms of attributes and routes.

#include <algorithm>
#include <iterator>

#include "mad/attribute.h"
#include "mad/directed_route.h"
#include "mad/format.h"

namespace mad {

std::string field_label(std::span<const Field> fields, std::size_t at) {
  const auto same = [&](const Field& other) { return other.name == fields[at].name; };
  if (std::count_if(fields.begin(), fields.end(), same) == 1) return std::string(fields[at].name);
  return fmt::format(
      "{}[{}]", fields[at].name,
      std::count_if(fields.begin(), fields.begin() + static_cast<std::ptrdiff_t>(at), same));
}

std::string dump(std::span<const Field> fields, std::span<const std::uint8_t> bytes) {
  std::string out;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const std::uint64_t value = read(bytes, fields[i]);
    if (fields[i].width <= 16)
      fmt::format_to(std::back_inserter(out), "{}: {}\n", field_label(fields, i), value);
    else
      fmt::format_to(std::back_inserter(out), "{}: 0x{:0{}x}\n", field_label(fields, i), value,
                     (fields[i].width + 3) / 4);
  }
  return out;
}

std::vector<FieldChange> diff(std::span<const Field> fields, std::span<const std::uint8_t> a,
                              std::span<const std::uint8_t> b) {
  std::vector<FieldChange> out;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const std::uint64_t before = read(a, fields[i]), after = read(b, fields[i]);
    if (before != after) out.push_back({field_label(fields, i), before, after});
  }
  return out;
}

std::string DirectedRoute::text() const {
  return fmt::format("{}", fmt::join(path_.begin(), path_.begin() + hop_count_ + 1, ","));
}

}  // namespace mad
