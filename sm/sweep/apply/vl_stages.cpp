#include "sm/sweep/apply/vl_stages.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "mad/attributes/port_tables.h"
#include "mad/format.h"
#include "sm/sweep/apply/vl_jobs.h"
#include "sm/sweep/devices/stage_requests.h"

namespace sm {

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

using Data = std::span<const std::uint8_t, 64>;

Write read_request(const VlWork& work, const VlJob& job) {
  const Node& node = work.owning_node(job);
  return {.attribute = work.attribute(job),
          .modifier = work.modifier(job),
          .port = node.is_switch() ? node.first_port : job.port,
          .data = {}};
}
/// Returns a request with the content that the table is to have.
Write write_request(const VlWork& work, const VlJob& job) {
  Write out = read_request(work, job);
  out.data = work.wanted(job);
  return out;
}

NodeIndex node_index(const VlWork& work, const VlJob& job) {
  return work.fabric.ports[job.port].node;
}

ArbitrationBlock read_entries(const VlWork& work, const VlJob& job, Data data) {
  return arbitration_entries(work.fabric.ports[job.port].info, job.part, data);
}

template <class Visit>
void for_each_mapping_of(const VlWork& work, const VlJob& job, Visit&& visit) {
  if (job.kind == VlJob::Kind::mapping) return visit(job.port, mad::PortNum{job.part});
  work.for_each_pair(node_index(work, job), [&](PortIndex out, mad::PortNum in, SlToVlBits) {
    const bool in_all = job.kind == VlJob::Kind::mapping_all && !work.is_port_0(out);
    if (in_all || out == job.port) visit(out, in);
  });
}

/// Stores `data`, which the table holds.
void learn(VlWork& work, const VlJob& job, Data data) {
  if (job.kind == VlJob::Kind::arbitration)
    return work.memory.learn_arbitration(job.port, job.part, read_entries(work, job, data));
  for_each_mapping_of(work, job, [&, bits = sl_to_vl_bits(data)](PortIndex out, mad::PortNum in) {
    work.memory.learn_sl_to_vl(out, in, bits);
  });
}

/// Counts the outcome of wildcards.
struct Wildcards {
  std::set<NodeIndex> acknowledged, failed;
};

std::unique_ptr<Stage> table_writes(StageKind kind, VlWork& work, std::vector<VlJob> jobs,
                                    Wildcards& wildcards) {
  const auto accept = [&](const VlJob& job, Data data, ApplyReport& report) {
    const mad::SmpData wanted = work.wanted(job);
    ++report.writes;
    if (job.is_wildcard()) {  // what its response shows is nowhere said
      wildcards.acknowledged.insert(node_index(work, job));
      return learn(work, job, wanted);
    }
    const bool taken = job.kind == VlJob::Kind::mapping
                           ? sl_to_vl_bits(data) == sl_to_vl_bits(wanted)
                           : read_entries(work, job, data) == wanted;
    learn(work, job, taken ? Data(wanted) : data);
    if (taken)
      work.refusals.forget(work.subject(job));
    else
      work.refusals.note(work.subject(job), wanted, 0);
  };
  const auto refuse = [&](const VlJob& job, std::uint16_t status) {
    if (job.is_wildcard())
      wildcards.failed.insert(node_index(work, job));
    else
      work.refusals.note(work.subject(job), work.wanted(job), status);
    return true;
  };
  const auto lose = [&](const VlJob& job) {
    if (job.kind == VlJob::Kind::arbitration)
      return work.memory.forget_arbitration(job.port, job.part);
    for_each_mapping_of(
        work, job, [&](PortIndex out, mad::PortNum in) { work.memory.forget_sl_to_vl(out, in); });
  };
  const auto request = [&](const VlJob& job) {
    Write out = write_request(work, job);
    out.is_long = job.is_wildcard();
    return out;
  };
  return std::make_unique<Requests<VlJob>>(
      kind, mad::Method::set, std::move(jobs), request,
      Outcomes<VlJob>{.accept = accept, .refuse = refuse, .lose = lose});
}

/// Reads a sample of what wildcards were to write.
std::unique_ptr<Stage> wildcard_checks(VlWork& work, std::vector<VlJob> jobs,
                                       Wildcards& wildcards) {
  const auto accept = [&](const VlJob& job, Data data, ApplyReport& report) {
    if (sl_to_vl_bits(data) == sl_to_vl_bits(work.wanted(job))) return;
    const NodeIndex node = node_index(work, job);
    if (wildcards.failed.insert(node).second)
      report.refusals.push_back(
          fmt::format("{} acknowledges wildcards of SLtoVLMappingTable and holds something else: "
                      "its tables are written one by one",
                      work.fabric.name(node)));
  };
  return make_reads<VlJob>(StageKind::sl_to_vl, std::move(jobs),
                           [&](const VlJob& job) { return write_request(work, job); },
                           {.accept = accept,
                            .refuse =
                                [&](const VlJob& job, std::uint16_t) {
                                  wildcards.failed.insert(node_index(work, job));
                                  return true;
                                },
                            .lose =
                                [&](const VlJob& job) {
                                  work.memory.forget_sl_to_vl(job.port, mad::PortNum{job.part});
                                }});
}

/// Writes mapping before arbitration. After wildcards it reads a sample back. Tables of switches
/// that refuse wildcards, or hold other content, are written one by one.
class VlStages final : public Steps {
 public:
  explicit VlStages(VlWork work)
      : Steps({once([this] {
                 return writes(StageKind::sl_to_vl, mapping_writes(work_, work_.nodes));
               }),
               once([this] {
                 return wildcard_checks(work_, mapping_samples(work_, acknowledged()), wildcards_);
               }),
               once([this] {
                 return writes(StageKind::sl_to_vl, mapping_writes(work_, without_wildcards()));
               }),
               once([this] {
                 return writes(StageKind::vl_arbitration, arbitration_writes(work_));
               })}),
        work_(std::move(work)) {}

