#pragma once
// The state that console commands work on.

#include <functional>
#include <map>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "mad/format.h"
#include "sim/server/names.h"
#include "sim/server/pace.h"
#include "sim/server/socket_server.h"
#include "sim/world/world.h"

namespace sim::server {

class KernelDevice;

/// Functions of the simulator for commands; a command of one that is not set reports "not
/// available".
struct Controls {
  std::function<std::vector<ClientInfo>()> clients;
  std::function<bool(unsigned number)> disconnect;
  std::function<void()> start, quit;
  std::function<bool()> started;
  /// Schedules the scenario of a file. The error is a text with file:line:column.
  std::function<tl::expected<void, std::string>(const std::string& path)> run_scenario;
  /// Traces every event to this file; an empty path ends the trace.
  std::function<tl::expected<void, std::string>(const std::string& path)> trace_to;
};

struct Session {
  World& world;
  const Names& names;
  const Topology& plan;  // as in the topology file
  Pace& pace;
  Controls controls;
  KernelDevice* kernel = nullptr;  // with --kernel; not owned
  std::function<void(std::string_view)> print;

  unsigned verbosity = 0;
  struct Cable {
    PortIndex a = kNone, b = kNone;
    LinkWidth width = LinkWidth::x4;
    LinkSpeed speed = LinkSpeed::qdr;
  };
  std::vector<Cable> unplugged{};  // by commands; ReLink plugs them in again
  std::uint32_t flaps = 0;

  template <class... Args>
  void say(fmt::format_string<Args...> text, Args&&... args) {
    print(fmt::format(text, std::forward<Args>(args)...) + '\n');
  }
  /// Pulls the cable out, and records it for ReLink.
  void unplug(PortIndex end);
};

}  // namespace sim::server
