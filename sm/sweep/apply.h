#pragma once

#include <boost/asio/awaitable.hpp>
#include <functional>
#include <string>
#include <vector>

#include "mad/smp_client.h"
#include "sm/sweep/plan.h"

namespace sm {

struct ApplyOptions {
  mad::MKey m_key;
  /// Told now and then while long stages run: what is being done, how much of it.
  std::function<void(std::string_view what, std::size_t done, std::size_t total)> on_progress;
};

struct ApplyReport {
  std::size_t writes = 0;  // acknowledged
  std::size_t failed =
      0;  // not acknowledged, or acknowledged with another content than was written
  std::size_t activated = 0;          // ports that became Active
  std::vector<std::string> problems;  // the first few, naming node and attribute
  std::vector<std::string> lessons;   // what models of devices turned out not to take
};

/// Sends a plan, stage by stage, and then activates the ports that are Armed at both ends.
/// What nodes acknowledge is written into `fabric` and `memory`, so that both say what is; what
/// they do not is left as it was, and is found again by the next plan. What devices acknowledge and
/// do not take is learnt in `refused`.
boost::asio::awaitable<ApplyReport> apply(mad::SmpClient& client, const ApplyOptions& options,
                                          const Plan& plan, const Target& target, Fabric& fabric,
                                          TableMemory& memory, RefusedSettings& refused);

/// Reads the blocks of LinearForwardingTables of which nothing is known, of switches that have one
/// (LinearFDBTop above 0).
boost::asio::awaitable<void> read_tables(mad::SmpClient& client, const ApplyOptions& options,
                                         const Fabric& fabric, TableMemory& memory);

}  // namespace sm
