#pragma once
// SwitchInfo, P_KeyTable, GUIDInfo and PortInfo: the last stages, up to links that are Active.

#include <functional>
#include <memory>
#include <vector>

#include "config/options.h"
#include "sm/sweep/decide/target.h"
#include "sm/sweep/devices/device_state.h"
#include "sm/sweep/devices/stage.h"

namespace sm {

/// `lid_top`: LinearFDBTop as far as tables are written by now. `hold_back`: by PortIndex, or
/// empty: links that must not become Active now; read when the ports' stage is computed. The
/// references must outlive the stages. What responses say is written into `fabric`; what devices do
/// not take, into `held`.
std::unique_ptr<StageSource> port_stages(Fabric& fabric, DeviceState& devices, const Target& target,
                                         const config::Options& options, mad::Lid lid_top,
                                         const std::vector<bool>& hold_back);

/// After a takeover, before anything else: MasterSMLID of end ports whose links carry data and that
/// keep their LID, so that their clients ask this manager from now on, and ClientReregister where
/// port_stages() would set it. Ports that are to get another M_Key are left to that.
std::unique_ptr<Stage> master_lid_stage(Fabric& fabric, DeviceState& devices, const Target& target,
                                        const config::Options& options);

/// SwitchInfo of the switches that need another one.
std::vector<Write> switch_writes(const Fabric& fabric, RejectedSets& rejected, mad::Lid lid_top,
                                 const config::Options& options);

/// SwitchInfo alone: LinearFDBTop.
std::unique_ptr<StageSource> switch_stages(Fabric& fabric, DeviceState& devices,
                                           const Target& target, const config::Options& options);

/// Reads the P_Key tables of which only the first block was read (DeviceState::waiting_p_keys) to
/// their ends, of the ports that `covers` says; then they do not wait any more. The references must
/// outlive the stage.
std::unique_ptr<Stage> p_key_reads(Fabric& fabric, DeviceState& devices,
                                   const std::function<bool(PortIndex)>& covers);

/// After port_stages(): the same of all ports, and the writes that follow.
std::unique_ptr<StageSource> waiting_p_key_stages(Fabric& fabric, DeviceState& devices,
                                                  const Target& target,
                                                  const std::vector<bool>& hold_back);

/// Only the M_Keys of end ports, by Target::m_keys.
std::unique_ptr<StageSource> m_key_stages(Fabric& fabric, DeviceState& devices,
                                          const Target& target);

/// Only what partitions determine: P_Key tables, and which switch ports check them.
std::unique_ptr<StageSource> partition_stages(Fabric& fabric, DeviceState& devices,
                                              const Target& target);

}  // namespace sm
