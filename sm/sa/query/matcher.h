#pragma once
// ComponentMask and requested record, prepared for comparison eight bytes at a time; only bytes
// under the mask are compared.

#include <array>
#include <cstdint>
#include <cstring>
#include <span>

#include "sm/sa/query/record_type.h"

namespace sa {

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
  /// The first eight bytes, padded by zeros.
  static std::uint64_t load(std::span<const std::uint8_t> bytes) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data(), bytes.size() < 8 ? bytes.size() : 8);
    return word;
  }

  std::array<Word, kBytesMax / 8> words_{};
  std::size_t count_ = 0;
};

}  // namespace sa
