// VPortObserver: tries the first port of each device model that is switched to vports, and the
// first P_Key table of a vport of each model.

#include <algorithm>

#include "mad/format.h"
#include "sm/sweep/apply/apply.h"
#include "sm/sweep/apply/vport_stages.h"
#include "sm/sweep/devices/link_settings.h"
#include "sm/sweep/observe/vport_observer.h"
#include "virt/virt_conditions.h"

namespace sm {
namespace asio = boost::asio;

namespace {
constexpr mad::Duration kTrialPause = std::chrono::milliseconds(10);
constexpr std::uint16_t kNoVPort = 0xFFFF;

mad::PortState state_of_first(const virt::PortFacts& facts) {
  const auto first = facts.vports.find(0);
  return first == facts.vports.end() ? mad::PortState::no_change : first->second.state;
}
}  // namespace

/// Returns the ports that may be switched on: their model is known to work, or works in the trial.
asio::awaitable<std::vector<PortIndex>> VPortObserver::try_models(
    const SweepContext& context, const Fabric& fabric, const std::vector<PortIndex>& ports) {
  std::map<virt::Model, std::vector<PortIndex>> of_model;
  for (const PortIndex port : ports) of_model[virt::Model::of(fabric, port)].push_back(port);
  std::vector<PortIndex> allowed;
  for (const auto& [model, its] : of_model) {
    if (devices_.trials[model].enabling == virt::Trial::State::untried)
      co_await try_model(context, fabric, model, its);
    if (devices_.trials[model].enabling == virt::Trial::State::works)
      allowed.insert(allowed.end(), its.begin(), its.end());
  }
  std::ranges::sort(allowed);
  co_return allowed;
}

/// Tries the model on the first of the ports that answers and carries data until the end of the
/// trial. A port that is enabled already is as good a test.
asio::awaitable<void> VPortObserver::try_model(const SweepContext& context, const Fabric& fabric,
                                               virt::Model model,
                                               const std::vector<PortIndex>& ports) {
  for (const PortIndex port : ports) {
    const mad::Guid guid = fabric.ports[port].guid;
    const std::vector<PortIndex> one{port};
    co_await send(fabric, mad::Method::get, virtualization_reads(fabric, devices_, one));
    if (!devices_.vports[guid].info || devices_.vports[guid].info->virtualization_revision() != 0)
      continue;
    const PortInfoAnswer before = co_await read_port_info(fabric, port);
    if (!before || before->port_state() != mad::PortState::active) continue;  // it has restarted
    const bool was_on = devices_.vports[guid].is_enabled();
    if (!was_on) {
      co_await send(fabric, mad::Method::set,
                    vport_writes(StageKind::virtualization, fabric, devices_,
                                 virtualization_writes(fabric, devices_.vports, one,
                                                       VirtualizationSetting::on)));
      if (!devices_.vports[guid].is_enabled() && !devices_.vports[guid].silent) continue;
    }
    TrialEnd end = TrialEnd::silent;
    if (!devices_.vports[guid].silent) end = co_await try_port(context, fabric, port);
    virt::Trial& trial = devices_.trials[model];
    if (end == TrialEnd::works) {
      trial.enabling = virt::Trial::State::works;
      co_return;
    }
    if (end == TrialEnd::failed) {
      trial.enabling = virt::Trial::State::failed;
      trial.why =
          fmt::format("{}: vport 0 did not become Active within {} ms of switching vports on",
                      fabric.port_name(port), context.options.virt_probe_timeout);
    } else if (++trial.interrupted == virt::Trial::kInterruptedMax) {
      trial.enabling = virt::Trial::State::failed;
      trial.why = fmt::format(
          "{}: the port did not stay Active when vports were switched on, {} times in a row",
          fabric.port_name(port), trial.interrupted);
    }
    const bool is_decided = trial.enabling == virt::Trial::State::failed;
    if (!was_on && end != TrialEnd::silent) {
      co_await send(fabric, mad::Method::set,
                    vport_writes(StageKind::virtualization, fabric, devices_,
                                 virtualization_writes(fabric, devices_.vports, one,
                                                       VirtualizationSetting::off)));
    }
    if (is_decided) co_return;
  }
}

/// Waits until vport 0 is Active, or virt_probe_timeout is over. A port that is not Active shows
/// nothing about its vports: its host has restarted, or its link trains.
asio::awaitable<VPortObserver::TrialEnd> VPortObserver::try_port(const SweepContext& context,
                                                                 const Fabric& fabric,
                                                                 PortIndex port) {
  const mad::Guid guid = fabric.ports[port].guid;
  const std::vector<PortIndex> one{port};
  const mad::TimePoint end =
      environment_.client.now() + std::chrono::milliseconds(context.options.virt_probe_timeout);
  for (;;) {
    if (state_of_first(devices_.vports[guid]) != mad::PortState::active) {
      co_await send(fabric, mad::Method::set,
                    vport_writes(StageKind::vport_activation, fabric, devices_,
                                 first_activations(fabric, devices_.vports, one)));
    }
    std::unique_ptr<StageSource> attributes =
        vport_reads(fabric, devices_, one, reads_descriptions(context.options));
    co_await environment_.read(std::move(attributes), fabric);
    if (state_of_first(devices_.vports[guid]) == mad::PortState::active) co_return TrialEnd::works;
    const PortInfoAnswer now = co_await read_port_info(fabric, port);
    if (!now) co_return TrialEnd::silent;
    if (now->port_state() != mad::PortState::active) co_return TrialEnd::link_lost;
    if (environment_.client.now() >= end || !environment_.can_pause()) co_return TrialEnd::failed;
    co_await environment_.pause(kTrialPause);
  }
}

asio::awaitable<VPortObserver::PortInfoAnswer> VPortObserver::read_port_info(const Fabric& fabric,
                                                                             PortIndex port) {
  const auto route = fabric.route_to(port);
  if (!route) co_return std::nullopt;
  mad::SmpRequest request;
  request.attribute = mad::AttributeId::port_info;
  request.modifier = port_info_modifier(fabric, port);
  request.route = *route;
  request.node = fabric.owning_node(port).guid;
  request.port = fabric.m_key_port(port);
  const mad::SmpAnswer answer = co_await environment_.client.ask(request);
  if (!answer.ok()) co_return std::nullopt;
  co_return mad::PortInfo(answer.data);
}

/// Reads the P_Key tables of the port's vports. Returns the first vport, except `written`, whose
/// table differs from that in `before`.
asio::awaitable<std::optional<std::uint16_t>> VPortObserver::changed_table(
    const Fabric& fabric, PortIndex port, const virt::PortFacts& before, std::uint16_t written) {
  co_await send(fabric, mad::Method::get, p_key_reads_of_vports(fabric, devices_, port));
  for (const auto& [index, vport] : devices_.vports[fabric.ports[port].guid].vports) {
    const auto was = before.vports.find(index);
    if (index != written && was != before.vports.end() && was->second.p_keys != vport.p_keys)
      co_return index;
  }
  co_return std::nullopt;
}

/// Writes one table for each model that was not tried, and reads back the tables of all vports of
/// that port. A vport that is not served yet loses nothing. Reads that differ without a Set in
/// between show nothing about the model: its next table is tried.
asio::awaitable<void> VPortObserver::try_p_keys(const Fabric& fabric, const VPortTargets& targets) {
  for (const Write& write : p_key_writes_of_vports(fabric, devices_, targets)) {
    const virt::Model model = virt::Model::of(fabric, write.port);
    if (devices_.trials[model].p_keys != virt::Trial::State::untried) continue;
    const mad::Guid guid = fabric.ports[write.port].guid;
    const auto written = static_cast<std::uint16_t>(write.modifier >> 16);
    const virt::PortFacts before = devices_.vports[guid];
    const bool is_stale =
        (co_await changed_table(fabric, write.port, before, kNoVPort)).has_value();
    devices_.vports[guid] = before;  // what was planned by it is written
    if (is_stale) continue;
    std::vector<Write> writes{write};
    co_await send(fabric, mad::Method::set,
                  vport_writes(StageKind::vport_p_keys, fabric, devices_, std::move(writes)));
    const auto changed = co_await changed_table(fabric, write.port, before, written);
    virt::Trial& trial = devices_.trials[model];
    trial.p_keys = changed ? virt::Trial::State::failed : virt::Trial::State::works;
    if (!changed) continue;
    const virt::PortFacts after = devices_.vports[guid];
    if (co_await changed_table(fabric, write.port, after, kNoVPort)) {
      trial.p_keys = virt::Trial::State::untried;
      continue;
    }
    trial.why = fmt::format("{}: a Set of the P_Key table of vport {} changed that of vport {}",
                            fabric.port_name(write.port), written, *changed);
    // The physical function continues to work with its old keys.
    const auto first = before.vports.find(0);
    const std::size_t block = write.modifier & 0xFFFFu;
    if (first == before.vports.end() || block >= first->second.p_keys.size() ||
        !first->second.p_keys[block])
      continue;
    Write restored = write;
    restored.modifier = mad::VPortPKeyTable::modifier(0, static_cast<std::uint16_t>(block));
    std::ranges::copy(first->second.p_keys[block]->bytes(), restored.data.begin());
    std::vector<Write> restores{restored};
    co_await send(fabric, mad::Method::set,
                  vport_writes(StageKind::vport_p_keys, fabric, devices_, std::move(restores)));
  }
}

std::vector<Condition> VPortObserver::trial_conditions() const {
  std::vector<Condition> active;
  for (const auto& [model, trial] : devices_.trials)
    if (!trial.why.empty())
      active.push_back(
          {.id = virt::kVirtConditions.vport_probe_failed,
           .text = fmt::format("{}; virtual ports of this model (vendor {:#08x}, device {}, "
                               "revision {:#x}, CapabilityMask2 {:#06x}) are left alone",
                               trial.why, model.vendor, model.device, model.revision,
                               model.capabilities2)});
  return active;
}

}  // namespace sm
