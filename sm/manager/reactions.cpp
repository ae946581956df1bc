// Manager: which parts react to an event, and in which order.

#include <set>

#include "sm/manager/manager.h"

namespace sm {

void Manager::on(const StateEntered& event) {
  sweeps_.entered(event);
  sweeper_.m_keys().set_leads(event.now == mad::SmState::master);
  replication_.entered(event.now);
  for (AgentLoop* const agent : agents_) agent->wake();
  if (event.now == mad::SmState::master) partitions_.check_expiry();
}

void Manager::on(const AnotherMasterWrote& /*event*/) {
  upkeep_.request_audit(runtime_.now() + Upkeep::kLateSets);
}

void Manager::on(const Resigned& event) { announce(listener_, event); }

void Manager::on(const SubnetPublished& event) {
  if (!mastership_.leads()) return;
  administrator_.publish(event.subnet, event.context, event.kind);
  if (event.kind == Publication::draft)
    for (AgentLoop* const agent : agents_) agent->note_ports(event.subnet->fabric);
}

void Manager::on(const SweepConcluded& /*event*/) {
  for (AgentLoop* const agent : agents_) agent->wake();
}

void Manager::on(const PhaseEntered& event) {
  sweeps_.enter_phase(event.phase);
  announce(listener_, event);
}

void Manager::on(const StageProgressed& event) { announce(listener_, event); }

void Manager::on(const GroupsChanged& /*event*/) { loop_.request_groups(); }

void Manager::on(const RegistrationsStored& event) { replication_.registered(event); }

/// Ports whose errors have exceeded their thresholds for hours affect the health of their links.
void Manager::on(const CountersPublished& event) {
  bool is_new = false;
  for (const mad::Guid node : event.suspects)
    is_new = loop_.scheduler().request_check(node, runtime_.now()) || is_new;
  if (is_new) loop_.wake();
  std::set<PortPlace> noisy;
  if (const SharedPortCounters counters = performance_.counters())
    for (const auto& node : counters->nodes)
      for (const PortCounters& port : node->ports)
        if (port.noisy_hours >= context()->options.hm_num_noisy_hours)
          noisy.insert({node->node, port.port});
  set_noisy_ports(noisy);
}

void Manager::set_noisy_ports(const std::set<PortPlace>& ports) {
  if (mastership_.leads() && sweeper_.links().set_noisy(sweeper_.subnet().get(), ports) &&
      sweeper_.subnet())
    loop_.request_everything("error counters of links");
}

}  // namespace sm
