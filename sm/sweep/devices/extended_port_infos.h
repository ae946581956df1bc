#pragma once
// MlnxExtPortInfo of ports: FDR10, a link speed that PortInfo does not have, and OOOSLMask, the SLs
// whose packets a CA accepts out of order. Each response is stored for both.

#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "config/options.h"
#include "fabric/fabric.h"
#include "mad/attributes/vendor.h"
#include "sm/health/link_health.h"
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

/// Holds what ports reported. For FDR10, a port is read once after each training of its link; a
/// device that does not have the attribute, or does not respond to it, costs one request until it
/// restarts. OOOSLMask does not change with a training.
class ExtendedPortInfos {
 public:
  /// Forgets after a survey what may have changed since.
  void update_from(const Fabric& fabric);
  /// Makes FDR10 of the node be read again.
  void forget(mad::Guid node);
  /// Makes OOOSLMask of a port, or of all, be read again.
  void forget_sl_mask(const PortPlace& place);
  void forget_sl_masks();

  /// first_ports() returns one port of each device that was not queried for FDR10 yet;
  /// other_ports() returns the other ports of devices that responded.
  std::vector<PortIndex> first_ports(const Fabric& fabric) const;
  std::vector<PortIndex> other_ports(const Fabric& fabric) const;
  bool has_speeds(const PortPlace& place) const;
  /// Returns the attribute of a port whose OOOSLMask is known; null for other ports.
  const mad::MlnxExtPortInfo* with_sl_mask(const PortPlace& place) const;
  /// Returns the Sets for ports that support FDR10 and differ from the setting. A port that did not
  /// take its Set is left alone until its link trains again.
  std::vector<Write> fdr10_writes(const Fabric& fabric, Fdr10Setting setting) const;

  /// Notes a response to a request for FDR10 (`of_fdr10`), or to another. Only the former makes the
  /// speeds known of a device that does not have FDR10.
  void note(const PortPlace& place, const mad::MlnxExtPortInfo& info, bool of_fdr10);
  /// Notes a device that does not have FDR10, which is not queried again.
  void note_without(mad::Guid node) { without_.insert(node); }
  void note_rejected(const PortPlace& place) { rejected_.insert(place); }

 private:
  struct Known {
    mad::MlnxExtPortInfo info;  // as it said last
    bool has_speeds = true, has_sl_mask = true;
  };
  std::vector<PortIndex> unread_ports(const Fabric& fabric, NodeIndex node) const;

  std::map<PortPlace, Known> known_;
  std::set<PortPlace> rejected_;             // Sets of FDR10
  std::set<mad::Guid> answering_, without_;  // devices
};

}  // namespace sm
