#include "config/value.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <type_traits>
#include <utility>

namespace config {
namespace {

constexpr std::string_view kBlanks = " \t\r\n\v\f";
constexpr std::pair<std::string_view, PartEnforce> kPartEnforceWords[] = {
    {"both", PartEnforce::both},
    {"in", PartEnforce::in},
    {"out", PartEnforce::out},
    {"off", PartEnforce::off}};
constexpr std::pair<std::string_view, Console> kConsoleWords[] = {{"off", Console::off},
                                                                  {"local", Console::local},
                                                                  {"loopback", Console::loopback},
                                                                  {"socket", Console::socket}};

constexpr std::span<const std::pair<std::string_view, PartEnforce>> list_words(PartEnforce) {
  return kPartEnforceWords;
}
constexpr std::span<const std::pair<std::string_view, Console>> list_words(Console) {
  return kConsoleWords;
}

template <class T>
constexpr bool kIsNumber = std::is_integral_v<T> && !std::is_same_v<T, bool>;

// Returns the ranges of the key, or all values of the type.
std::vector<Range> allowed(const Key& key, Range of_type) {
  if (key.range_count == 0) return {of_type};
  return {key.ranges, key.ranges + key.range_count};
}

std::string ranges_text(std::span<const Range> ranges) {
  std::string out;
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    if (i > 0) out += i + 1 == ranges.size() ? " or " : ", ";
    out += ranges[i].min == ranges[i].max ? fmt::to_string(ranges[i].min)
                                          : fmt::format("{}..{}", ranges[i].min, ranges[i].max);
  }
  return out;
}

template <class T>
Range type_range() {
  if constexpr (sizeof(T) == 8) {
    return {0, std::numeric_limits<std::int64_t>::max()};  // not used: 64-bit keys take every value
  } else {
    return {std::numeric_limits<T>::min(), std::numeric_limits<T>::max()};
  }
}

/// The log shows findings, and must not have secrets.
std::string shown(const Key& key, std::string_view text) {
  return key.is_secret ? std::string(kMasked) : in_quotes(text);
}

Finding wrong(const Key& key, std::string_view text) {
  if (text.empty())
    return {Severity::error, fmt::format("{} has no value", key.name),
            fmt::format("write {}", expected_value(key))};
  return {Severity::error, fmt::format("{} is not a value for {}", shown(key, text), key.name),
          fmt::format("write {}", expected_value(key))};
}
Finding out_of_range(const Key& key, std::string_view text) {
  return {Severity::error, fmt::format("{} {} is out of range", key.name, shown(key, text)),
          fmt::format("write {}", expected_value(key))};
}

template <class T>
tl::expected<T, Finding> parse_integer(const Key& key, std::string_view text) {
  const bool negative = std::is_signed_v<T> && text.starts_with('-');
  const auto number = parse_number(negative ? text.substr(1) : text);
  if (!number) {
    return tl::unexpected(number.error() == NumberFault::too_large ? out_of_range(key, text)
                                                                   : wrong(key, text));
  }
  if constexpr (sizeof(T) == 8) {
    return static_cast<T>(*number);
  } else {
    if (*number > 0xffffffffU) return tl::unexpected(out_of_range(key, text));
    const std::int64_t value =
        negative ? -static_cast<std::int64_t>(*number) : static_cast<std::int64_t>(*number);
    const auto fits = [&](const Range& r) { return value >= r.min && value <= r.max; };
    if (!std::ranges::any_of(allowed(key, type_range<T>()), fits))
      return tl::unexpected(out_of_range(key, text));
    return static_cast<T>(value);
  }
}

tl::expected<CctEntry, Finding> parse_cct_entry(const Key& key, std::string_view text) {
  const auto parts = split(text, ":");
  if (parts.size() != 2) return tl::unexpected(wrong(key, text));
  const auto shift = parse_number(parts[0]);
  const auto multiplier = parse_number(parts[1]);
  if (!shift || !multiplier) return tl::unexpected(wrong(key, text));
  // IBTA Vol 1, annex A10, gives these fields 2 and 14 bits.
  if (*shift > 3 || *multiplier > 0x3fff) return tl::unexpected(out_of_range(key, text));
  return CctEntry{static_cast<std::uint8_t>(*shift), static_cast<std::uint16_t>(*multiplier)};
}

// Each alternative of Ref has one overload, which sets `*to` or returns the defect.
using Outcome = std::optional<Finding>;

Outcome read(const Key& key, std::string_view text, bool* to) {
  *to = text == "TRUE";
  if (*to || text == "FALSE") return std::nullopt;
  return Finding{Severity::warning,
                 fmt::format("{} {} counts as FALSE, as in OpenSM", key.name, in_quotes(text)),
                 "write TRUE or FALSE, in capitals"};
}

template <class T>
  requires kIsNumber<T>
Outcome read(const Key& key, std::string_view text, T* to) {
  const auto value = parse_integer<T>(key, text);
  if (!value) return value.error();
  *to = *value;
  return std::nullopt;
}

Outcome read(const Key&, std::string_view text, std::string* to) {
  *to = text;
  return std::nullopt;
}

Outcome read(const Key&, std::string_view text, WordList* to) {
  const auto words = split(text, ", \t");
  to->clear();
  for (const std::string_view word : words) {
    if (!word.empty()) to->emplace_back(word);
  }
  return std::nullopt;
}

Outcome read(const Key& key, std::string_view text, GuidList* to) {
  GuidList guids;
  const auto words = split(text, ",");
  if (words.empty()) return wrong(key, text);
  for (std::string_view word : words) {
    // Users repeat the key: "guid 0x1,guid 0x2".
    if (word.starts_with(key.name)) word = trim(word.substr(key.name.size()));
    const auto guid = parse_integer<std::uint64_t>(key, word);
    if (!guid) return guid.error();
    guids.push_back(*guid);
  }
  if (guids == GuidList{0}) guids.clear();
  if (std::ranges::find(guids, 0U) != guids.end()) return wrong(key, text);
  *to = std::move(guids);
  return std::nullopt;
}

Outcome read(const Key& key, std::string_view text, SubnetPrefixes* to) {
  SubnetPrefixes prefixes;
  prefixes.values.clear();
  for (const std::string_view word : split(text, ",")) {
    const auto prefix = parse_integer<std::uint64_t>(key, word);
    if (!prefix) return prefix.error();
    prefixes.values.push_back(*prefix);
  }
  if (prefixes.values.empty()) return wrong(key, text);
  *to = std::move(prefixes);
  return std::nullopt;
}

template <class T>
  requires std::is_enum_v<T>
Outcome read(const Key& key, std::string_view text, T* to) {
  for (const auto& [word, value] : list_words(T{})) {
    if (word != text) continue;
    *to = value;
    return std::nullopt;
  }
  return wrong(key, text);
}

Outcome read(const Key& key, std::string_view text, CctEntry* to) {
  const auto entry = parse_cct_entry(key, text);
  if (!entry) return entry.error();
  *to = *entry;
  return std::nullopt;
}

Outcome read(const Key& key, std::string_view text, std::vector<CctEntry>* to) {
  constexpr std::size_t kEntriesMax = 128;  // OpenSM's table size
  std::vector<CctEntry> table;
  for (const std::string_view word : split(text, ",")) {
    const auto entry = parse_cct_entry(key, word);
    if (!entry) return entry.error();
    table.push_back(*entry);
  }
  if (table.size() > kEntriesMax) return out_of_range(key, text);
  *to = std::move(table);
  return std::nullopt;
}

Outcome read(const Key& key, std::string_view text, PortMask* to) {
  const std::string_view digits = text.substr(mad::has_hex_prefix(text) ? 2 : 0);
  if (digits.empty() || digits.size() > 2 * to->size()) return wrong(key, text);
  PortMask mask{};
  for (std::size_t i = 0; i < digits.size(); ++i) {  // i counts nibbles from the right
    const auto nibble = parse_number(digits.substr(digits.size() - 1 - i, 1), 16);
    if (!nibble) return wrong(key, text);
    std::uint8_t& byte = mask[mask.size() - 1 - i / 2];
    byte = static_cast<std::uint8_t>(byte | *nibble << (i % 2 == 0 ? 0 : 4));
  }
  *to = mask;
  return std::nullopt;
}

Outcome read(const Key& key, std::string_view text, PerSl* to) {
  const std::size_t end = std::min(text.find_first_of(kBlanks), text.size());
  const auto sl = parse_number(text.substr(0, end));
  const std::string_view rest = trim(text.substr(end));
  if (!sl || rest.empty()) return wrong(key, text);
  if (*sl > 15) return out_of_range(key, text);
  const auto value = parse_integer<std::uint16_t>(key, rest);
  if (!value) return value.error();
  (*to)[*sl] = *value;
  return std::nullopt;
}

// These functions are the reverse of assign().
std::string write(const Key&, const bool& value) { return value ? "TRUE" : "FALSE"; }
template <class T>
  requires kIsNumber<T>
std::string write(const Key& key, const T& value) {
  return key.hex_digits > 0 ? fmt::format("0x{:0{}x}", value, key.hex_digits)
                            : fmt::to_string(value);
}
std::string write(const Key&, const std::string& value) { return value.empty() ? "(null)" : value; }
std::string write(const Key&, const WordList& value) {
  return value.empty() ? "(null)" : fmt::format("{}", fmt::join(value, ","));
}
std::string write(const Key&, const GuidList& value) {
  return value.empty() ? fmt::format("0x{:016x}", 0)
                       : fmt::format("0x{:016x}", fmt::join(value, ",0x"));
}
std::string write(const Key& key, const SubnetPrefixes& value) { return write(key, value.values); }
template <class T>
  requires std::is_enum_v<T>
std::string write(const Key&, const T& value) {
  for (const auto& [word, candidate] : list_words(T{})) {
    if (candidate == value) return std::string(word);
  }
  return {};
}
std::string write(const Key&, const CctEntry& value) {
  return fmt::format("{}:{}", value.shift, value.multiplier);
}
std::string write(const Key& key, const std::vector<CctEntry>& value) {
  std::string out;
  for (const CctEntry& entry : value) out += (out.empty() ? "" : ",") + write(key, entry);
  return out.empty() ? "(null)" : out;
}
std::string write(const Key&, const PortMask& value) {
  return fmt::format("0x{:02x}", fmt::join(value, ""));
}

std::vector<std::string> lines(const Key& key, const auto& value) { return {write(key, value)}; }
std::vector<std::string> lines(const Key&, const PerSl& value) {
  std::vector<std::string> out;
  for (std::size_t sl = 0; sl < value.size(); ++sl) {
    if (sl == 0 || value[sl] != 0) out.push_back(fmt::format("{} {}", sl, value[sl]));
  }
  return out;
}

// These functions return the allowed values, by type.
std::string expected(const Key&, const bool*) { return "TRUE or FALSE"; }
template <class T>
  requires kIsNumber<T>
std::string expected(const Key& key, const T*) {
  if (sizeof(T) == 8) return "a 64-bit number such as 0x0002c90300a1b2c3";
  return fmt::format("a number in {}", ranges_text(allowed(key, type_range<T>())));
}
std::string expected(const Key&, const std::string*) { return "text, or (null)"; }
std::string expected(const Key&, const WordList*) { return "words separated by commas, or (null)"; }
std::string expected(const Key&, const GuidList*) {
  return "GUIDs such as 0x0002c90300a1b2c3, separated by commas, or a single 0";
}
std::string expected(const Key&, const SubnetPrefixes*) {
  return "a prefix such as 0xfe80000000000000, or one for each port of guid, separated by commas";
}
template <class T>
  requires std::is_enum_v<T>
std::string expected(const Key&, const T*) {
  std::vector<std::string_view> words;
  for (const auto& [word, value] : list_words(T{})) words.push_back(word);
  return fmt::format("one of {}", fmt::join(words, ", "));
}
std::string expected(const Key&, const CctEntry*) {
  return "shift:multiplier, shift in 0..3 and multiplier in 0..16383";
}
std::string expected(const Key&, const std::vector<CctEntry>*) {
  return "up to 128 of shift:multiplier separated by commas, shift in 0..3 and multiplier in "
         "0..16383, "
         "or (null)";
}
std::string expected(const Key&, const PortMask*) { return "up to 64 hexadecimal digits"; }
std::string expected(const Key& key, const PerSl*) {
  return fmt::format("an SL in 0..15, a blank, and a number in {}",
                     ranges_text(allowed(key, type_range<std::uint16_t>())));
}

}  // namespace

