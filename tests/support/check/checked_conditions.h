#pragma once
// Compares the active conditions of a manager with the state of the simulated world: each of them
// is true, and each wrong state of the world has one.

#include <cstddef>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fabric/condition.h"
#include "support/check/checks.h"

namespace sim {

/// Nodes and links that a manager had in its subnet: it reports the loss of what it has known.
struct KnownSubnet {
  std::set<NodeIndex> nodes;
  std::set<std::pair<PortIndex, PortIndex>> links;  // the lower end first
};
/// Returns the subnet that a manager at `from` knows once it has converged.
KnownSubnet known_subnet(const Model& model, PortIndex from);

/// The world's tables beside those of a routing from nothing by the same engine.
struct TableBalance {
  std::size_t entries_differ = 0;
  bool is_even = false;  // no channel has clearly more load, and no more are without any
};

/// The manager whose conditions are compared, and what the world does not show of it.
struct ObservedManager {
  PortIndex port = kNone;
  bool leads = true;  // MASTER; a standby has no conditions of a master
  Expected expected{};
  /// The subnet that it knew at an earlier time and has led since; losses are not required without.
  std::optional<KnownSubnet> knew{};
  /// Links lose MADs: silences are not compared.
  bool lossy = false;
  /// virt_enabled 0: vports are left as they are.
  bool leaves_vports_alone = false;
  /// Conditions of Truth::caller that the caller has caused.
  std::set<fabric::ConditionId> caused{};
  /// Routing engines that refuse the fabric as it is; nullopt: not compared.
  std::optional<std::set<std::string>> refusing_engines{};
  /// Service levels of paths; null: credit loops are not compared.
  ServiceLevel sl{};
  std::optional<TableBalance> balance{};  // nullopt: not compared
  /// MLIDs that have trees; nullopt: all with entries, which may be stale ones.
  std::optional<std::set<mad::Mlid>> mlids{};
};

/// Where the truth of a condition is.
enum class Truth : std::uint8_t {
  world,    // in the state of the simulated world
  caller,   // in options, files and orders: false unless the caller has caused it
  unknown,  // nowhere in the simulator
};

class ConditionWorld;

/// One row for each kind of state. An occurrence is never active.
struct ConditionRule {
  fabric::ConditionId id;
  Truth truth;
  bool of_master;  // it describes the subnet as its master programs it
  /// Why the condition is false; "" if the world does not contradict it. Null unless Truth::world.
  std::string (*falsehood)(const ConditionWorld& world, const fabric::Condition& condition);
  /// Adds a complaint for each wrong state without a condition; may be null.
  void (*find_missing)(const ConditionWorld& world, Complaints& complaints);
  /// Where the truth is instead, unless Truth::world.
  std::string_view reason;
};
std::span<const ConditionRule> condition_rules();

/// One line for each condition that is false, that a standby must not have, or that is missing.
Complaints check_conditions(const Model& model, const ObservedManager& manager,
                            std::span<const fabric::Condition> active);

/// The state of the world, with what rules ask of it.
class ConditionWorld {
 public:
  ConditionWorld(const Model& model, const ObservedManager& manager,
                 std::span<const fabric::Condition> active);

  const Model& model() const { return model_; }
  const ObservedManager& manager() const { return manager_; }
  const std::vector<bool>& reach() const { return reach_; }
  std::span<const fabric::Condition> active() const { return active_; }
  bool reaches(PortIndex port) const { return reach_[model_.ports[port].node]; }
  /// The port has a trained link to a reachable node.
  bool is_linked(PortIndex port) const;

  /// Nodes with one of the GUIDs that the condition names, of themselves or of a port.
  std::vector<NodeIndex> nodes_named(const fabric::Condition& condition) const;
  /// Ports that the text names as "(0x<NodeGUID>) port <number>", and the condition's own.
  std::vector<PortIndex> ports_named(const fabric::Condition& condition) const;
  static std::vector<mad::Guid> guids_named(const fabric::Condition& condition);
  /// Some active condition of one of `ids` names the node.
  bool has(std::initializer_list<fabric::ConditionId> ids, NodeIndex node) const;
  /// One of these conditions names this port.
  bool has(std::initializer_list<fabric::ConditionId> ids, PortIndex port) const;
  bool has(fabric::ConditionId id) const;

 private:
  const Model& model_;
  const ObservedManager& manager_;
  std::span<const fabric::Condition> active_;
  std::vector<bool> reach_;
};

}  // namespace sim
