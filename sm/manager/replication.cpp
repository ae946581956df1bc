#include "sm/manager/replication.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <string>
#include <vector>

#include "config/file_reader.h"
#include "config/schema.h"
#include "config/value.h"
#include "fabric/condition.h"
#include "mad/format.h"
#include "mad/number.h"
#include "sm/context/sweep_context.h"
#include "sm/sa/registrations/persistence.h"
#include "sm/sa/registrations/replicated.h"
#include "sm/store/replica/cache_records.h"
#include "sm/store/replica/replica_conditions.h"
#include "sm/store/replica/state_replica.h"

namespace sm {
namespace asio = boost::asio;
namespace {

/// Options that belong to one host begin with one of these.
constexpr std::array<std::string_view, 25> kLocal{
    "guid",           "sm_priority",     "master_sm_priority",
    "sm_inactive",    "ignore_other_sm", "allowed_sm_guids",
    "sminfo_polling", "polling_retry",   "log_",
    "force_log",      "accum_log",       "per_module_logging",
    "syslog",         "dump_files_dir",  "cache_files_dir",
    "pid_file",       "daemon",          "console",
    "etcd_",          "state_store",     "fsync",
    "sa_db",          "subnet_lst_file", "enable_subnet_lst",
    "dump_ar"};
constexpr std::size_t kNamed = 10;

bool is_local(std::string_view name) {
  return std::ranges::any_of(kLocal,
                             [&](std::string_view begin) { return name.starts_with(begin); });
}

bool names_a_file(std::string_view name) {
  return name.ends_with("_file") || name == "torus_config" || name == "node_name_map_name";
}

/// Returns a digest for each option in which all managers of a subnet should agree, over its value
/// and the content of the file that it names. No value can be read from it.
/// Left out: what belongs to one host, such as sm_priority, directories and logs.
Records configuration_digests(const config::Options& options, const config::FileReader& reader,
                              const RecordSeal& seal) {
  Records digests;
  config::Options copy = options;
  for (const config::Key& key : config::keys()) {
    if (is_local(key.name)) continue;
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

/// Options of which the digests differ, in one condition; none if all agree or there are none of
/// the master.
std::vector<Condition> configuration_differences(const Records& masters, const Records& own) {
  if (masters.empty()) return {};
  std::vector<std::string_view> names;
  for (const auto& [key, digest] : own) {
    const auto other = masters.find(key);
    // A master of another version may not have this option.
    if (other != masters.end() && other->second != digest)
      names.push_back(std::string_view(key).substr(section::kConfiguration.size() + 1));
  }
  if (names.empty()) return {};
  const std::size_t more = names.size() - std::min(names.size(), kNamed);
  names.resize(names.size() - more);
  return {{.id = kReplicaConditions.configuration_differs,
           .text = fmt::format("options with other values than the master's, or files with other "
                               "contents: {}{}",
                               fmt::join(names, ", "),
                               more == 0 ? "" : fmt::format(" and {} more", more))}};
}

constexpr std::size_t kRejectedNamed = 10;

/// Returns a record for each kept P_Key: "<section>/<GUID>/<P_Key>", with the index 0 or "kept".
Records kept_records(const partitions::SharedKept& kept) {
  Records records;
  if (!kept) return records;
  for (const partitions::KeptKey& one : *kept)
    records.emplace(
        fmt::format("{}/{:016x}/{:04x}", section::kKeptPKeys, one.guid.value, one.key.value),
        one.index0 ? "0" : "kept");
  return records;
}

partitions::KeptKeys read_kept(const Records& records, std::vector<std::string>& rejected) {
  constexpr std::size_t kGuidDigits = 16;
  partitions::KeptKeys kept;
  for (auto at = records.lower_bound(section::kKeptPKeys);
       at != records.end() && is_in(at->first, section::kKeptPKeys); ++at) {
    const std::string_view digits =
        std::string_view(at->first).substr(section::kKeptPKeys.size() + 1);
    const auto guid = mad::parse_number(digits.substr(0, kGuidDigits), 16);
    const auto key = mad::parse_number<std::uint16_t>(
        digits.substr(std::min(kGuidDigits + 1, digits.size())), 16);
    if (guid && key)
      kept.push_back(
          {.guid = mad::Guid{*guid}, .key = {*key}, .index0 = at->second.starts_with('0')});
    else
      rejected.push_back(fmt::format("{}: this is no P_Key of a port", at->first));
  }
  return kept;
}

}  // namespace

Replication::Replication(mad::Runtime& runtime, std::shared_ptr<StateReplica> replica,
                         spdlog::logger& log, ConditionLog& conditions,
                         sa::Administrator& administrator, Sweeper& sweeper,
                         PartitionStore& partitions)
    : runtime_(runtime),
      replica_(std::move(replica)),
      log_(log),
      conditions_(conditions),
      administrator_(administrator),
      sweeper_(sweeper),
      partitions_(partitions) {
  if (replica_) replica_->set_on_change([this] { on_change(); });
}

void Replication::on_change() {
  conditions_.set_active(ConditionSource::state_store, replica_->conditions());
  compare_configuration();
}

void Replication::configured(const SweepContext& context) {
  if (!replica_) return;
  configuration_ = configuration_digests(context.options, config::read_file, replica_->seal());
  if (stage_ == Stage::giving) replica_->replace(section::kConfiguration, configuration_);
  compare_configuration();
}

void Replication::compare_configuration() {
  std::vector<Condition> active;
  if (stage_ == Stage::following)
    active = configuration_differences(replica_->records(section::kConfiguration), configuration_);
  conditions_.set_active(ConditionSource::configuration, std::move(active));
}

void Replication::entered(mad::SmState state) {
  if (!replica_) return;
  if (state != mad::SmState::master) {
    conditions_.set_active(ConditionSource::takeover, {});
    stage_ = Stage::following;
    replica_->follow();
  } else if (stage_ == Stage::following) {
    stage_ = Stage::became_master;
    replica_->lead();
  }
}

asio::awaitable<void> Replication::take_over() {
  if (stage_ != Stage::became_master) co_return;
  co_await replica_->found_by(runtime_.now() + kWaitMax);
  if (stage_ != Stage::became_master) co_return;
  stage_ = Stage::took_over;
  FoundState found = replica_->found();
  if (found.manager == mad::Guid{}) {
    if (!found.missing.empty())
      log_.warn("the state store gives nothing to begin with: {}; local files count",
                found.missing);
    co_return;
  }
  sa::ReplicatedRegistrations read = sa::read_records(found.records);
  CacheRecords cache = read_cache_records(found.records);
  partitions::LineReader stored_partitions;
  for (auto at = found.records.lower_bound(section::kPartitions);
       at != found.records.end() && is_in(at->first, section::kPartitions); ++at)
    if (const auto applied = stored_partitions.apply(at->second); !applied)
      read.rejected.push_back(fmt::format("{}: {}", at->first, applied.error()));
  const partitions::KeptKeys kept = read_kept(found.records, read.rejected);
  std::ranges::move(cache.rejected, std::back_inserter(read.rejected));
  ConditionList rejected(kReplicaConditions.store_record_rejected, kRejectedNamed);
  for (const std::string& record : read.rejected)
    rejected.add(fmt::format("record {} of the state store is rejected; it is not used", record));
  std::vector<Condition> active = rejected.take();
  if (found.missing.empty() && !read.rejected.empty())
    found.missing = fmt::format("{} record{} of the state store cannot be read",
                                read.rejected.size(), read.rejected.size() == 1 ? "" : "s");
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
  if (complete) sweeper_.explain_p_keys();
  sweeper_.adopt_kept(kept);
  administrator_.adopt({.registrations = std::move(read.registrations),
                        .manager_lid = found.manager_lid,
                        .complete = complete});
  if (cache.key_version) sweeper_.m_keys().take_version(*cache.key_version);
  sweeper_.adopt(std::move(cache.lids), std::move(cache.m_keys));
  partitions_.adopt(std::move(stored_partitions).take());
}

void Replication::prepared() {
  if (stage_ != Stage::took_over) return;
  stage_ = Stage::giving;
  give_registrations();
  give_partitions();
}

void Replication::give_partitions() {
  Records records;
  for (partitions::RecordChange& record :
       partitions::all_records(section::kPartitions, *partitions_.current()))
    records.emplace(std::move(record.key), std::move(*record.text));
  replica_->replace(section::kPartitions, std::move(records));
}

asio::awaitable<void> Replication::store_key_version(KeyVersion version) {
  if (!replica_ || stage_ != Stage::giving) co_return;
  std::vector<std::string> keys;
  for (auto& [key, text] : records_of(version)) {
    keys.push_back(key);
    replica_->set(key, std::move(text));
  }
  co_await replica_->stored(keys, runtime_.now() + kWaitMax);
}

void Replication::give_registrations() {
  replica_->replace(section::kRegistrations,
                    sa::all_records(sa::all_lines(administrator_.registrations())));
}

void Replication::registered(const RegistrationsStored& stored) {
  if (stage_ != Stage::giving) return;
  if (stored.everything) return give_registrations();
  for (sa::RecordChange& change : sa::record_changes(stored.lines))
    replica_->set(std::move(change.key), std::move(change.text));
}

void Replication::programmed(const Subnet& subnet) {
  if (stage_ != Stage::giving) return;
  conditions_.set_active(ConditionSource::takeover, {});
  replica_->replace(section::kLids, records_of(sweeper_.state().stored.guid2lid()));
  replica_->replace(section::kMKeys, records_of(sweeper_.m_keys().stored_beyond_policy()));
  if (const KeyVersion& version = sweeper_.m_keys().version(); version != KeyVersion{})
    replica_->replace(section::kKeyVersion, records_of(version));
  replica_->replace(section::kKeptPKeys, kept_records(sweeper_.state().p_keys.kept));
  replica_->replace(section::kConfiguration, configuration_);
  if (administrator_.is_on_disk() && partitions_.is_on_disk()) {
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