std::optional<Finding> assign(const Key& key, std::string_view text, Options& options) {
  const Ref ref = key.ref(options);
  const auto is_text_or_list = [](auto* member) {
    using T = std::remove_pointer_t<decltype(member)>;
    return std::is_same_v<T, std::string> || std::is_same_v<T, WordList> ||
           std::is_same_v<T, std::vector<CctEntry>>;
  };
  if (text == "(null)" && std::visit(is_text_or_list, ref)) text = {};
  return std::visit([&](auto* member) { return read(key, text, member); }, ref);
}

std::vector<std::string> value_lines(const Key& key, const Options& options) {
  const Ref ref = key.ref(const_cast<Options&>(
      options));  // one accessor serves both directions; nothing is written here
  return std::visit([&](const auto* member) { return lines(key, *member); }, ref);
}

std::string value_text(const Key& key, const Options& options) {
  return fmt::format("{}", fmt::join(value_lines(key, options), ", "));
}

std::string shown_value(const Key& key, const Options& options) {
  std::string text = value_text(key, options);
  if (key.is_secret && text != value_text(key, Options{})) return std::string(kMasked);
  return without_credentials(std::move(text));
}

bool same_values(const Options& a, const Options& b) {
  return std::ranges::all_of(
      keys(), [&](const Key& key) { return value_lines(key, a) == value_lines(key, b); });
}

