#pragma once
// Answers a query for records of any type: the type produces them, the core matches, filters,
// counts and packs.

#include <cstdint>
#include <span>
#include <vector>

#include "sm/sa/query/record_type.h"

namespace sa {

/// Holds the bytes of a response. The buffer is reused, so that it allocates nothing once it has
/// held the largest response. Shape: kHeaderBytes for the headers (MAD and SA), which the caller
/// fills, then records, each padded by zeros to a multiple of 8 bytes.
class ResponseBuffer {
 public:
  static constexpr std::size_t kHeaderBytes = 56;

  /// Clears the buffer for records of `record_bytes` each.
  void start(std::size_t record_bytes);
  void add(std::span<const std::uint8_t> record);
  /// Drops the bytes of all records; records() still counts them.
  void drop_records() { bytes_.resize(kHeaderBytes); }
  /// Keeps the records with these numbers, in this order. Precondition: no record was dropped.
  void keep(std::span<const std::size_t> numbers);

  std::size_t records() const { return records_; }
  /// Returns the distance from one record to the next, in bytes: 8 times the AttributeOffset.
  std::size_t pitch() const { return pitch_; }
  /// Returns the record with its padding. Precondition: no record was dropped.
  std::span<const std::uint8_t> record(std::size_t number) const {
    return {bytes_.data() + kHeaderBytes + number * pitch_, pitch_};
  }
  std::span<std::uint8_t, kHeaderBytes> header() {
    return std::span<std::uint8_t, kHeaderBytes>(bytes_.data(), kHeaderBytes);
  }
  /// Returns the headers, and all records that were not dropped.
  std::span<const std::uint8_t> bytes() const { return bytes_; }
  std::span<const std::uint8_t> record_bytes() const { return bytes().subspan(kHeaderBytes); }

 private:
  std::vector<std::uint8_t> bytes_ = std::vector<std::uint8_t>(kHeaderBytes);
  std::size_t pitch_ = 0;
  std::size_t records_ = 0;
};

/// Limits the bytes of all records of a table that is completely in memory, without the headers.
inline constexpr std::size_t kResponseBytesMax = std::size_t{64} << 20;
/// Limits a table that is sent while it is produced: clients count its bytes in an int (libibumad's
/// umad_recv()).
inline constexpr std::size_t kStreamBytesMax = (std::size_t{1} << 31) - 4096;

/// Answers a query for the type's attribute. `out` holds the records, none if the status is not
/// kOk. Shape: Get: exactly one record, else kNoRecords or kTooManyRecords; other methods: any
/// number of records. Errors: kMethodAttributeUnsupported for a method that the type does not
/// support; kReqInvalid for an untrusted requester of a trusted_only type and for a truncated
/// record; kNoResources when the records take more than `limit_bytes`; what `produce` returns.
/// Source: IBTA Vol 1, 15.2.1.3 and 15.4.4.
std::uint16_t answer(const View& view, const Query& query, const RecordType& type,
                     ResponseBuffer& out, std::size_t limit_bytes = kResponseBytesMax);

/// The progress of an answer.
struct AnswerPosition {
  AnswerPlace next{};
  bool has_begun = false, at_end = false;
  std::size_t steps = 0;  // of the latest slice
};
/// A slice has this many steps: elements and parts that it produces or skips. The most expensive
/// step is a pair of LIDs, three walks of up to 64 hops. On a tree of two levels it takes 70 ns in
/// a release build, so that a slice takes 0.1 ms (`ns_per_step` of
/// AnswersProperty.AMultiPathRequestIsDivided...).
inline constexpr std::size_t kStepsPerSlice = 1024;
/// A slice may take this many more steps. The end port at its end may have blocks of aliases, which
/// are not divided, and a slice orders the paths of a MultiPathRecord at once.
inline constexpr std::size_t kStepsBeyondSlice = 512;

/// Adds some records to `out` and advances `position`. Each slice has the same arguments. The
/// answer is complete when `position` is at its end; a status other than kOk ends it.
std::uint16_t answer_slice(const View& view, const Query& query, const RecordType& type,
                           ResponseBuffer& out, AnswerPosition& position,
                           std::size_t limit_bytes = kResponseBytesMax,
                           std::size_t steps = kStepsPerSlice);

}  // namespace sa
