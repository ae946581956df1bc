#include <algorithm>
#include <array>
#include <optional>
#include <stdexcept>

#include "sim/scenario/scenario.h"

namespace sim {
namespace {

using std::chrono_literals::operator""ms;
using std::chrono_literals::operator""s;

mad::Duration draw(Random& random, mad::Duration low, mad::Duration high) {
  return low +
         mad::Duration(static_cast<mad::Duration::rep>(random.below(
             static_cast<std::uint64_t>(std::max<mad::Duration::rep>((high - low).count(), 1)))));
}

class Drawer {
 public:
  Drawer(const Model& model, std::uint64_t seed, const RandomScenario& params)
      : model_(model), random_(seed), params_(params) {
    const auto spared = [&](NodeIndex node) {
      return std::ranges::find(params.spare, node) != params.spare.end();
    };
    for (const PortIndex port : model.ports.indices()) {
      const PortModel& end = model.ports[port];
      if (end.peer != kNone && port < end.peer && !spared(end.node) &&
          !spared(model.ports[end.peer].node))
        cables_.push_back(port);
    }
    for (const NodeIndex node : model.nodes.indices()) {
      if (spared(node)) continue;
      nodes_.push_back(node);
      if (!model.nodes[node].is_switch()) hosts_.push_back(node);
    }
  }

  Scenario draw_all() {
    mad::TimePoint::duration at = params_.from;
    while ((at += draw(random_, {}, 2 * params_.mean_interval)) < params_.until) {
      const std::string& name = params_.kinds[random_.below(params_.kinds.size())];
      const mad::Duration end = at + draw(random_, 1ms, 3s);
      (this->*std::ranges::find(kKinds, name, &Kind::name)->draw)(at, end);
    }
    return std::move(scenario_);
  }

  /// One fault from `at` to `end`.
  struct Kind {
    std::string_view name;
    void (Drawer::*draw)(mad::Duration at, mad::Duration end);
  };
  static const std::array<Kind, 17> kKinds;

 private:
  using Happen = std::function<void(World&)>;
  void add(mad::Duration at, std::string text, Happen happen) {
    scenario_.events.push_back({.at = std::min(at, params_.until),
                                .every = {},
                                .times = 1,
                                .text = std::move(text),
                                .happen = std::move(happen)});
  }
  template <class Item>
  std::optional<Item> one_of(const std::vector<Item>& items) {
    if (items.empty()) return std::nullopt;
    return items[random_.below(items.size())];
  }

  // ---- Links
  void pull(PortIndex port, mad::Duration at, mad::Duration end) {
    const PortIndex far = model_.ports[port].peer;
    add(at, "cut " + model_.name(port), [port](World& world) { world.cut(port); });
    add(end, "plug in " + model_.name(port), [port, far](World& world) {
      if (world.model.ports[port].peer == kNone && world.model.ports[far].peer == kNone)
        world.connect(port, far);
    });
  }
  void flap(mad::Duration at, mad::Duration end) {
    if (const auto port = one_of(cables_)) pull(*port, at, end);
  }
  void bounce(mad::Duration at, mad::Duration) {
    const auto port = one_of(cables_);
    if (!port) return;
    add(at, "bounce " + model_.name(*port), [port](World& world) { world.bounce(*port); });
  }
  /// A fault of a link for MADs, for a limited time.
  void worsen(std::string_view what, const LinkQuality& quality, mad::Duration at,
              mad::Duration end) {
    const auto port = one_of(cables_);
    if (!port) return;
    const PortIndex far = model_.ports[*port].peer;
    add(at, std::string(what) + " at " + model_.name(*port),
        [port, quality](World& world) { world.set_quality(*port, quality); });
    add(end, "good link at " + model_.name(*port), [port, far](World& world) {
      const LinkQuality good = world.qualities.front();
      world.set_quality(*port, good);
      world.set_quality(far, good);  // separately, if the cable is out
    });
  }
  void loss(mad::Duration at, mad::Duration end) { worsen("loss", {.lost = 0.3}, at, end); }
  void delay(mad::Duration at, mad::Duration end) {
    worsen("delay", {.latency_max = 20ms, .late = 0.1, .late_max = 100ms}, at, end);
  }
  void duplicate(mad::Duration at, mad::Duration end) {
    worsen("duplicates", {.duplicated = 0.5}, at, end);
  }
  void corrupt(mad::Duration at, mad::Duration end) {
    worsen("corruption", {.corrupted = 0.3, .cut_short = 0.1}, at, end);
  }

