#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>

#include <fmt/format.h>

#include "sim/scenario/scenario.h"
#include "sim/world/vport_host.h"

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
    for (const PortIndex port : model.ports.indices()) {
      if (find_vport(model.ports[port], 0) && !spared(model.ports[port].node))
        vport_hosts_.push_back(port);
    }
  }

  Scenario draw_all() {
    mad::TimePoint::duration at = params_.from;
    while ((at += draw(random_, {}, 2 * params_.mean_interval)) < params_.until) {
      const std::string& name = params_.kinds[random_.below(params_.kinds.size())];
      const mad::Duration end = at + draw(random_, 1ms, 3s);
      const auto plain = std::ranges::find(kKinds, name, &Kind::name);
      (this->*(plain != kKinds.end() ? plain->draw
                                     : std::ranges::find(kVPortKinds, name, &Kind::name)->draw))(
          at, end);
    }
    return std::move(scenario_);
  }

  /// A kind of fault; `draw` adds one fault from `at` to `end`.
  struct Kind {
    std::string_view name;
    void (Drawer::*draw)(mad::Duration at, mad::Duration end);
  };
  static const std::array<Kind, 18> kKinds;
  static const std::array<Kind, 6> kVPortKinds;

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
  /// Adds a fault of a link for MADs, for a limited time.
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
  /// Delays requests by up to 790 ms, longer than the default time-out of a sweep's requests.
  void slow(mad::Duration at, mad::Duration end) {
    const auto node = one_of(nodes_);
    if (!node) return;
    const mad::Duration most = draw(random_, 10ms, 790ms);
    const mad::Duration least = random_.chance(0.5) ? most / 2 : mad::Duration{};
    const std::string& name = model_.nodes[*node].description;
    add(at, "slow agents of " + name, [node, least, most](World& world) {
      world.model.nodes[*node].health.slow_min = least;
      world.model.nodes[*node].health.slow_max = most;
    });
    add(end, "fast agents of " + name, [node](World& world) {
      world.model.nodes[*node].health.slow_min = world.model.nodes[*node].health.slow_max = {};
    });
  }
  void serial(mad::Duration at, mad::Duration end) {
    const auto node = one_of(nodes_);
    if (!node) return;
    const mad::Duration time = draw(random_, 30ms, 100ms);
    const std::string& name = model_.nodes[*node].description;
    add(at, "serial agents of " + name,
        [node, time](World& world) { world.model.nodes[*node].health.service_time = time; });
    add(end, "usual agents of " + name,
        [node](World& world) { world.model.nodes[*node].health.service_time = {}; });
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
  /// Keeps values of its own for good, like firmware that does not implement a setting.
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
  /// Sets a key as another manager does, until the device restarts while its links stay up.
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

  // ---- Virtual ports. Which one of a port is hit is known only at that moment.
  static std::optional<std::uint16_t> pick_vport(const World& world, PortIndex port,
                                                 std::uint64_t number) {
    const auto& vports = world.model.ports[port].extras->vports;
    if (vports.size() < 2) return std::nullopt;  // vport 0 alone
    return std::next(vports.begin(), static_cast<std::ptrdiff_t>(1 + number % (vports.size() - 1)))
        ->first;
  }
  static std::optional<std::uint16_t> free_index(const PortModel& port) {
    for (std::uint16_t index = 1; index < virtualization_info(port).vport_cap(); ++index)
      if (!find_vport(port, index)) return index;
    return std::nullopt;
  }
  void vport_rebind(mad::Duration at, mad::Duration end) {
    const auto port = one_of(vport_hosts_);
    if (!port) return;
    add(at, "rebind a vport of " + model_.name(*port),
        [port = *port, number = random_.next(),
         time = std::min(end, params_.until) - at](World& world) {
          if (const auto index = pick_vport(world, port, number))
            rebind_vport(world, port, *index, time);
        });
  }
  /// Sets another GUID, or none, and later the first one again.
  void vport_guid(mad::Duration at, mad::Duration end) {
    const auto port = one_of(vport_hosts_);
    if (!port) return;
    const mad::Guid other = random_.chance(0.5) ? kReleasedGuid : mad::Guid{random_.next() | 1};
    const auto before = std::make_shared<std::pair<std::uint16_t, mad::Guid>>();
    add(at, "GUID of a vport of " + model_.name(*port),
        [port = *port, number = random_.next(), other, before](World& world) {
          const auto index = pick_vport(world, port, number);
          if (!index) return;
          *before = {*index, vport_info(world.model.ports[port], *index).port_guid()};
          set_vport_guid(world, port, *index, other);
        });
    add(end, "former GUID of a vport of " + model_.name(*port),
        [port = *port, other, before](World& world) {
          // If an overlapping migration left the vport twice, one of the two keeps the GUID.
          if (before->first == 0 ||
              (is_vport_guid(before->second) && find_vport_guid(world.model, before->second)))
            return;
          // The vport may have moved since.
          const auto found = is_vport_guid(other) ? find_vport_guid(world.model, other)
                                                  : VPortPlace{port, before->first};
          if (!found) return;
          const VPort* const vport = find_vport(world.model.ports[found->port], found->index);
          if (vport && vport_info(*vport).port_guid() == other)
            set_vport_guid(world, found->port, found->index, before->second);
        });
  }
  /// Creates a vport at this index or at a free one, unless a vport has its GUID.
  static void recreate(World& world, PortIndex port, std::uint16_t index,
                       const VPortOptions& options) {
    if (is_vport_guid(options.guid) && find_vport_guid(world.model, options.guid)) return;
    if (create_vport(world, port, index, options)) return;
    if (const auto free = free_index(world.model.ports[port]))
      create_vport(world, port, *free, options);
  }
  /// Removes all vports; then the host creates them again.
  void driver_reload(mad::Duration at, mad::Duration end) {
    const auto port = one_of(vport_hosts_);
    if (!port) return;
    const auto before = std::make_shared<std::map<std::uint16_t, VPortOptions>>();
    add(at, "reload the driver of " + model_.name(*port), [port = *port, before](World& world) {
      for (const auto& [index, vport] : world.model.ports[port].extras->vports)
        if (index != 0) before->emplace(index, vport_options(vport));
      reload_driver(world, port);
    });
    add(end, "vports of " + model_.name(*port), [port = *port, before](World& world) {
      for (const auto& [index, options] : *before) recreate(world, port, index, options);
    });
  }
  void vport_migrate(mad::Duration at, mad::Duration end) {
    const auto from = one_of(vport_hosts_), to = one_of(vport_hosts_);
    if (!from || from == to) return;
    const bool overlapping = random_.chance(0.5);
    const auto moved = std::make_shared<std::optional<VPortOptions>>();
    add(at, fmt::format("migrate a vport of {} to {}", model_.name(*from), model_.name(*to)),
        [from = *from, to = *to, number = random_.next(), overlapping, moved](World& world) {
          const auto index = pick_vport(world, from, number);
          const auto free = free_index(world.model.ports[to]);
          if (!index || !free) return;
          *moved = vport_options(*find_vport(world.model.ports[from], *index));
          if (overlapping) {
            create_vport(world, to, *free, **moved);
          } else {
            destroy_vport(world, from, *index);
          }
        });
    add(end, "end of a migration to " + model_.name(*to),
        [from = *from, to = *to, overlapping, moved](World& world) {
          if (!*moved) return;
          if (!overlapping) return recreate(world, to, 1, **moved);
          for (const auto& [index, vport] : world.model.ports[from].extras->vports) {
            if (index == 0 || vport_info(vport).port_guid() != (*moved)->guid) continue;
            destroy_vport(world, from, index);
            return;
          }
        });
  }
  void vport_slow(mad::Duration at, mad::Duration end) {
    const auto port = one_of(vport_hosts_);
    if (!port) return;
    const mad::Duration time = draw(random_, 1ms, 50ms);
    add(at, "slow vport firmware of " + model_.name(*port),
        [port = *port, time](World& world) { vport_firmware(world, port).time = time; });
    add(end, "fast vport firmware of " + model_.name(*port),
        [port = *port](World& world) { vport_firmware(world, port).time = {}; });
  }
  /// Refuses one attribute of one vport, never VirtualizationInfo: without it there are no vports.
  void vport_refuse(mad::Duration at, mad::Duration end) {
    const auto port = one_of(vport_hosts_);
    if (!port) return;
    constexpr std::array kRefused{mad::AttributeId::vport_info, mad::AttributeId::vnode_info,
                                  mad::AttributeId::vport_p_key_table};
    VPortRefusal refusal{.attribute =
                             static_cast<std::uint16_t>(kRefused[random_.below(kRefused.size())])};
    refusal.sets_only = random_.chance(0.5);
    if (random_.chance(0.5)) refusal.status = mad::status::kInvalidValue;
    add(at, "refusals of a vport of " + model_.name(*port),
        [port = *port, number = random_.next(), refusal](World& world) mutable {
          refusal.index = pick_vport(world, port, number);
          if (refusal.index) vport_firmware(world, port).refusals.push_back(refusal);
        });
    // The end counts as a change of the vport, because nothing else would show it.
    add(end, "no refusals of vports of " + model_.name(*port), [port = *port](World& world) {
      vport_firmware(world, port).refusals.clear();
      world.note_vport_change(port);
    });
  }

  const Model& model_;
  Random random_;
  const RandomScenario& params_;
  std::vector<PortIndex> cables_;  // one end of each
  std::vector<NodeIndex> nodes_, hosts_;
  std::vector<PortIndex> vport_hosts_;
  Scenario scenario_;
};

