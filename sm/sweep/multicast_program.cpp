#include "sm/sweep/multicast_program.h"

#include <algorithm>

#include "fabric/plausible.h"
#include "mad/attributes/multicast_forwarding_table.h"
#include "mad/format.h"
#include "sm/sweep/stage.h"

namespace sm {
namespace {

using routing::HeldMulticast;
using routing::MftContent;
using routing::MftKnowledge;

class ReadUnits final : public Stage {
 public:
  ReadUnits(const ApplyOptions& options, const Fabric& fabric, const std::vector<MftUnit>& units,
            HeldMulticast& held, ApplyReport& report)
      : Stage(options, fabric, "multicast table blocks read", units.size(), report),
        units_(units),
        held_(held) {}

 private:
  PortIndex fill(std::size_t job, mad::SmpRequest& request) override {
    request.attribute = mad::AttributeId::multicast_forwarding_table;
    request.modifier = units_[job].modifier();
    return fabric_.nodes[node_of(job)].first_port;
  }
  void accept(std::size_t job, std::span<const std::uint8_t, 64> data) override {
    held_.learn(units_[job], data);
  }
  NodeIndex node_of(std::size_t job) const override {
    return fabric_.switches[units_[job].sw].node;
  }

  const std::vector<MftUnit>& units_;
  HeldMulticast& held_;
};

struct UnitWrite {
  MftUnit unit;
  MftContent content;
};

class WriteUnits final : public Stage {
 public:
  WriteUnits(const ApplyOptions& options, const Fabric& fabric, std::string_view what,
             const std::vector<UnitWrite>& writes, HeldMulticast& held, ApplyReport& report)
      : Stage(options, fabric, what, writes.size(), report), writes_(writes), held_(held) {
    // Until a switch has answered, it may have done it or not.
    for (const UnitWrite& write : writes) held.doubt(write.unit, write.content);
  }

 private:
  PortIndex fill(std::size_t job, mad::SmpRequest& request) override {
    request.method = mad::Method::set;
    request.attribute = mad::AttributeId::multicast_forwarding_table;
    request.modifier = writes_[job].unit.modifier();
    request.data = writes_[job].content;
    return fabric_.nodes[node_of(job)].first_port;
  }
  void accept(std::size_t job, std::span<const std::uint8_t, 64> data) override {
    const UnitWrite& write = writes_[job];
    held_.learn(write.unit, data);
    ++report_.writes;
    if (std::ranges::equal(data, write.content)) return;
    problem(fmt::format(
        "{} took block {} of its multicast table for ports from {}, but answers with another "
        "content",
        fabric_.name(node_of(job)), write.unit.block, write.unit.position * kMftPositionPorts));
  }
  NodeIndex node_of(std::size_t job) const override {
    return fabric_.switches[writes_[job].unit.sw].node;
  }

  const std::vector<UnitWrite>& writes_;
  HeldMulticast& held_;
};

struct TopWrite {
  SwitchIndex sw;
  mad::Mlid top;
};

class WriteTops final : public Stage {
 public:
  WriteTops(const ApplyOptions& options, Fabric& fabric, const std::vector<TopWrite>& writes,
            MulticastMemory& memory, ApplyReport& report)
      : Stage(options, fabric, "multicast tops written", writes.size(), report),
        truth_(fabric),
        writes_(writes),
        memory_(memory) {}

 private:
  PortIndex fill(std::size_t job, mad::SmpRequest& request) override {
    mad::SwitchInfo info = truth_.switches[writes_[job].sw].info;
    info.set_multicast_fdb_top(writes_[job].top.value);
    info.set_port_state_change(false);  // 1 would be the order to clear it
    request.method = mad::Method::set;
    request.attribute = mad::AttributeId::switch_info;
    std::ranges::copy(info.bytes(), request.data.begin());
    return truth_.nodes[node_of(job)].first_port;
  }
  void accept(std::size_t job, std::span<const std::uint8_t, 64> data) override {
    mad::SwitchInfo& info = truth_.switches[writes_[job].sw].info;
    const mad::SwitchInfo answered(data);
    if (!same_hardware(info, answered))
      return problem(
          fmt::format("{} answers SubnSet(SwitchInfo) with the capacities of another switch",
                      truth_.name(node_of(job))));
    ++report_.writes;
    info = answered;
    if (answered.multicast_fdb_top() == writes_[job].top.value) return;
    memory_.note_ignores_top(truth_.nodes[node_of(job)].guid);
    report_.lessons.push_back(
        fmt::format("{} acknowledges MulticastFDBTop and does not take it; it is not asked again",
                    truth_.name(node_of(job))));
  }
  NodeIndex node_of(std::size_t job) const override {
    return fabric_.switches[writes_[job].sw].node;
  }

