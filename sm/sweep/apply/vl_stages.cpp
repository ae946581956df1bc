#include "sm/sweep/apply/vl_stages.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "mad/attributes/port_tables.h"
#include "mad/format.h"
#include "sm/sweep/apply/vl_jobs.h"

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

/// Sends one request for the table of each job.
class VlStage : public Stage {
 public:
  VlStage(StageKind kind, VlWork& work, std::vector<VlJob> jobs)
      : Stage(kind), work_(work), jobs_(std::move(jobs)) {}

  std::size_t size() const final { return jobs_.size(); }

 protected:
  Write read(std::size_t number) const {
    const VlJob& job = jobs_[number];
    const Node& node = work_.owning_node(job);
    return {.attribute = work_.attribute(job),
            .modifier = work_.modifier(job),
            .port = node.is_switch() ? node.first_port : job.port,
            .data = {}};
  }

  /// Stores `data`, which the table holds.
  void learn(const VlJob& job, std::span<const std::uint8_t, 64> data) {
    if (job.kind == VlJob::Kind::arbitration)
      return work_.memory.learn_arbitration(job.port, job.part, read_entries(job, data));
    for_each_mapping_of(job, [&, bits = sl_to_vl_bits(data)](PortIndex out, mad::PortNum in) {
      work_.memory.learn_sl_to_vl(out, in, bits);
    });
  }
  template <class Visit>
  void for_each_mapping_of(const VlJob& job, Visit&& visit) {
    if (job.kind == VlJob::Kind::mapping) return visit(job.port, mad::PortNum{job.part});
    work_.for_each_pair(
        work_.fabric.ports[job.port].node, [&](PortIndex out, mad::PortNum in, SlToVlBits) {
          const bool in_all = job.kind == VlJob::Kind::mapping_all && !work_.is_port_0(out);
          if (in_all || out == job.port) visit(out, in);
        });
  }

  ArbitrationBlock read_entries(const VlJob& job, std::span<const std::uint8_t, 64> data) const {
    return arbitration_entries(work_.fabric.ports[job.port].info, job.part, data);
  }

  VlWork& work_;
  const std::vector<VlJob> jobs_;
};

class VlReads final : public VlStage {
 public:
  using VlStage::VlStage;
  Write write(std::size_t number) const override { return read(number); }
  mad::Method method() const override { return mad::Method::get; }
  void accept(std::size_t number, std::span<const std::uint8_t, 64> data, ApplyReport&) override {
    learn(jobs_[number], data);
  }
  // A table that cannot be read counts as different, is written, and reported if that fails.
  bool refuse(std::size_t, std::uint16_t) override { return true; }
};

/// Counts the outcome of wildcards.
struct Wildcards {
  std::set<NodeIndex> acknowledged, failed;
};

class VlWrites final : public VlStage {
 public:
  VlWrites(StageKind kind, VlWork& work, std::vector<VlJob> jobs, Wildcards& wildcards)
      : VlStage(kind, work, std::move(jobs)), wildcards_(wildcards) {}

  Write write(std::size_t number) const override {
    Write out = read(number);
    out.data = work_.wanted(jobs_[number]);
    out.is_long = jobs_[number].is_wildcard();
    return out;
  }
  void accept(std::size_t number, std::span<const std::uint8_t, 64> data,
              ApplyReport& report) override {
    const VlJob& job = jobs_[number];
    const mad::SmpData wanted = work_.wanted(job);
    ++report.writes;
    if (job.is_wildcard()) {  // what its response shows is nowhere said
      wildcards_.acknowledged.insert(node(job));
      return learn(job, wanted);
    }
    const bool taken = job.kind == VlJob::Kind::mapping
                           ? sl_to_vl_bits(data) == sl_to_vl_bits(wanted)
                           : read_entries(job, data) == wanted;
    learn(job, taken ? std::span<const std::uint8_t, 64>(wanted) : data);
    if (taken) return work_.refusals.forget(work_.table(job));
    work_.refusals.note(work_.table(job), wanted, 0);
  }
  bool refuse(std::size_t number, std::uint16_t status) override {
    const VlJob& job = jobs_[number];
    if (job.is_wildcard())
      wildcards_.failed.insert(node(job));
    else
      work_.refusals.note(work_.table(job), work_.wanted(job), status);
    return true;
  }
  void lose(std::size_t number) override {
    const VlJob& job = jobs_[number];
    if (job.kind == VlJob::Kind::arbitration)
      return work_.memory.forget_arbitration(job.port, job.part);
    for_each_mapping_of(
        job, [&](PortIndex out, mad::PortNum in) { work_.memory.forget_sl_to_vl(out, in); });
  }

