// Restores earlier registrations: this manager's from its files, another one's from the replicated
// state or OpenSM's dump. Some members may be stale.

#include <algorithm>
#include <filesystem>

#include "mad/format.h"
#include "sm/conditions/manager_conditions.h"
#include "sm/sa/administrator.h"
#include "sm/sa/registrations/sa_db.h"
#include "sm/store/atomic_file.h"

namespace sa {

namespace {

constexpr unsigned kDumpMode = 0600;  // it holds ServiceKeys
constexpr std::size_t kDumpBytesMax = std::size_t{256} << 20;

/// True if some end port has another port's LID as MasterSMLID: another manager was master since
/// this one ended, or since the one with LID `known`.
bool had_another_manager(const fabric::Fabric& fabric, mad::Lid known = {}) {
  if (fabric.sm_port == fabric::kNoIndex) return false;
  const mad::Lid own = fabric.ports[fabric.sm_port].info.lid();
  return std::ranges::any_of(fabric.end_ports, [&](fabric::PortIndex port) {
    const mad::PortInfo& info = fabric.ports[port].info;
    return info.port_state() == mad::PortState::active && info.master_sm_lid() != mad::Lid{} &&
           info.master_sm_lid() != own && info.master_sm_lid() != known;
  });
}

}  // namespace

struct Administrator::Files {
  tl::expected<RegistrationStore::Loaded, std::string> loaded;
};

void Administrator::prepare(const fabric::Subnet& subnet, const sm::SweepContext& context) {
  const config::Options& options = context.options;
  const bool first = !std::exchange(loaded_, true);
  const bool taken_over = reregistration_ != 0;
  const bool returns = !first && !converged_;  // the own port was down: another one may have led
  if (first) {
    if (!files_) read_files(options);
    begin_with(std::move(*std::exchange(files_, nullptr)));
  }
  const bool adopted = adopted_.has_value();
  if (adopted) begin_with(*std::exchange(adopted_, std::nullopt), subnet.fabric, options);
  note_recent_ends(subnet);  // before their aliases are forgotten
  std::vector<std::string> lines;
  notices_.report_groups(reconcile_groups(registrations_, subnet, options, lines));
  for (const std::string& line : lines) log_.error("{}", line);
  if (first && !options.sa_db_file.empty()) {
    restore_dump(subnet, options);
  } else if (!adopted && ((first && taken_over) ||
                          ((first || returns) && had_another_manager(subnet.fabric)))) {
    mark_members_stale();
  }
  begin_purge(subnet, options, first ? Absent::after_load : Absent::between_sweeps);
  applied_vports_ = subnet.vports;
}

bool Administrator::has_read_files() const { return loaded_ || files_ != nullptr; }

void Administrator::read_files(const config::Options& options) {
  const std::filesystem::path dir = options.cache_files_dir;
  files_ = std::make_shared<Files>(
      Files{.loaded = RegistrationStore::load(dir, options.fsync_high_avail_files)});
  if (files_->loaded) make_gids_canonical(files_->loaded->registrations, options.subnet_prefix);
}

/// A port that the journal does not have as acknowledged is asked to register again: all ports, if
/// the journal begins now or is damaged.
void Administrator::begin_with(Files files) {
  auto& loaded = files.loaded;
  if (!loaded) {
    log_.error("{}; registrations are kept in memory only, and are lost at the next start",
               loaded.error());
    return;
  }
  for (const std::string& message : loaded->messages) log_.error("{}", message);
  registrations_ = std::move(loaded->registrations);
  commits_.keep_in(std::move(loaded->store));
}

void Administrator::begin_with(AdoptedState adopted, const fabric::Fabric& fabric,
                               const config::Options& options) {
  registrations_ = std::move(adopted.registrations);
  make_gids_canonical(registrations_, options.subnet_prefix);
  commits_.replace_all();
  reregistration_ = 0;
  known_manager_ = adopted.complete ? adopted.manager_lid : mad::Lid{};
  if (!adopted.complete || had_another_manager(fabric, adopted.manager_lid)) mark_members_stale();
}

void Administrator::merge(std::span<const std::string> lines) {
  Registrations& target = adopted_ ? adopted_->registrations : registrations_;
  for (const std::string& line : lines) static_cast<void>(apply_line(target, line));
  if (!adopted_) commit();
}

/// Restores OpenSM's dump, written by another manager or by an OpenSM that ran here before.
void Administrator::restore_dump(const fabric::Subnet& subnet, const config::Options& options) {
  const std::string& path = options.sa_db_file;
  const auto text = sm::read_file(path, kDumpBytesMax);
  if (!text) return log_.error("{}", text.error());
  if (!*text) return log_.warn("sa_db_file {} does not exist", path);
  const ParsedSaDb parsed = parse_sa_db(**text);
  for (const sm::FileError& error : parsed.errors)
    log_.error("{}:{}:{}: {}", path, error.line, error.column, error.what);
  for (const std::string& line :
       restore(parsed.value, registrations_, subnet, services_.wall_clock(), guid2lid()))
    log_.info("{}", line);
  make_gids_canonical(registrations_, options.subnet_prefix);
  if (!parsed.errors.empty()) return;
  reregistration_ = 0;
  AcknowledgedPorts& acknowledged = registrations_.acknowledged;
  if (!acknowledged.is_empty()) return;  // the journal knows better
  for (const auto& [port, index] : subnet.fabric.port_of_guid) acknowledged.add(port);
}

void Administrator::dump() {
  const config::Options& options = context_->options;
  if (!options.sa_db_dump || !subnet_ || changes_ == dumped_changes_) return;
  const std::filesystem::path path = std::filesystem::path(options.dump_files_dir) / kSaDbFile;
  const auto written =
      sm::write_file_atomically(path, to_text(sa_db_of(registrations_, *subnet_, options)),
                                options.fsync_high_avail_files, kDumpMode);
  std::vector<fabric::Condition> unwritten;
  if (!written)
    unwritten.push_back({.id = sm::kOutputConditions.output_failed, .text = written.error()});
  else
    dumped_changes_ = changes_;
  conditions_.set_active(sm::ConditionSource::registration_dump, std::move(unwritten));
}

void Administrator::clients_reregister(std::uint64_t reregistration,
                                       std::span<const mad::Guid> acknowledged) {
  if (reregistration != reregistration_) return;
  bool has_new = false;
  for (const mad::Guid port : acknowledged)
    has_new = registrations_.acknowledged.add(port) || has_new;
  if (has_new) commit();
  if (reregistration == 0) return;
  reregistration_ = 0;
  if (registrations_.groups.stale_members().empty()) return;
  if (context_->options.no_clients_rereg) return registrations_.groups.trust_members();
  stale_timer_->arm(runtime_.now() + kReregistration);
}

void Administrator::mark_members_stale() {
  want_reregistration();
  registrations_.acknowledged.clear();
  registrations_.groups.mark_members_stale();
}

void Administrator::drop_stale_members() {
  const std::set<Groups::MemberKey>& stale_members = registrations_.groups.stale_members();
  const std::vector<Groups::MemberKey> gone(stale_members.begin(), stale_members.end());
  if (gone.empty()) return;
  log_.info(
      "{} multicast membership{} of before another subnet manager was MASTER, not registered "
      "again: "
      "dropped",
      gone.size(), gone.size() == 1 ? "" : "s");
  notices_.report_groups(drop_members(registrations_.groups, gone));
  commit();
}

void Administrator::take_over(const sm::SweepContext& context) {
  mark_members_stale();
  if (!context.options.drop_event_subscriptions) return;
  registrations_.subscriptions.clear();
  registrations_.services.forget([](mad::Gid) { return true; });
}

}  // namespace sa
