// Virtual ports: one Heddle and simulated hosts in one process, in virtual time. First bring-up
// with vports, one host with many, and the life of functions that containers take and release.

#include <malloc.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "bench/measured.h"
#include "partitions/load.h"
#include "sim/laboratory.h"
#include "sim/linux_functions.h"
#include "sim/world/vport_host.h"
#include "sm/ctl/topology/generators.h"

namespace {

using mad::PortState;
using namespace std::chrono_literals;

double milliseconds(mad::Duration time) {
  return std::chrono::duration<double, std::milli>(time).count();
}
long resident_kib() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

class Hosts : public laboratory::Solo {
 public:
  Hosts(unsigned hosts, unsigned vfs)
      : Solo(topology::fat_tree({.hosts = hosts, .radix = 36, .levels = 0})), vfs_(vfs) {
    options.virt_enabled = 2;
    for (const sim::PortIndex port : model.ports.indices())
      if (model.owning_node(port).info.node_type() == mad::NodeType::ca && model.link_up(port))
        ports.push_back(port);
  }
  static mad::Guid guid(std::size_t number) { return {0x5000000000000000 + number}; }
  /// The odd ones require a LID of their own.
  void create(bool with_guids) {
    for (std::size_t host = 0; host < ports.size(); ++host) {
      sim::enable_virtualization(world, ports[host], static_cast<std::uint16_t>(vfs_ + 1));
      for (unsigned index = 1; index <= vfs_; ++index)
        sim::create_vport(world, ports[host], static_cast<std::uint16_t>(index),
                          {.guid = with_guids ? guid(host * 256 + index) : mad::Guid{},
                           .lid_required = index % 2 == 1});
    }
  }
  PortState state(std::size_t host, unsigned index) const {
    return sim::vport_state(model.ports[ports[host]], static_cast<std::uint16_t>(index));
  }
  bool all_active() const {
    for (std::size_t host = 0; host < ports.size(); ++host)
      for (unsigned index = 0; index <= vfs_; ++index)
        if (state(host, index) != PortState::active) return false;
    return true;
  }
  std::size_t lids_in_use() const {
    const auto subnet = status().subnet;
    return static_cast<std::size_t>(std::ranges::count_if(
        subnet->lids.port_of_lid, [](fabric::PortIndex port) { return port != fabric::kNoIndex; }));
  }

  std::vector<sim::PortIndex> ports;

 private:
  unsigned vfs_;
};

bool bring_up(Hosts& lab, const char* what) {
  const auto cpu = std::clock();
  lab.start();
  if (!lab.runtime.run_until([&] { return lab.says("SUBNET UP") && lab.all_active(); }, 120s)) {
    std::fprintf(stderr, "%s: not all vports are Active\n%s\n", what, lab.heddle().tail().c_str());
    return false;
  }
  std::printf("%-34s all Active after %.1f ms (virtual), %llu SubnGet, %llu SubnSet, %.2f s CPU\n",
              what, milliseconds(lab.runtime.now() - sim::EventQueue::kStart),
              static_cast<unsigned long long>(lab.gets()),
              static_cast<unsigned long long>(lab.sets()),
              static_cast<double>(std::clock() - cpu) / CLOCKS_PER_SEC);
  return true;
}

/// Measures a host with many vports on a fabric that is up.
bool one_host_with_many(unsigned vfs) {
  Hosts lab(18, vfs);
  lab.start();
  lab.runtime.run_for(5s);
  lab.forget_counts();
  sim::enable_virtualization(lab.world, lab.ports.back(), static_cast<std::uint16_t>(vfs + 1));
  for (unsigned index = 1; index <= vfs; ++index)
    sim::create_vport(lab.world, lab.ports.back(), static_cast<std::uint16_t>(index),
                      {.guid = Hosts::guid(index), .lid_required = index % 2 == 1});
  lab.world.bounce(lab.ports.back());
  const bool up = lab.runtime.run_until(
      [&] {
        for (unsigned index = 0; index <= vfs; ++index)
          if (lab.state(lab.ports.size() - 1, index) != PortState::active) return false;
        return true;
      },
      60s);
  std::printf("one host comes with %u vports: %s, %llu SubnGet, %llu SubnSet\n", vfs,
              up ? "all Active" : "NOT Active", static_cast<unsigned long long>(lab.gets()),
              static_cast<unsigned long long>(lab.sets()));
  return up;
}

/// Counts that must be equal before and after.
struct Holdings {
  std::size_t lids = 0, memberships = 0, p_keys = 0, heap_bytes = 0;
};

/// Containers take functions and release them: GUID set, driver bound again, Active, broadcast
/// group joined and path to a peer known, released.
class Churn {
 public:
  explicit Churn(unsigned hosts) : lab_(hosts, 8), functions_(lab_.runtime, lab_.world, 1ms) {
    lab_.create(false);
    lab_.start();
    lab_.heddle().stop();
    lab_.heddle().partitioning = tenants();
    lab_.start();
    lab_.runtime.run_for(10s);
  }

