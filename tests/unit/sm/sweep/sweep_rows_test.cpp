#include "sm/sweep/devices/sweep_rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "fabric/subnet.h"
#include "mad/attributes/adaptive_routing.h"
#include "mad/format.h"
#include "sm/sweep/apply/optional_attributes.h"
#include "sm/sweep/apply/router_reads.h"
#include "sm/sweep/devices/device_events.h"
#include "sm/sweep/devices/extended_port_infos.h"
#include "sm/sweep/observe/audit.h"
#include "support/fabrics.h"

namespace sweep_rows_test {

using mad::Method;
using mad::MlnxExtPortInfo;
using sm::ApplyReport;
using sm::RowRequest;
using sm::Stage;
using sm::StageKind;
using sm::SweepRow;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

constexpr std::uint16_t kConnectX3 = 0x1003, kConnectX7 = 0x1021;

/// A host with MlnxExtPortInfo that supports FDR10 and accepts packets of SL 0 in any order.
class ExtendedPortInfo : public testing::Test {
 protected:
  ExtendedPortInfo() {
    fabrics::Maker maker;
    const fabric::NodeIndex sw = maker.sw(4);
    host = maker.host(sw);
    maker.host(sw);
    fabric = maker.build();
    set_model(kConnectX3);
    response.set_link_speed_supported(MlnxExtPortInfo::kFdr10);
    response.set_ooo_sl_mask(1);
  }
  mad::NodeInfo& info() { return fabric.nodes[fabric.ports[host].node].info; }
  void set_model(std::uint16_t device) {
    info().set_vendor_id(mad::kNvidia);
    info().set_device_id(device);
  }
  std::vector<RowRequest> due(const SweepRow& row) {
    return sm::due_reads(context, std::vector{host}, {&row});
  }
  std::unique_ptr<Stage> stage(Method method, const SweepRow& row) {
    return sm::row_stage(context, method, {sm::row_request(fabric, row, host)});
  }
  void read(const SweepRow& row) { stage(Method::get, row)->accept(0, response.bytes(), report); }
  /// Returns the ports that are asked for FDR10 in one step of the reads.
  std::vector<fabric::PortIndex> asked_ports(unsigned step) {
    const auto stages = sm::optional_reads(fabric, devices, options);
    for (; step > 0; --step) stages->next();
    const auto reads = stages->next();
    std::vector<fabric::PortIndex> ports;
    for (std::size_t number = 0; number < reads->size(); ++number)
      if (reads->write(number).attribute == MlnxExtPortInfo::kId)
        ports.push_back(reads->write(number).port);
    return ports;
  }
  /// Return ports of devices that have not responded, and of those that have.
  std::vector<fabric::PortIndex> first_ports() { return asked_ports(0); }
  std::vector<fabric::PortIndex> other_ports() { return asked_ports(1); }
  std::vector<RowRequest> writes() { return sm::due_writes(context, sm::rows::fdr10, options); }
  bool knows_sl_mask() const {
    return devices.table.read<MlnxExtPortInfo>(sm::port_place(fabric, host), 0, sm::kSlMaskPart)
        .has_value();
  }

