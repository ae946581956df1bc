#include "sm/sweep/apply.h"

#include <algorithm>

#include "fabric/plausible.h"
#include "mad/attributes/linear_forwarding_table.h"
#include "mad/format.h"
#include "routing/verify/unicast_update.h"
#include "sm/sweep/link_settings.h"
#include "sm/sweep/stage.h"

namespace sm {
namespace {

/// One phase of an update.
class WriteTables final : public Stage {
 public:
  WriteTables(const ApplyOptions& options, const Fabric& fabric,
              const routing::UnicastUpdate& update, const std::vector<std::uint32_t>& phase,
              ApplyReport& report)
      : Stage(options, fabric, "forwarding table blocks written", phase.size(), report),
        update_(update),
        phase_(phase),
        acknowledged(phase.size(), false) {}

 private:
  const routing::LftUnit& unit(std::size_t job) const { return update_.units()[phase_[job]]; }
  PortIndex fill(std::size_t job, mad::SmpRequest& request) override {
    request.method = mad::Method::set;
    request.attribute = mad::AttributeId::linear_forwarding_table;
    request.modifier = unit(job).block;
    std::ranges::copy(update_.content(phase_[job]), request.data.begin());
    return fabric_.nodes[node_of(job)].first_port;
  }
  void accept(std::size_t job, std::span<const std::uint8_t, 64> data) override {
    acknowledged[job] = std::ranges::equal(data, update_.content(phase_[job]));
    if (acknowledged[job]) {
      ++report_.writes;
    } else {
      problem(
          fmt::format("{} took block {} of its forwarding table, but answers with another content",
                      fabric_.name(node_of(job)), unit(job).block));
    }
  }
  NodeIndex node_of(std::size_t job) const override { return fabric_.switches[unit(job).sw].node; }

  const routing::UnicastUpdate& update_;
  const std::vector<std::uint32_t>& phase_;

 public:
  std::vector<bool> acknowledged;  // by job
};

/// The switch leads some LID of the block into a cable that is gone: its packets are lost until it
/// is reported better.
bool leads_nowhere(const Fabric& fabric, const TableMemory& memory, const LftWrite& write) {
  if (!memory.is_known(write.sw, write.block)) return false;
  const NodeIndex node = fabric.switches[write.sw].node;
  return std::ranges::any_of(memory.tables()->block(write.sw, write.block), [&](std::uint8_t port) {
    return port != 0 && port <= fabric.nodes[node].num_ports &&
           !fabric.is_link_up(fabric.port(node, mad::PortNum{port}));
  });
}

mad::Lid lid_of_manager(const Fabric& fabric, const LidMap& lids) {
  const auto place = std::ranges::lower_bound(fabric.end_ports, fabric.sm_port);
  if (place == fabric.end_ports.end() || *place != fabric.sm_port) return {};
  return lids.of_end_port[EndPortIndex(place - fabric.end_ports.begin())].base;
}

/// Forwarding tables, in an order in which no packet circulates (routing/verify/unicast_update.h).
/// Who leads packets into nowhere comes first, what the manager itself is reached by last.
boost::asio::awaitable<void> write_tables(mad::SmpClient& client, const ApplyOptions& options,
                                          const Fabric& fabric, const std::vector<LftWrite>& writes,
                                          const Target& target, TableMemory& memory,
                                          ApplyReport& report) {
  std::vector<routing::LftUnit> units, others;
  for (const LftWrite& write : writes)
    (leads_nowhere(fabric, memory, write) ? units : others).push_back({write.sw, write.block});
  units.insert(units.end(), others.begin(), others.end());
  const std::shared_ptr<const ForwardingTables> before = memory.share();
  const routing::HeldUnicast held{before.get(), memory.known()};
  const SwitchGraph graph = make_switch_graph(fabric);
  routing::UnicastUpdate update(graph, held, *target.lfts, std::move(units),
                                lid_of_manager(fabric, target.lids));
  for (std::vector<std::uint32_t> phase = update.next_phase(); !phase.empty();
       phase = update.next_phase()) {
    WriteTables stage(options, fabric, update, phase, report);
    co_await client.exchange(stage);
    for (std::size_t job = 0; job < phase.size(); ++job)
      stage.acknowledged[job] ? update.acknowledged(phase[job]) : update.lost(phase[job]);
  }
  memory.adopt(target.lfts);
  for (const auto& left : update.left()) {
    const routing::LftUnit& unit = update.units()[left.unit];
    const bool was_known = before && unit.block < before->blocks() &&
                           held.known[unit.sw * before->blocks() + unit.block];
    if (!left.sent && was_known) {
      memory.read_back(unit.sw, unit.block, before->block(unit.sw, unit.block));
    } else {
      memory.forget_block(unit.sw, unit.block);
    }
  }
}

/// Writes whose answer becomes the fabric's new truth.
class WriteAttributes final : public Stage {
 public:
  WriteAttributes(const ApplyOptions& options, Fabric& fabric, std::string_view what,
                  const std::vector<Write>& writes, RefusedSettings& refused, ApplyReport& report)
      : Stage(options, fabric, what, writes.size(), report),
        truth_(fabric),
        writes_(writes),
        refused_(refused) {}

