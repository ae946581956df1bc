#pragma once
// The one way in which every question for records is answered: the type produces them, the core
// matches, filters, counts and packs.

#include <cstdint>
#include <span>
#include <vector>

#include "sm/sa/query/query.h"
#include "sm/sa/query/record_type.h"
#include "sm/sa/query/view.h"

namespace sa {

/// The bytes of an answer. Kept and used again, so that nothing is allocated once it has had its
/// largest answer. Shape:  kHeaderBytes for the headers (MAD and subnet administration), which are
/// the caller's to fill, then records, each padded by zeros to a multiple of 8 bytes.
class ResponseBuffer {
 public:
  static constexpr std::size_t kHeaderBytes = 56;

  /// Forgets what was there; records of `bytes` each follow.
  void start(std::size_t record_bytes);
  void add(std::span<const std::uint8_t> record);

  std::size_t records() const { return records_; }
  /// From one record to the next, in bytes: 8 times the AttributeOffset.
  std::size_t pitch() const { return pitch_; }
  /// The record with its padding.
  std::span<const std::uint8_t> record(std::size_t number) const {
    return {bytes_.data() + kHeaderBytes + number * pitch_, pitch_};
  }
  std::span<std::uint8_t, kHeaderBytes> header() {
    return std::span<std::uint8_t, kHeaderBytes>(bytes_.data(), kHeaderBytes);
  }
  /// Headers and all records.
  std::span<const std::uint8_t> bytes() const { return bytes_; }

 private:
  std::vector<std::uint8_t> bytes_ = std::vector<std::uint8_t>(kHeaderBytes);
  std::size_t pitch_ = 0;
  std::size_t records_ = 0;
};

/// What a table may have in all, headers not counted, unless the caller knows better.
inline constexpr std::size_t kResponseBytesMax = std::size_t{64} << 20;

/// Answers a question whose attribute is the type's. `out` holds the records, none if the status is
/// not kOk. Get:    exactly one record, else kNoRecords or kTooManyRecords. Any other method: any
/// number of records. Errors: kMethodAttributeUnsupported for a method that the type does not know;
/// kReqInvalid for who is not trusted where trust is needed and for a
///         record cut short; kNoResources when the records take more than `limit_bytes`; what the
///         type itself refuses.
/// Source: IBTA Vol 1, 15.2.1.3 and 15.4.4.
std::uint16_t answer(const View& view, const Query& query, const RecordType& type,
                     ResponseBuffer& out, std::size_t limit_bytes = kResponseBytesMax);

}  // namespace sa
