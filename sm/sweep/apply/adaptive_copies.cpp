#include "sm/sweep/apply/adaptive_copies.h"

#include <algorithm>
#include <set>

namespace sm {
namespace {

using fabric::GroupId;
using mad::ArGroupTable;
using mad::ArGroupTableCopy;

constexpr std::uint32_t kGroups = ArGroupTable::kSubGroups;  // of a block
constexpr std::size_t kWorthACopy = 3;                       // blocks, one of which is written

GroupId first_of(std::uint32_t block) { return static_cast<GroupId>(block * kGroups); }
GroupId last_of(std::uint32_t block) { return static_cast<GroupId>(block * kGroups + kGroups - 1); }

/// Holds blocks of one switch, all groups of which have the same ports.
struct EqualBlocks {
  PortSet ports;
  std::vector<std::uint32_t> blocks;  // ascending
};

void add(std::vector<EqualBlocks>& to, const PortSet& ports, std::uint32_t block) {
  const auto same = std::ranges::find(to, ports, &EqualBlocks::ports);
  if (same == to.end())
    to.push_back({.ports = ports, .blocks = {block}});
  else
    same->blocks.push_back(block);
}

/// The first block is the source of all others.
void add_copies(SwitchIndex sw, std::span<const std::uint32_t> blocks,
                std::vector<GroupCopy>& copies) {
  std::vector<ArGroupTableCopy::Range> ranges;
  for (const std::uint32_t block : blocks.subspan(1)) {
    if (!ranges.empty() && ranges.back().last + 1 == first_of(block))
      ranges.back().last = last_of(block);
    else
      ranges.push_back({first_of(block), last_of(block)});
  }
  for (std::size_t at = 0; at < ranges.size(); at += ArGroupTableCopy::kRanges) {
    const std::size_t end = std::min<std::size_t>(at + ArGroupTableCopy::kRanges, ranges.size());
    copies.push_back({sw,
                      first_of(blocks.front()),
                      {ranges.begin() + static_cast<std::ptrdiff_t>(at),
                       ranges.begin() + static_cast<std::ptrdiff_t>(end)}});
  }
}

}  // namespace

GroupPlan with_copies(const std::vector<TableBlock>& blocks, const GroupPorts& ports,
                      const std::function<bool(SwitchIndex)>& may_copy) {
  GroupPlan plan;
  for (auto begin = blocks.begin(); begin != blocks.end();) {
    const SwitchIndex sw = begin->sw;
    const auto end =
        std::find_if(begin, blocks.end(), [sw](const TableBlock& at) { return at.sw != sw; });
    if (static_cast<std::size_t>(end - begin) < kWorthACopy || !may_copy(sw)) {
      plan.blocks.insert(plan.blocks.end(), begin, end);
      begin = end;
      continue;
    }
    std::vector<EqualBlocks> equal;
    for (; begin != end; ++begin) {
      const PortSet first = ports(sw, first_of(begin->block));
      if (begin->block > 0 && first.any() && first == ports(sw, last_of(begin->block)))
        add(equal, first, begin->block);
      else
        plan.blocks.push_back(*begin);
    }
    for (const EqualBlocks& of : equal) {
      const bool is_worth_it = of.blocks.size() >= kWorthACopy;
      const std::size_t written = is_worth_it ? 1 : of.blocks.size();
      for (std::size_t i = 0; i < written; ++i)
        plan.blocks.push_back({.sw = sw, .block = of.blocks[i]});
      if (is_worth_it) add_copies(sw, of.blocks, plan.copies);
    }
  }
  std::ranges::sort(plan.blocks, {},
                    [](const TableBlock& at) { return std::pair(at.block, at.sw); });
  return plan;
}

std::unique_ptr<Stage> copy_writes(StageKind kind, const Fabric& fabric,
                                   const AdaptiveUpdate& update, std::vector<GroupCopy> copies,
                                   GroupPorts ports) {
  const auto write = [&](const GroupCopy& copy) {
    // Unused ranges repeat the last one: no public source says how a device handles empty ones.
    ArGroupTableCopy request;
    for (unsigned i = 0; i < ArGroupTableCopy::kRanges; ++i)
      request.set_range(i, copy.ranges[std::min<std::size_t>(i, copy.ranges.size() - 1)]);
    return make_write(request, ArGroupTableCopy::modifier(copy.source), port_of(fabric, copy.sw));
  };
  const auto note = [&, ports](const GroupCopy& copy, bool is_known) {
    for (const ArGroupTableCopy::Range& range : copy.ranges)
      for (unsigned group = range.first; group <= range.last; ++group) {
        const auto id = static_cast<GroupId>(group);
        note_group(update.device(copy.sw)->groups, id, ports(copy.sw, id), is_known);
      }
  };
  return adaptive_writes<GroupCopy>(
      kind, fabric, update, std::move(copies),
      {.write = write,
       .hold = [note](const GroupCopy& copy,
                      std::span<const std::uint8_t, 64>) { note(copy, true); },
       .may_hold = [note](const GroupCopy& copy) { note(copy, false); },
       // No public source says what a response to a copy shows.
       .is_taken = [](const GroupCopy&, std::span<const std::uint8_t, 64>) { return true; },
       .reject = [&](const GroupCopy& copy) { update.forbid_copies(copy.sw); }});
}

// ------------------------------------------------------------------------------------------
// proofs of copies

namespace {

bool has_obstacle(const AdaptiveUpdate& update, SwitchIndex sw) {
  return update.device(sw)->obstacle != AdaptiveState::off;
}

std::vector<Write> proof_requests(const Fabric& fabric, const AdaptiveUpdate& update,
                                  const std::vector<GroupCopy>& copies,
                                  const std::vector<SwitchIndex>& switches,
                                  const GroupPorts& ports) {
  std::set<std::pair<SwitchIndex, std::uint32_t>> blocks;
  for (const GroupCopy& copy : copies) {
    if (std::ranges::find(switches, copy.sw) == switches.end()) continue;
    blocks.emplace(copy.sw, 0);
    for (const ArGroupTableCopy::Range& range : copy.ranges) {
      const std::uint32_t first = ArGroupTable::block_of(range.first),
                          last = ArGroupTable::block_of(range.last);
      for (const std::uint32_t block : {first - 1, first, last}) blocks.emplace(copy.sw, block);
      if (last < ArGroupTable::block_of(update.top_of(copy.sw))) blocks.emplace(copy.sw, last + 1);
    }
  }
  std::vector<Write> requests;
  requests.reserve(blocks.size());
  for (const auto& [sw, block] : blocks)
    requests.push_back(
        {.attribute = mad::AttributeId::ar_group_table,
         .modifier = ArGroupTable::modifier(static_cast<std::uint16_t>(block)),
         .port = fabric.nodes[fabric.switches[sw].node].first_port,
         .data = group_block(ports(sw, first_of(block)), ports(sw, last_of(block)))});
  return requests;
}

}  // namespace

std::vector<SwitchIndex> switches_to_prove(const AdaptiveUpdate& update,
                                           const std::vector<GroupCopy>& copies) {
  std::set<AdaptiveModel> models;
  std::vector<SwitchIndex> switches;
  for (const GroupCopy& copy : copies)
    if (!update.has_proven_copies(copy.sw) && !has_obstacle(update, copy.sw) &&
        models.insert(update.model(copy.sw)).second)
      switches.push_back(copy.sw);
  return switches;
}

std::unique_ptr<Stage> copy_proofs(const Fabric& fabric, const AdaptiveUpdate& update,
                                   const std::vector<GroupCopy>& copies,
                                   const std::vector<SwitchIndex>& switches,
                                   const GroupPorts& ports) {
  const auto switch_of = [&](const Write& asked) {
    return fabric.owning_node(asked.port).switch_index;
  };
  return make_reads<Write>(
      StageKind::adaptive_addition, proof_requests(fabric, update, copies, switches, ports),
      std::identity(),
      {.accept =
           [&, switch_of](const Write& asked, std::span<const std::uint8_t, 64> data,
                          ApplyReport&) {
             if (!std::ranges::equal(asked.data, data)) update.forbid_copies(switch_of(asked));
           },
       .refuse =
           [&, switch_of](const Write& asked, std::uint16_t) {
             update.forbid_copies(switch_of(asked));
             return true;
           },
       .lose =
           [&, switch_of](const Write& asked) {
             update.device(switch_of(asked))
                 ->obstruct(AdaptiveState::silent, "no response to SubnGet(ARGroupTable)");
           }});
}

bool are_copies_proven(const AdaptiveUpdate& update, const std::vector<GroupCopy>& copies,
                       const std::vector<SwitchIndex>& proofs) {
  for (const SwitchIndex sw : proofs)
    if (update.may_copy(sw) && !has_obstacle(update, sw)) update.trust_copies(sw);
  bool all = true;
  for (const GroupCopy& copy : copies) {
    if (update.has_proven_copies(copy.sw) || has_obstacle(update, copy.sw)) continue;
    all = false;
    // The groups that the switch wrote are not known; groups beside the ranges may be among them.
    HeldGroups& groups = update.device(copy.sw)->groups;
    for (std::size_t block = 0; block < groups.known().size(); ++block)
      groups.set_known(static_cast<std::uint16_t>(block), false);
  }
  return all;
}

}  // namespace sm
