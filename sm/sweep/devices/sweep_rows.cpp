#include "sm/sweep/devices/sweep_rows.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "mad/attributes/vendor.h"
#include "mad/format.h"
#include "sm/sweep/devices/extended_port_infos.h"
#include "sm/sweep/devices/stage_requests.h"

namespace sm {
namespace {

using mad::AttributeId;
using AttributeData = std::span<const std::uint8_t, 64>;

const Node& node_at(const RowContext& context, PortIndex port) {
  return context.fabric.owning_node(port);
}

// ------------------------------------------------------------------------------------------
// routers

void fail_router(const RowContext& context, const Write& asked, std::uint16_t status) {
  // IBTA Vol 1, 13.4.7: the code is in bits 4..2.
  constexpr std::uint16_t kCode = 0x1C, kUnsupportedAttribute = 0x0C;
  DeviceTable& table = context.devices.table;
  unsigned opportunities = 0;  // of the router, whichever of its attributes was silent
  for (auto& [key, held] : node_blocks(table.blocks, node_at(context, asked.port).guid)) {
    if (!is_router_attribute(key.attribute)) continue;
    held.bytes.reset();
    held.failure = Failure::none;
    opportunities = std::max(opportunities, std::exchange(held.opportunities, 0u));
  }
  HeldBlock& failed = table.blocks[block_key(context.fabric, asked)];
  failed.fail(status,
              (status & kCode) == kUnsupportedAttribute ? Failure::unsupported : Failure::deferred);
  failed.opportunities = opportunities;
}

/// Stores RouterInfo, and forgets the tables that have changed.
void store_router_info(const RowContext& context, const Write& asked, AttributeData data) {
  DeviceTable& table = context.devices.table;
  const mad::Guid node = node_at(context, asked.port).guid;
  const auto before = known_router_info(table, node);
  const mad::RouterInfo now(data);
  if (!before || now.adj_table_change() || now.adj_top() != before->adj_top())
    table.forget({AttributeId::adjacent_subnets_table}, node);
  if (!before || now.next_hop_change() || now.next_hop_top() != before->next_hop_top())
    table.forget({AttributeId::next_hop_table}, node);
  table.blocks[block_key(context.fabric, asked)].store(data);
}

/// Returns the blocks of a router's table, if one of them is due.
template <class Table>
std::uint32_t due_router_blocks(const RowContext& context, PortIndex port,
                                std::uint32_t (*top)(const mad::RouterInfo&)) {
  const DeviceTable& table = context.devices.table;
  const mad::Guid node = node_at(context, port).guid;
  const auto info = known_router_info(table, node);
  if (!info) return 0;
  const std::uint32_t blocks = (top(*info) + Table::kEntries - 1) / Table::kEntries;
  for (std::uint32_t block = 0; block < blocks; ++block)
    if (table.is_due(
            {.place = {.node = node}, .attribute = Table::kId, .block = Table::modifier(block)}))
      return blocks;
  return 0;
}

// ------------------------------------------------------------------------------------------
// adaptive routing

AdaptiveDevice& switch_at(const RowContext& context, PortIndex port) {
  return context.devices.adaptive.at(node_at(context, port).guid);
}

/// Returns null if the switch cannot route adaptively.
AdaptiveDevice* known_switch(const RowContext& context, PortIndex port) {
  return context.devices.adaptive.find(node_at(context, port).guid);
}

/// Returns the switch if it routes adaptively by tables that were not read.
AdaptiveDevice* with_found_tables(const RowContext& context, PortIndex port) {
  AdaptiveDevice* const its = known_switch(context, port);
  return its != nullptr && its->is_active() && !its->tables_read ? its : nullptr;
}

void store_ar_info(const RowContext& context, const Write& asked, AttributeData data) {
  AdaptiveDevice& its = switch_at(context, asked.port);
  its.info = mad::AdaptiveRoutingInfo(data);
  its.info_stale = false;
  if (its.info->group_cap() > 1) return;
  its.obstacle = AdaptiveState::unsupported;
  its.reason = fmt::format("ARInfo has GroupCap {}", its.info->group_cap());
}

void fail_ar_info(const RowContext& context, const Write& asked, std::uint16_t status) {
  AdaptiveDevice& its = switch_at(context, asked.port);
  its.obstacle = status == 0 ? AdaptiveState::silent : AdaptiveState::refused;
  its.reason = status == 0 ? "no response to SubnGet(ARInfo)"
                           : fmt::format("it rejects SubnGet(ARInfo): status {:#06x}", status);
}

void store_groups(const RowContext& context, const Write& asked, AttributeData data) {
  const mad::ArGroupTable table(data);
  HeldGroups& groups = switch_at(context, asked.port).groups;
  for (unsigned half = 0; half < mad::ArGroupTable::kSubGroups; ++half) {
    PortSet ports;
    for (unsigned port = 1; port < ports.size(); ++port)
      if (table.has_port(half, mad::PortNum{static_cast<std::uint8_t>(port)})) ports.set(port);
    groups.set(static_cast<GroupId>(asked.modifier * mad::ArGroupTable::kSubGroups + half), ports);
  }
  groups.set_known(static_cast<std::uint16_t>(asked.modifier), true);
}

/// Stores how the switch forwards, whatever its LinearForwardingTable says.
void store_entries(const RowContext& context, const Write& asked, AttributeData data) {
  const mad::ArLinearForwardingTable table(data);
  FormBlock forms;
  std::array<std::uint8_t, kArBlockLids> static_ports;
  for (unsigned entry = 0; entry < forms.size(); ++entry) {
    const mad::ArLinearForwardingTable::Entry its = table.entry(entry);
    forms[entry] = adaptive_form(its.state, its.group);
    static_ports[entry] = its.static_port.value;
  }
  AdaptiveDevice& its = switch_at(context, asked.port);
  its.set_form(asked.modifier, context.devices.adaptive.blocks.number(forms));
  const std::size_t first = asked.modifier * static_ports.size(), block = first / kLftBlockLids,
                    offset = first % kLftBlockLids;
  const SwitchIndex sw = node_at(context, asked.port).switch_index;
  TableMemory& lfts = context.devices.lfts;
  if (!lfts.is_known(sw, block)) return;
  std::array<std::uint8_t, kLftBlockLids> held;
  std::ranges::copy(lfts.tables()->block(sw, block), held.begin());
  if (std::ranges::equal(std::span(held).subspan(offset, static_ports.size()), static_ports))
    return;
  std::ranges::copy(static_ports, held.begin() + static_cast<std::ptrdiff_t>(offset));
  lfts.read_back(sw, block, held);
  its.stale_blocks.insert(static_cast<std::uint32_t>(block));
}

std::uint32_t entry_blocks(const RowContext& context, PortIndex port) {
  if (with_found_tables(context, port) == nullptr) return 0;
  const Switch& sw = context.fabric.switches[node_at(context, port).switch_index];
  const std::uint32_t top =
      std::min<std::uint32_t>(sw.info.linear_fdb_top(), mad::kUnicastLidMax.value);
  return static_cast<std::uint32_t>(top / kArBlockLids) + 1;
}

// ------------------------------------------------------------------------------------------
// MlnxExtPortInfo

/// Only a request for FDR10 makes the speeds known of a device that does not have it.
void store_extended(const RowContext& context, const Write& asked, AttributeData data,
                    bool of_fdr10) {
  DeviceTable& table = context.devices.table;
  const HeldBlock& device = table.blocks[fdr10_key(node_at(context, asked.port).guid)];
  HeldBlock& held = table.blocks[block_key(context.fabric, asked)];
  const bool knows_speeds =
      of_fdr10 || held.is_known(kSpeedsPart) || device.failure == Failure::none;
  held.store(data);
  if (!knows_speeds) held.stale = kSpeedsPart;
}

std::string fdr10_rejection(const RowContext& context, const Write& write, AttributeData data) {
  const mad::MlnxExtPortInfo asked(write.data);
  if (is_fdr10_on(mad::MlnxExtPortInfo(data)) == is_fdr10_on(asked)) return {};
  return fmt::format(
      "{} does not take LinkSpeedEnabled {:#x} (FDR10); it is not set again before "
      "the link trains",
      context.fabric.port_name(write.port), asked.link_speed_enabled());
}

/// After a failure, the OOOSLMask that the port has is not known: packets to the CA keep their
/// order.
constexpr SweepRow out_of_order_row(StageKind stage) {
  return {.attribute = AttributeId::mlnx_ext_port_info,
          .stage = stage,
          .part = kSlMaskPart,
          .silence = Failure::retried,
          .rejection = Failure::retried,
          .forgotten_at = forgotten::kOtherManager,
          .store = [](const RowContext& context, const Write& asked, AttributeData data) {
            store_extended(context, asked, data, false);
          }};
}

/// Returns 1 if the only block is due: the device may have the attribute, and has not failed.
std::uint32_t due_blocks(const RowContext& context, const SweepRow& row, const Write& asked) {
  const DeviceTable& table = context.devices.table;
  const Node& node = node_at(context, asked.port);
  const mad::AttributeRow& attribute = mad::attribute_row(asked.attribute);
  const PortIndex end_port = node.is_switch() ? node.first_port : asked.port;
  if (row.may_have != nullptr
          ? !row.may_have(node.info)
          : !attribute.announced.is_made(node.info, context.fabric.ports[end_port].info))
    return 0;
  const HeldBlock* const device = table.find(device_key(node.guid, asked.attribute, row.part));
  if (attribute.is_of_port() && device != nullptr && device->failure != Failure::none) return 0;
  return table.is_due(block_key(context.fabric, asked), row.part) ? 1 : 0;
}

void store_block(const RowContext& context, const RowRequest& request, AttributeData data) {
  DeviceTable& table = context.devices.table;
  const BlockKey key = block_key(context.fabric, request.write);
  table.blocks[key].store(data);
  if (key.place.port.value != 0)  // the device has responded
    table.blocks.try_emplace(
        device_key(key.place.node, request.write.attribute, request.row->part));
}

/// Returns "" if the response to a SubnSet shows what was wanted.
std::string rejection_text(const RowContext& context, const RowRequest& request,
                           AttributeData data) {
  const auto& [row, asked] = request;
  if (row->reject_text != nullptr) return row->reject_text(context, asked, data);
  if (row->wanted == nullptr) return {};
  const std::string differences = mad::difference_text(
      mad::constant_changes(mad::attribute_row(asked.attribute), asked.data, data));
  if (differences.empty()) return {};
  return fmt::format("{} does not take {}: {}", context.fabric.port_name(asked.port),
                     mad::name(asked.attribute), differences);
}

/// Handles a request of the row that was rejected with this status, or not answered (status 0).
void fail_request(const RowContext& context, const RowRequest& request, bool is_set,
                  std::uint16_t status) {
  const auto& [row, asked] = request;
  if (is_set && row->wanted != nullptr) {
    HeldBlock& held = context.devices.table.blocks[block_key(context.fabric, asked)];
    held.rejected = static_cast<std::uint8_t>(held.rejected | row->part);
    return;
  }
  if (!is_set && row->fail != nullptr) return row->fail(context, asked, status);
  const Failure failure = status == 0 ? row->silence : row->rejection;
  if (failure == Failure::none) return;
  DeviceTable& table = context.devices.table;
  BlockKey key = block_key(context.fabric, asked);
  if (is_set) table.blocks[key].invalidate(row->part);
  if (key.place.port.value != 0) key = device_key(key.place.node, asked.attribute, row->part);
  table.blocks[key].fail(status, failure);
}

}  // namespace

PortIndex entry_port(const Fabric& fabric, const Node& node) {
  PortIndex port = node.first_port;
  while (!node.is_switch() && port + 1 < node.first_port + node.num_ports &&
         !fabric.ports[port].known)
    ++port;
  return port;
}

BlockKey block_key(const Fabric& fabric, const Write& request) {
  BlockKey key{.place = port_place(fabric, request.port), .attribute = request.attribute};
  if (!mad::attribute_row(request.attribute).is_of_port()) {
    key.place.port = {};
    key.block = request.modifier;
  }
  return key;
}

void forget_rows(DeviceTable& table, std::uint8_t event, mad::Guid node) {
  for (const SweepRow* const row : sweep_rows()) {
    if ((row->forgotten_at & event) == 0) continue;
    if (mad::attribute_row(row->attribute).is_of_port())
      table.invalidate(row->attribute, row->part, node);
    else
      table.forget({row->attribute}, node);
  }
}

void forget_after_survey(DeviceTable& table, const Fabric& fabric) {
  const auto is_after_restart = [&](const BlockKey& key) {
    const auto node = fabric.node_of_guid.find(key.place.node);
    return (node == fabric.node_of_guid.end() || !may_hold_tables(fabric, node->second)) &&
           std::ranges::any_of(sweep_rows(), [&](const SweepRow* row) {
             return (row->forgotten_at & forgotten::kRestart) != 0 &&
                    row->attribute == key.attribute &&
                    (!mad::attribute_row(key.attribute).is_of_port() || row->part == key.block);
           });
  };
  std::erase_if(table.blocks, [&](const auto& entry) {
    const BlockKey& key = entry.first;
    return key.place.port.value != 0 ? find_place(fabric, key.place) == kNoIndex
                                     : is_after_restart(key);
  });
  for (auto& [key, held] : table.blocks) {
    if (key.place.port.value == 0) continue;
    const Port& port = fabric.ports[find_place(fabric, key.place)];
    if (port.known && port.info.port_state() > mad::PortState::init) continue;
    for (const SweepRow* const row : sweep_rows())
      if (row->attribute == key.attribute && (row->forgotten_at & forgotten::kTraining) != 0)
        held.invalidate(row->part);
  }
}

RowRequest row_request(const Fabric& fabric, const SweepRow& row, PortIndex port) {
  const Port& its = fabric.ports[port];
  const mad::PortFacts facts{
      .node = fabric.owning_node(port).info, .info = its.info, .number = its.number};
  return {.row = &row,
          .write = {.attribute = row.attribute,
                    .modifier = mad::attribute_row(row.attribute).modifiers(facts).front(),
                    .port = port,
                    .data = {}}};
}

std::vector<RowRequest> due_reads(const RowContext& context, std::span<const PortIndex> ports,
                                  std::initializer_list<const SweepRow*> rows) {
  std::vector<RowRequest> requests;
  for (const PortIndex port : ports)
    for (const SweepRow* const row : rows) {
      std::uint32_t blocks = row->blocks != nullptr ? row->blocks(context, port) : 1;
      if (blocks == 0) continue;
      RowRequest request = row_request(context.fabric, *row, port);
      if (row->blocks == nullptr) blocks = due_blocks(context, *row, request.write);
      for (std::uint32_t block = 0; block < blocks; ++block, ++request.write.modifier)
        requests.push_back(request);
    }
  return requests;
}

std::vector<RowRequest> due_writes(const RowContext& context, const SweepRow& row,
                                   const config::Options& options) {
  std::vector<RowRequest> requests;
  if (row.wanted == nullptr || (row.is_used != nullptr && !row.is_used(options))) return requests;
  for (const auto& [key, held] : context.devices.table.blocks) {
    if (key.attribute != row.attribute || !held.is_known(row.part) ||
        (held.rejected & row.part) != 0)
      continue;
    const auto found = context.fabric.node_of_guid.find(key.place.node);
    if (found == context.fabric.node_of_guid.end()) continue;
    const Node& node = context.fabric.nodes[found->second];
    if (row.may_have != nullptr && !row.may_have(node.info)) continue;
    const mad::SmpData wanted = row.wanted(options, *held.bytes);
    if (wanted == *held.bytes) continue;
    const bool is_of_port = key.place.port.value != 0;
    const PortIndex port = is_of_port ? context.fabric.port(found->second, key.place.port)
                                      : entry_port(context.fabric, node);
    RowRequest& request = requests.emplace_back(row_request(context.fabric, row, port));
    if (!is_of_port) request.write.modifier = key.block;
    request.write.data = wanted;
  }
  return requests;
}

std::unique_ptr<Stage> row_stage(const RowContext& context, mad::Method method,
                                 std::vector<RowRequest> requests) {
  const SweepRow row = requests.empty() ? SweepRow{} : *requests.front().row;
  const bool is_set = method == mad::Method::set;
  const auto accept = [=](const RowRequest& request, AttributeData data, ApplyReport& report) {
    if (request.row->store != nullptr)
      request.row->store(context, request.write, data);
    else
      store_block(context, request, data);
    if (!is_set) return;
    std::string text = rejection_text(context, request, data);
    if (text.empty()) {
      ++report.writes;
      return;
    }
    fail_request(context, request, true, 0);
    report.refusals.push_back(std::move(text));
  };
  const auto refuse = [=](const RowRequest& request, std::uint16_t status) {
    fail_request(context, request, is_set, status);
    return true;
  };
  // A Set that was rejected does not count, though the port may hold what was wanted.
  const auto accept_rejected = [accept](const RowRequest& request, std::uint16_t,
                                        AttributeData data, ApplyReport& report) {
    const std::size_t writes = report.writes;
    accept(request, data, report);
    if (request.row->wanted != nullptr) report.writes = writes;
  };
  return std::make_unique<Requests<RowRequest>>(
      row.stage, method, std::move(requests),
      [](const RowRequest& request) { return request.write; },
      Outcomes<RowRequest>{.accept = accept,
                           .refuse = refuse,
                           .lose = [refuse](const RowRequest& request) { refuse(request, 0); },
                           .accept_rejected = accept_rejected,
                           .may_fail = true,
                           .reads_back = is_set && row.wanted != nullptr});
}

// ------------------------------------------------------------------------------------------
// the rows

namespace rows {

// The link works without FDR10. A device that does not have it costs one request until it restarts.
const SweepRow fdr10{
    .attribute = AttributeId::mlnx_ext_port_info,
    .stage = StageKind::extended_port_info,
    .part = kSpeedsPart,
    .silence = Failure::unsupported,
    .rejection = Failure::unsupported,
    .forgotten_at = forgotten::kRestart | forgotten::kTraining | forgotten::kDifference,
    .is_read_after_sweeps = true,
    .is_used = [](const config::Options& options) { return fdr10_setting(options).has_value(); },
    .may_have = may_have_fdr10,
    .store = [](const RowContext& context, const Write& asked,
                AttributeData data) { store_extended(context, asked, data, true); },
    .wanted = with_fdr10,
    .reject_text = fdr10_rejection,
    .written_text = [](const config::Options& options, std::size_t writes) -> std::string {
      return fmt::format("FDR10 is {} at {} ports from the next training of their links on",
                         fdr10_setting(options).value_or(false) ? "enabled" : "disabled", writes);
    }};

const SweepRow out_of_order = out_of_order_row(StageKind::reordering);
const SweepRow out_of_order_withdrawal = out_of_order_row(StageKind::reordering_withdrawal);

// It is read each time, since it says which tables have changed.
const SweepRow router_info{
    .attribute = AttributeId::router_info,
    .blocks = [](const RowContext& context, PortIndex port) -> std::uint32_t {
      return failed_router_block(context.devices.table, node_at(context, port).guid) == nullptr ? 1
                                                                                                : 0;
    },
    .store = store_router_info,
    .fail = fail_router};

const SweepRow adjacent_subnets{.attribute = AttributeId::adjacent_subnets_table,
                                .blocks =
                                    [](const RowContext& context, PortIndex port) {
                                      return due_router_blocks<mad::AdjacentSubnetsTable>(
                                          context, port, adjacent_top);
                                    },
                                .fail = fail_router};

const SweepRow next_hops{.attribute = AttributeId::next_hop_table,
                         .blocks =
                             [](const RowContext& context, PortIndex port) {
                               return due_router_blocks<mad::NextHopTable>(context, port,
                                                                           next_hop_top);
                             },
                         .fail = fail_router};

// A device that does not know the attribute says so once.
const SweepRow general_info{.attribute = AttributeId::general_info,
                            .stage = StageKind::adaptive_settings,
                            .silence = Failure::retried,
                            .rejection = Failure::unsupported,
                            .forgotten_at = forgotten::kTablesLost | forgotten::kOtherManager};

const SweepRow ar_info{
    .attribute = AttributeId::adaptive_routing_info,
    .stage = StageKind::adaptive_settings,
    .blocks = [](const RowContext& context, PortIndex port) -> std::uint32_t {
      if (!has_capability(context.devices.table, node_at(context, port).guid,
                          mad::GeneralCapability::adaptive_routing_rev1))
        return 0;
      const AdaptiveDevice& its = switch_at(context, port);
      return its.obstacle == AdaptiveState::off && (!its.info || its.info_stale) ? 1 : 0;
    },
    .store = store_ar_info,
    .fail = fail_ar_info};

// Tables that cannot be read are written again.

const SweepRow found_groups{
    .attribute = AttributeId::ar_group_table,
    .stage = StageKind::adaptive_settings,
    .blocks = [](const RowContext& context, PortIndex port) -> std::uint32_t {
      const AdaptiveDevice* const its = with_found_tables(context, port);
      return its == nullptr ? 0u : mad::ArGroupTable::block_of(its->info->group_top()) + 1u;
    },
    .store = store_groups};

const SweepRow found_notification{
    .attribute = AttributeId::pfrn_config,
    .stage = StageKind::adaptive_settings,
    .forgotten_at = forgotten::kTablesLost | forgotten::kOtherManager,
    .is_audited = true,
    .blocks = [](const RowContext& context, PortIndex port) -> std::uint32_t {
      const AdaptiveDevice* const its = with_found_tables(context, port);
      return its != nullptr && its->info->pfrn_en() ? 1 : 0;
    }};

const SweepRow found_entries{.attribute = AttributeId::ar_linear_forwarding_table,
                             .stage = StageKind::adaptive_settings,
                             .blocks = entry_blocks,
                             .store = store_entries};

}  // namespace rows

std::span<const SweepRow* const> sweep_rows() {
  using namespace rows;
  static constexpr std::array kAll{&fdr10,
                                   &out_of_order,
                                   &out_of_order_withdrawal,
                                   &router_info,
                                   &adjacent_subnets,
                                   &next_hops,
                                   &general_info,
                                   &ar_info,
                                   &found_groups,
                                   &found_notification,
                                   &found_entries};
  return kAll;
}

}  // namespace sm
