#pragma once
// Decides what the vports of a fabric should be, by what their devices show and by the
// configuration. Pure.

#include <memory>
#include <optional>
#include <vector>

#include "partitions/kept_keys.h"
#include "sm/sweep/decide/decide.h"
#include "sm/sweep/devices/device_state.h"
#include "virt/find.h"

namespace sm {

/// Holds the desired vports. Shape: keys and tables are parallel to vports.
struct VPortTargets {
  std::vector<VPort> vports;           // by physical port, then by index
  std::vector<VirtualizedPort> ports;  // ascending
  std::vector<std::vector<mad::PKey>> keys;
  std::vector<std::vector<mad::PKeyTable>> tables;  // empty: the table stays as it is
};

struct VPortDecision {
  VPortTargets targets;
  LidMap lids;                   // physical ports and vports
  Guid2Lid persisted;            // what is to be saved
  PartitionDecision partitions;  // with vports, and with their keys at switch ports
  std::vector<Condition> conditions;
  std::vector<std::string> messages;
  std::vector<mad::Guid> contested;  // virt::Found
};

/// Decides vports. `physical`, `persisted`: as assign_lids() returned them. `without_vports`: as
/// decide_partitions() returned it, if it was called; it applies if there are no vports. `kept`: as
/// of decide_partitions().
VPortDecision decide_vports(const SweepContext& context, const Fabric& fabric,
                            const LidMap& physical, const Guid2Lid& persisted,
                            const virt::Facts& facts, const virt::WasServed& was_served,
                            std::optional<PartitionDecision> without_vports = {},
                            const partitions::KeptKeys* kept = nullptr);
/// Returns the P_Key tables of the vports that carry data, except those of index 0.
std::vector<partitions::VPortTable> vport_tables(const Fabric& fabric, const virt::Facts& facts);
/// True if the port may have vports that carry data and whose GUIDs were not read.
bool has_unread_vports(const Fabric& fabric, PortIndex port, const virt::Facts& facts);
/// True if some port has vports, or had vports in its latest response.
bool has_vports(const virt::Facts& facts);

/// Updates states, and holds back vports that do not match the target yet (VPortHold::p_keys,
/// tables): their P_Keys, LID, forwarding table entries, or keys at the switch port in front. Index
/// 0 is never held: a host shows the state of its physical function from it. `lfts`: as they should
/// be.
void hold_unready(VPortTargets& targets, const Fabric& fabric, const DeviceState& devices,
                  const ForwardingTables* lfts);
/// Holds vports that are not Active after an attempt to activate them (VPortHold::refused).
void hold_inactive(VPortTargets& targets, const Fabric& fabric, const DeviceState& devices);

/// True if the published vports of the port are all that its device shows, and each is Active or
/// Down. Then there is nothing to decide.
bool is_published(const VPorts& published, PortIndex port, const virt::PortFacts& facts);

/// Returns the table for publication; null if no port has VirtualizationInfo.
std::shared_ptr<const VPorts> published_vports(const VPortTargets& targets);

/// Returns SM-VPORT-REJECTED for vports that are held because of a request that failed.
std::vector<Condition> vport_conditions(const VPortTargets& targets, const Fabric& fabric,
                                        const virt::Facts& facts);

/// Returns the facts about a vport; null if its port or index is not known.
const virt::VPortFacts* find_facts(const virt::Facts& facts, const Fabric& fabric,
                                   const VPort& vport);

}  // namespace sm
