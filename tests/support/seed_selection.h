#pragma once
// The seeds that run: HEDDLE_SEED, HEDDLE_SEEDS and HEDDLE_SEED_SHARE, the same for all programs.

#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

namespace seeds {

/// Shape:  HEDDLE_SEED=7             this seed alone;
///         HEDDLE_SEEDS=1000..1999   these, both ends included;
///         HEDDLE_SEEDS=1000..       as many as by default, from this one on;
///         HEDDLE_SEED_SHARE=3/10    of the selected seeds, every tenth from the fourth on (at
///                                   least one): ten configurations with the shares 0/10 to 9/10
///                                   run each seed once.
/// Without any of them: 1..count, fixed, so that results of different changes are comparable.
struct Selection {
  std::optional<std::uint64_t> first, last;
  std::uint64_t share = 0, shares = 1;

  /// True if each test runs all its default seeds.
  bool is_default() const { return !first && shares == 1; }
  /// The seeds to run of a test that has `count` by default.
  std::vector<std::uint64_t> of(std::uint64_t count) const {
    const std::uint64_t from = first.value_or(1), size = last ? *last - from + 1 : count;
    std::vector<std::uint64_t> out;
    for (std::uint64_t index = share; index < size; index += shares) out.push_back(from + index);
    if (out.empty() && size > 0) out.push_back(from + share % size);
    return out;
  }
};

/// More seeds than this are taken for a typing error.
inline constexpr std::uint64_t kSeedsMax = 100'000'000;

/// Decimal or 0x...; nullopt for any other text.
inline std::optional<std::uint64_t> parse_number(std::string_view text) {
  int base = 10;
  if (text.starts_with("0x") || text.starts_with("0X")) {
    text.remove_prefix(2);
    base = 16;
  }
  std::uint64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value, base);
  return error == std::errc() && stop == end ? std::optional(value) : std::nullopt;
}

/// "1000..1999", or "1000.." (no last seed), or "7" (that one alone).
/// Errors: the wrong part, and a correct example.
inline tl::expected<Selection, std::string> parse_range(std::string_view text) {
  const auto wrong = [&](std::string_view why) {
    return tl::unexpected("'" + std::string(text) + "' is no range of seeds: " + std::string(why) +
                          "; write FIRST..LAST as in 1000..1999, or FIRST.. for as many as usual");
  };
  Selection out;
  const std::size_t dots = text.find("..");
  const std::string_view from = text.substr(0, dots);
  out.first = parse_number(from);
  if (!out.first) return wrong("the first seed is not a number");
  if (dots == std::string_view::npos) {
    out.last = out.first;
    return out;
  }
  const std::string_view to = text.substr(dots + 2);
  if (to.empty()) return out;
  out.last = parse_number(to);
  if (!out.last) return wrong("the last seed is not a number");
  if (*out.last < *out.first) return wrong("the last seed is before the first");
  if (*out.last - *out.first >= kSeedsMax) return wrong("it has more than 100 million seeds");
  return out;
}

/// The values of the three environment variables; null: not set. Errors as above, with the
/// variable's name.
inline tl::expected<Selection, std::string> parse_selection(const char* seed, const char* range,
                                                            const char* share) {
  Selection out;
  if (seed != nullptr && range != nullptr)
    return tl::unexpected(std::string("HEDDLE_SEED and HEDDLE_SEEDS are both set: unset one"));
  if (seed != nullptr) {
    out.first = out.last = parse_number(seed);
    if (!out.first)
      return tl::unexpected("HEDDLE_SEED: '" + std::string(seed) +
                            "' is not a number; write one seed as in HEDDLE_SEED=7");
  }
  if (range != nullptr) {
    auto parsed = parse_range(range);
    if (!parsed) return tl::unexpected("HEDDLE_SEEDS: " + parsed.error());
    out = *parsed;
  }
  if (share == nullptr) return out;
  const std::string_view text = share;
  const std::size_t slash = text.find('/');
  const auto k = parse_number(text.substr(0, slash));
  const auto n =
      slash == std::string_view::npos ? std::nullopt : parse_number(text.substr(slash + 1));
  if (!k || !n || *k >= *n) {
    return tl::unexpected(
        "HEDDLE_SEED_SHARE: '" + std::string(text) +
        "' is no share; write K/N with K below N, as in 0/10 for the first tenth");
  }
  out.share = *k;
  out.shares = *n;
  return out;
}

/// The selection of the environment.
inline tl::expected<Selection, std::string> selection() {
  return parse_selection(std::getenv("HEDDLE_SEED"), std::getenv("HEDDLE_SEEDS"),
                         std::getenv("HEDDLE_SEED_SHARE"));
}

}  // namespace seeds
