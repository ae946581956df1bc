#pragma once
// The service level of each path, which path records give to senders.

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "fabric/fabric.h"
#include "mad/ids.h"

namespace fabric {

/// Holds the SL of each path, as a function of the switch that the sender is attached to and of the
/// destination LID. The SL is constant along the path; the reverse path may have another SL. Stored
/// in the smallest shape that the engine needs; the default, SL 0 for all paths, takes no memory.
class PathSls {
 public:
  enum class Shape : std::uint8_t {
    zero,         // SL 0 for all
    destination,  // by destination LID
    switch_pair,  // by source switch and the switch that the destination is attached to or is
    source_lid,   // by source switch and destination LID
  };

  PathSls() = default;
  static PathSls by_destination(mad::Lid lid_top) {
    return {Shape::destination, 1, lid_top.value + std::size_t{1}};
  }
  static PathSls by_switch_pair(std::size_t switches) {
    return {Shape::switch_pair, switches, switches};
  }
  static PathSls by_source_and_lid(std::size_t switches, mad::Lid lid_top) {
    return {Shape::source_lid, switches, lid_top.value + std::size_t{1}};
  }

  Shape shape() const { return shape_; }
  /// `last_switch` is the switch that the LID's owner is attached to or is. LIDs that are not in
  /// the table have SL 0.
  mad::Sl at(SwitchIndex source, mad::Lid lid, SwitchIndex last_switch) const {
    if (shape_ == Shape::zero) return {};
    const std::size_t row = shape_ == Shape::destination ? 0u : source.value,
                      column = shape_ == Shape::switch_pair ? last_switch.value : lid.value;
    return column < columns_ && row * columns_ < sls_.size()
               ? mad::Sl{sls_[row * columns_ + column]}
               : mad::Sl{};
  }
  /// A row is a source switch (0 if by destination), a column a LID or switch of the destination.
  std::span<std::uint8_t> row(std::size_t row) {
    return std::span(sls_).subspan(row * columns_, columns_);
  }
  std::span<const std::uint8_t> row(std::size_t row) const {
    return std::span(sls_).subspan(row * columns_, columns_);
  }

  /// Bits of the SL that QoS policies and clients may set; at() returns 0 for these bits. Any other
  /// value is as free of credit loops.
  std::uint8_t free_bits = 0;

  bool operator==(const PathSls&) const = default;

 private:
  PathSls(Shape shape, std::size_t rows, std::size_t columns)
      : shape_(shape), columns_(columns), sls_(rows * columns, 0) {}

  Shape shape_ = Shape::zero;
  std::size_t columns_ = 0;
  std::vector<std::uint8_t> sls_;
};

}  // namespace fabric
