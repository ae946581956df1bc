#include "routing/engines/distance/distance_engines.h"

#include <algorithm>
#include <unordered_map>

#include "mad/format.h"
#include "routing/balance/balance.h"
#include "routing/core/routing_conditions.h"

namespace routing {

using fabric::kNoIndex;
using fabric::PortIndex;
using fabric::SwitchIndex;

namespace {

SwitchIndex get_switch(const fabric::Fabric& fabric, mad::Guid guid) {
  const auto node = fabric.node_of_guid.find(guid);
  return node == fabric.node_of_guid.end() ? kNoIndex : fabric.nodes[node->second].switch_index;
}

// Translates a LID of the file to the present LID of the same port; 0 if the port has disappeared.
class LidTranslation {
 public:
  LidTranslation(const RoutingInput& input, const ForwardingFile& file) : lids_(input.lids) {
    for (const fabric::EndPortIndex end_port : lids_.of_end_port.indices())
      range_of_.emplace(input.fabric.ports[input.fabric.end_ports[end_port]].guid,
                        lids_.of_end_port[end_port]);
    for (std::size_t lid = 0; lid < file.owner_of_lid.size(); ++lid) {
      if (lid >= now_.size()) now_.resize(lid + 1, 0);
      if (file.owner_of_lid[lid] != mad::Guid{}) now_[lid] = translate(lid, file.owner_of_lid[lid]);
      has_owner_.push_back(file.owner_of_lid[lid] != mad::Guid{});
    }
  }
  std::size_t now(std::size_t lid) const {
    return lid < has_owner_.size() && has_owner_[lid] ? now_[lid] : lid;
  }

 private:
  std::uint16_t translate(std::size_t lid, mad::Guid owner) const {
    const auto range = range_of_.find(owner);
    if (range == range_of_.end() || range->second.count() == 0) return 0;
    return static_cast<std::uint16_t>(range->second.base.value + lid % range->second.count());
  }

  const fabric::LidMap& lids_;
  std::unordered_map<mad::Guid, fabric::LidMap::Range> range_of_;
  std::vector<std::uint16_t> now_;
  std::vector<bool> has_owner_;
};

tl::expected<RoutingResult, Refusal> from_tables(const RoutingInput& input,
                                                 const ForwardingFile& file) {
  auto result = minhop(input);
  if (!result) return result;
  fabric::ConditionList notes(kRoutingConditions.routing_note);
  for (fabric::Condition& found : result->conditions) notes.add(std::move(found.text));
  const std::size_t lids = input.lids.lid_top.value + std::size_t{1};
  std::vector<bool> in_file(lids, false);
  const LidTranslation translation(input, file);
  const auto for_each_entry = [&](const ForwardingFile::SwitchTable& row, auto&& visit) {
    for (std::size_t lid = 0; lid < row.out.size(); ++lid) {
      const std::size_t now = translation.now(lid);
      if (row.out[lid] != mad::kNoPort.value && now != 0 && now < lids) visit(now, row.out[lid]);
    }
  };
  for (const auto& row : file.rows)
    if (get_switch(input.fabric, row.sw) != kNoIndex)
      for_each_entry(row, [&](std::size_t lid, std::uint8_t) { in_file[lid] = true; });
  // LIDs with an entry in the file get no other entries.
  for (const SwitchIndex sw : input.graph.all_switches())
    for (std::size_t lid = 0; lid < lids; ++lid)
      if (in_file[lid]) result->lfts.writable_row(sw)[lid] = mad::kNoPort.value;
  std::size_t used = 0;
  for (const auto& row : file.rows) {
    const SwitchIndex sw = get_switch(input.fabric, row.sw);
    if (sw == kNoIndex) {
      notes.add(fmt::format("lfts_file: no switch {} in the fabric", row.sw));
      continue;
    }
    ++used;
    const auto cap = input.fabric.switches[sw].info.linear_fdb_cap();
    for_each_entry(row, [&](std::size_t lid, std::uint8_t out) {
      if (lid < cap) result->lfts.writable_row(sw)[lid] = out;
    });
  }
  if (used == 0) return tl::unexpected(Refusal{"lfts_file: no table of a switch of the fabric"});
  std::size_t missing = 0;
  for (std::size_t lid = 0; lid < input.lids.port_of_lid.size(); ++lid)
    missing += input.lids.port_of_lid[lid] != kNoIndex && !in_file[lid] ? 1u : 0u;
  if (missing > 0)
    notes.add(fmt::format("lfts_file: no entry for {} LIDs; they are routed by minhop", missing));
  forget_loads(*result);
  result->conditions = notes.take();
  return result;
}

// Selects the ports with the fewest hops according to the file.
class WrittenHops final : public Candidates {
 public:
  WrittenHops(const RoutingInput& input, const HopFile& file, fabric::ConditionList& notes)
      : graph_(input.graph), hops_of_(input.graph.switches()) {
    for (const auto& row : file.rows) {
      const SwitchIndex sw = get_switch(input.fabric, row.sw);
      if (sw == kNoIndex) {
        notes.add(fmt::format("lid_matrix_dump_file: no switch {} in the fabric", row.sw));
        continue;
      }
      for (const auto& destination : row.destinations) {
        SwitchIndex to = kNoIndex;
        if (destination.port != mad::Guid{})
          to = get_switch(input.fabric, destination.port);
        else if (const PortIndex owner = input.lids.owner(destination.lid); owner != kNoIndex)
          to = input.fabric.owning_node(owner).switch_index;
        if (to != kNoIndex) hops_of_[sw].emplace_back(to, &destination.hops);
      }
    }
  }

  void find(SwitchIndex sw, std::span<const fabric::ChannelIndex> channels,
            CandidateMasks& masks) const override {
    masks.clear(channels.size());
    for (const auto& [to, hops] : hops_of_[sw]) {
      const auto hops_by = [&, by_port = hops](fabric::ChannelIndex channel) {
        const std::uint8_t port = graph_.port[channel].value;
        return port < by_port->size() ? (*by_port)[port] : HopFile::kNoPath;
      };
      std::uint8_t least = HopFile::kNoPath;
      for (const fabric::ChannelIndex channel : channels) least = std::min(least, hops_by(channel));
      for (std::size_t i = 0; i < channels.size() && least != HopFile::kNoPath; ++i)
        if (hops_by(channels[i]) == least) masks.word(i / 64, to) |= std::uint64_t{1} << i % 64;
    }
  }

 private:
  const fabric::SwitchGraph& graph_;
  std::vector<std::vector<std::pair<SwitchIndex, const std::vector<std::uint8_t>*>>>
      hops_of_;  // [switch]: destination switches
};

}  // namespace

tl::expected<RoutingResult, Refusal> file(const RoutingInput& input) {
  if (input.options.lfts) return from_tables(input, *input.options.lfts);
  if (!input.options.hops)
    return tl::unexpected(Refusal{"neither lfts_file nor lid_matrix_dump_file is configured"});
  fabric::ConditionList notes(kRoutingConditions.routing_note);
  const ChannelSettings settings = channel_settings(input, notes);
  RoutingResult result;
  route_tables(input, settings, make_plan(input), WrittenHops(input, *input.options.hops, notes),
               std::nullopt, result);
  result.conditions = notes.take();
  return result;
}

}  // namespace routing
