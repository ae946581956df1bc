#include "sm/sweep/devices/stored_state.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "mad/format.h"
#include "sm/conditions/manager_conditions.h"
#include "sm/store/atomic_file.h"
#include "sm/store/cache_files.h"
#include "sm/store/file_version.h"

namespace sm {
namespace {

/// The routing engine that wrote the switches' tables in place of one that comes before it in
/// routing_engine and had refused the fabric; empty if none did. A start does not take such tables
/// for those of another manager that are to be kept.
/// File: the first line has the version (file_version.h), the second one the name.
constexpr std::string_view kFallbackFile = "routing-fallback";

constexpr std::string_view kFallbackFormat = "# heddle-routing-fallback";
constexpr FileVersion kFallbackVersion{1};
constexpr std::size_t kFallbackBytesMax = 4096;

/// Errors: one line with file and reason; then nothing is known of it.
tl::expected<std::string, std::string> load_fallback_mark(const std::filesystem::path& folder) {
  const auto text = read_file(folder / kFallbackFile, kFallbackBytesMax);
  if (!text) return tl::unexpected(text.error());
  if (!*text) return std::string();
  const std::optional<FileVersion> version = file_version_after(kFallbackFormat, **text);
  if (!version || version->number != kFallbackVersion.number)
    return tl::unexpected(
        fmt::format("{}:1: the version must be {}", kFallbackFile, kFallbackVersion.text()));
  const std::size_t line = std::min((*text)->find('\n'), (*text)->size() - 1) + 1;
  return (*text)->substr(line, (*text)->find('\n', line) - line);
}

/// Without an engine the file says so. Errors: one line with file and reason.
tl::expected<void, std::string> save_fallback_mark(const std::filesystem::path& folder,
                                                   std::string_view engine, bool fsync) {
  return write_file_atomically(
      folder / kFallbackFile,
      fmt::format("{} {}: the engine that wrote the tables in place of the configured one\n{}\n",
                  kFallbackFormat, kFallbackVersion.text(), engine),
      fsync);
}

}  // namespace

void StoredState::load(const config::Options& options, Refusals& refusals, spdlog::logger& log) {
  if (std::exchange(loaded_, true)) return;
  LoadedGuid2Lid loaded = load_guid2lid(options.cache_files_dir);
  for (const std::string& message : loaded.messages) log.error("{}", message);
  guid2lid_ = std::move(loaded.value);
  const auto last_ports = load_neighbor_guids(options.cache_files_dir);
  // An entry that was not even in the last subnet was seen less recently.
  for (Guid2Lid::Entry& entry : guid2lid_.entries)
    entry.absent_since = last_ports && last_ports->contains(entry.guid) ? 2 : 1;
  auto fallback_engine = load_fallback_mark(options.cache_files_dir);
  if (!fallback_engine) log.warn("{}; it is not used", fallback_engine.error());
  if (fallback_engine) fallback_engine_ = std::move(*fallback_engine);
  if (options.cache_ar_group_id) {
    auto ids = load_group_ids(options.cache_files_dir);
    if (!ids) log.warn("{}; it is not used", ids.error());
    if (ids) group_ids_ = std::move(*ids);
  }
  const auto recorded = refusals.load(options.cache_files_dir);
  if (!recorded) log.warn("{}; it is not used", recorded.error());
}

void StoredState::save_fallback_mark(const config::Options& options, const std::string& engine,
                                     spdlog::logger& log) {
  if (engine == fallback_engine_) return;
  fallback_engine_ = engine;
  const auto saved =
      sm::save_fallback_mark(options.cache_files_dir, engine, options.fsync_high_avail_files);
  if (!saved) log.warn("{}", saved.error());
}

std::vector<Condition> StoredState::save_group_ids(const config::Options& options,
                                                   const GroupIds& ids) {
  if (ids == group_ids_ && !group_ids_failed_) return {};
  group_ids_ = ids;
  group_ids_failed_ = false;
  if (!options.cache_ar_group_id) return {};
  const auto saved =
      sm::save_group_ids(options.cache_files_dir, ids, options.fsync_high_avail_files);
  if (saved) return {};
  group_ids_failed_ = true;
  return {{.id = kManagerConditions.store_failed,
           .text = fmt::format("{}; numbers of groups of adaptive routing are kept in memory only, "
                               "and may change at the next start",
                               saved.error())}};
}

void StoredState::adopt(Guid2Lid lids) {
  for (Guid2Lid::Entry& entry : lids.entries) entry.absent_since = 1;
  guid2lid_ = std::move(lids);
  failed_ = true;  // to be written
}

void StoredState::adopt(const GroupIds& ids) {
  GroupIds all = ids;
  std::set<fabric::GroupId> used;
  for (const auto& [guid, group] : ids) used.insert(group);
  for (const auto& [guid, group] : group_ids_)
    if (used.insert(group).second) all.emplace(guid, group);
  if (all == group_ids_) return;
  group_ids_ = std::move(all);
  group_ids_failed_ = true;  // to be written
}

StoredState::SavedLids StoredState::save_lids(const config::Options& options, const Guid2Lid& lids,
                                              bool always) const {
  if (lids == guid2lid_ && !failed_ && !always) return {.lids = lids, .outcome = {}};
  return {.lids = lids,
          .outcome = save_guid2lid(options.cache_files_dir, lids, options.fsync_high_avail_files)};
}

std::vector<Condition> StoredState::keep(SavedLids saved) {
  guid2lid_ = std::move(saved.lids);
  failed_ = !saved.outcome;
  if (saved.outcome) return {};
  return {{.id = kManagerConditions.store_failed,
           .text = fmt::format("{}; LIDs are kept in memory only, and may change at the next start",
                               saved.outcome.error()),
           .severity = fabric::Severity::critical}};
}

void StoredState::save_unsupported(const config::Options& options, Refusals& refusals,
                                   spdlog::logger& log) const {
  if (failed_ || !refusals.take_changed()) return;
  const auto saved = write_file_atomically(
      std::filesystem::path(options.cache_files_dir) / Refusals::kFile, refusals.to_text(), false);
  if (!saved) log.warn("{}", saved.error());
}

}  // namespace sm
