#pragma once
// Decides what PortInfo and SwitchInfo should say, by the fabric and the operator's options.

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "config/options.h"
#include "fabric/fabric.h"
#include "fabric/lid_map.h"
#include "mad/attributes/port_info.h"
#include "mad/attributes/switch_info.h"
#include "mad/smp_client.h"

namespace sm {

/// Holds decisions about a port that are made elsewhere.
struct PortIntent {
  LidMap::Range lid{};             // end ports; base 0: the port keeps the LID and LMC that it has
  mad::Lid sm_lid{};               // end ports; 0: keep
  mad::Sl sm_sl{};                 // from this port to the manager
  bool client_reregister = false;  // sets ClientReregister; sent only to end ports that support it,
                                   // and unless no_clients_rereg
  bool enforce_inbound = false;    // external switch ports: check P_Keys (see partitions/)
  bool enforce_outbound = false;
  std::optional<mad::MKey> m_key = {};  // end ports; nullopt: by the options, of version 0
};

/// Returns the PortInfo to Set: the observed bytes with the fields that Heddle decides, state
/// fields 0 (no change). Pure. A port that is not cabled, or a base switch port 0, only gets the
/// fields that need no link. Source: IBTA Vol 1, 14.2.5.6; link_settings.cpp has the reason beside
/// each field.
mad::PortInfo desired_port_info(const Fabric& fabric, PortIndex port,
                                const config::Options& options, const PortIntent& intent);

/// True if `desired` needs a Set. Compares the fields that a manager may write, never counters,
/// capabilities, active values or states. A required ClientReregister always needs a Set, since it
/// is an order and not a value.
bool needs_set(const mad::PortInfo& observed, const mad::PortInfo& desired);

/// Bits of PortInfo, set where a field is meant.
using PortInfoMask = std::array<std::uint8_t, mad::kAttributeBytes>;
/// Parts into which a Set of PortInfo is divided when a device rejects it as a whole.
enum class PortInfoPart : std::uint8_t {
  end_port,     // LID, keys, where its manager is
  enforcement,  // of P_Keys
  link,         // MTU, VLs, queues, widths, speeds
  state,        // PortState
};
inline constexpr std::array kPortInfoParts{PortInfoPart::end_port, PortInfoPart::enforcement,
                                           PortInfoPart::link, PortInfoPart::state};
/// Returns the bits of the part's settable fields.
const PortInfoMask& list_fields(PortInfoPart part);
/// Returns the bits that are in both.
PortInfoMask both(const PortInfoMask& a, const PortInfoMask& b);
/// Returns the bits of `mask` that are not in `excluded`.
PortInfoMask without(PortInfoMask mask, const PortInfoMask& excluded);
/// Returns `into` with the bits of `mask` from `from`.
mad::PortInfo merged(const mad::PortInfo& into, const mad::PortInfo& from,
                     const PortInfoMask& mask);
/// Returns the bits of `info` that are in `mask`, the others 0.
mad::SmpData only(const mad::PortInfo& info, const PortInfoMask& mask);
/// Describes the fields of `mask` that differ: "HOQLife 16 (wanted 18), LMC 0 (wanted 1)".
std::string differences(const mad::PortInfo& is, const mad::PortInfo& wanted,
                        const PortInfoMask& mask);

/// Returns the settable fields that a port did not take: compares the Set with its response.
/// Otherwise every sweep would write to devices that ignore a field. (ibsim keeps hardly any;
/// hardware may refuse a width or a partition enforcement.)
PortInfoMask unsupported_fields(const mad::PortInfo& asked, const mad::PortInfo& answered);
/// Compares like needs_set() above, without the fields in `ignored`.
bool needs_set(const mad::PortInfo& observed, const mad::PortInfo& desired,
               const PortInfoMask& ignored);

/// True if an Armed port, whose link carries no data, needs another NeighborMTU or OperationalVLs.
/// Flow control was set up with the old values when the link was initialised, so the link must go
/// through Down and Init again.
bool needs_link_restart(const mad::PortInfo& observed, const mad::PortInfo& desired);

/// True if the port's link runs with another MTU or number of VLs than the settings require. It
/// keeps them until it trains again.
bool is_setting_pending(const Fabric& fabric, PortIndex port, const config::Options& options);
/// Returns SM-LINK-SETTING-PENDING for the first links, and for the number of others.
std::vector<Condition> pending_link_settings(const Fabric& fabric, const config::Options& options);

/// True if the node supports extended speeds, as its CapabilityMask says.
bool node_has_extended_speeds(const Fabric& fabric, PortIndex port);
/// True if both ends of the cable support extended speeds; of a port without a peer, that one end.
/// (Port 0 of a switch says so for all its ports.)
bool has_extended_speeds(const Fabric& fabric, PortIndex port);
/// Returns the AttributeModifier of a Get of this port's PortInfo: its number on a switch, 0 on
/// other nodes; bit 31 if the node supports extended speeds.
std::uint32_t port_info_modifier(const Fabric& fabric, PortIndex port);
/// Returns the modifier of a Set: the number of the port on all nodes. A switch that was plugged in
/// since would take 0 for its port with the LID.
std::uint32_t port_info_set_modifier(const Fabric& fabric, PortIndex port);

/// Returns the SwitchInfo to Set: LinearFDBTop (from `lid_top` to the end of its block, never above
/// what the table holds) and LifeTimeValue; PortStateChange only as the order to clear it.
mad::SwitchInfo desired_switch_info(const mad::SwitchInfo& observed, mad::Lid lid_top,
                                    const config::Options& options);
bool needs_set(const mad::SwitchInfo& observed, const mad::SwitchInfo& desired);

}  // namespace sm