  fabric::PortIndex host = fabric::kNoIndex;
  fabric::Fabric fabric;
  sm::DeviceState devices;
  const sm::RowContext context{fabric, devices};
  MlnxExtPortInfo response;
  ApplyReport report;
  config::Options options;  // FDR10 is on
};

TEST_F(ExtendedPortInfo, OneResponseIsStoredForBothSettings) {
  EXPECT_THAT(due(sm::rows::fdr10), SizeIs(1));
  EXPECT_THAT(due(sm::rows::out_of_order), SizeIs(1));
  EXPECT_THAT(first_ports(), ElementsAre(host));
  read(sm::rows::out_of_order);
  EXPECT_EQ(report.writes, 0u) << "a SubnGet";
  EXPECT_THAT(due(sm::rows::fdr10), IsEmpty());
  EXPECT_THAT(due(sm::rows::out_of_order), IsEmpty());
  EXPECT_THAT(first_ports(), IsEmpty());
  const auto sets = writes();
  ASSERT_THAT(sets, SizeIs(1));
  EXPECT_EQ(MlnxExtPortInfo(sets[0].write.data).ooo_sl_mask(), 1);
  EXPECT_TRUE(sm::is_fdr10_on(MlnxExtPortInfo(sets[0].write.data)));

  response = MlnxExtPortInfo(sets[0].write.data);
  stage(Method::set, sm::rows::fdr10)->accept(0, response.bytes(), report);
  EXPECT_TRUE(knows_sl_mask()) << "a Set of FDR10 does not change it";
  EXPECT_THAT(writes(), IsEmpty());
}

TEST_F(ExtendedPortInfo, OnlySpeedsAreReadAgainAfterATraining) {
  read(sm::rows::fdr10);
  fabric.ports[host].info.set_port_state(mad::PortState::init);
  sm::forget_after_survey(devices.table, fabric);
  EXPECT_THAT(due(sm::rows::fdr10), SizeIs(1));
  EXPECT_THAT(writes(), IsEmpty());
  EXPECT_TRUE(knows_sl_mask());
}

TEST_F(ExtendedPortInfo, ALostSetOfTheSlMaskLeavesTheSpeeds) {
  read(sm::rows::fdr10);
  stage(Method::set, sm::rows::out_of_order)->lose(0);
  EXPECT_FALSE(knows_sl_mask());
  EXPECT_THAT(due(sm::rows::fdr10), IsEmpty());
  EXPECT_EQ(devices.table.retried(fabric.owning_node(host).guid), MlnxExtPortInfo::kId);
  EXPECT_THAT(writes(), SizeIs(1));
  devices.table.begin(fabric, mad::TimePoint{std::chrono::hours(1)});
  EXPECT_EQ(devices.table.retried(fabric.owning_node(host).guid), mad::AttributeId{});
  EXPECT_THAT(due(sm::rows::out_of_order), SizeIs(1));
}

TEST_F(ExtendedPortInfo, ADeviceThatRejectedTheSlMaskIsNotAskedAgainBeforeItsPauseIsOver) {
  const mad::Guid node = fabric.owning_node(host).guid;
  stage(Method::get, sm::rows::out_of_order)->refuse(0, 0x0C);
  EXPECT_EQ(devices.table.retried(node), MlnxExtPortInfo::kId);
  EXPECT_THAT(due(sm::rows::out_of_order), IsEmpty()) << "the failure is one of the device";
  devices.table.begin(fabric, mad::TimePoint{std::chrono::hours(1)});
  EXPECT_THAT(due(sm::rows::out_of_order), SizeIs(1));
}

TEST_F(ExtendedPortInfo, TheSlMaskIsReadAtOnceAfterAnotherManager) {
  read(sm::rows::fdr10);
  stage(Method::set, sm::rows::out_of_order)->lose(0);
  EXPECT_THAT(sm::update_tables(devices, fabric, nullptr, false), IsEmpty());
  EXPECT_EQ(devices.table.retried(fabric.owning_node(host).guid), mad::AttributeId{});
  EXPECT_THAT(due(sm::rows::out_of_order), SizeIs(1));
  EXPECT_THAT(due(sm::rows::fdr10), IsEmpty());
}

TEST_F(ExtendedPortInfo, PortsOfASwitchThatRespondedAreReadInOneStepAfterTrainings) {
  constexpr std::uint16_t kSwitchX = 0xC738;
  const fabric::PortIndex port = fabric.ports[host].peer;
  fabric::Node& node = fabric.nodes[fabric.ports[port].node];
  node.info.set_device_id(kSwitchX);
  fabric.switches[node.switch_index].info.set_linear_fdb_top(1);
  set_model(kConnectX7);
  EXPECT_THAT(first_ports(), ElementsAre(port));
  EXPECT_THAT(other_ports(), IsEmpty());
  const RowRequest request = sm::row_request(fabric, sm::rows::fdr10, port);
  sm::row_stage(context, Method::get, {request})->accept(0, response.bytes(), report);
  EXPECT_THAT(other_ports(), SizeIs(1));
  fabric.ports[port].info.set_port_state(mad::PortState::init);
  sm::forget_after_survey(devices.table, fabric);
  EXPECT_THAT(first_ports(), IsEmpty());
  EXPECT_THAT(other_ports(), SizeIs(2));
}

TEST_F(ExtendedPortInfo, ADeviceWithoutFDR10IsAskedAgainWhenItRestarts) {
  fabric.ports[host].info.set_port_state(mad::PortState::active);
  EXPECT_THAT(first_ports(), ElementsAre(host));
  stage(Method::get, sm::rows::fdr10)->lose(0);
  sm::forget_after_survey(devices.table, fabric);
  EXPECT_THAT(first_ports(), IsEmpty());
  EXPECT_THAT(due(sm::rows::out_of_order), SizeIs(1)) << "another part";
  fabric.ports[host].info.set_port_state(mad::PortState::init);
  sm::forget_after_survey(devices.table, fabric);
  EXPECT_THAT(first_ports(), ElementsAre(host));
}

TEST_F(ExtendedPortInfo, FDR10ThatAPortDoesNotTakeIsARefusal) {
  read(sm::rows::fdr10);
  const RowRequest request = writes().at(0);
  const auto set = sm::row_stage(context, Method::set, {request});
  EXPECT_TRUE(set->reads_back());
  set->accept(0, response.bytes(), report);
  EXPECT_THAT(report.refusals, SizeIs(1));
  EXPECT_EQ(report.writes, 0u);
  EXPECT_THAT(writes(), IsEmpty());
}

TEST_F(ExtendedPortInfo, ARejectedSetIsNotCountedThoughThePortShowsFDR10) {
  read(sm::rows::fdr10);
  const RowRequest request = writes().at(0);
  const auto set = sm::row_stage(context, Method::set, {request});
  set->accept_rejected(0, 0x1C, request.write.data, report);
  EXPECT_EQ(report.writes, 0u);
  EXPECT_THAT(report.refusals, IsEmpty());
}

TEST_F(ExtendedPortInfo, APortThatAnsweredIsSetThoughAnotherOfItsDeviceDoesNot) {
  read(sm::rows::fdr10);
  stage(Method::get, sm::rows::fdr10)->lose(0);  // as another port of the device
  EXPECT_THAT(writes(), SizeIs(1));
}

TEST_F(ExtendedPortInfo, AReadOfTheSlMaskDoesNotUndoThatADeviceIsWithoutFDR10) {
  stage(Method::get, sm::rows::fdr10)->refuse(0, 0x0C);
  read(sm::rows::out_of_order);
  EXPECT_THAT(writes(), IsEmpty());
}

TEST_F(ExtendedPortInfo, OtherModelsAreNotSetToFDR10) {
  set_model(kConnectX7);
  read(sm::rows::out_of_order);
  EXPECT_THAT(writes(), IsEmpty());
  fabric.ports[host].info.set_port_state(mad::PortState::init);
  sm::forget_after_survey(devices.table, fabric);
  EXPECT_THAT(other_ports(), IsEmpty());
}

/// A router with an adjacent subnet in block 1, and a next hop.
class RouterTables : public testing::Test {
 protected:
  RouterTables() {
    fabrics::Maker maker;
    const fabric::NodeIndex node = maker.router(1);
    maker.cable(maker.sw(4), node);
    fabric = maker.build();
    fabric.nodes[node].info.set_vendor_id(mad::kNvidia);
    port = fabric.nodes[node].first_port;
    info.set_adj_top(mad::AdjacentSubnetsTable::kEntries + 1);
    info.set_next_hop_top(1);
  }
  std::vector<RowRequest> due(const SweepRow& row) {
    return sm::due_reads(context, std::vector{port}, {&row});
  }
  void read(const SweepRow& row, const auto& response) {
    const auto stage = sm::row_stage(context, Method::get, due(row));
    ApplyReport report;
    for (std::size_t block = 0; block < stage->size(); ++block)
      stage->accept(block, response.bytes(), report);
  }
  void read_all() {
    mad::AdjacentSubnetsTable adjacent;
    adjacent.set_entry(0,
                       {.p_key = mad::kDefaultPKeyFull, .subnet_prefix = 7, .master_sm_lid = {}});
    mad::NextHopTable next_hop;
    next_hop.set_entry(0, {.subnet_prefix = 0x1234, .weight = 1, .p_key = mad::kDefaultPKeyFull});
    read(sm::rows::router_info, info);
    read(sm::rows::adjacent_subnets, adjacent);
    read(sm::rows::next_hops, next_hop);
  }
  /// Begins the reads of a pass, without their requests.
  void begin_pass() { EXPECT_NE(sm::router_reads(fabric, devices), nullptr); }
  fabric::Router decide() {
    return sm::decide_routers(fabric, devices.table, 0xFE80000000000000).routers.at(0);
  }

