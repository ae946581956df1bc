#pragma once
// Hosts with vports whose functions run under Linux, each with a P_Key that one other function has,
// too: do they join, resolve and reach their peer, and nothing else?

#include <map>
#include <memory>

#include "sim/virtualized.h"
#include "support/client/linux_function.h"

namespace laboratory {

/// The functions of a fabric; they run while it exists.
class LinuxFunctions {
 public:
  LinuxFunctions(sim::VirtualRuntime& runtime, sim::World& world, mad::Duration tick)
      : runtime_(runtime), world_(world), tick_(tick) {
    world_.on_vport_reregister = [this](sim::PortIndex port, std::uint16_t index) {
      if (const auto found = functions_.find({port, index}); found != functions_.end())
        found->second->client_reregister();
    };
    repeat();
  }
  ~LinuxFunctions() {
    *alive_ = false;
    world_.on_vport_reregister = nullptr;
  }
  LinuxFunctions(const LinuxFunctions&) = delete;
  LinuxFunctions& operator=(const LinuxFunctions&) = delete;

  /// A driver is bound to the function of this vport: as if it had never run before.
  sim::LinuxFunction& probe(sim::VPortPlace place) {
    auto& function = functions_[place];
    function.reset();
    function = std::make_unique<sim::LinuxFunction>(runtime_, world_, place);
    return *function;
  }
  void remove(sim::VPortPlace place) { functions_.erase(place); }
  void poll() {
    for (const auto& [place, function] : functions_) function->poll();
  }
  sim::LinuxFunction& at(sim::VPortPlace place) const { return *functions_.at(place); }
  const std::map<sim::VPortPlace, std::unique_ptr<sim::LinuxFunction>>& all() const {
    return functions_;
  }

 private:
  void repeat() {
    runtime_.after(tick_, [this, alive = alive_] {
      if (!*alive) return;
      poll();
      repeat();
    });
  }

  sim::VirtualRuntime& runtime_;
  sim::World& world_;
  mad::Duration tick_;
  std::map<sim::VPortPlace, std::unique_ptr<sim::LinuxFunction>> functions_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);  // for ticks in the queue
};

/// Each function shares a P_Key, which is the first of its table, with one other one: of another
/// host, or of its own, both with a LID of their own, with that of their port, or one of each.
class PairedFunctions : public Virtualized {
 public:
  /// The number of hosts has to be a multiple of 4.
  PairedFunctions(const topology::Topology& topology, std::uint16_t vfs_of_each,
                  mad::Duration tick = 2ms)
      : Virtualized(topology, vfs_of_each), functions(runtime, world, tick) {
    add_vports();
    for (std::size_t host = 0; host < hosts.size(); ++host) {
      for (std::uint16_t index = 1; index <= vfs; ++index) {
        const mad::Guid peer = peer_of(host, index), own = guid(host, index);
        key_of_[own] = key_of_.contains(peer) ? key_of_.at(peer) : ++last_key_;
        functions.probe({hosts[host], index});
      }
    }
    partitioning = configuration();
  }

  /// Returns the partition of each function, as partitions.conf has it.
  partitions::Configuration configuration() const {
    std::map<std::uint16_t, std::vector<mad::Guid>> members;
    for (const auto& [guid, key] : key_of_) members[key].push_back(guid);
    std::string text = "Default=0x7fff, ipoib: ALL=full, ALL_VCAS=limited, SELF=full;\n";
    for (const auto& [key, guids] : members) {
      text += fmt::format("vf{}=0x{:x}, indx0, ipoib : ", key, key);
      for (const mad::Guid guid : guids)
        text += fmt::format("{}{}=full", guid == guids.front() ? "" : ", ", guid);
      text += ";\n";
    }
    config::Diagnostics found;
    auto out = partitions::parse_partitions_conf({"partitions.conf", text}, found);
    EXPECT_TRUE(found.empty()) << found.front().text();
    return out;
  }
  std::uint16_t make_key(mad::Guid guid) const { return key_of_.at(guid); }
  /// From the next reload on.
  void move_to_partition(mad::Guid guid, std::uint16_t key) { key_of_[guid] = key; }
  /// A function of this GUID is in no partition but the default one.
  void forget(mad::Guid guid) { key_of_.erase(guid); }

