// Answers of subnet administration on the reference fabric: the full three-level fat tree of
// 36-port switches, 11,664 hosts.

#include <benchmark/benchmark.h>

#include "bench/measured.h"
#include "mad/records/path_records.h"
#include "sm/ctl/topology/generators.h"
#include "sm/sa/paths/path_types.h"
#include "sm/sa/query/answer.h"
#include "sm/sa/records/record_types.h"
#include "support/fabrics.h"
#include "support/subnets.h"

namespace {

using Mask = mad::PathRecordFields::Mask;

subnets::Site& site() {
  static subnets::Site made = [] {
    fabric::Fabric fabric =
        fabrics::from_topology(topology::fat_tree({.hosts = 11664, .radix = 36}));
    for (fabric::Port& port : fabric.ports) {
      port.info.set_mtu_cap(mad::Mtu::mtu_4096);
      port.info.set_neighbor_mtu(mad::Mtu::mtu_4096);
      port.info.set_link_width_active(mad::link_width::k4x);
      port.info.set_link_speed_ext_active(mad::link_speed_ext::kHdr);
    }
    return subnets::Site(subnets::bring_up(std::move(fabric)));
  }();
  return made;
}

std::vector<fabric::PortIndex> hosts() {
  std::vector<fabric::PortIndex> out;
  for (const fabric::PortIndex port : site().subnet->fabric.end_ports)
    if (!site().subnet->fabric.owning_node(port).is_switch()) out.push_back(port);
  return out;
}

sa::Query path_query(const mad::PathRecord& request, mad::Method method, std::uint64_t mask,
                     fabric::PortIndex from) {
  return {.method = method,
          .attribute = mad::SaAttributeId::path_record,
          .modifier = 0,
          .component_mask = mask,
          .record = request.bytes(),
          .from = {.port = from, .lid = {}}};
}

/// Pairs in random order.
void get_path(benchmark::State& state) {
  const sa::View view = site().view();
  const std::vector<fabric::PortIndex> ports = hosts();
  sa::ResponseBuffer out;
  std::size_t i = 0;
  for (auto _ : state) {
    i = (i + 7919) % (ports.size() * ports.size());
    const fabric::PortIndex from = ports[i / ports.size()], to = ports[i * 31 % ports.size()];
    mad::PathRecord request;
    request.set<"SGID.prefix">(std::uint64_t{view.options.subnet_prefix});
    request.set<"SGID.guid">(view.subnet.fabric.ports[from].guid);
    request.set<"DGID.prefix">(std::uint64_t{view.options.subnet_prefix});
    request.set<"DGID.guid">(view.subnet.fabric.ports[to].guid);
    request.set<"NumbPath">(1u);
    const auto mask =
        1u << Mask::kSgid | 1u << Mask::kDgid | 1u << Mask::kNumbPath | 1u << Mask::kReversible;
    if (sa::answer(view, path_query(request, mad::Method::get, mask, from), sa::kPathRecord, out) !=
        mad::status::kOk)
      state.SkipWithError("no path");
  }
  state.SetItemsProcessed(state.iterations());
}

void all_paths_of_a_source(benchmark::State& state) {
  const sa::View view = site().view();
  const std::vector<fabric::PortIndex> ports = hosts();
  sa::ResponseBuffer out;
  std::size_t i = 0;
  for (auto _ : state) {
    const fabric::PortIndex from = ports[i = (i + 7919) % ports.size()];
    mad::PathRecord request;
    request.set<"SLID">(view.subnet.lid_range(from).base);
    if (sa::answer(view, path_query(request, mad::Method::get_table, 1u << Mask::kSlid, from),
                   sa::kPathRecord, out) != mad::status::kOk)
      state.SkipWithError("refused");
    if (out.records() != view.subnet.fabric.end_ports.size())
      state.SkipWithError("paths are missing");
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(out.records()));
}

void all_nodes(benchmark::State& state) {
  const sa::View view = site().view();
  const std::array<std::uint8_t, sa::kRecordBytesMax> request{};
  const sa::Query query{.method = mad::Method::get_table,
                        .attribute = mad::SaAttributeId::node_record,
                        .modifier = 0,
                        .component_mask = 0,
                        .record = request,
                        .from = {.port = hosts()[0], .lid = {}}};
  sa::ResponseBuffer out;
  for (auto _ : state) sa::answer(view, query, sa::kNodeRecord, out);
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(out.records()));
}

void exits(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(fabric::Exits(site().subnet->fabric));
}

BENCHMARK(get_path);
BENCHMARK(all_paths_of_a_source)->Unit(benchmark::kMillisecond);
BENCHMARK(all_nodes)->Unit(benchmark::kMillisecond);
BENCHMARK(exits)->Unit(benchmark::kMillisecond);

}  // namespace

int main(int argc, char** argv) {
  benchmark::AddCustomContext("heddle_build", std::string(measured::build_text()));
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}
