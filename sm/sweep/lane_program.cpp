#include "sm/sweep/lane_program.h"

#include <algorithm>
#include <tuple>

#include "mad/attributes/sl_to_vl.h"
#include "mad/attributes/vl_arbitration.h"
#include "mad/format.h"
#include "sm/sweep/stage.h"

namespace sm {
namespace {

using mad::AttributeId;

/// One table, or with a wildcard several that are to be alike.
struct Job {
  enum class Kind : std::uint8_t { mapping, mapping_all_inputs, mapping_all, arbitration };
  PortIndex port = kNoIndex;  // that packets leave by
  Kind kind = Kind::mapping;
  std::uint8_t part = 0;  // the input port's number, or the block
  std::uint32_t turn =
      0;  // jobs of one node go one after the other, so that neighbours in time are different nodes
};

mad::SmpData data_of(SlToVlBits bits) {
  mad::SmpData data{};
  for (std::size_t i = 0; i < 8; ++i) data[i] = static_cast<std::uint8_t>(bits >> (56 - 8 * i));
  return data;
}
SlToVlBits bits_of(std::span<const std::uint8_t, 64> data) {
  SlToVlBits bits = 0;
  for (std::size_t i = 0; i < 8; ++i) bits = bits << 8 | data[i];
  return bits;
}

/// Everything that both stages, and the making of their jobs, need to know.
struct Work {
  const Fabric& fabric;
  const routing::VlTargets& targets;
  bool use_wildcards;
  VlTables& memory;
  LaneRefusals& refusals;

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
  LaneRefusals::Table table(const Job& job) const {
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
  const auto differing =
      std::ranges::count_if(outputs, [](const Output& output) { return output.differ > 0; });
  if (differing == 0) return;
  const auto is_welcome = [&](Job::Kind kind, PortIndex out, unsigned part) {
    return !work.is_refused({.port = out, .kind = kind, .part = static_cast<std::uint8_t>(part)});
  };
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
    const unsigned inputs = node.is_switch() ? node.num_ports + 1u : 1u;
    for (unsigned in = 0; in < inputs; ++in) {
      const mad::PortNum number{static_cast<std::uint8_t>(in)};
      const auto bits = work.targets.sl_to_vl(output.port, number);
      const bool differs = bits && work.memory.sl_to_vl(output.port, number) != bits;
      if (differs && is_welcome(Job::Kind::mapping, output.port, in))
        jobs.add(output.port, Job::Kind::mapping, in);
    }
  }
}

class LaneStage : public Stage {
 public:
  LaneStage(const ApplyOptions& options, const Work& work, std::string_view what,
            const std::vector<Job>& jobs, ApplyReport& report)
      : Stage(options, work.fabric, what, jobs.size(), report), work_(work), jobs_(jobs) {}

 protected:
  PortIndex fill(std::size_t job, mad::SmpRequest& request) override {
    request.attribute = work_.attribute(jobs_[job]);
    request.modifier = work_.modifier(jobs_[job]);
    const Node& node = work_.node_of(jobs_[job]);
    return node.is_switch() ? node.first_port : jobs_[job].port;
  }
  NodeIndex node_of(std::size_t job) const override { return fabric_.ports[jobs_[job].port].node; }

  /// `data` is what the table holds.
  void learn(const Job& job, std::span<const std::uint8_t, 64> data) {
    if (job.kind == Job::Kind::arbitration)
      return work_.memory.learn_arbitration(job.port, job.part, entries_of(job, data));
    for_each_mapping_of(job, [&, bits = bits_of(data)](PortIndex out, mad::PortNum in) {
      work_.memory.learn_sl_to_vl(out, in, bits);
    });
  }
  template <class Visit>
  void for_each_mapping_of(const Job& job, Visit&& visit) {
    if (job.kind == Job::Kind::mapping) return visit(job.port, mad::PortNum{job.part});
    work_.for_each_mapping(fabric_.ports[job.port].node,
                           [&](PortIndex out, mad::PortNum in, SlToVlBits) {
                             if (job.kind == Job::Kind::mapping_all || out == job.port)
                               visit(out, in);
                           });
  }

  /// Without reserved bits, and without what lies behind the end of the table.
  ArbitrationBlock entries_of(const Job& job, std::span<const std::uint8_t, 64> data) const {
    const mad::PortInfo& info = fabric_.ports[job.port].info;
    const std::size_t cap =
        job.part <= 2 ? info.vl_arbitration_low_cap() : info.vl_arbitration_high_cap();
    const std::size_t first = job.part % 2 == 0 ? mad::VlArbitrationTable::kEntries : 0;
    ArbitrationBlock out{};
    for (std::size_t i = 0; i < data.size() && first + i / 2 < cap; i += 2) {
      out[i] = data[i] & 0xF;
      out[i + 1] = data[i + 1];
    }
    return out;
  }

  const Work& work_;
  const std::vector<Job>& jobs_;
};

class ReadLanes final : public LaneStage {
 public:
  using LaneStage::LaneStage;