  /// Returns the first fault of joins, paths, delivery or isolation; "" if there is none. All
  /// functions resolve their peers and one function of another partition from now on.
  std::string function_complaint() {
    std::map<std::uint16_t, std::vector<sim::LinuxFunction*>> of_key;
    for (const auto& [place, function] : functions.all())
      if (const auto key = key_of_.find(function->attributes().gid.guid); key != key_of_.end())
        of_key[key->second].push_back(function.get());
    const auto each = [&](auto act) {
      for (auto at = of_key.begin(); at != of_key.end(); ++at) {
        const auto next = std::next(at) == of_key.end() ? of_key.begin() : std::next(at);
        for (sim::LinuxFunction* const function : at->second) {
          const std::string wrong = act(*function, at->first, at->second, *next->second.front());
          if (!wrong.empty())
            return fmt::format("{} vport {}: {}", model.name(function->place().port),
                               function->place().index, wrong);
        }
      }
      return std::string();
    };
    each([](sim::LinuxFunction& from, std::uint16_t, const auto& members,
            const sim::LinuxFunction& stranger) {
      for (const sim::LinuxFunction* const to : members)
        if (to != &from) from.resolve(to->attributes().gid);
      from.resolve(stranger.attributes().gid);
      return "";
    });
    return each([this](sim::LinuxFunction& from, std::uint16_t key, const auto& members,
                       const sim::LinuxFunction& stranger) {
      return complaint_of(from, key, members, stranger);
    });
  }
  /// Waits until nothing is wrong.
  bool functions_work(mad::Duration limit = kLightSweep) {
    const mad::TimePoint end = runtime.now() + limit;
    while (!function_complaint().empty()) {
      if (runtime.now() >= end) return false;
      runtime.run_for(20ms);
    }
    return true;
  }
  bool come_up() {
    const bool up = bring_up();
    return functions_work() && up;
  }

 private:
  mad::Guid peer_of(std::size_t host, std::uint16_t index) const {
    const std::size_t half = hosts.size() / 2, in_half = host % half;
    const std::size_t far = (host + half) % hosts.size();
    const auto last = static_cast<std::uint16_t>(vfs - 1);
    if (in_half % 2 == 0) {
      if (index >= last) return guid(host, index == vfs ? last : vfs);
      return guid(far, static_cast<std::uint16_t>(last - index));
    }
    if (index == 1 || index == 3) return guid(host, static_cast<std::uint16_t>(4 - index));
    return guid(far, index);
  }
  std::string complaint_of(const sim::LinuxFunction& from, std::uint16_t key,
                           const std::vector<sim::LinuxFunction*>& members,
                           const sim::LinuxFunction& stranger) {
    if (from.attributes().state != mad::PortState::active) return "it is not Active";
    if (!from.is_up())
      return fmt::format("it has not joined its broadcast group (status {:#x})",
                         from.join_status().value_or(0xFFFF));
    if (from.partition() != mad::full_member_key(key))
      return fmt::format("its interface has P_Key {}, not {:#x}", from.partition(), key);
    if (const std::string wrong = broadcast_complaint(from, members); !wrong.empty()) return wrong;
    for (const sim::LinuxFunction* const to : members) {
      if (to == &from) continue;
      const mad::Gid gid = to->attributes().gid;
      const auto walk = from.send(gid);
      if (!walk) return "it has no path to its peer";
      if (!walk->delivered() || walk->end != to->place().port || walk->vport != to->place().index)
        return fmt::format("its packets to its peer: {}", sim::name(walk->drop));
      const auto [record_from, record_to] = std::pair(from.place(), to->place());
      const std::string wrong = sim::first_complaint(
          sim::check_path_record(model, record_from, record_to, *from.resolution(gid).path));
      if (!wrong.empty()) return wrong;
    }
    return isolation_complaint(from, stranger);
  }
  /// Its broadcast reaches the other members, each once, and nothing else.
  static std::string broadcast_complaint(const sim::LinuxFunction& from,
                                         const std::vector<sim::LinuxFunction*>& members) {
    const sim::Copies copies = *from.send_broadcast();
    std::set<std::pair<sim::PortIndex, std::uint16_t>> expected;
    for (const sim::LinuxFunction* const to : members)
      if (to != &from) expected.emplace(to->place().port, to->place().index);
    const std::set got(copies.vports.begin(), copies.vports.end());
    if (got != expected || got.size() != copies.vports.size() || copies.forwarding_loop)
      return fmt::format("its broadcast reaches {} functions, not {}", copies.vports.size(),
                         expected.size());
    return "";
  }
  /// No path to a function of another partition, and no packet arrives there, whatever its sender
  /// knows.
  std::string isolation_complaint(const sim::LinuxFunction& from,
                                  const sim::LinuxFunction& stranger) {
    const sim::FunctionAttributes to = stranger.attributes();
    const sim::LinuxFunction::Resolution found = from.resolution(to.gid);
    if (!found.answered) return "its request for a path to another partition is not answered";
    if (found.path) return "it gets a path to a function of another partition";
    for (const mad::PKey key : {from.partition(), stranger.partition()}) {
      sim::PacketHeader packet;
      packet.dlid = to.lid;
      packet.p_key = key;
      packet.dgid = to.gid;
      packet.from_vport = from.place().index;
      if (sim::walk_unicast(model, from.place().port, packet).delivered())
        return fmt::format("its packet with P_Key {} reaches another partition", key);
    }
    return "";
  }

  std::map<mad::Guid, std::uint16_t> key_of_;
  std::uint16_t last_key_ = 0;

 public:
  LinuxFunctions functions;
};

}  // namespace laboratory
