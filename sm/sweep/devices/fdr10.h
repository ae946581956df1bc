#pragma once
// FDR10: a link speed that PortInfo does not have. Devices of some generations of Mellanox have it
// in MlnxExtPortInfo.

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <vector>

#include "config/options.h"
#include "fabric/fabric.h"
#include "mad/attributes/vendor.h"
#include "mad/smp_client.h"
#include "sm/sweep/devices/stage.h"

namespace sm {

/// The device is of a model that has MlnxExtPortInfo. Source: the models that OpenSM and
/// infiniband-diags query for it; what came later has all its speeds in PortInfo.
bool may_have_fdr10(const mad::NodeInfo& info);

/// Says what option fdr10 asks of a port that supports it.
enum class Fdr10Setting : std::uint8_t { leave, on, off };
/// 255 is a default of NVIDIA's, whose meaning is not documented: ports stay as they are.
Fdr10Setting fdr10_setting(const config::Options& options);

/// Holds what ports said about FDR10. A port is read once after each training of its link; a device
/// that does not have the attribute, or does not respond to it, costs one request until it
/// restarts.
class Fdr10Ports {
 public:
  /// After a survey: forgets what may have changed since.
  void update_from(const Fabric& fabric);
  void forget(mad::Guid node);

  /// One port of each device that was not asked yet; and then the other ports of those that
  /// responded.
  std::vector<PortIndex> first_ports(const Fabric& fabric) const;
  std::vector<PortIndex> other_ports(const Fabric& fabric) const;
  /// The Sets that bring ports to what is wanted. Only where FDR10 is supported, and a port that
  /// did not take it is left alone until its link trains again.
  std::vector<Write> writes(const Fabric& fabric, Fdr10Setting setting) const;

  void note(const Fabric& fabric, PortIndex port, const mad::MlnxExtPortInfo& info);
  /// A port that was read before shows something else of the attribute by now.
  void update(const Fabric& fabric, PortIndex port, const mad::MlnxExtPortInfo& info);
  /// A port of a device without it: not asked again.
  void note_without(const Fabric& fabric, PortIndex port);
  void note_rejected(const Fabric& fabric, PortIndex port);

 private:
  struct Place {
    mad::Guid node;
    mad::PortNum port;
    auto operator<=>(const Place&) const = default;
  };
  static Place port_place(const Fabric& fabric, PortIndex port) {
    return {fabric.owning_node(port).guid, fabric.ports[port].number};
  }
  std::vector<PortIndex> unread_ports(const Fabric& fabric, NodeIndex node) const;

  std::map<Place, mad::MlnxExtPortInfo> read_;
  std::set<Place> rejected_;
  std::set<mad::Guid> answering_, without_;  // devices
};

/// SubnGet. The references must outlive the result; what responses say is written into `ports`.
std::unique_ptr<StageSource> fdr10_reads(const Fabric& fabric, Fdr10Ports& ports);
/// SubnSet.
std::unique_ptr<Stage> fdr10_stage(const Fabric& fabric, Fdr10Ports& ports,
                                   std::vector<Write> writes);

}  // namespace sm