 private:
  PortIndex fill(std::size_t job, mad::SmpRequest& request) override {
    const Write& write = writes_[job];
    request.method = mad::Method::set;
    request.attribute = write.attribute;
    request.modifier = write.modifier;
    request.data = write.data;
    return write.port;
  }

  void accept(std::size_t job, std::span<const std::uint8_t, 64> data) override {
    const Write& write = writes_[job];
    Port& port = truth_.ports[write.port];
    ++report_.writes;
    switch (write.attribute) {
      case mad::AttributeId::port_info:
        accept_port_info(write, mad::PortInfo(data));
        break;
      case mad::AttributeId::switch_info:
        accept_switch_info(write, mad::SwitchInfo(data));
        break;
      case mad::AttributeId::p_key_table: {
        const unsigned block = write.modifier & 0xFFFFu;
        const mad::PKeyTable before = block < port.p_key_blocks
                                          ? truth_.p_key_blocks[port.first_p_key_block + block]
                                          : mad::PKeyTable{};
        if (!std::ranges::equal(data, write.data) && !std::ranges::equal(data, before.bytes()))
          return disbelieve(write, "neither the old nor the new keys");
        if (block < port.p_key_blocks)
          truth_.p_key_blocks[port.first_p_key_block + block] = mad::PKeyTable(data);
        if (!std::ranges::equal(data, write.data))
          note_refusal(fmt::format("{} did not take block {} of its P_Key table",
                                   truth_.port_name(write.port), block));
        break;
      }
      default:
        break;
    }
  }

  /// An answer that cannot be true is not kept: the sweep counts as failed, and everything is read
  /// again soon.
  void disbelieve(const Write& write, std::string_view why) {
    problem(fmt::format("{} answers SubnSet({}) with nonsense: {}", truth_.port_name(write.port),
                        mad::name(write.attribute), why));
  }

  void accept_switch_info(const Write& write, const mad::SwitchInfo& answered) {
    mad::SwitchInfo& info = truth_.switches[truth_.node_of(write.port).switch_index].info;
    if (!same_hardware(info, answered))
      return disbelieve(write, "the capacities of another switch");
    info = answered;
  }

  void accept_port_info(const Write& write, const mad::PortInfo& answered) {
    Port& port = truth_.ports[write.port];
    if (!same_hardware(port.info, answered))
      return disbelieve(write, "the capabilities of another port");
    const mad::PortInfo asked(write.data);
    if (asked.port_state() > answered.port_state()) {
      problem(fmt::format("{} should be {}, and is {}", truth_.port_name(write.port),
                          name(asked.port_state()), name(answered.port_state())));
    }
    const RefusedSettings::Lesson lesson =
        refused_.learn(truth_, write.port, port.info, asked, answered);
    if (!lesson.newly_refused.empty()) {
      report_.lessons.push_back(
          fmt::format("{} acknowledges and does not take: {}; devices of its model are not asked "
                      "for these again",
                      truth_.port_name(write.port), fmt::join(lesson.newly_refused, ", ")));
    }
    if (lesson.others_refused)
      note_refusal(fmt::format("{} did not take all of its PortInfo:{}",
                               truth_.port_name(write.port), differences(answered, asked)));
    port.info = answered;
  }

  /// The node answered that all is well, and holds something else: it cannot do what we want. Told,
  /// but no failure of the sweep.
  void note_refusal(std::string text) {
    if (report_.problems.size() < kProblemsListed) report_.problems.push_back(std::move(text));
  }

  static std::string differences(const mad::PortInfo& is, const mad::PortInfo& wanted) {
    std::string text;
    const PortInfoMask refused = refused_fields(wanted, is);
    for (const mad::Field& field : mad::PortInfo::kFields) {
      if (mad::read(refused, field) != 0)
        text += fmt::format(" {}={} (wanted {})", field.name, mad::read(is.bytes(), field),
                            mad::read(wanted.bytes(), field));
    }
    return text;
  }

