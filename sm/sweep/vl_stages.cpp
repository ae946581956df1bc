#include "sm/sweep/vl_stages.h"

#include <algorithm>
#include <tuple>

#include "mad/attributes/port_tables.h"
#include "routing/qos/vl_targets.h"

namespace sm {
namespace {

using mad::AttributeId;

/// One table, or with a wildcard several that are to be alike.
struct Job {
  enum class Kind : std::uint8_t { mapping, mapping_all_inputs, mapping_all, arbitration };
  PortIndex port = kNoIndex;  // output port
  Kind kind = Kind::mapping;
  std::uint8_t part = 0;  // the input port's number, or the block
  std::uint32_t turn =
      0;  // jobs of one node go one after the other, so that neighbours in time are different nodes
};

}  // namespace

SlToVlBits sl_to_vl_bits(std::span<const std::uint8_t, 64> data) {
  SlToVlBits bits = 0;
  for (std::size_t i = 0; i < 8; ++i) bits = bits << 8 | data[i];
  return bits;
}

ArbitrationBlock arbitration_entries(const mad::PortInfo& info, unsigned block,
                                     std::span<const std::uint8_t, 64> data) {
  const std::size_t cap =
      block <= 2 ? info.vl_arbitration_low_cap() : info.vl_arbitration_high_cap();
  const std::size_t first = block % 2 == 0 ? mad::VlArbitrationTable::kEntries : 0;
  ArbitrationBlock out{};
  for (std::size_t i = 0; i < data.size() && first + i / 2 < cap; i += 2) {
    out[i] = data[i] & 0xF;
    out[i + 1] = data[i + 1];
  }
  return out;
}

namespace {

mad::SmpData data_of(SlToVlBits bits) {
  mad::SmpData data{};
  for (std::size_t i = 0; i < 8; ++i) data[i] = static_cast<std::uint8_t>(bits >> (56 - 8 * i));
  return data;
}

/// Everything that stages, and the making of their jobs, need to know.
struct Work {
  const Fabric& fabric;
  routing::VlTargets targets;
  bool use_wildcards;
  VlTables& memory;
  VlRefusals& refusals;

  const Node& node_of(const Job& job) const { return fabric.node_of(job.port); }
  AttributeId attribute(const Job& job) const {
    return job.kind == Job::Kind::arbitration ? AttributeId::vl_arbitration_table
                                              : AttributeId::sl_to_vl_mapping_table;
  }
  std::uint32_t modifier(const Job& job) const {
    const mad::PortNum number =
        node_of(job).is_switch() ? fabric.ports[job.port].number : mad::PortNum{0};
    switch (job.kind) {
      case Job::Kind::mapping:
        return mad::SlToVlMappingTable::modifier(mad::PortNum{job.part}, number);
      case Job::Kind::mapping_all_inputs:
        return mad::SlToVlMappingTable::modifier_all_inputs(number);
      case Job::Kind::mapping_all:
        return mad::SlToVlMappingTable::kModifierAllPairs;
      case Job::Kind::arbitration:
        break;
    }
    return mad::VlArbitrationTable::modifier(static_cast<mad::VlArbitrationTable::Block>(job.part),
                                             number);
  }
  /// The job exists because there is such a table.
  mad::SmpData wanted(const Job& job) const {
    if (job.kind == Job::Kind::arbitration) return *targets.arbitration(job.port, job.part);
    return data_of(*targets.sl_to_vl(job.port, mad::PortNum{job.part}));
  }
  VlRefusals::Table table(const Job& job) const {
    return {node_of(job).guid, attribute(job), modifier(job)};
  }
  bool is_refused(const Job& job) const { return refusals.is_refused(table(job), wanted(job)); }

