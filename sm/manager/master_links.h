#pragma once
// MasterLinks reads from subnet administration of the MASTER which port is behind which.

#include <boost/asio/awaitable.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "mad/attributes/port_info.h"
#include "mad/attributes/port_tables.h"
#include "mad/runtime.h"
#include "mad/sa_table_reader.h"
#include "mad/transport.h"
#include "sm/store/cache_files.h"

namespace sm {

/// Returns the address of subnet administration that the own port names (MasterSMLID), by its
/// PortInfo and the first block of its P_Key table. Returns nullopt if the port cannot send to it,
/// names none, or names itself. Pure.
std::optional<mad::MadAddress> sa_of_master(const mad::PortInfo& own, const mad::PKeyTable& keys);

/// Returns the links of these NodeRecords and LinkRecords, in order of GUID and port. Records that
/// name no known port are left out. Pure.
std::vector<NeighborLink> read_links(const mad::SaTable& nodes, const mad::SaTable& links);

/// Reads all NodeRecords and LinkRecords beside the manager's loop. A manager needs them where
/// ports answer only to keys that follow from their PortGUIDs (MKeys::needs_guids()): it cannot
/// find out by SMPs which port is behind which. General management packets need no M_Key.
class MasterLinks {
 public:
  /// Intervals between two readings: at least kPause, and kPausePerTime times as long as the latest
  /// one took; after one that failed kRetry.
  static constexpr mad::Duration kPause = std::chrono::minutes(1), kRetry = std::chrono::seconds(5);
  static constexpr unsigned kPausePerTime = 100;

  /// Receives the links, or nullopt if the MASTER has not answered with all of them.
  using Take = std::function<void(std::optional<std::vector<NeighborLink>>)>;

  /// Owns none of the references.
  MasterLinks(mad::Runtime& runtime, mad::MadTransport& transport)
      : runtime_(runtime), transport_(transport) {}
  ~MasterLinks() { end(); }
  MasterLinks(const MasterLinks&) = delete;
  MasterLinks& operator=(const MasterLinks&) = delete;

  /// True if no reading is under way, and the interval since the latest one has passed.
  bool is_due() const { return !reading_ && runtime_.now() >= next_; }
  bool is_reading() const { return reading_ != nullptr; }
  /// Begins to read. `sa_key` shows that the requester is a manager, so that partitions do not hide
  /// ports from it. `take` is called once, unless end() comes first.
  void begin(const mad::MadAddress& master, std::uint64_t sa_key, Take take);
  /// Delays the next reading by kRetry.
  void postpone() { next_ = runtime_.now() + kRetry; }
  /// Ends a reading at once.
  void end();
  /// Returns true if this MAD belongs to the reading.
  bool on_mad(const mad::ReceivedMad& received) {
    return reading_ && reading_->reader.on_mad(received);
  }

 private:
  struct Reading {
    Reading(MasterLinks& of, const mad::MadAddress& to, std::uint64_t key, Take handler)
        : owner(&of),
          reader(of.runtime_, of.transport_),
          master(to),
          sa_key(key),
          take(std::move(handler)),
          begin(of.runtime_.now()) {}

    MasterLinks* owner;  // null: it has ended
    mad::SaTableReader reader;
    mad::MadAddress master;
    std::uint64_t sa_key;
    Take take;
    mad::TimePoint begin;
  };
  static boost::asio::awaitable<void> read(std::shared_ptr<Reading> reading);
  void finish(std::optional<std::vector<NeighborLink>> links);

  mad::Runtime& runtime_;
  mad::MadTransport& transport_;
  mad::TimePoint next_{};
  std::shared_ptr<Reading> reading_;  // shared with the coroutine that reads, which may end later
};

}  // namespace sm
