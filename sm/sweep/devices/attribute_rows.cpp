#include "sm/sweep/devices/attribute_rows.h"

#include <algorithm>
#include <utility>

#include "mad/format.h"

namespace sm {
namespace {

using mad::AttributeId;
using AttributeData = std::span<const std::uint8_t, 64>;

class RowStage final : public Stage {
 public:
  RowStage(StageKind kind, mad::Method method, const RowContext& context,
           std::vector<RowRequest> requests)
      : Stage(kind), method_(method), context_(context), requests_(std::move(requests)) {}

  mad::Method method() const override { return method_; }
  std::size_t size() const override { return requests_.size(); }
  Write write(std::size_t number) const override { return requests_[number].write; }
  bool may_fail() const override { return true; }

  void accept(std::size_t number, AttributeData data, ApplyReport&) override {
    requests_[number].row->store(context_, requests_[number].write, data);
  }
  bool refuse(std::size_t number, std::uint16_t status) override {
    fail(number, status);
    return true;
  }
  void lose(std::size_t number) override { fail(number, 0); }

 private:
  void fail(std::size_t number, std::uint16_t status) {
    const RowRequest& request = requests_[number];
    if (request.row->fail != nullptr) request.row->fail(context_, request.write, status);
  }

  const mad::Method method_;
  const RowContext context_;
  const std::vector<RowRequest> requests_;
};

const Node& node_at(const RowContext& context, PortIndex port) {
  return context.fabric.owning_node(port);
}

// ------------------------------------------------------------------------------------------
// routers

RouterDevice& router_at(const RowContext& context, PortIndex port) {
  return context.devices.routers.of_node.at(node_at(context, port).guid);
}

void fail_router(const RowContext& context, const Write& asked, std::uint16_t status) {
  // IBTA Vol 1, 13.4.7: the code is in bits 4..2.
  constexpr std::uint16_t kCode = 0x1C, kUnsupportedAttribute = 0x0C;
  RouterDevice& its = router_at(context, asked.port);
  const auto name = mad::name(asked.attribute);
  its.state = status == 0                                 ? RouterState::silent
              : (status & kCode) == kUnsupportedAttribute ? RouterState::unsupported
                                                          : RouterState::refused;
  its.reason = status == 0 ? fmt::format("does not answer SubnGet({})", name)
                           : fmt::format("rejects SubnGet({}): status {:#06x}", name, status);
  its.forget();
}

/// Adds the entries of a block that are below `top`, without empty ones.
template <class Table>
void add_entries(const RowContext& context, const Write& asked, AttributeData data,
                 std::uint32_t (*top)(const RouterDevice&),
                 std::vector<typename Table::Entry> RouterDevice::* entries) {
  RouterDevice& its = router_at(context, asked.port);
  if (its.state != RouterState::read) return;  // another block was refused
  const Table table(data);
  for (unsigned index = 0; index < Table::kEntries; ++index)
    if (const auto entry = table.entry(index);
        asked.modifier * Table::kEntries + index < top(its) && entry != typename Table::Entry{})
      (its.*entries).push_back(entry);
}

/// Returns the blocks of a router's table that is due.
template <class Table>
std::uint32_t due_blocks(const RowContext& context, PortIndex port,
                         std::uint32_t (*top)(const RouterDevice&),
                         std::vector<typename Table::Entry> RouterDevice::* entries,
                         bool RouterDevice::* is_due) {
  RouterDevice& its = router_at(context, port);
  if (its.state != RouterState::read || !std::exchange(its.*is_due, false)) return 0;
  (its.*entries).clear();
  return top(its) / Table::kEntries + (top(its) % Table::kEntries != 0 ? 1 : 0);
}

std::uint32_t adjacent_top(const RouterDevice& its) { return its.info->adj_top(); }
std::uint32_t next_hop_top(const RouterDevice& its) {
  return std::min(its.info->next_hop_top(), RouterDevices::kNextHopsMax);
}

}  // namespace

std::vector<RowRequest> due_reads(const RowContext& context, std::span<const PortIndex> ports,
                                  std::initializer_list<const AttributeRow*> rows) {
  std::vector<RowRequest> requests;
  for (const PortIndex port : ports)
    for (const AttributeRow* const row : rows) {
      const std::uint32_t blocks = row->blocks(context, port);
      for (std::uint32_t block = 0; block < blocks; ++block)
        requests.push_back({.row = row,
                            .write = {.attribute = row->attribute,
                                      .modifier = row->first_modifier + block,
                                      .port = port,
                                      .data = {}}});
    }
  return requests;
}

std::unique_ptr<Stage> row_reads(const RowContext& context, std::vector<RowRequest> requests) {
  const StageKind kind = requests.empty() ? StageKind{} : requests.front().row->stage;
  return std::make_unique<RowStage>(kind, mad::Method::get, context, std::move(requests));
}

// ------------------------------------------------------------------------------------------
// the rows

namespace rows {

const AttributeRow router_info{
    .attribute = AttributeId::router_info,
    .stage = StageKind::extended_port_info,
    .blocks = [](const RowContext& context, PortIndex port) -> std::uint32_t {
      RouterDevice& its = router_at(context, port);
      return its.state != RouterState::unsupported && its.is_due() ? 1 : 0;
    },
    .store = [](const RowContext& context, const Write& asked,
                AttributeData data) { router_at(context, asked.port).take(mad::RouterInfo(data)); },
    .fail = fail_router};

const AttributeRow adjacent_subnets{
    .attribute = AttributeId::adjacent_subnets_table,
    .stage = StageKind::extended_port_info,
    .blocks =
        [](const RowContext& context, PortIndex port) {
          return due_blocks<mad::AdjacentSubnetsTable>(
              context, port, adjacent_top, &RouterDevice::adjacent, &RouterDevice::adjacent_due);
        },
    .store =
        [](const RowContext& context, const Write& asked, AttributeData data) {
          add_entries<mad::AdjacentSubnetsTable>(context, asked, data, adjacent_top,
                                                 &RouterDevice::adjacent);
        },
    .fail = fail_router};

const AttributeRow next_hops{
    .attribute = AttributeId::next_hop_table,
    .stage = StageKind::extended_port_info,
    .blocks =
        [](const RowContext& context, PortIndex port) {
          return due_blocks<mad::NextHopTable>(
              context, port, next_hop_top, &RouterDevice::next_hops, &RouterDevice::next_hops_due);
        },
    .store =
        [](const RowContext& context, const Write& asked, AttributeData data) {
          add_entries<mad::NextHopTable>(context, asked, data, next_hop_top,
                                         &RouterDevice::next_hops);
        },
    .fail = fail_router};

}  // namespace rows

}  // namespace sm