 private:
  void accept(std::size_t job, std::span<const std::uint8_t, 64> data) override {
    learn(jobs_[job], data);
  }
  bool refused(std::size_t, const mad::SmpRequest&, const mad::SmpReply&) override {
    return true;
  }  // then it is written, and reported if that fails too
};

class WriteLanes final : public LaneStage {
 public:
  using LaneStage::LaneStage;
  bool wildcards_refused = false;

 private:
  PortIndex fill(std::size_t job, mad::SmpRequest& request) override {
    request.method = mad::Method::set;
    request.data = work_.wanted(jobs_[job]);
    return LaneStage::fill(job, request);
  }
  void accept(std::size_t number, std::span<const std::uint8_t, 64> data) override {
    const Job& job = jobs_[number];
    const mad::SmpData wanted = work_.wanted(job);
    ++report_.writes;
    // What a response to a wildcard shows is nowhere said.
    const bool taken =
        is_wildcard(job) || (job.kind == Job::Kind::mapping ? bits_of(data) == bits_of(wanted)
                                                            : entries_of(job, data) == wanted);
    learn(job, taken ? std::span<const std::uint8_t, 64>(wanted) : data);
    if (taken) return work_.refusals.forget(work_.table(job));
    work_.refusals.note(work_.table(job), wanted, 0);
  }
  bool refused(std::size_t number, const mad::SmpRequest&, const mad::SmpReply& reply) override {
    const Job& job = jobs_[number];
    work_.refusals.note(work_.table(job), work_.wanted(job), reply.status);
    wildcards_refused = wildcards_refused || is_wildcard(job);
    return true;
  }
  /// It may have done it or not.
  void give_up(std::size_t number) override {
    const Job& job = jobs_[number];
    if (job.kind == Job::Kind::arbitration)
      return work_.memory.forget_arbitration(job.port, job.part);
    for_each_mapping_of(
        job, [&](PortIndex out, mad::PortNum in) { work_.memory.forget_sl_to_vl(out, in); });
  }
  static bool is_wildcard(const Job& job) {
    return job.kind == Job::Kind::mapping_all || job.kind == Job::Kind::mapping_all_inputs;
  }
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

}  // namespace

bool may_hold_tables(const Fabric& fabric, NodeIndex index) {
  const Node& node = fabric.nodes[index];
  if (node.is_switch()) return fabric.switches[node.switch_index].info.linear_fdb_top() != 0;
  return std::ranges::any_of(fabric.ports_of(index), [](const Port& port) {
    return port.known && port.info.port_state() >= mad::PortState::armed;
  });
}

void LaneRefusals::forget(mad::Guid node) {
  std::erase_if(refused_, [node](const auto& entry) { return entry.first.node == node; });
}

bool LaneRefusals::is_refused(const Table& table, const mad::SmpData& wanted) const {
  const auto place = refused_.find(table);
  return place != refused_.end() && place->second.wanted == wanted;
}

std::vector<std::string> LaneRefusals::texts(const Fabric& fabric, bool with_status) const {
  std::vector<std::string> out;
  for (auto first = refused_.begin(); first != refused_.end();) {
    std::size_t tables = 0;
    auto last = first;
    std::uint16_t status = 0;
    for (; last != refused_.end() && last->first.node == first->first.node &&
           last->first.attribute == first->first.attribute;
         ++last) {
      // Who refuses a wildcard gets the tables one by one.
      if (last->first.attribute == AttributeId::sl_to_vl_mapping_table &&
          last->first.modifier >> 16 != 0)
        continue;
      status = last->second.status;
      ++tables;
    }
    const auto node = fabric.node_of_guid.find(first->first.node);
    if (tables > 0 && node != fabric.node_of_guid.end() && (status == 0 || with_status)) {
      const std::string how = status == 0 ? "acknowledges them and holds something else"
                                          : fmt::format("refuses them with status {:#06x}", status);
      out.push_back(
          fmt::format("{} does not take {} of its tables ({}): it {}; they are not sent again "
                      "until they are to be others, or it restarts",
                      fabric.name(node->second), tables, mad::name(first->first.attribute), how));
    }
    first = last;
  }
  return out;
}

boost::asio::awaitable<ApplyReport> program_lanes(mad::SmpClient& client,
                                                  const ApplyOptions& options, const Fabric& fabric,
                                                  const routing::VlTargets& targets,
                                                  bool use_wildcards, VlTables& memory,
                                                  LaneRefusals& refusals) {
  ApplyReport report;
  if (!targets.any()) co_return report;
  const Work work{fabric, targets, use_wildcards, memory, refusals};
  if (const std::vector<Job> jobs = reads(work); !jobs.empty()) {
    ApplyReport of_reading;  // what cannot be read counts as different, and will be written
    ReadLanes stage(options, work, "virtual lane tables read", jobs, of_reading);
    co_await client.exchange(stage);
  }
  for (bool again = true; again;) {
    const std::vector<Job> jobs = mapping_writes(work);
    WriteLanes stage(options, work, "SL to VL tables written", jobs, report);
    co_await client.exchange(stage);
    again = stage.wildcards_refused;
  }
  if (const std::vector<Job> jobs = arbitration_writes(work); !jobs.empty()) {
    WriteLanes stage(options, work, "VL arbitration tables written", jobs, report);
    co_await client.exchange(stage);
  }
  co_return report;
}

}  // namespace sm
