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

unsigned p_key_capacity(const fabric::Fabric& fabric, fabric::PortIndex port) {
  const fabric::Node& node = fabric.owning_node(port);
  if (node.is_switch() && fabric.ports[port].number.value != 0)
    return fabric.switches[node.switch_index].info.partition_enforcement_cap();
  return std::max<unsigned>(node.info.partition_cap(), 1);
}

bool mirrors_neighbour(const fabric::Fabric& fabric, fabric::PortIndex port,
                       config::PartEnforce wanted) {
  const fabric::Node& node = fabric.owning_node(port);
  const fabric::Port& p = fabric.ports[port];
  if (!node.is_switch() || p.number.value == 0 || p.peer == fabric::kNoIndex ||
      fabric.owning_node(p.peer).is_switch())
    return false;
  return wanted != config::PartEnforce::off && p_key_capacity(fabric, port) > 0;
}

Enforcement enforcement(const fabric::Fabric& fabric, fabric::PortIndex port,
                        config::PartEnforce wanted) {
  if (!mirrors_neighbour(fabric, port, wanted)) return {};
  const mad::SwitchInfo& info = fabric.switches[fabric.owning_node(port).switch_index].info;
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
  const auto begin = std::ranges::lower_bound(keys, mad::p_key_base(key), {},
                                              [](mad::PKey each) { return mad::p_key_base(each); });
  for (auto it = begin; it != keys.end() && mad::p_key_base(*it) == mad::p_key_base(key); ++it) {
    if (same(*it, key)) return static_cast<std::size_t>(it - keys.begin());
  }
  return keys.size();
}

bool TableFiller::Latest::is(std::span<const mad::PKeyTable> blocks, unsigned its_capacity,
                             std::span<const mad::PKey> its_keys, mad::PKey its_first,
                             Preference its_preference) const {
  return !before.empty() && capacity == its_capacity && first == its_first &&
         preference == its_preference && std::ranges::equal(keys, its_keys) &&
         std::ranges::equal(before, blocks);
}

std::span<const mad::PKey> TableFiller::fill(std::span<mad::PKeyTable> blocks, unsigned capacity,
                                             std::span<const mad::PKey> keys, mad::PKey first,
                                             Preference preference) {
  if (filled_.is(blocks, capacity, keys, first, preference)) {
    std::ranges::copy(filled_.after, blocks.begin());
    return filled_.left_out;
  }
  filled_.before.assign(blocks.begin(), blocks.end());
  fill_anew(blocks, capacity, keys, first, preference);
  filled_.after.assign(blocks.begin(), blocks.end());
  filled_.capacity = capacity;
  filled_.keys.assign(keys.begin(), keys.end());
  filled_.first = first;
  filled_.preference = preference;
  return filled_.left_out;
}

std::span<const mad::PKey> TableFiller::mirror(std::span<mad::PKeyTable> blocks, unsigned capacity,
                                               std::span<const mad::PKey> neighbour) {
  if (mirrored_.is(blocks, capacity, neighbour, {}, {})) {
    std::ranges::copy(mirrored_.after, blocks.begin());
    return mirrored_.left_out;
  }
  mirrored_.before.assign(blocks.begin(), blocks.end());
  mirror_anew(blocks, capacity, neighbour);
  mirrored_.after.assign(blocks.begin(), blocks.end());
  mirrored_.capacity = capacity;
  mirrored_.keys.assign(neighbour.begin(), neighbour.end());
  return mirrored_.left_out;
}

/// Fills chosen_: as many keys as new_ has entries. The others are left out.
void TableFiller::choose(std::span<const mad::PKey> keys, mad::PKey first, Preference preference) {
  filled_.left_out.clear();
  chosen_.assign(keys.size(), keys.size() <= new_.size());
  if (keys.size() <= new_.size()) return;
  std::size_t room = new_.size();
  const auto take = [&](std::size_t key) {
    if (room == 0 || key == keys.size() || chosen_[key]) return;
    chosen_[key] = true;
    --room;
  };
  const auto take_held = [&] {
    for (const mad::PKey key : old_)
      if (mad::p_key_base(key) != 0) take(find(keys, key));
  };
  if (preference == Preference::held_keys) take_held();
  if (first != mad::PKey{}) take(find(keys, first));
  for (std::size_t key = 0; key < keys.size(); ++key)
    if (mad::p_key_base(keys[key]) == mad::p_key_base(mad::kDefaultPKeyFull)) take(key);
  if (preference == Preference::first_key) take_held();
  for (std::size_t key = 0; key < keys.size(); ++key) take(key);
  for (std::size_t key = 0; key < keys.size(); ++key)
    if (!chosen_[key]) filled_.left_out.push_back(keys[key]);
}