  fabric::PortIndex port = fabric::kNoIndex;
  fabric::Fabric fabric;
  sm::DeviceState devices;
  const sm::RowContext context{fabric, devices};
  mad::RouterInfo info;
};

TEST_F(RouterTables, AreReadAgainWhenRouterInfoSaysThatTheyChanged) {
  EXPECT_THAT(due(sm::rows::adjacent_subnets), IsEmpty()) << "RouterInfo is not known";
  read(sm::rows::router_info, info);
  EXPECT_THAT(due(sm::rows::adjacent_subnets), SizeIs(2));
  read_all();
  EXPECT_EQ(decide().state, fabric::RouterState::read);
  EXPECT_THAT(decide().entries, SizeIs(2));
  read(sm::rows::router_info, info);
  EXPECT_THAT(due(sm::rows::adjacent_subnets), IsEmpty());
  EXPECT_THAT(due(sm::rows::next_hops), IsEmpty());
  info.set_next_hop_change(true);
  read(sm::rows::router_info, info);
  EXPECT_THAT(due(sm::rows::adjacent_subnets), IsEmpty());
  EXPECT_THAT(due(sm::rows::next_hops), SizeIs(1));
  EXPECT_THAT(decide().entries, SizeIs(1));
  info.set_adj_top(1);
  read(sm::rows::router_info, info);
  EXPECT_THAT(due(sm::rows::adjacent_subnets), SizeIs(1));
}

TEST_F(RouterTables, AreUnknownAfterAFailedRequestOfOne) {
  read_all();
  info.set_next_hop_change(true);
  read(sm::rows::router_info, info);
  const auto stage = sm::row_stage(context, Method::get, due(sm::rows::next_hops));
  stage->lose(0);
  EXPECT_EQ(decide().state, fabric::RouterState::silent);
  EXPECT_EQ(decide().reason, fmt::format("does not answer SubnGet({})",
                                         mad::name(mad::AttributeId::next_hop_table)));
  EXPECT_THAT(decide().entries, IsEmpty());
  EXPECT_THAT(due(sm::rows::router_info), IsEmpty());
  EXPECT_THAT(devices.table.due(mad::TimePoint{std::chrono::hours(1)}), IsEmpty())
      << "no sweep of its own";
  std::vector<int> queried;
  for (int pass = 1; pass <= 9; ++pass) {
    begin_pass();
    if (due(sm::rows::router_info).empty()) continue;
    queried.push_back(pass);
    stage->lose(0);
  }
  EXPECT_THAT(queried, ElementsAre(1, 2, 4, 8));
  stage->refuse(0, 0x04);
  EXPECT_EQ(decide().state, fabric::RouterState::refused);
  EXPECT_THAT(decide().reason, testing::HasSubstr("status 0x0004"));
  begin_pass();
  EXPECT_THAT(due(sm::rows::router_info), SizeIs(1)) << "each time";
  stage->refuse(0, 0x0C);
  EXPECT_EQ(decide().state, fabric::RouterState::unsupported);
  devices.forget_tables();
  EXPECT_EQ(decide().state, fabric::RouterState::not_read);
  EXPECT_THAT(due(sm::rows::router_info), SizeIs(1));
}

TEST_F(RouterTables, OfOtherVendorsAreNotRead) {
  fabric.nodes[fabric.ports[port].node].info.set_vendor_id(0x1FC1);
  begin_pass();
  EXPECT_THAT(due(sm::rows::router_info), IsEmpty());
  EXPECT_EQ(decide().state, fabric::RouterState::unsupported);
  EXPECT_EQ(decide().reason, "");
}

TEST_F(ExtendedPortInfo, GeneralInfoIsReadWhereTheVendorHasIt) {
  info().set_vendor_id(0x119F);
  EXPECT_THAT(due(sm::rows::general_info), IsEmpty());
  info().set_vendor_id(mad::kNvidia);
  const std::vector<RowRequest> reads = due(sm::rows::general_info);
  ASSERT_THAT(reads, SizeIs(1));
  EXPECT_EQ(reads[0].write.modifier, mad::GeneralInfo::kCapabilityMask);
  EXPECT_EQ(due(sm::rows::fdr10)[0].write.modifier, fabric.ports[host].number.value);
}

TEST_F(ExtendedPortInfo, ADeviceThatDoesNotKnowGeneralInfoSaysSoOnce) {
  const mad::Guid node = fabric.owning_node(host).guid;
  const mad::TimePoint now{std::chrono::hours(1)};
  stage(Method::get, sm::rows::general_info)->lose(0);
  EXPECT_THAT(due(sm::rows::general_info), IsEmpty());
  EXPECT_EQ(devices.table.retried(node), mad::AttributeId::general_info);
  devices.table.begin(fabric, now);
  EXPECT_THAT(due(sm::rows::general_info), SizeIs(1)) << "silence is not an answer";
  stage(Method::get, sm::rows::general_info)->refuse(0, 0x0C);
  devices.table.begin(fabric, now + std::chrono::hours(1));
  EXPECT_THAT(due(sm::rows::general_info), IsEmpty());
  EXPECT_EQ(devices.table.retried(node), mad::AttributeId{});
}

TEST_F(ExtendedPortInfo, IsNeitherReadNorWrittenForFDR10IfTheOptionLeavesIt) {
  read(sm::rows::fdr10);
  ASSERT_THAT(writes(), SizeIs(1));
  options.fdr10 = 255;
  EXPECT_THAT(writes(), IsEmpty());
  sm::forget_node(devices, fabric, fabric.ports[host].node);
  EXPECT_THAT(first_ports(), IsEmpty());
  options.fdr10 = 2;
  EXPECT_THAT(first_ports(), ElementsAre(host));
}

TEST(SweepRows, HaveARowThatDescribesTheAttribute) {
  for (const SweepRow* const row : sm::sweep_rows())
    EXPECT_EQ(mad::attribute_row(row->attribute).id, row->attribute) << mad::name(row->attribute);
}

constexpr std::uint8_t kClassAt = 3;

/// A row of an attribute of ports without functions of its own: its fourth byte is wanted to be 2.
const SweepRow kPlainRow{.attribute = mad::AttributeId::mlnx_ext_port_info,
                         .silence = sm::Failure::retried,
                         .rejection = sm::Failure::unsupported,
                         .is_read_after_sweeps = true,
                         .wanted = [](const config::Options&, const mad::SmpData& known) {
                           mad::SmpData bytes = known;
                           bytes[kClassAt] = 2;
                           return bytes;
                         }};

TEST_F(ExtendedPortInfo, ARowWithoutFunctionsIsReadWrittenAndLeftAloneWhereItIsNotTaken) {
  ASSERT_THAT(due(kPlainRow), SizeIs(1));
  stage(Method::get, kPlainRow)->accept(0, response.bytes(), report);
  EXPECT_THAT(due(kPlainRow), IsEmpty());
  const std::vector<RowRequest> sets = sm::due_writes(context, kPlainRow, options);
  ASSERT_THAT(sets, SizeIs(1));
  EXPECT_EQ(sets[0].write.data[kClassAt], 2);
  EXPECT_EQ(sets[0].write.modifier, fabric.ports[host].number.value);
  const auto set = sm::row_stage(context, Method::set, sets);
  EXPECT_TRUE(set->reads_back());
  set->accept(0, response.bytes(), report);
  EXPECT_THAT(report.refusals, ElementsAre(testing::HasSubstr("does not take MlnxExtPortInfo")));
  EXPECT_THAT(sm::due_writes(context, kPlainRow, options), IsEmpty());
}

TEST_F(ExtendedPortInfo, APortWithoutTheAttributeOfAPlainRowSaysSoForItsDevice) {
  stage(Method::get, kPlainRow)->refuse(0, 0x0C);
  EXPECT_THAT(due(kPlainRow), IsEmpty());
}

TEST_F(ExtendedPortInfo, TheAuditComparesBlocksOfRowsThatSaySo) {
  const fabric::NodeIndex sw = fabric.ports[fabric.ports[host].peer].node;
  const sm::BlockKey key{.place = {.node = fabric.nodes[sw].guid},
                         .attribute = mad::AttributeId::pfrn_config,
                         .block = mad::PfrnConfig::kModifier};
  devices.table.blocks[key].store(mad::SmpData{});
  read(sm::rows::fdr10);
  fabric::Subnet subnet;
  subnet.fabric = fabric;
  const std::vector<sm::AuditItem> items = sm::audit_items(subnet, devices, sw);
  const auto item = std::ranges::find(items, key.attribute, &sm::AuditItem::attribute);
  ASSERT_TRUE(item != items.end());
  EXPECT_EQ(item->modifier, key.block);
  mad::SmpData shown{};
  EXPECT_TRUE(sm::matches_known(subnet, devices, *item, shown));
  shown.back() = 1;
  EXPECT_FALSE(sm::matches_known(subnet, devices, *item, shown));
  EXPECT_EQ(sm::describe(subnet, devices, *item, shown), "pFRNConfig");
  devices.table.blocks[key].invalidate(1);
  EXPECT_TRUE(sm::matches_known(subnet, devices, *item, shown)) << "it is unknown again";
  for (const fabric::NodeIndex node : {sw, fabric.ports[host].node})
    for (const sm::AuditItem& each : sm::audit_items(subnet, devices, node))
      EXPECT_TRUE(each.attribute != key.attribute && each.attribute != MlnxExtPortInfo::kId);
}

TEST(ForgetRows, AnEventForgetsWhatItsRowsSay) {
  sm::DeviceTable table;
  const mad::Guid node{7};
  const sm::BlockKey capabilities{.place = {.node = node},
                                  .attribute = mad::AttributeId::general_info};
  const sm::BlockKey speeds{.place = {.node = node, .port = mad::PortNum{1}},
                            .attribute = MlnxExtPortInfo::kId};
  table.blocks[capabilities].store(mad::SmpData{});
  table.blocks[speeds].store(mad::SmpData{});
  sm::forget_rows(table, sm::forgotten::kDifference, node);
  EXPECT_FALSE(table.find(speeds)->is_known(sm::kSpeedsPart));
  EXPECT_TRUE(table.find(speeds)->is_known(sm::kSlMaskPart));
  EXPECT_NE(table.find(capabilities), nullptr);
  sm::forget_rows(table, sm::forgotten::kOtherManager);
  EXPECT_FALSE(table.find(speeds)->is_known(sm::kSlMaskPart));
  EXPECT_EQ(table.find(capabilities), nullptr);
}

/// A stage without requests.
class EmptyStage final : public Stage {
 public:
  using Stage::Stage;
  std::size_t size() const override { return 0; }
  sm::Write write(std::size_t) const override { return {}; }
  void accept(std::size_t, std::span<const std::uint8_t, 64>, ApplyReport&) override {}
};

TEST(Steps, AStepIsCalledUntilItReturnsNull) {
  const auto make = [](StageKind kind) { return std::make_unique<EmptyStage>(kind); };
  const auto stages = sm::make_steps({
      sm::once([=] { return make(StageKind::sl_to_vl); }),
      sm::once([] { return std::unique_ptr<Stage>(); }),
      [=, count = 0]() mutable -> std::unique_ptr<Stage> {
        if (count++ == 2) return nullptr;
        return make(StageKind::ports);
      },
      sm::once([=] { return make(StageKind::activation); }),
  });
  std::vector<StageKind> kinds;
  while (const auto stage = stages->next()) kinds.push_back(stage->kind());
  EXPECT_THAT(kinds, ElementsAre(StageKind::sl_to_vl, StageKind::ports, StageKind::ports,
                                 StageKind::activation));
  EXPECT_EQ(stages->next(), nullptr);
}

}  // namespace sweep_rows_test
