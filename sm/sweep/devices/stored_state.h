#pragma once

#include <spdlog/logger.h>

#include <optional>
#include <set>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "config/options.h"
#include "fabric/subnet.h"
#include "sm/store/ar_group_ids.h"
#include "sm/store/guid2lid.h"
#include "sm/sweep/devices/unsupported_settings.h"

namespace sm {

/// StoredState is read from cache_files_dir at the start, and written there and to dump_files_dir.
class StoredState {
 public:
  /// Reads the files, the first time only. Damage is logged, and what is damaged is not used.
  /// `unsupported` becomes what earlier starts recorded.
  void load(const config::Options& options, UnsupportedSettings& unsupported, spdlog::logger& log);

  const Guid2Lid& guid2lid() const { return guid2lid_; }
  /// After load(): LIDs that another manager assigned later than this file was written.
  void adopt(Guid2Lid lids);
  /// Port GUIDs of the last subnet before this start, until the first sweep has succeeded: ports
  /// that were out of reach then have lost their registrations.
  const std::optional<std::set<mad::Guid>>& neighbors() const { return neighbors_; }
  void forget_neighbors() { neighbors_.reset(); }

  /// The engine that wrote the switches' tables in place of the configured one; empty: none.
  const std::string& fallback_engine() const { return fallback_engine_; }
  /// On disk when this returns, if it is another one than before. Problems are logged.
  void save_fallback_mark(const config::Options& options, const std::string& engine,
                          spdlog::logger& log);

  /// Numbers of groups of adaptive routing.
  const GroupIds& group_ids() const { return group_ids_; }
  /// On disk when this returns, if they are others than before. Returns what stands when the disk
  /// did not take them: they are used nevertheless.
  std::vector<Condition> save_group_ids(const config::Options& options, const GroupIds& ids);

  struct SavedLids {
    Guid2Lid lids;
    tl::expected<void, std::string> outcome;  // of the file
  };
  /// The LID map must survive a crash: on disk when this returns. Written if it differs, could not
  /// be written before, or `always`. Waits for the disk: for a thread beside the control thread,
  /// which changes nothing here. Followed by keep().
  SavedLids save_lids(const config::Options& options, const Guid2Lid& lids, bool always) const;
  /// When the disk did not take the LID map, the subnet comes up nevertheless, and a condition says
  /// so. Returns what stands.
  std::vector<Condition> keep(SavedLids saved);
  /// If they changed. Problems are logged.
  void save_unsupported(const config::Options& options, UnsupportedSettings& unsupported,
                        spdlog::logger& log) const;
  /// The LID map on disk is the one in use.
  bool has_saved_lids() const { return !failed_; }

 private:
  Guid2Lid guid2lid_;
  std::optional<std::set<mad::Guid>> neighbors_;
  std::string fallback_engine_;
  GroupIds group_ids_;
  bool loaded_ = false;
  bool failed_ = false;  // the LID map on disk is not the one in use
};

}  // namespace sm
