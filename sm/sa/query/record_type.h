#pragma once
// Holds one decoded request to subnet administration, after the validation that all requests share.

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>

#include "config/input_files.h"
#include "config/options.h"
#include "fabric/fabric.h"
#include "fabric/subnet.h"
#include "mad/attribute.h"
#include "mad/attributes/sm_info.h"
#include "mad/field.h"
#include "mad/ids.h"
#include "mad/sa_attribute.h"

namespace sm {
struct Guid2Lid;
}

namespace sa {

/// The end port, or its vport, that sent the request.
struct Requester {
  fabric::PortIndex port =
      fabric::kNoIndex;  // an end port of the snapshot: requests of others are refused earlier
  mad::Lid lid;
  std::uint32_t qpn = 1;
  bool trusted = false;                         // the request's SM_Key is sa_key
  fabric::VPortIndex vport = fabric::kNoIndex;  // kNoIndex: the physical port itself

  fabric::EndPoint end() const { return {.port = port, .vport = vport}; }
};

/// True if the requester may send a request for another port than its own.
inline bool may_act_for_others(const config::Options& options, const Requester& from) {
  return from.trusted || !options.sa_enhanced_trust_model ||
         options.sa_etm_allow_untrusted_proxy_requests;
}

struct Query {
  mad::Method method{};
  mad::SaAttributeId attribute{};
  std::uint32_t modifier = 0;
  std::uint64_t component_mask = 0;
  std::span<const std::uint8_t> record;  // as received; at least as long as the record type's
  Requester from;

  /// True if the request has all these components.
  template <class... MaskBits>
  bool has(MaskBits... mask_bits) const {
    return (((component_mask >> mask_bits & 1u) != 0) && ...);
  }
  bool is_table() const { return method == mad::Method::get_table; }
};

struct Registrations;
class PathIndex;
class RecentEnds;

/// The inputs of an answer: the published subnet, the clients' registrations, and the options. None
/// of them changes during an answer.
struct View {
  const fabric::Subnet& subnet;
  const Registrations& registrations;
  const config::Options& options;
  const config::InputFiles& files;
  const PathIndex* paths = nullptr;        // of this subnet; null: no paths are answered
  const mad::SmInfo* own_sm = nullptr;     // of this manager; null: only SMInfoRecords of others
  const sm::Guid2Lid* guid2lid = nullptr;  // LIDs of ports, including absent ones; may be null
  const RecentEnds* recent = nullptr;      // null: a path to an absent end is denied at once
};

// Description of a record type: one constant per type, each in its own file. The core (answer.h)
// does the work that all types have in common.

/// Bits of a record that one bit of the ComponentMask selects. A field that is split has several
/// entries with one mask bit.
struct Component {
  unsigned mask_bit;
  unsigned bit;    // offset from the top bit of byte 0 of the record
  unsigned width;  // of any length: a GID has 128, a name 512
};

/// Returns the components for mask bits from `first_mask_bit` on: `names` gives the field of each,
/// "" skips a mask bit.
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

/// The position at which a slice of an answer begins: the first element, or its first part, that no
/// slice has produced yet.
struct AnswerPlace {
  static constexpr std::size_t kKeyBytesMax = 48;
  std::size_t element = 0;  // numbered by the producer
  std::size_t part = 0;     // of the element
  std::size_t carried = 0;  // the producer's count in the element so far
  bool has_key = false;     // the element is found by `key` instead
  std::array<std::byte, kKeyBytesMax> key{};
  bool operator==(const AnswerPlace&) const = default;
};

/// Receives records as they are produced. A long answer is produced in slices: `produce` visits the
/// elements of its type in order, and is called again for the rest. Elements have numbers (end
/// ports, or pairs of them) or keys (registrations). An element with many records or much work is
/// divided into parts. Each element, each part, and the argument of count_steps() counts as steps.
/// A slice ends after a number of steps, and advances by at least one element or part.
class RecordSink {
 public:
  virtual ~RecordSink() = default;
  /// Returns the first element of this slice.
  std::size_t first() const { return first_.element; }
  /// Returns true if this element belongs to the next slice; then `produce` returns.
  bool pauses_before(std::size_t element) {
    element_ = element;
    if (has_step_left() || element <= first_.element) return false;
    return pause({.element = element});
  }

  /// Describe parts of the element of the latest pauses_before(): the first part of this slice, and
  /// the producer's count of earlier slices in the element. Both are 0 if the element begins here.
  std::size_t first_part() const { return is_resumed() ? first_.part : 0; }
  std::size_t carried() const { return is_resumed() ? first_.carried : 0; }
  /// Returns true if this part of the element belongs to the next slice; then `produce` returns.
  /// `carried` is the producer's count in the element.
  bool pauses_before_part(std::size_t part, std::size_t carried = 0) {
    if (has_step_left() || (is_resumed() && part <= first_.part)) return false;
    return pause({.element = element_, .part = part, .carried = carried});
  }