 private:
  NodeIndex node(const VlJob& job) const { return work_.fabric.ports[job.port].node; }
  Wildcards& wildcards_;
};

/// Reads a sample of what wildcards were to write.
class VlChecks final : public VlStage {
 public:
  VlChecks(VlWork& work, std::vector<VlJob> jobs, Wildcards& wildcards)
      : VlStage(StageKind::sl_to_vl, work, std::move(jobs)), wildcards_(wildcards) {}

  mad::Method method() const override { return mad::Method::get; }
  Write write(std::size_t number) const override {
    Write out = read(number);
    out.data = work_.wanted(jobs_[number]);  // the expected response
    return out;
  }
  void accept(std::size_t number, std::span<const std::uint8_t, 64> data,
              ApplyReport& report) override {
    const VlJob& job = jobs_[number];
    if (sl_to_vl_bits(data) == sl_to_vl_bits(work_.wanted(job))) return;
    const NodeIndex node = work_.fabric.ports[job.port].node;
    if (wildcards_.failed.insert(node).second)
      report.refusals.push_back(
          fmt::format("{} acknowledges wildcards of SLtoVLMappingTable and holds something else: "
                      "its tables are written one by one",
                      work_.fabric.name(node)));
  }
  bool refuse(std::size_t number, std::uint16_t) override {
    wildcards_.failed.insert(work_.fabric.ports[jobs_[number].port].node);
    return true;
  }
  void lose(std::size_t number) override {
    work_.memory.forget_sl_to_vl(jobs_[number].port, mad::PortNum{jobs_[number].part});
  }

 private:
  Wildcards& wildcards_;
};

/// Writes mapping before arbitration. After wildcards it reads a sample back. Tables of switches
/// that refuse wildcards, or hold other content, are written one by one.
class VlStages final : public StageSource {
 public:
  explicit VlStages(VlWork work) : work_(std::move(work)) {}

  std::unique_ptr<Stage> next() override {
    switch (std::exchange(step_, static_cast<Step>(static_cast<int>(step_) + 1))) {
      case Step::mapping:
        return writes(StageKind::sl_to_vl, mapping_writes(work_, work_.nodes));
      case Step::check:
        return std::make_unique<VlChecks>(work_, mapping_samples(work_, acknowledged()),
                                          wildcards_);
      case Step::singles:
        return writes(StageKind::sl_to_vl, mapping_writes(work_, without_wildcards()));
      case Step::arbitration:
        return writes(StageKind::vl_arbitration, arbitration_writes(work_));
      case Step::end:
        break;
    }
    step_ = Step::end;
    return nullptr;
  }

 private:
  enum class Step : std::uint8_t { mapping, check, singles, arbitration, end };

  std::unique_ptr<Stage> writes(StageKind kind, std::vector<VlJob> jobs) {
    return std::make_unique<VlWrites>(kind, work_, std::move(jobs), wildcards_);
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
      work_.refusals.note_no_wildcards(work_.fabric.nodes[node].guid);
      work_.for_each_pair(node, [&](PortIndex out, mad::PortNum in, SlToVlBits) {
        if (!work_.is_port_0(out)) work_.memory.forget_sl_to_vl(out, in);
      });
    }
    return {wildcards_.failed.begin(), wildcards_.failed.end()};
  }

  VlWork work_;
  Wildcards wildcards_;
  Step step_ = Step::mapping;
};

class VlReadStages final : public StageSource {
 public:
  explicit VlReadStages(VlWork work) : work_(std::move(work)) {}
  std::unique_ptr<Stage> next() override {
    if (!std::exchange(begun_, true)) {
      jobs_ = vl_reads_of(work_, sampled_);
      return std::make_unique<VlReads>(StageKind::sl_to_vl, work_, jobs_);
    }
    accept_samples();
    return nullptr;
  }

 private:
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
  bool begun_ = false;
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
