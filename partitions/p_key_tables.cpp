#include "partitions/p_key_tables.h"

#include <algorithm>
#include <unordered_set>

#include "mad/format.h"

namespace partitions {
namespace {

constexpr unsigned kPerBlock = mad::PKeyTable::kEntries;

/// OpenSM orders partitions by the wire bytes of their keys, read on a little-endian machine.
constexpr std::uint16_t swapped(std::uint16_t value) {
  return static_cast<std::uint16_t>(value << 8 | value >> 8);
}

unsigned usable(std::size_t blocks, unsigned capacity) {
  return std::min(capacity, static_cast<unsigned>(blocks) * kPerBlock);
}

bool is_empty(const mad::PKeyTable& block) {
  static constexpr mad::PKeyTable kEmpty{};
  return block == kEmpty;
}

}  // namespace

unsigned p_key_capacity(const sm::Fabric& fabric, sm::PortIndex port) {
  const sm::Node& node = fabric.node_of(port);
  if (node.is_switch() && fabric.ports[port].number.value != 0)
    return fabric.switches[node.switch_index].info.partition_enforcement_cap();
  return node.info.partition_cap();
}

bool mirrors_neighbour(const sm::Fabric& fabric, sm::PortIndex port, config::PartEnforce wanted) {
  const sm::Node& node = fabric.node_of(port);
  const sm::Port& p = fabric.ports[port];
  if (!node.is_switch() || p.number.value == 0 || p.peer == sm::kNoIndex ||
      fabric.node_of(p.peer).is_switch())
    return false;
  return wanted != config::PartEnforce::off && p_key_capacity(fabric, port) > 0;
}

Enforcement enforcement(const sm::Fabric& fabric, sm::PortIndex port, config::PartEnforce wanted) {
  if (!mirrors_neighbour(fabric, port, wanted)) return {};
  const mad::SwitchInfo& info = fabric.switches[fabric.node_of(port).switch_index].info;
  using enum config::PartEnforce;
  return {.inbound = info.inbound_enforcement_cap() && (wanted == in || wanted == both),
          .outbound = info.outbound_enforcement_cap() && (wanted == out || wanted == both)};
}

// ------------------------------------------------------------------------------------------
// one table

void TableFiller::load(std::span<const mad::PKeyTable> blocks, unsigned capacity) {
  const unsigned entries = usable(blocks.size(), capacity);
  unsigned used = entries;  // nearly all tables are nearly empty
  while (used > 0 && is_empty(blocks[(used - 1) / kPerBlock]))
    used = (used - 1) / kPerBlock * kPerBlock;
  old_.resize(used);
  for (unsigned i = 0; i < used; ++i) old_[i] = blocks[i / kPerBlock].p_key(i % kPerBlock);
  new_.assign(entries, {});
}

void TableFiller::store(std::span<mad::PKeyTable> blocks) const {
  for (unsigned i = 0; i < new_.size(); ++i)
    if (new_[i] != (i < old_.size() ? old_[i] : mad::PKey{}))
      blocks[i / kPerBlock].set_p_key(i % kPerBlock, new_[i]);
}

/// The index of the wanted key that is the same as this one; keys.size() if there is none.
std::size_t TableFiller::find(std::span<const mad::PKey> keys, mad::PKey key) const {
  const auto begin = std::ranges::lower_bound(
      keys, mad::partition_of(key), {}, [](mad::PKey each) { return mad::partition_of(each); });
  for (auto it = begin; it != keys.end() && mad::partition_of(*it) == mad::partition_of(key);
       ++it) {
    if (same(*it, key)) return static_cast<std::size_t>(it - keys.begin());
  }
  return keys.size();
}

bool TableFiller::Latest::is(std::span<const mad::PKeyTable> blocks, unsigned its_capacity,
                             std::span<const mad::PKey> its_keys, mad::PKey its_first) const {
  return !before.empty() && capacity == its_capacity && first == its_first &&
         std::ranges::equal(keys, its_keys) && std::ranges::equal(before, blocks);
}

tl::expected<void, mad::PKey> TableFiller::fill(std::span<mad::PKeyTable> blocks, unsigned capacity,
                                                std::span<const mad::PKey> keys, mad::PKey first) {
  if (filled_.is(blocks, capacity, keys, first)) {
    std::ranges::copy(filled_.after, blocks.begin());
    return {};
  }
  filled_.before.assign(blocks.begin(), blocks.end());
  if (auto filled = fill_anew(blocks, capacity, keys, first); !filled) {
    filled_.before.clear();
    return filled;
  }
  filled_.after.assign(blocks.begin(), blocks.end());
  filled_.capacity = capacity;
  filled_.keys.assign(keys.begin(), keys.end());
  filled_.first = first;
  return {};
}

tl::expected<void, mad::PKey> TableFiller::mirror(std::span<mad::PKeyTable> blocks,
                                                  unsigned capacity,
                                                  std::span<const mad::PKey> neighbour) {
  if (mirrored_.is(blocks, capacity, neighbour, {})) {
    std::ranges::copy(mirrored_.after, blocks.begin());
    return {};
  }
  mirrored_.before.assign(blocks.begin(), blocks.end());
  if (auto mirrored = mirror_anew(blocks, capacity, neighbour); !mirrored) {
    mirrored_.before.clear();
    return mirrored;
  }
  mirrored_.after.assign(blocks.begin(), blocks.end());
  mirrored_.capacity = capacity;
  mirrored_.keys.assign(neighbour.begin(), neighbour.end());
  return {};
}

tl::expected<void, mad::PKey> TableFiller::fill_anew(std::span<mad::PKeyTable> blocks,
                                                     unsigned capacity,
                                                     std::span<const mad::PKey> keys,
                                                     mad::PKey first) {
  load(blocks, capacity);
  placed_.assign(keys.size(), false);
  const auto put = [&](std::size_t key, std::size_t index) {
    new_[index] = keys[key];
    placed_[key] = true;
  };
  std::size_t last = 0;  // index 0 counts as used: it is reserved for `first`
  if (first != mad::PKey{} && !new_.empty()) put(find(keys, first), 0);
  for (std::size_t index = 0; placing_.keep_indexes && index < old_.size(); ++index) {
    if (mad::partition_of(old_[index]) == 0 || new_[index] != mad::PKey{}) continue;
    if (index == 0 && mad::partition_of(old_[index]) != mad::partition_of(mad::kDefaultPKeyFull))
      continue;
    const std::size_t key = find(keys, old_[index]);
    if (key == keys.size() || placed_[key]) continue;
    put(key, index);
    last = index;
  }
  new_keys_.clear();
  for (std::size_t key = 0; key < keys.size(); ++key) {
    if (!placed_[key]) new_keys_.push_back(key);
  }
  std::ranges::sort(new_keys_, {}, [&](std::size_t key) {
    return std::pair(swapped(mad::partition_of(keys[key])), mad::is_full_member(keys[key]));
  });
  std::size_t hole = 1;
  for (const std::size_t key : new_keys_) {
    if (last + 1 < new_.size()) {
      put(key, ++last);
      continue;
    }
    while (hole < new_.size() && new_[hole] != mad::PKey{}) ++hole;
    if (hole < new_.size()) {
      put(key, hole);
    } else if (!new_.empty() && new_[0] == mad::PKey{}) {
      put(key, 0);
    } else {
      return tl::unexpected(keys[key]);
    }
  }
  store(blocks);
  return {};
}

tl::expected<void, mad::PKey> TableFiller::mirror_anew(std::span<mad::PKeyTable> blocks,
                                                       unsigned capacity,
                                                       std::span<const mad::PKey> neighbour) {
  load(blocks, capacity);
  for (const mad::PKey key : neighbour) {
    if (mad::is_full_member(key)) full_.set(mad::partition_of(key));
  }
  std::size_t next = 0;
  mad::PKey homeless{};
  for (const mad::PKey key : neighbour) {
    if (key == mad::PKey{} || (!mad::is_full_member(key) && full_.test(mad::partition_of(key))))
      continue;
    if (next < new_.size()) {
      new_[next++] = key;
    } else if (homeless == mad::PKey{}) {
      homeless = key;
    }
  }
  for (const mad::PKey key : neighbour) full_.reset(mad::partition_of(key));
  if (homeless != mad::PKey{}) return tl::unexpected(homeless);
  store(blocks);
  return {};
}

// ------------------------------------------------------------------------------------------
// all tables

namespace {

Placing placing(const config::Options& options) {
  return {.keep_indexes = options.keep_pkey_indexes, .both = options.allow_both_pkeys};
}

class Targets {
 public:
  Targets(const sm::Fabric& fabric, const sm::PartitionMap& map, const config::Options& options,
          const VPortKeys& vport_keys)
      : fabric_(fabric),
        map_(map),
        options_(options),
        vport_keys_(vport_keys),
        filler_(placing(options)) {
    result_.blocks = fabric.p_key_blocks;
    result_.enforcement.resize(fabric.ports.size());
  }

