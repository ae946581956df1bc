#pragma once
// What subnet administration knows of a type of records: one constant per type, in a file of its own; the core (answer.h) does the rest.

#include <cstdint>
#include <span>

#include "sm/sa/query/query.h"
#include "sm/sa/query/view.h"

namespace sa {

/// Bits of a record that one bit of the ComponentMask stands for. Long fields (GIDs, names) have several rows with one mask bit.
struct Component {
  unsigned mask_bit;
  unsigned bit;    // offset from the top bit of byte 0 of the record
  unsigned width;  // 1..64
};

/// Takes records as they are produced.
class RecordSink {
 public:
  virtual ~RecordSink() = default;
  /// `about`: the end port that the record tells about; it is shown only to who shares a partition with that port. kNoIndex: shown to everybody.
  /// False: no more are wanted.
  virtual bool add(std::span<const std::uint8_t> record, sm::PortIndex about) = 0;
};

/// Gives all records that may match; the sink drops those whose components differ. Looks into the query only to produce fewer of them.
/// Returns a status: kOk, or why the question is refused as a whole.
using Produce = std::uint16_t (*)(const View& view, const Query& query, RecordSink& sink);

struct RecordType {
  mad::SaAttributeId attribute{};
  std::size_t bytes = 0;                   // of a record, without the padding to 8
  std::span<const Component> components{}; // compared for equality by the sink; mask bits that are not listed are the producer's business
  Produce produce = nullptr;
  bool trusted_only = false;               // others hear kReqInvalid
};

}  // namespace sa
