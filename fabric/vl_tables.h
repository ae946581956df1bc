#pragma once
// SLtoVLMappingTables and VLArbitrationTables of all ports.

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "fabric/fabric.h"
#include "mad/attribute.h"

namespace fabric {

/// The VLs of the 16 SLs, four bits each as on the wire, SL 0 in the most significant bits. VL 15
/// drops packets.
using SlToVlBits = std::uint64_t;
constexpr unsigned mapped_vl(SlToVlBits bits, unsigned sl) {
  return static_cast<unsigned>(bits >> (60 - 4 * sl) & 0xFu);
}

inline constexpr unsigned kArbitrationBlocks =
    4;  // of a port: 1 and 2 low priority, 3 and 4 high (IBTA Vol 1, 14.2.5.9)
using ArbitrationBlock = std::array<std::uint8_t, 64>;

/// Holds the tables of ports, as far as they are known. A fabric has few distinct tables, so each
/// is stored once and referred to by number.
class VlTables {
 public:
  /// Renumbers to the indices of `fabric`. The tables of nodes that remain stay known.
  void update_from(const Fabric& fabric);
  /// Marks the tables of this node as unknown: it restarted, or another SM may have written them.
  void forget(NodeIndex node);
  void forget_all();
  /// True before the first update_from().
  bool is_empty() const { return tables_.empty(); }

  /// Returns the table for packets from input port `in` to output port `out`; nullopt if it is not
  /// known. `in` matters for switches only: CAs and routers have one table per port.
  std::optional<SlToVlBits> sl_to_vl(PortIndex out, mad::PortNum in) const {
    const Number number = tables_[table_at(out, in)];
    return number == 0 ? std::nullopt : std::optional(sl_to_vl_.value(number));
  }
  void learn_sl_to_vl(PortIndex out, mad::PortNum in, SlToVlBits bits) {
    tables_[table_at(out, in)] = sl_to_vl_.number(bits);
  }

  void forget_sl_to_vl(PortIndex out, mad::PortNum in) { tables_[table_at(out, in)] = 0; }

  /// Returns a block, 1..4; null if it is not known.
  const ArbitrationBlock* arbitration(PortIndex port, unsigned block) const {
    const Number number = blocks_[port * kArbitrationBlocks + block - 1];
    return number == 0 ? nullptr : &arbitration_.value(number);
  }
  void learn_arbitration(PortIndex port, unsigned block, const ArbitrationBlock& bytes) {
    blocks_[port * kArbitrationBlocks + block - 1] = arbitration_.number(bytes);
  }

  void forget_arbitration(PortIndex port, unsigned block) {
    blocks_[port * kArbitrationBlocks + block - 1] = 0;
  }

  /// Returns the SLs (bit n: SL n) that at least one SLtoVLMappingTable drops.
  std::uint16_t dropped_sls() const;

 private:
  using Number = std::uint16_t;  // 0: not known

  /// Stores distinct values, numbered from 1.
  template <class Value>
  class Pool {
   public:
    /// Returns 0 once there are 65535: no real fabric has so many, and the tables of nodes that
    /// return random values count as unknown.
    Number number(const Value& value) {
      const auto known = numbers_.find(value);
      if (known != numbers_.end()) return known->second;
      if (values_.size() == 0xFFFF) return 0;
      values_.push_back(value);
      return numbers_[value] = static_cast<Number>(values_.size());
    }
    const Value& value(Number number) const { return values_[number - 1u]; }
    const std::vector<Value>& values() const { return values_; }

   private:
    std::vector<Value> values_;
    std::map<Value, Number> numbers_;
  };
  struct NodePorts {
    mad::Guid guid;
    PortIndex first{0};
    std::uint32_t ports = 0;
    bool is_switch = false;
  };

  std::size_t table_at(PortIndex out, mad::PortNum in) const {
    const std::uint32_t first = first_table_[out], count = first_table_[out + 1] - first;
    return first + (count > 1 ? in.value : 0u);
  }

  std::vector<NodePorts> nodes_;
  std::vector<std::uint32_t> first_table_;  // ports + 1: one table for each input port of the same
                                            // switch, itself among them
  std::vector<Number> tables_, blocks_;
  Pool<SlToVlBits> sl_to_vl_;
  Pool<ArbitrationBlock> arbitration_;
};

}  // namespace fabric
