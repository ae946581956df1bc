#pragma once
// Reads and writes vports, in a safe order.

#include <memory>
#include <span>
#include <vector>

#include "config/options.h"
#include "sm/sweep/decide/vport_decision.h"
#include "sm/sweep/devices/device_state.h"
#include "sm/sweep/devices/stage.h"

namespace sm {

/// Says what virt_enabled requests of one port.
enum class VirtualizationSetting : std::uint8_t {
  ignore,  // neither read nor written
  read,    // stays as it is; vports that an earlier manager enabled are served
  off,
  on,
};
VirtualizationSetting virtualization_setting(const config::Options& options);

/// Returns the ports that carry data, can have vports, and have not refused VirtualizationInfo.
std::vector<PortIndex> ports_with_vports(const Fabric& fabric, const virt::Facts& facts);

/// Returns the ports among them that a partial sweep has to read: those on nodes that it has read
/// (NodeGUIDs), those not read completely yet, and those to be tried again.
std::vector<PortIndex> changed_ports_with_vports(const Fabric& fabric, const virt::Facts& facts,
                                                 std::span<const mad::Guid> read_again,
                                                 mad::TimePoint now);

/// Counts the ports that carry data, can have vports, and have them switched off.
std::size_t count_switched_off(const Fabric& fabric, const virt::Facts& facts);

/// Reads VirtualizationInfo.
std::unique_ptr<Stage> virtualization_reads(const Fabric& fabric, DeviceState& devices,
                                            std::span<const PortIndex> ports);
/// Writes VirtualizationInfo: switches vports on or off, and clears VPortStateChange. This comes
/// before states are read, so that no change between is lost. With `setting` on, it writes the
/// ports that are off.
std::vector<Write> virtualization_writes(const Fabric& fabric, const virt::Facts& facts,
                                         std::span<const PortIndex> ports,
                                         VirtualizationSetting setting);
/// Activates index 0 of these ports, right after vports were switched on there.
std::vector<Write> first_activations(const Fabric& fabric, const virt::Facts& facts,
                                     std::span<const PortIndex> ports);
std::unique_ptr<Stage> vport_writes(StageKind kind, const Fabric& fabric, DeviceState& devices,
                                    std::vector<Write> writes);

/// True if VNodeDescriptions are shown anywhere: they cost one more SubnGet for each vport.
bool reads_descriptions(const config::Options& options);

/// Reads the states of the vports of these ports, and everything of vports that have changed.
/// `describe`: VNodeDescription, too.
std::unique_ptr<StageSource> vport_reads(const Fabric& fabric, DeviceState& devices,
                                         std::vector<PortIndex> ports, bool describe);

/// Returns the differing blocks of P_Key tables of vports that are not held back. Leaves out models
/// on which a Set changed other tables.
std::vector<Write> p_key_writes_of_vports(const Fabric& fabric, const DeviceState& devices,
                                          const VPortTargets& targets);
/// Reads the tables of all vports of a port.
std::unique_ptr<Stage> p_key_reads_of_vports(const Fabric& fabric, DeviceState& devices,
                                             PortIndex port);

/// Writes P_Key tables of vports that nothing holds back; if `activates`, then LIDs and Active.
std::unique_ptr<StageSource> vport_stages(const Fabric& fabric, DeviceState& devices,
                                          const Target& target, bool activates = true);

}  // namespace sm