void TableFiller::fill_anew(std::span<mad::PKeyTable> blocks, unsigned capacity,
                            std::span<const mad::PKey> keys, mad::PKey first,
                            Preference preference) {
  load(blocks, capacity);
  choose(keys, first, preference);
  placed_.assign(keys.size(), false);
  const auto put = [&](std::size_t key, std::size_t index) {
    new_[index] = keys[key];
    placed_[key] = true;
  };
  std::size_t last = 0;  // index 0 counts as used: it is reserved for `first`
  const std::size_t first_key = first == mad::PKey{} ? keys.size() : find(keys, first);
  const bool has_first = first_key < keys.size() && chosen_[first_key];
  if (has_first) put(first_key, 0);
  // A running port without room for the key of index 0 keeps the one that it has there.
  const bool keeps_index_0 = first_key < keys.size() && !has_first;
  for (std::size_t index = 0; placing_.keep_indexes && index < old_.size(); ++index) {
    if (mad::p_key_base(old_[index]) == 0 || new_[index] != mad::PKey{}) continue;
    if (index == 0 && !keeps_index_0 &&
        mad::p_key_base(old_[index]) != mad::p_key_base(mad::kDefaultPKeyFull))
      continue;
    const std::size_t key = find(keys, old_[index]);
    if (key == keys.size() || placed_[key] || !chosen_[key]) continue;
    put(key, index);
    last = index;
  }
  new_keys_.clear();
  for (std::size_t key = 0; key < keys.size(); ++key) {
    if (chosen_[key] && !placed_[key]) new_keys_.push_back(key);
  }
  std::ranges::sort(new_keys_, {}, [&](std::size_t key) {
    return std::pair(swapped(mad::p_key_base(keys[key])), mad::is_full_member(keys[key]));
  });
  std::size_t hole = 1;
  for (const std::size_t key : new_keys_) {  // as many as there are entries, at most
    if (last + 1 < new_.size()) {
      put(key, ++last);
      continue;
    }
    while (hole < new_.size() && new_[hole] != mad::PKey{}) ++hole;
    put(key, hole < new_.size() ? hole : 0);
  }
  store(blocks);
}

void TableFiller::mirror_anew(std::span<mad::PKeyTable> blocks, unsigned capacity,
                              std::span<const mad::PKey> neighbour) {
  load(blocks, capacity);
  for (const mad::PKey key : neighbour) {
    if (mad::is_full_member(key)) full_.set(mad::p_key_base(key));
  }
  mirrored_.left_out.clear();
  std::size_t next = 0;
  for (const mad::PKey key : neighbour) {
    if (key == mad::PKey{} || (!mad::is_full_member(key) && full_.test(mad::p_key_base(key))))
      continue;
    if (next < new_.size()) {
      new_[next++] = key;
    } else {
      mirrored_.left_out.push_back(key);
    }
  }
  for (const mad::PKey key : neighbour) full_.reset(mad::p_key_base(key));
  if (mirrored_.left_out.empty()) store(blocks);
}

// ------------------------------------------------------------------------------------------
// all tables

std::string text_of_keys(std::span<const mad::PKey> keys) {
  constexpr std::size_t kRangesNamed = 16;
  if (keys.size() == 1) return fmt::format("P_Key {}", keys.front());
  std::string text = fmt::format("{} P_Keys (", keys.size());
  std::size_t ranges = 0;
  for (std::size_t first = 0; first < keys.size(); ++ranges) {
    if (ranges == kRangesNamed) {
      text += fmt::format(" and {} more", keys.size() - first);
      break;
    }
    std::size_t last = first;
    while (last + 1 < keys.size() && keys[last + 1].value == keys[last].value + 1) ++last;
    text += ranges == 0 ? "" : ", ";
    text += last == first ? fmt::format("{}", keys[first])
                          : fmt::format("{}-{}", keys[first], keys[last]);
    first = last + 1;
  }
  return text + ")";
}