  Fabric& truth_;
  const std::vector<TopWrite>& writes_;
  MulticastMemory& memory_;
};

enum class Tops { raise, lower };

/// Switches whose MulticastFDBTop is to move in this direction.
std::vector<TopWrite> top_writes(const Fabric& fabric, mad::Mlid top, const MulticastMemory& memory,
                                 Tops tops) {
  const HeldMulticast& held = memory.held();
  std::vector<bool> in_doubt(fabric.switches.size(), false);
  for (std::size_t number = 0; number < held.knowledge.size(); ++number) {
    const MftUnit unit = held.tables.unit(number);
    if (held.knowledge[number] == MftKnowledge::unknown && routing::has_unit(fabric, unit))
      in_doubt[unit.sw] = true;
  }
  std::vector<TopWrite> writes;
  for (const SwitchIndex sw : fabric.switches.indices()) {
    const Node& node = fabric.nodes[fabric.switches[sw].node];
    const mad::SwitchInfo& info = fabric.switches[sw].info;
    const bool has_top = (fabric.ports[node.first_port].info.capability_mask() &
                          mad::capability::kMulticastFdbTop) != 0;
    if (!has_top || info.multicast_fdb_cap() == 0 || memory.ignores_top(node.guid)) continue;
    // The table of `cap` entries ends at 0xBFFF + cap.
    const auto last =
        static_cast<unsigned>(mad::SwitchInfo::kNoMulticastEntries) + info.multicast_fdb_cap();
    const mad::Mlid its{static_cast<std::uint16_t>(std::min<unsigned>(top.value, last))};
    const unsigned now = info.multicast_fdb_top();
    const bool raises = now < its.value;
    if (now == its.value || raises != (tops == Tops::raise) || (raises && in_doubt[sw])) continue;
    writes.push_back({sw, its});
  }
  return writes;
}

boost::asio::awaitable<void> send(mad::SmpClient& client, const ApplyOptions& options,
                                  const Fabric& fabric, std::string_view what,
                                  const std::vector<UnitWrite>& writes, HeldMulticast& held,
                                  ApplyReport& report) {
  if (writes.empty()) co_return;
  WriteUnits stage(options, fabric, what, writes, held, report);
  co_await client.exchange(stage);
}

}  // namespace

boost::asio::awaitable<void> read_multicast(mad::SmpClient& client, const ApplyOptions& options,
                                            const Fabric& fabric, MulticastMemory& memory) {
  HeldMulticast& held = memory.held();
  std::vector<MftUnit> units;
  for (std::size_t number = 0; number < held.knowledge.size(); ++number) {
    const MftUnit unit = held.tables.unit(number);
    if (held.knowledge[number] == MftKnowledge::unknown && routing::has_unit(fabric, unit))
      units.push_back(unit);
  }
  if (units.empty()) co_return;
  // Neighbours in time are different switches, so that none is flooded.
  std::ranges::sort(units, {}, [](const MftUnit& unit) {
    return std::tuple(unit.block, unit.position, unit.sw);
  });
  ApplyReport report;  // what cannot be read is cleared, and a problem then if that fails too
  ReadUnits reading(options, fabric, units, held, report);
  co_await client.exchange(reading);
}

boost::asio::awaitable<MulticastReport> program_multicast(mad::SmpClient& client,
                                                          const ApplyOptions& options,
                                                          Fabric& fabric, const SwitchGraph& graph,
                                                          const MulticastTables& wanted,
                                                          bool use_top, MulticastMemory& memory) {
  MulticastReport report;
  HeldMulticast& held = memory.held();
  const mad::Mlid top = wanted.top();
  std::vector<UnitWrite> writes;
  for (const MftUnit unit : routing::mft_removals(fabric, held, wanted))
    writes.push_back({unit, routing::mft_remainder(held, wanted, unit)});
  co_await send(client, options, fabric, "multicast branches removed", writes, held,
                report.applied);

  if (use_top) {
    const std::vector<TopWrite> raised = top_writes(fabric, top, memory, Tops::raise);
    WriteTops raising(options, fabric, raised, memory, report.applied);
    co_await client.exchange(raising);
  }
  routing::Attainable attainable = routing::attainable(fabric, graph, held, wanted);
  writes.clear();
  for (const MftUnit unit : routing::mft_additions(fabric, held, wanted, attainable.tables)) {
    UnitWrite& write = writes.emplace_back();
    write.unit = unit;
    write.content = {};
    if (unit.block < attainable.tables.blocks())
      std::ranges::copy(attainable.tables.bytes(unit), write.content.begin());
  }
  co_await send(client, options, fabric, "multicast branches added", writes, held, report.applied);
  report.hold_back = std::move(attainable.hold_back);

  if (use_top) {
    const std::vector<TopWrite> lowered = top_writes(fabric, top, memory, Tops::lower);
    WriteTops lowering(options, fabric, lowered, memory, report.applied);
    co_await client.exchange(lowering);
  }
  co_return report;
}

}  // namespace sm
