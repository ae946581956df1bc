// Sets the SLs whose packets a CA that reorders packets accepts out of order.

#include <algorithm>

#include "mad/attributes/vendor.h"
#include "sm/sweep/apply/adaptive_stages.h"

namespace sm {
namespace {

/// Gets or sets MlnxExtPortInfo. No request can fail a sweep: without the setting a CA takes
/// packets in order, and drops those that overtake others.
class OutOfOrderStage final : public Stage {
 public:
  OutOfOrderStage(const Fabric& fabric, DeviceState& devices, std::vector<Write> requests,
                  bool sets)
      : Stage(StageKind::reordering),
        fabric_(fabric),
        devices_(devices),
        requests_(std::move(requests)),
        sets_(sets) {}

  std::size_t size() const override { return requests_.size(); }
  Write write(std::size_t number) const override { return requests_[number]; }
  mad::Method method() const override { return sets_ ? mad::Method::set : mad::Method::get; }
  void accept(std::size_t number, std::span<const std::uint8_t, 64> data,
              ApplyReport& report) override {
    const Port& port = fabric_.ports[requests_[number].port];
    devices_.adaptive.cas[fabric_.nodes[port.node].guid].info_of_port[port.number.value] =
        mad::MlnxExtPortInfo(data);
    devices_.fdr10.update(fabric_, requests_[number].port, mad::MlnxExtPortInfo(data));
    if (sets_) ++report.writes;
  }
  bool refuse(std::size_t number, std::uint16_t) override {
    lose(number);
    return true;
  }
  /// The device is not queried again before it restarts.
  void lose(std::size_t number) override {
    devices_.adaptive.cas[fabric_.owning_node(requests_[number].port).guid].reorders = false;
  }

 private:
  const Fabric& fabric_;
  DeviceState& devices_;
  const std::vector<Write> requests_;
  const bool sets_;
};

class ReorderingStages final : public StageSource {
 public:
  ReorderingStages(const Fabric& fabric, DeviceState& devices, const Target& target,
                   const config::Options& options, bool only_reads)
      : fabric_(fabric),
        devices_(devices),
        target_(target),
        options_(options),
        steps_(only_reads ? 1 : 2) {}

  std::unique_ptr<Stage> next() override {
    if (step_ == steps_) return nullptr;
    const bool sets = step_++ == 1;
    return std::make_unique<OutOfOrderStage>(fabric_, devices_, requests(sets), sets);
  }

 private:
  std::vector<Write> requests(bool sets) const {
    const AdaptiveSettings settings = adaptive_settings(options_);
    const std::uint16_t mask =
        target_.adaptive != nullptr && settings.choose ? settings.sl_mask : std::uint16_t{0};
    std::vector<Write> out;
    for (const auto& [guid, ca] : devices_.adaptive.cas) {
      const auto node = fabric_.node_of_guid.find(guid);
      if (!ca.reorders || node == fabric_.node_of_guid.end()) continue;
      for (const Port& port : fabric_.node_ports(node->second)) {
        if (!port.known || !port.is_up()) continue;
        Write request{.attribute = mad::MlnxExtPortInfo::kId,
                      .modifier = mad::MlnxExtPortInfo::modifier(port.number),
                      .port = fabric_.port(node->second, port.number),
                      .data = {}};
        const auto known = ca.info_of_port.find(port.number.value);
        if (!sets) {
          if (known == ca.info_of_port.end() && mask != 0) out.push_back(request);
          continue;
        }
        if (known == ca.info_of_port.end() || known->second.ooo_sl_mask() == mask) continue;
        mad::MlnxExtPortInfo wanted = known->second;
        wanted.set_state_change_enable(0);  // no change of speeds
        wanted.set_ooo_sl_mask(mask);
        std::ranges::copy(wanted.bytes(), request.data.begin());
        out.push_back(request);
      }
    }
    return out;
  }

  const Fabric& fabric_;
  DeviceState& devices_;
  const Target& target_;
  const config::Options& options_;
  const unsigned steps_;
  unsigned step_ = 0;
};

}  // namespace

std::unique_ptr<StageSource> reordering_stages(const Fabric& fabric, DeviceState& devices,
                                               const Target& target,
                                               const config::Options& options) {
  return std::make_unique<ReorderingStages>(fabric, devices, target, options, false);
}

std::unique_ptr<StageSource> reordering_reads(const Fabric& fabric, DeviceState& devices,
                                              const Target& target,
                                              const config::Options& options) {
  return std::make_unique<ReorderingStages>(fabric, devices, target, options, true);
}

}  // namespace sm