namespace {

Placing placing(const config::Options& options) {
  return {.keep_indexes = options.keep_pkey_indexes, .both = options.allow_both_pkeys};
}

class Targets {
 public:
  Targets(const fabric::Fabric& fabric, const fabric::PartitionMap& map,
          const config::Options& options, const VPortKeys& vport_keys)
      : fabric_(fabric),
        map_(map),
        options_(options),
        vport_keys_(vport_keys),
        filler_(placing(options)) {
    result_.blocks = fabric.p_key_blocks;
    result_.enforcement.resize(fabric.ports.size());
  }

  PKeyTargets take() {
    for (const fabric::EndPortIndex end_port : fabric_.end_ports.indices()) decide(end_port);
    return std::move(result_);
  }

  PKeyTargets take(std::span<const fabric::EndPortIndex> changed) {
    for (const fabric::PortIndex port : fabric_.ports.indices()) {
      const mad::PortInfo& info = fabric_.ports[port].info;
      if (fabric_.ports[port].known && fabric_.owning_node(port).is_switch())
        result_.enforcement[port] = {.inbound = info.partition_enforcement_inbound(),
                                     .outbound = info.partition_enforcement_outbound()};
    }
    for (const fabric::EndPortIndex end_port : changed) decide(end_port);
    return std::move(result_);
  }

 private:
  void decide(fabric::EndPortIndex end_port) {
    const fabric::PortIndex port = fabric_.end_ports[end_port];
    if (!fabric_.ports[port].known) return;
    const bool known = fill(end_port, port);
    const fabric::PortIndex peer = fabric_.ports[port].peer;
    if (peer == fabric::kNoIndex || fabric_.owning_node(port).is_switch()) return;
    result_.enforcement[peer] = {};
    if (!mirrors_neighbour(fabric_, peer, options_.part_enforce) ||
        !mirror(end_port, port, peer, known))
      return;
    result_.enforcement[peer] = enforcement(fabric_, peer, options_.part_enforce);
  }

  auto blocks_of(fabric::PortIndex port) const {
    return result_.blocks.slice(fabric_.ports[port].first_p_key_block,
                                fabric_.ports[port].p_key_blocks);
  }
  /// To be changed; store() keeps what became of it.
  std::span<mad::PKeyTable> load(fabric::PortIndex port) {
    const auto blocks = blocks_of(port);
    table_.assign(blocks.begin(), blocks.end());
    return table_;
  }
  void store(fabric::PortIndex port) {
    for (std::size_t block = 0; block < table_.size(); ++block)
      result_.blocks.set(fabric_.ports[port].first_p_key_block + block, table_[block]);
  }

  /// False if the table was not read.
  bool fill(fabric::EndPortIndex end_port, fabric::PortIndex port) {
    const std::span<mad::PKeyTable> blocks = load(port);
    if (blocks.empty()) return false;
    const unsigned capacity = p_key_capacity(fabric_, port);
    const auto keys = map_.get_keys(end_port);
    const auto left_out =
        filler_.fill(blocks, capacity, keys, map_.first_keys[end_port], preference(port));
    store(port);
    if (left_out.empty()) return true;
    result_.left_out[end_port].assign(left_out.begin(), left_out.end());
    report(port,
           fmt::format("P_Key table full: {}: no entry for {}: capacity {}, {} keys wanted; it has "
                       "the others",
                       fabric_.port_name(port), text_of_keys(left_out), capacity, keys.size()));
    return true;
  }

  /// Clients of a port that carries data may use each key of its table.
  Preference preference(fabric::PortIndex port) const {
    return fabric_.ports[port].info.port_state() >= mad::PortState::armed ||
                   fabric_.owning_node(port).is_switch()
               ? Preference::held_keys
               : Preference::first_key;
  }

