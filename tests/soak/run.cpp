#include "soak/run.h"

#include <algorithm>

#include <fmt/ranges.h>

#include "sim/laboratory.h"
#include "sim/scenario/scenario.h"
#include "soak/bounds.h"
#include "soak/clients.h"
#include "soak/converged.h"
#include "soak/flood.h"

namespace soak {
namespace {

using laboratory::Instance;
using laboratory::Laboratory;
using std::chrono_literals::operator""ms;
using std::chrono_literals::operator""s;

constexpr std::uint16_t kVPortCap = 8;
constexpr mad::Duration kLightSweepInterval = 250ms;  // interval of the checks
constexpr mad::Duration kQuiet = 3s;                  // the checks must succeed for so long
constexpr mad::Duration kAuditMore = 10s;             // sweeps of what an audit found

class Run {
 public:
  Run(const Draw& draw, const Hooks& hooks)
      : draw_(draw),
        hooks_(hooks),
        lab_(draw.topology, draw.seed),
        managers_(draw.managers.size(), nullptr),
        options_(draw.options),
        clients_(lab_.runtime, lab_.world, client_ports(), draw.seed) {
    lab_.world.trace = hooks.trace;
    for (const VPortPlan& plan : draw.vports) {
      const sim::PortIndex port = port_of(plan.node);
      if (!sim::find_vport(lab_.model.ports[port], 0))
        sim::enable_virtualization(lab_.world, port, kVPortCap);
      sim::create_vport(lab_.world, port, plan.index, plan.options);
    }
  }

  Outcome play() {
    Outcome outcome;
    try {
      start_first();
      for (std::size_t number = 0; number < draw_.phases.size(); ++number) {
        const Phase& phase = draw_.phases[number];
        if (hooks_.phase) hooks_.phase(label(number));
        let_happen(phase);
        const mad::TimePoint end = lab_.runtime.now();
        std::string wrong = converge(bound_of(draw_, phase));
        if (wrong.empty()) {
          outcome.converged.push_back(lab_.runtime.now() - kQuiet - end);
          wrong = deep_complaint(lab_, managers_, clients_);
        }
        if (wrong.empty()) continue;
        outcome.failure = label(number) + wrong;
        break;
      }
    } catch (const std::exception& error) {
      outcome.failure = fmt::format("exception: {}", error.what());
    }
    if (!outcome.failure.empty()) outcome.details = details();
    return outcome;
  }

 private:
  std::vector<sim::PortIndex> client_ports() const {
    std::vector<sim::PortIndex> ports;
    for (const std::size_t node : draw_.clients) ports.push_back(port_of(node));
    return ports;
  }
  sim::PortIndex port_of(std::size_t node) const { return lab_.port(sim::NodeIndex(node)); }
  /// "phase 2 [2 managers; flap hang; reload]: "
  std::string label(std::size_t number) const {
    const Phase& phase = draw_.phases[number];
    return fmt::format("phase {} [{} manager{}; {}{}]: ", number + 1, managers_.size(),
                       managers_.size() == 1 ? "" : "s", fmt::join(phase.kinds, " "), steps(phase));
  }
  static std::string steps(const Phase& phase) {
    std::string text;
    for (const Step& step : phase.steps)
      text += (text.empty() ? "; " : " ") + std::string(name(step.act));
    return text;
  }

  void start(std::size_t which) {
    config::Options options = options_;
    options.sm_priority = draw_.managers[which].priority;
    Instance*& instance = managers_[which];
    if (instance == nullptr) {
      instance = &lab_.start(port_of(draw_.managers[which].node), options);
    } else if (!instance->runs()) {
      instance->start(options);
    }
  }
  void start_first() {
    for (std::size_t which = 0; which < managers_.size(); ++which) {
      if (!draw_.managers[which].runs_at_first) continue;
      if (const mad::TimePoint when = began_ + draw_.managers[which].starts_after;
          when > lab_.runtime.now())
        lab_.runtime.run_for(when - lab_.runtime.now());
      start(which);
    }
  }