  bool run(unsigned cycles) {
    const unsigned hosts = static_cast<unsigned>(lab_.ports.size());
    constexpr unsigned kWarmUp = 5;  // rounds; buffers have their size then
    const Holdings idle = holdings();
    Holdings warm = idle;
    for (unsigned round = 0; round * hosts < cycles; ++round) {
      if (!cycle_all()) {
        std::fprintf(stderr, "round %u: not all vports are used\n", round);
        complain();
        return false;
      }
      lab_.heddle().forget_log();
      if (round + 1 == kWarmUp) warm = holdings();
    }
    lab_.runtime.run_for(10s);
    lab_.heddle().forget_log();
    report(idle, warm, holdings());
    return true;
  }

 private:
  static constexpr unsigned kTenants = 16;  // partitions; the GUIDs of a host are one of each
  struct Cycle {
    unsigned index = 0, tenant = 0;
    mad::TimePoint begin{};
    bool active = false, used = false;
  };

  static mad::Guid guid(std::size_t host, unsigned tenant) {
    return Hosts::guid(host * 256 + tenant);
  }
  sim::VPortPlace place(std::size_t host) const {
    return {lab_.ports[host], static_cast<std::uint16_t>(cycles_[host].index)};
  }
  partitions::Configuration tenants() const {
    std::string text = "Default=0x7fff, ipoib: ALL=full, ALL_VCAS=limited, SELF=full;\n";
    for (unsigned tenant = 1; tenant <= kTenants; ++tenant) {
      text += fmt::format("tenant{}=0x{:x}, indx0, ipoib : ", tenant, tenant);
      for (std::size_t host = 0; host < lab_.ports.size(); ++host)
        text += fmt::format("{}{}=full", host == 0 ? "" : ",\n", guid(host, tenant));
      text += ";\n";
    }
    config::Diagnostics found;
    return partitions::parse_partitions_conf({"partitions.conf", text}, found);
  }

  /// One function of each host, at random times within some milliseconds of each other.
  bool cycle_all() {
    cycles_.assign(lab_.ports.size(), {});
    for (std::size_t host = 0; host < cycles_.size(); ++host) {
      Cycle& cycle = cycles_[host];
      cycle = {.index = 1 + static_cast<unsigned>(dice_.below(8u)),
               .tenant = 1 + static_cast<unsigned>(dice_.below(kTenants)),
               .begin = lab_.runtime.now()};
      sim::set_vport_guid(lab_.world, lab_.ports[host], place(host).index,
                          guid(host, cycle.tenant));
      sim::rebind_vport(lab_.world, lab_.ports[host], place(host).index);
      functions_.probe(place(host));
      lab_.runtime.run_until([this] { return all_used(); },
                             std::chrono::microseconds(dice_.below(5000u)));
    }
    if (!lab_.runtime.run_until([this] { return all_used(); }, 60s)) return false;
    for (std::size_t host = 0; host < cycles_.size(); ++host) {
      functions_.remove(place(host));
      sim::set_vport_guid(lab_.world, lab_.ports[host], place(host).index, sim::kReleasedGuid);
    }
    lab_.runtime.run_for(200ms);
    return true;
  }
  bool all_used() {
    bool all = true;
    for (std::size_t host = 0; host < cycles_.size(); ++host) {
      Cycle& cycle = cycles_[host];
      if (cycle.index == 0) return false;  // not begun
      if (cycle.used) continue;
      if (!cycle.active && lab_.state(host, cycle.index) == PortState::active) {
        cycle.active = true;
        active_ms_.push_back(milliseconds(lab_.runtime.now() - cycle.begin));
      }
      cycle.used = cycle.active && is_used(host);
      if (cycle.used) used_ms_.push_back(milliseconds(lab_.runtime.now() - cycle.begin));
      all = all && cycle.used;
    }
    return all;
  }
  /// It has joined, and its packets reach the next function of its partition, if there is one.
  bool is_used(std::size_t host) {
    sim::LinuxFunction& function = functions_.at(place(host));
    if (!function.is_up()) return false;
    for (std::size_t step = 1; step < cycles_.size(); ++step) {
      const std::size_t peer = (host + step) % cycles_.size();
      if (cycles_[peer].tenant != cycles_[host].tenant || !cycles_[peer].active) continue;
      const mad::Gid to = sim::vport_gid(lab_.model.ports[lab_.ports[peer]], place(peer).index);
      function.resolve(to);
      const auto walk = function.send(to);
      return walk && walk->delivered();
    }
    return true;
  }

