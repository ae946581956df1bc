// Reports conditions and status to the operator after a pass.

#include <algorithm>

#include "mad/format.h"
#include "sm/conditions/manager_conditions.h"
#include "sm/vnic/ethernet_manager.h"
#include "virt/vnic/vnic_conditions.h"

namespace vnic {

using fabric::Condition;
using fabric::ConditionId;

namespace {

std::string subject(const EndPort& end) {
  return fmt::format("\"{}\" ({})", config::printable(end.description), end.guid);
}

}  // namespace

void Manager::report() {
  std::vector<Condition> active = conditions();
  active.insert(active.end(), of_process_.begin(), of_process_.end());
  conditions_.set_active(sm::ConditionSource::virtual_ethernet, std::move(active));
  auto made = std::make_shared<const Status>(make_status());
  const std::lock_guard lock(status_mutex_);
  status_ = std::move(made);
}

std::shared_ptr<const Status> Manager::status() const {
  const std::lock_guard lock(status_mutex_);
  return status_;
}

std::vector<Condition> Manager::conditions() const {
  std::vector<Condition> out;
  if (!administration_fault_.empty())
    out.push_back({.id = kVnicConditions.vnic_group_failed,
                   .text = fmt::format("the ports of the fabric are not known: {}; nothing is "
                                       "programmed until it answers",
                                       administration_fault_)});
  if (!store_fault_.empty())
    out.push_back({.id = sm::kManagerConditions.store_failed, .text = store_fault_});
  for (const auto& [index, guid] : find_missing(configuration_, ends_))
    out.push_back({.id = kVnicConditions.vnic_member_missing,
                   .text = fmt::format("switch {} names port {}, which is not in the fabric",
                                       configuration_.switches[index].name, guid),
                   .guid = guid});
  for (const auto& [guid, port] : ports_) add_port_conditions(port, out);
  add_switch_conditions(out);
  return out;
}

void Manager::add_port_conditions(const Port& port, std::vector<Condition>& out) const {
  const auto add = [&](ConditionId id, std::string text) {
    out.push_back({.id = id, .text = std::move(text), .guid = port.end.guid});
  };
  const auto is_named = [&](const auto& one) {
    return std::ranges::find(configuration_.switches[one.second.of].members, port.end.guid,
                             &Member::port_guid) !=
           configuration_.switches[one.second.of].members.end();
  };
  // If all ports are members, many of them have no agent.
  const bool expected = is_created(port.end.guid) || std::ranges::any_of(port.vnics, is_named);
  if (port.fault && expected)
    add(port.fault->silent ? kVnicConditions.vnic_agent_silent : kVnicConditions.vnic_agent_refused,
        fmt::format("Ethernet management agent of {}: {} to ClassPortInfo; its VNICs stay as "
                    "they are",
                    subject(port.end), port.fault->text()));
  for (const auto& [number, vnic] : port.vnics) {
    const std::string name = fmt::format("VNIC {} of {} (switch {})", number, subject(port.end),
                                         configuration_.switches[vnic.of].name);
    if (vnic.fault && port.has_agent)
      add(vnic.fault->silent ? kVnicConditions.vnic_agent_silent
                             : kVnicConditions.vnic_agent_refused,
          fmt::format("{}: {}; tried again in the next pass", name, vnic.fault->text()));
    if (vnic.macs.total > vnic.macs.macs.size())
      add(kVnicConditions.vnic_mac_flood,
          fmt::format("{} reports too many MAC addresses: {}; used: {}", name, vnic.macs.total,
                      vnic.macs.macs.size()));
  }
}

void Manager::add_switch_conditions(std::vector<Condition>& out) const {
  for (const SwitchConfiguration& of : configuration_.switches) {
    if (const auto group = groups_.find(of.key);
        group != groups_.end() && !group->second.fault.empty())
      out.push_back(
          {.id = kVnicConditions.vnic_group_failed,
           .text = fmt::format("multicast group of switch {}: {}", of.name, group->second.fault)});
    const auto table = tables_.find(of.key);
    if (table == tables_.end()) continue;
    fabric::ConditionList duplicates(kVnicConditions.vnic_mac_duplicate);
    for (const Duplicate& one : table->second.duplicates)
      duplicates.add(
          fmt::format("switch {}: {} and {} have MAC address {}; it belongs to the "
                      "first one",
                      of.name, one.kept, one.refused, text(one.mac)));
    for (Condition& one : duplicates.take()) out.push_back(std::move(one));
    if (table->second.left_out > 0)
      out.push_back({.id = kVnicConditions.vnic_mac_flood,
                     .text = fmt::format("the MAC table of switch {} is full; addresses left "
                                         "out: {}",
                                         of.name, table->second.left_out)});
  }
}

Status Manager::make_status() const {
  Status status;
  const mad::GsiPortState own = transport_.state();
  status.port_guid = own.guid;
  status.lid = own.lid;
  status.totals = totals_;
  const AgentCounts& counts = agents_.counts();
  status.totals.gets = counts.gets;
  status.totals.sets = counts.sets;
  status.totals.refused = counts.refused;
  status.totals.silent = counts.silent;
  status.totals.malformed = counts.malformed;
  status.totals.mads_repeated = client_.statistics().repeated;
  status.totals.mads_stray = client_.statistics().stray;
  status.totals.mads_dropped = transport_.dropped();
  std::map<VeswKey, SwitchStatus> switches;
  for (const SwitchConfiguration& of : configuration_.switches) {
    SwitchStatus& one = switches[of.key];
    one.name = of.name;
    one.key = of.key;
    if (const auto number = numbers_.find(of.key); number != numbers_.end())
      one.vnic = number->second;
    if (const auto group = groups_.find(of.key); group != groups_.end())
      one.multicast_lid = group->second.multicast_lid;
    if (const auto table = tables_.find(of.key); table != tables_.end()) {
      one.macs = table->second.table->entries.size();
      one.digest = table->second.table->digest;
      status.totals.macs_left_out += table->second.left_out;
    }
  }
  for (const auto& [guid, port] : ports_) {
    PortStatus& one = status.ports.emplace_back();
    one.port = port.end;
    one.has_agent = port.has_agent;
    for (const auto& [number, vnic] : port.vnics) {
      one.vnics.push_back({vnic.key, number, vnic.read, vnic.info, vnic.macs.macs,
                           vnic.fault ? vnic.fault->text() : std::string()});
      status.totals.macs_left_out +=
          vnic.macs.total - std::min(vnic.macs.total, vnic.macs.macs.size());
      const auto of = switches.find(vnic.key);
      if (of == switches.end()) continue;
      ++of->second.members;
      if (vnic.read && vnic.info.config_state() == mad::VnicState::forwarding)
        ++of->second.forwarding;
    }
  }
  for (auto& [key, one] : switches) status.switches.push_back(std::move(one));
  for (const auto& raised : conditions_.raised())
    status.conditions.push_back({std::string(raised.condition.id->name),
                                 std::string(fabric::name(fabric::find_severity(raised.condition))),
                                 raised.condition.text, raised.condition.guid});
  return status;
}

}  // namespace vnic
