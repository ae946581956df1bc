#pragma once
// MlnxExtPortInfo of ports: FDR10, a link speed that PortInfo does not have, and OOOSLMask, the SLs
// whose packets a CA accepts out of order. DeviceTable holds it: each response is for both.

#include <cstdint>
#include <vector>

#include "config/options.h"
#include "fabric/fabric.h"
#include "mad/attributes/vendor.h"
#include "sm/sweep/devices/device_table.h"
#include "sm/sweep/devices/stage.h"

namespace sm {

/// True if the device is of a model whose MlnxExtPortInfo has FDR10. Source: the models that OpenSM
/// and infiniband-diags query for it; later models have all their speeds in PortInfo.
bool may_have_fdr10(const mad::NodeInfo& info);

bool is_fdr10_on(const mad::MlnxExtPortInfo& info);

/// Says what option fdr10 requests of a port that supports it.
enum class Fdr10Setting : std::uint8_t { leave, on, off };
/// Returns the setting. 255, an undocumented default of NVIDIA's, leaves ports as they are.
Fdr10Setting fdr10_setting(const config::Options& options);

/// Flags of the parts of the attribute in DeviceTable. Speeds are read once after each training of
/// the link; a device that does not have FDR10, or does not respond to it, costs one request until
/// it restarts. OOOSLMask does not change with a training.
inline constexpr std::uint8_t kSpeedsPart = 1, kSlMaskPart = 2;

/// Returns the key of a device that has responded, or (Failure::unsupported) that does not have
/// FDR10.
inline BlockKey fdr10_key(mad::Guid node) {
  return device_key(node, mad::AttributeId::mlnx_ext_port_info, kSpeedsPart);
}

/// Forgets after a survey what may have changed since.
void update_extended_ports(DeviceTable& table, const Fabric& fabric);

/// first_ports() returns one port of each device that was not queried for FDR10 yet; other_ports()
/// returns the other ports of devices that responded.
std::vector<PortIndex> first_ports(const DeviceTable& table, const Fabric& fabric);
std::vector<PortIndex> other_ports(const DeviceTable& table, const Fabric& fabric);
/// Returns the Sets for ports that support FDR10 and differ from the setting. A port that did not
/// take its Set is left alone until its link trains again.
std::vector<Write> fdr10_writes(const DeviceTable& table, const Fabric& fabric,
                                Fdr10Setting setting);

}  // namespace sm
