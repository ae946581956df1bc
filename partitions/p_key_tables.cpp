#include "partitions/p_key_tables.h"

#include <algorithm>
#include <functional>
#include <tuple>
#include <unordered_set>

#include "mad/format.h"
#include "partitions/partition_conditions.h"

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

/// Returns the index of the wanted key that equals `key` (see same()); keys.size() if there is
/// none.
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
  compute_fill(blocks, capacity, keys, first, preference);
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
  compute_mirror(blocks, capacity, neighbour);
  mirrored_.after.assign(blocks.begin(), blocks.end());
  mirrored_.capacity = capacity;
  mirrored_.keys.assign(neighbour.begin(), neighbour.end());
  return mirrored_.left_out;
}

/// Sets chosen_ for as many keys as new_ has entries, and leaves out the other keys.
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

void TableFiller::compute_fill(std::span<mad::PKeyTable> blocks, unsigned capacity,
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
  // A running port that has no room for the wanted first key keeps the key that it has at index 0.
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

void TableFiller::compute_mirror(std::span<mad::PKeyTable> blocks, unsigned capacity,
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

/// True if the API names this membership.
bool is_named_by_api(const RuntimePartitions* runtime, mad::Guid guid, mad::PKey key) {
  return runtime != nullptr && runtime->members().find({mad::p_key_base(key), guid}) != nullptr;
}

class Targets {
 public:
  Targets(const fabric::Fabric& fabric, const fabric::PartitionMap& map,
          const config::Options& options, const VPortKeys& vport_keys,
          const RuntimePartitions* runtime)
      : fabric_(fabric),
        map_(map),
        options_(options),
        vport_keys_(vport_keys),
        runtime_(runtime),
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
    const bool known = fill(end_port, port, map_.get_keys(end_port));
    const fabric::PortIndex peer = fabric_.ports[port].peer;
    if (peer == fabric::kNoIndex || fabric_.owning_node(port).is_switch()) return;
    result_.enforcement[peer] = {};
    if (!mirrors_neighbour(fabric_, peer, options_.part_enforce) ||
        fabric_.ports[peer].p_key_blocks == 0 || !fabric_.ports[peer].known ||
        !mirror(end_port, port, peer, known))
      return;
    result_.enforcement[peer] = enforcement(fabric_, peer, options_.part_enforce);
  }

  auto blocks_of(fabric::PortIndex port) const {
    return result_.blocks.slice(fabric_.ports[port].first_p_key_block,
                                fabric_.ports[port].p_key_blocks);
  }
  /// Loads a port's table so that the caller can change it; store() writes the changed table back.
  std::span<mad::PKeyTable> load(fabric::PortIndex port) {
    const auto blocks = blocks_of(port);
    table_.assign(blocks.begin(), blocks.end());
    return table_;
  }
  void store(fabric::PortIndex port) {
    for (std::size_t block = 0; block < table_.size(); ++block)
      result_.blocks.set(fabric_.ports[port].first_p_key_block + block, table_[block]);
  }

  /// Fills the table of an end port with `keys`. Returns false if the table was not read.
  bool fill(fabric::EndPortIndex end_port, fabric::PortIndex port,
            std::span<const mad::PKey> keys) {
    const std::span<mad::PKeyTable> blocks = load(port);
    if (blocks.empty()) return false;
    const unsigned capacity = p_key_capacity(fabric_, port);
    const mad::PKey first = map_.first_keys[end_port];
    const bool has_first = std::ranges::find(keys, first) != keys.end();
    const auto left_out =
        filler_.fill(blocks, capacity, keys, has_first ? first : mad::PKey{}, preference(port));
    store(port);
    if (left_out.empty()) return true;
    result_.left_out[end_port].assign(left_out.begin(), left_out.end());
    report(port,
           fmt::format("P_Key table full: {}: no entry for {}: capacity {}, {} keys wanted; it has "
                       "the others",
                       fabric_.port_name(port), text_of_keys(left_out), capacity, keys.size()));
    return true;
  }

  /// Prefers held keys if the port carries data: its clients may use each key of its table.
  Preference preference(fabric::PortIndex port) const {
    return fabric_.ports[port].info.port_state() >= mad::PortState::armed ||
                   fabric_.owning_node(port).is_switch()
               ? Preference::held_keys
               : Preference::first_key;
  }

  /// A key of the API that can be left out if the table of a switch port is too small.
  struct ApiKey {
    bool is_held = false;  // by the switch port
    mad::PKey key;
    bool of_vport = false;
    bool operator<(const ApiKey& other) const {
      return std::tuple(is_held, other.key.value) < std::tuple(other.is_held, key.value);
    }
  };

  /// Returns false if the switch port cannot hold its neighbour's keys.
  bool mirror(fabric::EndPortIndex end_port, fabric::PortIndex port, fabric::PortIndex peer,
              bool is_neighbour_known) {
    collect(end_port, port, is_neighbour_known, {});
    const unsigned capacity = p_key_capacity(fabric_, peer);
    auto left_out = filler_.mirror(load(peer), capacity, neighbour_);
    if (left_out.empty()) {
      store(peer);
      return true;
    }
    if (leave_api_keys_out(end_port, port, peer, is_neighbour_known, left_out.size())) return true;
    // The keys of the configuration alone exceed the capacity.
    collect(end_port, port, is_neighbour_known, {});
    left_out = filler_.mirror(load(peer), capacity, neighbour_);
    report(port, fmt::format(
                     "P_Key table full: {}: no entry for {} of its neighbour {}; the port does not "
                     "enforce P_Keys",
                     fabric_.port_name(peer), text_of_keys(left_out), fabric_.port_name(port)));
    return false;
  }

  /// Leaves out as many keys of the API as necessary, at the end port as well, so that the switch
  /// port enforces the others. Returns false, without changes, if the other keys alone are too
  /// many.
  bool leave_api_keys_out(fabric::EndPortIndex end_port, fabric::PortIndex port,
                          fabric::PortIndex peer, bool is_neighbour_known, std::size_t too_many) {
    const std::vector<ApiKey> candidates = api_keys(end_port, port, peer);
    if (candidates.empty()) return false;
    const std::vector<fabric::Condition> conditions_before = result_.conditions;
    const auto left_out_before = result_.left_out;
    std::vector<ApiKey> without;
    for (auto next = candidates.begin(); too_many > 0 && next != candidates.end();) {
      for (; too_many > 0 && next != candidates.end(); --too_many) without.push_back(*next++);
      result_.conditions = conditions_before;
      if (is_neighbour_known) refill(end_port, port, without);
      collect(end_port, port, is_neighbour_known, without);
      too_many = filler_.mirror(load(peer), p_key_capacity(fabric_, peer), neighbour_).size();
    }
    if (too_many > 0) {
      if (is_neighbour_known && !without.empty()) refill(end_port, port, {});
      result_.conditions = conditions_before;
      result_.left_out = left_out_before;
      return false;
    }
    store(peer);
    std::vector<mad::PKey> names;
    for (const ApiKey& key : without) names.push_back(key.key);
    std::ranges::sort(names, {}, &mad::PKey::value);
    report(port, fmt::format("P_Key table full: {}: no entry for {} that the API added to its "
                             "neighbour {}; the port enforces P_Keys without {}",
                             fabric_.port_name(peer), text_of_keys(names), fabric_.port_name(port),
                             names.size() == 1 ? "it" : "them"));
    return true;
  }

  /// Returns the keys behind a switch port that the API names; the first ones are left out first.
  std::vector<ApiKey> api_keys(fabric::EndPortIndex end_port, fabric::PortIndex port,
                               fabric::PortIndex peer) const {
    std::unordered_set<std::uint16_t> held;
    for (const mad::PKeyTable& block : blocks_of(peer))
      for (unsigned i = 0; i < kPerBlock; ++i) held.insert(block.p_key(i).value);
    std::vector<ApiKey> keys;
    const mad::Guid guid = fabric_.ports[port].guid;
    for (const mad::PKey key : map_.get_keys(end_port))
      if (is_named_by_api(runtime_, guid, key))
        keys.push_back({.is_held = held.contains(key.value), .key = key});
    if (const auto vports = vport_keys_.find(port); vports != vport_keys_.end())
      for (const VPortKey& key : vports->second)
        if (key.by_api)
          keys.push_back(
              {.is_held = held.contains(key.key.value), .key = key.key, .of_vport = true});
    std::ranges::sort(keys, std::less<>());
    return keys;
  }

  /// Fills the table of an end port again from its content as read, without the keys of `without`.
  void refill(fabric::EndPortIndex end_port, fabric::PortIndex port,
              std::span<const ApiKey> without) {
    const fabric::Port& p = fabric_.ports[port];
    for (std::size_t block = p.first_p_key_block; block < p.first_p_key_block + p.p_key_blocks;
         ++block)
      result_.blocks.set(block, fabric_.p_key_blocks[block]);
    result_.left_out.erase(end_port);
    std::vector<mad::PKey> keys, refused;
    for (const mad::PKey key : map_.get_keys(end_port))
      (is_among(without, key, false) ? refused : keys).push_back(key);
    fill(end_port, port, keys);
    if (refused.empty()) return;
    std::vector<mad::PKey>& all = result_.left_out[end_port];
    all.insert(all.end(), refused.begin(), refused.end());
    std::ranges::sort(all, {}, &mad::PKey::value);
  }

  static bool is_among(std::span<const ApiKey> keys, mad::PKey key, bool of_vport) {
    return std::ranges::any_of(
        keys, [&](const ApiKey& of) { return of.key == key && of.of_vport == of_vport; });
  }

  /// Fills neighbour_ with the keys behind a switch port, except those of `without`.
  void collect(fabric::EndPortIndex end_port, fabric::PortIndex port, bool is_known,
               std::span<const ApiKey> without) {
    neighbour_.clear();
    if (is_known) {
      unsigned left = usable(fabric_.ports[port].p_key_blocks, p_key_capacity(fabric_, port));
      for (const mad::PKeyTable& block : blocks_of(port)) {
        const unsigned entries = std::min(left, kPerBlock);
        left -= entries;
        if (is_empty(block)) continue;
        for (unsigned i = 0; i < entries; ++i) neighbour_.push_back(block.p_key(i));
      }
    } else {  // the keys that the neighbour may use, not those that it holds
      for (const mad::PKey key : map_.get_keys(end_port))
        if (!is_among(without, key, false)) neighbour_.push_back(key);
    }
    add_vports(port, without);
  }

  /// Adds the keys of the port's vports that the port itself does not have.
  void add_vports(fabric::PortIndex port, std::span<const ApiKey> without) {
    const auto found = vport_keys_.find(port);
    if (found == vport_keys_.end()) return;
    std::unordered_set<std::uint16_t> present;
    for (const mad::PKey key : neighbour_) present.insert(key.value);
    for (const VPortKey& key : found->second)
      if (!is_among(without, key.key, true) && present.insert(key.key.value).second)
        neighbour_.push_back(key.key);
  }

  /// Adds a condition about the keys of `port`, an end port.
  void report(fabric::PortIndex port, std::string text) {
    result_.conditions.push_back({.id = kPartitionConditions.p_key_table_full,
                                  .text = std::move(text),
                                  .guid = fabric_.ports[port].guid});
  }

  const fabric::Fabric& fabric_;
  const fabric::PartitionMap& map_;
  const config::Options& options_;
  const VPortKeys& vport_keys_;
  const RuntimePartitions* const runtime_;  // null: none
  TableFiller filler_;
  std::vector<mad::PKey> neighbour_;
  std::vector<mad::PKeyTable> table_;  // of one port
  PKeyTargets result_;
};

}  // namespace

PKeyTargets p_key_targets(const fabric::Fabric& fabric, const fabric::PartitionMap& map,
                          const config::Options& options, const VPortKeys& vport_keys,
                          const RuntimePartitions* runtime) {
  return Targets(fabric, map, options, vport_keys, runtime).take();
}

PKeyTargets updated_p_key_targets(const fabric::Fabric& fabric, const fabric::PartitionMap& map,
                                  const config::Options& options, const VPortKeys& vport_keys,
                                  std::span<const fabric::EndPortIndex> changed,
                                  const RuntimePartitions* runtime) {
  return Targets(fabric, map, options, vport_keys, runtime).take(changed);
}

void add_vport_keys(VPortKeys& to, fabric::PortIndex port, mad::Guid vport,
                    std::span<const mad::PKey> keys, const RuntimePartitions* runtime) {
  std::vector<VPortKey>& all = to[port];
  for (const mad::PKey key : keys)
    all.push_back({.key = key, .by_api = is_named_by_api(runtime, vport, key)});
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