  NodeIndex node_of(std::size_t job) const override { return truth_.ports[writes_[job].port].node; }

  Fabric& truth_;
  const std::vector<Write>& writes_;
  RefusedSettings& refused_;
};

class ReadTables final : public Stage {
 public:
  ReadTables(const ApplyOptions& options, const Fabric& fabric, const std::vector<LftWrite>& blocks,
             TableMemory& memory, ApplyReport& report)
      : Stage(options, fabric, "forwarding table blocks read", blocks.size(), report),
        blocks_(blocks),
        memory_(memory) {}

 private:
  PortIndex fill(std::size_t job, mad::SmpRequest& request) override {
    request.attribute = mad::AttributeId::linear_forwarding_table;
    request.modifier = blocks_[job].block;
    return fabric_.nodes[fabric_.switches[blocks_[job].sw].node].first_port;
  }
  void accept(std::size_t job, std::span<const std::uint8_t, 64> data) override {
    memory_.read_back(blocks_[job].sw, blocks_[job].block, data);
  }
  NodeIndex node_of(std::size_t job) const override {
    return fabric_.switches[blocks_[job].sw].node;
  }

  const std::vector<LftWrite>& blocks_;
  TableMemory& memory_;
};

/// Ports that are Armed, and whose other end is too.
std::vector<Write> activations(const Fabric& fabric, const Target& target) {
  std::vector<Write> writes;
  for (const PortIndex index : fabric.ports.indices()) {
    const Port& port = fabric.ports[index];
    if (!port.known || port.info.port_state() != mad::PortState::armed ||
        !may_activate(fabric, target, index))
      continue;
    if (fabric.ports[port.peer].info.port_state() < mad::PortState::armed) continue;
    mad::PortInfo info = port.info;
    info.set_port_state(mad::PortState::active);
    info.set_port_physical_state(mad::PortPhysicalState::no_change);
    info.set_client_reregister(false);  // that order went out with the settings
    Write write{.attribute = mad::AttributeId::port_info,
                .modifier = port_info_modifier(fabric, index),
                .port = index,
                .data = {}};
    std::ranges::copy(info.bytes(), write.data.begin());
    writes.push_back(write);
  }
  return writes;
}

}  // namespace

boost::asio::awaitable<ApplyReport> apply(mad::SmpClient& client, const ApplyOptions& options,
                                          const Plan& plan, const Target& target, Fabric& fabric,
                                          TableMemory& memory, RefusedSettings& refused) {
  ApplyReport report;
  if (target.lfts) {
    co_await write_tables(client, options, fabric, plan.tables, target, memory, report);
  }
  WriteAttributes nodes(options, fabric, "switches and P_Key tables written", plan.nodes, refused,
                        report);
  co_await client.exchange(nodes);
  WriteAttributes ports(options, fabric, "ports configured", plan.ports, refused, report);
  co_await client.exchange(ports);
  WriteAttributes restarts(options, fabric, "links restarted", plan.restarts, refused, report);
  co_await client.exchange(restarts);
  const std::vector<Write> armed = activations(fabric, target);
  WriteAttributes activation(options, fabric, "ports activated", armed, refused, report);
  co_await client.exchange(activation);
  report.activated = armed.size();
  co_return report;
}

boost::asio::awaitable<void> read_tables(mad::SmpClient& client, const ApplyOptions& options,
                                         const Fabric& fabric, TableMemory& memory) {
  std::vector<LftWrite> blocks;
  mad::Lid top;
  for (const SwitchIndex sw : fabric.switches.indices()) {
    const mad::SwitchInfo& info = fabric.switches[sw].info;
    const mad::Lid its_top{
        std::min({info.linear_fdb_top(), info.linear_fdb_cap(), mad::kUnicastLidMax.value})};
    if (its_top == mad::Lid{}) continue;
    for (std::uint32_t block = 0; block <= its_top.value / kLftBlockLids; ++block) {
      if (memory.is_known(sw, block)) continue;
      top = std::max(top, its_top);
      blocks.push_back({sw, block});
    }
  }
  if (blocks.empty()) co_return;
  // As in writing: one block of every switch before the next block of any.
  std::ranges::sort(blocks, {},
                    [](const LftWrite& write) { return std::pair(write.block, write.sw); });
  memory.make_room(top);
  ApplyReport report;  // a block that cannot be read counts as different, and will be written
  ReadTables reading(options, fabric, blocks, memory, report);
  co_await client.exchange(reading);
}

}  // namespace sm
