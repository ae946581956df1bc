#include "sm/sweep/devices/table_memory.h"

#include <algorithm>
#include <unordered_map>

namespace sm {
namespace {

/// Returns tables in which switch `i` has the table of switch sources[i] of `old`, or an empty one
/// for kNoIndex.
ForwardingTables rearranged(const ForwardingTables* old,
                            const IndexVector<SwitchIndex, SwitchIndex>& sources,
                            mad::Lid lid_top) {
  ForwardingTables tables(sources.size(), lid_top);
  for (const SwitchIndex sw : sources.indices()) {
    if (old != nullptr && sources[sw] != kNoIndex) tables.take_row(sw, *old, sources[sw]);
  }
  return tables;
}

}  // namespace

void TableMemory::update_from(const Fabric& fabric) {
  IndexVector<SwitchIndex, mad::Guid> switches;
  switches.reserve(fabric.switches.size());
  for (const Switch& sw : fabric.switches) switches.push_back(fabric.nodes[sw.node].guid);
  if (switches == switches_) return;

  std::unordered_map<mad::Guid, SwitchIndex> previous_index;
  for (const SwitchIndex sw : switches_.indices()) previous_index.emplace(switches_[sw], sw);
  IndexVector<SwitchIndex, SwitchIndex> sources;
  for (const mad::Guid guid : switches) {
    const auto previous = previous_index.find(guid);
    sources.push_back(previous == previous_index.end() ? kNoIndex : previous->second);
  }
  if (tables_) {
    const std::size_t blocks = tables_->blocks();
    std::vector<bool> known(sources.size() * blocks);
    for (const SwitchIndex sw : sources.indices()) {
      for (std::size_t block = 0; sources[sw] != kNoIndex && block < blocks; ++block)
        known[sw * blocks + block] = known_[sources[sw] * blocks + block];
    }
    tables_ =
        std::make_shared<ForwardingTables>(rearranged(tables_.get(), sources, tables_->lid_top()));
    known_ = std::move(known);
    all_known_ = false;
  }
  std::map<std::pair<SwitchIndex, std::size_t>, Uncertain> uncertain;
  for (const SwitchIndex sw : sources.indices())
    for (auto of = uncertain_.lower_bound({sources[sw], 0});
         sources[sw] != kNoIndex && of != uncertain_.end() && of->first.first == sources[sw]; ++of)
      uncertain.emplace(std::pair(sw, of->first.second), of->second);
  uncertain_ = std::move(uncertain);
  switches_ = std::move(switches);
}

void TableMemory::forget(SwitchIndex sw) {
  for (std::size_t block = 0; tables_ && block < tables_->blocks(); ++block)
    forget_block(sw, block);
  std::erase_if(uncertain_, [sw](const auto& of) { return of.first.first == sw; });
}

void TableMemory::forget_all() {
  tables_.reset();
  known_.clear();
  all_known_ = false;
  uncertain_.clear();
}

bool TableMemory::knows_any_block(SwitchIndex sw) const {
  for (std::size_t block = 0; tables_ && block < tables_->blocks(); ++block) {
    if (is_known(sw, block)) return true;
  }
  return false;
}

void TableMemory::make_room(mad::Lid lid_top) {
  if (tables_ && tables_->lid_top() >= lid_top) return;
  IndexVector<SwitchIndex, SwitchIndex> same;
  for (const SwitchIndex sw : switches_.indices()) same.push_back(sw);
  const std::size_t old_blocks = tables_ ? tables_->blocks() : 0;
  auto larger = std::make_shared<ForwardingTables>(rearranged(tables_.get(), same, lid_top));
  std::vector<bool> known(same.size() * larger->blocks());
  for (const SwitchIndex sw : same) {
    for (std::size_t block = 0; block < old_blocks; ++block)
      known[sw * larger->blocks() + block] = known_[sw * old_blocks + block];
  }
  tables_ = std::move(larger);
  known_ = std::move(known);
  all_known_ = false;
}

void TableMemory::read_back(SwitchIndex sw, std::size_t block,
                            std::span<const std::uint8_t, kLftBlockLids> bytes) {
  if (!tables_ || block >= tables_->blocks()) return;
  // The blocks of a switch that was just powered on are empty. So are new rows, which share memory
  // until they differ.
  if (!std::ranges::equal(std::as_const(*tables_).block(sw, block), bytes)) {
    // A published snapshot may share the tables and must not change, so this makes a copy.
    if (tables_.use_count() > 1) tables_ = std::make_shared<ForwardingTables>(*tables_);
    std::ranges::copy(bytes, tables_->writable_block(sw, block).begin());
  }
  known_[sw * tables_->blocks() + block] = true;
  uncertain_.erase({sw, block});
}

void TableMemory::adopt(std::shared_ptr<ForwardingTables> tables) {
  tables_ = std::move(tables);
  known_.assign(tables_->switches() * tables_->blocks(), true);
  all_known_ = true;
  uncertain_.clear();
}

void TableMemory::invalidate_block(SwitchIndex sw, std::size_t block, Uncertain may_hold) {
  forget_block(sw, block);
  if (may_hold.misled.none() && may_hold.contents.empty()) return;
  Uncertain& its = uncertain_[{sw, block}];
  its.misled |= may_hold.misled;
  its.contents = std::move(may_hold.contents);
}

TableMemory::Uncertain TableMemory::uncertain(SwitchIndex sw, std::size_t block) const {
  const auto found = uncertain_.find({sw, block});
  return found == uncertain_.end() ? Uncertain{} : found->second;
}

TableMemory::Ports TableMemory::possible_ports(SwitchIndex sw,
                                               std::span<const mad::Lid> lids) const {
  Ports ports;
  std::size_t block = tables_ ? tables_->blocks() : 0;
  const Uncertain* unknown = nullptr;
  for (const mad::Lid lid : lids) {
    const std::size_t entry = lid.value % kLftBlockLids;
    if (const std::size_t its = lid.value / kLftBlockLids; its != block) {
      block = its;
      if (!tables_ || block >= tables_->blocks()) return ~Ports{};
      const auto found = uncertain_.find({sw, block});
      unknown = found == uncertain_.end() ? nullptr : &found->second;
    }
    if (!is_known(sw, block)) {
      if (unknown == nullptr || unknown->contents.empty()) return ~Ports{};
      for (const Content& content : unknown->contents) ports.set(content[entry]);
    }
    ports.set(std::as_const(*tables_).block(sw, block)[entry]);
  }
  return ports;
}

void TableMemory::note_written(SwitchIndex sw, std::size_t block) {
  if (!written_.has(sw)) written_.resize(sw + std::size_t{1});
  written_[sw].push_back(static_cast<std::uint16_t>(block));
}

std::optional<std::uint32_t> TableMemory::readback_block(SwitchIndex sw) const {
  if (!tables_) return std::nullopt;
  std::vector<std::size_t> latest(tables_->blocks());  // number of the latest write; 0: none
  if (written_.has(sw))
    for (std::size_t number = 0; number < written_[sw].size(); ++number)
      if (written_[sw][number] < latest.size()) latest[written_[sw][number]] = number + 1;
  std::optional<std::uint32_t> earliest;
  for (std::uint32_t block = 0; block < tables_->blocks(); ++block) {
    if (!is_known(sw, block) || (earliest && latest[block] > latest[*earliest])) continue;
    const bool is_empty = std::ranges::all_of(
        tables_->block(sw, block), [](std::uint8_t port) { return port == mad::kNoPort.value; });
    if (is_empty) continue;
    if (latest[block] == 0) return block;
    earliest = block;
  }
  return earliest;
}

void TableMemory::forget_block(SwitchIndex sw, std::size_t block) {
  if (!tables_ || block >= tables_->blocks()) return;
  known_[sw * tables_->blocks() + block] = false;
  all_known_ = false;
}

bool may_hold_tables(const Fabric& fabric, NodeIndex index) {
  const Node& node = fabric.nodes[index];
  if (node.is_switch()) return fabric.switches[node.switch_index].info.linear_fdb_top() != 0;
  return std::ranges::any_of(fabric.node_ports(index), [](const Port& port) {
    return port.known && port.info.port_state() >= mad::PortState::armed;
  });
}

}  // namespace sm
