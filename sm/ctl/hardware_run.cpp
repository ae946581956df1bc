// The steps of hardware_steps() on the devices of a fabric.

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "mad/attributes/virtualization.h"
#include "mad/format.h"
#include "sm/ctl/hardware_guard.h"
#include "sm/ctl/hardware_steps.h"

namespace sm::ctl {
namespace asio = boost::asio;

namespace {

using mad::AttributeId;
using Kind = HardwareAnswer::Kind;

TrialPlace place_of(const RecordedPort& port) {
  return {.info = mad::NodeInfo{std::span(port.answers.front().data)},
          .number = port.number,
          .route = port.route};
}

/// Vports have states of their own, which end with the link's: such a link is not trained.
bool has_active_vports(const RecordedNode& node) {
  return std::ranges::any_of(node.ports, [](const RecordedPort& port) {
    const RecordedAnswer* const answer = port.find(AttributeId::virtualization_info);
    return answer != nullptr && answer->outcome.ok() &&
           mad::VirtualizationInfo{std::span(answer->data)}.virtualization_enable();
  });
}

/// Returns a link by which the switch is not entered, to a host if there is one; not to the own
/// node, the first of the recording.
std::optional<TrialLink> free_link(const Recording& recording, std::uint32_t sw) {
  std::optional<TrialLink> found;
  bool to_host = false;
  const std::uint8_t entry =
      place_of(recording.nodes[sw].ports.front()).info.local_port_num().value;
  const auto consider = [&](std::uint8_t port, std::uint32_t peer, std::uint8_t peer_port) {
    if (port == entry || peer == 0 || (found && (to_host || recording.nodes[peer].is_switch())))
      return;
    const RecordedNode& node = recording.nodes[peer];
    if (has_active_vports(node)) return;
    const auto end = std::ranges::find_if(node.ports, [&](const RecordedPort& each) {
      return node.is_switch() || each.number == peer_port;
    });
    if (end == node.ports.end()) return;
    to_host = !node.is_switch();
    found = TrialLink{.port = port,
                      .peer = place_of(*end),
                      .peer_port = node.is_switch() ? peer_port : std::uint8_t{0}};
  };
  for (std::uint32_t i = 0; i < recording.nodes.size(); ++i)
    for (const RecordedPort& port : recording.nodes[i].ports)
      for (const RecordedLink& link : port.links) {
        if (!link.peer) continue;
        if (i == sw) consider(link.port, link.peer->node, link.peer->port);
        if (link.peer->node == sw && i != sw) consider(link.peer->port, i, link.port);
      }
  return found;
}

/// Returns the first device of each type to which the step applies; not the own node, nor others
/// than `only` if that is not empty.
std::map<std::string, TrialTarget> targets_of(const HardwareStep& step, const Recording& recording,
                                              const std::vector<mad::Guid>& only) {
  std::map<std::string, TrialTarget> out;
  for (std::uint32_t i = 1; i < recording.nodes.size(); ++i) {
    const RecordedNode& node = recording.nodes[i];
    if (!only.empty() && std::ranges::find(only, node.info.node_guid()) == only.end()) continue;
    const std::string type = device_type(node.info);
    if (out.contains(type)) continue;
    TrialTarget target{.recorded = &node.ports.front(),
                       .place = place_of(node.ports.front()),
                       .link = std::nullopt};
    if (node.is_switch()) target.link = free_link(recording, i);
    if (step.is_for(target)) out.emplace(type, target);
  }
  return out;
}

std::string names_of(const std::map<std::string, TrialTarget>& targets) {
  std::string out;
  for (const auto& [type, target] : targets) {
    const auto* const name = target.recorded->find(AttributeId::node_description);
    out += fmt::format("{}{} {} ({})", out.empty() ? "" : ", ", type, target.place.info.node_guid(),
                       name != nullptr && name->outcome.ok()
                           ? mad::NodeDescription{std::span(name->data)}.text()
                           : "");
  }
  return out;
}

/// Returns why nothing may be written now; empty: it may.
asio::awaitable<std::string> why_not(Trial& trial, mad::GmpClient& counters,
                                     const Recording& recording) {
  if (auto manager = co_await running_manager(trial.client(), recording))
    co_return std::move(*manager);
  auto traffic = co_await traffic_of_hosts(counters, trial.runtime(), recording);
  co_return std::move(traffic).value_or("");
}

asio::awaitable<HardwareAnswer> run_step(Trial& trial, const HardwareStep& step,
                                         const std::map<std::string, TrialTarget>& targets,
                                         std::string& not_undone) {
  HardwareAnswer all{.kind = Kind::as_expected, .found = ""};
  for (const auto& [type, target] : targets) {
    const HardwareAnswer one = co_await step.run(trial, target);
    not_undone = co_await trial.undo();
    all.found += fmt::format("{}{}: {}; {}", all.found.empty() ? "" : "; ", type, one.found,
                             not_undone.empty() ? "taken back" : "NOT TAKEN BACK");
    if (one.kind != Kind::as_expected || !not_undone.empty()) all.kind = Kind::otherwise;
    if (!not_undone.empty()) break;
  }
  co_return all;
}

}  // namespace

asio::awaitable<tl::expected<HardwareTrialResult, std::string>> try_hardware(
    Trial& trial, mad::GmpClient& counters, const Recording& recording,
    const HardwareTrialOptions& options) {
  std::string refused = co_await why_not(trial, counters, recording);
  if (!refused.empty()) co_return tl::unexpected(std::move(refused));
  HardwareTrialResult result;
  for (const HardwareStep& step : hardware_steps()) {
    HardwareAnswer answer;
    const auto targets = targets_of(step, recording, options.only);
    if (!targets.empty() && result.stopped.empty() && options.may_run(step, names_of(targets))) {
      // Asked after the operator's answer, which may take an hour.
      result.stopped = co_await why_not(trial, counters, recording);
      if (options.is_stopped()) result.stopped = "stopped";
      std::string not_undone;
      if (result.stopped.empty()) answer = co_await run_step(trial, step, targets, not_undone);
      if (!not_undone.empty()) result.stopped = "not taken back: " + not_undone;
    }
    if (answer.found.empty() && !targets.empty()) answer.kind = Kind::not_run;
    result.answers.push_back({.question = &step.text, .answer = std::move(answer)});
  }
  co_return result;
}

}  // namespace sm::ctl
