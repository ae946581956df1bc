#include "sm/ctl/expected_rate.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <nlohmann/json.hpp>

#include "sm/ops/rows.h"

namespace sm::ctl {
namespace {

constexpr std::array<unsigned, 5> kWidths{1, 2, 4, 8, 12};

bool is_equal(std::string_view a, std::string_view b) {
  const auto upper = [](char c) { return std::toupper(static_cast<unsigned char>(c)); };
  return std::ranges::equal(a, b, {}, upper, upper);
}

/// Returns 0 if the name is not a width.
unsigned find_lanes(std::string_view name) {
  const auto found = std::ranges::find_if(
      kWidths, [&](unsigned lanes) { return is_equal(mad::width_name(lanes), name); });
  return found == kWidths.end() ? 0 : *found;
}

/// Returns none if the name is not a speed.
mad::LaneSpeed find_speed(std::string_view name) {
  for (auto speed = mad::LaneSpeed::sdr; speed <= mad::LaneSpeed::xdr;
       speed = static_cast<mad::LaneSpeed>(static_cast<unsigned>(speed) + 1))
    if (is_equal(mad::name(speed), name)) return speed;
  return mad::LaneSpeed::none;
}

}  // namespace

tl::expected<mad::LinkRate, std::string> parse_expected_rate(std::string_view text) {
  mad::LinkRate rate;
  for (std::string_view rest = text;;) {
    const std::size_t comma = rest.find(',');
    const std::string_view part = rest.substr(0, comma);
    const unsigned lanes = find_lanes(part);
    const mad::LaneSpeed speed = find_speed(part);
    const bool is_second = (lanes != 0 && rate.lanes != 0) ||
                           (speed != mad::LaneSpeed::none && rate.speed != mad::LaneSpeed::none);
    if ((lanes == 0 && speed == mad::LaneSpeed::none) || is_second)
      return tl::unexpected(fmt::format(
          "'{}' is no width and speed of links; examples: 4X,HDR or 4X or HDR (widths 1X, 2X, 4X, "
          "8X, 12X; speeds SDR, DDR, QDR, FDR, EDR, HDR, NDR, XDR)",
          text.substr(0, 100)));
    if (lanes != 0) rate.lanes = lanes;
    if (speed != mad::LaneSpeed::none) rate.speed = speed;
    if (comma == std::string_view::npos) return rate;
    rest.remove_prefix(comma + 1);
  }
}

std::string expected_rate_text(const mad::LinkRate& rate) {
  return fmt::format("{}{}{}", mad::width_name(rate.lanes),
                     rate.lanes != 0 && rate.speed != mad::LaneSpeed::none ? " " : "",
                     mad::name(rate.speed));
}

bool is_below(const nlohmann::ordered_json& link, const mad::LinkRate& expected) {
  return find_lanes(field_text(link, "link_width_active")) < expected.lanes ||
         find_speed(field_text(link, "link_speed_active")) < expected.speed;
}

}  // namespace sm::ctl
