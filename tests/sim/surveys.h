#pragma once
// Surveys of a simulated fabric, and comparisons of them.

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "sim/hardware.h"
#include "sim/world/world.h"
#include "sm/sweep/observe/discovery.h"
#include "support/tap.h"

namespace surveys {

/// Surveys a fabric as a manager does, without the manager.
struct Observer : laboratory::Hardware {
  explicit Observer(const topology::Topology& topology, std::uint64_t seed = 1,
                    mad::SmpLimits limits = {})
      : Hardware(topology, seed),
        attachment(world.attach(own())),
        tap(*attachment),
        client(runtime, tap, limits) {
    attachment->set_is_sm(true);
    tap.set_receiver([this](std::span<const mad::ReceivedMad> mads) {
      for (const mad::ReceivedMad& received : mads) client.on_mad(received);
    });
  }

  /// Fails the test, and returns an empty survey, if the survey does not end within an hour.
  sm::Survey discover();
  sm::Survey rediscover(const fabric::Fabric& known, const std::vector<mad::Guid>& changed);

  /// NodeGUIDs of the reachable switches whose PortStateChange is set.
  std::vector<mad::Guid> changed_switches() const;
  /// SMPs of the observer, and requests to every node.
  void forget_counts();

  std::unique_ptr<sim::Attachment> attachment;
  laboratory::Tap tap;
  mad::SmpClient client;
  sm::DiscoveryOptions options;
};

/// "" if the survey has exactly the nodes and links that the manager can reach, with their
/// attributes, by shortest routes; else the first difference.
std::string compare(const fabric::Fabric& surveyed, const laboratory::Hardware& real);
/// Compares two surveys: equal in everything but their conditions.
std::string compare(const fabric::Fabric& a, const fabric::Fabric& b);
/// Equal in everything but LocalPortNum, which is the port of the node that received the request
/// (IBTA Vol 1, 14.2.5.6).
bool same(mad::PortInfo a, const mad::PortInfo& b);

/// The conditions of one identifier, as one text of lines.
std::string texts(const fabric::Fabric& fabric, fabric::ConditionId id);
std::size_t count(const fabric::Fabric& fabric, fabric::ConditionId id);
std::string all_texts(const fabric::Fabric& fabric);

/// Fabrics of all shapes, small.
std::vector<std::pair<std::string, topology::Topology>> shapes();

}  // namespace surveys
