#pragma once
// MlnxExtPortInfo of ports: FDR10, a link speed that PortInfo does not have, and OOOSLMask, the SLs
// whose packets a CA accepts out of order. DeviceTable holds it: each response is for both.

#include <cstdint>
#include <optional>

#include "config/options.h"
#include "mad/attributes/vendor.h"
#include "sm/sweep/devices/device_table.h"

namespace sm {

/// True if the device is of a model whose MlnxExtPortInfo has FDR10. Source: the models that OpenSM
/// and infiniband-diags query for it; later models have all their speeds in PortInfo.
bool may_have_fdr10(const mad::NodeInfo& info);

bool is_fdr10_on(const mad::MlnxExtPortInfo& info);

/// Returns whether ports that support FDR10 are to use it; nothing if they stay as they are, as
/// with 255, an undocumented default of NVIDIA's.
std::optional<bool> fdr10_setting(const config::Options& options);
/// Returns the attribute as the options request it; `known` if it needs no Set.
mad::SmpData with_fdr10(const config::Options& options, const mad::SmpData& known);

/// Flags of the parts of the attribute in DeviceTable. Speeds are read once after each training of
/// the link; a device that does not have FDR10, or does not respond to it, costs one request until
/// it restarts. OOOSLMask does not change with a training.
inline constexpr std::uint8_t kSpeedsPart = 1, kSlMaskPart = 2;

/// Returns the key of a device that has responded, or (Failure::unsupported) that does not have
/// FDR10.
inline BlockKey fdr10_key(mad::Guid node) {
  return device_key(node, mad::AttributeId::mlnx_ext_port_info, kSpeedsPart);
}

}  // namespace sm
