#include "option_samples.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <random>
#include <type_traits>

#include "config/schema.h"
#include "config/value.h"

namespace config {
namespace {

template <class T>
constexpr bool kIsNumber = std::is_integral_v<T> && !std::is_same_v<T, bool>;

std::vector<Range> ranges_of(const Key& key, auto number) {
  using T = decltype(number);
  if (key.range_count > 0) return {key.ranges, key.ranges + key.range_count};
  if constexpr (sizeof(T) == 8)
    return {{0, std::numeric_limits<std::int64_t>::max()}};
  else
    return {{std::numeric_limits<T>::min(), std::numeric_limits<T>::max()}};
}

// OpenSM's builds differ on these values, or reset them.
bool opensm_takes(const Key& key, std::int64_t value) {
  if (key.name == "fdr10") return value <= 2;
  if (key.name == "force_link_speed_ext") return value < 8 || value > 15;
  return true;
}

std::string random_text(std::mt19937& random, Reader reader) {
  static constexpr std::string_view kPlain = "abcXYZ019/._-+=,:@";
  static constexpr std::string_view kNasty = " \t'\"\\(){}[]&*!|>%~?";
  std::string text;
  for (auto length = random() % 12; length > 0; --length) {
    const std::string_view alphabet =
        reader == Reader::heddle && random() % 2 == 0 ? kNasty : kPlain;
    text += alphabet[random() % alphabet.size()];
    if (reader == Reader::heddle && random() % 8 == 0) text += "\xc3\xa4";
  }
  return text == "(null)" ? "" : text;
}

struct Randomizer {
  const Key& key;
  std::mt19937& random;
  Reader reader;

  void operator()(bool* v) const { *v = random() % 2 == 0; }
  template <class T>
    requires kIsNumber<T>
  void operator()(T* v) const {
    const auto ranges = ranges_of(key, T{});
    std::int64_t value = 0;
    do {
      const Range range = ranges[random() % ranges.size()];
      value = std::uniform_int_distribution<std::int64_t>(range.min, range.max)(random);
      if (random() % 4 == 0) value = range.max;
    } while (reader == Reader::opensm && !opensm_takes(key, value));
    *v = static_cast<T>(value);
  }
  void operator()(std::string* v) const { *v = random_text(random, reader); }
  void operator()(WordList* v) const {
    *v = random() % 2 == 0 ? WordList{} : WordList{"updn", "minhop"};
  }
  void operator()(GuidList* v) const {
    for (auto n = random() % (reader == Reader::heddle ? 4 : 2); n > 0; --n)
      v->push_back(0x0002c90300000000 + random());
  }
  void operator()(SubnetPrefixes* v) const { *v = 0xfe80000000000000 + random(); }
  void operator()(PartEnforce* v) const { *v = static_cast<PartEnforce>(random() % 4); }
  void operator()(Console* v) const { *v = static_cast<Console>(random() % 3); }
  void operator()(CctEntry* v) const {
    *v = {static_cast<std::uint8_t>(random() % 4), static_cast<std::uint16_t>(random() % 16384)};
  }
  void operator()(std::vector<CctEntry>* v) const {
    v->resize(random() % 5);
    for (CctEntry& entry : *v) (*this)(&entry);
  }
  void operator()(PortMask* v) const {
    for (std::uint8_t& byte : *v) byte = static_cast<std::uint8_t>(random());
  }
  void operator()(PerSl* v) const {
    for (std::uint16_t& value : *v) value = static_cast<std::uint16_t>(random() % 256);
  }
};

struct Changer {
  const Key& key;

  void operator()(bool* v) const { *v = !*v; }
  template <class T>
    requires kIsNumber<T>
  void operator()(T* v) const {
    const auto old = static_cast<std::int64_t>(*v);
    const auto ranges = ranges_of(key, T{});
    const auto fits = [&](std::int64_t x) {
      return std::ranges::any_of(ranges, [&](Range r) { return x >= r.min && x <= r.max; });
    };
    *v = static_cast<T>(fits(old + 1) ? old + 1 : fits(old - 1) ? old - 1 : ranges[0].max);
  }
  void operator()(std::uint64_t* v) const { *v ^= 0x1500; }
  void operator()(std::string* v) const {
    const bool table = key.name.find("vlarb") != std::string_view::npos;
    *v = table                         ? "0:4,1:8"
         : key.name.ends_with("sl2vl") ? "0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,7"
                                       : fmt::format("/else/where {}", key.name);
  }
  void operator()(WordList* v) const { *v = {"updn", "minhop"}; }
  void operator()(GuidList* v) const { *v = {0x0002c90300a1b2c3}; }
  void operator()(SubnetPrefixes* v) const { *v = 0xfe80000000001500; }
  void operator()(PartEnforce* v) const { *v = PartEnforce::off; }
  void operator()(Console* v) const { *v = Console::loopback; }
  void operator()(CctEntry* v) const { *v = {2, 9}; }
  void operator()(std::vector<CctEntry>* v) const { *v = {{1, 2}, {3, 400}}; }
  void operator()(PortMask* v) const { (*v)[0] = 0x12, (*v)[31] = 0xfe; }
  void operator()(PerSl* v) const { (*v)[0] = 7, (*v)[15] = 9; }
};

}  // namespace

Options all_changed() {
  Options options;
  for (const Key& key : keys()) std::visit(Changer{key}, key.ref(options));
  options.m_key_lease_period = 600;  // has to be longer than sweep_interval
  return options;
}

Options random_options(std::uint64_t seed, Reader reader) {
  std::mt19937 random(static_cast<std::mt19937::result_type>(seed));
  Options options;
  for (const Key& key : keys()) std::visit(Randomizer{key, random, reader}, key.ref(options));
  if (options.no_partition_enforcement) options.part_enforce = PartEnforce::off;
  if (options.max_wire_smps == 0) options.max_wire_smps = 1;
  if (reader == Reader::opensm) {  // it adjusts these to each other
    options.m_key_lease_period = 0;
    for (QosSet& set : options.qos_sets) set.high_limit = std::max(set.high_limit, -1);
    options.long_transaction_timeout =
        std::max(options.long_transaction_timeout, options.transaction_timeout);
    options.use_original_extended_sa_rates_only = false;
  }
  return options;
}

std::vector<std::string> differences(const Options& a, const Options& b) {
  std::vector<std::string> out;
  for (const Key& key : keys()) {
    const std::string left = value_text(key, a), right = value_text(key, b);
    if (left != right) out.push_back(fmt::format("{}: {} / {}", key.name, left, right));
  }
  return out;
}

std::vector<std::string> texts(const Diagnostics& diagnostics) {
  std::vector<std::string> out;
  for (const Diagnostic& d : diagnostics) out.push_back(d.text());
  return out;
}

FileReader disk(std::map<std::string, std::string> files) {
  return [files = std::move(files)](
             const std::string& path) -> tl::expected<std::string, std::error_code> {
    const auto found = files.find(path);
    if (found == files.end())
      return tl::unexpected(std::make_error_code(std::errc::no_such_file_or_directory));
    if (found->second == kUnreadable)
      return tl::unexpected(std::make_error_code(std::errc::permission_denied));
    return found->second;
  };
}

}  // namespace config
