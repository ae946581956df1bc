#pragma once
// The codes of MTU, rate and packet lifetime in PathRecord and MCMemberRecord, and their selectors
// (IBTA Vol 1, 15.2.5.16).

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "mad/attributes/port_info.h"

namespace mad {

/// Relation of the record's value to the requested one.
enum class Selector : std::uint8_t { greater_than = 0, less_than = 1, exactly = 2, best = 3 };

// ---- MTU: codes 1..5 are 256..4096 bytes, in order.
inline constexpr std::uint8_t kMtuMin = 1, kMtuMax = 5;
constexpr bool is_mtu(std::uint8_t code) { return code >= kMtuMin && code <= kMtuMax; }
/// Returns the bytes of a code; 0 for an undefined code.
constexpr unsigned mtu_bytes(std::uint8_t code) { return is_mtu(code) ? 128u << code : 0u; }
constexpr std::optional<std::uint8_t> mtu_code(unsigned bytes) {
  for (std::uint8_t code = kMtuMin; code <= kMtuMax; ++code)
    if (mtu_bytes(code) == bytes) return code;
  return std::nullopt;
}

// ---- Rate: the order of codes is not that of rates.
/// Gb/s of rate codes, 0 for undefined codes. 2.5 Gb/s counts as 2, which is enough to compare and
/// compute rates; rate_text() and rate_number() are exact.
inline constexpr std::array<std::uint16_t, 27> kRateGbps{
    0,   0,  2,   10,  30,  5,  20, 40,  60,  80,  120,  14,   56,  112,
    168, 25, 100, 200, 300, 28, 50, 400, 600, 800, 1200, 1600, 2400};
/// The codes in ascending order of rate.
inline constexpr std::array<std::uint8_t, 25> kRatesAscending{
    2, 5, 3, 11, 6, 15, 19, 4, 7, 20, 12, 8, 9, 16, 13, 10, 14, 17, 18, 21, 22, 23, 24, 25, 26};

/// Returns Gb/s; 0 for an undefined code.
constexpr unsigned rate_gbps(std::uint8_t code) {
  return code < kRateGbps.size() ? kRateGbps[code] : 0u;
}
constexpr bool is_rate(std::uint8_t code) { return rate_gbps(code) != 0; }
constexpr bool is_slower(std::uint8_t a, std::uint8_t b) { return rate_gbps(a) < rate_gbps(b); }
inline constexpr std::uint8_t kRate2_5Gbps = 2;
/// Returns Gb/s; 0 for an undefined code.
constexpr double rate_number(std::uint8_t code) {
  return code == kRate2_5Gbps ? 2.5 : static_cast<double>(rate_gbps(code));
}
/// Returns the rate as text: "2.5", "100".
std::string rate_text(std::uint8_t code);
/// Returns the code of a rate in Gb/s, including 2.5, or nullopt if InfiniBand has no such rate.
constexpr std::optional<std::uint8_t> rate_code_of(double gbps) {
  for (const std::uint8_t code : kRatesAscending)
    if (rate_number(code) == gbps) return code;
  return std::nullopt;
}
/// Returns the code of the next lower rate, or nullopt for the lowest.
constexpr std::optional<std::uint8_t> next_slower_rate(std::uint8_t code) {
  std::optional<std::uint8_t> best;
  for (const std::uint8_t candidate : kRatesAscending)
    if (is_slower(candidate, code)) best = candidate;
  return best;
}
constexpr std::optional<std::uint8_t> rate_code(unsigned gbps) {
  for (const std::uint8_t code : kRatesAscending)
    if (rate_gbps(code) == gbps) return code;
  return std::nullopt;
}

/// Returns the active rate of a port's link, from its active width and speed; 0 for unknown values.
/// Units: a rate code. Lanes: 2.5, 5, 10 Gb/s; FDR 14, EDR 25, HDR 50, NDR 100, XDR 200.
std::uint8_t link_rate(const PortInfo& info);

/// Packet lifetime codes are exponents, 0..63.
inline constexpr std::uint8_t kPacketLifeMax = 63;

}  // namespace mad
