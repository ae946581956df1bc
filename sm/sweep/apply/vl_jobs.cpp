#include "sm/sweep/apply/vl_jobs.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <tuple>

namespace sm {
namespace {

using mad::AttributeId;

mad::SmpData data_of(SlToVlBits bits) {
  mad::SmpData data{};
  for (std::size_t i = 0; i < 8; ++i) data[i] = static_cast<std::uint8_t>(bits >> (56 - 8 * i));
  return data;
}

/// Collects jobs node by node, and orders them for sending when they are taken.
class Jobs {
 public:
  void begin_node() { turn_ = 0; }
  void add(PortIndex port, VlJob::Kind kind, unsigned part) {
    jobs_.push_back({port, kind, static_cast<std::uint8_t>(part), turn_++});
  }
  std::vector<VlJob> take() {
    std::ranges::sort(jobs_, {}, [](const VlJob& job) {
      return std::tuple(job.turn, job.port, job.part, job.kind);
    });
    return std::move(jobs_);
  }

 private:
  std::vector<VlJob> jobs_;
  std::uint32_t turn_ = 0;
};

/// Describes the tables of an output port.
struct Output {
  PortIndex port;
  std::uint8_t first_input;
  SlToVlBits first;
  unsigned differ = 0;
  bool alike = true;
};

std::vector<Output> outputs_of(const VlWork& work, NodeIndex node) {
  std::vector<Output> outputs;
  work.for_each_mapping(node, [&](PortIndex out, mad::PortNum in, SlToVlBits bits) {
    if (outputs.empty() || outputs.back().port != out)
      outputs.push_back({.port = out, .first_input = in.value, .first = bits});
    Output& output = outputs.back();
    output.alike = output.alike && bits == output.first;
    output.differ += work.memory.sl_to_vl(out, in) != bits;
  });
  return outputs;
}

void add_single_writes(const VlWork& work, NodeIndex node, const Output& output, Jobs& jobs) {
  const bool is_switch = work.fabric.nodes[node].is_switch();
  const unsigned inputs = is_switch ? work.fabric.nodes[node].num_ports + 1u : 1u;
  for (unsigned in = output.first_input; in < inputs; ++in) {
    const mad::PortNum number{static_cast<std::uint8_t>(in)};
    if (is_switch && !work.pairs.contains(work.fabric.nodes[node].switch_index, number,
                                          work.fabric.ports[output.port].number))
      continue;
    if (!work.targets.sl_to_vl(output.port, number) || work.is_as_wanted(output.port, number))
      continue;
    if (!work.is_refused({.port = output.port, .part = number.value}))
      jobs.add(output.port, VlJob::Kind::mapping, in);
  }
}

void add_mapping_writes(const VlWork& work, NodeIndex node, Jobs& jobs) {
  std::vector<Output> outputs = outputs_of(work, node);
  if (!outputs.empty() && work.is_port_0(outputs.front().port)) {
    if (outputs.front().differ > 0) add_single_writes(work, node, outputs.front(), jobs);
    outputs.erase(outputs.begin());
  }
  const auto differing =
      std::ranges::count_if(outputs, [](const Output& output) { return output.differ > 0; });
  if (differing == 0) return;
  const bool wildcards = work.takes_wildcards(node);
  const bool all_alike = std::ranges::all_of(outputs, [&](const Output& output) {
    return output.alike && output.first == outputs.front().first;
  });
  if (wildcards && all_alike && differing > 1)
    return jobs.add(outputs.front().port, VlJob::Kind::mapping_all, outputs.front().first_input);
  for (const Output& output : outputs) {
    if (output.differ == 0) continue;
    if (wildcards && output.alike && output.differ > 1) {
      jobs.add(output.port, VlJob::Kind::mapping_all_inputs, output.first_input);
    } else {
      add_single_writes(work, node, output, jobs);
    }
  }
}

/// Returns a sample of pairs, which are given in the order of output ports.
std::vector<VlJob> sample_of(const std::vector<VlJob>& pairs) {
  std::vector<VlJob> sample;
  std::size_t number = 0;
  for (auto first = pairs.begin(); first != pairs.end(); ++number) {
    const auto last = std::find_if(
        first, pairs.end(), [port = first->port](const VlJob& job) { return job.port != port; });
    sample.push_back(first[static_cast<std::ptrdiff_t>(
        number % static_cast<std::size_t>(std::distance(first, last)))]);
    first = last;
  }
  return sample;
}

/// True if a sample says enough about a switch: it takes wildcards, and the tables of each output
/// port, which one wildcard writes, are to be alike.
bool may_be_sampled(const VlWork& work, NodeIndex node, std::size_t unknown) {
  if (unknown == 0 || !work.takes_wildcards(node)) return false;
  Jobs writes;
  add_mapping_writes(work, node, writes);
  if (writes.take().size() >= unknown) return false;
  return std::ranges::all_of(outputs_of(work, node),
                             [](const Output& output) { return output.alike; });
}

std::vector<NodeIndex> nodes_that_count(const Fabric& fabric,
                                        const std::vector<SwitchIndex>* only) {
  std::vector<NodeIndex> nodes;
  if (only == nullptr) {
    for (const NodeIndex node : fabric.nodes.indices()) nodes.push_back(node);
  } else {
    for (const SwitchIndex sw : *only) nodes.push_back(fabric.switches[sw].node);
  }
  return nodes;
}

}  // namespace

/// OpenSM's default of use_optimized_slvl is FALSE; here FALSE applies only if it is set.
VlWork::VlWork(const Fabric& of, DeviceState& devices, const config::Options& options,
               const PublishedRouting& routing, const std::vector<SwitchIndex>* only)
    : fabric(of),
      targets(of, options, routing),
      use_wildcards(options.use_optimized_slvl || !options.is_set("use_optimized_slvl")),
      memory(devices.vl_tables),
      refusals(devices.refusals),
      pairs(devices.pairs),
      nodes(nodes_that_count(of, only)),
      with_arbitration(only == nullptr) {}

AttributeId VlWork::attribute(const VlJob& job) const {
  return job.kind == VlJob::Kind::arbitration ? AttributeId::vl_arbitration_table
                                              : AttributeId::sl_to_vl_mapping_table;
}

std::uint32_t VlWork::modifier(const VlJob& job) const {
  const mad::PortNum number =
      owning_node(job).is_switch() ? fabric.ports[job.port].number : mad::PortNum{0};
  switch (job.kind) {
    case VlJob::Kind::mapping:
      return mad::SlToVlMappingTable::modifier(mad::PortNum{job.part}, number);
    case VlJob::Kind::mapping_all_inputs:
      return mad::SlToVlMappingTable::modifier_all_inputs(number);
    case VlJob::Kind::mapping_all:
      return mad::SlToVlMappingTable::kModifierAllPairs;
    case VlJob::Kind::arbitration:
      break;
  }
  return mad::VlArbitrationTable::modifier(static_cast<mad::VlArbitrationTable::Block>(job.part),
                                           number);
}

mad::SmpData VlWork::wanted(const VlJob& job) const {
  if (job.kind == VlJob::Kind::arbitration) return *targets.arbitration(job.port, job.part);
  return data_of(*targets.sl_to_vl(job.port, mad::PortNum{job.part}));
}

bool VlWork::takes_wildcards(NodeIndex index) const {
  const Node& node = fabric.nodes[index];
  return use_wildcards && node.is_switch() &&
         fabric.switches[node.switch_index].info.optimized_sl_to_vl_mapping_programming() ==
             mad::OptimizedSlToVl::wildcard &&
         !refusals.contains(wildcards(index));
}

void VlWork::for_each_pair(NodeIndex node, const VisitMapping& visit) const {
  const Node& its = fabric.nodes[node];
  const auto ports = static_cast<unsigned>(fabric.node_ports(node).size());
  for (PortIndex out = its.first_port; out < its.first_port + ports; ++out) {
    for (unsigned in = 0; in < (its.is_switch() ? ports : 1u); ++in) {
      const mad::PortNum number{static_cast<std::uint8_t>(in)};
      if (const auto bits = targets.sl_to_vl(out, number)) visit(out, number, *bits);
    }
  }
}

void VlWork::for_each_mapping(NodeIndex node, const VisitMapping& visit) const {
  const Node& its = fabric.nodes[node];
  if (!its.is_switch()) return for_each_pair(node, visit);
  for (unsigned to = 0; to <= its.num_ports; ++to) {
    const mad::PortNum out{static_cast<std::uint8_t>(to)};
    for (unsigned from = 0; from <= its.num_ports; ++from) {
      const mad::PortNum in{static_cast<std::uint8_t>(from)};
      // Port 0 as the output has one table, for packets that it sends itself.
      if (to != 0 && !pairs.contains(its.switch_index, in, out)) continue;
      if (const auto bits = targets.sl_to_vl(its.first_port + to, in))
        visit(its.first_port + to, in, *bits);
    }
  }
}

void VlWork::for_each_arbitration(NodeIndex node, const VisitBlock& visit) const {
  const Node& its = fabric.nodes[node];
  if (!with_arbitration) return;
  for (PortIndex port = its.first_port; port < its.first_port + fabric.node_ports(node).size();
       ++port) {
    for (unsigned block = 1; block <= kArbitrationBlocks; ++block) {
      if (const auto bytes = targets.arbitration(port, block)) visit(port, block, *bytes);
    }
  }
}

std::vector<VlJob> vl_reads_of(const VlWork& work, std::vector<NodeIndex>& sampled) {
  Jobs jobs;
  for (const NodeIndex node : work.nodes) {
    if (!may_hold_tables(work.fabric, node)) continue;
    jobs.begin_node();
    std::vector<VlJob> unknown;
    work.for_each_mapping(node, [&](PortIndex out, mad::PortNum in, SlToVlBits) {
      const VlJob job{.port = out, .kind = VlJob::Kind::mapping, .part = in.value};
      if (!work.memory.sl_to_vl(out, in) && !work.is_refused(job)) unknown.push_back(job);
    });
    if (may_be_sampled(work, node, unknown.size())) {
      sampled.push_back(node);
      unknown = sample_of(unknown);
    }
    work.for_each_arbitration(node, [&](PortIndex port, unsigned block, const ArbitrationBlock&) {
      const VlJob job{
          .port = port, .kind = VlJob::Kind::arbitration, .part = static_cast<std::uint8_t>(block)};
      if (work.memory.arbitration(port, block) == nullptr && !work.is_refused(job))
        unknown.push_back(job);
    });
    for (const VlJob& job : unknown) jobs.add(job.port, job.kind, job.part);
  }
  return jobs.take();
}

std::vector<VlJob> mapping_writes(const VlWork& work, const std::vector<NodeIndex>& nodes) {
  Jobs jobs;
  for (const NodeIndex node : nodes) {
    jobs.begin_node();
    add_mapping_writes(work, node, jobs);
  }
  return jobs.take();
}

std::vector<VlJob> arbitration_writes(const VlWork& work) {
  Jobs jobs;
  for (const NodeIndex node : work.nodes) {
    jobs.begin_node();
    work.for_each_arbitration(node, [&](PortIndex port, unsigned block,
                                        const ArbitrationBlock& bytes) {
      const ArbitrationBlock* held = work.memory.arbitration(port, block);
      if (held != nullptr && *held == bytes) return;
      const VlJob job{
          .port = port, .kind = VlJob::Kind::arbitration, .part = static_cast<std::uint8_t>(block)};
      if (!work.is_refused(job)) jobs.add(port, VlJob::Kind::arbitration, block);
    });
  }
  return jobs.take();
}

std::vector<VlJob> mapping_samples(const VlWork& work, const std::vector<NodeIndex>& nodes) {
  Jobs jobs;
  for (const NodeIndex node : nodes) {
    jobs.begin_node();
    std::vector<VlJob> pairs;
    work.for_each_mapping(node, [&](PortIndex out, mad::PortNum in, SlToVlBits) {
      if (!work.is_port_0(out))
        pairs.push_back({.port = out, .kind = VlJob::Kind::mapping, .part = in.value});
    });
    for (const VlJob& job : sample_of(pairs)) jobs.add(job.port, job.kind, job.part);
  }
  return jobs.take();
}

}  // namespace sm
