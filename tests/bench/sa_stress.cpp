// osmtest's stress of single-MAD PortInfoRecord queries, against OpenSM and against Heddle in turn, each alone on a fresh ibsim; prints time and ratio.
//
//   bench_sa_stress [--runs N]     default 3; the best run of each counts

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <optional>

#include "ibsim/fabric.h"
#include "ibsim/subnet_manager.h"
#include "sim/topology/generators.h"

namespace {

using harness::SmKind;

/// Wall seconds of osmtest, and CPU seconds of the manager meanwhile.
std::optional<double> stress(SmKind kind) {
  harness::IbsimFabric fabric(sim::xgft({.children = {4, 4}, .parents = {1, 4}, .cables = {}}));
  harness::SubnetManager sm(fabric, {.kind = kind});
  if (!sm.wait_log("SUBNET UP")) return std::nullopt;
  const std::filesystem::path dir = fabric.new_dir("osmtest");
  std::filesystem::create_directories(dir);
  const auto osmtest = [&](std::vector<std::string> flags) {
    flags.insert(flags.begin(), "osmtest");
    harness::Command command = fabric.command(flags, {.host = "H2-0"}, dir);
    command.env.emplace_back("OSM_TMP_DIR", dir.string());
    harness::Process process(command);
    return process.wait(harness::Milliseconds(300'000));
  };
  const auto done = osmtest({"-f", "f", "-s", "1"});
  if (!done || done->code != 0) {
    fmt::print("{}: osmtest did not end well\n{}\n", harness::name_of(kind), harness::read_file(dir / "stdout").substr(0, 2000));
    return std::nullopt;
  }
  return done->wall_s;
}

}  // namespace

int main(int argc, char** argv) {
  const int runs = argc == 3 && std::strcmp(argv[1], "--runs") == 0 ? std::atoi(argv[2]) : 3;
  double best[2] = {1e9, 1e9};
  for (int run = 0; run < runs; ++run) {
    for (const SmKind kind : {SmKind::opensm, SmKind::heddle}) {
      if (harness::program_of(kind).empty()) continue;
      const auto seconds = stress(kind);
      if (!seconds) return 1;
      fmt::print("{:<8} {:.2f} s\n", harness::name_of(kind), *seconds);
      best[kind == SmKind::heddle] = std::min(best[kind == SmKind::heddle], *seconds);
    }
  }
  fmt::print("OpenSM / Heddle: {:.2f} (wall time of osmtest -f f -s 1, best of {})\n", best[0] / best[1], runs);
  return 0;
}