  /// False if the switch port cannot hold its neighbour's keys.
  bool mirror(fabric::EndPortIndex end_port, fabric::PortIndex port, fabric::PortIndex peer,
              bool is_neighbour_known) {
    if (fabric_.ports[peer].p_key_blocks == 0 || !fabric_.ports[peer].known) return false;
    neighbour_.clear();
    if (is_neighbour_known) {
      unsigned left = usable(fabric_.ports[port].p_key_blocks, p_key_capacity(fabric_, port));
      for (const mad::PKeyTable& block : blocks_of(port)) {
        const unsigned entries = std::min(left, kPerBlock);
        left -= entries;
        if (is_empty(block)) continue;
        for (unsigned i = 0; i < entries; ++i) neighbour_.push_back(block.p_key(i));
      }
    } else {  // the keys that the neighbour may use, not those that it holds
      const auto keys = map_.get_keys(end_port);
      neighbour_.assign(keys.begin(), keys.end());
    }
    add_vports(port);
    const auto left_out = filler_.mirror(load(peer), p_key_capacity(fabric_, peer), neighbour_);
    if (left_out.empty()) {
      store(peer);
      return true;
    }
    report(port, fmt::format(
                     "P_Key table full: {}: no entry for {} of its neighbour {}; the port does not "
                     "enforce P_Keys",
                     fabric_.port_name(peer), text_of_keys(left_out), fabric_.port_name(port)));
    return false;
  }

  /// Those of the port's vports that it has not itself.
  void add_vports(fabric::PortIndex port) {
    const auto found = vport_keys_.find(port);
    if (found == vport_keys_.end()) return;
    std::unordered_set<std::uint16_t> present;
    for (const mad::PKey key : neighbour_) present.insert(key.value);
    for (const mad::PKey key : found->second)
      if (present.insert(key.value).second) neighbour_.push_back(key);
  }

  /// `port`: the end port whose keys are concerned.
  void report(fabric::PortIndex port, std::string text) {
    result_.conditions.push_back({.id = fabric::ConditionId::p_key_table_full,
                                  .text = std::move(text),
                                  .guid = fabric_.ports[port].guid});
  }

  const fabric::Fabric& fabric_;
  const fabric::PartitionMap& map_;
  const config::Options& options_;
  const VPortKeys& vport_keys_;
  TableFiller filler_;
  std::vector<mad::PKey> neighbour_;
  std::vector<mad::PKeyTable> table_;  // of one port
  PKeyTargets result_;
};

}  // namespace

PKeyTargets p_key_targets(const fabric::Fabric& fabric, const fabric::PartitionMap& map,
                          const config::Options& options, const VPortKeys& vport_keys) {
  return Targets(fabric, map, options, vport_keys).take();
}

PKeyTargets updated_p_key_targets(const fabric::Fabric& fabric, const fabric::PartitionMap& map,
                                  const config::Options& options, const VPortKeys& vport_keys,
                                  std::span<const fabric::EndPortIndex> changed) {
  return Targets(fabric, map, options, vport_keys).take(changed);
}

fabric::PartitionMap without_left_out(fabric::PartitionMap map, const PKeyTargets& targets) {
  if (targets.left_out.empty()) return map;
  std::vector<mad::PKey> keys;
  keys.reserve(map.keys.size());
  for (const fabric::EndPortIndex end_port : map.first_keys.indices()) {
    const auto its = map.get_keys(end_port);
    map.offsets[end_port] = static_cast<std::uint32_t>(keys.size());
    const auto left_out = targets.left_out.find(end_port);
    std::ranges::copy_if(its, std::back_inserter(keys), [&](mad::PKey key) {
      return left_out == targets.left_out.end() ||
             std::ranges::find(left_out->second, key) == left_out->second.end();
    });
  }
  map.offsets[fabric::EndPortIndex(map.first_keys.size())] =
      static_cast<std::uint32_t>(keys.size());
  map.keys = std::move(keys);
  return map;
}

VPortPKeys vport_p_keys(std::vector<mad::PKeyTable> held, unsigned capacity,
                        std::span<const mad::PKey> keys, mad::PKey first, Preference preference,
                        const config::Options& options) {
  TableFiller filler(placing(options));
  const auto left_out = filler.fill(held, capacity, keys, first, preference);
  return {.table = std::move(held), .left_out = {left_out.begin(), left_out.end()}};
}

}  // namespace partitions
