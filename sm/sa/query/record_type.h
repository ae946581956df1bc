#pragma once
// What subnet administration knows of a type of records: one constant per type, in a file of its
// own; the core (answer.h) does the rest.

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "mad/field_access.h"
#include "sm/sa/query/query.h"
#include "sm/sa/query/view.h"

namespace sa {

/// Bits of a record that one bit of the ComponentMask stands for. A field that lies in several
/// places has several rows with one mask bit.
struct Component {
  unsigned mask_bit;
  unsigned bit;    // offset from the top bit of byte 0 of the record
  unsigned width;  // of any length: a GID has 128, a name 512
};

/// One component a field of `fields`, for mask bits from `first_mask_bit` on; the names tell which
/// fields, "" skips a mask bit.
template <std::size_t count>
consteval std::array<Component, count> components_by_name(
    std::span<const mad::Field> fields, unsigned first_mask_bit,
    const std::array<std::string_view, count>& names) {
  std::array<Component, count> out{};
  for (std::size_t i = 0; i < count; ++i) {
    out[i] = {first_mask_bit + static_cast<unsigned>(i), 0, 0};
    if (names[i].empty()) continue;
    const mad::Field field = mad::find_field(fields, names[i]);
    out[i].bit = field.bit;
    out[i].width = field.width;
  }
  return out;
}

/// Takes records as they are produced.
class RecordSink {
 public:
  virtual ~RecordSink() = default;
  /// `about`: the end port that the record tells about; it is shown only to who shares a partition
  /// with that port. kNoIndex: shown to everybody. False: no more are wanted.
  virtual bool add(std::span<const std::uint8_t> record, sm::PortIndex about) = 0;
};

/// The longest record: a ServiceRecord has 176 bytes.
inline constexpr std::size_t kRecordBytesMax = 200;

/// Gives all records that may match; the sink drops those whose components differ. Looks into the
/// query only to produce fewer of them. Returns a status: kOk, or why the question is refused as a
/// whole.
using Produce = std::uint16_t (*)(const View& view, const Query& query, RecordSink& sink);

struct RecordType {
  mad::SaAttributeId attribute{};
  std::size_t bytes =
      0;  // of a record in an answer, without the padding to 8; at most kRecordBytesMax
  std::span<const Component> components{};  // compared for equality by the sink; mask bits that are
                                            // not listed are the producer's business
  Produce produce = nullptr;
  bool trusted_only = false;  // others hear kReqInvalid
  std::size_t request_bytes =
      0;  // of the record in a question, where it is another one than in the answer; 0: the same
  std::array<mad::Method, 2> methods{mad::Method::get,
                                     mad::Method::get_table};  // that ask for records of this type

  bool answers(mad::Method method) const { return method == methods[0] || method == methods[1]; }
  std::size_t asked_bytes() const { return request_bytes == 0 ? bytes : request_bytes; }
};

}  // namespace sa
