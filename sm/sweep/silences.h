#pragma once
// What left requests of a survey without a response, as one condition for each node.

#include <map>
#include <set>
#include <vector>

#include "fabric/fabric_builder.h"
#include "mad/ids.h"

namespace sm {

class Silences {
 public:
  /// `status`: of the bad response; 0: there was none at all.
  void note(NodeIndex node, mad::AttributeId attribute, std::uint16_t status);
  /// Something behind this port does not answer SubnGet(NodeInfo).
  void note_behind(PortIndex port) { links_.push_back(port); }
  /// The texts stay the same for as long as the silences do. Nodes behind a switch that died while
  /// it was read are left out: that one is named.
  void report(FabricBuilder& builder) const;

 private:
  struct Silence {
    std::set<mad::AttributeId> attributes;  // that were requested in vain
    std::uint16_t status = 0;               // of the latest bad response
  };
  std::map<NodeIndex, Silence> nodes_;
  std::vector<PortIndex> links_;
};

}  // namespace sm