  /// Calls visit(port, input, wanted) for all tables of a node that there are to be.
  template <class Visit>
  void for_each_mapping(NodeIndex node, Visit&& visit) const {
    const Node& its = fabric.nodes[node];
    const auto ports = static_cast<unsigned>(fabric.ports_of(node).size());
    for (PortIndex out = its.first_port; out < its.first_port + ports; ++out) {
      for (unsigned in = 0; in < (its.is_switch() ? ports : 1u); ++in) {
        const mad::PortNum number{static_cast<std::uint8_t>(in)};
        if (const auto bits = targets.sl_to_vl(out, number)) visit(out, number, *bits);
      }
    }
  }
  template <class Visit>
  void for_each_arbitration(NodeIndex node, Visit&& visit) const {
    const Node& its = fabric.nodes[node];
    for (PortIndex port = its.first_port; port < its.first_port + fabric.ports_of(node).size();
         ++port) {
      for (unsigned block = 1; block <= kArbitrationBlocks; ++block) {
        if (const auto bytes = targets.arbitration(port, block)) visit(port, block, *bytes);
      }
    }
  }
};

/// Jobs as they are found, node by node; in the order in which they are sent once they are taken.
class Jobs {
 public:
  void begin_node() { turn_ = 0; }
  void add(PortIndex port, Job::Kind kind, unsigned part) {
    jobs_.push_back({port, kind, static_cast<std::uint8_t>(part), turn_++});
  }
  std::vector<Job> take() {
    std::ranges::sort(jobs_, {}, [](const Job& job) {
      return std::tuple(job.turn, job.port, job.part, job.kind);
    });
    return std::move(jobs_);
  }

 private:
  std::vector<Job> jobs_;
  std::uint32_t turn_ = 0;
};

/// A wildcard stands for external ports: port 0 has a table of its own, as an end port.
bool is_port_0(const Work& work, PortIndex port) {
  return work.fabric.node_of(port).is_switch() && work.fabric.ports[port].number.value == 0;
}

/// The mapping tables of a switch that are not as they should be, in as few writes as wildcards
/// allow. Refused ones are passed over.
void add_mapping_writes(const Work& work, NodeIndex index, Jobs& jobs) {
  const Node& node = work.fabric.nodes[index];
  const bool wildcards =
      work.use_wildcards && node.is_switch() &&
      work.fabric.switches[node.switch_index].info.optimized_sl_to_vl_mapping_programming() ==
          mad::OptimizedSlToVl::wildcard;
  struct Output {
    PortIndex port;
    unsigned tables = 0, differ = 0;
    std::optional<SlToVlBits> first;
    bool alike = true;
  };
  std::vector<Output> outputs;
  work.for_each_mapping(index, [&](PortIndex out, mad::PortNum in, SlToVlBits bits) {
    if (outputs.empty() || outputs.back().port != out)
      outputs.push_back({.port = out, .first = bits});
    Output& output = outputs.back();
    ++output.tables;
    output.alike = output.alike && bits == output.first;
    output.differ += work.memory.sl_to_vl(out, in) != bits;
  });
  const auto is_welcome = [&](Job::Kind kind, PortIndex out, unsigned part) {
    return !work.is_refused({.port = out, .kind = kind, .part = static_cast<std::uint8_t>(part)});
  };
  const auto add_single = [&](const Output& output) {
    const unsigned inputs = node.is_switch() ? node.num_ports + 1u : 1u;
    for (unsigned in = 0; in < inputs; ++in) {
      const mad::PortNum number{static_cast<std::uint8_t>(in)};
      const auto bits = work.targets.sl_to_vl(output.port, number);
      const bool differs = bits && work.memory.sl_to_vl(output.port, number) != bits;
      if (differs && is_welcome(Job::Kind::mapping, output.port, in))
        jobs.add(output.port, Job::Kind::mapping, in);
    }
  };
  if (!outputs.empty() && is_port_0(work, outputs.front().port)) {
    if (outputs.front().differ > 0) add_single(outputs.front());
    outputs.erase(outputs.begin());
  }
  const auto differing =
      std::ranges::count_if(outputs, [](const Output& output) { return output.differ > 0; });
  if (differing == 0) return;
  const bool all_alike = std::ranges::all_of(outputs, [&](const Output& output) {
    return output.alike && output.first == outputs.front().first;
  });
  if (wildcards && all_alike && differing > 1 &&
      is_welcome(Job::Kind::mapping_all, outputs.front().port, 0)) {
    return jobs.add(outputs.front().port, Job::Kind::mapping_all, 0);
  }
  for (const Output& output : outputs) {
    if (output.differ == 0) continue;
    if (wildcards && output.alike && output.differ > 1 &&
        is_welcome(Job::Kind::mapping_all_inputs, output.port, 0)) {
      jobs.add(output.port, Job::Kind::mapping_all_inputs, 0);
      continue;
    }
    add_single(output);
  }
}

/// One table of each job.
class VlStage : public Stage {
 public:
  VlStage(StageKind kind, Work& work, std::vector<Job> jobs)
      : Stage(kind), work_(work), jobs_(std::move(jobs)) {}

