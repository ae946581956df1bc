#include "property/shared_state/lab.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include "mad/format.h"
#include "property/shared_state/keys.h"
#include "sm/ctl/topology/generators.h"
#include "sm/ops/api/partition_resources.h"
#include "sm/ops/ufm/ufm_resources.h"
#include "sm/store/replica/state_replica.h"

namespace shared_state {
namespace {

namespace fs = std::filesystem;

constexpr mad::Duration kStep = 200ms, kQuietStep = 1s, kFaultsApart = 12s;
constexpr sa::UnixTime kFirstDay{std::chrono::seconds(1'800'000'000)};

void copy_files(const fs::path& from, const fs::path& to) {
  fs::copy(from, to, fs::copy_options::recursive | fs::copy_options::overwrite_existing);
}

}  // namespace

Lab::Lab(Settings settings)
    : SaLab(topology::row({.switches = 2, .cables = 1, .hosts_per_switch = 4}), settings.seed),
      settings_(std::move(settings)),
      random_(settings_.seed),
      stores_(settings_.stores(runtime)) {
  places_.push_back({.host = "H0", .priority = 2});
  places_.push_back({.host = "H7", .priority = 1});
  places_.back().clock_is_fast_by = std::chrono::seconds(random_.below(3u) * 60) - 60s;
}

/// Killed processes end here, cut off from all, since their calls need them.
Lab::~Lab() {
  world.on_client_reregister = nullptr;
  for (std::size_t place = 0; place < places_.size(); ++place) {
    resume(place);
    if (places_[place].instance != nullptr) end_calls(places_[place].process.number);
  }
  for (const auto& [process, instance] : killed_) {
    stores_->resume(process);
    instance->resume();
  }
  const auto all_done = [&] {
    return std::ranges::all_of(ended_calls_, [](const Call& call) { return call.answer->done; });
  };
  EXPECT_TRUE(runtime.run_until(all_done, 5min)) << "a request has no end";
  for (std::list<Instance>* list : {&instances, &ended_})
    for (Instance& each : *list) each.stop();
  runtime.run_for(20s);
}

void Lab::note(const std::string& line) {
  if (std::getenv("HEDDLE_LOGS") != nullptr) note_logs();
  events_ += fmt::format("{:8.3f} {}\n",
                         std::chrono::duration<double>(runtime.events().elapsed()).count(), line);
}

void Lab::note_logs() {
  for (std::list<Instance>* list : {&instances, &ended_}) {
    for (Instance& each : *list) {
      const std::string log = each.log();
      std::size_t& noted = noted_[&each];
      if (log.size() > noted)
        events_ += fmt::format("log of {}:\n{}", model.owning_node(each.port()).description,
                               log.substr(noted));
      noted = log.size();
    }
  }
}

// ------------------------------------------------------------------------------------------
// Processes

void Lab::start(std::size_t index) {
  Place& place = places_[index];
  if (place.instance != nullptr) return;
  note(fmt::format("{} starts", place.host));
  place.process = {.number = ++processes_, .place = index, .port = guid(place.host)};
  config::Options own;
  own.sm_priority = place.priority;
  const auto prepare = [&](Instance& fresh) {
    if (place.files) copy_files(place.files->text(), fresh.folder());
    fresh.program().disk_time = 2ms;
    fresh.wall_clock_begin = kFirstDay + place.clock_is_fast_by;
    place.process.runtime = &fresh.program();
    place.process.directory = fresh.folder();
    fresh.replica = [this, &place](const std::string& folder) {
      std::shared_ptr<sm::StateStore> store = stores_->open(place.process);
      if (settings_.wrap) store = settings_.wrap(std::move(store));
      return sm::StateReplica::start(
          *place.process.runtime, std::move(store),
          sm::StateReplica::Settings{.prefix = "/heddle/fe80000000000000/",
                                     .seal = sm::RecordSeal("secret"),
                                     .port_guid = place.process.port,
                                     .term_file = folder + "/state-store"});
    };
  };
  place.instance = &instances.emplace_back(runtime, world, port(place.host), own, false, prepare);
  auto routes = sm::partition_resources(place.instance->partition_service()).routes;
  for (sm::web::Route& route : sm::ufm_resources(place.instance->partition_service()).routes)
    routes.push_back(std::move(route));
  place.api = std::make_unique<sm::web::Router>(std::move(routes));
}

/// The process does not run any more. It stays in memory for calls that have no answer.
void Lab::retire(Place& place, bool keeps_files) {
  place.files = keeps_files ? std::make_shared<laboratory::Folder>() : nullptr;
  if (keeps_files) copy_files(place.instance->folder(), place.files->text());
  const auto at = std::ranges::find_if(
      instances, [&](const Instance& each) { return &each == place.instance; });
  ended_.splice(ended_.end(), instances, at);
  ended_apis_.push_back(std::move(place.api));
  place.instance = nullptr;
}

/// The clients of a process get no answers any more.
void Lab::end_calls(std::size_t process) {
  for (Call& call : calls_) {
    if (call.process != process) continue;
    if (call.operation) {
      call.operation->outcome = history::Outcome::unknown;
      call.operation->ended = runtime.now();
      history_.add(std::move(*call.operation));
    }
    ended_calls_.push_back(std::move(call));
  }
  std::erase_if(calls_, [&](const Call& call) { return call.process == process; });
}

void Lab::kill(std::size_t index, bool keeps_files) {
  Place& place = places_[index];
  note(fmt::format("{} is killed{}", place.host, keeps_files ? "" : ", and its disk is lost"));
  place.instance->kill();
  stores_->kill(place.process);
  end_calls(place.process.number);
  killed_.emplace_back(place.process, place.instance);
  retire(place, keeps_files);
}

void Lab::terminate(std::size_t index) {
  Place& place = places_[index];
  note(fmt::format("{} is asked to end", place.host));
  place.instance->ask_to_stop();
  const auto is_served = [&] {
    finish_calls();
    return std::ranges::none_of(
        calls_, [&](const Call& call) { return call.process == place.process.number; });
  };
  if (!runtime.run_until(is_served, 1min)) faults_.push_back("a request to the API has no end");
  end_calls(place.process.number);
  place.instance->stop();
  note(fmt::format("{} has ended", place.host));
  retire(place, true);
}

void Lab::suspend(std::size_t index) {
  Place& place = places_[index];
  note(fmt::format("{} is suspended", place.host));
  place.instance->suspend();
  stores_->suspend(place.process);
  place.is_suspended = true;
}

void Lab::resume(std::size_t index) {
  Place& place = places_[index];
  if (!place.is_suspended) return;
  note(fmt::format("{} is resumed", place.host));
  place.is_suspended = false;
  stores_->resume(place.process);
  place.instance->resume(random_.percent(50));
}

// ------------------------------------------------------------------------------------------
// Faults

void Lab::begin_fault() {
  const std::size_t index = random_.below(places_.size());
  const Place& place = places_[index];
  const mad::Duration lasts = 100ms * (1 + random_.below(200u));
  const unsigned kind = random_.below(100u);
  const bool runs = place.instance != nullptr && !place.is_suspended;
  if (kind < 30 && runs) {
    fail(index);
    kill(index);
    later(lasts, [this, index] { start(index); });
  } else if (kind < 45 && runs) {
    fail(index);
    terminate(index);
    later(lasts, [this, index] { start(index); });
  } else if (kind < 60 && runs && settings_.hangs) {
    fail(index);
    suspend(index);
    later(lasts, [this, index] { resume(index); });
  } else if (kind < 70 && runs) {
    fill_disk(index, lasts);
  } else if (kind < 90) {
    cut_connection(index, lasts);
  } else if (!is_split_ && settings_.splits) {
    split_fabric(lasts);
  }
}

void Lab::fill_disk(std::size_t index, mad::Duration lasts) {
  Place& place = places_[index];
  note(fmt::format("the disk of {} is full", place.host));
  place.instance->program().disk_full = true;
  later(lasts, [this, index, process = place.process.number] {
    if (places_[index].instance == nullptr || places_[index].process.number != process) return;
    note(fmt::format("the disk of {} has room", places_[index].host));
    places_[index].instance->program().disk_full = false;
  });
}

void Lab::cut_connection(std::size_t index, mad::Duration lasts) {
  const bool one_way = random_.percent(30);
  note(fmt::format("{} is cut off{}", places_[index].host, one_way ? " in one direction" : ""));
  stores_->cut(index, one_way);
  later(lasts, [this, index] {
    note(fmt::format("{} is connected", places_[index].host));
    stores_->join(index);
  });
}

/// Pulls the cable between the switches.
void Lab::split_fabric(mad::Duration lasts) {
  const sim::NodeIndex one = model.find("S0"), other = model.find("S1");
  sim::PortIndex end = sim::kNone;
  for (unsigned number = 1; number <= model.nodes[one].port_count(); ++number) {
    const sim::PortIndex here = port(one, number);
    if (far(here) != sim::kNone && owning_node(far(here)) == other) end = here;
  }
  if (end == sim::kNone) return faults_.push_back("there is no cable between the switches");
  note("the fabric is split");
  is_split_ = true;
  const sim::PortIndex there = far(end);
  world.cut(end);
  later(lasts, [this, end, there] {
    note("the fabric is healed");
    is_split_ = false;
    world.connect(end, there);
  });
}

void Lab::end_faults() {
  note("no more faults");
  while (!due_.empty()) {
    const auto action = std::move(due_.begin()->second);
    due_.erase(due_.begin());
    action();
  }
}

// ------------------------------------------------------------------------------------------
// Steps

bool Lab::is_master(const Place& place) const {
  return place.instance != nullptr && !place.is_suspended && place.instance->runs() &&
         place.instance->manager().state() == mad::SmState::master;
}

/// A manager that is not the only master any more, or no master, may have been the only one that
/// knew a change. With a server, what it could not write there is lost; copies are merged.
void Lab::note_leaders() {
  std::vector<std::size_t> masters;
  for (std::size_t place = 0; place < places_.size(); ++place)
    if (is_master(places_[place])) masters.push_back(place);
  const auto only = masters.size() == 1 ? std::optional(masters.front()) : std::nullopt;
  const auto note_one = [&](std::size_t place) {
    if (stores_->is_a_server()) return fail(place);
    history_.divide(places_[place].host, runtime.now());
    if (std::ranges::count(masters, place) == 0)
      history_.resign(places_[place].host, runtime.now());
  };
  if (masters.size() > 1) std::ranges::for_each(masters, note_one);
  const std::vector<std::size_t> before = std::exchange(masters_, masters);
  if (only == master_) return;
  for (const std::size_t place : before)
    if (only != place) note_one(place);
  master_ = only;
  master_since_ = runtime.now();
  note(only ? fmt::format("{} is the only master", places_[*only].host)
            : fmt::format("{} masters", masters.size()));
}

/// Reads the P_Key tables of all hosts, and what merges name.
void Lab::observe() {
  for (const Member& member : members()) {
    const bool present = has_key(model, port(member.host), member.p_key);
    auto& [was, when] = seen_[member.key()];
    if (was && !present) {
      history_.observe(member.key(), true, when);
      history_.observe(member.key(), false, runtime.now());
    }
    was = present;
    when = runtime.now();
  }
  for (const Place& place : places_) {
    if (place.instance == nullptr) continue;
    for (const std::string& text : stores_->conflicts(place.process))
      if (named_.insert(text).second) take_conflict(text);
  }
}

void Lab::take_conflict(const std::string& text) {
  note(fmt::format("a merge names {}", text));
  for (const Member& member : members())
    if (is_named(member, guid(member.host), text)) history_.name(member.key(), runtime.now());
  for (const char* name : kIsolated)
    if (is_link_named(model, port(name), text)) history_.name(isolation_key(name), runtime.now());
  for (const char* name : kHosts)
    if (is_registration_named(guid(name), text))
      history_.name(registration_key(name), runtime.now());
}

void Lab::step(mad::Duration longest) {
  runtime.run_for(longest * (1 + random_.below(100u)) / 100);
  note_leaders();
  finish_calls();
  finish_registrations();
  follow();
  observe();
  if (has_clients_) begin_calls();
  while (!due_.empty() && due_.begin()->first <= runtime.now()) {
    const auto action = std::move(due_.begin()->second);
    due_.erase(due_.begin());
    action();
  }
}

void Lab::run_steps(mad::Duration time, mad::Duration longest) {
  for (const TimePoint end = runtime.now() + time; runtime.now() < end;) step(longest);
}

void Lab::wait_for_master(std::size_t place, const std::string& when) {
  const TimePoint end = runtime.now() + laboratory::kTakeover + 30s;
  while (runtime.now() < end && !(master_ == place && runtime.now() - master_since_ >= 5s))
    step(kQuietStep);
  if (master_ != place)
    faults_.push_back(fmt::format("{} is not the only master {}\n{}", places_[place].host, when,
                                  places_[place].instance->tail()));
}

void Lab::bring_up() {
  start(0);
  if (!runtime.run_until([&] { return places_[0].instance->says("SUBNET UP"); }, 30s))
    faults_.push_back("no SUBNET UP");
  world.on_client_reregister = [this](sim::PortIndex port_index) {
    for (const auto& [host, joins] : joined_)
      if (port(host) == port_index && joins) asks_.insert(host);
  };
  for (const char* host : kHosts) {
    joined_[host] = true;
    asks_.insert(host);
  }
  start(1);
  run_steps(5s, kStep);
}

void Lab::run_faults() {
  has_clients_ = true;
  TimePoint next = runtime.now() + 3s;
  for (const TimePoint end = runtime.now() + settings_.faults_for; runtime.now() < end;) {
    step(kStep);
    if (runtime.now() < next) continue;
    next = runtime.now() + kFaultsApart * random_.below(100u) / 100;
    begin_fault();
  }
  has_clients_ = false;
  end_faults();
}

/// After quiet each manager has each change on its disk, so that either one may lose it.
std::vector<std::string> Lab::run() {
  bring_up();
  run_faults();
  run_steps(settings_.quiet, kQuietStep);
  if (!master_) {
    note("no single master");
    faults_.push_back("no single master after the faults");
  }
  if (faults_.empty()) {
    const std::size_t first = *master_, other = 1 - first;
    read_all("a client after the faults");
    kill(first, random_.percent(50));
    wait_for_master(other, "after the end of the other");
    read_all("a client of its successor");
    start(first);
    run_steps(30s, kQuietStep);
    kill(other, random_.percent(50));
    wait_for_master(first, "after it came back");
    read_all("a client of the manager that came back");
  }
  std::vector<std::string> found = history_.violations();
  found.insert(found.end(), faults_.begin(), faults_.end());
  return found;
}

}  // namespace shared_state
