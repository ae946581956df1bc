#include "sim/world/model.h"

#include <algorithm>
#include <stdexcept>

#include "mad/format.h"

namespace sim {

NodeIndex Model::find(const std::string& description) const {
  const auto found = std::ranges::find(nodes, description, &NodeModel::description);
  if (found == nodes.end()) throw std::out_of_range("no node is called " + description);
  return NodeIndex(found - nodes.begin());
}

PortIndex Model::find_port_guid(mad::Guid guid) const {
  for (PortIndex index{0}; index < ports.size(); ++index) {
    if (ports[index].guid == guid && is_end_port(index) &&
        (ports[index].number != 0 || owning_node(index).is_switch()))
      return index;
  }
  return kNone;
}

std::string Model::name(PortIndex port) const {
  return fmt::format("{} port {}", owning_node(port).description, ports[port].number);
}

PortExtras& Model::extras(PortIndex port) {
  auto& extras = ports[port].extras;
  if (!extras) extras = std::make_unique<PortExtras>();
  return *extras;
}

unsigned Model::p_key_blocks(PortIndex port) const {
  const NodeModel& node = owning_node(port);
  return mad::PKeyTable::blocks(is_end_port(port) ? node.info.partition_cap()
                                                  : node.sw->info.partition_enforcement_cap());
}

mad::PKeyTable Model::p_keys(PortIndex port, unsigned block) const {
  const PortExtras* extras = ports[port].extras.get();
  if (extras && block < extras->p_keys.size()) return extras->p_keys[block];
  mad::PKeyTable keys;
  const bool untouched = !extras || extras->p_keys.empty();
  if (untouched && block == 0 && is_end_port(port)) keys.set_p_key(0, mad::kDefaultPKeyFull);
  return keys;
}

void Model::set_p_keys(PortIndex port, unsigned block, const mad::PKeyTable& keys) {
  PortExtras& of = extras(port);
  if (of.p_keys.empty()) of.p_keys.push_back(p_keys(port, 0));
  if (of.p_keys.size() <= block) of.p_keys.resize(block + 1);
  of.p_keys[block] = keys;
}

template <class Matches>
bool Model::any_p_key(PortIndex port, Matches matches) const {
  const PortExtras* extras = ports[port].extras.get();
  if (!extras || extras->p_keys.empty()) return is_end_port(port) && matches(mad::kDefaultPKeyFull);
  for (const mad::PKeyTable& block : extras->p_keys) {
    for (unsigned index = 0; index < mad::PKeyTable::kEntries; ++index) {
      if (const mad::PKey held = block.p_key(index); held.value != 0 && matches(held)) return true;
    }
  }
  return false;
}

bool Model::takes_p_key(PortIndex port, mad::PKey key) const {
  return any_p_key(port, [key](mad::PKey held) { return p_keys_match(held, key); });
}

bool Model::holds_partition(PortIndex port, mad::PKey key) const {
  return any_p_key(port,
                   [key](mad::PKey held) { return mad::p_key_base(held) == mad::p_key_base(key); });
}

mad::Vl Model::vl(const NodeModel& sw, unsigned in, unsigned out, mad::Sl sl) const {
  const auto& tables = sw.sw->sl_to_vl;
  if (tables.empty()) {
    const unsigned vls =
        std::max(1u, mad::data_vls(ports[sw.first_port + out].info.operational_vls()));
    return {static_cast<std::uint8_t>(sl.value % vls)};
  }
  const std::uint8_t pair = tables[in * (sw.port_count() + 1) + out][sl.value / 2u];
  return {static_cast<std::uint8_t>(sl.value % 2 == 0 ? pair >> 4 : pair & 0xFu)};
}

bool holds(const mad::PortInfo& info, mad::Lid lid) {
  return info.lid() != mad::Lid{} && lid >= info.lid() &&
         lid.value < info.lid().value + (1u << info.lmc());
}

}  // namespace sim
