#pragma once
// The conditions that are raised now, what has occurred lately, and the log lines about both.

#include <spdlog/logger.h>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "fabric/condition.h"
#include "mad/backoff.h"
#include "sm/log/log_fields.h"

namespace sm {

/// Identifies the part that decides whether a condition is active. Each source replaces its own set
/// as a whole.
enum class ConditionSource : std::uint8_t {
  // The fabric as its master has read and programmed it
  discovery,  // and LIDs
  losses,
  link_rates,
  mass_change,  // of a sweep, until it ends
  partitions,
  vports,
  routing,
  adoption,         // of tables found on the fabric
  routing_balance,  // after losses
  vl_settings,
  vl_tables,
  writes,  // that devices did not take
  port_settings,
  link_settings,
  multicast_groups,
  multicast_vls,
  multicast_sls,
  congestion,  // control of devices
  adaptive_routing,
  routers,
  link_health,
  topology,       // compared with the expected one
  named_guids,    // of the configuration, compared with the fabric
  named_members,  // of partitions of the API
  kept_p_keys,    // of unknown origin
  class_keys,
  // Every manager; lid_store is the first
  lid_store,
  group_store,
  m_key_store,
  registration_store,
  partition_store,
  p_key_store,
  sm_port,
  sm_port_device,
  trap_storms,
  managers,  // the other subnet managers
  master,    // the one that a standby follows
  state_store,
  standby_state,  // what standbys lack of the API
  takeover,       // from the state store, until the sweep that follows has ended
  configuration,  // compared with the master's
  reload,         // of the configuration
  counters,
  http,  // the HTTP service of the process
  log_file,
  output_files,  // the list of links and dumps of tables
  vports_file,
  registration_dump,
  default_keys,  // of the configuration
  event_command,
  virtual_ethernet,  // of heddle-vnic
};

/// A manager that is no longer MASTER does not report the conditions of such sources.
constexpr bool is_of_master(ConditionSource source) { return source < ConditionSource::lid_store; }

/// True if both conditions are about the same subject, whatever their texts say.
inline bool is_same_subject(const Condition& a, const Condition& b) {
  return find_subject(a) == find_subject(b);
}

/// Logs "<text> [SM-...]" when a condition is raised, "cleared: <text> [SM-...]" when it is no
/// longer active. A flapping condition is logged with growing pauses: 10 s, 20 s, ... up to an
/// hour; the next line then says how often it was raised since. A condition that another one has
/// caused has no lines: the lines of its cause count it. A condition with changing figures has
/// another line only if it became more severe, or is no longer caused by another one.
///
/// An occurrence (fabric::Nature) is not raised and not cleared: its line says what happened, and
/// it is kept with its time for kOccurrencesKept. Memory is bounded by kConditionsMax for each
/// source, kOccurrencesMax for what hosts can cause, and kTextBytesMax for each text: what is
/// longer is cut, and says so.
class ConditionLog {
 public:
  static constexpr std::size_t kConditionsMax = 10'000;
  static constexpr std::size_t kOccurrencesMax = 1'000;
  static constexpr std::size_t kTextBytesMax = 4096;
  static constexpr mad::Duration kPauseFirst = std::chrono::seconds(10),
                                 kPauseLast = std::chrono::hours(1);
  /// An occurrence is kept for this time after it happened last.
  static constexpr mad::Duration kOccurrencesKept = std::chrono::minutes(10);

  /// `now` reads the clock of the runtime. `log` is not owned.
  ConditionLog(std::function<mad::TimePoint()> now, spdlog::logger& log)
      : now_(std::move(now)), log_(log) {}

  /// Sets the active conditions of this source, which are states. Clears the source's other
  /// conditions.
  void set_active(ConditionSource source, std::vector<Condition> active);
  /// Records an occurrence that may happen again, such as a refused request. Its text is in the
  /// past tense. Lines are throttled for each identifier and GUID: at most `lines` in kPauseFirst;
  /// the next line says how many were left out.
  void occurred(const Condition& condition, unsigned lines = 1);

