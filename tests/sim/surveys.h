#pragma once
// Surveys of a fake fabric, and what may be said about them.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "sm/sweep/discovery.h"
#include "support/fake_fabric.h"

namespace surveys {

/// A manager's eye on a fabric, without the manager.
struct Observer {
  explicit Observer(const sim::Topology& topology, std::uint64_t seed = 1, mad::SmpLimits limits = {})
      : fabric(runtime, topology, seed), client(runtime, fabric, limits) {
    fabric.set_receiver([this](std::span<const mad::ReceivedMad> mads) {
      for (const mad::ReceivedMad& received : mads) client.on_mad(received);
    });
  }

  /// Fails the test, and returns nothing known, if the survey does not end within an hour.
  sm::Survey discover();
  sm::Survey rediscover(const sm::Fabric& known, const std::vector<mad::Guid>& changed);

  /// NodeGUIDs of the switches within reach whose PortStateChange is raised.
  std::vector<mad::Guid> changed_switches() const;

  fake::VirtualRuntime runtime;
  fake::FakeFabric fabric;
  mad::SmpClient client;
  sm::DiscoveryOptions options;
};

/// "" if the survey shows exactly the nodes and cables that the manager can reach, with what they say, by shortest routes; else what is wrong first.
std::string compare(const sm::Fabric& surveyed, const fake::FakeFabric& real);
/// The same for two surveys: equal in everything but their findings.
std::string compare(const sm::Fabric& a, const sm::Fabric& b);

/// The findings of one kind, as one text of lines.
std::string texts(const sm::Fabric& fabric, sm::Finding::Kind kind);
std::size_t count(const sm::Fabric& fabric, sm::Finding::Kind kind);
std::string all_texts(const sm::Fabric& fabric);

/// Fabrics of all shapes, small.
std::vector<std::pair<std::string, sim::Topology>> shapes();

}  // namespace surveys
