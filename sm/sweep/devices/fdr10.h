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

/// True if the device is of a model that has MlnxExtPortInfo. Source: the models that OpenSM and
/// infiniband-diags query for it; later models have all their speeds in PortInfo.
bool may_have_fdr10(const mad::NodeInfo& info);

/// Says what option fdr10 requests of a port that supports it.
enum class Fdr10Setting : std::uint8_t { leave, on, off };
/// Returns the setting. 255, an undocumented default of NVIDIA's, leaves ports as they are.
Fdr10Setting fdr10_setting(const config::Options& options);

/// Holds what ports reported about FDR10. A port is read once after each training of its link. A
/// device that does not have the attribute, or does not respond to it, costs one request until it
/// restarts.
class Fdr10Ports {
 public:
  /// Forgets after a survey what may have changed since.
  void update_from(const Fabric& fabric);
  void forget(mad::Guid node);

  /// first_ports() returns one port of each device that was not queried yet; other_ports() returns
  /// the other ports of devices that responded.
  std::vector<PortIndex> first_ports(const Fabric& fabric) const;
  std::vector<PortIndex> other_ports(const Fabric& fabric) const;
  /// Returns the Sets for ports that support FDR10 and differ from the setting. A port that did not
  /// take its Set is left alone until its link trains again.
  std::vector<Write> writes(const Fabric& fabric, Fdr10Setting setting) const;

  void note(const Fabric& fabric, PortIndex port, const mad::MlnxExtPortInfo& info);
  /// Updates a port that was read before and now shows another attribute.
  void update(const Fabric& fabric, PortIndex port, const mad::MlnxExtPortInfo& info);
  /// Notes a port of a device without the attribute, which is not queried again.
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

/// Returns the SubnGets. The references must outlive the result; it stores responses in `ports`.
std::unique_ptr<StageSource> fdr10_reads(const Fabric& fabric, Fdr10Ports& ports);
/// Returns the SubnSets.
std::unique_ptr<Stage> fdr10_stage(const Fabric& fabric, Fdr10Ports& ports,
                                   std::vector<Write> writes);

}  // namespace sm
