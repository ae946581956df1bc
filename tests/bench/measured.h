#pragma once
// Shared by the benchmarks: compiler settings, and figures of several runs as their median and
// range. Peers run in turns (A, B, A, B, ...), so that a machine that becomes slower is slower for
// both, and each round has its own ratio.

#include <algorithm>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "mad/format.h"

namespace measured {

/// Release code, as preset `bench` builds it, has neither assertions nor -O0.
constexpr bool is_release() {
#if defined(NDEBUG) && defined(__OPTIMIZE__)
  return true;
#else
  return false;
#endif
}

constexpr std::string_view build_text() {
  return is_release()
             ? "release code"
             : "NOT RELEASE CODE (assertions or no optimization): build it with preset bench";
}

/// The first line of every benchmark.
inline void print_build(std::string_view program) {
  fmt::print("{}: {}\n", program, build_text());
  std::fflush(stdout);
}

struct Spread {
  double median = 0, least = 0, most = 0;
};

/// Returns the spread of at least one figure.
inline Spread spread_of(std::vector<double> figures) {
  if (figures.empty()) return {};
  std::ranges::sort(figures);
  const std::size_t half = figures.size() / 2;
  const double median =
      figures.size() % 2 != 0 ? figures[half] : (figures[half - 1] + figures[half]) / 2;
  return {median, figures.front(), figures.back()};
}

inline double ratio(double a, double b) { return b > 0 ? a / b : 0; }

/// Returns the ratios of figures a[i] and b[i], which were measured one after the other.
inline Spread ratios_of(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> ratios;
  for (std::size_t round = 0; round < std::min(a.size(), b.size()); ++round)
    ratios.push_back(ratio(a[round], b[round]));
  return spread_of(std::move(ratios));
}

/// "0.152 (0.148..0.160)"
inline std::string text(const Spread& spread) {
  return fmt::format("{:.3f} ({:.3f}..{:.3f})", spread.median, spread.least, spread.most);
}

}  // namespace measured