void copy_value(const Key& key, const Options& from, Options& to) {
  Options source = from;
  const Ref target = key.ref(to);
  std::visit([&](auto* member) { *std::get<decltype(member)>(target) = *member; }, key.ref(source));
}

std::string expected_value(const Key& key) {
  Options options;
  return std::visit([&](const auto* member) { return expected(key, member); }, key.ref(options));
}

tl::expected<std::uint64_t, NumberFault> parse_number(std::string_view text, int base) {
  if (text.starts_with('+')) text.remove_prefix(1);
  const bool is_hex = mad::has_hex_prefix(text);
  if (base == 0) base = is_hex ? 16 : text.starts_with('0') && text.size() > 1 ? 8 : 10;
  if (base == 16 && is_hex) text.remove_prefix(2);
  return mad::parse_number(text, base);
}

std::string_view trim(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) + 1 - begin);
}

std::vector<std::string_view> split(std::string_view list, std::string_view separators) {
  std::vector<std::string_view> parts;
  if (trim(list).empty()) return parts;
  while (true) {
    const std::size_t end = list.find_first_of(separators);
    parts.push_back(trim(list.substr(0, end)));
    if (end == std::string_view::npos) return parts;
    list.remove_prefix(end + 1);
  }
}

std::string without_credentials(std::string text) {
  constexpr std::string_view kMark = "://";
  for (std::size_t at = 0; (at = text.find(kMark, at)) != std::string::npos;) {
    at += kMark.size();
    const std::size_t end = std::min(text.find_first_of("/ \t\"'<>,", at), text.size());
    const std::size_t sign = text.rfind('@', end);
    if (sign != std::string::npos && sign >= at && sign < end) text.replace(at, sign - at, kMasked);
  }
  return text;
}

}  // namespace config
