#include "routing/graph/candidates.h"

#include <algorithm>

namespace routing {

namespace {

// These functions loop over all destinations. They have a constant inner count and no branch, and
// are not inlined (g++ would ignore __restrict), so that they vectorise at -O2.

// plane[d] |= bit where this channel is on a shortest path to d.
template <class Hops>
[[gnu::noinline]] void mark(const Hops* __restrict here, const Hops* __restrict there, Hops weight,
                            std::uint8_t bit, std::uint8_t* __restrict plane, std::size_t pitch) {
  constexpr std::size_t kPad = HopTable<Hops>::kPad;
  for (std::size_t d = 0; d < pitch; d += kPad, here += kPad, there += kPad, plane += kPad) {
    for (std::size_t i = 0; i < kPad; ++i) {
      const auto on_path = static_cast<std::uint8_t>(
          -static_cast<int>(static_cast<Hops>(there[i] + weight) == here[i]));
      plane[i] = static_cast<std::uint8_t>(plane[i] | (on_path & bit));
    }
  }
}

// masks[d] |= plane[d] << shift
[[gnu::noinline]] void or_bytes(const std::uint8_t* __restrict plane, std::size_t shift,
                                std::uint64_t* __restrict masks, std::size_t pitch) {
  for (std::size_t d = 0; d < pitch; d += 64, plane += 64, masks += 64)
    for (std::size_t i = 0; i < 64; ++i) masks[i] |= std::uint64_t{plane[i]} << shift;
}

}  // namespace

void CandidateMasks::clear(std::size_t channels) {
  words_ = (channels + 63) / 64;
  first_ = 0;
  std::fill_n(masks_.begin(), words_ * pitch_, std::uint64_t{0});
  std::ranges::fill(plane_, std::uint8_t{0});
}

template <class Hops>
void CandidateMasks::add(std::size_t channel, const Hops* here, const Hops* there, Hops weight) {
  if (channel / 8 != first_ / 8) {
    finish();
    std::ranges::fill(plane_, std::uint8_t{0});
    first_ = channel / 8 * 8;
  }
  mark<Hops>(here, there, weight, static_cast<std::uint8_t>(1u << channel % 8), plane_.data(),
             pitch_);
}
template void CandidateMasks::add<std::uint8_t>(std::size_t, const std::uint8_t*,
                                                const std::uint8_t*, std::uint8_t);
template void CandidateMasks::add<std::uint16_t>(std::size_t, const std::uint16_t*,
                                                 const std::uint16_t*, std::uint16_t);

void CandidateMasks::finish() {
  if (words_ > 0)
    or_bytes(plane_.data(), first_ % 64, masks_.data() + first_ / 64 * pitch_, pitch_);
}

}  // namespace routing
