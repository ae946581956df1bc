#include "sm/sa/query/answer.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include "sm/sa/query/record_type.h"
#include "sm/sa/query/visibility.h"

namespace sa {

namespace {

/// Holds the ComponentMask and the requested record, prepared for comparison eight bytes at a time;
/// only bytes under the mask are compared.
class Matcher {
 public:
  /// `requested` has at least `record_bytes` bytes; only components inside the record count.
  Matcher(std::span<const Component> components, std::uint64_t component_mask,
          std::span<const std::uint8_t> requested, std::size_t record_bytes) {
    std::array<std::uint8_t, kBytesMax> mask{}, wanted{};
    for (const Component& component : components) {
      if (component.mask_bit >= 64 || (component_mask >> component.mask_bit & 1u) == 0) continue;
      for (unsigned bit = component.bit;
           bit < component.bit + component.width && bit < 8 * record_bytes; ++bit) {
        mask[bit / 8] = static_cast<std::uint8_t>(mask[bit / 8] | 0x80u >> bit % 8);
      }
    }
    for (std::size_t i = 0; i < record_bytes; ++i) wanted[i] = requested[i] & mask[i];
    for (std::size_t at = 0; at < record_bytes; at += 8) {
      const Word word{at, load(std::span<const std::uint8_t>(mask).subspan(at)),
                      load(std::span<const std::uint8_t>(wanted).subspan(at))};
      if (word.mask != 0) words_[count_++] = word;
    }
  }

  bool matches(std::span<const std::uint8_t> record) const {
    for (std::size_t i = 0; i < count_; ++i)
      if ((load(record.subspan(words_[i].at)) & words_[i].mask) != words_[i].wanted) return false;
    return true;
  }

 private:
  static constexpr std::size_t kBytesMax = (kRecordBytesMax + 7) / 8 * 8;
  struct Word {
    std::size_t at = 0;
    std::uint64_t mask = 0, wanted = 0;  // both in memory byte order
  };
  /// Returns the first eight bytes, padded by zeros.
  static std::uint64_t load(std::span<const std::uint8_t> bytes) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data(), bytes.size() < 8 ? bytes.size() : 8);
    return word;
  }

  std::array<Word, kBytesMax / 8> words_{};
  std::size_t count_ = 0;
};

class Collector final : public RecordSink {
 public:
  Collector(const View& view, const Query& query, const RecordType& type, ResponseBuffer& out,
            std::size_t limit_bytes, const AnswerPlace& first, std::size_t steps)
      : RecordSink(first, steps, out.records()),
        view_(view),
        from_(query.from.end()),
        sees_all_(is_manager(view, query.from)),
        bytes_(type.bytes),
        matcher_(type.components, query.component_mask, query.record,
                 std::min(type.bytes, query.record.size())),
        records_max_(query.method == mad::Method::get ? 1 : limit_bytes / out.pitch()),
        out_(out) {}

  bool add(std::span<const std::uint8_t> record, fabric::EndPoint about) override {
    if (!matcher_.matches(record.first(bytes_)) || !is_visible(about)) return true;
    if (out_.records() == records_max_) {
      too_many_ = true;
      return false;
    }
    out_.add(record.first(bytes_));
    count_accepted();
    return true;
  }
  bool too_many() const { return too_many_; }
  AnswerPosition position() const {
    return {.next = next(), .has_begun = true, .at_end = !is_paused(), .steps = steps()};
  }

 private:
  /// Consecutive records are often about the same end: the last result is cached.
  bool is_visible(fabric::EndPoint about) {
    if (about.port == fabric::kNoIndex || sees_all_) return true;
    if (about != last_about_) {
      last_about_ = about;
      last_visible_ = may_communicate(view_.subnet, from_, about);
    }
    return last_visible_;
  }

  const View& view_;
  const fabric::EndPoint from_;
  const bool sees_all_;
  const std::size_t bytes_;
  const Matcher matcher_;
  const std::size_t records_max_;
  ResponseBuffer& out_;
  fabric::EndPoint last_about_;
  bool last_visible_ = false;
  bool too_many_ = false;
};

}  // namespace

void ResponseBuffer::start(std::size_t record_bytes) {
  pitch_ = (record_bytes + 7) / 8 * 8;
  records_ = 0;
  bytes_.assign(kHeaderBytes, 0);
}

void ResponseBuffer::add(std::span<const std::uint8_t> record) {
  const std::size_t at = bytes_.size();
  bytes_.insert(bytes_.end(), record.begin(), record.end());
  bytes_.resize(at + pitch_, 0);
  ++records_;
}

void ResponseBuffer::keep(std::span<const std::size_t> numbers) {
  std::vector<std::uint8_t> kept(bytes_.begin(), bytes_.begin() + kHeaderBytes);
  kept.reserve(kHeaderBytes + numbers.size() * pitch_);
  for (const std::size_t number : numbers) {
    const auto from = record(number);
    kept.insert(kept.end(), from.begin(), from.end());
  }
  bytes_ = std::move(kept);
  records_ = numbers.size();
}

std::uint16_t answer(const View& view, const Query& query, const RecordType& type,
                     ResponseBuffer& out, std::size_t limit_bytes) {
  AnswerPosition position;
  std::uint16_t status = mad::status::kOk;
  while (status == mad::status::kOk && !position.at_end)
    status = answer_slice(view, query, type, out, position, limit_bytes);
  return status;
}

std::uint16_t answer_slice(const View& view, const Query& query, const RecordType& type,
                           ResponseBuffer& out, AnswerPosition& position, std::size_t limit_bytes,
                           std::size_t steps) {
  if (!position.has_begun) out.start(type.bytes);
  if (!type.answers(query.method)) return mad::status::kMethodAttributeUnsupported;
  if (type.trusted_only && !query.from.trusted) return mad::sa_status::kReqInvalid;
  if (query.record.size() < type.bytes_in_request()) return mad::sa_status::kReqInvalid;
  const bool is_get = query.method == mad::Method::get;
  Collector sink(view, query, type, out, limit_bytes, position.next, steps);
  std::uint16_t status = type.produce(view, query, sink);
  position = sink.position();
  if (status == mad::status::kOk && sink.too_many())
    status = is_get ? mad::sa_status::kTooManyRecords : mad::sa_status::kNoResources;
  if (status == mad::status::kOk && position.at_end && is_get && out.records() == 0)
    status = mad::sa_status::kNoRecords;
  if (status == mad::status::kOk && position.at_end && type.finish != nullptr)
    type.finish(view, query, out);
  if (status != mad::status::kOk) out.start(type.bytes);
  return status;
}

}  // namespace sa