  void let_happen(const Phase& phase) {
    clients_.set_busy(true);
    sim::RandomScenario faults{.from = {},
                               .until = phase.faults_for,
                               .mean_interval = phase.mean_interval,
                               .kinds = phase.kinds,
                               .spare = {}};
    for (const ManagerPlace& place : draw_.managers) {
      if (faults.spare.empty() || !draw_.faults_at_standbys)
        faults.spare.push_back(sim::NodeIndex(place.node));
    }
    sim::random_scenario(lab_.model, phase.fault_seed, faults).schedule(lab_.world);
    const mad::TimePoint begin = lab_.runtime.now();
    const auto run_to = [&](mad::Duration at) {
      if (const mad::TimePoint when = begin + at; when > lab_.runtime.now())
        lab_.runtime.run_for(when - lab_.runtime.now());
    };
    for (const Step& step : phase.steps) {
      run_to(step.at);
      lab_.world.log("step: {}", name(step.act));
      act(step);
    }
    run_to(phase.faults_for);
    clients_.set_busy(false);
    floods_.clear();
    const bool corrupt = std::ranges::find(phase.kinds, "corrupt") != phase.kinds.end();
    if (corrupt) clients_.register_again();
    // Only an audit shows what was read wrongly.
    if (corrupt || std::ranges::find(phase.kinds, "lie") != phase.kinds.end())
      lab_.runtime.run_for(kAuditInterval + kAuditMore);
  }

  void act(const Step& step) {
    switch (step.act) {
      case Act::reload:
        options_ = step.options;
        for (std::size_t which = 0; which < managers_.size(); ++which) {
          if (managers_[which] == nullptr || !managers_[which]->runs()) continue;
          config::Options options = options_;
          options.sm_priority = draw_.managers[which].priority;
          managers_[which]->reload(options);
        }
        return;
      case Act::restart:
        if (managers_[step.manager] != nullptr && managers_[step.manager]->runs()) {
          managers_[step.manager]->stop();
          start(step.manager);
        }
        return;
      case Act::stop:
        if (managers_[step.manager] != nullptr) managers_[step.manager]->stop();
        return;
      case Act::start:
        return start(step.manager);
      case Act::remove:
        return remove_device(step);
      case Act::flood:
        floods_.push_back(std::make_unique<Flood>(
            lab_.runtime, lab_.world, port_of(step.node),
            Flood::Plan{.kind = flood_kinds(draw_.options.m_key != 0)[step.kind],
                        .lasts = step.lasts,
                        .seed = draw_.seed + floods_.size()}));
        return;
    }
  }

  /// The host has no power, so that nothing that the manager sends at its end arrives.
  void remove_device(const Step& step) {
    const sim::NodeIndex node{draw_.managers[step.manager].node};
    lab_.world.power(node, false);
    lab_.runtime.after(step.lasts, [this, node] { lab_.world.power(node, true); });
    if (managers_[step.manager] != nullptr) managers_[step.manager]->stop();
  }

  /// Runs until the checks have succeeded for kQuiet. "", or the last complaint at the bound.
  ///
  /// Path records count like all else: after a fault that leaves no trace in the ports, such as an
  /// answer that was a lie, the tables may be right while what the manager believes is not. It
  /// finds that by what repeats its reads (the next attempt of a sweep with errors, an audit),
  /// which is what the bound of the fault consists of. They are asked for last, since a request
  /// costs more than a look at the model.
  std::string converge(mad::Duration bound) {
    const mad::TimePoint end = lab_.runtime.now() + bound;
    std::string wrong;
    for (;;) {
      wrong = complaint(lab_, managers_, clients_, !draw_.vports.empty());
      if (wrong.empty()) {
        lab_.runtime.run_for(kQuiet);
        wrong = complaint(lab_, managers_, clients_, !draw_.vports.empty());
        if (wrong.empty()) wrong = paths_complaint(lab_, managers_, clients_);
        if (wrong.empty()) wrong = conditions_complaint(lab_, managers_, !draw_.vports.empty());
        if (wrong.empty()) return "";
        wrong += " (again)";
      }
      if (lab_.runtime.now() >= end) break;
      lab_.runtime.run_for(kLightSweepInterval);
    }
    return fmt::format("not converged within {} s: {}",
                       std::chrono::duration_cast<std::chrono::seconds>(bound).count(), wrong);
  }

  std::string details() const {
    std::string text = describe(draw_);
    text += fmt::format("  now: {:.3f} s after the start\n",
                        std::chrono::duration<double>(lab_.runtime.now() - began_).count());
    for (std::size_t which = 0; which < managers_.size(); ++which) {
      if (managers_[which] == nullptr) continue;
      text += fmt::format("---- log of manager {}{}\n{}\n", which,
                          managers_[which]->runs() ? "" : " (does not run)",
                          hooks_.whole_logs ? managers_[which]->log() : managers_[which]->tail());
    }
    return text;
  }

  const Draw& draw_;
  const Hooks& hooks_;
  Laboratory lab_;
  const mad::TimePoint began_ = sim::EventQueue::kStart;
  Managers managers_;
  config::Options options_;
  Clients clients_;
  std::vector<std::unique_ptr<Flood>> floods_;
};

}  // namespace

Outcome run(const Draw& draw, const Hooks& hooks) { return Run(draw, hooks).play(); }

}  // namespace soak
