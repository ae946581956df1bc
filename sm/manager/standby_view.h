#pragma once
// StandbyView is the subnet as a STANDBY has read it, so that it can take over at once.

#include <spdlog/logger.h>

#include <boost/asio/awaitable.hpp>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "fabric/subnet.h"
#include "mad/runtime.h"
#include "mad/transport.h"
#include "sm/context/sweep_context.h"
#include "sm/sweep/devices/m_keys.h"

namespace sm {

/// The subnet as a manager would publish it if it were MASTER, with its LIDs, partitions and
/// routing, and how many attributes it would write. Registrations of clients are not part of it.
struct FabricView {
  std::shared_ptr<const Subnet> subnet;
  std::size_t writes = 0;
  mad::TimePoint decided{};  // begin of the survey that it was decided on
  mad::TimePoint read{};     // begin of the latest survey, which showed the same
};

/// Reads the subnet repeatedly, at standby_read_rate: a survey every kPause, and earlier after a
/// light sweep (every kLightSweepInterval) that finds a change. If the survey differs from the
/// previous one, or after kFullReadInterval, it reads all tables and decides. Sends SubnGet only.
/// Its readings end no condition and log nothing, since the master does both.
class StandbyView {
 public:
  static constexpr mad::Duration kLightSweepInterval = std::chrono::seconds(10);
  static constexpr mad::Duration kPause = std::chrono::minutes(1);
  static constexpr mad::Duration kFullReadInterval = std::chrono::minutes(10);

  /// Owns none of the references.
  StandbyView(mad::Runtime& runtime, mad::MadTransport& transport, spdlog::logger& log,
              std::function<std::chrono::sys_seconds()> wall_clock)
      : runtime_(runtime), transport_(transport), log_(log), wall_clock_(std::move(wall_clock)) {}
  ~StandbyView() { end(); }
  StandbyView(const StandbyView&) = delete;
  StandbyView& operator=(const StandbyView&) = delete;

  /// Begins to read by this configuration, and from this port (its GUID). It takes the links that
  /// `known` has. With standby_read_rate 0 it does nothing.
  void begin(SharedContext context, mad::Guid own_port, const MKeys& known);
  /// Notes which port is behind which. If they were not known, the subnet is read again at once.
  void note_links(std::span<const NeighborLink> links);
  /// Stops reading at once. The last reading is kept.
  void end();
  /// Returns true if this is a response to one of the view's requests.
  bool on_mad(const mad::ReceivedMad& received);

  /// Returns the last complete reading; nullopt before the first, or after take().
  const std::optional<FabricView>& latest() const { return view_; }
  std::optional<FabricView> take() { return std::exchange(view_, std::nullopt); }

 private:
  struct Reader;
  void say_so(const FabricView& view);
  static boost::asio::awaitable<void> keep(std::shared_ptr<Reader> reader);
  static boost::asio::awaitable<std::optional<FabricView>> read(std::shared_ptr<Reader> reader);
  static boost::asio::awaitable<bool> has_changed(std::shared_ptr<Reader> reader,
                                                  std::shared_ptr<const Subnet> subnet);

  mad::Runtime& runtime_;
  mad::MadTransport& transport_;
  spdlog::logger& log_;
  std::function<std::chrono::sys_seconds()> wall_clock_;
  std::optional<FabricView> view_;
  std::shared_ptr<Reader> reader_;  // shared with the coroutine that reads, which may end later
};

}  // namespace sm
