#include "sm/sweep/observe/vport_observer.h"

#include <algorithm>
#include <set>

#include "sm/sweep/apply/apply.h"
#include "sm/sweep/apply/vport_stages.h"

namespace sm {
namespace asio = boost::asio;

asio::awaitable<void> VPortObserver::observe(const SweepContext& context, const Fabric& fabric,
                                             std::vector<PortIndex> ports, VPortAccess access) {
  apply_noted();
  if (virtualization_setting(context.options) == VirtualizationSetting::ignore) {
    devices_.vports.clear();
    co_return;
  }
  if (access == VPortAccess::manage &&
      virtualization_setting(context.options) == VirtualizationSetting::on) {
    const std::vector<PortIndex> all = std::move(ports);
    ports = co_await try_models(context, fabric, all);
    // Ports that an earlier manager has enabled are served as they are.
    std::vector<PortIndex> others;
    std::ranges::set_difference(all, ports, std::back_inserter(others));
    if (!others.empty()) co_await observe(context, fabric, others, VPortAccess::clear);
    // A model stays untried if none of its ports has carried data during the trial.
    for (const PortIndex port : others)
      if (devices_.trials[virt::Model::of(fabric, port)].enabling == virt::Trial::State::untried)
        devices_.vports[fabric.ports[port].guid].due = true;
  }
  const std::size_t at_once = context.options.virt_max_ports_in_process == 0
                                  ? ports.size()
                                  : context.options.virt_max_ports_in_process;
  for (std::size_t first = 0; first < ports.size(); first += at_once) {
    const auto begin = ports.begin() + static_cast<std::ptrdiff_t>(first);
    const auto count = static_cast<std::ptrdiff_t>(std::min(at_once, ports.size() - first));
    co_await observe_some(context, fabric, {begin, begin + count}, access);
  }
}

asio::awaitable<void> VPortObserver::observe_some(const SweepContext& context, const Fabric& fabric,
                                                  std::vector<PortIndex> ports,
                                                  VPortAccess access) {
  std::set<PortIndex> retried;
  for (const PortIndex port : ports) {
    virt::PortFacts& facts = devices_.vports[fabric.ports[port].guid];
    if (!facts.is_retry_due(environment_.client.now())) continue;
    facts.due = false;
    facts.forget_failures();
    retried.insert(port);
  }
  co_await send(fabric, mad::Method::get, virtualization_reads(fabric, devices_, ports));

  std::vector<PortIndex> to_read, switched_on;
  const VirtualizationSetting setting = access == VPortAccess::manage
                                            ? virtualization_setting(context.options)
                                            : VirtualizationSetting::read;
  for (const PortIndex port : ports) {
    virt::PortFacts& facts = devices_.vports[fabric.ports[port].guid];
    if (!facts.info || facts.silent) continue;
    const bool changed =
        facts.info->vport_state_change() || !facts.states_read || retried.contains(port);
    if (!facts.is_enabled()) facts.reregister = false;  // its vports come up with an event
    if (!facts.is_enabled() && setting == VirtualizationSetting::on) switched_on.push_back(port);
    if (changed || !facts.is_enabled()) to_read.push_back(port);
  }
  std::vector<Write> changes;
  if (access != VPortAccess::look)
    changes = virtualization_writes(fabric, devices_.vports, ports, setting);
  co_await send(fabric, mad::Method::set,
                vport_writes(StageKind::virtualization, fabric, devices_, std::move(changes)));
  // Hosts show the state of their physical function from index 0: it must not stay in Init.
  co_await send(fabric, mad::Method::set,
                vport_writes(StageKind::vport_activation, fabric, devices_,
                             first_activations(fabric, devices_.vports, switched_on)));
  const std::unique_ptr<StageSource> attributes =
      vport_reads(fabric, devices_, std::move(to_read), reads_descriptions(context.options));
  // A silent vport does not make its node silent: VirtualizationInfo has been answered.
  while (std::unique_ptr<Stage> stage = attributes->next()) {
    environment_.client.forget_silence();
    co_await send(fabric, mad::Method::get, std::move(stage));
  }
  environment_.client.forget_silence();
}

/// `stage` may be empty.
asio::awaitable<void> VPortObserver::send(const Fabric& fabric, mad::Method method,
                                          std::unique_ptr<Stage> stage) {
  const ApplyOptions how = environment_.apply_options();
  ApplyReport report;  // what fails is tried again by light sweeps
  co_await sm::send(environment_.client, how, fabric, method, *stage, report);
}

void VPortObserver::note_change(mad::Guid port, std::uint16_t index) {
  constexpr std::size_t kNotedMax = 1000;  // then the light sweep finds the others
  if (!environment_.is_computing()) return apply_note(port, index);
  if (noted_.size() < kNotedMax) noted_.emplace_back(port, index);
}

void VPortObserver::apply_noted() {
  for (const auto& [port, index] : std::exchange(noted_, {})) apply_note(port, index);
}

void VPortObserver::apply_note(mad::Guid port, std::uint16_t index) {
  const auto facts = devices_.vports.find(port);
  if (facts == devices_.vports.end()) return;
  const auto vport = facts->second.vports.find(index);
  if (vport == facts->second.vports.end()) return;
  facts->second.states_read = false;
  vport->second.stale = true;
  vport->second.described = false;
}

asio::awaitable<std::vector<mad::Guid>> VPortObserver::find_changed(const Fabric& fabric) {
  apply_noted();
  std::vector<mad::Guid> changed;
  std::vector<PortIndex> ports;
  for (const PortIndex port : ports_with_vports(fabric, devices_.vports)) {
    const auto facts = devices_.vports.find(fabric.ports[port].guid);
    if (facts == devices_.vports.end()) continue;
    if (facts->second.is_retry_due(environment_.client.now()))
      changed.push_back(facts->first);
    else if (facts->second.is_enabled() && !facts->second.silent)
      ports.push_back(port);
  }
  co_await send(fabric, mad::Method::get, virtualization_reads(fabric, devices_, ports));
  for (const PortIndex port : ports) {
    const mad::Guid guid = fabric.ports[port].guid;
    const virt::PortFacts& facts = devices_.vports[guid];
    if (!facts.is_enabled() || !facts.states_read || facts.info->vport_state_change())
      changed.push_back(guid);
  }
  co_return changed;
}

}  // namespace sm
