#include "sm/partitions/partition_service.h"

#include <algorithm>
#include <array>

#include "mad/format.h"
#include "mad/number.h"

namespace sm {
namespace {

std::optional<int> two(std::string_view text, std::size_t at, unsigned max) {
  const auto value = mad::parse_number<unsigned>(text.substr(at, 2));
  if (!value || *value > max) return std::nullopt;
  return static_cast<int>(*value);
}

}  // namespace

std::optional<std::uint16_t> parse_p_key(std::string_view text) {
  const auto value = mad::parse_hex_or_decimal(text, 0xFFFF);
  return value ? std::optional(static_cast<std::uint16_t>(*value)) : std::nullopt;
}

std::optional<mad::Guid> parse_member_guid(std::string_view text) {
  const auto guid = mad::parse_guid(text);
  const bool is_member = guid && *guid != mad::Guid{} && *guid != mad::Guid{~std::uint64_t{0}};
  return is_member ? guid : std::nullopt;
}

std::string guid_digits(mad::Guid guid) { return fmt::format("{:016x}", guid.value); }

std::optional<partitions::UnixTime> parse_time(std::string_view text) {
  // A time reads 2026-11-24T12:00:00Z.
  constexpr std::string_view kShape = "dddd-dd-ddTdd:dd:dd";
  if (text.size() < kShape.size() + 1) return std::nullopt;
  for (std::size_t i = 0; i < kShape.size(); ++i) {
    const bool digit = text[i] >= '0' && text[i] <= '9';
    if (kShape[i] == 'd' ? !digit : text[i] != kShape[i]) return std::nullopt;
  }
  const auto year = mad::parse_number<int>(text.substr(0, 4));
  const auto month = two(text, 5, 12), day = two(text, 8, 31), hour = two(text, 11, 23),
             minute = two(text, 14, 59), second = two(text, 17, 60);
  if (!year || !month || !day || !hour || !minute || !second) return std::nullopt;
  const std::chrono::year_month_day date(std::chrono::year(*year),
                                         std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day)));
  if (!date.ok()) return std::nullopt;
  text.remove_prefix(kShape.size());
  if (text.starts_with('.')) {
    const std::size_t end = text.find_first_not_of("0123456789", 1);
    if (end == 1 || end == std::string_view::npos) return std::nullopt;
    text.remove_prefix(end);
  }
  std::chrono::minutes offset{0};
  if (text != "Z") {
    if (text.size() != 6 || (text[0] != '+' && text[0] != '-') || text[3] != ':')
      return std::nullopt;
    const auto hours = two(text, 1, 23), minutes = two(text, 4, 59);
    if (!hours || !minutes) return std::nullopt;
    offset = std::chrono::hours(*hours) + std::chrono::minutes(*minutes);
    if (text[0] == '-') offset = -offset;
  }
  const partitions::UnixTime time = std::chrono::sys_days(date) + std::chrono::hours(*hour) +
                                    std::chrono::minutes(*minute) + std::chrono::seconds(*second) -
                                    offset;
  if (time.time_since_epoch().count() < 0) return std::nullopt;
  return time;
}

std::string time_text(partitions::UnixTime time) {
  const auto days = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date(days);
  const auto second_of_day = (time - days).count();
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                     second_of_day / 3600, second_of_day / 60 % 60, second_of_day % 60);
}

bool PartitionSnapshot::is_configured(std::uint16_t key) const {
  return std::ranges::find(context->partitioning.definitions, key, &partitions::Definition::key) !=
         context->partitioning.definitions.end();
}

bool PartitionSnapshot::is_configured(std::uint16_t key, mad::Guid guid) const {
  using Kind = partitions::Member::Kind;
  return std::ranges::any_of(context->partitioning.definitions, [&](const auto& definition) {
    return definition.key == key && std::ranges::any_of(definition.members, [&](const auto& m) {
             return m.kind == Kind::all ||
                    (m.kind == Kind::guids && m.first <= guid.value && guid.value <= m.last);
           });
  });
}

bool PartitionSnapshot::has_partition(std::uint16_t key) const {
  return stored->partitions().find(key) != nullptr || is_configured(key);
}

}  // namespace sm
