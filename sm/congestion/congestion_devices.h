#pragma once
// This file holds what is known of congestion control at each device.

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "mad/attributes/congestion_control.h"
#include "mad/backoff.h"
#include "mad/gmp_client.h"
#include "mad/ids.h"
#include "mad/runtime.h"

namespace sm {

enum class CongestionState : std::uint8_t {
  pending,      // not queried yet
  configured,   // it has the settings of the options
  unsupported,  // it has no congestion control
  refused,      // it rejects a request, or keeps other values than were written
  other_key,    // it has a CC_Key that this manager does not know
  silent,       // no response
};
inline constexpr std::size_t kCongestionStates =
    static_cast<std::size_t>(CongestionState::silent) + 1;
/// Returns "configured", "other_key", ...
std::string_view name(CongestionState state);
/// Returns "SwitchCongestionSetting", ...
std::string_view name(mad::CongestionControlAttribute attribute);

/// Describes port 0 of a switch, or a CA port. A plain value: any thread may read a copy.
struct CongestionDevice {
  mad::Guid guid, node;  // PortGUID and NodeGUID
  mad::PortNum port;
  bool is_switch = false;
  CongestionState state = CongestionState::pending;
  // In state refused, the device rejects this attribute, with this modifier and the status of the
  // response; status 0 means that it keeps other values.
  mad::CongestionControlAttribute refuses{};
  std::uint32_t refuses_modifier = 0;
  std::uint16_t status = 0;
  // The device has shown these values in its latest responses.
  std::uint8_t table_blocks_max = 0;  // ControlTableCap of a CA port, blocks of 64 entries
  std::uint32_t control_map = 0;      // of SwitchCongestionSetting, or CACongestionSetting
  std::uint8_t threshold = 0;         // of a switch
  std::uint16_t marking_rate = 0;
  std::uint16_t table_limit = 0;  // CCTILimit of a CA port
  bool has_log = false;
  /// Counts the growth of EventCounter in the CongestionLog since the first reading: marked packets
  /// of a switch, and at a CA port flows whose index reached the trigger threshold.
  std::uint64_t events = 0;
  std::uint64_t sets = 0;    // that it took from this manager
  mad::TimePoint read_at{};  // when it was read latest; TimePoint{}: never
};

/// Holds a device, and what the manager remembers of it from pass to pass.
struct CongestionRecord {
  CongestionDevice shown;
  std::uint64_t generation = 0;  // of the latest visit; see CongestionManager
  bool is_urgent = true;         // it is new, or may have restarted
  bool has_answered = false;     // to any request
  unsigned failures = 0;         // visits without success, in a row
  mad::Backoff pause{std::chrono::seconds(10), std::chrono::hours(1)};  // after a failure
  mad::TimePoint due{};                  // of the next visit after a failure
  std::optional<std::uint64_t> key;      // that it took latest; nothing: not known
  std::optional<std::uint16_t> counter;  // EventCounter, as read latest
  /// Holds the values that the device keeps in place of written ones, by attribute and modifier.
  std::map<std::pair<mad::CongestionControlAttribute, std::uint32_t>, mad::GmpData> kept;
};
/// Holds the records by ascending PortGUID. Records do not move while a pass is in progress.
using CongestionRecords = std::vector<std::unique_ptr<CongestionRecord>>;

/// A pass publishes this table at its end.
struct CongestionTable {
  std::vector<CongestionDevice> devices;  // by ascending PortGUID
  std::uint64_t passes = 0;
  std::uint64_t gets = 0, sets = 0;  // requests since the start, without repetitions
  std::uint64_t mended = 0;          // Sets of what another program had changed
};
using SharedCongestion = std::shared_ptr<const CongestionTable>;

}  // namespace sm
