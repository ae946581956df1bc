// Sweeper: what a manager does that succeeds another one.

#include <algorithm>
#include <utility>

#include "mad/format.h"
#include "sm/sweep/apply/port_stages.h"
#include "sm/sweep/sweeper.h"

namespace sm {
namespace asio = boost::asio;

void Sweeper::begin_with(std::shared_ptr<const Subnet> subnet) {
  state_.subnet = std::move(subnet);
  state_.routing = {};
  state_.kept = {};
  state_.trees.router.reset();
  state_.trees.groups.clear();
  state_.trees.limits.clear();
  state_.trees.has_credit_loop = false;
}

asio::awaitable<void> Sweeper::announce_master(SharedContext context, Survey& survey,
                                               std::uint64_t reregistration,
                                               mad::Lid known_manager) {
  const Busy busy(running_);
  Target target;
  load_stored(*context, state_, environment_.log);
  const std::function<void()> assign = [&] {
    target.lids = decide_lids(*context, state_, survey.fabric).lids;
  };
  co_await environment_.compute(assign);
  target.m_keys = state_.m_keys.policy();
  target.known_manager = known_manager;
  target.reregister_clients = reregistration != 0;
  const std::unique_ptr<Stage> stage =
      master_lid_stage(survey.fabric, state_.devices, target, context->options);
  ApplyReport report;
  const ApplyOptions how = environment_.apply_options();
  // The stage is empty if the manager's own LID changes; then the sweep writes MasterSMLID.
  if (stage->size() == 0) co_return;
  if (!co_await forget_origins_are_complete(context)) co_return;
  state_.succession.announced = state_.devices.reregistering;
  co_await send(environment_.client, how, survey.fabric, mad::Method::set, *stage, report);
  std::erase_if(state_.succession.announced,
                [&](mad::Guid port) { return state_.devices.reregistering.contains(port); });
  state_.succession.clients_led = reregistration;
  state_.reregister_vports = state_.reregister_vports || reregistration != 0;
  log_detail(environment_.log, "{} of {} end ports know that this manager is MASTER", report.writes,
             stage->size());
}

/// Ports that have the LID of this manager do not show any more that another one was master. The
/// file must not say then that this manager has decided their tables. Returns false if it cannot be
/// written: the sweep, which stores what ports keep, announces this manager.
asio::awaitable<bool> Sweeper::forget_origins_are_complete(SharedContext context) {
  PKeyOrigins& origins = state_.p_keys;
  if (!std::exchange(origins.known.is_complete, false) && origins.text.empty()) co_return true;
  const std::uint64_t revision = context->runtime ? context->runtime->revision() : 0;
  tl::expected<void, std::string> written;
  const std::function<void()> store = [&] {
    written = store_key_origins(origins, *context, revision);
  };
  co_await environment_.compute(store);
  if (!written)
    environment_.log.warn("{}; end ports learn from the sweep that this manager is MASTER",
                          written.error());
  co_return written.has_value();
}

std::vector<mad::Guid> Sweeper::acknowledged(const config::Options& options) const {
  const Fabric& fabric = state_.subnet->fabric;
  std::vector<mad::Guid> ports;
  ports.reserve(fabric.end_ports.size());
  for (const PortIndex index : fabric.end_ports) {
    const Port& port = fabric.ports[index];
    const bool gets_none =
        options.no_clients_rereg ||
        (port.info.capability_mask() & mad::capability::kClientReregistration) == 0;
    if ((gets_none || !state_.devices.reregistering.contains(port.guid)) &&
        !state_.awaits_vports(port))
      ports.push_back(port.guid);
  }
  return ports;
}

/// Managers do not share keys that follow from the seed. This derives the keys of the ports that
/// have LIDs, so that they help to find the last ports that do not show their GUIDs.
void Sweeper::adopt(Guid2Lid lids, Guid2MKey m_keys) {
  if (state_.m_keys.has_versions()) {
    const MKeyPolicy policy = state_.m_keys.policy();
    for (const Guid2Lid::Entry& entry : lids.entries)
      m_keys.try_emplace(entry.guid, policy.key(entry.guid));
  }
  if (!lids.entries.empty()) state_.succession.lids = std::move(lids);
  state_.m_keys.adopt(m_keys);
}

}  // namespace sm
