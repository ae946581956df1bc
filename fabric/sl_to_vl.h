#pragma once
// SLtoVLMappingTables that a routing engine requires (IBTA Vol 1, 14.2.5.8).

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "fabric/fabric.h"
#include "mad/ids.h"

namespace fabric {

/// One table: the VL of each SL.
using SlToVlRow = std::array<std::uint8_t, 16>;

/// Holds the VL of a packet on its next link, by switch, input port, output port and SL. Ports of a
/// switch are in few classes (a dimension of a torus, an end port), and a pair of classes has one
/// table; so a fabric has few distinct tables, whatever its size. If empty, the engine requires no
/// tables, and those of the configuration are used. If not empty, the tables must be programmed, on
/// end ports, too.
class SlToVl {
 public:
  SlToVl() = default;
  /// Uses `row` on all ports.
  static SlToVl uniform(const SlToVlRow& row) { return {0, 1, row}; }
  /// Maps SL n < vls to VL n, and higher SLs to VL 0.
  static SlToVl identity(unsigned vls) {
    SlToVlRow row{};
    for (unsigned sl = 0; sl < row.size() && sl < vls; ++sl)
      row[sl] = static_cast<std::uint8_t>(sl);
    return uniform(row);
  }
  /// Makes `classes` classes of ports; all ports have class 0 and all SLs VL 0 until they are set.
  static SlToVl by_class(std::size_t switches, unsigned classes) {
    return {switches * kPorts, classes, {}};
  }

  bool empty() const { return rows_.empty(); }
  /// True if all ports have the same table.
  bool is_uniform() const { return rows_.size() == 1; }
  unsigned classes() const { return classes_; }
  unsigned port_class(SwitchIndex sw, mad::PortNum port) const {
    return class_of_port_.empty() ? 0 : class_of_port_[sw * kPorts + port.value];
  }
  void set_port_class(SwitchIndex sw, mad::PortNum port, unsigned to) {
    class_of_port_[sw * kPorts + port.value] = static_cast<std::uint8_t>(to);
  }

  /// Precondition: not empty.
  SlToVlRow& row(unsigned in_class, unsigned out_class) {
    return rows_[in_class * classes_ + out_class];
  }
  const SlToVlRow& row(unsigned in_class, unsigned out_class) const {
    return rows_[in_class * classes_ + out_class];
  }
  const SlToVlRow& at(SwitchIndex sw, mad::PortNum in, mad::PortNum out) const {
    return row(port_class(sw, in), port_class(sw, out));
  }

  /// The table for packets that hosts, routers and switches send themselves. Unused if empty().
  SlToVlRow of_end_ports{};

  bool operator==(const SlToVl&) const = default;

 private:
  static constexpr std::size_t kPorts = 256;
  SlToVl(std::size_t ports, unsigned classes, const SlToVlRow& row)
      : of_end_ports(row),
        classes_(classes),
        class_of_port_(ports, 0),
        rows_(std::size_t{classes} * classes, row) {}

  unsigned classes_ = 0;
  std::vector<std::uint8_t> class_of_port_;  // [switch][port]; empty: all 0
  std::vector<SlToVlRow> rows_;              // [class of the input][class of the output]
};

}  // namespace fabric
