#pragma once
// Silences collects requests of a survey without a response, as one condition for each node.

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "fabric/fabric_builder.h"
#include "mad/ids.h"

namespace sm {

class Silences {
 public:
  /// Notes a request without a good response. `status` of the response; 0 if there was none.
  void note(NodeIndex node, mad::AttributeId attribute, std::uint16_t status);
  /// Notes that the node behind this port does not answer SubnGet(NodeInfo). `name`: of the node
  /// that was there latest, or nothing.
  void note_behind(PortIndex port, std::string name) { links_.push_back({port, std::move(name)}); }
  /// Notes a port that does not accept the keys that are known for it.
  void note_unknown_m_key(PortIndex port) { protected_.push_back(port); }
  /// Notes an unknown M_Key of the device behind this port; `expected`: PortGUID and name of what
  /// was there earlier, or 0 and nothing.
  void note_unknown_m_key_behind(PortIndex port, mad::Guid expected, std::string name) {
    protected_behind_.push_back({port, expected, std::move(name)});
  }
  /// Adds the conditions. The texts stay the same for as long as the silences do. Nodes behind a
  /// switch that stopped answering while it was read are left out: the condition names that switch.
  void report(FabricBuilder& builder) const;
  /// Sets what else to do about unknown keys: MKeys::remedy_by_clock().
  void set_key_remedy(std::string remedy) { key_remedy_ = std::move(remedy); }

 private:
  struct Silence {
    std::set<mad::AttributeId> attributes;  // that were requested in vain
    std::uint16_t status = 0;               // of the latest bad response
  };
  void report_m_keys(FabricBuilder& builder) const;
  std::string key_remedy_;
  std::map<NodeIndex, Silence> nodes_;
  struct SilentLink {
    PortIndex port;
    std::string name;
  };
  std::vector<SilentLink> links_;
  std::vector<PortIndex> protected_;
  struct ProtectedBehind {
    PortIndex link;
    mad::Guid expected;
    std::string name;
  };
  std::vector<ProtectedBehind> protected_behind_;
};

/// Returns SM-SUBNET-SILENT if a link of the manager's own node is up, no end port of another node
/// was read, and the survey says why: the condition names the first node that does not answer.
/// Pure.
std::optional<Condition> silent_subnet(const Fabric& surveyed);

}  // namespace sm
