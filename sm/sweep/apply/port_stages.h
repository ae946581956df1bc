#pragma once
// The last stages write SwitchInfo, P_KeyTable, GUIDInfo and PortInfo, up to links that are Active.

#include <functional>
#include <memory>
#include <vector>

#include "config/options.h"
#include "sm/sweep/decide/target.h"
#include "sm/sweep/devices/device_state.h"
#include "sm/sweep/devices/stage.h"

namespace sm {

/// Returns the last stages. `lid_top`: LinearFDBTop as far as tables are written by now.
/// `hold_back`: links that must not become Active now, by PortIndex, or empty; read when the ports'
/// stage is computed. The references must outlive the stages. They store responses in `fabric`, and
/// what devices do not take in `devices`.
std::unique_ptr<StageSource> port_stages(Fabric& fabric, DeviceState& devices, const Target& target,
                                         const config::Options& options, mad::Lid lid_top,
                                         const std::vector<bool>& hold_back);

/// Returns the first writes after a takeover: MasterSMLID of end ports whose links carry data and
/// that keep their LID, so that clients query this manager from now on, and ClientReregister where
/// port_stages() would set it. It leaves ports that need another M_Key to port_stages().
std::unique_ptr<Stage> master_lid_stage(Fabric& fabric, DeviceState& devices, const Target& target,
                                        const config::Options& options);

/// Returns the SwitchInfo of switches that need another one.
std::vector<Write> switch_writes(const Fabric& fabric, Refusals& refusals, mad::Lid lid_top,
                                 const config::Options& options);

/// Writes SwitchInfo alone: LinearFDBTop.
std::unique_ptr<StageSource> switch_stages(Fabric& fabric, DeviceState& devices,
                                           const Target& target, const config::Options& options);

/// Reads P_Key tables with only a first block read (DeviceState::waiting_p_keys) to their ends, for
/// ports that `covers` accepts; then they do not wait any longer. The references must outlive the
/// stage.
std::unique_ptr<Stage> p_key_reads(Fabric& fabric, DeviceState& devices,
                                   const std::function<bool(PortIndex)>& covers);

/// Reads the waiting P_Key tables of all ports after port_stages(), and writes what differs.
std::unique_ptr<StageSource> waiting_p_key_stages(Fabric& fabric, DeviceState& devices,
                                                  const Target& target,
                                                  const std::vector<bool>& hold_back);

/// Writes only the M_Keys of end ports, by Target::m_keys.
std::unique_ptr<StageSource> m_key_stages(Fabric& fabric, DeviceState& devices,
                                          const Target& target);

/// Writes only what partitions determine: P_Key tables, and which switch ports check them.
std::unique_ptr<StageSource> partition_stages(Fabric& fabric, DeviceState& devices,
                                              const Target& target);

}  // namespace sm