  /// Sets whether this manager leads. While it does not, conditions of the master's sources,
  /// present and later ones, are not raised. Returns how many conditions begin or cease to be
  /// raised.
  std::size_t set_leads(bool leads);

  /// Returns the LID of a condition's subject, for the fields of its lines; 0 if it is unknown.
  using LidOf = std::function<mad::Lid(const Condition& condition)>;
  void set_lid_of(LidOf find_lid) { lid_of_ = std::move(find_lid); }

  struct Raised {
    Condition condition;
    mad::TimePoint since;     // first raised, without a pause of kPauseLast since
    std::uint64_t times = 1;  // how often raised
  };
  /// Returns the raised conditions by severity, worst first, then by identifier and text.
  std::vector<Raised> raised() const;

  struct Occurred {
    Condition condition;         // the latest one of its identifier and GUID
    mad::TimePoint first, last;  // since kOccurrencesKept passed without any
    std::uint64_t times = 1;
  };
  /// Returns what has occurred within kOccurrencesKept, the latest first.
  std::vector<Occurred> occurrences() const;
  /// Counts occurrences since the start; an identifier without any is missing.
  using OccurrenceCounts = std::map<ConditionId, std::uint64_t>;
  const OccurrenceCounts& occurrence_counts() const { return occurrence_counts_; }
  /// Counts conditions that ended, since the start: those that raised() had, without those that
  /// another one has caused. An identifier or severity without any is missing.
  using ClearedCounts = std::map<std::pair<ConditionId, Severity>, std::uint64_t>;
  const ClearedCounts& cleared_counts() const { return cleared_counts_; }

 private:
  struct Entry {
    bool active = false, logged = false;
    mad::TimePoint since, quiet_until;
    mad::Backoff pause{kPauseFirst, kPauseLast};
    std::uint64_t times = 0, unlogged = 0;
  };
  struct Occurrence {
    Occurred occurred;
    mad::TimePoint window_end;
    unsigned lines = 0;  // in this window
    std::uint64_t unlogged = 0;
  };
  struct Less {
    bool operator()(const Condition& a, const Condition& b) const {
      return std::tie(a.id, a.guid, a.port, a.text) < std::tie(b.id, b.guid, b.port, b.text);
    }
  };
  using EntryMap = std::map<Condition, Entry, Less>;

  void take_new_figures(EntryMap& map, const std::vector<Condition>& active);
  void count_cleared(const Condition& condition, const std::set<Condition, Less>& now_active);
  void replace(EntryMap& map, EntryMap::iterator known, const Condition& condition);
  void raise(const Condition& condition, Entry& entry);
  void clear(const Condition& condition, Entry& entry);
  void write(const Condition& condition, Entry& entry);
  void write(const Condition& condition, const std::string& more, std::string_view event);
  LogFields fields(const Condition& condition, std::string_view event) const;
  void forget_old(EntryMap& map);

  std::function<mad::TimePoint()> now_;
  spdlog::logger& log_;
  LidOf lid_of_;
  bool leads_ = true;
  std::map<ConditionSource, EntryMap> entries_;
  std::map<std::pair<ConditionId, mad::Guid>, Occurrence> occurrences_;
  OccurrenceCounts occurrence_counts_;
  ClearedCounts cleared_counts_;
};

/// Identifier, severity, meaning, cause, what Heddle does and what to do: what `heddlectl explain
/// SM-...` prints. Lines of at most 80 columns.
std::string explain(const ConditionKind& kind);
/// One line for each kind: identifier, severity, meaning.
std::string list_of_conditions(std::span<const ConditionId> kinds);
/// The kinds as a Markdown table, as conditions.md has it.
std::string table_of_conditions(std::span<const ConditionId> kinds);

}  // namespace sm
