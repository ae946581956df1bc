#pragma once

#include <boost/asio/awaitable.hpp>
#include <functional>
#include <set>
#include <vector>

#include "fabric/fabric.h"
#include "mad/smp_client.h"
#include "sm/sweep/devices/m_keys.h"
#include "sm/sweep/observe/discovery.h"

namespace sm {

/// Holds what a light sweep found that the last survey does not know.
struct LightSweepResult {
  std::vector<mad::Guid> changed;    // NodeGUIDs of nodes that must be read again
  std::vector<mad::Guid> answering;  // the same: something behind a port of theirs answers
  std::vector<OtherSm> sms;  // the subnet managers known before, as they are now; one that does not
                             // answer is missing
  bool own_port_changed =
      false;  // the own port went down or was restarted: everything must be read again
  bool has_yielded =
      false;  // LightSweepScope::yields: not all was read, and managers may be missing
};

/// Holds what a light sweep reads of hosts, and what it leaves out. Outlives the sweep: g++ 12
/// destroys a temporary argument of a coroutine that is an aggregate twice.
struct LightSweepScope {
  std::vector<PortIndex> hosts = {};  // hosts_in_turn()
  std::set<mad::Guid> ignored = {};   // NodeGUIDs of nodes behind ports without a known peer, whose
                                      // time to be read again has not come
  std::vector<SuspectPort> suspects = {};  // nothing is asked behind these ports
  std::function<bool()> yields = {};       // true: something else is to be done first
};

/// Returns the ports of CAs and routers that a light sweep asks, so that one that hangs while its
/// link is up is noticed: `turn` names the first one, and moves on. All have had their turn after
/// twelve light sweeps, in a large fabric after as many as kHostsAskedMax needs.
inline constexpr std::size_t kHostsAskedMin = 32, kHostsAskedMax = 512;
std::vector<PortIndex> hosts_in_turn(const Fabric& fabric, std::size_t& turn);

/// The cheap look: SwitchInfo of every switch (PortStateChange, another LinearFDBTop, or no
/// answer), NodeInfo behind ports that are up without a known peer, PortInfo of the hosts whose
/// turn it is (LightSweepScope::hosts), SMInfo of other managers, and the own port. One SMP per
/// switch and open request: to a host, or behind a port whose peer did not answer the last survey,
/// one attempt.
boost::asio::awaitable<LightSweepResult> light_sweep(mad::SmpClient& client, const MKeys& m_keys,
                                                     const Fabric& fabric,
                                                     std::span<const OtherSm> sms,
                                                     const LightSweepScope& scope);

}  // namespace sm