 private:
  std::unique_ptr<Stage> writes(StageKind kind, std::vector<VlJob> jobs) {
    return table_writes(kind, work_, std::move(jobs), wildcards_);
  }
  std::vector<NodeIndex> acknowledged() const {
    std::vector<NodeIndex> nodes;
    std::ranges::set_difference(wildcards_.acknowledged, wildcards_.failed,
                                std::back_inserter(nodes));
    return nodes;
  }
  /// Returns the switches that failed, after it has forgotten their mapping tables.
  std::vector<NodeIndex> without_wildcards() {
    for (const NodeIndex node : wildcards_.failed) {
      work_.refusals.note(work_.wildcards(node), mad::SmpData{}, 0);
      work_.refusals.defer(work_.wildcards(node));
      work_.for_each_pair(node, [&](PortIndex out, mad::PortNum in, SlToVlBits) {
        if (!work_.is_port_0(out)) work_.memory.forget_sl_to_vl(out, in);
      });
    }
    return {wildcards_.failed.begin(), wildcards_.failed.end()};
  }

  VlWork work_;
  Wildcards wildcards_;
};

class VlReadStages final : public Steps {
 public:
  explicit VlReadStages(VlWork work)
      : Steps({once([this] { return reads(); }), once([this]() -> std::unique_ptr<Stage> {
                 accept_samples();
                 return nullptr;
               })}),
        work_(std::move(work)) {}

 private:
  std::unique_ptr<Stage> reads() {
    jobs_ = vl_reads_of(work_, sampled_);
    return make_reads<VlJob>(
        StageKind::sl_to_vl, jobs_, [this](const VlJob& job) { return read_request(work_, job); },
        {.accept = [this](const VlJob& job, Data data, ApplyReport&) { learn(work_, job, data); },
         // A table that cannot be read counts as different, is written, and reported if that fails.
         .refuse = [](const VlJob&, std::uint16_t) { return true; }});
  }

  /// If the whole sample of a switch matches, its other tables count as matching, too.
  void accept_samples() {
    std::set<NodeIndex> right(sampled_.begin(), sampled_.end());
    for (const VlJob& job : jobs_)
      if (job.kind == VlJob::Kind::mapping && !work_.is_as_wanted(job.port, mad::PortNum{job.part}))
        right.erase(work_.fabric.ports[job.port].node);
    for (const NodeIndex node : right) {
      work_.for_each_mapping(node, [&](PortIndex out, mad::PortNum in, SlToVlBits bits) {
        if (!work_.memory.sl_to_vl(out, in)) work_.memory.learn_sl_to_vl(out, in, bits);
      });
    }
    sampled_.clear();
  }

  VlWork work_;
  std::vector<VlJob> jobs_;
  std::vector<NodeIndex> sampled_;
};

}  // namespace

std::unique_ptr<StageSource> vl_reads(const Fabric& fabric, DeviceState& devices,
                                      const config::Options& options,
                                      const PublishedRouting& routing,
                                      const std::vector<SwitchIndex>* only) {
  return std::make_unique<VlReadStages>(VlWork{fabric, devices, options, routing, only});
}

std::unique_ptr<StageSource> vl_stages(const Fabric& fabric, DeviceState& devices,
                                       const config::Options& options,
                                       const PublishedRouting& routing,
                                       const std::vector<SwitchIndex>* only) {
  return std::make_unique<VlStages>(VlWork{fabric, devices, options, routing, only});
}

}  // namespace sm
