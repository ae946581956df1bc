// Boot of a cluster: every host joins the broadcast group; requests are processed in batches that
// are on disk before the responses are sent.
#include <sys/resource.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <string>

#include "bench/join_subnet.h"
#include "bench/measured.h"
#include "mad/format.h"
#include "sm/sa/registrations/persistence.h"
#include "sm/sa/registrations/registrations.h"
#include "sm/sa/registrations/requests.h"

namespace {

double cpu_s() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) / 1e6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

}  // namespace

int main(int argc, char** argv) {
  measured::print_build("bench_joins");
  const unsigned batch = argc > 1 ? static_cast<unsigned>(std::stoul(argv[1])) : 256;
  const std::filesystem::path dir =
      argc > 2 ? argv[2] : std::filesystem::temp_directory_path() / "heddle-bench-joins";
  const fabric::Subnet subnet = bench::join_subnet(11664);
  const config::Options options;
  const config::InputFiles files;
  std::filesystem::remove_all(dir);
  auto loaded = sa::RegistrationStore::load(dir, true);
  if (!loaded) return std::fprintf(stderr, "%s\n", loaded.error().c_str()), 1;
  sa::Registrations& registrations = loaded->registrations;
  std::vector<std::string> log;
  sa::reconcile_groups(registrations, subnet, options, log);
  const sa::View view{
      .subnet = subnet, .registrations = registrations, .options = options, .files = files};

  const double cpu_before = cpu_s();
  const auto before = std::chrono::steady_clock::now();
  unsigned joins = 0;
  const auto commit = [&] {
    if (const auto written = loaded->store.commit(registrations); !written)
      std::exit((std::fprintf(stderr, "%s\n", written.error().c_str()), 1));
  };
  for (const fabric::PortIndex port : subnet.fabric.end_ports) {
    if (subnet.fabric.owning_node(port).is_switch()) continue;
    const sa::Outcome out = bench::join(registrations, view, port);
    if (!out.is_ok()) return std::fprintf(stderr, "%s\n", out.log.c_str()), 1;
    if (++joins % batch == 0) commit();
  }
  commit();
  const double cpu = cpu_s() - cpu_before,
               wall =
                   std::chrono::duration<double>(std::chrono::steady_clock::now() - before).count();
  std::printf("%u joins in batches of %u: %.3f s CPU (%.1f us each), %.3f s with the disk\n", joins,
              batch, cpu, cpu / joins * 1e6, wall);

  const double routed_before = cpu_s();
  const auto routed = registrations.groups.for_routing(subnet, registrations.alias_guids,
                                                       registrations.groups.take_changed_mlids());
  std::printf("input of routing:  %zu receivers, %.2f ms CPU\n", routed.at(0).receivers.size(),
              (cpu_s() - routed_before) * 1e3);
  const double load_before = cpu_s();
  const auto again = sa::RegistrationStore::load(dir, true);
  std::printf("load: %zu members, %.2f ms CPU\n",
              again->registrations.groups.find(bench::kBroadcast)->members.size(),
              (cpu_s() - load_before) * 1e3);
  const double forget_before = cpu_s();
  sa::purge_absent_ports(registrations, subnet, options, sa::Absent::between_sweeps);
  std::printf("purge_absent_ports: %.2f ms CPU\n", (cpu_s() - forget_before) * 1e3);
  std::filesystem::remove_all(dir);
}