  PKeyTargets take() {
    for (const sm::EndPortIndex end_port : fabric_.end_ports.indices()) decide(end_port);
    return std::move(result_);
  }

  PKeyTargets take(std::span<const sm::EndPortIndex> changed) {
    for (const sm::PortIndex port : fabric_.ports.indices()) {
      const mad::PortInfo& info = fabric_.ports[port].info;
      if (fabric_.ports[port].known && fabric_.node_of(port).is_switch())
        result_.enforcement[port] = {.inbound = info.partition_enforcement_inbound(),
                                     .outbound = info.partition_enforcement_outbound()};
    }
    for (const sm::EndPortIndex end_port : changed) decide(end_port);
    return std::move(result_);
  }

 private:
  void decide(sm::EndPortIndex end_port) {
    const sm::PortIndex port = fabric_.end_ports[end_port];
    if (!fabric_.ports[port].known) return;
    const bool fits = fill(end_port, port);
    const sm::PortIndex peer = fabric_.ports[port].peer;
    if (peer == sm::kNoIndex || fabric_.node_of(port).is_switch()) return;
    result_.enforcement[peer] = {};
    if (!mirrors_neighbour(fabric_, peer, options_.part_enforce) ||
        !mirror(end_port, port, peer, fits))
      return;
    result_.enforcement[peer] = enforcement(fabric_, peer, options_.part_enforce);
  }

