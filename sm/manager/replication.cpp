#include "sm/manager/replication.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "config/file_reader.h"
#include "config/schema.h"
#include "config/value.h"
#include "fabric/condition.h"
#include "mad/format.h"
#include "sm/context/sweep_context.h"
#include "sm/sa/registrations/replicated.h"
#include "sm/store/replica/cache_records.h"
#include "sm/store/replica/replica_conditions.h"
#include "sm/store/replica/state_replica.h"

namespace sm {
namespace asio = boost::asio;
namespace {

constexpr std::size_t kNamed = 10;

bool names_a_file(std::string_view name) {
  return name.ends_with("_file") || name == "torus_config" || name == "node_name_map_name";
}

/// Returns a digest for each option in which all managers of a subnet should agree, over its value
/// and the content of the file that it names. No value can be read from it.
/// Left out: what belongs to one host (Key::is_of_host), such as sm_priority, directories and logs.
Records configuration_digests(const config::Options& options, const config::FileReader& reader,
                              const RecordSeal& seal) {
  Records digests;
  config::Options copy = options;
  for (const config::Key& key : config::keys()) {
    if (key.is_of_host) continue;
    std::string text = config::value_text(key, options);
    if (names_a_file(key.name)) {
      const config::Ref ref = key.ref(copy);
      if (const auto* const path = std::get_if<std::string*>(&ref); path && !(*path)->empty())
        text = reader(**path).value_or(std::string());
    }
    std::string name = fmt::format("{}/{}", section::kConfiguration, key.name);
    std::string digest = seal.digest(name, text);
    digests.emplace(std::move(name), std::move(digest));
  }
  return digests;
}

/// Returns the values of the same options, as others may read them.
Records shown_settings(const config::Options& options) {
  Records settings;
  for (const config::Key& key : config::keys())
    if (!key.is_of_host)
      settings.emplace(fmt::format("{}/{}", section::kSettings, key.name),
                       config::shown_value(key, options));
  return settings;
}

/// Names options of which the digests differ, in one condition.
std::vector<Condition> configuration_differences(
    const std::map<std::string, std::string, std::less<>>& options) {
  if (options.empty()) return {};
  std::vector<std::string_view> names;
  names.reserve(options.size());
  for (const auto& [name, value] : options) names.push_back(name);
  const std::size_t more = names.size() - std::min(names.size(), kNamed);
  names.resize(names.size() - more);
  return {{.id = kReplicaConditions.configuration_differs,
           .text = fmt::format("options with other values than the master's, or files with other "
                               "contents: {}{}",
                               fmt::join(names, ", "),
                               more == 0 ? "" : fmt::format(" and {} more", more))}};
}

constexpr std::size_t kRejectedNamed = 10;

std::vector<Condition> rejected_records(const SharedSection::Rejected& rejected) {
  ConditionList list(kReplicaConditions.store_record_rejected, kRejectedNamed);
  for (const std::string& record : rejected)
    list.add(fmt::format("record {} of the state store is rejected; it is not used", record));
  return list.take();
}

/// Returns the keys of orders that the store has had.
std::set<std::string, std::less<>> keys_of_shared(std::vector<StoredIsolation> orders) {
  std::erase_if(orders, [](const StoredIsolation& order) { return !order.is_shared; });
  std::set<std::string, std::less<>> keys;
  for (const auto& [key, text] : records_of(orders)) keys.insert(key);
  return keys;
}

}  // namespace

Replication::Replication(mad::Runtime& runtime, std::shared_ptr<StateReplica> replica,
                         spdlog::logger& log, ConditionLog& conditions, const SharedParts& parts)
    : runtime_(runtime),
      replica_(std::move(replica)),
      log_(log),
      conditions_(conditions),
      parts_(parts),
      sections_(shared_sections(parts)) {
  if (!replica_) return;
  replica_->set_on_change([this] { on_change(); });
  replica_->set_on_merged([this](const MergedRecords& records) { merge(records); });
}

void Replication::on_change() {
  conditions_.set_active(ConditionSource::state_store, replica_->conditions());
  if (stage_ == Stage::giving && replica_->has_section(section::kIsolations))
    parts_.orders.note_shared();
  compare_configuration();
}

void Replication::configured(const SweepContext& context) {
  if (!replica_) return;
  configuration_ = configuration_digests(context.options, config::read_file, replica_->digests());
  settings_ = shown_settings(context.options);
  if (stage_ == Stage::giving) give_configuration();
  compare_configuration();
}

void Replication::give_configuration() {
  replica_->replace(section::kConfiguration, configuration_);
  replica_->replace(section::kSettings, settings_);
}

void Replication::compare_configuration() {
  masters_options_.clear();
  const Records masters =
      stage_ == Stage::following ? replica_->records(section::kConfiguration) : Records();
  if (!masters.empty()) {
    const Records values = replica_->records(section::kSettings);
    for (const auto& [key, digest] : configuration_) {
      const auto other = masters.find(key);
      // A master of another version may not have this option, or no values.
      if (other == masters.end() || other->second == digest) continue;
      std::string name = key.substr(section::kConfiguration.size() + 1);
      const auto value = values.find(fmt::format("{}/{}", section::kSettings, name));
      masters_options_.emplace(std::move(name),
                               value == values.end() ? std::string() : value->second);
    }
  }
  conditions_.set_active(ConditionSource::configuration,
                         configuration_differences(masters_options_));
}

void Replication::entered(mad::SmState state, std::optional<MasterAnswer> master_answered) {
  if (!replica_) return;
  if (state != mad::SmState::master) {
    conditions_.set_active(ConditionSource::takeover, {});
    rejected_by_merges_.clear();
    stage_ = Stage::following;
    early_.clear();
    replica_->follow();
  } else if (stage_ == Stage::following) {
    stage_ = Stage::became_master;
    replica_->lead(master_answered);
  }
}

asio::awaitable<bool> Replication::take_over() {
  if (stage_ != Stage::became_master) co_return false;
  co_await replica_->found_by(runtime_.now() + kWaitMax);
  if (stage_ != Stage::became_master) co_return false;
  stage_ = Stage::took_over;
  FoundState found = replica_->found();
  if (found.manager == mad::Guid{}) {
    if (!found.missing.empty())
      log_.warn("the state store gives nothing to begin with: {}; local files count",
                found.missing);
    merge(std::exchange(early_, {}));
    co_return false;
  }
  SharedSection::Rejected rejected;
  std::vector<SharedSection::Apply> taken;
  for (const SharedSection& section : sections_)
    if (section.take) taken.push_back(section.take(found, rejected));
  std::vector<Condition> active = rejected_records(rejected);
  if (found.missing.empty() && !rejected.empty())
    found.missing = fmt::format("{} record{} of the state store cannot be read", rejected.size(),
                                rejected.size() == 1 ? "" : "s");
  const bool complete = found.missing.empty();
  if (complete) {
    log_.info("took over {} records of the manager {} from the state store", found.records.size(),
              found.manager);
  } else {
    active.push_back(
        {.id = kReplicaConditions.store_behind,
         .text = fmt::format("took over {} records of the manager {} from the state store, which "
                             "may lack changes: {}; clients have to register again",
                             found.records.size(), found.manager, found.missing),
         .guid = found.manager});
  }
  conditions_.set_active(ConditionSource::takeover, std::move(active));
  for (const SharedSection::Apply& apply : taken) apply(complete);
  merge(std::exchange(early_, {}));
  co_return true;
}

void Replication::prepared() {
  if (stage_ != Stage::took_over) return;
  stage_ = Stage::giving;
  replica_->had_stored(keys_of_shared(parts_.orders.isolations()));
  give(SharedSection::Given::before_tables);
  give_configuration();
}

void Replication::give(SharedSection::Given when) {
  for (const SharedSection& section : sections_)
    if (section.given == when)
      if (auto records = section.own()) replica_->replace(section.name, std::move(*records));
}

void Replication::changed(std::string_view name) {
  if (stage_ != Stage::giving) return;
  const auto section = std::ranges::find(sections_, name, &SharedSection::name);
  if (auto records = section->own()) replica_->replace(name, std::move(*records));
}

/// Returns the keys of the section, here and in the store.
std::vector<std::string> Replication::keys_of(std::string_view name) const {
  const auto section = std::ranges::find(sections_, name, &SharedSection::name);
  std::vector<std::string> keys;
  for (const auto& [key, text] : section->own().value_or(Records())) keys.push_back(key);
  for (const auto& [key, text] : replica_->records(name)) keys.push_back(key);
  return keys;
}

asio::awaitable<std::optional<unsigned>> Replication::shared(std::string_view name) {
  if (stage_ != Stage::giving) co_return 0u;
  std::vector<std::string> keys = keys_of(name);
  const StoredChanges outcome =
      co_await replica_->stored(std::move(keys), runtime_.now() + kShareMax);
  co_return outcome.stored ? outcome.replicated : 0u;
}

/// Puts in force what another MASTER changed before the two met. For a manager that has taken
/// nothing over yet, take_over() does so: its local files may count then, not the store.
void Replication::merge(const MergedRecords& records) {
  if (stage_ == Stage::became_master)
    for (const auto& [key, text] : records) early_.insert_or_assign(key, text);
  if (records.empty() || (stage_ != Stage::took_over && stage_ != Stage::giving)) return;
  SharedSection::Rejected rejected;
  for (const SharedSection& section : sections_) {
    const auto first = records.lower_bound(section.name);
    const bool is_concerned = std::any_of(first, records.end(), [&](const auto& record) {
      return is_in(record.first, section.name);
    });
    if (!section.merge || !is_concerned) continue;
    section.merge(records, rejected);
    changed(section.name);
  }
  log_.info("took {} records that another manager changed while both were MASTER", records.size());
  std::ranges::move(rejected, std::back_inserter(rejected_by_merges_));
  if (!rejected_by_merges_.empty())
    conditions_.set_active(ConditionSource::takeover, rejected_records(rejected_by_merges_));
}

asio::awaitable<void> Replication::store_key_version(KeyVersion version) {
  if (!replica_ || stage_ != Stage::giving) co_return;
  std::vector<std::string> keys;
  for (auto& [key, text] : records_of(version)) {
    keys.push_back(key);
    replica_->set(key, std::move(text));
  }
  static_cast<void>(co_await replica_->stored(keys, runtime_.now() + kWaitMax));
}

void Replication::registered(const RegistrationsStored& stored) {
  if (stage_ != Stage::giving) return;
  if (parts_.administrator.lacks_disk()) replica_->local_files_lack_changes();
  if (stored.everything) return changed(section::kRegistrations);
  for (sa::RecordChange& change : sa::record_changes(stored.lines))
    replica_->set(change.key, std::move(change.text));
}

void Replication::programmed(const Subnet& subnet) {
  if (stage_ != Stage::giving) return;
  conditions_.set_active(ConditionSource::takeover, rejected_records(rejected_by_merges_));
  give(SharedSection::Given::after_sweep);
  give_configuration();
  const bool orders_are_on_disk = parts_.orders.is_on_disk();
  if (parts_.administrator.is_on_disk() && parts_.partitions.is_on_disk() && orders_are_on_disk) {
    if (const auto written = replica_->local_files_are_complete(); !written)
      log_.warn("{}", written.error());
  }
  replica_->finish_sections(subnet.lid_range(subnet.fabric.sm_port).base);
}

asio::awaitable<void> Replication::close() {
  if (!replica_) co_return;
  co_await replica_->close(runtime_.now() + kWaitMax);
  // Another manager of this process may get the port, and then shares the state.
  stage_ = Stage::following;
  replica_.reset();
}

std::optional<ReplicaStatus> Replication::status() const {
  return replica_ ? std::optional(replica_->status()) : std::nullopt;
}

}  // namespace sm