constexpr std::array<Drawer::Kind, 18> Drawer::kKinds{{{"flap", &Drawer::flap},
                                                       {"bounce", &Drawer::bounce},
                                                       {"loss", &Drawer::loss},
                                                       {"delay", &Drawer::delay},
                                                       {"duplicate", &Drawer::duplicate},
                                                       {"corrupt", &Drawer::corrupt},
                                                       {"reboot", &Drawer::reboot},
                                                       {"leave", &Drawer::leave},
                                                       {"hang", &Drawer::hang},
                                                       {"slow", &Drawer::slow},
                                                       {"serial", &Drawer::serial},
                                                       {"lie", &Drawer::lie},
                                                       {"bad-status", &Drawer::bad_status},
                                                       {"lose-tables", &Drawer::lose_tables},
                                                       {"no-traps", &Drawer::no_traps},
                                                       {"refuse", &Drawer::refuse},
                                                       {"keep-value", &Drawer::keep_value},
                                                       {"foreign-key", &Drawer::foreign_key}}};

constexpr std::array<Drawer::Kind, 6> Drawer::kVPortKinds{
    {{"vport-rebind", &Drawer::vport_rebind},
     {"vport-guid", &Drawer::vport_guid},
     {"driver-reload", &Drawer::driver_reload},
     {"vport-migrate", &Drawer::vport_migrate},
     {"vport-slow", &Drawer::vport_slow},
     {"vport-refuse", &Drawer::vport_refuse}}};

std::vector<std::string> names_of(std::span<const Drawer::Kind> kinds) {
  std::vector<std::string> names;
  names.reserve(kinds.size());
  for (const Drawer::Kind& kind : kinds) names.emplace_back(kind.name);
  return names;
}

}  // namespace

const std::vector<std::string>& random_kinds() {
  static const std::vector<std::string> kinds = names_of(Drawer::kKinds);
  return kinds;
}
const std::vector<std::string>& random_vport_kinds() {
  static const std::vector<std::string> kinds = names_of(Drawer::kVPortKinds);
  return kinds;
}
bool is_random_kind(const std::string& name) {
  return std::ranges::find(random_kinds(), name) != random_kinds().end() ||
         std::ranges::find(random_vport_kinds(), name) != random_vport_kinds().end();
}

Scenario random_scenario(const Model& model, std::uint64_t seed, const RandomScenario& params) {
  for (const std::string& kind : params.kinds) {
    if (!is_random_kind(kind)) throw std::invalid_argument("no random kind is called " + kind);
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
