// A model of queues with the congestion control that a manager has written to simulated devices:
// what a flow gets that shares a link with a congestion tree. It says nothing about hardware.

#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <deque>
#include <vector>

#include "config/option_files.h"
#include "mad/attributes/congestion_control.h"
#include "sim/laboratory.h"
#include "sim/world/named_counters.h"
#include "sm/congestion/congestion_suggestion.h"
#include "sm/ctl/topology/generators.h"

namespace congestion_model_test {

using namespace laboratory;

/// As devices hold them.
struct Settings {
  unsigned threshold = 0, marking_rate = 0;              // of switches
  unsigned timer = 0, increase = 0, least = 0, top = 0;  // of SL 0 of a CA port
  std::vector<unsigned> pauses;                          // in packet times
};

/// Time goes in slots: of one packet on a link. All links have the same rate. Three hosts at switch
/// A and two at switch B send to one host at B; a sixth host, at A, sends to another host at B.
/// Switches have a FIFO for each input, with credits for kBuffer packets.
class Model {
 public:
  static constexpr std::size_t kRemote = 3, kLocal = 2, kVictim = kRemote, kAtA = kRemote + 1,
                               kFlows = kAtA + kLocal, kBuffer = 32;
  static constexpr unsigned kFeedbackSlots = 8;
  static constexpr double kTicksPerSlot = 0.5;  // 2048 bytes at 32 Gbit/s, 1.024 us

  explicit Model(const Settings* settings) : settings_(settings) {}

  /// Returns the share of a link's rate that each flow has.
  std::array<double, kFlows> run(unsigned slots, unsigned warm_up) {
    for (unsigned slot = 0; slot < warm_up + slots; ++slot) {
      if (slot == warm_up) delivered_ = {};
      now_ = slot;
      deliver_at_b();
      forward_at_a();
      inject();
      recover();
    }
    std::array<double, kFlows> shares{};
    for (std::size_t flow = 0; flow < kFlows; ++flow) shares[flow] = delivered_[flow] / slots;
    return shares;
  }

 private:
  struct Source {
    unsigned index = 0, pause = 0;
    double timer = 0;
    std::deque<unsigned> notices;  // slots in which a notification arrives
  };
  struct Output {
    std::size_t turn = 0;
    unsigned since_mark = 0;
  };
  using Fifo = std::deque<std::size_t>;  // flows of packets

  /// A packet of the flow leaves by an output for which `queued` packets wait.
  void mark(std::size_t flow, Output& output, std::size_t queued) {
    if (settings_ == nullptr || settings_->threshold == 0) return;
    const std::size_t limit = kBuffer * (16 - settings_->threshold) / 16;
    if (queued < limit || output.since_mark++ < settings_->marking_rate) return;
    output.since_mark = 0;
    sources_[flow].notices.push_back(now_ + kFeedbackSlots);
  }

  void deliver_at_b() {
    std::array<Fifo*, 1 + kLocal> inputs{&trunk_, &at_b_[0], &at_b_[1]};
    std::array<bool, 1 + kLocal> has_sent{};
    for (const bool hot : {true, false}) {
      Output& output = hot ? hot_ : cold_;
      std::size_t queued = 0;
      for (const Fifo* const input : inputs)
        queued += static_cast<std::size_t>(
            std::ranges::count_if(*input, [&](std::size_t f) { return (f != kVictim) == hot; }));
      for (std::size_t tried = 0; tried < inputs.size(); ++tried) {
        const std::size_t at = (output.turn + tried) % inputs.size();
        if (has_sent[at] || inputs[at]->empty() || (inputs[at]->front() != kVictim) != hot)
          continue;
        const std::size_t flow = inputs[at]->front();
        inputs[at]->pop_front();
        has_sent[at] = true;
        output.turn = at + 1;
        ++delivered_[flow];
        mark(flow, output, queued);
        break;
      }
    }
  }

  void forward_at_a() {
    if (trunk_.size() >= kBuffer) return;  // no credits: a victim of congestion does not mark
    std::size_t queued = 0;
    for (const Fifo& input : at_a_) queued += input.size();
    for (std::size_t tried = 0; tried < kAtA; ++tried) {
      const std::size_t at = (to_b_.turn + tried) % kAtA;
      if (at_a_[at].empty()) continue;
      at_a_[at].pop_front();
      trunk_.push_back(at);
      to_b_.turn = at + 1;
      return mark(at, to_b_, queued);
    }
  }

  void inject() {
    for (std::size_t flow = 0; flow < kFlows; ++flow) {
      Source& source = sources_[flow];
      Fifo& input = flow < kAtA ? at_a_[flow] : at_b_[flow - kAtA];
      if (source.pause > 0) {
        --source.pause;
      } else if (input.size() < kBuffer) {
        input.push_back(flow);
        source.pause = settings_ == nullptr ? 0 : settings_->pauses[source.index];
      }
    }
  }