  auto blocks_of(sm::PortIndex port) const {
    return result_.blocks.slice(fabric_.ports[port].first_p_key_block,
                                fabric_.ports[port].p_key_blocks);
  }
  /// To be changed; store() keeps what became of it.
  std::span<mad::PKeyTable> load(sm::PortIndex port) {
    const auto blocks = blocks_of(port);
    table_.assign(blocks.begin(), blocks.end());
    return table_;
  }
  void store(sm::PortIndex port) {
    for (std::size_t block = 0; block < table_.size(); ++block)
      result_.blocks.set(fabric_.ports[port].first_p_key_block + block, table_[block]);
  }

  /// False if the table does not hold what it should: it was not read, or it is too small.
  bool fill(sm::EndPortIndex end_port, sm::PortIndex port) {
    const std::span<mad::PKeyTable> blocks = load(port);
    if (blocks.empty()) return false;
    const unsigned capacity = p_key_capacity(fabric_, port);
    const auto keys = map_.keys_of(end_port);
    const auto filled = filler_.fill(blocks, capacity, keys, map_.first_keys[end_port]);
    if (!filled) {
      report(port, fmt::format(
                       "P_Key table full: {}: no entry for P_Key {}: capacity {}, {} keys wanted; "
                       "the table is not changed",
                       fabric_.port_name(port), filled.error(), capacity, keys.size()));
    } else {
      store(port);
    }
    return filled.has_value();
  }

  /// False if the switch port cannot hold its neighbour's keys.
  bool mirror(sm::EndPortIndex end_port, sm::PortIndex port, sm::PortIndex peer,
              bool neighbour_fits) {
    if (fabric_.ports[peer].p_key_blocks == 0 || !fabric_.ports[peer].known) return false;
    neighbour_.clear();
    if (neighbour_fits) {
      unsigned left = usable(fabric_.ports[port].p_key_blocks, p_key_capacity(fabric_, port));
      for (const mad::PKeyTable& block : blocks_of(port)) {
        const unsigned entries = std::min(left, kPerBlock);
        left -= entries;
        if (is_empty(block)) continue;
        for (unsigned i = 0; i < entries; ++i) neighbour_.push_back(block.p_key(i));
      }
    } else {  // the keys that the neighbour may use, not those that it holds
      const auto keys = map_.keys_of(end_port);
      neighbour_.assign(keys.begin(), keys.end());
    }
    add_vports(port);
    const auto mirrored = filler_.mirror(load(peer), p_key_capacity(fabric_, peer), neighbour_);
    if (!mirrored) {
      report(port, fmt::format(
                       "P_Key table full: {}: no entry for P_Key {} of its neighbour {}; the port "
                       "does not enforce P_Keys",
                       fabric_.port_name(peer), mirrored.error(), fabric_.port_name(port)));
    } else {
      store(peer);
    }
    return mirrored.has_value();
  }

  /// Those of the port's vports that it has not itself.
  void add_vports(sm::PortIndex port) {
    const auto found = vport_keys_.find(port);
    if (found == vport_keys_.end()) return;
    std::unordered_set<std::uint16_t> present;
    for (const mad::PKey key : neighbour_) present.insert(key.value);
    for (const mad::PKey key : found->second)
      if (present.insert(key.value).second) neighbour_.push_back(key);
  }

  /// `port`: the end port whose keys are concerned.
  void report(sm::PortIndex port, std::string text) {
    result_.conditions.push_back({.id = sm::ConditionId::p_key_table_full,
                                  .text = std::move(text),
                                  .guid = fabric_.ports[port].guid});
  }

  const sm::Fabric& fabric_;
  const sm::PartitionMap& map_;
  const config::Options& options_;
  const VPortKeys& vport_keys_;
  TableFiller filler_;
  std::vector<mad::PKey> neighbour_;
  std::vector<mad::PKeyTable> table_;  // of one port
  PKeyTargets result_;
};

}  // namespace

PKeyTargets p_key_targets(const sm::Fabric& fabric, const sm::PartitionMap& map,
                          const config::Options& options, const VPortKeys& vport_keys) {
  return Targets(fabric, map, options, vport_keys).take();
}

PKeyTargets updated_p_key_targets(const sm::Fabric& fabric, const sm::PartitionMap& map,
                                  const config::Options& options, const VPortKeys& vport_keys,
                                  std::span<const sm::EndPortIndex> changed) {
  return Targets(fabric, map, options, vport_keys).take(changed);
}

tl::expected<std::vector<mad::PKeyTable>, mad::PKey> vport_p_keys(std::vector<mad::PKeyTable> held,
                                                                  unsigned capacity,
                                                                  std::span<const mad::PKey> keys,
                                                                  mad::PKey first,
                                                                  const config::Options& options) {
  const auto filled = TableFiller(placing(options)).fill(held, capacity, keys, first);
  if (!filled) return tl::unexpected(filled.error());
  return held;
}

}  // namespace partitions
