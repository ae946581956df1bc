#include "soak/bounds.h"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>

#include "sm/sa/administrator.h"

namespace soak {
namespace {

using std::chrono_literals::operator""s;

/// Sweep intervals are drawn up to 10 s: a change that no trap reported is found after that time.
/// A sweep that left errors is repeated after 1, 2, 4, ... 30 s (kRetryLast in manager.cpp); faults
/// of 15 s bring that to 8 s, and two such phases in a row to 30 s. A shorter kRetryLast lowers all
/// the bounds of 45 s.
constexpr std::array kBounds{
    Bound{"flap", 20s, "the trap may be lost with the link: one light sweep, then a sweep"},
    Bound{"bounce", 20s, "as flap"},
    Bound{"loss", 45s, "a sweep that left errors is repeated after 30 s at most"},
    Bound{"delay", 45s, "as loss"},
    Bound{"duplicate", 20s, "changes nothing by itself; clients' requests are repeated after 2 s"},
    Bound{"corrupt", 60s,
          "as loss, and then an audit, which finds what was written and read wrongly"},
    Bound{"reboot", 45s, "a switch takes traps and requests with it, so sweeps end with errors"},
    Bound{"leave", 20s, "as flap"},
    Bound{"hang", 45s, "no trap reports its end: a sweep with errors is repeated"},
    Bound{"slow", 45s, "as loss"},
    Bound{"serial", 45s, "as loss: what does not fit into its queue is dropped"},
    Bound{"lie", 60s, "as corrupt"},
    Bound{"bad-status", 45s, "as loss"},
    Bound{"lose-tables", 20s, "no trap; the light sweep sees SwitchInfo"},
    Bound{"no-traps", 20s, "one light sweep, then a sweep"},
    Bound{"refuse", 45s, "retry of rejected settings after 5, 10, 20 s"},
    Bound{"keep-value", 20s, "changes nothing that is checked"},
    Bound{"foreign-key", 60s, "read again with growing pauses, up to 30 s, and then an audit"},
    Bound{"vport-rebind", 20s, "the trap may be lost: one light sweep"},
    Bound{"vport-guid", 20s, "as vport-rebind"},
    Bound{"driver-reload", 20s, "as vport-rebind"},
    Bound{"vport-migrate", 20s, "as vport-rebind; the new place waits until the old one is gone"},
    Bound{"vport-slow", 45s, "as loss: an answer may take longer than all tries"},
    Bound{"vport-refuse", 45s, "what was refused is tried again after a change or a pause"},
    Bound{"reload", 5s, "at once, a sweep without faults"},
    Bound{"restart", 10s, "a first sweep, and clients that register again"},
    Bound{"stop", 10s, "the same by a standby, after it has noticed"},
    Bound{"start", 10s, "one more standby, or a first sweep"},
    Bound{"remove", 45s, "as reboot of its host, and a first sweep or that of a standby"},
    Bound{"flood", 20s, "requests that were dropped are repeated after 2 s, some of them twice"},
};

}  // namespace

std::span<const Bound> bounds() { return kBounds; }

mad::Duration bound_of(std::string_view fault) {
  const auto found = std::ranges::find(kBounds, fault, &Bound::fault);
  if (found == kBounds.end()) throw std::invalid_argument("no bound for " + std::string(fault));
  return found->time;
}

mad::Duration bound_of(const Draw& draw, const Phase& phase) {
  mad::Duration faults = 10s;  // without any: the first start
  for (const std::string& kind : phase.kinds) faults = std::max(faults, bound_of(kind));
  mad::Duration steps{};
  for (const Step& step : phase.steps) steps = std::max(steps, bound_of(name(step.act)));
  mad::Duration takeover{};
  // Then members that left under the other manager are dropped.
  if (draw.managers.size() > 1)
    takeover = std::chrono::milliseconds(draw.options.sminfo_polling_timeout) *
                   (draw.options.polling_retry_number + 1) +
               sa::Administrator::kReregistration;
  return faults + steps + takeover;
}

}  // namespace soak
