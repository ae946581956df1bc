#include "sm/sweep/decide/name_ranges.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <tuple>

#include "mad/format.h"

namespace sm {
namespace {

/// Splits a name around its last number: "rack-", "12", "-a".
struct NumberedName {
  std::string prefix, digits, suffix;

  /// A number has at most as many digits as 64 bits hold.
  bool has_number() const {
    constexpr std::size_t kDigitsMax = 18;
    return !digits.empty() && digits.size() <= kDigitsMax;
  }
  std::uint64_t number() const { return has_number() ? std::stoull(digits) : 0; }
  std::string text() const { return prefix + digits + suffix; }
  bool operator<(const NumberedName& other) const {
    return std::tuple(prefix, suffix, number(), digits) <
           std::tuple(other.prefix, other.suffix, other.number(), other.digits);
  }
  /// True for "H9" before "H10" and "H09" before "H10", but not for "H9" before "H010".
  bool is_followed_by(const NumberedName& next) const {
    const bool has_zeros = digits.starts_with('0') || next.digits.starts_with('0');
    return has_number() && next.has_number() && prefix == next.prefix && suffix == next.suffix &&
           next.number() == number() + 1 && (!has_zeros || digits.size() == next.digits.size());
  }
};

NumberedName split(const std::string& description) {
  constexpr std::string_view kDigits = "0123456789";
  const std::string name = description.substr(0, description.find(' '));
  const std::size_t last = name.find_last_of(kDigits);
  if (last == std::string::npos) return {.prefix = name, .digits = {}, .suffix = {}};
  const std::size_t before = name.find_last_not_of(kDigits, last);
  const std::size_t first = before == std::string::npos ? 0 : before + 1;
  return {.prefix = name.substr(0, first),
          .digits = name.substr(first, last + 1 - first),
          .suffix = name.substr(last + 1)};
}

}  // namespace

std::string name_ranges(const std::vector<std::string>& descriptions) {
  constexpr std::size_t kShown = 3;
  std::set<NumberedName> names;
  for (const std::string& description : descriptions) names.insert(split(description));
  std::string text;
  std::size_t shown = 0, left = names.size();
  for (auto at = names.begin(); at != names.end() && shown < kShown; ++shown) {
    const auto first = at;
    auto last = at;
    for (++at, --left; at != names.end() && last->is_followed_by(*at); ++at, --left) last = at;
    if (shown > 0) text += ", ";
    text += first == last ? first->text() : first->text() + ".." + last->text();
  }
  if (left > 0) text += fmt::format(" and {} more", left);
  return text;
}

}  // namespace sm