  std::size_t size() const final { return jobs_.size(); }

 protected:
  Write read(std::size_t number) const {
    const Job& job = jobs_[number];
    const Node& node = work_.node_of(job);
    return {.attribute = work_.attribute(job),
            .modifier = work_.modifier(job),
            .port = node.is_switch() ? node.first_port : job.port,
            .data = {}};
  }

  /// `data` is what the table holds.
  void learn(const Job& job, std::span<const std::uint8_t, 64> data) {
    if (job.kind == Job::Kind::arbitration)
      return work_.memory.learn_arbitration(job.port, job.part, entries_of(job, data));
    for_each_mapping_of(job, [&, bits = sl_to_vl_bits(data)](PortIndex out, mad::PortNum in) {
      work_.memory.learn_sl_to_vl(out, in, bits);
    });
  }
  template <class Visit>
  void for_each_mapping_of(const Job& job, Visit&& visit) {
    if (job.kind == Job::Kind::mapping) return visit(job.port, mad::PortNum{job.part});
    work_.for_each_mapping(
        work_.fabric.ports[job.port].node, [&](PortIndex out, mad::PortNum in, SlToVlBits) {
          const bool in_all = job.kind == Job::Kind::mapping_all && !is_port_0(work_, out);
          if (in_all || out == job.port) visit(out, in);
        });
  }

  ArbitrationBlock entries_of(const Job& job, std::span<const std::uint8_t, 64> data) const {
    return arbitration_entries(work_.fabric.ports[job.port].info, job.part, data);
  }

  Work& work_;
  const std::vector<Job> jobs_;
};

class VlReads final : public VlStage {
 public:
  using VlStage::VlStage;
  Write write(std::size_t number) const override { return read(number); }
  void accept(std::size_t number, std::span<const std::uint8_t, 64> data, ApplyReport&) override {
    learn(jobs_[number], data);
  }
  // A table that cannot be read counts as different, is written, and reported if that fails, too.
  bool refuse(std::size_t, std::uint16_t) override { return true; }
};

class VlWrites final : public VlStage {
 public:
  VlWrites(StageKind kind, Work& work, std::vector<Job> jobs, bool& wildcards_refused)
      : VlStage(kind, work, std::move(jobs)), wildcards_refused_(wildcards_refused) {}

  Write write(std::size_t number) const override {
    Write out = read(number);
    out.data = work_.wanted(jobs_[number]);
    out.is_long = is_wildcard(jobs_[number]);
    return out;
  }
  void accept(std::size_t number, std::span<const std::uint8_t, 64> data,
              ApplyReport& report) override {
    const Job& job = jobs_[number];
    const mad::SmpData wanted = work_.wanted(job);
    ++report.writes;
    // What a response to a wildcard shows is nowhere said.
    const bool taken = is_wildcard(job) || (job.kind == Job::Kind::mapping
                                                ? sl_to_vl_bits(data) == sl_to_vl_bits(wanted)
                                                : entries_of(job, data) == wanted);
    learn(job, taken ? std::span<const std::uint8_t, 64>(wanted) : data);
    if (taken) return work_.refusals.forget(work_.table(job));
    work_.refusals.note(work_.table(job), wanted, 0);
  }
  bool refuse(std::size_t number, std::uint16_t status) override {
    const Job& job = jobs_[number];
    work_.refusals.note(work_.table(job), work_.wanted(job), status);
    wildcards_refused_ = wildcards_refused_ || is_wildcard(job);
    return true;
  }
  void lose(std::size_t number) override {
    const Job& job = jobs_[number];
    if (job.kind == Job::Kind::arbitration)
      return work_.memory.forget_arbitration(job.port, job.part);
    for_each_mapping_of(
        job, [&](PortIndex out, mad::PortNum in) { work_.memory.forget_sl_to_vl(out, in); });
  }

