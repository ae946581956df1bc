#pragma once
// Computes the difference between the fabric and its target as attribute writes in a safe order.

#include <memory>
#include <span>
#include <vector>

#include "config/options.h"
#include "sm/sweep/decide/target.h"
#include "sm/sweep/devices/device_state.h"
#include "sm/sweep/devices/stage.h"

namespace sm {

enum class VirtualizationSetting : std::uint8_t;

/// Flags that say which attributes are compared with the target; all others stay as they are.
enum class PlanScope : std::uint8_t {
  none = 0,
  p_keys = 1,     // P_KeyTables, which switch ports check them, and those of Target::vports
  vl_tables = 2,  // SLtoVLMappingTables and VLArbitrationTables
  multicast = 4,  // MulticastForwardingTables and MulticastFDBTop; before them SLtoVLMappingTables
                  // of Target::newly_used
  vports = 8,     // what vports need: LinearForwardingTables and LinearFDBTop (Target::lfts, if it
                  // is not null), P_KeyTables of switch ports, and what is set on vports
  m_keys = 16,    // M_Keys of end ports
  adaptive = 32,  // ports and switches that adaptive routing gains; what it loses comes with lfts
  ports = 64,     // PortInfo and alias GUIDs, with all that ports need before they are Active
  everything = 0x7F,
  optional = 128,  // attributes that devices need not have, and no other write depends on: sent
                   // after everything, by themselves
};
constexpr PlanScope operator|(PlanScope a, PlanScope b) {
  return static_cast<PlanScope>(static_cast<unsigned>(a) | static_cast<unsigned>(b));
}
constexpr PlanScope& operator|=(PlanScope& a, PlanScope b) { return a = a | b; }
constexpr PlanScope without(PlanScope scope, PlanScope part) {
  return static_cast<PlanScope>(static_cast<unsigned>(scope) & ~static_cast<unsigned>(part));
}
/// True if all of `part` is in `scope`.
constexpr bool covers(PlanScope scope, PlanScope part) { return (scope | part) == scope; }

/// Computes stage after stage from what devices hold. A port carries data only after the tables
/// that it needs are written, and no packet is in a forwarding loop at any moment. A stage depends
/// on the outcome of those before it: after a failure, unsafe writes are left out.
class Planner {
 public:
  /// Owns none of the references. Stages store responses in `fabric` and `devices`. What devices do
  /// not acknowledge stays as it was, so that the next plan finds it again.
  Planner(Fabric& fabric, DeviceState& devices, const Target& target,
          const config::Options& options, PlanScope scope = PlanScope::everything);
  ~Planner();
  Planner(const Planner&) = delete;
  Planner& operator=(const Planner&) = delete;

  /// Returns the next stage that has a write; null at the end. Each write of the previous stage
  /// must have had its outcome.
  Stage* next();

 private:
  std::vector<std::unique_ptr<StageSource>> sources_;  // the first one is the current one
  std::unique_ptr<Stage> stage_;
  std::vector<bool> hold_back_;  // by PortIndex, or empty: links that must not become Active now
};

struct PlannedStage {
  StageKind kind{};
  std::vector<Write> writes;
  bool operator==(const PlannedStage&) const = default;
};

/// Holds all that a sweep writes if every device takes its writes. The stages of a sweep are those
/// of its plan up to the first response that differs from the prediction.
struct Plan {
  std::vector<PlannedStage> stages;

  std::size_t writes() const;
  std::size_t writes(StageKind kind) const;
};

/// Runs a Planner over copies, with the responses of devices that take everything. Pure.
Plan make_plan(Fabric fabric, DeviceState devices, const Target& target,
               const config::Options& options, PlanScope scope = PlanScope::everything);

/// Adds to a plan of everything what is written to VirtualizationInfo of these ports. Writes that
/// follow from switching vports on are known only once devices have answered. `reregister`: clients
/// of vports that are on are to register again.
void add_virtualization(Plan& plan, const Fabric& fabric, const DeviceState& devices,
                        std::span<const PortIndex> ports, VirtualizationSetting setting,
                        bool reregister);
/// Returns the data of the response to a write by a device that takes it.
mad::SmpData predicted_response(const Fabric& fabric, const Write& write);

}  // namespace sm
