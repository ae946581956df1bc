#include "soak/flood.h"

#include <algorithm>

#include "sim/world/world.h"

namespace soak {
namespace {

using std::chrono_literals::operator""ms;

constexpr mad::Duration kPause = 5ms;  // between two MADs

}  // namespace

Flood::Flood(sim::VirtualRuntime& runtime, sim::World& world, sim::PortIndex port, const Plan& plan)
    : runtime_(runtime),
      world_(world),
      attachment_(world.attach(port)),
      make_(std::ranges::find(floods::kKinds, plan.kind,
                              [](const floods::Kind& kind) { return std::string_view(kind.name); })
                ->make),
      end_(runtime.now() + plan.lasts),
      dice_(plan.seed) {
  send();
}

void Flood::send() {
  if (runtime_.now() >= end_) return;
  const sim::PortModel& port = world_.model.ports[attachment_->port()];
  const mad::Lid manager = port.info.master_sm_lid();
  if (port.info.port_state() == mad::PortState::active && is_unicast(manager)) {
    const floods::Mad bytes = make_(dice_, {port.info.gid_prefix(), port.guid});
    const bool is_sa = bytes[1] == to_raw(mad::MgmtClass::sa);
    attachment_->send(bytes,
                      is_sa ? mad::MadAddress{.lid = manager, .qpn = 1, .qkey = mad::kQp1QKey}
                            : mad::MadAddress{.lid = manager},
                      0);
  }
  runtime_.after(kPause, [this, alive = std::weak_ptr(alive_)] {
    if (const auto still = alive.lock(); still && *still) send();
  });
}

}  // namespace soak