 private:
  static bool is_wildcard(const Job& job) {
    return job.kind == Job::Kind::mapping_all || job.kind == Job::Kind::mapping_all_inputs;
  }
  bool& wildcards_refused_;
};

std::vector<Job> reads(const Work& work) {
  Jobs jobs;
  for (const NodeIndex node : work.fabric.nodes.indices()) {
    if (!may_hold_tables(work.fabric, node)) continue;
    jobs.begin_node();
    std::vector<Job> unknown;
    work.for_each_mapping(node, [&](PortIndex out, mad::PortNum in, SlToVlBits) {
      const Job job{.port = out, .kind = Job::Kind::mapping, .part = in.value};
      if (!work.memory.sl_to_vl(out, in) && !work.is_refused(job)) unknown.push_back(job);
    });
    Jobs writes;
    if (!unknown.empty()) add_mapping_writes(work, node, writes);
    if (writes.take().size() < unknown.size()) unknown.clear();
    work.for_each_arbitration(node, [&](PortIndex port, unsigned block, const ArbitrationBlock&) {
      const Job job{
          .port = port, .kind = Job::Kind::arbitration, .part = static_cast<std::uint8_t>(block)};
      if (work.memory.arbitration(port, block) == nullptr && !work.is_refused(job))
        unknown.push_back(job);
    });
    for (const Job& job : unknown) jobs.add(job.port, job.kind, job.part);
  }
  return jobs.take();
}

std::vector<Job> mapping_writes(const Work& work) {
  Jobs jobs;
  for (const NodeIndex node : work.fabric.nodes.indices()) {
    jobs.begin_node();
    add_mapping_writes(work, node, jobs);
  }
  return jobs.take();
}

std::vector<Job> arbitration_writes(const Work& work) {
  Jobs jobs;
  for (const NodeIndex node : work.fabric.nodes.indices()) {
    jobs.begin_node();
    work.for_each_arbitration(node, [&](PortIndex port, unsigned block,
                                        const ArbitrationBlock& bytes) {
      const ArbitrationBlock* held = work.memory.arbitration(port, block);
      if (held != nullptr && *held == bytes) return;
      const Job job{
          .port = port, .kind = Job::Kind::arbitration, .part = static_cast<std::uint8_t>(block)};
      if (!work.is_refused(job)) jobs.add(port, Job::Kind::arbitration, block);
    });
  }
  return jobs.take();
}

/// Mapping before arbitration. Mapping once more if a switch refused a wildcard.
class VlStages final : public StageSource {
 public:
  explicit VlStages(Work work) : work_(std::move(work)) {}

  std::unique_ptr<Stage> next() override {
    if (!arbitration_ && std::exchange(mapping_, false))
      return std::make_unique<VlWrites>(StageKind::sl_to_vl, work_, mapping_writes(work_),
                                        mapping_);
    if (std::exchange(arbitration_, true)) return nullptr;
    return std::make_unique<VlWrites>(StageKind::vl_arbitration, work_, arbitration_writes(work_),
                                      mapping_);
  }

 private:
  Work work_;
  bool mapping_ = true, arbitration_ = false;
};

class VlReadStages final : public StageSource {
 public:
  explicit VlReadStages(Work work) : work_(std::move(work)) {}
  std::unique_ptr<Stage> next() override {
    if (std::exchange(done_, true)) return nullptr;
    return std::make_unique<VlReads>(StageKind::sl_to_vl, work_, reads(work_));
  }

 private:
  Work work_;
  bool done_ = false;
};

}  // namespace

std::unique_ptr<StageSource> vl_reads(const Fabric& fabric, Held& held,
                                      const config::Options& options,
                                      const PublishedRouting& routing) {
  return std::make_unique<VlReadStages>(Work{fabric,
                                             {fabric, options, routing},
                                             options.use_optimized_slvl,
                                             held.vl_tables,
                                             held.vl_refusals});
}

std::unique_ptr<StageSource> vl_stages(const Fabric& fabric, Held& held,
                                       const config::Options& options,
                                       const PublishedRouting& routing) {
  return std::make_unique<VlStages>(Work{fabric,
                                         {fabric, options, routing},
                                         options.use_optimized_slvl,
                                         held.vl_tables,
                                         held.vl_refusals});
}

}  // namespace sm
