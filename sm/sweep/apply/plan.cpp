#include "sm/sweep/apply/plan.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "routing/qos/vl_targets.h"
#include "sm/sweep/apply/adaptive_stages.h"
#include "sm/sweep/apply/multicast_stages.h"
#include "sm/sweep/apply/optional_attributes.h"
#include "sm/sweep/apply/port_stages.h"
#include "sm/sweep/apply/unicast_stages.h"
#include "sm/sweep/apply/vl_stages.h"
#include "sm/sweep/apply/vport_stages.h"

namespace sm {

Planner::Planner(Fabric& fabric, DeviceState& devices, const Target& target,
                 const config::Options& options, PlanScope scope) {
  const bool is_all = covers(scope, PlanScope::ports);
  // VL tables come before tables that lead packets over other VLs. All tables come before a port
  // becomes Active, except those of which no switch uses an entry yet and no host needs one.
  if (covers(scope, PlanScope::vl_tables) && target.routing &&
      routing::VlTargets::any(options, *target.routing))
    sources_.push_back(vl_stages(fabric, devices, options, *target.routing));
  else if (!is_all && covers(scope, PlanScope::multicast) && target.routing)
    sources_.push_back(vl_stages(fabric, devices, options, *target.routing, &target.newly_used));
  if (covers(scope, PlanScope::multicast) && target.mfts)
    sources_.push_back(
        multicast_stages(fabric, devices.mfts, *target.mfts, options.use_mfttop, hold_back_));
  const auto blocks = static_cast<std::uint32_t>(target.lfts ? target.lfts->blocks() : 0);
  const std::uint32_t waiting =
      is_all && target.lfts ? first_waiting_block(fabric, devices.lfts, target) : blocks;
  const bool writes_lfts = covers(scope, PlanScope::vports) && target.lfts;
  const bool adds_adaptive = covers(scope, PlanScope::adaptive);
  // Where switches choose already, a CA that came back accepts this before it gets packets.
  if (writes_lfts && (devices.adaptive.any_active() || adds_adaptive))
    sources_.push_back(reordering_stages(fabric, devices, target, options, Reordering::accept));
  if (writes_lfts) sources_.push_back(adaptive_removal_stages(fabric, devices, target, options));
  if (writes_lfts)
    sources_.push_back(unicast_stages(fabric, devices, target, options, {0, waiting}, hold_back_));
  if (is_all) {
    sources_.push_back(
        port_stages(fabric, devices, target, options, lid_top_below(target, waiting), hold_back_));
    sources_.push_back(waiting_p_key_stages(fabric, devices, target, hold_back_));
  }
  if (waiting < blocks)
    sources_.push_back(
        unicast_stages(fabric, devices, target, options, {waiting, blocks}, hold_back_));
  const bool has_vports = covers(scope, PlanScope::vports);
  if (is_all ? waiting < blocks : has_vports)
    sources_.push_back(switch_stages(fabric, devices, target, options));
  if (!is_all && (has_vports || covers(scope, PlanScope::p_keys)))
    sources_.push_back(partition_stages(fabric, devices, target));
  if (!is_all && covers(scope, PlanScope::m_keys))
    sources_.push_back(m_key_stages(fabric, devices, target));
  if ((has_vports || covers(scope, PlanScope::p_keys)) && target.vports)
    sources_.push_back(vport_stages(fabric, devices, target, has_vports));
  if (adds_adaptive) {
    if (!writes_lfts)
      sources_.push_back(reordering_stages(fabric, devices, target, options, Reordering::accept));
    sources_.push_back(adaptive_addition_stages(fabric, devices, target, options));
    sources_.push_back(reordering_stages(fabric, devices, target, options, Reordering::withdraw));
  }
  if (covers(scope, PlanScope::optional))
    sources_.push_back(optional_writes(fabric, devices, options));
}

Planner::~Planner() = default;

Stage* Planner::next() {
  while (!sources_.empty()) {
    std::unique_ptr<Stage> stage = sources_.front()->next();
    if (!stage) {
      sources_.erase(sources_.begin());
      continue;
    }
    stage_ = std::move(stage);
    if (stage_->size() > 0) return stage_.get();
  }
  stage_.reset();
  return nullptr;
}

std::size_t Plan::writes() const {
  return std::accumulate(
      stages.begin(), stages.end(), std::size_t{0},
      [](std::size_t sum, const PlannedStage& stage) { return sum + stage.writes.size(); });
}

std::size_t Plan::writes(StageKind kind) const {
  std::size_t sum = 0;
  for (const PlannedStage& stage : stages) sum += stage.kind == kind ? stage.writes.size() : 0;
  return sum;
}

void add_virtualization(Plan& plan, const Fabric& fabric, const DeviceState& devices,
                        std::span<const PortIndex> ports, VirtualizationSetting setting,
                        bool reregister) {
  if (setting == VirtualizationSetting::ignore) return;
  const auto insert = [&](auto place, const std::vector<Write>& writes) {
    if (!writes.empty())
      plan.stages.insert(place, {.kind = StageKind::virtualization, .writes = writes});
  };
  // VPortStateChange is cleared and states are read before LIDs and P_Keys are decided. Ports are
  // switched on once all links that become Active are.
  virt::Facts cleared = devices.vports;
  for (auto& [guid, port] : cleared) {
    if (port.info) port.info->set_vport_state_change(false);
    port.reregister = reregister && port.is_enabled();
  }
  const auto first_of_vports = std::ranges::find_if(plan.stages, [](const PlannedStage& stage) {
    return stage.kind > StageKind::virtualization;
  });
  insert(first_of_vports, virtualization_writes(fabric, cleared, ports, setting));
  insert(plan.stages.begin(),
         virtualization_writes(fabric, devices.vports, ports, VirtualizationSetting::read));
}

mad::SmpData predicted_response(const Fabric& fabric, const Write& write) {
  mad::SmpData data = write.data;
  if (write.attribute == mad::AttributeId::port_info) {
    // State fields of 0 change nothing; ClientReregister stays set until the client has noticed.
    const mad::PortInfo& before = fabric.ports[write.port].info;
    mad::PortInfo info(write.data);
    if (info.port_state() == mad::PortState::no_change) info.set_port_state(before.port_state());
    if (info.port_physical_state() == mad::PortPhysicalState::no_change)
      info.set_port_physical_state(before.port_physical_state());
    std::ranges::copy(info.bytes(), data.begin());
  } else if (write.attribute == mad::AttributeId::switch_info) {
    mad::SwitchInfo info(write.data);
    // A 1 clears the bit, a 0 leaves it as it is.
    info.set_port_state_change(
        fabric.switches[fabric.owning_node(write.port).switch_index].info.port_state_change() &&
        !info.port_state_change());
    std::ranges::copy(info.bytes(), data.begin());
  }
  return data;
}

Plan make_plan(Fabric fabric, DeviceState devices, const Target& target,
               const config::Options& options, PlanScope scope) {
  Plan plan;
  Planner planner(fabric, devices, target, options, scope);
  ApplyReport report;
  while (Stage* const stage = planner.next()) {
    PlannedStage planned{.kind = stage->kind(), .writes = {}};
    planned.writes.reserve(stage->size());
    for (std::size_t number = 0; number < stage->size(); ++number) {
      const Write& write = planned.writes.emplace_back(stage->write(number));
      stage->accept(number, predicted_response(fabric, write), report);
    }
    if (stage->method() == mad::Method::set) plan.stages.push_back(std::move(planned));
  }
  return plan;
}

}  // namespace sm
