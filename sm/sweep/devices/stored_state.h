#pragma once

#include <spdlog/logger.h>

#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "config/options.h"
#include "fabric/subnet.h"
#include "sm/store/ar_group_ids.h"
#include "sm/store/guid2lid.h"
#include "sm/sweep/devices/refusals.h"

namespace sm {

/// StoredState is read from cache_files_dir at the start, and written there and to dump_files_dir.
class StoredState {
 public:
  /// Reads the files, the first time only. Logs damage, and does not use damaged files. Sets the
  /// unsupported fields to those that earlier starts recorded.
  void load(const config::Options& options, Refusals& refusals, spdlog::logger& log);

  const Guid2Lid& guid2lid() const { return guid2lid_; }
  /// Adopts LIDs that another manager assigned later than the loaded file was written.
  void adopt(Guid2Lid lids);
  /// Adopts numbers of groups that another manager has chosen, which win over those of the file.
  void adopt(const GroupIds& ids);

  /// Returns the engine that wrote the tables in place of the configured one; empty if none did.
  const std::string& fallback_engine() const { return fallback_engine_; }
  /// Writes the mark to disk if it has changed. Logs problems.
  void save_fallback_mark(const config::Options& options, const std::string& engine,
                          spdlog::logger& log);

  /// Returns the numbers of adaptive routing groups.
  const GroupIds& group_ids() const { return group_ids_; }
  /// Writes the numbers to disk if they have changed. Returns a condition if the disk did not take
  /// them; they are used nevertheless.
  std::vector<Condition> save_group_ids(const config::Options& options, const GroupIds& ids);

  struct SavedLids {
    Guid2Lid lids;
    tl::expected<void, std::string> outcome;  // of the file
  };
  /// Writes the LID map, which must survive a crash, to disk: if it differs, could not be written
  /// before, or `always`. Waits for the disk, so it runs beside the control thread, and changes
  /// nothing here. keep() follows.
  SavedLids save_lids(const config::Options& options, const Guid2Lid& lids, bool always) const;
  /// Takes the outcome of save_lids(). Returns a condition if the disk did not take the LID map;
  /// the subnet comes up nevertheless.
  std::vector<Condition> keep(SavedLids saved);
  /// Writes the unsupported fields if they changed. Logs problems.
  void save_unsupported(const config::Options& options, Refusals& refusals,
                        spdlog::logger& log) const;
  /// Notes whether the disk took the M_Keys of ports.
  void set_m_keys_saved(bool saved) { m_keys_failed_ = !saved; }
  /// True if the disk did not take the latest of LIDs, M_Keys or group numbers: they are to be
  /// written again.
  bool has_failed() const { return failed_ || m_keys_failed_ || group_ids_failed_; }
  /// True if the LID map on disk is the one in use.
  bool has_saved_lids() const { return !failed_; }

 private:
  Guid2Lid guid2lid_;
  std::string fallback_engine_;
  GroupIds group_ids_;
  bool loaded_ = false;
  bool failed_ = false;  // the LID map on disk is not the one in use
  bool m_keys_failed_ = false, group_ids_failed_ = false;
};

}  // namespace sm
