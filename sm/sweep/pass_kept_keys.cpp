// Pass: P_Keys of unknown origin.

#include <utility>

#include "mad/format.h"
#include "sm/conditions/manager_conditions.h"
#include "sm/sweep/apply/vport_stages.h"
#include "sm/sweep/decide/vport_decision.h"
#include "sm/sweep/devices/key_origins.h"
#include "sm/sweep/pass.h"

namespace sm {
namespace asio = boost::asio;

namespace {

/// Returns the LID of the own port by the files; 0 if they do not have it.
mad::Lid persisted_lid(const StoredState& stored, const Fabric& fabric) {
  if (fabric.sm_port == kNoIndex) return {};
  const Guid2Lid::Entry* const entry = stored.guid2lid().find(fabric.ports[fabric.sm_port].guid);
  return entry == nullptr ? mad::Lid{} : entry->first;
}

}  // namespace

tl::expected<void, std::string> store_key_origins(PKeyOrigins& origins, const SweepContext& context,
                                                  std::uint64_t revision) {
  const config::Options& options = context.options;
  origins.saved_revision.reset();
  std::string text = key_origins_text(origins.known, revision);
  if (text != origins.text) {
    const auto written =
        save_key_origins(options.cache_files_dir, text, options.fsync_high_avail_files);
    if (!written) return written;
    origins.text = std::move(text);
  }
  origins.saved_revision = revision;
  return {};
}

void load_key_origins(const SweepContext& context, State& state, spdlog::logger& log) {
  if (state.p_keys.is_loaded) return;
  const std::uint64_t revision = context.runtime ? context.runtime->revision() : 0;
  take_key_origins(sm::load_key_origins(context.options.cache_files_dir, revision), state, log);
}

void take_key_origins(LoadedKeyOrigins loaded, State& state, spdlog::logger& log) {
  state.p_keys.is_loaded = true;
  for (const std::string& message : loaded.messages) log.warn("{}", message);
  const partitions::Configuration since = std::move(state.p_keys.known.former);
  state.p_keys.known = std::move(loaded.origins);
  note_configuration(state.p_keys.known, since);
  state.p_keys.text = std::move(loaded.text);
}

/// Decides which P_Keys of unknown origin stay. A table of which only the first block was read
/// counts as known: the pass reads it to its end where it may have such a key.
partitions::KeptDecision Pass::decide_kept(const Fabric& fabric) const {
  const DeviceState& devices = state_.devices;
  const partitions::KeyOrigins& known = origins_ ? *origins_ : state_.p_keys.known;
  std::vector<partitions::VPortTable> vports;
  if (survey_ || !known.is_complete || !known.pending.empty() || !known.kept.empty())
    vports = vport_tables(fabric, devices.vports);
  std::function<bool(PortIndex)> has_unread;
  if (virtualization_setting(context_->options) != VirtualizationSetting::ignore)
    has_unread = [&](PortIndex port) { return has_unread_vports(fabric, port, devices.vports); };
  const auto is_new = [&](mad::Guid guid) {
    if (!survey_) return false;
    if (state_.succession.is_first || !before_) return true;
    const auto place = before_->fabric.port_of_guid.find(guid);
    return place == before_->fabric.port_of_guid.end() ||
           !before_->fabric.ports[place->second].known;
  };
  const partitions::ObservedTables observed{.fabric = fabric,
                                            .is_known =
                                                [&](PortIndex port) {
                                                  return devices.is_waiting_for_p_keys(port) ||
                                                         devices.knows_p_keys(fabric, port);
                                                },
                                            .vports = vports,
                                            .own_lid = persisted_lid(state_.stored, fabric),
                                            .is_new = is_new,
                                            .has_unread_vports = has_unread};
  return partitions::decide_kept_keys(known, observed, context_->partitioning, context_->options,
                                      context_->runtime.get());
}

/// Stores the kept P_Keys before the others are removed. Without kept keys, a failure only means
/// that the next start keeps what it does not know.
asio::awaitable<void> Pass::save_kept(const partitions::KeptDecision& kept) {
  PKeyOrigins& origins = state_.p_keys;
  const bool is_same = kept.kept == origins.known.kept && kept.pending == origins.known.pending;
  if (is_same && !survey_ && !request_.p_keys) co_return;
  tl::expected<void, std::string> written;
  const std::function<void()> store = [&] {
    const bool is_published = origins.kept ? *origins.kept == kept.kept : kept.kept.empty();
    if (!is_published)
      origins.kept =
          kept.kept.empty() ? nullptr : std::make_shared<const partitions::KeptKeys>(kept.kept);
    if (!is_same) origins.known.kept = kept.kept;
    origins.known.pending = kept.pending;
    const bool was_complete = origins.known.is_complete;
    origins.known.is_complete = was_complete || survey_.has_value();
    if (survey_) origins.known.is_shared = false;
    const bool has_changed_former = note_decided(origins.known, context_->partitioning);
    const std::uint64_t revision = context_->runtime ? context_->runtime->revision() : 0;
    if (is_same && was_complete == origins.known.is_complete && !has_changed_former &&
        origins.saved_revision == revision)
      return;
    written = store_key_origins(origins, *context_, revision);
  };
  co_await compute(store);
  std::vector<Condition> active;
  if (!written && !kept.kept.empty())
    active.push_back({.id = kManagerConditions.store_failed,
                      .text = fmt::format("{}; P_Keys of unknown origin are kept in memory only",
                                          written.error())});
  environment_.conditions.set_active(ConditionSource::p_key_store, std::move(active));
}

}  // namespace sm
