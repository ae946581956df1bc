#pragma once
// Whole managers that share their state, in virtual time: clients change memberships of partitions,
// isolations and registrations while processes, disks, connections and the fabric fail, all from a
// seed. Answers and reads of clients are a history that support/history checks.

#include <functional>
#include <list>
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "fabric/topology/random_source.h"
#include "partitions/runtime_partitions.h"
#include "property/shared_state/stores.h"
#include "sim/sa_lab.h"
#include "sm/ops/web/router.h"
#include "support/history/history.h"

namespace shared_state {

using laboratory::Instance;
using mad::TimePoint;
using namespace std::chrono_literals;

/// Two managers at the ends of a row of two switches, and hosts beside them.
class Lab : public laboratory::SaLab {
 public:
  struct Settings {
    std::uint64_t seed = 1;
    std::function<std::unique_ptr<Stores>(sim::VirtualRuntime&)> stores;
    /// Wraps the store of each manager, for tests of the checker; empty: nothing.
    std::function<std::shared_ptr<sm::StateStore>(std::shared_ptr<sm::StateStore>)> wrap = {};
    mad::Duration faults_for = 60s, quiet = 60s;
    bool hangs = true;   // SIGSTOP is a fault
    bool splits = true;  // a fabric in two parts is a fault
  };
  explicit Lab(Settings settings);
  ~Lab();

  /// Runs clients under faults, lets the managers come to rest, and ends one after the other.
  /// Returns what was lost, and what else went wrong.
  std::vector<std::string> run();
  std::size_t acknowledged() const { return history_.acknowledged(); }
  /// Returns the events, a line each.
  const std::string& events() const { return events_; }

 private:
  struct Place {
    std::string host;
    std::uint8_t priority = 0;
    std::chrono::seconds clock_is_fast_by{};
    Instance* instance = nullptr;
    Process process{};
    std::unique_ptr<sm::web::Router> api = {};
    std::shared_ptr<laboratory::Folder> files =
        {};  // for the next process; null: it finds no files
    bool is_suspended = false;
  };
  using Answer = sim::VirtualRuntime::Outcome<sm::web::Response>;
  /// A request of a client to the API, and the changes that it makes.
  struct Call {
    std::size_t client = 0, place = 0, process = 0;
    std::optional<history::Operation> operation = {};  // nothing: it reads
    std::string read_key = {};                         // P_Key
    bool had_shared_all = false;                       // the manager, when it was asked
    std::optional<partitions::MembershipKey> removes = {};
    partitions::SharedRuntime before = {};  // the partitions of the manager that was asked
    TimePoint invoked{};
    std::shared_ptr<Answer> answer = {};
  };
  struct Registration {
    std::string host;
    history::Operation operation;
    std::size_t process = 0;
    std::uint64_t transaction = 0;
  };
  /// An acknowledged change whose answer does not say how many managers hold it.
  struct Following {
    history::Operation operation;
    std::size_t process = 0;
  };

  // Processes and faults (lab.cpp)
  void start(std::size_t place);
  void retire(Place& place, bool keeps_files);
  void end_calls(std::size_t process);
  void kill(std::size_t place, bool keeps_files = true);
  void terminate(std::size_t place);
  void suspend(std::size_t place);
  void resume(std::size_t place);
  void begin_fault();
  void fill_disk(std::size_t place, mad::Duration lasts);
  void cut_connection(std::size_t place, mad::Duration lasts);
  void split_fabric(mad::Duration lasts);
  void end_faults();
  void fail(std::size_t place) { history_.fail(places_[place].host, runtime.now()); }
  void later(mad::Duration delay, std::function<void()> action) {
    due_.emplace(runtime.now() + delay, std::move(action));
  }
  void note(const std::string& line);
  void note_logs();
  bool is_master(const Place& place) const;
  void note_leaders();
  void observe();
  void take_conflict(const std::string& text);
  void step(mad::Duration longest);
  void run_steps(mad::Duration time, mad::Duration longest);
  void wait_for_master(std::size_t place, const std::string& when);
  void bring_up();
  void run_faults();

  // Clients (clients.cpp)
  void begin_calls();
  void begin_change(std::size_t client, std::size_t place);
  void isolate(std::size_t place);
  void send(Call call, sm::web::Method method, const std::string& target,
            const nlohmann::json& body);
  void finish_calls();
  bool may_find_nothing(const Call& call) const;
  void finish(const Call& call);
  void take_members(const Call& call, const sm::web::Response& response);
  void change_registration(const std::string& host);
  void finish_registrations();
  void record(history::Operation operation, std::size_t process);
  bool has_shared_all(const Place& place) const;
  void follow();
  void read_all(const std::string& by);

  Settings settings_;
  topology::Random random_;
  std::unique_ptr<Stores> stores_;
  std::vector<Place> places_;
  std::list<Instance> ended_;                          // killed or stopped
  std::vector<std::pair<Process, Instance*>> killed_;  // of those
  std::vector<std::unique_ptr<sm::web::Router>> ended_apis_;
  std::vector<Call> calls_, ended_calls_;
  std::vector<Registration> registrations_;
  std::vector<Following> following_;
  std::map<std::string, bool> joined_;                      // by host, as it wants to be
  std::set<std::string> asks_;                              // hosts that have to register
  std::map<std::string, std::pair<bool, TimePoint>> seen_;  // keys in tables, and when
  std::set<std::string> named_;                             // by merges
  std::multimap<TimePoint, std::function<void()>> due_;
  std::vector<std::string> faults_;  // that are not losses
  history::History history_;
  std::string events_;
  std::map<const Instance*, std::size_t> noted_;  // bytes of its log
  std::size_t processes_ = 0, values_ = 0;
  std::optional<std::size_t> master_;  // the only one
  std::vector<std::size_t> masters_;   // at the latest step
  TimePoint master_since_{};
  bool has_clients_ = false, is_split_ = false;
};

}  // namespace shared_state