  // ---- Nodes
  void turn_off(NodeIndex node, mad::Duration at, mad::Duration end) {
    const std::string& name = model_.nodes[node].description;
    add(at, "power off " + name, [node](World& world) { world.power(node, false); });
    add(end, "power on " + name, [node](World& world) { world.power(node, true); });
  }
  void reboot(mad::Duration at, mad::Duration end) {
    if (const auto node = one_of(nodes_)) turn_off(*node, at, end);
  }
  /// A host is absent for longer than a reboot takes: switched off, or its cables are pulled.
  void leave(mad::Duration at, mad::Duration) {
    const auto node = one_of(hosts_);
    if (!node) return;
    const mad::Duration end = at + draw(random_, 2s, 15s);
    if (random_.chance(0.5)) return turn_off(*node, at, end);
    const NodeModel& host = model_.nodes[*node];
    for (unsigned number = 1; number <= host.port_count(); ++number) {
      if (model_.ports[host.first_port + number].peer != kNone)
        pull(host.first_port + number, at, end);
    }
  }
  void lose_tables(mad::Duration at, mad::Duration) {
    const auto node = one_of(nodes_);
    if (!node) return;
    add(at, "lose tables " + model_.nodes[*node].description,
        [node](World& world) { world.lose_tables(*node); });
  }
  void ail(std::string_view begins, std::string_view ends, void (*sicken)(Health&),
           void (*heal)(Health&), mad::Duration at, mad::Duration end) {
    const auto node = one_of(nodes_);
    if (!node) return;
    const std::string& name = model_.nodes[*node].description;
    add(at, std::string(begins) + " " + name,
        [node, sicken](World& world) { sicken(world.model.nodes[*node].health); });
    add(end, std::string(ends) + " " + name,
        [node, heal](World& world) { heal(world.model.nodes[*node].health); });
  }
  void hang(mad::Duration at, mad::Duration end) {
    ail(
        "hang", "unhang", [](Health& health) { health.silent = true; },
        [](Health& health) { health.silent = false; }, at, end);
  }
  void slow(mad::Duration at, mad::Duration end) {
    ail(
        "slow", "fast", [](Health& health) { health.slow_max = 300ms; },
        [](Health& health) { health.slow_max = {}; }, at, end);
  }
  void lie(mad::Duration at, mad::Duration end) {
    ail(
        "lie", "honest", [](Health& health) { health.lies = 0.5; },
        [](Health& health) { health.lies = 0; }, at, end);
  }
  void bad_status(mad::Duration at, mad::Duration end) {
    ail(
        "bad status", "good status", [](Health& health) { health.bad_status = 0.5; },
        [](Health& health) { health.bad_status = 0; }, at, end);
  }
  void no_traps(mad::Duration at, mad::Duration end) {
    ail(
        "no traps from", "traps from", [](Health& health) { health.withhold_traps = true; },
        [](Health& health) { health.withhold_traps = false; }, at, end);
  }

  void refuse(mad::Duration at, mad::Duration end) {
    ail(
        "no settings for", "settings for",
        [](Health& health) {
          health.reject = [](mad::ConstSmpView smp) {
            return smp.method() == mad::Method::set &&
                           smp.attribute_id() == mad::AttributeId::port_info
                       ? std::optional(mad::status::kInvalidValue)
                       : std::nullopt;
          };
        },
        [](Health& health) { health.reject = {}; }, at, end);
  }
  /// For good, as firmware does that does not implement a setting.
  void keep_value(mad::Duration at, mad::Duration) {
    const auto node = one_of(nodes_);
    if (!node) return;
    add(at, "own values of " + model_.nodes[*node].description, [node](World& world) {
      world.model.nodes[*node].health.edit_request = [](mad::SmpView smp) {
        if (smp.method() != mad::Method::set || smp.attribute_id() != mad::AttributeId::port_info)
          return;
        mad::PortInfo info(smp.data());
        info.set_hoq_life(3);
        info.set_subnet_time_out(11);
        smp.set_data(info.bytes());
      };
    });
  }
  /// As set by another manager, until the device is restarted without its links going down.
  void foreign_key(mad::Duration at, mad::Duration end) {
    const auto node = one_of(nodes_);
    if (!node) return;
    const auto set = [node = *node](World& world, mad::MKey key, std::uint8_t level) {
      const NodeModel& its = world.model.nodes[node];
      for (unsigned number = 0; number <= its.port_count(); ++number) {
        mad::PortInfo& info = world.model.ports[its.first_port + number].info;
        info.set_m_key(key);
        info.set_m_key_protect_bits(level);
      }
    };
    const mad::MKey key{random_.next()};
    const auto level = static_cast<std::uint8_t>(1 + random_.below(3u));
    const std::string& name = model_.nodes[*node].description;
    add(at, "foreign M_Key at " + name, [=](World& world) { set(world, key, level); });
    add(end, "no M_Key at " + name, [=](World& world) { set(world, {}, 0); });
  }

  const Model& model_;
  Random random_;
  const RandomScenario& params_;
  std::vector<PortIndex> cables_;  // one end of each
  std::vector<NodeIndex> nodes_, hosts_;
  Scenario scenario_;
};

constexpr std::array<Drawer::Kind, 17> Drawer::kKinds{{{"flap", &Drawer::flap},
                                                       {"bounce", &Drawer::bounce},
                                                       {"loss", &Drawer::loss},
                                                       {"delay", &Drawer::delay},
                                                       {"duplicate", &Drawer::duplicate},
                                                       {"corrupt", &Drawer::corrupt},
                                                       {"reboot", &Drawer::reboot},
                                                       {"leave", &Drawer::leave},
                                                       {"hang", &Drawer::hang},
                                                       {"slow", &Drawer::slow},
                                                       {"lie", &Drawer::lie},
                                                       {"bad-status", &Drawer::bad_status},
                                                       {"lose-tables", &Drawer::lose_tables},
                                                       {"no-traps", &Drawer::no_traps},
                                                       {"refuse", &Drawer::refuse},
                                                       {"keep-value", &Drawer::keep_value},
                                                       {"foreign-key", &Drawer::foreign_key}}};

}  // namespace

const std::vector<std::string>& random_kinds() {
  static const std::vector<std::string> kinds = [] {
    std::vector<std::string> names;
    for (const Drawer::Kind& kind : Drawer::kKinds) names.emplace_back(kind.name);
    return names;
  }();
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
