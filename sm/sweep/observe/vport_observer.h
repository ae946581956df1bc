#pragma once
// Reads vports, and switches them on at ports of models that are known to work.

#include <boost/asio/awaitable.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "mad/attributes/port_info.h"
#include "sm/context/sweep_context.h"
#include "sm/sweep/apply/environment.h"
#include "sm/sweep/decide/vport_decision.h"
#include "sm/sweep/devices/device_state.h"

namespace sm {

/// Limits what is written while vports are read.
enum class VPortAccess : std::uint8_t {
  look,    // nothing
  clear,   // VPortStateChange is cleared
  manage,  // vports are switched on or off, too, as the options say
};

/// Stores results in DeviceState::vports. Of each device model, one port is switched on before all
/// others, and one P_Key table of a vport is written and read back before all others: some firmware
/// takes neither.
class VPortObserver {
 public:
  /// Owns neither reference.
  VPortObserver(SweepEnvironment& environment, DeviceState& devices)
      : environment_(environment), devices_(devices) {}

  /// Reads the vports of these ports, as far as they are not known.
  boost::asio::awaitable<void> observe(const SweepContext& context, const Fabric& fabric,
                                       std::vector<PortIndex> ports, VPortAccess access);
  /// Writes one P_Key table of a vport for each model that was not tried, and then reads back those
  /// of all vports of that port. Called before P_Key tables of vports are written.
  boost::asio::awaitable<void> try_p_keys(const Fabric& fabric, const VPortTargets& targets);
  /// Returns SM-VPORT-PROBE-FAILED for models that are left alone.
  std::vector<Condition> trial_conditions() const;

  /// Returns the physical ports (their GUIDs) that show VPortStateChange, or have unfinished work
  /// of the last time. It costs one SubnGet for each port with vports.
  boost::asio::awaitable<std::vector<mad::Guid>> find_changed(const Fabric& fabric);
  /// Notes that attributes of this vport of the physical port changed (trap 1144): the next
  /// observe() of that port reads them.
  void note_change(mad::Guid port, std::uint16_t index);

 private:
  enum class TrialEnd : std::uint8_t { works, failed, link_lost, silent };
  using PortInfoAnswer = std::optional<mad::PortInfo>;  // nullopt: no response with status 0

  boost::asio::awaitable<void> observe_some(const SweepContext& context, const Fabric& fabric,
                                            std::vector<PortIndex> ports, VPortAccess access);
  boost::asio::awaitable<std::vector<PortIndex>> try_models(const SweepContext& context,
                                                            const Fabric& fabric,
                                                            const std::vector<PortIndex>& ports);
  boost::asio::awaitable<void> try_model(const SweepContext& context, const Fabric& fabric,
                                         virt::Model model, const std::vector<PortIndex>& ports);
  boost::asio::awaitable<TrialEnd> try_port(const SweepContext& context, const Fabric& fabric,
                                            PortIndex port);
  boost::asio::awaitable<PortInfoAnswer> read_port_info(const Fabric& fabric, PortIndex port);
  boost::asio::awaitable<std::optional<std::uint16_t>> changed_table(const Fabric& fabric,
                                                                     PortIndex port,
                                                                     const virt::PortFacts& before,
                                                                     std::uint16_t written);
  boost::asio::awaitable<void> send(const Fabric& fabric, mad::Method method,
                                    std::unique_ptr<Stage> stage);
  void apply_noted();
  void apply_note(mad::Guid port, std::uint16_t index);

  SweepEnvironment& environment_;
  DeviceState& devices_;
  std::vector<std::pair<mad::Guid, std::uint16_t>> noted_;  // note_change() during a computation
};

}  // namespace sm
