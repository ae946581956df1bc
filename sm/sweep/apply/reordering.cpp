// Sets the SLs whose packets a CA that reorders packets accepts out of order.

#include <algorithm>

#include "mad/attributes/vendor.h"
#include "sm/sweep/apply/adaptive_stages.h"

namespace sm {
namespace {

/// Gets or sets MlnxExtPortInfo. No request can fail a sweep: packets to a CA that is not known to
/// have the setting keep their order.
class OutOfOrderStage final : public Stage {
 public:
  OutOfOrderStage(StageKind kind, const Fabric& fabric, DeviceState& devices,
                  std::vector<Write> requests, mad::Method method)
      : Stage(kind),
        fabric_(fabric),
        devices_(devices),
        requests_(std::move(requests)),
        method_(method) {}

  std::size_t size() const override { return requests_.size(); }
  Write write(std::size_t number) const override { return requests_[number]; }
  mad::Method method() const override { return method_; }
  bool may_fail() const override { return true; }
  void accept(std::size_t number, std::span<const std::uint8_t, 64> data,
              ApplyReport& report) override {
    const PortIndex port = requests_[number].port;
    ca(number).info_of_port[fabric_.ports[port].number.value] = mad::MlnxExtPortInfo(data);
    devices_.fdr10.update(fabric_, port, mad::MlnxExtPortInfo(data));
    if (method_ == mad::Method::set) ++report.writes;
  }
  bool refuse(std::size_t number, std::uint16_t) override {
    lose(number);
    return true;
  }
  /// The setting that the port has now is not known.
  void lose(std::size_t number) override {
    ca(number).info_of_port.erase(fabric_.ports[requests_[number].port].number.value);
    ca(number).missing = mad::MlnxExtPortInfo::kId;
  }

 private:
  ReorderingDevice& ca(std::size_t number) {
    return devices_.adaptive.cas[fabric_.owning_node(requests_[number].port).guid];
  }

  const Fabric& fabric_;
  DeviceState& devices_;
  const std::vector<Write> requests_;
  const mad::Method method_;
};

class ReorderingStages final : public StageSource {
 public:
  ReorderingStages(const Fabric& fabric, DeviceState& devices, const Target& target,
                   const config::Options& options, Reordering part)
      : fabric_(fabric), devices_(devices), part_(part), mask_(wanted_mask(target, options)) {}

  std::unique_ptr<Stage> next() override {
    switch (step_++) {
      case 0:
        return stage(mad::Method::get, reads());
      case 1:
        if (part_ == Reordering::read) return nullptr;
        return stage(mad::Method::set, writes());
      default:
        return nullptr;
    }
  }

 private:
  static std::uint16_t wanted_mask(const Target& target, const config::Options& options) {
    const AdaptiveSettings settings = adaptive_settings(options);
    return target.adaptive != nullptr && settings.choose ? settings.sl_mask : std::uint16_t{0};
  }
  std::unique_ptr<Stage> stage(mad::Method method, std::vector<Write> requests) {
    const StageKind kind =
        part_ == Reordering::withdraw ? StageKind::reordering_withdrawal : StageKind::reordering;
    return std::make_unique<OutOfOrderStage>(kind, fabric_, devices_, std::move(requests), method);
  }

  /// Calls `visit` with each port of a CA that reorders, and what is known of it, or null.
  template <class Visit>
  void for_each_port(Visit visit) const {
    for (const auto& [guid, ca] : devices_.adaptive.cas) {
      const auto node = fabric_.node_of_guid.find(guid);
      if (!ca.reorders || ca.is_missing() || node == fabric_.node_of_guid.end()) continue;
      for (const Port& port : fabric_.node_ports(node->second)) {
        if (!port.known || !port.is_up()) continue;
        const auto known = ca.info_of_port.find(port.number.value);
        visit(Write{.attribute = mad::MlnxExtPortInfo::kId,
                    .modifier = mad::MlnxExtPortInfo::modifier(port.number),
                    .port = fabric_.port(node->second, port.number),
                    .data = {}},
              known == ca.info_of_port.end() ? nullptr : &known->second);
      }
    }
  }

  std::vector<Write> reads() const {
    std::vector<Write> out;
    if (mask_ == 0) return out;
    for_each_port([&](const Write& request, const mad::MlnxExtPortInfo* known) {
      if (known == nullptr) out.push_back(request);
    });
    return out;
  }

  std::vector<Write> writes() const {
    std::vector<Write> out;
    for_each_port([&](Write request, const mad::MlnxExtPortInfo* known) {
      if (known == nullptr) return;
      const auto mask = static_cast<std::uint16_t>(
          part_ == Reordering::withdraw ? mask_ : known->ooo_sl_mask() | mask_);
      if (known->ooo_sl_mask() == mask) return;
      mad::MlnxExtPortInfo wanted = *known;
      wanted.set_state_change_enable(0);  // no change of speeds
      wanted.set_ooo_sl_mask(mask);
      std::ranges::copy(wanted.bytes(), request.data.begin());
      out.push_back(request);
    });
    return out;
  }

  const Fabric& fabric_;
  DeviceState& devices_;
  const Reordering part_;
  const std::uint16_t mask_;
  unsigned step_ = 0;
};

}  // namespace

std::unique_ptr<StageSource> reordering_stages(const Fabric& fabric, DeviceState& devices,
                                               const Target& target, const config::Options& options,
                                               Reordering part) {
  return std::make_unique<ReorderingStages>(fabric, devices, target, options, part);
}

}  // namespace sm
