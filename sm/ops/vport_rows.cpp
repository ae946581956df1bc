// Rows of vports, and of the ports whose devices have them.

#include <fmt/ranges.h>

#include "mad/format.h"
#include "sm/ops/rows.h"

namespace sm {

namespace {

using Json = nlohmann::json;
using Answered = nlohmann::ordered_json;

struct VPortSource {
  const VPorts& vports;
  VPortIndex index;
  const VPort& vport() const { return vports.vports[index]; }
};

struct PlaceSource {
  const Fabric& fabric;
  PortIndex port;
};

struct VirtualizedPortSource {
  const Subnet& subnet;
  PortIndex index;
  unsigned virt_enabled;  // the option
  const Port& port() const { return subnet.fabric.ports[index]; }
  /// Returns null if no vports of the port are known.
  const VirtualizedPort* virtualized() const {
    return subnet.vports ? subnet.vports->at(index) : nullptr;
  }
  bool is_on() const {
    return virtualized() != nullptr && virtualized()->info.virtualization_enable();
  }
};

constexpr auto kVPort = std::to_array<Field<VPortSource>>({
    {{"index", value::kInteger}, [](auto& of) { return of.vport().index; }},
    {{"guid", value::kGuid}, [](auto& of) { return fmt::format("{}", of.vport().guid); }},
    {{"vnode_guid", value::kGuid},
     [](auto& of) { return fmt::format("{}", of.vport().node_info.vnode_guid()); }},
    {{"state", value::kText}, [](auto& of) { return mad::name(of.vport().state); }},
    {{"lid", value::kInteger}, [](auto& of) { return of.vport().lid.value; }},
    {{"own_lid", value::kBoolean, "false: it shares the LID of the port"},
     [](auto& of) { return of.vport().has_own_lid; }},
    {{"description", value::kText, "if it was read", true},
     [](auto& of) -> FieldValue {
       std::string text = of.vport().description.text();
       return text.empty() ? std::nullopt : FieldValue(std::move(text));
     }},
    {{"p_keys", value::kTexts},
     [](auto& of) -> FieldValue {
       Json keys = Json::array();
       for (const mad::PKey key : of.vports.get_keys(of.index))
         keys.push_back(fmt::format("{:#06x}", key.value));
       return keys;
     }},
    {{"why", value::kText, "why it is not Active", true},
     [](auto& of) -> FieldValue {
       if (!of.vport().is_served()) return text(of.vport().hold);
       if (of.vport().state == mad::PortState::active) return std::nullopt;
       return "it is being set to Active";
     }},
});

constexpr auto kPlace = std::to_array<Field<PlaceSource>>({
    {{"host", value::kText, "description of the node"},
     [](auto& of) { return of.fabric.description(of.fabric.ports[of.port].node); }},
    {{"node_guid", value::kGuid},
     [](auto& of) { return fmt::format("{}", of.fabric.owning_node(of.port).guid); }},
    {{"port_guid", value::kGuid},
     [](auto& of) { return fmt::format("{}", of.fabric.ports[of.port].guid); }},
    {{"port", value::kInteger}, [](auto& of) { return of.fabric.ports[of.port].number.value; }},
});

/// Returns why the port's vports are not managed; nullopt if they are.
FieldValue why_none(const VirtualizedPortSource& of) {
  if (of.is_on()) return std::nullopt;
  if (of.virt_enabled != 2) return fmt::format("virt_enabled is {}", of.virt_enabled);
  const VirtualizedPort* const port = of.virtualized();
  if (port == nullptr) return "VirtualizationInfo is not answered, or refused";
  if (port->info.virtualization_revision() != 0)
    return fmt::format("VirtualizationRevision {} is not known",
                       port->info.virtualization_revision());
  return "not switched on: see SM-VPORT-PROBE-FAILED in `heddlectl status`";
}

constexpr auto kVirtualizedPort = std::to_array<Field<VirtualizedPortSource>>({
    {{"host", value::kText, "description of the node"},
     [](auto& of) { return of.subnet.fabric.description(of.port().node); }},
    {{"guid", value::kGuid, "the PortGUID"},
     [](auto& of) { return fmt::format("{}", of.port().guid); }},
    {{"port", value::kInteger}, [](auto& of) { return of.port().number.value; }},
    {{"lid", value::kInteger}, [](auto& of) { return of.subnet.lid_range(of.index).base.value; }},
    {{"enabled", value::kBoolean, "its vports are managed"}, [](auto& of) { return of.is_on(); }},
    {{"vport_cap", value::kInteger, "how many vports it can have"},
     [](auto& of) {
       return of.virtualized() == nullptr ? 0u : unsigned{of.virtualized()->info.vport_cap()};
     }},
    {{"why", value::kText, "why none of its vports is managed", true},
     [](auto& of) { return why_none(of); }},
    {{"vports", "VPort[]"},
     [](auto& of) -> FieldValue {
       Json rows = Json::array();
       const VirtualizedPort* const port = of.virtualized();
       for (std::uint32_t i = 0; port != nullptr && i < port->count; ++i)
         rows.push_back(vport_row(*of.subnet.vports, port->first + i));
       return rows;
     }},
});

/// Vport 0 is the port itself.
std::string lid_text(const Answered& vport) {
  if (vport.at("lid") == 0) return "-";
  const char* const whose = vport.at("own_lid").get<bool>() ? " own" : " shared";
  return field_text(vport, "lid") + (vport.at("index") == 0 ? "" : whose);
}

std::string p_keys_text(const Answered& vport) {
  const auto keys = vport.at("p_keys").get<std::vector<std::string>>();
  return keys.empty() ? "-" : fmt::format("{}", fmt::join(keys, ","));
}

/// Adds the vport's description, if it has one.
std::string why_text(const Answered& vport) {
  std::string text = field_text(vport, "why");
  if (vport.contains("description"))
    text += fmt::format("{}\"{}\"", text.empty() ? "" : "  ", field_text(vport, "description"));
  return text;
}

}  // namespace

RowInfo vport_info() {
  return {"VPort",
          "a vport",
          infos_of(kVPort),
          {{"index", "index"},
           {"GUID", "guid"},
           {"VNodeGUID", "vnode_guid"},
           {"state", "state"},
           {"LID", {}, lid_text},
           {"P_Keys", {}, p_keys_text},
           {"why it is not Active", {}, why_text}}};
}

RowInfo listed_vport_info() {
  RowInfo info{"VPortRow", "a vport with its port", infos_of(kVPort)};
  for (const auto& field : kPlace) info.fields.push_back(field.info);
  return info;
}

RowInfo virtualized_port_info() {
  return {"VirtualizedPort", "a port whose device can have vports", infos_of(kVirtualizedPort)};
}

Json vport_row(const VPorts& vports, VPortIndex vport) {
  return row_of(kVPort, VPortSource{vports, vport});
}

Json listed_vport_row(const Subnet& subnet, VPortIndex vport) {
  Json row = vport_row(*subnet.vports, vport);
  row.update(row_of(kPlace, PlaceSource{subnet.fabric, subnet.vports->vports[vport].port}));
  return row;
}

Json virtualized_port_row(const Subnet& subnet, PortIndex port, unsigned virt_enabled) {
  return row_of(kVirtualizedPort, VirtualizedPortSource{subnet, port, virt_enabled});
}

}  // namespace sm