  void complain() {
    for (std::size_t host = 0; host < cycles_.size(); ++host) {
      if (cycles_[host].used) continue;
      const sim::LinuxFunction& function = functions_.at(place(host));
      const mad::Lid lid = function.attributes().lid;
      sim::PacketHeader packet;
      packet.dlid = lid;
      packet.p_key = mad::kDefaultPKeyFull;
      packet.dgid = function.attributes().gid;
      const std::string arrival(sim::name(sim::walk_unicast(lab_.model, lab_.own(), packet).drop));
      const std::string state(mad::name(lab_.state(host, cycles_[host].index)));
      std::fprintf(stderr,
                   "host %zu vport %u, tenant %u: %s, P_Key %#x, join status %#x, LID %u from the "
                   "manager: %s, %s\n",
                   host, cycles_[host].index, cycles_[host].tenant, state.c_str(),
                   function.partition().value, function.join_status().value_or(0xFFFF), lid.value,
                   arrival.c_str(),
                   function.is_up() ? "joined, but its peer is not reached" : "not joined");
    }
  }

  Holdings holdings() {
    Holdings now{.lids = lab_.lids_in_use(),
                 .memberships = 0,
                 .p_keys = 0,
                 .heap_bytes = ::mallinfo2().uordblks};
    for (const auto& [mgid, group] :
         lab_.heddle().manager().administrator().registrations().groups.all())
      now.memberships += group.members.size();
    for (const sim::PortIndex host : lab_.ports) {
      const sim::PortIndex port = lab_.far(host);
      for (unsigned block = 0; block < lab_.model.p_key_blocks(port); ++block)
        for (unsigned entry = 0; entry < mad::PKeyTable::kEntries; ++entry)
          now.p_keys += lab_.model.p_keys(port, block).p_key(entry) != mad::PKey{};
    }
    return now;
  }

  void report(const Holdings& idle, const Holdings& warm, const Holdings& end) {
    const auto print = [](const char* what, std::vector<double>& times_ms) {
      std::ranges::sort(times_ms);
      const auto part = [&](double share) {
        return times_ms[static_cast<std::size_t>(share * static_cast<double>(times_ms.size() - 1))];
      };
      std::printf("  GUID set to %s: p50 %.2f ms, p99 %.2f ms, most %.2f ms (virtual)\n", what,
                  part(0.5), part(0.99), times_ms.back());
    };
    std::printf("%zu cycles on %zu hosts\n", used_ms_.size(), lab_.ports.size());
    print("Active", active_ms_);
    print("used", used_ms_);
    std::printf(
        "  before and after: %zu and %zu LIDs, %zu and %zu memberships, %zu and %zu P_Keys "
        "of switch ports\n",
        idle.lids, end.lids, idle.memberships, end.memberships, idle.p_keys, end.p_keys);
    std::printf(
        "  heap: %zu KiB before, %zu KiB after 5 rounds, %zu KiB at the end; peak resident "
        "%ld KiB\n",
        idle.heap_bytes >> 10, warm.heap_bytes >> 10, end.heap_bytes >> 10, resident_kib());
  }

  Hosts lab_;
  laboratory::LinuxFunctions functions_;
  topology::Random dice_{1};
  std::vector<Cycle> cycles_;
  std::vector<double> active_ms_, used_ms_;
};

}  // namespace

int main() {
  measured::print_build("bench_vports");
  Hosts many(306, 8);
  many.create(true);
  const bool ok = bring_up(many, "306 hosts with 8 vports each:") && one_host_with_many(128) &&
                  Churn(54).run(5000);
  return ok ? 0 : 1;
}