  /// Returns the key of the first element of this slice, or the next key if that element no longer
  /// exists; nullopt for the first slice.
  template <class Key>
  std::optional<Key> first_key() const {
    static_assert(std::is_trivially_copyable_v<Key> && sizeof(Key) <= AnswerPlace::kKeyBytesMax);
    if (!first_.has_key) return std::nullopt;
    Key key;
    std::memcpy(&key, first_.key.data(), sizeof key);
    return key;
  }
  /// Does what pauses_before() does for elements in the order of their keys.
  template <class Key>
  bool pauses_before_key(const Key& key) {
    if (has_step_left()) return false;
    if (const std::optional<Key> first = first_key<Key>(); first && key <= *first) return false;
    AnswerPlace place{.has_key = true};
    std::memcpy(place.key.data(), &key, sizeof key);
    return pause(place);
  }

  /// Counts work besides elements and parts.
  void count_steps(std::size_t count) { steps_ += count; }
  /// Returns the steps of this slice.
  std::size_t steps() const { return steps_; }
  /// True if the slice has ended, and the rest is for the next one.
  bool is_paused() const { return paused_; }
  /// Returns the number of records of the answer so far, including earlier slices.
  std::size_t accepted() const { return accepted_; }
  /// Adds a record about the end port or vport `about`, which only requesters that share a
  /// partition with it get; kNoIndex means all. Returns false if no more records are accepted.
  virtual bool add(std::span<const std::uint8_t> record, fabric::EndPoint about) = 0;
  bool add(std::span<const std::uint8_t> record, fabric::PortIndex about) {
    return add(record, fabric::EndPoint{.port = about});
  }

 protected:
  static constexpr std::size_t kEnd = std::numeric_limits<std::size_t>::max();
  RecordSink() = default;
  /// Begins a slice at `first`, of `steps` at most; `accepted` counts records of earlier slices.
  RecordSink(const AnswerPlace& first, std::size_t steps, std::size_t accepted)
      : first_(first), steps_max_(steps), accepted_(accepted) {}
  RecordSink(const RecordSink&) = default;
  RecordSink& operator=(const RecordSink&) = default;
  void count_accepted() { ++accepted_; }
  /// Returns the position of the next slice, if this one is paused.
  const AnswerPlace& next() const { return next_; }

 private:
  bool has_step_left() { return steps_++ < steps_max_; }
  bool is_resumed() const { return element_ == first_.element; }
  bool pause(const AnswerPlace& at) {
    next_ = at;
    paused_ = true;
    return true;
  }

  AnswerPlace first_, next_;
  std::size_t element_ = 0;
  std::size_t steps_ = 0, steps_max_ = kEnd, accepted_ = 0;
  bool paused_ = false;
};

/// Bounds a record; the longest is a ServiceRecord with 176 bytes.
inline constexpr std::size_t kRecordBytesMax = 200;

/// Produces all records that may match; the sink drops those whose components differ. The query
/// serves only to produce fewer records. Returns kOk, or the status with which the query is
/// refused. kBusy means that the query is not answered now, since a repetition may succeed.
using Produce = std::uint16_t (*)(const View& view, const Query& query, RecordSink& sink);

class ResponseBuffer;
/// Rearranges the records of a complete answer. Takes fewer steps than a slice.
using Finish = void (*)(const View& view, const Query& query, ResponseBuffer& records);

struct RecordType {
  mad::SaAttributeId attribute{};
  std::size_t bytes =
      0;  // of a record in an answer, without the padding to 8; at most kRecordBytesMax
  std::span<const Component> components{};  // compared for equality by the sink; the producer
                                            // handles mask bits that are not listed
  Produce produce = nullptr;
  Finish finish = nullptr;    // null: the records stay as they were produced
  bool trusted_only = false;  // other requesters get kReqInvalid
  bool registered = false;    // registrations, which may change between slices
  std::size_t request_bytes =
      0;  // of the record in the request, if it differs from the response's; 0: the same
  std::array<mad::Method, 2> methods{mad::Method::get,
                                     mad::Method::get_table};  // that query this type

  bool answers(mad::Method method) const { return method == methods[0] || method == methods[1]; }
  std::size_t bytes_in_request() const { return request_bytes == 0 ? bytes : request_bytes; }
};

}  // namespace sa
