#pragma once
// Defines the request to a pass, and its result.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fabric/condition.h"
#include "fabric/subnet.h"
#include "sm/sweep/apply/plan.h"

namespace sm {

/// Holds the GUIDs whose memberships in partitions of the API have changed.
struct MemberChanges {
  std::vector<mad::Guid> guids;
  bool partitions = false;  // partitions themselves, too
  bool operator==(const MemberChanges&) const = default;
};

/// Holds the physical ports (their GUIDs) whose vports a pass reads and brings up to date.
struct VPortChanges {
  std::vector<mad::Guid> ports;
  /// True if a trap or a light sweep named the ports. Then silent ports wait for their retry, and
  /// the pass decides nothing if all ports show what is published.
  bool only_changes = false;
  bool operator==(const VPortChanges&) const = default;
};

/// Says what a pass brings up to date, and why. The causes (sweeps, traps, joins, SIGHUP, the API,
/// the audit) add to one request. A pass decides everything that a survey reads as a whole. It
/// decides the other parts on the published subnet, if nothing else has changed.
struct PassRequest {
  // ---- what a survey reads
  bool everything = false;
  std::vector<mad::Guid> changed = {};    // NodeGUIDs: only what these nodes can have touched
  std::vector<mad::Guid> answering = {};  // NodeGUIDs, in order: something behind a port of theirs
                                          // answers that the last survey did not find
  bool trust_tables = true;  // false: switches' tables are read back before they are compared
  /// With trust_tables false, the pass leaves the forwarding tables of some switches to an audit
  /// pass, which follows at once. These are switches that show what was written to them.
  bool audits_tables = false;
  /// Lets P_Key tables of a fabric that is not known yet wait: the pass reads them to their ends
  /// after hosts are Active, where that is safe.
  bool p_keys_may_wait = false;
  bool reroute = false;            // no route stays because it is there
  bool removes_conflicts = false;  // routes move until fewer flows of shifts share a link

  // ---- what is decided on the published subnet
  bool p_keys = false;                        // the partitions
  std::optional<MemberChanges> members = {};  // memberships in partitions of the API
  bool vl_tables = false;                     // qos_*_sl2vl and qos_*_vlarb_*
  bool m_keys = false;                        // M_Keys of end ports, after another version began
  bool groups = false;                        // members of multicast groups
  bool routers = false;                       // what routers say that they reach
  bool adaptive =
      false;  // what switches gain to choose among; the pass after a survey, with vports
  std::optional<VPortChanges> vports = {};

  std::string why = {};                        // for the log
  std::optional<mad::TimePoint> arrived = {};  // of the first trap that requested it

  bool operator==(const PassRequest&) const = default;
  bool has_survey() const { return everything || !changed.empty(); }
  bool has_parts() const { return p_keys || members || vl_tables || m_keys; }
  /// Merges another request into this one. GUIDs become ascending, each once. The latest reason and
  /// the earliest arrival count. Tables are trusted, or left to an audit, if both requests do so.
  void add(PassRequest more);
  /// Takes the survey. Its pass includes all other parts, except groups and vports, which stay.
  PassRequest take_survey();
  /// Takes the parts of has_parts(), with a reason. Partitions include memberships.
  PassRequest take_parts();
};

enum class SweepEnd : std::uint8_t {
  subnet_up,  // everything that was to be written is written
  errors,     // something was not, or could not be computed: worth another sweep soon
};

/// Holds the outcome of a pass that stopped before it would write something.
struct Preview {
  Plan plan;
  Subnet subnet;  // as it would be published, with what devices hold now
  Target target;
  std::shared_ptr<const ForwardingTables> held_lfts;  // null: nothing is known of them
  std::vector<Condition> conditions;
  std::vector<std::string> messages;  // about LIDs that change
};

struct PassResult {
  SweepEnd end = SweepEnd::errors;
  bool again = false;    // another pass was running, or multicast tables are not what they should
                         // be: to be requested again soon
  bool changed = false;  // another subnet was published
  std::vector<mad::Guid> unread = {};     // nodes that left requests without a response
  std::vector<mad::Guid> read = {};       // nodes that the survey read
  std::vector<mad::Guid> lost = {};       // switches that lost their tables: to be swept at once
  std::vector<mad::Guid> unwritten = {};  // errors: nodes that left writes without a response, if
                                          // there were no other errors
  std::uint64_t reregistration = 0;       // as of Registered, once all end ports were written
  bool rerouted = false;                  // the routing is not that of the pass before
  std::size_t writes = 0;                 // acknowledged
  std::size_t groups_changed = 0;
  std::size_t vports_activated = 0;
  std::size_t members_decided = 0;  // ports and vports whose tables were decided
  std::optional<PassRequest> follow_up =
      {};  // to be done next, which this pass could not do itself

  /// Adds the outcome of the next pass of the same request. If `decides_end`, its end becomes that
  /// of the request.
  void add(PassResult next, bool decides_end);
};

}  // namespace sm
