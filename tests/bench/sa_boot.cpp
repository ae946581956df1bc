// Boot of a cluster: all hosts join the broadcast group, query a path and query all paths. One
// whole Heddle on the simulator in virtual time; prints CPU time of the process, simulated hosts
// and links included. Prints figures, asserts nothing.
//
//   bench_sa_boot [hosts]      default 11664

#include <sys/resource.h>

#include <cstdlib>

#include "bench/measured.h"
#include "mad/format.h"
#include "sim/sa_lab.h"
#include "sm/ctl/topology/generators.h"

namespace {

double cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

}  // namespace

int main(int argc, char** argv) {
  using namespace laboratory;
  measured::print_build("bench_sa_boot");
  const unsigned hosts = argc > 1 ? static_cast<unsigned>(std::atoi(argv[1])) : 11664;
  SaLab lab(topology::fat_tree({.hosts = hosts}));
  std::vector<std::string> names;
  std::size_t switches = 0;
  for (const sim::NodeModel& node : lab.model.nodes) {
    if (!node.is_switch()) names.push_back(node.description);
    switches += node.is_switch();
  }
  double begin = cpu_seconds();
  lab.start();
  const bool up = lab.runtime.run_until([&] { return lab.says("SUBNET UP"); }, 10min);
  lab.settle();
  fmt::print("{} hosts, {} switches: {} in {:.1f} s of CPU\n", names.size(), switches,
             up ? "up" : "NOT UP", cpu_seconds() - begin);

  std::vector<sim::SaClient*> clients;
  for (const std::string& name : names) clients.push_back(&lab.host(name));
  const auto all_answered = [&](std::size_t replies) {
    return [&, replies, at = std::size_t{0}]() mutable {
      while (at < clients.size() && clients[at]->replies().size() >= replies) ++at;
      return at == clients.size();
    };
  };

  std::vector<sim::SaRequest> joins;
  for (const std::string& name : names) joins.push_back(lab.join_request(name));
  lab.forget_counts();
  begin = cpu_seconds();
  for (std::size_t i = 0; i < clients.size(); ++i) {
    lab.runtime.after(std::chrono::microseconds(i), [&, i] { clients[i]->post(joins[i]); });
  }
  const bool joined = lab.runtime.run_until(all_answered(1), 1min);
  lab.settle();
  std::size_t good = 0;
  for (const sim::SaClient* client : clients)
    good += !client->replies().empty() && client->replies().begin()->second.status() == 0;
  fmt::print(
      "joins: {}{} of {} accepted in {:.2f} s of CPU, {} MulticastForwardingTable blocks written "
      "for {} switches\n",
      joined ? "" : "NOT ALL ANSWERED, ", good, clients.size(), cpu_seconds() - begin,
      lab.sent(mad::Method::set, mad::AttributeId::multicast_forwarding_table), switches);

  begin = cpu_seconds();
  mad::PathRecord record;
  record.set<"NumbPath">(1);
  using P = mad::PathRecordFields;
  for (std::size_t i = 0; i < clients.size(); ++i) {
    record.set<"SGID.prefix">(clients[i]->gid().prefix);
    record.set<"SGID.guid">(clients[i]->gid().guid);
    const mad::Gid to = clients[(i + clients.size() / 2) % clients.size()]->gid();
    record.set<"DGID.prefix">(to.prefix);
    record.set<"DGID.guid">(to.guid);
    sim::SaRequest request{.method = mad::Method::get,
                           .attribute = mad::SaAttributeId::path_record,
                           .component_mask = SaLab::bits({P::kSgid, P::kDgid, P::kNumbPath})};
    request.record.assign(record.bytes().begin(), record.bytes().end());
    clients[i]->post(request);
  }
  const bool found = lab.runtime.run_until(all_answered(2), 1min);
  const double cpu = cpu_seconds() - begin;
  fmt::print("paths, one for each host at the same time: {}{:.2f} s of CPU, {:.0f} a second\n",
             found ? "" : "NOT ALL ANSWERED, ", cpu, static_cast<double>(clients.size()) / cpu);
  return 0;
}
