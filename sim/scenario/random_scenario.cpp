#include <algorithm>
#include <stdexcept>

#include "sim/scenario/scenario.h"

namespace sim {
namespace {

mad::Duration draw(Random& random, mad::Duration low, mad::Duration high) {
  return low +
         mad::Duration(static_cast<mad::Duration::rep>(random.below(
             static_cast<std::uint64_t>(std::max<mad::Duration::rep>((high - low).count(), 1)))));
}

class Drawer {
 public:
  Drawer(const Model& model, std::uint64_t seed, const RandomScenario& params)
      : model_(model), random_(seed), params_(params) {
    for (PortIndex port = 0; port < model.ports.size(); ++port) {
      const PortModel& end = model.ports[port];
      if (end.peer != kNone && port < end.peer && end.node != params.spare &&
          model.ports[end.peer].node != params.spare)
        cables_.push_back(port);
    }
    for (NodeIndex node = 0; node < model.nodes.size(); ++node) {
      if (node != params.spare) nodes_.push_back(node);
    }
  }

  Scenario draw_all() {
    mad::TimePoint::duration at = params_.from;
    while ((at += draw(random_, {}, 2 * params_.mean_interval)) < params_.until)
      one(params_.kinds[random_.below(params_.kinds.size())], at);
    return std::move(scenario_);
  }

 private:
  void add(mad::Duration at, std::string text, std::function<void(World&)> happen) {
    scenario_.events.push_back({.at = std::min(at, params_.until),
                                .every = {},
                                .times = 1,
                                .text = std::move(text),
                                .happen = std::move(happen)});
  }

  void one(const std::string& kind, mad::Duration at) {
    const mad::Duration end =
        at + draw(random_, std::chrono::milliseconds(1), std::chrono::seconds(3));
    if (kind == "flap" || kind == "bounce") {
      if (cables_.empty()) return;
      const PortIndex port = cables_[random_.below(cables_.size())], far = model_.ports[port].peer;
      if (kind == "bounce")
        return add(at, "bounce " + model_.name(port), [port](World& world) { world.bounce(port); });
      add(at, "cut " + model_.name(port), [port](World& world) { world.cut(port); });
      return add(end, "plug in " + model_.name(port), [port, far](World& world) {
        if (world.model.ports[port].peer == kNone && world.model.ports[far].peer == kNone)
          world.connect(port, far);
      });
    }
    if (nodes_.empty()) return;
    const NodeIndex node = nodes_[random_.below(nodes_.size())];
    const std::string& name = model_.nodes[node].description;
    if (kind == "reboot") {
      add(at, "power off " + name, [node](World& world) { world.power(node, false); });
      add(end, "power on " + name, [node](World& world) { world.power(node, true); });
    } else if (kind == "hang") {
      add(at, "hang " + name,
          [node](World& world) { world.model.nodes[node].health.silent = true; });
      add(end, "unhang " + name,
          [node](World& world) { world.model.nodes[node].health.silent = false; });
    } else if (kind == "slow") {
      add(at, "slow " + name, [node](World& world) {
        world.model.nodes[node].health.slow_max = std::chrono::milliseconds(300);
      });
      add(end, "fast " + name,
          [node](World& world) { world.model.nodes[node].health.slow_max = {}; });
    } else if (kind == "lie") {
      add(at, "lie " + name, [node](World& world) { world.model.nodes[node].health.lies = 0.5; });
      add(end, "honest " + name, [node](World& world) { world.model.nodes[node].health.lies = 0; });
    } else if (kind == "bad-status") {
      add(at, "bad status " + name,
          [node](World& world) { world.model.nodes[node].health.bad_status = 0.5; });
      add(end, "good status " + name,
          [node](World& world) { world.model.nodes[node].health.bad_status = 0; });
    } else {
      add(at, "lose tables " + name, [node](World& world) { world.lose_tables(node); });
    }
  }

  const Model& model_;
  Random random_;
  const RandomScenario& params_;
  std::vector<PortIndex> cables_;  // one end of each
  std::vector<NodeIndex> nodes_;
  Scenario scenario_;
};

}  // namespace

const std::vector<std::string>& random_kinds() {
  static const std::vector<std::string> kinds{"flap", "bounce", "reboot",     "hang",
                                              "slow", "lie",    "bad-status", "lose-tables"};
  return kinds;
}

Scenario random_scenario(const Model& model, std::uint64_t seed, const RandomScenario& params) {
  for (const std::string& kind : params.kinds) {
    if (std::ranges::find(random_kinds(), kind) == random_kinds().end())
      throw std::invalid_argument("no random kind is called " + kind);
  }
  if (params.kinds.empty()) return {};
  return Drawer(model, seed, params).draw_all();
}

void Scenario::schedule(World& world) const {
  for (const ScenarioEvent& event : events) {
    for (unsigned time = 0; time < event.times; ++time) {
      world.events().after(event.at + time * event.every,
                           [&world, text = event.text, happen = event.happen] {
                             if (world.trace) world.log("scenario: {}", text);
                             happen(world);
                           });
    }
  }
}

}  // namespace sim
