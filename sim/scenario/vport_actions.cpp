#include "sim/scenario/actions.h"

#include <algorithm>
#include <array>

#include <fmt/ranges.h>

#include "mad/format.h"
#include "sim/world/vport_host.h"

namespace sim {
namespace {

using Happen = std::function<void(World&)>;

constexpr std::uint64_t kMost16 = 0xFFFF, kMost64 = ~std::uint64_t{0};

PortIndex vport_host(ActionReader& reader, const std::string& key = "port") {
  const PortIndex port = reader.port(key);
  if (port != kNone && reader.model().owning_node(port).info.node_type() != mad::NodeType::ca) {
    reader.complain(reader.mark(key), "it is no port of a CA", "only CAs have vports");
    return kNone;
  }
  return port;
}

std::uint16_t any_index(ActionReader& reader) {
  reader.needed("index");
  return static_cast<std::uint16_t>(reader.number("index", 1, kMost16));
}

std::uint16_t function_index(ActionReader& reader, const std::string& key = "index") {
  reader.needed(key);
  const auto index = static_cast<std::uint16_t>(reader.number(key, 1, kMost16));
  if (index == 0)
    reader.complain(reader.mark(key), "index 0 is the physical function", "others start at 1");
  return index;
}

/// A word of a table, with its value.
template <class T>
struct Choice {
  std::string_view word;
  T value;
};
template <class T, std::size_t N>
T choice(ActionReader& reader, const std::string& key, T otherwise,
         const std::array<Choice<T>, N>& choices) {
  for (const Choice<T>& each : choices)
    if (reader.is(key, each.word)) return each.value;
  if (reader.has(key)) {
    std::vector<std::string_view> words;
    for (const Choice<T>& each : choices) words.push_back(each.word);
    reader.complain(reader.mark(key), fmt::format("{} is none of {}", key, fmt::join(words, ", ")),
                    "");
  }
  return otherwise;
}

constexpr std::array kPolicies{Choice<VPortPolicy>{"follow", VPortPolicy::follow},
                               Choice<VPortPolicy>{"up", VPortPolicy::up},
                               Choice<VPortPolicy>{"down", VPortPolicy::down}};

mad::Duration time_of(ActionReader& reader) { return reader.duration("time", {}); }

/// Gives the port a VPortCap if it has none; otherwise VPortCap stays as it is.
Happen vport_create(ActionReader& reader) {
  const PortIndex port = vport_host(reader);
  const std::uint16_t index = function_index(reader);
  const auto cap = static_cast<std::uint16_t>(reader.number("cap", 128, kMost16));
  VPortOptions options;
  options.guid = {reader.number("guid", 0, kMost64)};
  options.node_guid = {reader.number("node_guid", 0, kMost64)};
  options.lid_required = reader.boolean("lid_required", false);
  options.lid_by_vport_index =
      static_cast<std::uint16_t>(reader.number("lid_by_vport_index", 0, kMost16));
  options.guid_cap = static_cast<std::uint8_t>(reader.number("guid_cap", options.guid_cap, 0xFF));
  options.p_key_capacity =
      static_cast<std::uint16_t>(reader.number("p_keys", options.p_key_capacity, kMost16));
  options.policy = choice(reader, "policy", VPortPolicy::follow, kPolicies);
  if (reader.has("name")) options.description = reader.text("name");
  reader.expect("name");
  if (index >= cap)
    reader.complain(reader.mark("index"), fmt::format("the port has room for {} vports", cap),
                    "cap is larger than every index");
  return [port, index, cap, options](World& world) {
    if (virtualization_info(world.model.ports[port]).vport_cap() == 0)
      enable_virtualization(world, port, cap);
    create_vport(world, port, index, options);
  };
}

Happen vport_capacity(ActionReader& reader) {
  const PortIndex port = vport_host(reader);
  const auto cap = static_cast<std::uint16_t>(reader.number("cap", 128, kMost16));
  return [port, cap](World& world) { enable_virtualization(world, port, cap); };
}

Happen vport_destroy(ActionReader& reader) {
  const PortIndex port = vport_host(reader);
  const std::uint16_t index = function_index(reader);
  return [port, index](World& world) { destroy_vport(world, port, index); };
}

Happen vport_guid(ActionReader& reader) {
  const PortIndex port = vport_host(reader);
  const std::uint16_t index = function_index(reader);
  reader.needed("guid");
  const mad::Guid guid{reader.number("guid", 0, kMost64)};
  return [port, index, guid](World& world) { set_vport_guid(world, port, index, guid); };
}

Happen vport_release(ActionReader& reader) {
  const PortIndex port = vport_host(reader);
  const std::uint16_t index = function_index(reader);
  return [port, index](World& world) { set_vport_guid(world, port, index, kReleasedGuid); };
}

Happen vport_policy(ActionReader& reader) {
  const PortIndex port = vport_host(reader);
  const std::uint16_t index = any_index(reader);
  reader.needed("policy");
  const VPortPolicy policy = choice(reader, "policy", VPortPolicy::follow, kPolicies);
  return [port, index, policy](World& world) { set_vport_policy(world, port, index, policy); };
}

Happen vport_bind(ActionReader& reader) {
  const PortIndex port = vport_host(reader);
  const std::uint16_t index = any_index(reader);
  const bool on = reader.boolean("on", true);
  return [port, index, on](World& world) { bind_vport(world, port, index, on); };
}

Happen vport_rebind(ActionReader& reader) {
  const PortIndex port = vport_host(reader);
  const std::uint16_t index = any_index(reader);
  const mad::Duration time = time_of(reader);
  return [port, index, time](World& world) { rebind_vport(world, port, index, time); };
}

Happen vport_rename(ActionReader& reader) {
  const PortIndex port = vport_host(reader);
  const std::uint16_t index = function_index(reader);
  return [port, index, name = reader.text("name")](World& world) {
    rename_vport(world, port, index, name);
  };
}

Happen vport_capability(ActionReader& reader) {
  const PortIndex port = vport_host(reader);
  const std::uint16_t index = function_index(reader);
  const auto mask = static_cast<std::uint16_t>(reader.number("mask", 0, kMost16));
  return [port, index, mask](World& world) { set_vport_capability(world, port, index, mask); };
}

Happen vport_migrate(ActionReader& reader) {
  const VPortPlace from{vport_host(reader), function_index(reader)};
  const VPortPlace to{vport_host(reader, "to"), function_index(reader, "to_index")};
  const VPortMigration migration{.time = time_of(reader),
                                 .overlapping = reader.boolean("overlapping", false)};
  return [=](World& world) { migrate_vport(world, from, to, migration); };
}

Happen vport_activate(ActionReader& reader) {
  const PortIndex port = vport_host(reader);
  const std::uint16_t index = any_index(reader);
  const mad::Lid lid{static_cast<std::uint16_t>(reader.number("lid", 0, kMost16))};
  return [port, index, lid](World& world) { activate_vport(world, port, index, lid); };
}

Happen driver_reload(ActionReader& reader) {
  const PortIndex port = vport_host(reader);
  const bool recreate = reader.boolean("recreate", false);
  return [port, recreate](World& world) { reload_driver(world, port, recreate); };
}

// ------------------------------------------------------------------------------------------
// firmware

/// Changes what the keys name; all else stays.
Happen vport_firmware_settings(ActionReader& reader) {
  using OnEnable = VPortFirmware::OnEnable;
  using TableModifier = VPortFirmware::TableModifier;
  constexpr std::array kOnEnable{Choice<OnEnable>{"waits", OnEnable::waits},
                                 Choice<OnEnable>{"stays-active", OnEnable::stays_active},
                                 Choice<OnEnable>{"vport-0-down", OnEnable::vport_0_down},
                                 Choice<OnEnable>{"link-down", OnEnable::link_down}};
  constexpr std::array kModifiers{
      Choice<TableModifier>{"index-above-block", TableModifier::index_above_block},
      Choice<TableModifier>{"block-above-index", TableModifier::block_above_index},
      Choice<TableModifier>{"all-vports", TableModifier::all_vports}};
  const PortIndex port = vport_host(reader);
  std::vector<std::function<void(VPortFirmware&)>> changes;
  const auto boolean = [&](const std::string& key, bool VPortFirmware::* field) {
    const bool value = reader.boolean(key, false);
    if (reader.has(key))
      changes.emplace_back([=](VPortFirmware& firmware) { firmware.*field = value; });
  };
  const auto duration = [&](const std::string& key, mad::Duration VPortFirmware::* field) {
    const mad::Duration value = reader.duration(key, {});
    if (reader.has(key))
      changes.emplace_back([=](VPortFirmware& firmware) { firmware.*field = value; });
  };
  const auto shown = [&](const std::string& key,
                         std::optional<std::uint16_t> VPortFirmware::* field) {
    const bool real = reader.is(key, "real");
    const auto value =
        real ? std::uint16_t{0} : static_cast<std::uint16_t>(reader.number(key, 0, kMost16));
    if (reader.has(key))
      changes.emplace_back([=](VPortFirmware& firmware) {
        firmware.*field = real ? std::nullopt : std::optional(value);
      });
  };
  boolean("vport_0_coupled", &VPortFirmware::vport_0_coupled);
  boolean("p_keys_aliased", &VPortFirmware::p_keys_aliased);
  boolean("accepts_armed", &VPortFirmware::accepts_armed);
  boolean("index_up_to_cap", &VPortFirmware::index_up_to_cap);
  boolean("is_sm_in_vport_0", &VPortFirmware::is_sm_in_vport_0);
  duration("init_delay", &VPortFirmware::init_delay);
  duration("time", &VPortFirmware::time);
  shown("shown_cap", &VPortFirmware::shown_cap);
  shown("shown_top", &VPortFirmware::shown_top);
  const OnEnable on_enable = choice(reader, "on_enable", OnEnable::waits, kOnEnable);
  const TableModifier modifier =
      choice(reader, "modifier", TableModifier::index_above_block, kModifiers);
  const auto revision = static_cast<std::uint8_t>(reader.number("revision", 0, 0xFF));
  if (reader.has("on_enable"))
    changes.emplace_back([=](VPortFirmware& firmware) { firmware.on_enable = on_enable; });
  if (reader.has("modifier"))
    changes.emplace_back([=](VPortFirmware& firmware) { firmware.table_modifier = modifier; });
  if (reader.has("revision"))
    changes.emplace_back([=](VPortFirmware& firmware) { firmware.revision = revision; });
  return [port, changes](World& world) {
    for (const auto& change : changes) change(vport_firmware(world, port));
  };
}

/// Returns 0 for "any"; reports another word that is no attribute about vports.
std::uint16_t vport_attribute(ActionReader& reader) {
  constexpr auto kFirst = static_cast<std::uint16_t>(mad::AttributeId::virtualization_info),
                 kLast = static_cast<std::uint16_t>(mad::AttributeId::vport_p_key_table);
  if (!reader.has("attribute") || reader.is("attribute", "any")) {
    reader.expect("attribute");
    return 0;
  }
  std::vector<std::string_view> names;
  for (std::uint16_t id = kFirst; id <= kLast; ++id) {
    names.push_back(mad::name(static_cast<mad::AttributeId>(id)));
    if (reader.is("attribute", names.back())) return id;
  }
  reader.complain(reader.mark("attribute"), "no attribute about vports has this name",
                  fmt::format("any, {}", fmt::join(names, ", ")));
  return 0;
}

Happen vport_refuse(ActionReader& reader) {
  const PortIndex port = vport_host(reader);
  VPortRefusal refusal{.attribute = vport_attribute(reader)};
  const auto index = static_cast<std::uint16_t>(reader.number("index", 0, kMost16));
  if (reader.has("index")) refusal.index = index;
  refusal.sets_only = reader.boolean("sets_only", false);
  if (!reader.is("status", "none"))
    refusal.status =
        static_cast<std::uint16_t>(reader.number("status", mad::status::kInvalidValue, 0x7FFF));
  refusal.times = static_cast<unsigned>(reader.number("count", kEndlessly, kEndlessly));
  return [port, refusal](World& world) { vport_firmware(world, port).refusals.push_back(refusal); };
}

Happen vport_lie(ActionReader& reader) {
  const PortIndex port = vport_host(reader);
  const std::uint16_t index = any_index(reader);
  const bool modifier = reader.boolean("modifier", false), states = reader.boolean("states", false);
  return [=](World& world) {
    VPortFirmware& firmware = vport_firmware(world, port);
    if (modifier) firmware.modifier_wrong.insert(index);
    if (states) firmware.states_jump.insert(index);
  };
}

Happen vnode_info_settings(ActionReader& reader) {
  const PortIndex port = vport_host(reader);
  const std::uint16_t index = any_index(reader);
  const std::uint64_t guid = reader.number("guid", 0, kMost64),
                      keys = reader.number("p_keys", 0, kMost16),
                      ports = reader.number("ports", 0, 0xFF),
                      number = reader.number("number", 0, 0xFF);
  const bool has_guid = reader.has("guid"), has_keys = reader.has("p_keys"),
             has_ports = reader.has("ports"), has_number = reader.has("number");
  return [=](World& world) {
    const VPort* const vport = find_vport(world.model.ports[port], index);
    if (!vport) return;
    mad::VNodeInfo info = vnode_info(*vport);
    if (has_guid) info.set_vnode_guid({guid});
    if (has_keys) info.set_partition_cap(static_cast<std::uint16_t>(keys));
    if (has_ports) info.set_num_ports(static_cast<std::uint8_t>(ports));
    if (has_number) info.set_local_port_num({static_cast<std::uint8_t>(number)});
    set_vnode_info(world, port, index, info);
  };
}

Happen vport_healthy(ActionReader& reader) {
  const PortIndex port = vport_host(reader);
  return [port](World& world) { end_vport_faults(world, port); };
}

constexpr std::array kVPortActions{
    Action{"vport-capacity", "port, cap", "the port can have vports, cap of them with index 0",
           vport_capacity},
    Action{"vport-create",
           "port, index, guid, node_guid, lid_required, lid_by_vport_index, guid_cap, p_keys, "
           "name, policy (follow, up or down), cap",
           "the host creates a vport", vport_create},
    Action{"vport-destroy", "port, index", "the host removes it", vport_destroy},
    Action{"vport-guid", "port, index, guid", "the host gives it another GUID", vport_guid},
    Action{"vport-release", "port, index", "the host sets its GUID to all ones", vport_release},
    Action{"vport-policy", "port, index, policy (follow, up or down)", "", vport_policy},
    Action{"vport-bind", "port, index, on", "its driver is bound, or with on: false unbound",
           vport_bind},
    Action{"vport-rebind", "port, index, time", "its driver is unbound for the time", vport_rebind},
    Action{"vport-rename", "port, index, name", "another VNodeDescription, trap 1144",
           vport_rename},
    Action{"vport-capability", "port, index, mask", "another CapabilityMask, trap 1144",
           vport_capability},
    Action{"vport-migrate", "port, index, to, to_index, time, overlapping",
           "the same vport at another port, `time` later or (overlapping) before it is gone",
           vport_migrate},
    Action{"vport-activate", "port, index, lid",
           "what a subnet manager does: enabled, Active, the LID if it needs one, routed as the "
           "port's",
           vport_activate},
    Action{"driver-reload", "port, recreate",
           "the driver of the physical function starts again: all vports are gone, or are there "
           "without GUIDs and with policy down",
           driver_reload},
    Action{"vport-firmware",
           "port, vport_0_coupled, p_keys_aliased, accepts_armed, index_up_to_cap, "
           "is_sm_in_vport_0, on_enable (waits, stays-active, vport-0-down or link-down), modifier "
           "(index-above-block, block-above-index or all-vports), init_delay, time, shown_cap, "
           "shown_top (a number or real), revision",
           "how the port's firmware implements vports; what is not named stays",
           vport_firmware_settings},
    Action{"vport-refuse", "port, attribute (or any), index, sets_only, status (or none), count",
           "SMPs about vports are answered with a status, or not at all", vport_refuse},
    Action{"vport-lie", "port, index, modifier, states",
           "answers about a vport have a wrong modifier, or random states", vport_lie},
    Action{"vnode-info", "port, index, guid, p_keys, ports, number", "another VNodeInfo",
           vnode_info_settings},
    Action{"vport-healthy", "port", "ends vport-refuse, vport-lie, time, shown_cap, shown_top",
           vport_healthy},
};

}  // namespace

std::span<const Action> vport_actions() { return kVPortActions; }

}  // namespace sim
