#pragma once
// The result of a request that changes registrations: the response, and its effects outside of
// subnet administration.

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "mad/attribute.h"
#include "mad/attributes/notice.h"
#include "mad/attributes/port_tables.h"

namespace sa {

/// Wall-clock time in seconds since 1970, since leases also run while Heddle is stopped. Callers
/// always pass it in.
using UnixTime = std::chrono::sys_seconds;

/// A multicast group was created (66) or deleted (67): subscribers get a report (subscriptions.h).
struct GroupNotice {
  mad::TrapNumber trap{};
  mad::Gid mgid;
  mad::PKey p_key;
  bool operator==(const GroupNotice&) const = default;
};

/// A block of a port's GUID table that must be written before the response is sent (requests.h).
struct AliasWrite {
  mad::Guid port_guid;
  unsigned block = 0;
  mad::GuidInfo guid_info;
  bool operator==(const AliasWrite&) const = default;
};

/// Bounds the elements that a write visits: it ends 1,024 leases at a time, a port has 1,024
/// subscriptions, and a search for an unused number tries 1,024 at a time.
inline constexpr std::size_t kStepsPerWrite = 4096;
/// A request tries this many numbers. Then it is not answered, and its repetition continues.
inline constexpr unsigned kNumbersTried = 1024;

enum class LogLevel : std::uint8_t { none, error };

struct Outcome {
  static constexpr std::size_t kRecordBytesMax = 200;  // what an SA MAD holds

  std::uint16_t status = mad::status::kOk;
  std::size_t bytes =
      0;  // of `record`; 0: the response repeats the request's record, as all refusals do
  std::array<std::uint8_t, kRecordBytesMax> record{};
  std::optional<GroupNotice> notice{};
  std::optional<AliasWrite> alias_write{};
  LogLevel level = LogLevel::none;
  std::string log{};

  std::span<const std::uint8_t> reply() const { return {record.data(), bytes}; }
  bool is_ok() const { return status == mad::status::kOk; }
};

template <class Record>
Outcome answered(const Record& record) {
  static_assert(Record::kBytes <= Outcome::kRecordBytesMax);
  Outcome out;
  out.bytes = Record::kBytes;
  std::copy(record.bytes().begin(), record.bytes().end(), out.record.begin());
  return out;
}
inline Outcome refused(std::uint16_t status, std::string log = "") {
  Outcome out;
  out.status = status;
  out.level = log.empty() ? LogLevel::none : LogLevel::error;
  out.log = std::move(log);
  return out;
}

}  // namespace sa