  void recover() {
    if (settings_ == nullptr) return;
    for (Source& source : sources_) {
      for (; !source.notices.empty() && source.notices.front() <= now_; source.notices.pop_front())
        source.index = std::min(source.index + settings_->increase, settings_->top);
      source.timer += kTicksPerSlot;
      if (source.timer < settings_->timer) continue;
      source.timer = 0;
      if (source.index > settings_->least) --source.index;
    }
  }

  const Settings* settings_;  // null: no congestion control
  unsigned now_ = 0;
  std::array<Source, kFlows> sources_{};
  std::array<Fifo, kAtA> at_a_;
  std::array<Fifo, kLocal> at_b_;
  Fifo trunk_;
  Output to_b_, hot_, cold_;
  std::array<double, kFlows> delivered_{};
};

/// What a manager with the suggested options has written.
Settings written_settings() {
  Solo lab(topology::xgft({.children = {4, 2}, .parents = {1, 1}, .cables = {}}));
  lab.options.sweep_interval = 300;
  lab.options.audit_interval = 0;
  lab.start();
  EXPECT_TRUE(lab.comes_up()) << lab.tail();
  std::string text;
  for (const sm::SuggestedLine& line :
       sm::suggest_congestion(sm::congestion_facts(*lab.status().subnet)))
    text += line.option + " " + line.value + "\n";
  config::Diagnostics findings;
  config::parse_opensm_conf({"opensm.conf", text}, lab.options, findings);
  EXPECT_TRUE(findings.empty()) << text;
  lab.heddle().reload(lab.options);
  lab.runtime.run_for(10s);
  const auto held = [&](sim::PortIndex port, mad::CongestionControlAttribute attribute,
                        std::uint32_t modifier = 0) -> const mad::GmpData& {
    return lab.model.extras(port).raw[{
        sim::raw_key(mad::MgmtClass::congestion_control, static_cast<std::uint16_t>(attribute)),
        modifier}];
  };
  using Id = mad::CongestionControlAttribute;
  using Switch = mad::SwitchCongestionSettingFields;
  using Entry = mad::CaCongestionEntryFields;
  const auto& of_switch = held(lab.port("S1-0", 0), Id::switch_congestion_setting);
  const auto entry = std::span(held(lab.port("H1"), Id::ca_congestion_setting)).subspan<4, 8>();
  Settings settings{.threshold = mad::get_field<unsigned, Switch, "Threshold">(of_switch),
                    .marking_rate = mad::get_field<unsigned, Switch, "MarkingRate">(of_switch),
                    .timer = mad::get_field<unsigned, Entry, "CCTITimer">(entry),
                    .increase = mad::get_field<unsigned, Entry, "CCTIIncrease">(entry),
                    .least = mad::get_field<unsigned, Entry, "CCTIMin">(entry),
                    .top = mad::get_field<unsigned, mad::CongestionControlTableFields, "CCTILimit">(
                        held(lab.port("H1"), Id::congestion_control_table)),
                    .pauses = {}};
  for (unsigned at = 0; at <= settings.top; ++at)
    settings.pauses.push_back(
        mad::get_field<unsigned, mad::CongestionControlTableEntryFields, "Multiplier">(
            std::span(held(lab.port("H1"), Id::congestion_control_table, at / 64))
                .subspan(4 + 2 * (at % 64), 2)));
  return settings;
}

TEST(CongestionModel, AFlowBesideACongestionTreeGetsMoreOfItsLink) {
  const Settings settings = written_settings();
  ASSERT_EQ(settings.pauses.size(), 128u);
  ASSERT_EQ(settings.threshold, 15u);
  constexpr unsigned kSlots = 50'000, kWarmUp = 20'000;
  const auto without = Model(nullptr).run(kSlots, kWarmUp),
             with = Model(&settings).run(kSlots, kWarmUp);
  const auto hot = [](const auto& shares) {
    double sum = 0;
    for (std::size_t flow = 0; flow < Model::kFlows; ++flow)
      sum += flow == Model::kVictim ? 0 : shares[flow];
    return sum;
  };
  std::printf(
      "congestion model: the flow beside 5 senders to one host gets %.2f of a link without "
      "and %.2f with congestion control; that host's link is used %.2f and %.2f\n",
      without[Model::kVictim], with[Model::kVictim], hot(without), hot(with));
  EXPECT_LT(without[Model::kVictim], 0.15) << "1/9: its packets wait behind those to the host";
  EXPECT_GT(with[Model::kVictim], 2 * without[Model::kVictim]);
  EXPECT_GT(hot(with), 0.7) << "the congested link stays used";
}

}  // namespace congestion_model_test
